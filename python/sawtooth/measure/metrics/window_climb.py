"""Whether windows climb from one rise of bandwidth to the next: what a low phase takes back of what a high phase gave.

Let W(t) be the mean window of the test flows, sampled, U(t) the mean over them of all that their windows have grown until t (the sum of
the changes upwards from sample to sample), and r_k the moments at which available bandwidth rises. A period k is climbing while
W(r_k) < B·RTT, what the higher rate of that rise carries with empty queues. Over the climbing periods

    window_growth = mean of U(r_k+1) − U(r_k)        what a period gives, packets
    window_climb  = mean of W(r_k+1) − W(r_k)        what is left of it when bandwidth rises again, packets

so that climb = growth where low phases take nothing and 0 where they take everything. What is taken is told by the cuts and not by the
windows at the fall, because a sender hears of the losses of a low phase a round trip later, when bandwidth may have risen again. Both are
NaN unless windows are sampled (``record.sample``) and there are two climbing periods; they look at the whole run, because a climb begins
with the flow. A cut and growth between two samples are seen as their difference.

Source: the question is [Akella02] §2, of its Figure 1(b). Levels that change in stairs count as one rise while they go up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sawtooth.measure.metrics.frame import NAN, WHOLE_RUN, Measured, Metric

if TYPE_CHECKING:
    from numpy.typing import NDArray

PERIODS_MIN = 2


def mean_windows(measured: Measured) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Sample times, ns; the mean window of the test flows there; the mean of what their windows have grown until then: packets. All
    empty without samples."""
    table = measured.records.get("windows")
    if table is None or table.rows == 0:
        return np.zeros(0, np.int64), np.zeros(0), np.zeros(0)
    sampled = table.values("event") == 0
    flows = table.values("flow")[sampled]
    chosen = np.isin(flows, measured.test("id"))
    at, row = np.unique(table.values("time_ns")[sampled][chosen], return_inverse=True)
    present, column = np.unique(flows[chosen], return_inverse=True)
    windows = np.full((at.size, present.size), np.nan)  # not there before its flow began
    windows[row, column] = table.values("window")[sampled][chosen]
    grown = np.nansum(np.maximum(np.diff(windows, axis=0), 0.0), axis=1) / max(present.size, 1)
    return at, np.nanmean(windows, axis=1), np.concatenate([np.zeros(min(at.size, 1)), np.cumsum(grown)])


def turns(times_ns: NDArray[np.int64], rates_bps: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Rises of a schedule: (moment of the rise, highest rate until the fall after it), where a fall follows."""
    found: list[tuple[int, int]] = []
    rise: int | None = None
    for before, now, time in zip(rates_bps[:-1], rates_bps[1:], times_ns[1:], strict=True):
        if now > before and rise is None:
            rise, peak = int(time), int(now)
        elif now > before:
            peak = max(peak, int(now))
        elif now < before and rise is not None:
            found.append((rise, peak))
            rise = None
    return found


def climbs(measured: Measured) -> tuple[float, float]:
    """``window_growth`` and ``window_climb``, packets."""
    at, windows, grown = mean_windows(measured)
    if at.size == 0:
        return NAN, NAN
    packet_bits = 8.0 * float(measured.test("packet_bytes").mean())
    periods = [entry for entry in turns(measured.level_times_ns, measured.levels_bps) if entry[0] >= at[0]]
    rises = np.array([rise for rise, _ in periods])
    if rises.size <= PERIODS_MIN:
        return NAN, NAN
    carried = np.array([peak for _, peak in periods]) * measured.rtt_ns / 1e9 / packet_bits
    at_rise, until_rise = np.interp(rises, at, windows), np.interp(rises, at, grown)
    climbing = at_rise[:-1] < carried[:-1]
    if int(climbing.sum()) < PERIODS_MIN:
        return NAN, NAN
    growth, climb = np.diff(until_rise)[climbing], np.diff(at_rise)[climbing]
    return float(growth.mean()), float(climb.mean())


def window_growth(measured: Measured) -> float:
    """What a period gives to the mean window, packets."""
    return measured.once(climbs)[0]


def window_climb(measured: Measured) -> float:
    """What is left of it when bandwidth rises again, packets."""
    return measured.once(climbs)[1]


WINDOW_GROWTH = Metric(
    name="window_growth",
    unit="packets",
    higher_is_better=None,
    what="all growth of the test flows' windows from one rise of bandwidth to the next, while below what it carries (needs samples)",
    source="Akella02 §2",
    function=window_growth,
    window=WHOLE_RUN,
)
WINDOW_CLIMB = Metric(
    name="window_climb",
    unit="packets",
    higher_is_better=None,
    what="mean change of the test flows' window from one rise of bandwidth to the next, while below what it carries (needs samples)",
    source="Akella02 §2",
    function=window_climb,
    window=WHOLE_RUN,
)

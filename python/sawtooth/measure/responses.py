"""How flows answer a change: measures of one flow's rate per round trip, and of many flows under a step of cross traffic.

    >>> import sawtooth as st
    >>> from sawtooth.measure.measures import Measure
    >>> run = st.run("examples/one-flow.toml", set={"record.windows": True})
    >>> Measure.parse("halving of 0 40..60 s")(run)  # AIMD halves its rate at once
    0.0

Source: [Floyd00] §5.1 for responsiveness (round trips of sustained congestion that halve the rate) and aggressiveness (largest rise in a
round trip without congestion); the others are defined here. The part of the run begins with the change.

| measure             | unit        | what                                                                        | record            |
|---------------------|-------------|-----------------------------------------------------------------------------|-------------------|
| growth              | 1           | factor by which the window grows in a round trip, up to the first decrease  | windows           |
| climb               | packets     | largest rise of the window in a round trip after the last decrease          | windows           |
| halving             | round trips | from the last decrease near the highest window until half of that is left     | windows           |
| time_to_halve at B  | s           | to the end of the first bin with at most half of what the flows had before  | rates             |
| time_to_regain at B | s           | to the end of the first bin with nine tenths of what they had before        | rates             |
| drop_rate           | %           | packets dropped over those dropped or delivered                             | rates, congestion |
| stabilisation at B  | s           | to the end of the first bin whose drop rate is at most 1.5 times the later   | rates, congestion |

The window of a rate-based flow is its rate times its round trip. *Before* is the 20 s up to the part; for `time_to_regain` the 20 s
that end 30 s earlier, before a square of 30 s. *Later* is the second half of the part. The first three read one flow, sampled once per
round trip: of several the group says which. NaN where what they look for does not come.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from sawtooth.column_values import values_of
from sawtooth.measure.run_part import SAMPLE, RunPart

if TYPE_CHECKING:
    from numpy.typing import NDArray

BEFORE_NS: Final = 20 * 10**9
"""What counts as before a change."""
SQUARE_NS: Final = 30 * 10**9
"""Length of the square of cross traffic that `time_to_regain` looks back over."""
STABLE: Final = 1.5
"""A drop rate of so many times that of later on is stable."""
HIGH: Final = 0.9
"""A window of this share of the highest is near it."""
REGAINED: Final = 0.9
"""Share of the rate before that counts as regained."""

Numbers: TypeAlias = "NDArray[np.float64]"


def growth(part: RunPart) -> float:
    """Factor per round trip, geometric mean from the first sample above zero up to the first decrease."""
    times, windows, decreased = _windows(part)
    stop = np.flatnonzero(decreased)
    climbing = windows[: stop[0]] if stop.size else windows
    climbing = climbing[climbing > 0]
    steps = np.diff(times)[: max(climbing.size - 1, 0)]
    if climbing.size < 2:
        return float("nan")
    rounds = steps.sum() / part.round_trip_ns()
    return float((climbing[-1] / climbing[0]) ** (1 / rounds))


def climb(part: RunPart) -> float:
    """Largest rise from one sample to the next after the last decrease, per round trip."""
    times, windows, decreased = _windows(part)
    last = np.flatnonzero(decreased)
    after = slice(int(last[-1]) + 1 if last.size else 0, None)
    rises = np.diff(windows[after]) / (np.diff(times[after]) / part.round_trip_ns())
    return float(rises.max()) if rises.size else float("nan")


def halving(part: RunPart) -> float:
    """Round trips from the last decrease near the highest window of the part until at most half of that window is left."""
    table = part.record("windows")
    columns = {
        name: values_of(table.column(name)) for name in ("time_ns", "event", "window_before", "window")
    }
    inside = part.of_one_flow(table) & (columns["event"] != SAMPLE)
    times, before, after = (columns[name][inside] for name in ("time_ns", "window_before", "window"))
    if not before.size:
        return float("nan")
    onset = int(np.flatnonzero(before >= HIGH * before.max())[-1])
    reached = np.flatnonzero(after[onset:] <= before[onset] / 2)
    return (
        float((times[onset + reached[0]] - times[onset]) / part.round_trip_ns())
        if reached.size
        else float("nan")
    )


def _windows(part: RunPart) -> tuple[Numbers, Numbers, NDArray[np.bool_]]:
    """Times (ns) and windows of samples and decreases in order, and which are decreases."""
    table = part.record("windows")
    inside = part.of_one_flow(table)
    windows = values_of(table.column("window"))[inside]
    return (
        values_of(table.column("time_ns"))[inside].astype(np.float64),
        windows.astype(np.float64),
        values_of(table.column("event"))[inside] != SAMPLE,
    )


def time_to_halve(part: RunPart) -> float:
    """s until the end of the first bin in which the flows together have at most half of what they had before."""
    before = _together(_earlier(part, part.begin_ns)).mean()
    return _first(part, _together(part) <= before / 2)


def time_to_regain(part: RunPart) -> float:
    """s until the end of the first bin in which they have nine tenths of what they had before the square."""
    before = _together(_earlier(part, part.begin_ns - SQUARE_NS)).mean()
    return _first(part, _together(part) >= REGAINED * before)


def drop_rate(part: RunPart) -> float:
    """Dropped over dropped and delivered, of the group's flows, in percent."""
    drops, delivered = _drops(part, part.begin_ns, part.end_ns), _delivered(part)
    return 100.0 * drops / (drops + delivered) if drops + delivered else float("nan")


def stabilisation(part: RunPart) -> float:
    """s until the end of the first bin whose drop rate is at most 1.5 times that of the part's second half."""
    if part.bin_ns is None:
        raise ValueError("stabilisation needs bins")
    middle = (part.begin_ns + part.end_ns) // 2
    bound = STABLE * drop_rate(replace(part, begin_ns=middle))
    # Windows of a bin's width, begun about every fifth of it, as a drop rate needs many packets and a time few; what is delivered is known
    # of whole bins of the record alone.
    step = max(1, math.ceil(part.bin_ns / 5 / part.width_ns)) * part.width_ns
    for begin in range(part.begin_ns, middle, step):
        end = begin + part.bin_ns
        if drop_rate(replace(part, begin_ns=begin, end_ns=end)) <= bound:
            return (end - part.begin_ns) / 1e9
    return float("nan")


def _earlier(part: RunPart, end_ns: int) -> RunPart:
    return replace(part, begin_ns=end_ns - BEFORE_NS, end_ns=end_ns)


def _together(part: RunPart) -> Numbers:
    return np.asarray(part.rates().sum(axis=1), dtype=np.float64)


def _first(part: RunPart, reached: NDArray[np.bool_]) -> float:
    places = np.flatnonzero(reached)
    return float((places[0] + 1) * (part.bin_ns or 0) / 1e9) if places.size else float("nan")


def _delivered(part: RunPart) -> float:
    bits, own = part.bins()[1], part.of_group()
    sizes = values_of(part.run.flows.column("packet_bytes"))[: own.size].astype(np.float64) * 8
    return float((bits / sizes)[:, own].sum())


def _drops(part: RunPart, begin_ns: int, end_ns: int) -> int:
    table = part.record("congestion")
    times, flows = values_of(table.column("time_ns")), values_of(table.column("flow"))
    own = part.of_group()
    inside = (times >= begin_ns) & (times < end_ns) & (values_of(table.column("mark")) == 0)
    return int(own[flows[inside & (flows < own.size)]].sum())

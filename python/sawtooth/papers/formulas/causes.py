"""What happened to flows besides congestion avoidance, from the records of a run: timeouts, waiting, slow start, losses in common.

Source: none; the measures are defined here.

| measure          | what                                                                                           |
|------------------|------------------------------------------------------------------------------------------------|
| timeouts         | timeouts over all decreases of the window                                                      |
| waiting          | share of round trips in which nothing new arrived: the timer is waited for                     |
| slow start       | share of the time in which the window is below its threshold, waiting not counted              |
| losses per event | packets lost over decreases: several losses of one window are one event                        |
| synchronised     | share of the congestion epochs in which every flow decreased                                   |
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from sawtooth.models.inputs import Numbers
    from sawtooth.run.run import Run

SAMPLE: Final = 0
TIMEOUT: Final = 2
"""Codes of ``event`` in the record ``windows``; 1 is a fast retransmit."""


def column(table: pa.Table, name: str) -> NDArray[np.float64]:
    """A column of a record as numbers."""
    return np.asarray(table.column(name).to_numpy(), dtype=np.float64)


def total(run: Run, name: str) -> float:
    """A counter summed over the flows, inside the measured time."""
    return float(column(run.flows, name).sum())


def waiting_share(run: Run) -> float:
    """Share of the bins of ``record.rates`` after the warm-up in which nothing new was delivered, over all flows."""
    rates = run.records["rates"]
    counted = column(rates, "time_ns") > run.engine["warmup_ns"]
    delivered = column(rates, "delivered_packets")[counted]
    return float(np.mean(delivered == 0)) if delivered.size else 0.0


def slow_start_share(run: Run) -> float:
    """Share of the samples of ``record.sample`` after the warm-up with a window below its threshold, over all flows."""
    windows = run.records["windows"]
    sampled = (column(windows, "event") == SAMPLE) & (column(windows, "time_ns") > run.engine["warmup_ns"])
    below = column(windows, "window")[sampled] < column(windows, "ssthresh")[sampled]
    return float(np.mean(below)) if below.size else 0.0


@dataclass(frozen=True)
class Epoch:
    """One congestion epoch: ``cuts`` decreases per flow, windows in packets per flow just ``before`` and ``after`` it, time in s."""

    time_s: float
    cuts: tuple[int, ...]
    timeouts: int
    before: tuple[float, ...]
    after: tuple[float, ...]

    @property
    def hit_share(self) -> float:
        """The share of the load before the epoch that belongs to flows which decreased."""
        hit = sum(size for size, cuts in zip(self.before, self.cuts, strict=True) if cuts)
        return hit / sum(self.before)

    @property
    def common(self) -> bool:
        """Whether every flow decreased."""
        return min(self.cuts) > 0


def epochs(run: Run, span_ns: int, from_ns: int = 0) -> list[Epoch]:
    """The congestion epochs from ``from_ns`` on: a decrease begins one, decreases within ``span_ns`` of its beginning belong to it.

    ``before`` is the window last recorded before the epoch began, so samples well below a round trip are needed; ``after`` is that to which
    a flow's last decrease of the epoch took it, and ``before`` for a flow without one: growth within the epoch is left out.
    """
    windows = run.records["windows"]
    times, flows = column(windows, "time_ns"), column(windows, "flow").astype(np.int64)
    events, sizes = column(windows, "event"), column(windows, "window")
    count = run.flows.num_rows
    tracks = [(times[flows == flow], sizes[flows == flow]) for flow in range(count)]
    cutting = (events != SAMPLE) & (times >= from_ns)
    found: list[Epoch] = []
    cut_times, cut_flows, cut_events = times[cutting], flows[cutting], events[cutting]
    cut_sizes = sizes[cutting]
    place = 0
    while place < cut_times.size:
        begin = cut_times[place]
        stop = int(np.searchsorted(cut_times, begin + span_ns, side="right"))
        within = slice(place, stop)
        before = [_last(track, begin) for track in tracks]
        after = list(before)
        for flow, size in zip(cut_flows[within].tolist(), cut_sizes[within].tolist(), strict=True):
            after[flow] = size
        found.append(
            Epoch(
                begin / 1e9,
                tuple(int(np.sum(cut_flows[within] == flow)) for flow in range(count)),
                int(np.sum(cut_events[within] == TIMEOUT)),
                tuple(before),
                tuple(after),
            )
        )
        place = stop
    return found


def _last(track: tuple[Numbers, Numbers], time: float) -> float:
    """The last window recorded before ``time``, packets; the first where none was."""
    times, sizes = track
    return float(sizes[max(0, int(np.searchsorted(times, time, side="left")) - 1)])


def synchronised_share(found: Sequence[Epoch]) -> float:
    """Share of the epochs in which every flow decreased; 1 where there is none."""
    return float(np.mean([entry.common for entry in found])) if found else 1.0

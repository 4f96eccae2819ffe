"""What the figure of a run is drawn from: of every flow and every queue what was recorded over time.

Source: none; ``run_traces`` takes it from a run, ``traces`` draws it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from sawtooth.measure.run_series import Timeline
from sawtooth.report.sender_traces import SenderTrace
from sawtooth.report.traffic_traces import TrafficTrace

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class FlowTrace:
    """A flow: its number and name, its kind (controller and recovery), and whether the metrics count it."""

    number: int
    kind: str
    test: bool = True
    rate_based: bool = False


@dataclass(frozen=True)
class SubqueueTrace:
    """What a discipline, or one of its subqueues, was doing at its samples: wait of the first packet (ms), probability of a hit, queues in
    the drop state."""

    name: str
    times_ns: NDArray[np.int64]
    waited_ms: NDArray[np.float64]
    probability: NDArray[np.float64]
    dropping: NDArray[np.int64]


@dataclass(frozen=True)
class QueueTrace:
    """One queue: name and discipline; backlog at its samples in `unit`, with what stands beside it in the same unit; what its discipline
    was doing, and the times (ms) that it aims at."""

    name: str
    discipline: str
    times_ns: NDArray[np.int64]
    backlog: NDArray[np.float64]
    unit: str = "packets"
    buffer: float | None = None
    thresholds: Sequence[tuple[str, float]] = ()
    average: NDArray[np.float64] | None = None
    states: Sequence[SubqueueTrace] = ()
    targets: Sequence[tuple[str, float]] = ()

    @property
    def has_hits(self) -> bool:
        """Whether there is a probability to show, or a number of queues in the drop state."""
        return any(each.probability.any() or each.dropping.max(initial=0) > 1 for each in self.states)


@dataclass(frozen=True)
class Traces:
    """What is drawn.

    `windows` has the columns of that series. `throughput` (bit/s) and `round_trips` (ns) have a column per flow. `signs` are times (ns) of
    losses, marks and timeouts under their names. `note` is said below the title.
    """

    title: str
    flows: Sequence[FlowTrace]
    windows: pa.Table
    throughput: Timeline
    bin_ns: int
    available: Timeline
    queues: Sequence[QueueTrace]
    warmup_ns: int
    duration_ns: int
    round_trips: Timeline | None = None
    signs: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)
    note: str = ""
    available_name: str = "available bandwidth"
    senders: Sequence[SenderTrace] = ()
    traffic: Sequence[TrafficTrace] = ()

    @property
    def kinds(self) -> dict[str, list[int]]:
        """Numbers of the flows of each kind, in order of appearance."""
        found: dict[str, list[int]] = {}
        for flow in self.flows:
            found.setdefault(flow.kind, []).append(flow.number)
        return found

    def counted(self, times: NDArray[np.int64]) -> str:
        """How many signs there are, and how many of them are measured if that is not all: tables leave out those of the warm-up."""
        every, measured = len(times), int(np.count_nonzero(times >= self.warmup_ns))
        return (
            f"{every:,}"
            if every == measured
            else f"{every:,} ({f'{measured:,}' if measured else 'none'} measured)"
        )

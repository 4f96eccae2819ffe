"""The frame of every metric: what a metric is, and what it sees.

A metric is one number of one run, computed from columns: it opens no file, knows no store and runs nothing. Everything is
counted inside the measured window [warm-up, duration); the warm-up is excluded by the engine, which opens its counters there.
A quantity that is not defined for a run (the loss rate of flows that sent nothing, say) is NaN here and `null` in JSON.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from sawtooth.columns import Columns

NAN = float("nan")
MEASURED_WINDOW = "[warm-up, duration)"
WHOLE_RUN = "[0, duration), warm-up included"
Found = TypeVar("Found")


@dataclass(frozen=True)
class Opportunities:
    """A link of transmit opportunities: in each it waits `overhead_ns`, then sends at `rate_bps`, at most so many packets and so long."""

    rate_bps: int
    packets: int
    time_ns: int
    overhead_ns: int

    def capacity_bytes(self, packet_bytes: float, span_ns: float) -> float:
        """What full opportunities of packets of this size carry in a time, bytes."""
        packet_ns = 8e9 * packet_bytes / self.rate_bps
        count = max(1, min(self.packets, int(self.time_ns / packet_ns)))
        return span_ns * count * packet_bytes / (self.overhead_ns + count * packet_ns)


@dataclass(frozen=True)
class Measured:
    """The columns of one run as a metric sees them.

    `flows` has one row per flow (the engine's columns and `test`, bool), `queues` one row per queue with the bottleneck first,
    `records` the recorded series by name. `available_bps` is the time mean over the window of the nominal bandwidth available to one
    test flow, of which `levels_bps[i]` holds from `level_times_ns[i]` on. `capacities` has the links, by row of `queues`, whose time
    says nothing about their capacity: those of transmit opportunities, and with None those for which the engine's `capacity_bytes` is
    that (a trace, a shaper, a rate that changes). `paths` are the queues that test flows suffer,
    by row of `queues`, each with how many flows do: the bottleneck alone, unless the topology has several; `propagation_ns` is the
    round-trip time of every flow without queues, where it is known; `spans_ns` when each flow begins and ends, both counted
    from the start of the run.
    """

    flows: Columns
    queues: Columns
    records: Mapping[str, Columns]
    start_ns: int
    end_ns: int
    available_bps: float
    capacities: Mapping[int, Opportunities | None] = field(default_factory=dict)
    paths: tuple[tuple[tuple[int, ...], int], ...] = (((0,), 1),)
    level_times_ns: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64))
    levels_bps: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64))
    propagation_ns: Sequence[int] | None = None
    spans_ns: tuple[Sequence[int], Sequence[int]] | None = None

    def once(self, function: Callable[[Measured], Found]) -> Found:
        """What a function says of this run, worked out at the first question: several metrics read it."""
        if function not in self._found:
            self._found[function] = function(self)
        found: Found = self._found[function]
        return found

    _found: dict[Callable[[Measured], Any], Any] = field(default_factory=dict, init=False, repr=False)
    """What `once` has worked out."""
    _test_columns: dict[str, NDArray[Any]] = field(default_factory=dict, init=False, repr=False)
    """Those that somebody has asked for."""
    _queue_columns: dict[str, list[Any]] = field(default_factory=dict, init=False, repr=False)
    """The same of `queues`."""

    @cached_property
    def is_test(self) -> NDArray[np.bool_]:
        """Which flows are test flows. Shape (flows,)."""
        mask: NDArray[np.bool_] = self.flows.values("test")
        return mask

    @cached_property
    def all_test(self) -> bool:
        """Whether all flows are test flows."""
        return bool(self.is_test.all())

    def of_tests(self, values: NDArray[Any]) -> NDArray[Any]:
        """Of a value of every flow those of test flows. Shape (test flows,)."""
        return values if self.all_test else values[self.is_test]

    @cached_property
    def test_goodputs_bps(self) -> NDArray[np.float64]:
        """Goodput of every test flow, bit/s. Shape (test flows,)."""
        return self.of_tests(flow_goodputs_bps(self.flows, self.seconds))

    @cached_property
    def test_propagation_ns(self) -> NDArray[np.float64] | None:
        """The round-trip time of every test flow without queues, ns; None where it is unknown. Shape (test flows,)."""
        if self.propagation_ns is None or len(self.propagation_ns) != self.is_test.size:
            return None
        return self.of_tests(np.asarray(self.propagation_ns, dtype=np.float64))

    @property
    def rtt_ns(self) -> float:
        """Mean round-trip time of the test flows without queues, ns; NaN where it is unknown."""
        times_ns = self.test_propagation_ns
        return NAN if times_ns is None or not times_ns.size else mean(times_ns)

    @property
    def seconds(self) -> float:
        """Length of the measured window, s."""
        return (self.end_ns - self.start_ns) / 1e9

    @cached_property
    def test_spans_ns(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """When each test flow begins and ends; without better knowledge with the run. Shapes (test flows,)."""
        count = self.is_test.size
        begins, ends = self.spans_ns or ([0] * count, [self.end_ns] * count)
        return self.of_tests(np.asarray(begins, np.int64)), self.of_tests(np.asarray(ends, np.int64))

    def has(self, column: str) -> bool:
        """Whether `flows` has such a column: runs that an earlier version stored lack some."""
        return column in self.flows

    def queue_has(self, column: str) -> bool:
        """The same of `queues`."""
        return column in self.queues

    @cached_property
    def has_endpoints(self) -> bool:
        """Whether a test flow is a whole endpoint of a plug-in, which tells no timeouts."""
        timeouts = self.test("timeouts")
        return timeouts.dtype.kind == "f" and bool(np.isnan(timeouts).any())

    def test(self, column: str) -> NDArray[Any]:
        """One column of `flows`, test flows only, in flow order. Shape (test flows,)."""
        if self.all_test:
            return self.flows.values(column)
        values: NDArray[Any] | None = self._test_columns.get(column)
        if values is None:
            values = self.of_tests(self.flows.values(column))
            values.flags.writeable = False
            self._test_columns[column] = values
        return values

    @cached_property
    def delivered(self) -> tuple[NDArray[np.float64], NDArray[np.int64], int] | None:
        """Packets that each test flow delivered in each recorded bin, shape (bins, test flows), where the bins end, and the bin, ns; None
        without two bins.

        The engine records every flow in every bin, bin after bin.
        """
        rates = self.records.get("rates")
        flows = self.test("id")
        if rates is None or rates.rows == 0 or flows.size == 0:
            return None
        time_ns = rates.values("time_ns")
        width = int(time_ns.searchsorted(time_ns[0], side="right"))
        ends = time_ns[::width]
        if ends.size < 2:
            return None
        packets = rates.values("delivered_packets").reshape(-1, width)
        if width != flows.size:
            packets = packets[:, rates.values("flow")[:width].searchsorted(flows)]
        return packets.astype(np.float64), ends, int((ends[1:] - ends[:-1]).min())

    @cached_property
    def delivered_per_bin(self) -> tuple[NDArray[np.float64], int] | None:
        """The same of the whole bins of the window, and the bin, ns."""
        if self.delivered is None:
            return None
        packets, ends, bin_ns = self.delivered
        inside = packets[whole_bins(ends, bin_ns, self.start_ns, self.end_ns)]
        return np.asfortranarray(inside), bin_ns  # flow by flow: numpy adds up in the order of memory

    def bottleneck(self, column: str) -> float:
        """One number of the bottleneck; of several, their mean; NaN where test flows cross no queue."""
        rows = self.bottlenecks
        if len(rows) == 1:
            return self.queue(rows[0], column)
        return ratio(sum(self.queue(row, column) for row in rows), len(rows))

    @cached_property
    def bottlenecks(self) -> list[int]:
        """The queues that test flows suffer, by row."""
        return sorted({queue for queues, _ in self.paths for queue in queues})

    def per_path(self, of_queue: Callable[[int], float], join: Callable[[list[float]], float]) -> float:
        """A number of a path, mean over test flows: `join` of what `of_queue` says of each queue on it. NaN without a path."""
        if len(self.paths) == 1:
            return join([of_queue(queue) for queue in self.paths[0][0]])
        values = [(join([of_queue(queue) for queue in queues]), flows) for queues, flows in self.paths]
        return ratio(sum(value * flows for value, flows in values), sum(flows for _, flows in values))

    def queue(self, row: int, column: str) -> float:
        """One number of a queue."""
        values = self._queue_columns.get(column)
        if values is None:
            values = self._queue_columns[column] = self.queues.values(column).tolist()
        return float(values[row])

    def total(self, column: str) -> float:
        """The sum of one number over the queues that test flows suffer."""
        rows = self.bottlenecks
        return self.queue(rows[0], column) if len(rows) == 1 else sum(self.queue(row, column) for row in rows)


@dataclass(frozen=True)
class Metric:
    """One entry of METRICS. `higher_is_better` is None where neither end is good in itself."""

    name: str
    unit: str
    higher_is_better: bool | None
    what: str
    source: str
    function: Callable[[Measured], float]
    window: str = MEASURED_WINDOW

    def __call__(self, measured: Measured) -> float:
        return float(self.function(measured))


def mean(values: NDArray[Any]) -> float:
    """The mean of a column that is not empty: to the last bit that of `values.mean()`, in a third of its time for ten flows."""
    return float(np.add.reduce(values, dtype=np.float64)) / values.size


def total(values: NDArray[Any]) -> float:
    """The sum of a column, as `values.sum()` gives it."""
    return float(np.add.reduce(values))


def whole_bins(ends_ns: NDArray[np.int64], bin_ns: int, begin_ns: int, end_ns: int) -> slice:
    """Which bins, that end in this order, lie between two times."""
    first, last = ends_ns.searchsorted(begin_ns + bin_ns), ends_ns.searchsorted(end_ns, side="right")
    return slice(int(first), int(last))


def ratio(numerator: float, denominator: float) -> float:
    """`numerator / denominator`, NaN where the denominator is zero (undefined, not infinite)."""
    return float(numerator) / float(denominator) if denominator else NAN


def flow_goodputs_bps(flows: Columns, seconds: float) -> NDArray[np.float64]:
    """Goodput of every flow, bit/s: wire bytes of unique packets delivered inside the window over its length. Shape (flows,)."""
    packets = flows.values("delivered_unique").astype(np.float64)
    packet_bytes = flows.values("packet_bytes").astype(np.float64)
    goodputs: NDArray[np.float64] = packets * packet_bytes * 8.0 / seconds
    return goodputs


def log_goodputs(measured: Measured) -> NDArray[np.float64]:
    """The natural logarithm of the goodput of every test flow, bit/s, none of which is 0."""
    found: NDArray[np.float64] = np.log(measured.test_goodputs_bps)
    return found


def round_trips(measured: Measured) -> NDArray[np.float64]:
    """Mean round-trip time of every test flow, ns: propagation and the mean queueing delay of all test packets; NaN where it is unknown."""
    empty_ns = measured.test_propagation_ns
    if empty_ns is None:
        return np.full(int(measured.is_test.sum()), NAN)

    def waiting_ns(row: int) -> float:
        return ratio(measured.queue(row, "delay_ns_sum_test"), measured.queue(row, "test_forwarded"))

    return empty_ns + measured.per_path(waiting_ns, sum)

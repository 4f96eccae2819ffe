"""Queueing delay at the bottleneck: mean and percentiles over forwarded test packets, ms.

Delay runs from the arrival of a packet at the queue to the start of its transmission, and behind a shaper a transmission starts when the
packet has its tokens; dropped packets have none. The mean is exact; percentiles come from the engine's log-linear histogram, whose
relative error is below 1 %.

Source: [Akella02] §3 (mean). The percentiles are ours: a mean hides the standing queue that interactive traffic meets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sawtooth.measure.metrics.frame import NAN, Measured, Metric, ratio

if TYPE_CHECKING:
    from collections.abc import Callable


def delay(measured: Measured) -> float:
    """Mean queueing delay of test packets at the bottleneck, ms, >= 0; over several bottlenecks on a path, the sum of their means."""

    def mean(row: int) -> float:
        return ratio(measured.queue(row, "delay_ns_sum_test"), measured.queue(row, "test_forwarded")) / 1e6

    return measured.per_path(mean, sum)


def percentile(column: str) -> Callable[[Measured], float]:
    """A function that reads one percentile column (ns) of the bottleneck and gives ms."""

    def delay_percentile(measured: Measured) -> float:
        queues = measured.bottlenecks
        if (
            not measured.queue_has(column)
            or len(queues) != 1
            or not measured.queue(queues[0], "test_forwarded")
        ):
            return NAN  # percentiles of several queues do not add up
        return measured.queue(queues[0], column) / 1e6

    return delay_percentile


DELAY = Metric(
    name="delay",
    unit="ms",
    higher_is_better=False,
    what="mean queueing delay of the test packets that the bottleneck forwarded",
    source="Akella02 §3",
    function=delay,
)
DELAY_P50, DELAY_P95, DELAY_P99, DELAY_P999 = (
    Metric(
        name=f"delay_{name}",
        unit="ms",
        higher_is_better=False,
        what=f"{percent}th percentile of the queueing delay of forwarded test packets (relative error < 1 %)",
        source="definition",
        function=percentile(f"delay_{name}_ns"),
    )
    for name, percent in (("p50", "50"), ("p95", "95"), ("p99", "99"), ("p999", "99.9"))
)

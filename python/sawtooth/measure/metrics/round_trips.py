"""Round-trip times as the senders of the test flows sampled them: mean and quantiles, ms.

A value is the mean over test flows of a flow's own mean or quantile, so a fast flow counts as much as a slow one. A classic flow gives one
sample per round trip, which weighs long round trips less than its packets would; `rack`, `quic`, `tcp.rtt_samples = "every"` and
controllers with a model of the path give one per acknowledgement. Quantiles come from the engine's log-linear histogram (1/128).

Source: RFC 6298 §3 (samples); RFC 5166 §2.1.2 (delay as users see it, quantiles beside the mean).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sawtooth.measure.metrics.frame import NAN, Measured, Metric, mean

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray


def sampled(measured: Measured) -> NDArray[np.bool_] | slice | None:
    """Which test flows have samples; None if none has."""
    if not measured.has("rtt_samples"):
        return None
    known: NDArray[np.bool_] = measured.test("rtt_samples") > 0
    if known.all():
        return slice(None) if known.size else None
    return known if known.any() else None


def rtt_mean(measured: Measured) -> float:
    """Mean over test flows of the mean round trip, ms; NaN where no flow has a sample."""
    known = measured.once(sampled)
    if known is None:
        return NAN
    samples, sums = measured.test("rtt_samples"), measured.test("rtt_ns_sum")
    return mean(sums[known] / samples[known]) / 1e6


def quantile(column: str) -> Callable[[Measured], float]:
    """The function that gives the mean over test flows of a quantile (column in ns), ms."""

    def rtt_quantile(measured: Measured) -> float:
        known = measured.once(sampled)
        return NAN if known is None else mean(measured.test(column)[known]) / 1e6

    return rtt_quantile


RTT_MEAN = Metric(
    name="rtt_mean",
    unit="ms",
    higher_is_better=False,
    what="mean round trip that a test flow sampled, mean over test flows",
    source="RFC 6298 §3",
    function=rtt_mean,
)
RTT_P50, RTT_P95, RTT_P99, RTT_P999 = (
    Metric(
        name=f"rtt_{name}",
        unit="ms",
        higher_is_better=False,
        what=f"{percent}th percentile of the round trips that a test flow sampled, mean over test flows (relative error < 1 %)",
        source="RFC 5166 §2.1.2",
        function=quantile(f"rtt_{name}_ns"),
    )
    for name, percent in (("p50", "50"), ("p95", "95"), ("p99", "99"), ("p999", "99.9"))
)

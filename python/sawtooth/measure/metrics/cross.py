"""Cross traffic: what web-like flows take of the bottleneck, how one of them fares beside a long-lived flow, and what they lose there.

`cross_share` is what short flows delivered inside the window over what the bottleneck could carry. `cross_excess` compares a short flow
with the place-holders of [Akella02] §3.3, long-lived flows that always have packets to send: the rate of a short flow while it lives
(all packets delivered over all time that flows took to complete), over the mean rate of a place-holder, less 1. There is one for each test
flow, behind all flows that a scenario lists; reverse flows are none. A scheduler that gives every flow its max-min share keeps it at or
below 0. `cross_drops` counts what is not of test flows and was dropped.

Source: [Akella02] §3.3.
"""

from __future__ import annotations

from sawtooth.measure.metrics.frame import NAN, Measured, Metric, flow_goodputs_bps, ratio


def _delivered_bytes(measured: Measured) -> float:
    arrivals = measured.records["arrivals"]
    return float((arrivals.values("delivered_unique") * arrivals.values("packet_bytes")).sum())


def cross_share(measured: Measured) -> float:
    """Bytes that short flows delivered over the bottleneck's capacity, in [0, 1]; NaN without short flows."""
    if "arrivals" not in measured.records:
        return NAN
    return ratio(_delivered_bytes(measured), measured.total("capacity_bytes"))


def cross_excess(measured: Measured) -> float:
    """Rate of a short flow over that of a place-holder, less 1; NaN without either."""
    held = ~measured.is_test
    listed = held.size - int(measured.is_test.sum())
    held[:listed] = False  # place-holders come last
    if "arrivals" not in measured.records or not held.any():
        return NAN
    lived_s = float(measured.records["arrivals"].values("completion_ns_sum").sum()) / 1e9
    holder_bps = float(flow_goodputs_bps(measured.flows, measured.seconds)[held].mean())
    return ratio(ratio(_delivered_bytes(measured) * 8.0, lived_s), holder_bps) - 1.0


def cross_drops(measured: Measured) -> float:
    """Packets dropped at the bottleneck that are not data of test flows, count."""
    return measured.total("drops") - measured.total("test_drops")


CROSS_SHARE = Metric(
    name="cross_share",
    unit="1",
    higher_is_better=None,
    what="what short flows delivered, as a share of the bottleneck's capacity (needs arrivals)",
    source="Akella02 §3.3",
    function=cross_share,
)
CROSS_EXCESS = Metric(
    name="cross_excess",
    unit="1",
    higher_is_better=None,
    what="rate of a short flow while it lives over the mean rate of a place-holder, less 1 (needs arrivals)",
    source="Akella02 §3.3",
    function=cross_excess,
)
CROSS_DROPS = Metric(
    name="cross_drops",
    unit="packets",
    higher_is_better=None,
    what="packets dropped at the bottleneck that are not data of test flows",
    source="Akella02 §3.3",
    function=cross_drops,
)

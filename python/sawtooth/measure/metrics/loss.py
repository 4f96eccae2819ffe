"""Loss and marks of test packets at the bottleneck.

`loss` = 100 × test packets dropped / test packets arrived at the bottleneck, whatever the reason of the drop (full buffer or
impairment); retransmissions are packets like others, and `drops` is the number dropped. `marks` counts the test packets that got a
congestion mark, `full_drops` the packets of whatever traffic that were dropped for want of room, and not by an active queue.

Source: [Akella02] §3; marks: RFC 3168.
"""

from __future__ import annotations

from math import prod

from sawtooth.measure.metrics.frame import Measured, Metric, ratio


def loss(measured: Measured) -> float:
    """Share of test packets dropped at the bottleneck, %, in [0, 100]; over several on a path, the share that one of them drops."""

    def share(row: int) -> float:
        return 100.0 * ratio(measured.queue(row, "test_drops"), measured.queue(row, "test_arrivals"))

    return measured.per_path(share, any_of)


def any_of(shares: list[float]) -> float:
    """The share (%) of packets that one queue or another drops, if each drops its share of what reaches it."""
    if len(shares) == 1:
        return shares[0]
    return 100.0 * (1.0 - prod(1.0 - share / 100.0 for share in shares))


def marks(measured: Measured) -> float:
    """Test packets marked at the bottlenecks, count."""
    return sum(measured.queue(row, "test_marks") for row in measured.bottlenecks)


def drops(measured: Measured) -> float:
    """Test packets dropped at the bottlenecks, count."""
    return measured.total("test_drops")


def full_drops(measured: Measured) -> float:
    """Packets dropped at the bottleneck because its buffer was full, count."""
    return measured.total("drops_full")


LOSS = Metric(
    name="loss",
    unit="%",
    higher_is_better=False,
    what="test packets dropped at the bottleneck, in percent of those that arrived",
    source="Akella02 §3",
    function=loss,
)
MARKS = Metric(
    name="marks",
    unit="packets",
    higher_is_better=None,
    what="test packets marked at the bottleneck",
    source="RFC 3168 §5",
    function=marks,
)
FULL_DROPS = Metric(
    name="full_drops",
    unit="packets",
    higher_is_better=False,
    what="packets of all traffic dropped at the bottleneck because its buffer was full",
    source="definition",
    function=full_drops,
)
DROPS = Metric(
    name="drops",
    unit="packets",
    higher_is_better=False,
    what="test packets dropped at the bottleneck",
    source="Akella02 §3",
    function=drops,
)

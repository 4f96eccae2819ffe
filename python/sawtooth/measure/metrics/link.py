"""The bottleneck link: how much of its capacity was used, and how long it stood idle.

`utilisation` is the share of what the link could have carried in the measured time that it did carry, whoever's packets (test flows and
cross traffic alike), in [0, 1]:

| link | how it is counted |
| --- | --- |
| one rate, with a device queue or without | the share of the time in which the transmitter was sending |
| a rate that changes | forwarded bytes over what the rates of the time carry |
| a shaper | forwarded bytes over what its rate carries, or that of the link where this is lower |
| a packet-opportunity trace | forwarded bytes over the bytes that the trace offered |
| transmit opportunities | forwarded bytes over what full opportunities of packets of the mean size carry |

Time measures capacity on links of one rate alone. While a packet waits for its tokens, the link is taken and sends nothing. A second at a
low rate is as long as one at a high rate. An opportunity costs its overhead for one packet as for many.

A packet counts with all of its bytes when its transmission begins, and a shaper may have saved a burst before the measured time. What
exceeds 1 for that is cut off. A policer is no part of the link: what it drops was never on it.

`idle` is the share of the measured time with nothing waiting and nothing in transmission. What waits for its tokens or for an
opportunity waits. Only with one rate do the two add up to 1.

Where test flows cross several bottlenecks both are means over these; where they cross no queue, as in a free network, undefined.

Source: the standard definitions; for traces [Winstein13] §5.
"""

from __future__ import annotations

from sawtooth.measure.metrics.frame import Measured, Metric, ratio


def utilisation(measured: Measured) -> float:
    """Share of the bottleneck's capacity that was used, dimensionless, in [0, 1]."""
    rows = measured.bottlenecks
    if measured.capacities.keys().isdisjoint(rows):
        return ratio(measured.bottleneck("busy_ns"), measured.end_ns - measured.start_ns)
    return sum(_used(measured, row) for row in rows) / len(rows)


def _used(measured: Measured, row: int) -> float:
    """The same of one link."""
    span_ns = measured.end_ns - measured.start_ns
    if row not in measured.capacities:
        return ratio(measured.queue(row, "busy_ns"), span_ns)
    forwarded_bytes = measured.queue(row, "forwarded_bytes")
    opportunities = measured.capacities[row]
    if opportunities is None:
        capacity_bytes = measured.queue(row, "capacity_bytes")
    elif forwarded_bytes:
        packet_bytes = forwarded_bytes / measured.queue(row, "forwarded")
        capacity_bytes = opportunities.capacity_bytes(packet_bytes, span_ns)
    else:
        return 0.0
    return min(ratio(forwarded_bytes, capacity_bytes), 1.0)


def idle(measured: Measured) -> float:
    """Share of the measured time in which the bottleneck was empty, dimensionless, in [0, 1]."""
    return ratio(measured.bottleneck("empty_ns"), measured.end_ns - measured.start_ns)


UTILISATION = Metric(
    name="utilisation",
    unit="1",
    higher_is_better=True,
    what="share of the bottleneck's capacity used, by test flows and cross traffic together",
    source="definition",
    function=utilisation,
)
IDLE = Metric(
    name="idle",
    unit="1",
    higher_is_better=False,
    what="share of the measured time in which the bottleneck had nothing to send",
    source="definition",
    function=idle,
)

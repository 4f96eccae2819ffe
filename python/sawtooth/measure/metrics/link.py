"""The bottleneck link: how much of it was used, and how long it stood idle.

`utilisation` is the share of the measured time in which the transmitter was sending, whoever's packets (test flows and cross traffic
alike), in [0, 1]. A link driven by a packet-opportunity trace has no transmitter: there it is the forwarded bytes over the bytes
that the trace offered inside the window. `idle` is the share of the measured time with nothing waiting and nothing in transmission.
Where test flows cross several bottlenecks both are means over these.

Source: the standard definitions; for traces [Winstein13] §5.
"""

from __future__ import annotations

from sawtooth.measure.metrics.frame import Measured, Metric, ratio


def utilisation(measured: Measured) -> float:
    """Share of the bottleneck's capacity that was used, dimensionless, in [0, 1]."""
    if measured.trace_driven:
        return ratio(measured.bottleneck("forwarded_bytes"), measured.bottleneck("capacity_bytes"))
    return ratio(measured.bottleneck("busy_ns"), measured.end_ns - measured.start_ns)


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

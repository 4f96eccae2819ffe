"""What the test flows' senders went through: timeouts, retransmissions, window.

`timeouts`, `retransmits`, `spurious_retransmits` and `undos` are sums over the test flows; `retransmission_rate` is what was sent again
over what was sent, of all of them together. A retransmission is spurious if the receiver had the packet already when it arrived (the
simulator knows; a sender may only learn it by DSACK), and an undo withdraws a cut of the window after which nothing was found lost.
`mean_window` is the mean over test flows of the time mean of the window.

Source: RFC 6298 §5 (timeouts); RFC 5681 §2 (window); RFC 3708 §2 (spurious retransmissions), RFC 4015 (undo).
"""

from __future__ import annotations

from sawtooth.measure.metrics.frame import NAN, Measured, Metric, mean, ratio, total


def timeouts(measured: Measured) -> float:
    """Retransmission timeouts of all test flows, count."""
    return total(measured.test("timeouts"))


def retransmits(measured: Measured) -> float:
    """Packets sent again by all test flows, count."""
    return total(measured.test("retransmits"))


def retransmission_rate(measured: Measured) -> float:
    """Packets sent again over packets sent, %, of all test flows together; NaN where none was sent."""
    return 100.0 * ratio(retransmits(measured), total(measured.test("sent")))


def spurious_retransmits(measured: Measured) -> float:
    """Packets that arrived at a receiver that had them, of all test flows, count; NaN where an endpoint of a plug-in is among them."""
    if measured.has_endpoints:
        return NAN
    return total(measured.test("delivered_total") - measured.test("delivered_unique"))


def undos(measured: Measured) -> float:
    """Cuts withdrawn by all test flows, count; NaN for a run that an earlier version stored."""
    return total(measured.test("undos")) if measured.has("undos") else NAN


def mean_window(measured: Measured) -> float:
    """Mean over test flows of the time-mean window, packets."""
    windows = measured.test("window_mean")
    return mean(windows) if windows.size else NAN


TIMEOUTS = Metric(
    name="timeouts",
    unit="count",
    higher_is_better=False,
    what="retransmission timeouts, summed over test flows",
    source="RFC 6298 §5",
    function=timeouts,
)
RETRANSMITS = Metric(
    name="retransmits",
    unit="packets",
    higher_is_better=False,
    what="packets sent again, summed over test flows",
    source="RFC 5681 §3.2",
    function=retransmits,
)
MEAN_WINDOW = Metric(
    name="mean_window",
    unit="packets",
    higher_is_better=None,
    what="mean over test flows of the time-mean congestion window",
    source="RFC 5681 §2",
    function=mean_window,
)
RETRANSMISSION_RATE = Metric(
    name="retransmission_rate",
    unit="%",
    higher_is_better=False,
    what="packets sent again, in percent of all packets that test flows sent",
    source="RFC 5166 §2.1.3",
    function=retransmission_rate,
)
SPURIOUS_RETRANSMITS = Metric(
    name="spurious_retransmits",
    unit="packets",
    higher_is_better=False,
    what="packets of test flows that arrived although the receiver had them",
    source="RFC 3708 §2",
    function=spurious_retransmits,
)
UNDOS = Metric(
    name="undos",
    unit="count",
    higher_is_better=None,
    what="cuts of the window that test flows withdrew because nothing had been lost",
    source="RFC 4015",
    function=undos,
)

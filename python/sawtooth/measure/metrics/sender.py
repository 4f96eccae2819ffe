"""What the test flows' senders went through: timeouts, retransmissions, window.

`timeouts` and `retransmits` are sums over the test flows; `mean_window` is the mean over test flows of the time mean of the window.

Source: RFC 6298 §5 (timeouts); RFC 5681 §2 (window).
"""

from __future__ import annotations

from sawtooth.measure.metrics.frame import NAN, Measured, Metric


def timeouts(measured: Measured) -> float:
    """Retransmission timeouts of all test flows, count."""
    return float(measured.test("timeouts").sum())


def retransmits(measured: Measured) -> float:
    """Packets sent again by all test flows, count."""
    return float(measured.test("retransmits").sum())


def mean_window(measured: Measured) -> float:
    """Mean over test flows of the time-mean window, packets."""
    windows = measured.test("window_mean")
    return float(windows.mean()) if windows.size else NAN


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

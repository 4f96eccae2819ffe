"""Goodput as a fraction of what was there to be had.

Mean over test flows of g_i / A, where g_i counts the wire bytes of unique packets that reached the receiver inside the measured
window (retransmissions count once) and A is the time mean over the same window of the nominal bandwidth available to one flow.

Source: [Akella02] §3. Deviation: not clipped. Cross traffic that loses packets leaves more than its nominal
remainder, so a run may exceed 1; scoring clips at 1 unless a study says otherwise.
"""

from __future__ import annotations

from sawtooth.measure.metrics.frame import NAN, Measured, Metric, mean, ratio


def goodput(measured: Measured) -> float:
    """Mean goodput of the test flows over the mean available bandwidth of one, dimensionless, >= 0."""
    goodputs = measured.test_goodputs_bps
    return ratio(mean(goodputs), measured.available_bps) if goodputs.size else NAN


GOODPUT = Metric(
    name="goodput",
    unit="fraction of available bandwidth",
    higher_is_better=True,
    what="mean over test flows of unique delivered wire bytes over the time-mean available bandwidth, not clipped",
    source="Akella02 §3",
    function=goodput,
)

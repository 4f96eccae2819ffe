"""How steady a flow's rate is, and how it depends on the round-trip time.

`rate_variation` is the coefficient of variation (standard deviation over mean) of the packets that a test flow delivered per recorded
bin, averaged over test flows: the bin, `record.rates`, is the time scale at which it looks. `rtt_bias` is the slope of ln(goodput) against
ln(round-trip time, mean queueing delay included) over the test flows, by least squares: 0 where shares do not depend on it, −1 where they
are inverse to it. The delay is that of all test packets: behind a router that gives flows queues of their own no flow has it.

Source: [Floyd00] §5 and [Akella02] §4.3 (variation); [Akella02] footnote 7 (shares by round-trip time).
"""

from __future__ import annotations

import numpy as np

from sawtooth.measure.metrics.frame import (
    NAN,
    Measured,
    Metric,
    log_goodputs,
    mean,
    ratio,
    round_trips,
    total,
)


def rate_variation(measured: Measured) -> float:
    """Mean over test flows of the coefficient of variation of their rate over bins; NaN unless the scenario recorded rates."""
    found = measured.delivered_per_bin
    if found is None:
        return NAN
    bins = found[0].shape[0]
    means = np.add.reduce(found[0], axis=0) / bins
    deviations = found[0] - means
    spreads = np.sqrt(np.add.reduce(deviations * deviations, axis=0) / bins)
    moving = means > 0.0
    return mean(spreads[moving] / means[moving]) if moving.any() else NAN


def rtt_bias(measured: Measured) -> float:
    """Exponent of the goodput over the round-trip time of the test flows; NaN where all times are equal or a flow got nothing."""
    goodputs, times_ns = measured.test_goodputs_bps, measured.once(round_trips)
    if goodputs.size < 2 or times_ns.max() == times_ns.min() or not (goodputs > 0.0).all():
        return NAN
    x, y = np.log(times_ns), measured.once(log_goodputs)
    x = x - mean(x)
    return ratio(total(x * y), total(x * x))


RATE_VARIATION = Metric(
    name="rate_variation",
    unit="1",
    higher_is_better=False,
    what="coefficient of variation over recorded bins of a test flow's rate, mean over test flows (needs recorded rates)",
    source="Floyd00 §5, Akella02 §4.3",
    function=rate_variation,
)
RTT_BIAS = Metric(
    name="rtt_bias",
    unit="1",
    higher_is_better=None,
    what="slope of the logarithm of goodput against that of the mean round-trip time, over test flows",
    source="Akella02 §4.2.1",
    function=rtt_bias,
)

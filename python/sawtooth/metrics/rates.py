"""How steady a flow's rate is, and how it depends on the round-trip time.

`rate_variation` is the coefficient of variation (standard deviation over mean) of the packets that a test flow delivered per recorded
bin, averaged over test flows: the bin, `record.rates`, is the time scale at which it looks. `rtt_bias` is the slope of ln(goodput) against
ln(round-trip time, mean queueing delay included) over the test flows, by least squares: 0 where shares do not depend on it, −1 where they
are inverse to it.

Source: [Floyd00] §5 and [Akella02] §4.3 (variation); [Akella02] footnote 7 (shares by round-trip time).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sawtooth.metrics.frame import NAN, Measured, Metric, ratio, round_trips, test_goodputs_bps


def delivered_per_bin(measured: Measured) -> tuple[NDArray[np.float64], int] | None:
    """Packets delivered in the whole bins of the window, shape (bins, test flows), and the bin, ns; None without two bins."""
    rates = measured.records.get("rates")
    flows = measured.test("id")
    if rates is None or rates.num_rows == 0 or flows.size == 0:
        return None
    time_ns, flow = rates.column("time_ns").to_numpy(), rates.column("flow").to_numpy()
    delivered = rates.column("delivered_packets").to_numpy().astype(np.float64)
    ends = np.unique(time_ns)
    if ends.size < 2:
        return None
    bin_ns = int(np.diff(ends).min())
    ends = ends[(ends - bin_ns >= measured.start_ns) & (ends <= measured.end_ns)]
    chosen = np.isin(time_ns, ends) & np.isin(flow, flows)
    table = np.zeros((ends.size, flows.size))
    order = np.argsort(flows)
    column = order[np.searchsorted(flows[order], flow[chosen])]
    table[np.searchsorted(ends, time_ns[chosen]), column] = delivered[chosen]
    return table, bin_ns


def rate_variation(measured: Measured) -> float:
    """Mean over test flows of the coefficient of variation of their rate over bins; NaN unless the scenario recorded rates."""
    found = delivered_per_bin(measured)
    if found is None:
        return NAN
    means = found[0].mean(axis=0)
    moving = means > 0.0
    return float((found[0].std(axis=0)[moving] / means[moving]).mean()) if moving.any() else NAN


def rtt_bias(measured: Measured) -> float:
    """Exponent of the goodput over the round-trip time of the test flows; NaN where all times are equal or a flow got nothing."""
    goodputs, times_ns = test_goodputs_bps(measured), round_trips(measured)
    if goodputs.size < 2 or not (goodputs > 0.0).all() or np.ptp(times_ns) == 0.0:
        return NAN
    x, y = np.log(times_ns), np.log(goodputs)
    x = x - x.mean()
    return ratio(float((x * y).sum()), float((x * x).sum()))


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

"""Signs of congestion and whom they hit: signals, runs of drops, coincidence of loss epochs, losses against shares.

`signals` counts the congestion signals that test flows answered: loss events, ECN reductions, timeouts. `drop_run` is the mean length
of a run of consecutive drops of test packets at the bottleneck. `loss_epoch_correlation` asks whether flows are hit together: time is cut
into bins of two mean round-trip times (an overflow lasts for one), x_i is 1 in a bin in which the bottleneck dropped or marked a packet of
flow i and 0 elsewhere, and the metric is the mean covariance of all pairs of flows over their mean variance, both over bins,

    ρ = (Var(Σ_i x_i) − Σ_i Var(x_i)) / ((n − 1) · Σ_i Var(x_i))

which is 1 when all are hit together and 0 when they are hit independently. `loss_bias` is the loss ratio (drops / packets sent) of the half
of the flows that sent more, over that of the other half: 1 where losses follow the shares, above 1 where large flows lose more than that.

Source: [Akella02] §1 and §4.2.1 ask these questions; the correlation is pooled over pairs, as an intraclass correlation is.
"""

from __future__ import annotations

import numpy as np

from sawtooth.measure.metrics.frame import NAN, Measured, Metric, ratio, round_trips, total

BIN_ROUND_TRIPS = 2.0


def signals(measured: Measured) -> float:
    """Loss events, ECN reductions and timeouts of all test flows, count."""
    return sum(total(measured.test(name)) for name in ("loss_events", "ecn_reductions", "timeouts"))


def drop_run(measured: Measured) -> float:
    """Mean length of a run of consecutive drops of test packets at the bottleneck, packets, >= 1."""
    return ratio(measured.total("test_drops"), measured.total("test_drop_runs"))


def loss_epoch_correlation(measured: Measured) -> float:
    """Mean correlation of the test flows' loss epochs, in [−1, 1]; NaN unless congestion is recorded, without losses or a whole bin."""
    points = measured.records.get("congestion")
    if points is None:
        return NAN
    flows, round_trips_ns = measured.test("id"), measured.once(round_trips)
    if flows.size < 2 or not np.isfinite(round_trips_ns).all():
        return NAN
    time_ns, flow = points.values("time_ns"), points.values("flow")
    bin_ns = BIN_ROUND_TRIPS * float(round_trips_ns.mean())
    bins = int((measured.end_ns - measured.start_ns) // bin_ns)
    if not bins:
        return NAN
    place = (time_ns - measured.start_ns) // bin_ns
    chosen = np.isin(flow, flows) & (place >= 0) & (place < bins)
    hit = np.zeros((bins, flows.size))
    order = np.argsort(flows)
    hit[place[chosen].astype(np.int64), order[np.searchsorted(flows[order], flow[chosen])]] = 1.0
    alone = hit.var(axis=0).sum()
    return ratio(hit.sum(axis=1).var() - alone, (flows.size - 1) * alone)


def loss_bias(measured: Measured) -> float:
    """Loss ratio of the larger half of the test flows over that of the smaller half; NaN where one of them sent or lost nothing."""
    sent, drops = measured.test("sent"), measured.test("drops")
    order = sent.argsort(kind="stable")
    half = sent.size // 2
    small, large = order[:half], order[sent.size - half :]
    return ratio(
        ratio(total(drops[large]), total(sent[large])),
        ratio(total(drops[small]), total(sent[small])),
    )


SIGNALS = Metric(
    name="signals",
    unit="count",
    higher_is_better=None,
    what="congestion signals that test flows answered: loss events, ECN reductions, timeouts",
    source="RFC 5681 §3.2, RFC 3168 §6.1.2, RFC 6298 §5",
    function=signals,
)
DROP_RUN = Metric(
    name="drop_run",
    unit="packets",
    higher_is_better=False,
    what="mean length of a run of consecutive drops of test packets at the bottleneck",
    source="Akella02 §4.2.1",
    function=drop_run,
)
LOSS_EPOCH_CORRELATION = Metric(
    name="loss_epoch_correlation",
    unit="1",
    higher_is_better=None,
    what="mean correlation between test flows of losing, or being marked, in the same two round trips (needs recorded congestion)",
    source="Akella02 §4.2.1",
    function=loss_epoch_correlation,
)
LOSS_BIAS = Metric(
    name="loss_bias",
    unit="1",
    higher_is_better=None,
    what="loss ratio of the half of the test flows that sent more, over that of the other half",
    source="Akella02 §4.2.1",
    function=loss_bias,
)

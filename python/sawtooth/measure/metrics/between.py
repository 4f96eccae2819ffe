"""Between flows of several kinds: shares, starvation, convergence, and what the round-trip time is worth.

A *kind* is a controller with its recovery. The *share* of a kind is the mean goodput of its test flows over the mean of all test flows
(measured over fair): 1 is fair; `share_least` and `share_most` are those of the kinds that have least and most.

`starvation` is the share of bins of 1 s, of every test flow while it is on, in which the flow got less than a tenth of the fair share:
what the test flows that are on got in the bin over their number. `convergence` is the time from the last start of a test flow until
Jain's index of what the test flows got in 5 s is at least 1/(1 + 0.1²), which for two flows is 0.1-fair: shares (1 ± 0.1)/2. It moves
by bins of 1 s, so its least value is 5 s. Both need recorded rates in bins that divide 1 s. Rates are recorded from the end of the warm-up
on, so `convergence` is undefined where the last start is in the warm-up: what was shared then is not known.

`rtt_exponent` is e where goodput falls as RTT^−e over the test flows (least squares of logarithms), RTT without queues: 0 where it has no
influence. `rtt_bias` is the same with queues, and its sign is the other one.

Harm between two runs, `harm_of`, is [WareMukerjee19] §3: (alone − with)/alone where more is better, (with − alone)/with where less is.

Source: [WareMukerjee19]; [Bansal01] and RFC 5166 §2.3 (δ-fair convergence, there over one bin for two flows; the 5 s are ours, so that a
sawtooth within fair shares counts as fair); the rest are definitions.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final

import numpy as np

from sawtooth.measure.metrics.frame import NAN, Measured, Metric, log_goodputs, mean, ratio, total, whole_bins

if TYPE_CHECKING:
    from numpy.typing import NDArray

BIN_NS: Final = 1_000_000_000
STARVED: Final = 0.1
SPAN_BINS: Final = 5
DELTA: Final = 0.1


def harm_of(alone: float, beside: float, *, higher_is_better: bool) -> float:
    """Harm of company to a quantity, from its values alone and beside others; NaN where what it is relative to is 0."""
    return ratio(alone - beside, alone) if higher_is_better else ratio(beside - alone, beside)


def shares(measured: Measured) -> dict[str, float]:
    """Of every kind of test flow, in the order of ids, its mean goodput over that of all: measured over fair."""
    if not measured.has("controller"):
        return {}
    names = zip(*(measured.flows.listed(name) for name in ("controller", "recovery")), strict=True)
    chosen = list(names if measured.all_test else itertools.compress(names, measured.is_test.tolist()))
    kinds = {name: f"{name[0]} {name[1] or ''}".strip() for name in dict.fromkeys(chosen)}
    fair = mean(measured.test_goodputs_bps) if chosen else 0.0
    if len(kinds) == 1:
        return {kind: ratio(fair, fair) for kind in kinds.values()}
    tests = np.array([kinds[name] for name in chosen])
    return {
        kind: ratio(float(measured.test_goodputs_bps[tests == kind].mean()), fair)
        for kind in dict.fromkeys(tests.tolist())
    }


def share_least(measured: Measured) -> float:
    """The least share of a kind, dimensionless; NaN where there is one kind."""
    found = measured.once(shares)
    return min(found.values()) if len(found) > 1 else NAN


def share_most(measured: Measured) -> float:
    """The greatest share of a kind, dimensionless; NaN where there is one kind."""
    found = measured.once(shares)
    return max(found.values()) if len(found) > 1 else NAN


def seconds_of(measured: Measured, begin_ns: int) -> tuple[NDArray[np.float64], NDArray[np.int64]] | None:
    """Packets of every test flow in whole bins of 1 s from a time on, shape (bins, test flows), and where the bins end."""
    if measured.delivered is None:
        return None
    packets, ends, fine = measured.delivered
    if BIN_NS % fine:
        return None
    inside = whole_bins(ends, fine, begin_ns, measured.end_ns)
    packets, ends = packets[inside], ends[inside]
    if fine == BIN_NS:
        return packets, ends
    per = BIN_NS // fine
    whole = ends.size // per * per
    return packets[:whole].reshape(-1, per, packets.shape[1]).sum(axis=1), ends[:whole][per - 1 :: per]


def starvation(measured: Measured) -> float:
    """Share of the seconds of test flows in which they starve, in [0, 1]; NaN without rates in bins that divide 1 s."""
    found = seconds_of(measured, measured.start_ns)
    if found is None or not found[0].size:
        return NAN
    delivered, ends = found
    begins, stops = measured.test_spans_ns
    if begins.max() <= ends[0] - BIN_NS and stops.min() >= ends[-1]:  # all are on all the time
        least = STARVED * (delivered.sum(axis=1) / delivered.shape[1])
        return int(np.count_nonzero(delivered < least[:, None])) / delivered.size
    on = (begins[None, :] <= ends[:, None] - BIN_NS) & (stops[None, :] >= ends[:, None])
    present = on.sum(axis=1)
    fair = np.divide((delivered * on).sum(axis=1), present, out=np.zeros(present.size), where=present > 0)
    return ratio(float((on & (delivered < STARVED * fair[:, None])).sum()), float(on.sum()))


def convergence(measured: Measured) -> float:
    """From the last start of a test flow to δ-fair shares, s; NaN where they never come, for one flow, and without such rates from then
    on."""
    begin = int(measured.test_spans_ns[0].max()) if measured.is_test.any() else 0
    found = None if _unseen(measured, begin) else seconds_of(measured, begin)
    if found is None or found[0].shape[0] < SPAN_BINS or found[0].shape[1] < 2:
        return NAN
    delivered, ends = found
    sums = np.zeros((delivered.shape[0] + 1, delivered.shape[1]))
    np.cumsum(delivered, axis=0, out=sums[1:])
    spans = sums[SPAN_BINS:] - sums[:-SPAN_BINS]
    squares = spans.shape[1] * (spans**2).sum(axis=1)
    jain = np.divide(spans.sum(axis=1) ** 2, squares, out=np.zeros(squares.size), where=squares > 0)
    (fair,) = np.nonzero(jain >= 1.0 / (1.0 + DELTA**2))
    return float(ends[fair[0] + SPAN_BINS - 1] - begin) / 1e9 if fair.size else NAN


def _unseen(measured: Measured, begin_ns: int) -> bool:
    """Whether rates are not recorded from that time on."""
    return measured.delivered is None or begin_ns < measured.delivered[1][0] - measured.delivered[2]


def rtt_exponent(measured: Measured) -> float:
    """e in goodput ∝ RTT^−e over the test flows, dimensionless; NaN where all times are equal or a flow got nothing."""
    goodputs, times_ns = measured.test_goodputs_bps, measured.test_propagation_ns
    if (
        times_ns is None
        or goodputs.size < 2
        or times_ns.max() == times_ns.min()
        or not (goodputs > 0.0).all()
    ):
        return NAN
    x, y = np.log(times_ns), measured.once(log_goodputs)
    x = x - mean(x)
    return -ratio(total(x * y), total(x * x))


SHARE_LEAST = Metric(
    name="share_least",
    unit="1",
    higher_is_better=True,
    what="least share of a kind of test flows: its mean goodput over that of all",
    source="definition",
    function=share_least,
)
SHARE_MOST = Metric(
    name="share_most",
    unit="1",
    higher_is_better=False,
    what="greatest share of a kind of test flows",
    source="definition",
    function=share_most,
)
STARVATION = Metric(
    name="starvation",
    unit="1",
    higher_is_better=False,
    what="share of the seconds of test flows in which they got less than a tenth of the fair share (needs recorded rates)",
    source="definition",
    function=starvation,
)
CONVERGENCE = Metric(
    name="convergence",
    unit="s",
    higher_is_better=False,
    what="from the last start of a test flow, after the warm-up, until 5 s are shared 0.1-fairly (needs recorded rates)",
    source="Bansal01; RFC 5166 §2.3",
    function=convergence,
    window="[last start, duration), where that is after the warm-up",
)
RTT_EXPONENT = Metric(
    name="rtt_exponent",
    unit="1",
    higher_is_better=None,
    what="e where the goodput of test flows falls as the round-trip time without queues to the power of −e",
    source="RFC 5166 §2.3",
    function=rtt_exponent,
)

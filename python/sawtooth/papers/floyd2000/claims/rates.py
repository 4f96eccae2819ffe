"""Claims of [Floyd00] sections 2, 5 and 9 about how rates vary, and about how TFRC starts, rises, falls and yields.

Source: studies/smoothness.toml (16 flows of each kind), floyd2000_tfrc.toml (TFRC alone; nothing there is random, so one run
decides) and floyd2000_transients.toml. *Rough* is the mean step of a flow's rate from one bin to the next over its mean. Figures 8 to 11
are one scenario, and whether RED marks there is an open parameter of the study, so all that is said of them is judged on one queue.
Tolerances: ``about_4pct``, ``about_33ms``, ``somewhat``, ``considerably``, ``rarely``, ``hardly_ever``, ``similar``,
``about_doubling``, ``about_five``, ``climb``, ``promptly``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from sawtooth.claims.logic import Finding, Verdict, both, corrected, fact, inequality
from sawtooth.claims.view import View
from sawtooth.experiment.curves import labels, select, values
from sawtooth.experiment.matrix import ProbeRun
from sawtooth.models.tfrc_average import STRONGEST_DISCOUNT, increase_limit
from sawtooth.papers.floyd2000.claims.shares import between

if TYPE_CHECKING:
    from numpy.typing import NDArray

Numbers: TypeAlias = "NDArray[np.float64]"

SMOOTHNESS, TRANSIENTS = "floyd2000/smoothness", "floyd2000/transients"
WITH_TFRC, WITH_FIFTHS, WITH_FIFTH = "TFRC v TCP", "TCP(2/5,1/8) v TCP", "TCP(1/5,1/8) v TCP"
EIGHTHS: Final = (WITH_FIFTHS, WITH_FIFTH)
BINS: Final = ("200 ms", "1 s", "10 s")
FIRST, SECOND = 0, 1
"""Groups of a pair: the kind that is named first, and TCP."""


LEVELS: Final = (*(round(0.1 * k, 1) for k in range(1, 21)), 0.75)
"""Throughput ratios at which the studies keep the distribution."""


def steady(view: View, pair: str) -> list[ProbeRun]:
    """The runs of a pair behind Figures 8 to 11."""
    return select(view.probe("steady"), {"pair": pair})


def rough(runs: Sequence[ProbeRun], width: str, group: int = FIRST) -> Numbers:
    """Roughness of a group in bins of a width, one value per seed."""
    return values(runs, f"roughness at {width} of {group}")


def falls(runs: Sequence[ProbeRun], level: float, width: str, group: int = FIRST) -> Numbers:
    """Share of throughput ratios below a level, one value per seed."""
    return values(runs, f"below {level:g} at {width} of {group}")


def drop_rate(view: View) -> Finding:
    """About 4 % of packets are dropped among 16 flows of each kind, TFRC or TCP(2/5, 1/8) against TCP."""
    width = view.tolerance("about_4pct")
    operands = [
        between(f"{pair}: drop rate, %", values(steady(view, pair), "loss"), 4 - width, 4 + width)
        for pair in (WITH_FIFTHS, WITH_TFRC)
    ]
    return both("about 4 % drops", operands)


def queueing_delay(view: View) -> Finding:
    """The mean queueing delay there is about 33 ms."""
    width = view.tolerance("about_33ms")
    operands = [
        between(f"{pair}: mean delay, ms", values(steady(view, pair), "delay"), 33 - width, 33 + width)
        for pair in (WITH_FIFTHS, WITH_TFRC)
    ]
    return both("a mean queueing delay of 33 ms", operands)


def less_bursty(view: View) -> Finding:
    """TCP(2/5, 1/8) is less rough than the TCP beside it over 0.2 s, but not considerably so."""
    runs = steady(view, WITH_FIFTHS)
    ratio = rough(runs, BINS[0]) / rough(runs, BINS[0], SECOND)
    return between(
        "roughness over that of TCP, 0.2 s",
        ratio,
        view.tolerance("considerably"),
        view.tolerance("somewhat"),
    )


def tfrc_smoother(view: View) -> Finding:
    """TFRC is considerably less rough over 0.2 s than the TCP beside it, and than TCP(2/5, 1/8) in its own runs."""
    bound, tfrc = view.tolerance("considerably"), steady(view, WITH_TFRC)
    own = rough(tfrc, BINS[0])
    operands = [
        inequality("roughness of TFRC over that of TCP", own / rough(tfrc, BINS[0], SECOND), "<", bound),
        inequality(
            "roughness of TFRC over that of TCP(2/5,1/8)",
            own / rough(steady(view, WITH_FIFTHS), BINS[0]),
            "<",
            bound,
        ),
    ]
    return both("TFRC is considerably smoother", operands)


def rarely_below_70(view: View) -> Finding:
    """TFRC keeps 70 % of its rate from one 0.2 s bin to the next in nearly all cases."""
    found = falls(steady(view, WITH_TFRC), 0.7, BINS[0])
    return inequality("share of ratios of TFRC below 0.7, 0.2 s", found, "<=", view.tolerance("rarely"))


def alike_over_10s(view: View) -> Finding:
    """Over 10 s TFRC is less rough than TCP, but not ``considerably`` so, and both rarely halve."""
    runs = steady(view, WITH_TFRC)
    operands = [
        between(
            "roughness of TFRC over that of TCP, 10 s",
            rough(runs, BINS[2]) / rough(runs, BINS[2], SECOND),
            view.tolerance("considerably"),
            1.0,
        ),
        *(
            inequality(
                f"share of ratios of {name} below 0.5, 10 s",
                falls(runs, 0.5, BINS[2], group),
                "<=",
                view.tolerance("rarely"),
            )
            for name, group in (("TFRC", FIRST), ("TCP", SECOND))
        ),
    ]
    return both("nearly alike over 10 s", operands)


def tcp_halves_over_1s(view: View) -> Finding:
    """Over 1 s TCP falls below half in more than a tenth of the intervals, TFRC hardly ever."""
    runs = steady(view, WITH_TFRC)
    operands = [
        inequality("share of ratios of TCP below 0.5, 1 s", falls(runs, 0.5, BINS[1], SECOND), ">", 0.1),
        inequality(
            "share of ratios of TFRC below 0.5, 1 s",
            falls(runs, 0.5, BINS[1]),
            "<=",
            view.tolerance("hardly_ever"),
        ),
    ]
    return both("TCP halves in a tenth of the seconds, TFRC hardly ever", operands)


def _order(chosen: Sequence[ProbeRun], where: str) -> Finding:
    """At 0.2 s and 1 s both laws with b = 1/8 are rougher than TFRC and smoother than the TCP beside them."""
    operands = []
    for width in BINS[:2]:
        tfrc = rough(select(chosen, {"pair": WITH_TFRC}), width)
        for pair in EIGHTHS:
            runs = select(chosen, {"pair": pair})
            own, tcp = rough(runs, width), rough(runs, width, SECOND)
            operands += [
                inequality(f"{pair}: roughness less that of TFRC, {width}", own - tfrc, ">"),
                inequality(f"{pair}: roughness less that of TCP, {width}", own - tcp, "<"),
            ]
    return both(f"TFRC, then b = 1/8, then TCP, {where}", operands)


def order(view: View) -> Finding:
    """TCP is roughest, TFRC smoothest, the two laws with b = 1/8 between, at 0.2 s and at 1 s."""
    return _order(view.probe("steady"), "as in Figures 10 and 11")


def robust(view: View) -> Finding:
    """The order is the same under RED that drops, RED that marks and drop-tail, and on 60 Mbit/s."""
    runs = view.probe("queues")
    operands = [_order(select(runs, {"queue": queue}), f"under {queue}") for queue in labels(runs, "queue")]
    operands.append(_order(view.probe("rates"), "on 60 Mbit/s"))
    return both("other queues and rates give similar results", operands)


def distribution_apart(view: View, width: str) -> Numbers:
    """Kolmogorov's distance between the distributions of throughput ratios of the two laws with b = 1/8, one value per seed: their
    difference at the level where those of all seeds together lie furthest apart. The largest of each seed would count its noise."""
    difference = np.array(
        [
            falls(steady(view, WITH_FIFTHS), level, width) - falls(steady(view, WITH_FIFTH), level, width)
            for level in LEVELS
        ]
    )
    mean = difference.mean(axis=1)
    furthest = int(np.abs(mean).argmax())
    return np.asarray(difference[furthest] * (1.0 if mean[furthest] >= 0.0 else -1.0), dtype=np.float64)


def eighths_alike(view: View) -> Finding:
    """Kolmogorov's distance between the throughput ratios of the two laws with b = 1/8 is at most ``similar`` at each width, and smaller
    at 1 s and 10 s than at 0.2 s."""
    apart = {bins: distribution_apart(view, bins) for bins in BINS}
    text = "distance of TCP(2/5,1/8) and TCP(1/5,1/8)"
    alike = [
        inequality(f"{text}, {bins}", found, "<=", view.tolerance("similar")) for bins, found in apart.items()
    ]
    most = [
        inequality(f"{text}, {bins} less {BINS[0]}", apart[bins] - apart[BINS[0]], "<") for bins in BINS[1:]
    ]
    return both("the two laws with b = 1/8 are alike, most of all over longer times", [*alike, *most])


def below_75(view: View) -> Finding:
    """Over 1 s TFRC falls below 75 % considerably less often than either law with b = 1/8."""
    tfrc, bound = falls(steady(view, WITH_TFRC), 0.75, BINS[1]), view.tolerance("considerably")
    operands = [
        inequality(
            f"falls of TFRC over those of {pair.split(' ')[0]}",
            tfrc / falls(steady(view, pair), 0.75, BINS[1]),
            "<",
            bound,
        )
        for pair in EIGHTHS
    ]
    return both("the laws with b = 1/8 fall below 75 % more often", operands)


def _alone(view: View, probe: str, control: str, value: str) -> float:
    return float(values(select(view.probe(probe), {"control": control}), value)[0])


def slow_start(view: View) -> Finding:
    """The rate grows by a factor of about 2 in a round trip until the first loss; else it does in two."""
    factor, width = (
        _alone(view, "start", "discounting and damping", "growth"),
        view.tolerance("about_doubling"),
    )
    found = fact(
        "growth per round trip is about 2",
        abs(factor - 2) <= width,
        judged=f"|growth - 2| <= {width:g}",
        growth=factor,
    )
    if found.verdict is Verdict.HOLDS:
        return found
    instead = fact(
        "growth in two round trips is about 2",
        abs(factor**2 - 2) <= width,
        judged=f"|growth in two - 2| <= {width:g}",
        growth=factor**2,
    )
    return corrected(found, instead)


def rise(view: View) -> Finding:
    """The largest rise in a round trip is 0.14 packets without discounting and 0.28 with it."""
    slack = view.tolerance("climb")
    plain = _alone(view, "rise", "without discounting", "climb")
    discounted = _alone(view, "rise", "discounting", "climb")
    operands = [
        fact(
            "without discounting at most 0.14",
            plain <= 0.14 + slack,
            judged=f"rise <= 0.14 + {slack:g}",
            rise=plain,
        ),
        fact(
            "with discounting at most 0.28",
            discounted <= 0.28 + slack,
            judged=f"rise <= 0.28 + {slack:g}",
            rise=discounted,
        ),
    ]
    found = both("TFRC adds at most 0.14 packets per round trip, 0.28 with discounting", operands)
    if found.verdict is Verdict.HOLDS:
        return found
    # With x the open interval over the average of the others and the discount 2/x, the average is (x² + 10)/(x + 10) of the others'.
    x = 2 / STRONGEST_DISCOUNT
    steepest = float(increase_limit(1.0)) * (x**2 + 20 * x - 10) / (x + 10) ** 2
    instead = fact(
        "0.14 without discounting; with it what the average gives where the discount reaches its least",
        plain <= 0.14 + slack and discounted <= steepest + slack,
        judged=f"rises <= 0.14 + {slack:g} and <= {steepest:.4g} + {slack:g}",
        rise=discounted,
        steepest=steepest,
    )
    return corrected(found, instead)


def halving(view: View) -> Finding:
    """A loss event in each round trip halves the rate in about five."""
    rounds, width = (
        _alone(view, "fall", "discounting and damping", "halving 40..200 s"),
        view.tolerance("about_five"),
    )
    return fact(
        "round trips until the rate is halved",
        abs(rounds - 5) <= width,
        judged=f"|round trips - 5| <= {width:g}",
        round_trips=rounds,
    )


def as_promptly(view: View) -> Finding:
    """When half of the link is taken, TFRC is down to half about as soon as TCP(1/5, 1/8) and TCP(2/5, 1/8)."""
    runs, bound = view.part(TRANSIENTS).probe("square"), view.part(TRANSIENTS).tolerance("promptly")
    name = "time_to_halve at 200 ms 40..70 s"
    time = {kind: values(select(runs, {"kind": kind}), name) for kind in labels(runs, "kind")}
    operands = [
        between(f"time of TFRC over that of {kind}", time["TFRC"] / time[kind], 1 / bound, bound)
        for kind in ("TCP(1/5,1/8)", "TCP(2/5,1/8)")
    ]
    return both("TFRC yields about as promptly as TCP(a, 1/8)", operands)


def smoother_same_response(view: View) -> Finding:
    """TFRC is less rough than both laws with b = 1/8 at 0.2 s and 1 s, and yields about as fast."""
    home = view.part(SMOOTHNESS)
    operands = [
        inequality(
            f"roughness of TFRC less that of {pair.split(' ')[0]}, {width}",
            rough(steady(home, WITH_TFRC), width) - rough(steady(home, pair), width),
            "<",
        )
        for pair in EIGHTHS
        for width in BINS[:2]
    ]
    return both("smoother, and as fast", [*operands, as_promptly(view)])

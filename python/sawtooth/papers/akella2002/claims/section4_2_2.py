"""Claims of section 4.2.2: what marking changes, ECN against RED and drop-tail.

Source: [Akella02] section 4.2.2 with Figures 8 and 9. Statements that compare settings are judged on raw values, and on D as well where
they are worded in it. Tolerances: ``significantly_less``, ``delay_slightly``, ``spread_alike``, ``goodput_alike``, ``loss_alike``,
``alone_unfair``, ``unfair``, ``moderate``, ``comparable``, ``small_against``.
"""

from __future__ import annotations

import itertools

from sawtooth.claims.differences import (
    between,
    gap,
    in_scores_and_raw,
    mean_gap,
    minus,
    share_of,
    within,
    worst_gap,
)
from sawtooth.claims.logic import Finding, Relation, both, inequality
from sawtooth.claims.view import View
from sawtooth.papers.akella2002.claims.abstract import RECOVERIES
from sawtooth.papers.akella2002.claims.section4_1 import ADDITIVE, MULTIPLICATIVE, NOT_AIMD, mean_spread
from sawtooth.papers.akella2002.four import FOUR


def ecn_cuts_loss(view: View) -> Finding:
    """Mean loss of each is below ``significantly_less`` of that under RED and of that under drop-tail, with either recovery."""
    share = view.tolerance("significantly_less")
    return both(
        "marking lowers the loss of each significantly",
        [
            share_of(
                view, "loss", (f"{recovery}/ecn", name), (f"{recovery}/{other}", name), share, scores=False
            )
            for recovery in RECOVERIES
            for other in ("red", "droptail")
            for name in FOUR
        ],
    )


def ecn_delays(view: View) -> Finding:
    """Mean delay of each is higher with marks than under RED, by less than ``delay_slightly`` of the latter, with either recovery."""
    most = 1.0 + view.tolerance("delay_slightly")
    operands = []
    for recovery in RECOVERIES:
        for name in FOUR:
            marked, dropped = (f"{recovery}/ecn", name), (f"{recovery}/red", name)
            operands.append(mean_gap(view, "delay", marked, dropped, ">"))
            operands.append(share_of(view, "delay", marked, dropped, most, scores=False))
    return both("marking raises the delay of each, slightly", operands)


def ecn_less_fair(view: View) -> Finding:
    """D_fairness and the raw mean spread of each are larger with marks than under RED, by ``spread_alike`` at most."""
    slightly, count = view.tolerance("spread_alike"), len(view.environments)
    pairs = [(f"{recovery}/ecn", f"{recovery}/red", name) for recovery in RECOVERIES for name in FOUR]
    in_scores = [
        inequality(
            f"D_fairness({name}), {marked} - {dropped}",
            minus(view.D(marked, name, "fairness"), view.D(dropped, name, "fairness")),
            relation,
            bound,
        )
        for marked, dropped, name in pairs
        for relation, bound in between(0.0, slightly)
    ]

    def in_raw() -> list[Finding]:
        return [
            mean_gap(view, "fairness", (marked, name), (dropped, name), relation, bound)
            for marked, dropped, name in pairs
            for relation, bound in between(0.0, slightly / count)
        ]

    return in_scores_and_raw("marking makes each slightly less fair than RED", view, in_scores, in_raw)


def _alike(view: View, metric: str, bound: float) -> list[Finding]:
    """Any two of the four are at most ``bound`` apart in D of a metric."""
    return [
        operand
        for a, b in itertools.combinations(FOUR, 2)
        for operand in within(
            f"D_{metric}({a}) - D_{metric}({b}), {view.setting}",
            minus(view.D(view.setting, a, metric), view.D(view.setting, b, metric)),
            bound,
        )
    ]


def goodput_alike(view: View) -> Finding:
    """D_goodput of any two of the four are at most ``goodput_alike`` apart."""
    return both(
        "all four have nearly the same goodput", _alike(view, "goodput", view.tolerance("goodput_alike"))
    )


def loss_alike(view: View) -> Finding:
    """D_loss of any two of the four are at most ``loss_alike`` apart."""
    return both("all four have nearly the same loss", _alike(view, "loss", view.tolerance("loss_alike")))


def miad_alone_unfair(view: View) -> Finding:
    """D_fairness of MIAD is more than ``alone_unfair`` times that of each other; its mean spread is above ``unfair``, theirs are not."""
    factor, unfair = view.tolerance("alone_unfair"), view.tolerance("unfair")
    spreads = [
        inequality(
            f"mean spread of {name}",
            mean_spread(view, view.setting, name),
            ">" if name == "MIAD" else "<=",
            unfair,
        )
        for name in FOUR
    ]
    return both(
        "MIAD alone is unfair",
        spreads
        + [
            inequality(
                f"D_fairness(MIAD) - {factor:g} D_fairness({other})",
                minus(
                    view.D(view.setting, "MIAD", "fairness"), factor * view.D(view.setting, other, "fairness")
                ),
                ">",
            )
            for other in FOUR
            if other != "MIAD"
        ],
    )


def aiad_highest_delay(view: View) -> Finding:
    """D_delay of AIAD is the largest."""
    return both(
        "AIAD has the highest delay",
        [gap(view, view.setting, "AIAD", other, "delay", ">=") for other in FOUR if other != "AIAD"],
    )


def multiplicative_lead(view: View) -> Finding:
    """D_goodput of MIMD and MIAD lies below that of AIMD and AIAD, by at least ``goodput_alike`` and at most ``moderate``."""
    bounds: tuple[tuple[Relation, float], ...] = (
        (">=", view.tolerance("goodput_alike")),
        ("<=", view.tolerance("moderate")),
    )
    return both(
        "the multiplicative increases have a moderate lead in goodput",
        [
            gap(view, view.setting, behind, lead, "goodput", relation, bound)
            for lead in MULTIPLICATIVE
            for behind in ADDITIVE
            for relation, bound in bounds
        ],
    )


def lead_grows(view: View) -> Finding:
    """What MIMD and MIAD are ahead of AIMD in D_goodput grows by more than ``goodput_alike`` from Reno to SACK, under ECN."""
    operands = []
    considerable = view.tolerance("goodput_alike")
    for name in MULTIPLICATIVE:
        reno, sack = (
            minus(view.D(f"{recovery}/ecn", "AIMD", "goodput"), view.D(f"{recovery}/ecn", name, "goodput"))
            for recovery in RECOVERIES
        )
        text = f"D_goodput(AIMD) - D_goodput({name}), SACK - Reno"
        operands.append(inequality(text, minus(sack, reno), ">", considerable))
    return both("the lead of the multiplicative increases grows considerably from Reno to SACK", operands)


def aiad_over_aimd(view: View) -> Finding:
    """D_goodput(AIAD) < D_goodput(AIMD), and at most ``comparable``: near the leaders."""
    comparable = view.tolerance("comparable")
    return both(
        "AIAD is ahead of AIMD and comparable with the leaders",
        [
            gap(view, view.setting, "AIAD", "AIMD", "goodput", "<"),
            inequality("D_goodput(AIAD)", view.D(view.setting, "AIAD", "goodput"), "<=", comparable),
        ],
    )


def aimd_last(view: View) -> Finding:
    """D and C of goodput of AIMD are the largest."""
    return both(
        "AIMD comes last in goodput",
        [
            how(view, view.setting, "AIMD", other, "goodput", ">=")
            for how in (gap, worst_gap)
            for other in NOT_AIMD
        ],
    )


def shares_persist(view: View) -> Finding:
    """The autocorrelation time of the shares of MIAD is longer with marks than under RED, and its mean loss with marks at most
    ``small_against`` times as large, with either recovery."""
    share = view.tolerance("small_against")
    return both(
        "MIAD keeps a large share for longer with marks than under RED, and pays little for it",
        [
            operand
            for recovery in RECOVERIES
            for marked, dropped in [((f"{recovery}/ecn", "MIAD"), (f"{recovery}/red", "MIAD"))]
            for operand in (
                mean_gap(view, "share_autocorrelation_time", marked, dropped, ">"),
                share_of(view, "loss", marked, dropped, share, scores=False),
            )
        ],
    )

"""Claims about fair queueing: section 4.2.4 with Figures 10 and 11, and what sections 1 and 6 say of it.

Source: [Akella02] sections 1, 4.2.4 and 6 with footnote 10. Tolerances: ``fair_by_scheduler``, ``spread_alike``, ``clearly_ahead``,
``delay_alike``, ``loss_alike``, ``goodput_alike``.
"""

from __future__ import annotations

import itertools
from typing import Final

from sawtooth.claims.differences import below, minus, within
from sawtooth.claims.logic import Finding, both, inequality
from sawtooth.claims.view import View
from sawtooth.papers.akella2002.claims.abstract import RECOVERIES
from sawtooth.papers.akella2002.claims.section4_1 import ADDITIVE, MULTIPLICATIVE
from sawtooth.papers.akella2002.four import FOUR


def scheduler_fair(view: View) -> Finding:
    """The mean spread of each of the four under DRR is at most ``fair_by_scheduler``, and smaller than over drop-tail and than under RED,
    with either recovery."""
    bound = view.tolerance("fair_by_scheduler")
    operands = []
    for recovery in RECOVERIES:
        drr = f"{recovery}/drr"
        operands += [
            inequality(f"mean spread of {name}, {drr}", view.mean(drr, name, "fairness"), "<=", bound)
            for name in FOUR
        ]
        for other in ("droptail", "red"):
            operands += below(view, drr, f"{recovery}/{other}", FOUR, "fairness")
    return both("per-flow scheduling makes each of the four fair, and fairer than it is without", operands)


def spread_word(setting: str) -> str:
    """The tolerance of "about equally fair": behind other routers than drop-tail spreads are small, and a wide bound passes all."""
    return "equally_fair" if setting.endswith("/droptail") else "spread_alike"


def equally_fair(view: View) -> Finding:
    """D_fairness of any two of the four are at most ``spread_alike`` apart."""
    bound = view.tolerance(spread_word(view.setting))
    return both(
        "all four are about equally fair",
        [
            operand
            for a, b in itertools.combinations(FOUR, 2)
            for operand in within(
                f"D_fairness({a}) - D_fairness({b})",
                minus(view.D(view.setting, a, "fairness"), view.D(view.setting, b, "fairness")),
                bound,
            )
        ],
    )


def additive_clearly_ahead(view: View) -> Finding:
    """``clearly_ahead`` times D_goodput of AIMD and of AIAD stays below that of MIMD and of MIAD."""
    factor = view.tolerance("clearly_ahead")
    return both(
        "the additive increases are clearly ahead in goodput",
        [
            inequality(
                f"{factor:g} D_goodput({good}) - D_goodput({bad})",
                minus(factor * view.D(view.setting, good, "goodput"), view.D(view.setting, bad, "goodput")),
                "<",
            )
            for good in ADDITIVE
            for bad in MULTIPLICATIVE
        ],
    )


def additive_alike_delay_loss(view: View) -> Finding:
    """D_delay of AIMD and AIAD are at most ``delay_alike`` apart, and D_loss at most ``loss_alike``."""
    return both(
        "AIMD and AIAD are alike in delay and loss",
        [
            operand
            for metric, bound in (("delay", "delay_alike"), ("loss", "loss_alike"))
            for operand in within(
                f"D_{metric}(AIMD) - D_{metric}(AIAD)",
                minus(view.D(view.setting, "AIMD", metric), view.D(view.setting, "AIAD", metric)),
                view.tolerance(bound),
            )
        ],
    )


ALL_BUT_MIAD: Final = ("AIMD", "AIAD", "MIMD")


def all_but_miad(view: View) -> Finding:
    """D_goodput of any two of AIMD, AIAD and MIMD are at most ``goodput_alike`` apart, and that of MIAD is further above each."""
    bound = view.tolerance("goodput_alike")
    of = {name: view.D(view.setting, name, "goodput") for name in (*ALL_BUT_MIAD, "MIAD")}
    alike = [
        operand
        for a, b in itertools.combinations(ALL_BUT_MIAD, 2)
        for operand in within(f"D_goodput({a}) - D_goodput({b})", minus(of[a], of[b]), bound)
    ]
    behind = [
        inequality(f"D_goodput(MIAD) - D_goodput({name})", minus(of["MIAD"], of[name]), ">", bound)
        for name in ALL_BUT_MIAD
    ]
    return both("all but MIAD have the same goodput", [*alike, *behind])

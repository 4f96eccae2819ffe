"""Claims of the abstract, introduction and conclusions about who has the best goodput where.

Source: [Akella02] abstract, sections 1, 4.3 and 7. Tolerances: ``goodput_leader``, ``goodput_among_best``,
``clearly_fairer``, ``unfair``.
"""

from __future__ import annotations

from typing import Final

from sawtooth.claims.differences import in_scores_and_raw, share_of
from sawtooth.claims.logic import Finding, both, either, inequality, opposite
from sawtooth.claims.view import View
from sawtooth.papers.akella2002.four import FOUR

RECOVERIES: Final = ("reno", "sack")
OTHER_ROUTERS: Final = ("red", "ecn", "drr")


def leads(view: View, setting: str, algorithm: str) -> Finding:
    """Whether D and C of goodput are within ``goodput_leader`` of the best of the four."""
    return both(
        f"{algorithm} is within the tolerance of the best goodput in {setting}",
        [
            finding
            for other in FOUR
            if other != algorithm
            for finding in (
                inequality(
                    f"D_goodput({algorithm}) - D_goodput({other}), {setting}",
                    view.D(setting, algorithm, "goodput") - view.D(setting, other, "goodput"),
                    "<=",
                    view.tolerance("goodput_leader"),
                ),
                inequality(
                    f"C_goodput({algorithm}) - C_goodput({other}), {setting}",
                    view.C(setting, algorithm, "goodput") - view.C(setting, other, "goodput"),
                    "<=",
                    view.tolerance("goodput_leader_worst_case"),
                ),
            )
        ],
    )


def aimd_right_choice(view: View) -> Finding:
    """AIMD leads in goodput, and no other leader is fairer or loses less."""
    setting = view.setting
    operands = [leads(view, setting, "AIMD")]
    for other in FOUR[1:]:
        better = both(
            f"AIMD is fairer than {other} and loses less",
            [
                inequality(
                    f"D_{metric}(AIMD) - D_{metric}({other})",
                    view.D(setting, "AIMD", metric) - view.D(setting, other, metric),
                    "<=",
                )
                for metric in ("fairness", "loss")
            ],
        )
        behind = opposite(f"{other} does not lead in goodput", leads(view, setting, other))
        operands.append(either(f"{other} is no better choice", [behind, better]))
    return both("AIMD leads in goodput and is the fairest and least losing of the leaders", operands)


def aimd_beaten(view: View) -> Finding:
    """In each setting some other algorithm has lower D and lower C of goodput."""
    return both(
        "some other algorithm beats AIMD in D and C of goodput, in each setting",
        [
            either(
                f"some other algorithm beats AIMD in {setting}",
                [
                    both(
                        f"{other} beats AIMD in {setting}",
                        [
                            inequality(
                                f"D_goodput(AIMD) - D_goodput({other}), {setting}",
                                view.D(setting, "AIMD", "goodput") - view.D(setting, other, "goodput"),
                                ">",
                            ),
                            inequality(
                                f"C_goodput(AIMD) - C_goodput({other}), {setting}",
                                view.C(setting, "AIMD", "goodput") - view.C(setting, other, "goodput"),
                                ">",
                            ),
                        ],
                    )
                    for other in FOUR[1:]
                ],
            )
            for setting in view.settings
        ],
    )


def aiad_among_best(view: View) -> Finding:
    """D_goodput(AIAD) is within ``goodput_among_best`` of the best, in each setting."""
    return both(
        "AIAD is close to the best goodput in each setting",
        [
            inequality(
                f"D_goodput(AIAD) - D_goodput({other}), {setting}",
                view.D(setting, "AIAD", "goodput") - view.D(setting, other, "goodput"),
                "<=",
                view.tolerance("goodput_among_best"),
            )
            for setting in view.settings
            for other in FOUR
            if other != "AIAD"
        ],
    )


def aiad_fair_unless_droptail(view: View) -> Finding:
    """D_fairness of AIAD and its raw mean spread are below ``clearly_fairer`` times those under drop-tail, for each recovery and router;
    the mean spread there is at most ``unfair``."""
    share, unfair = view.tolerance("clearly_fairer"), view.tolerance("unfair")
    pairs = [
        (f"{recovery}/{router}", f"{recovery}/droptail")
        for recovery in RECOVERIES
        for router in OTHER_ROUTERS
    ]

    def clearly(*, scores: bool) -> list[Finding]:
        return [
            share_of(view, "fairness", (other, "AIAD"), (droptail, "AIAD"), share, scores=scores)
            for other, droptail in pairs
        ]

    def reasonably() -> list[Finding]:
        return [
            inequality(f"mean spread of AIAD, {other}", view.mean(other, "AIAD", "fairness"), "<=", unfair)
            for other, _ in pairs
        ]

    return in_scores_and_raw(
        "AIAD is fair under any other router, and clearly fairer than under drop-tail",
        view,
        clearly(scores=True),
        lambda: [*clearly(scores=False), *reasonably()],
    )

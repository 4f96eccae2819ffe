"""Claims of section 4.1: what loss recovery changes, Reno and SACK over drop-tail.

Source: [Akella02] sections 4.1.1 and 4.1.2 with Figures 4 and 5. Statements that compare settings are judged on raw values,
because D is a distance to the best of its own setting; where the claim is worded in D, both must hold.
Tolerances: ``goodput_alike``, ``goodput_alike_worst_case``, ``far_worse``, ``much_more_often``, ``only_fair``, ``comparable``,
``clearly_behind``, ``much_goodput``, ``fair_by_scheduler``, ``unfair``.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from sawtooth.claims.differences import between, gap, in_scores_and_raw, mean_gap, worst_gap
from sawtooth.claims.logic import Finding, both, inequality
from sawtooth.claims.view import View
from sawtooth.experiment.scoring import Values
from sawtooth.papers.akella2002.four import FOUR

ADDITIVE: Final = ("AIMD", "AIAD")
MULTIPLICATIVE: Final = ("MIMD", "MIAD")
NOT_AIMD: Final = ("AIAD", "MIMD", "MIAD")
RENO, SACK = "reno/droptail", "sack/droptail"


def alike(view: View, setting: str) -> list[Finding]:
    """AIMD and AIAD within the tolerances in D and C of goodput."""
    d, c = view.tolerance("goodput_alike"), view.tolerance("goodput_alike_worst_case")
    return [
        gap(view, setting, "AIMD", "AIAD", "goodput", "<=", d),
        gap(view, setting, "AIMD", "AIAD", "goodput", ">=", -d),
        worst_gap(view, setting, "AIMD", "AIAD", "goodput", "<=", c),
        worst_gap(view, setting, "AIMD", "AIAD", "goodput", ">=", -c),
    ]


def additive_alike(view: View) -> Finding:
    """|D(AIMD) - D(AIAD)| and |C(AIMD) - C(AIAD)| of goodput are small."""
    return both("AIMD and AIAD have about the same goodput", alike(view, view.setting))


def multiplicative_poor(view: View) -> Finding:
    """D_goodput of MIMD and MIAD exceeds ``far_worse`` times that of AIMD and AIAD."""
    factor = view.tolerance("far_worse")
    return both(
        f"the multiplicative increases score more than {factor:g} times the additive ones",
        [
            inequality(
                f"D_goodput({bad}) - {factor:g} D_goodput({good})",
                view.D(view.setting, bad, "goodput") - factor * view.D(view.setting, good, "goodput"),
                ">",
            )
            for bad in MULTIPLICATIVE
            for good in ADDITIVE
        ],
    )


def multiplicative_timeouts(view: View) -> Finding:
    """MIMD and MIAD time out ``much_more_often`` and leave the bottleneck idle for longer than AIMD and AIAD."""
    factor = view.tolerance("much_more_often")
    operands = []
    for bad in MULTIPLICATIVE:
        for good in ADDITIVE:
            operands.append(
                inequality(
                    f"timeouts({bad}) - {factor:g} timeouts({good}), mean over the environments",
                    view.mean(view.setting, bad, "timeouts")
                    - factor * view.mean(view.setting, good, "timeouts"),
                    ">",
                )
            )
            operands.append(
                inequality(
                    f"idle({bad}) - idle({good}), mean over the environments",
                    view.mean(view.setting, bad, "idle") - view.mean(view.setting, good, "idle"),
                    ">",
                )
            )
    return both("the multiplicative increases time out far more often and leave the queue empty", operands)


def mean_spread(view: View, setting: str, algorithm: str) -> Values:
    """The mean spread over E; of printed tables what D says of it, which is less by that of the fairest."""
    if view.has_raw:
        return view.mean(setting, algorithm, "fairness")
    return np.asarray(view.D(setting, algorithm, "fairness") / len(view.environments))


def aimd_fairer(view: View) -> Finding:
    """D_fairness(AIMD) < D_fairness(AIAD), and the mean spread of AIMD exceeds ``fair_by_scheduler``, what counts as fair."""
    return both(
        "AIMD is fairer than AIAD, though not perfectly fair",
        [
            inequality(
                "mean spread of AIMD",
                mean_spread(view, view.setting, "AIMD"),
                ">",
                view.tolerance("fair_by_scheduler"),
            ),
            gap(view, view.setting, "AIMD", "AIAD", "fairness", "<"),
        ],
    )


def loss_order(view: View) -> Finding:
    """D_loss: AIMD < AIAD < MIMD < MIAD."""
    return both(
        "losses grow from AIMD over AIAD and MIMD to MIAD",
        [
            gap(view, view.setting, less, more, "loss", "<")
            for less, more in (("AIMD", "AIAD"), ("AIAD", "MIMD"), ("MIMD", "MIAD"))
        ],
    )


def additive_delay(view: View) -> Finding:
    """D_delay of AIMD and AIAD exceeds that of MIMD and MIAD."""
    return both(
        "AIMD and AIAD have the highest delays",
        [gap(view, view.setting, high, low, "delay", ">") for high in ADDITIVE for low in MULTIPLICATIVE],
    )


def sack_above_reno(
    view: View, metric: str, algorithms: tuple[str, ...] = FOUR, by: float = 0.0
) -> list[Finding]:
    """Mean over E of a metric is higher ``by`` so much with SACK than with Reno, for each algorithm."""
    return [mean_gap(view, metric, (SACK, name), (RENO, name), ">", by) for name in algorithms]


def sack_goodput(view: View) -> Finding:
    """Mean goodput is significantly higher with SACK for each of the four: by more than ``much_goodput``."""
    return both(
        "goodput is significantly higher with SACK than with Reno",
        sack_above_reno(view, "goodput", by=view.tolerance("much_goodput")),
    )


def sack_loss_delay(view: View) -> Finding:
    """Mean loss and mean delay are higher with SACK for each of the four."""
    return both(
        "loss and delay are higher with SACK than with Reno",
        [*sack_above_reno(view, "loss"), *sack_above_reno(view, "delay")],
    )


def mimd_ahead(view: View) -> Finding:
    """D and C of goodput of MIMD lie below those of AIMD and AIAD, by at most ``goodput_alike`` and ``goodput_alike_worst_case``."""
    words = ((gap, "goodput_alike"), (worst_gap, "goodput_alike_worst_case"))
    return both(
        "MIMD is marginally ahead of AIMD and AIAD in goodput",
        [
            how(view, view.setting, "MIMD", other, "goodput", relation, bound)
            for how, word in words
            for other in ADDITIVE
            for relation, bound in between(-view.tolerance(word), 0.0)
        ],
    )


def mimd_worst(view: View) -> Finding:
    """D_delay and D_loss of MIMD are the largest."""
    return both(
        "MIMD has the worst delay and loss",
        [
            gap(view, view.setting, "MIMD", other, metric, ">=")
            for metric in ("delay", "loss")
            for other in ("AIMD", "AIAD", "MIAD")
        ],
    )


def aimd_only_fair(view: View) -> Finding:
    """D_fairness(AIMD) is below ``only_fair`` times that of each other; its mean spread is at most ``unfair``, any other's above."""
    share, unfair = view.tolerance("only_fair"), view.tolerance("unfair")
    spreads = [
        inequality(
            f"mean spread of {name}",
            mean_spread(view, view.setting, name),
            "<=" if name == "AIMD" else ">",
            unfair,
        )
        for name in FOUR
    ]
    return both(
        "AIMD alone is reasonably fair",
        spreads
        + [
            inequality(
                f"D_fairness(AIMD) - {share:g} D_fairness({other})",
                view.D(view.setting, "AIMD", "fairness") - share * view.D(view.setting, other, "fairness"),
                "<",
            )
            for other in NOT_AIMD
        ],
    )


def sack_less_fair(view: View) -> Finding:
    """D_fairness and the raw mean spread of AIAD, MIMD and MIAD are larger with SACK than with Reno."""
    in_scores = [
        inequality(
            f"D_fairness({name}), SACK - Reno",
            view.D(SACK, name, "fairness") - view.D(RENO, name, "fairness"),
            ">",
        )
        for name in NOT_AIMD
    ]
    return in_scores_and_raw(
        "all but AIMD are less fair with SACK than with Reno",
        view,
        in_scores,
        lambda: sack_above_reno(view, "fairness", NOT_AIMD),
    )


def shares_persist(view: View) -> Finding:
    """The autocorrelation time of per-flow shares is longer with SACK, for AIAD, MIMD and MIAD."""
    return both(
        "shares persist for longer with SACK than with Reno",
        sack_above_reno(view, "share_autocorrelation_time", NOT_AIMD),
    )


def all_but_miad(view: View) -> Finding:
    """AIMD, AIAD and MIMD score at most ``comparable`` in goodput and MIAD at least ``clearly_behind`` times as much."""
    bound, factor = view.tolerance("comparable"), view.tolerance("clearly_behind")
    three = ("AIMD", "AIAD", "MIMD")
    return both(
        "all but MIAD have comparable goodput",
        [
            *(
                inequality(f"D_goodput({name})", view.D(view.setting, name, "goodput"), "<=", bound)
                for name in three
            ),
            *(
                inequality(
                    f"D_goodput(MIAD) - {factor:g} D_goodput({name})",
                    view.D(view.setting, "MIAD", "goodput") - factor * view.D(view.setting, name, "goodput"),
                    ">=",
                )
                for name in three
            ),
        ],
    )

"""Claims of the appendix: 36 instances of the four families, and the choice of the representatives.

Source: [Akella02] section 3.2, the appendix, section 6 footnote 10; [Reddy12] section 3.2. D is formed within a family, over its nine
instances. The rank correlation of a table is formed within each seed, like a score. Tolerances: ``ranks_agree``, ``reasonably_well``,
``small_against``, ``clearly_behind``, ``goodput_about``, ``goodput_alike``.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Final

import numpy as np

from sawtooth.claims.differences import minus, within
from sawtooth.claims.logic import Finding, at_least, both, bounded_inequality, inequality
from sawtooth.claims.orders import spearman
from sawtooth.claims.view import View
from sawtooth.experiment.scoring import Values
from sawtooth.papers.akella2002.four import FOUR
from sawtooth.papers.akella2002.instances import CHOSEN
from sawtooth.papers.akella2002.printed import AppendixRow, appendix, instance

BEST: Final = 3
"""Printed instances among which the best one is looked for."""


def rows(setting: str, family: str) -> list[AppendixRow]:
    """The printed instances of a family in one setting."""
    recovery, _, router = setting.partition("/")
    return [row for row in appendix() if (row.recovery, row.router, row.family) == (recovery, router, family)]


def names(setting: str, family: str) -> list[str]:
    """The labels of the nine instances, in the printed order."""
    return [row.label for row in rows(setting, family)]


def within_family(view: View, setting: str, family: str) -> Values:
    """D of goodput within the family, shape (nine, seeds)."""
    return np.stack([view.D(setting, name, "goodput") for name in names(setting, family)])


def table(view: View) -> Finding:
    """In each family Spearman's rho with the printed D is at least ``ranks_agree``, and the best is among the printed best three."""
    wanted = view.tolerance("ranks_agree")
    operands = []
    for family in FOUR:
        printed = rows(view.setting, family)
        ours = within_family(view, view.setting, family)
        rho = np.array([spearman(column.tolist(), [row.D for row in printed]) for column in ours.T])
        text = f"rho of D_goodput with the printed one, {family}"
        operands.append(bounded_inequality(text, rho, ">=", wanted, (-1.0, 1.0)))
        third = sorted(row.D for row in printed)[BEST - 1]
        among = np.array([third >= row.D for row in printed])
        operands.append(
            inequality(
                f"lowest D_goodput of the printed best {BEST} - lowest of the others, {family}",
                minus(ours[among].min(axis=0), ours[~among].min(axis=0)),
                "<=",
            )
        )
    return both(f"the instances of each family are ranked as printed, {view.setting}", operands)


def worst(view: View, family: str) -> dict[str, Values]:
    """The largest D within the family over the settings, by instance, per seed."""
    by_setting = np.stack([within_family(view, setting, family) for setting in view.settings])
    return dict(zip(names(view.settings[0], family), by_setting.max(axis=0), strict=True))


def _chosen_best(view: View, families: Sequence[str]) -> Finding:
    """The chosen instance of each family has the smallest worst D over the settings."""
    operands = []
    for family in families:
        found = worst(view, family)
        mine = CHOSEN[family]
        operands += [
            inequality(
                f"largest D_goodput over the settings, {mine} - {name}", minus(found[mine], other), "<="
            )
            for name, other in found.items()
            if name != mine
        ]
    return both("each chosen instance has the smallest worst case of its family", operands)


def representatives(view: View) -> Finding:
    """The chosen instance of each of the four families has the smallest worst D over the settings."""
    return _chosen_best(view, FOUR)


def representatives_of_two(view: View) -> Finding:
    """The same for AIMD and AIAD."""
    return _chosen_best(view, FOUR[:2])


def good_everywhere(view: View) -> Finding:
    """The largest D of each chosen instance over the settings is at most ``reasonably_well``."""
    bound = view.tolerance("reasonably_well")
    return both(
        "each chosen instance does reasonably well in every setting",
        [
            inequality(
                f"largest D_goodput over the settings, {CHOSEN[family]}",
                worst(view, family)[CHOSEN[family]],
                "<=",
                bound,
            )
            for family in FOUR
        ],
    )


def others_poor(view: View) -> Finding:
    """The largest D of every other instance over the settings is ``clearly_behind`` times that of the chosen one or more, and it is
    sub-optimal in two further settings: more than ``goodput_alike`` behind the best of its family."""
    operands, factor = [], view.tolerance("clearly_behind")
    for family in FOUR:
        found = worst(view, family)
        mine = CHOSEN[family]
        for name, other in found.items():
            if name == mine:
                continue
            very_poor = inequality(
                f"largest D_goodput over the settings, {name} - {factor:g} x {mine}",
                minus(other, factor * found[mine]),
                ">=",
            )
            operands += [very_poor, _behind_elsewhere(view, family, name)]
    return both("every other instance is far worse in its worst setting than the chosen one", operands)


ELSEWHERE: Final = 2
"""Settings beside the worst one in which an instance is sub-optimal: "others", so more than one."""


def _behind_elsewhere(view: View, family: str, name: str) -> Finding:
    """The instance is further than ``goodput_alike`` from the best of its family, in its worst setting and in ELSEWHERE further ones."""
    bound = view.tolerance("goodput_alike")
    each = [
        inequality(
            f"D_goodput, {name} - lowest of the family, {setting}",
            minus(view.D(setting, name, "goodput"), within_family(view, setting, family).min(axis=0)),
            ">",
            bound,
        )
        for setting in view.settings
    ]
    return at_least(f"{name} is sub-optimal in {ELSEWHERE} further settings", ELSEWHERE + 1, each)


def other_metrics(view: View) -> Finding:
    """In mean fairness, delay and loss the nine instances of each family span at most ``small_against`` of what the means of the families
    span, in each setting."""
    share = view.tolerance("small_against")
    operands = []
    for metric, setting in itertools.product(("fairness", "delay", "loss"), view.settings):
        means = np.stack(
            [
                np.stack([view.mean(setting, name, metric) for name in names(setting, family)])
                for family in FOUR
            ]
        )  # (families, instances, seeds)
        between = np.ptp(means.mean(axis=1), axis=0)
        operands += [
            inequality(
                f"range of mean {metric} within {family} - {share:g} x range of the families' means, {setting}",
                minus(inside, share * between),
                "<=",
                within=float(inside.mean()),
                between=float(between.mean()),
            )
            for family, inside in zip(FOUR, np.ptp(means, axis=1), strict=True)
        ]
    return both("within a family the instances differ little in fairness, delay and loss", operands)


HALVING: Final = instance("MIMD", 1.125, 0.5)


def halving_mimd(view: View) -> Finding:
    """Over the environments the goodputs of MIMD(1.125, 0.5) and of AIMD(1, 0.8), and of AIAD(1, 3), are at most ``goodput_about`` apart.

    The printed tables say so by way of the representative of MIMD: differences of D add up across the sets that share it.
    """
    setting, bound = view.setting, view.tolerance("goodput_about")
    operands = []
    for family in ("AIMD", "AIAD"):
        chosen = CHOSEN[family]
        if view.has_raw:
            means = minus(view.mean(setting, chosen, "goodput"), view.mean(setting, HALVING, "goodput"))
            ahead = len(view.environments) * means
        else:
            among_four = view.D(setting, "MIMD", "goodput") - view.D(setting, family, "goodput")
            halved = view.D(setting, HALVING, "goodput") - view.D(setting, CHOSEN["MIMD"], "goodput")
            ahead = among_four + halved
        operands += within(f"sum over the environments of the goodput of {chosen} - {HALVING}", ahead, bound)
    return both("MIMD(1.125, 0.5) performs as the additive increases do", operands)

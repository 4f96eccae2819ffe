"""Claims of section 4.3, the discussion across settings.

Source: [Akella02] section 4.3 and Figure 12. Tolerances: ``goodput_leader``, ``goodput_leader_worst_case``,
``clearly_ahead``, ``goodput_alike``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from sawtooth.claims.differences import mean_gap
from sawtooth.claims.logic import Finding, at_least, both, either, inequality, opposite
from sawtooth.claims.view import View
from sawtooth.papers.akella2002.claims.abstract import leads
from sawtooth.papers.akella2002.claims.section4_1 import ADDITIVE, MULTIPLICATIVE
from sawtooth.papers.akella2002.four import FOUR

LEADERS: Final[Mapping[str, tuple[str, ...]]] = {
    "reno/droptail": ("AIMD", "AIAD"),
    "reno/red": ("AIMD", "AIAD"),
    "reno/drr": ("AIMD", "AIAD"),
    "sack/drr": ("AIMD", "AIAD"),
    "reno/ecn": FOUR,
    "sack/droptail": ("AIMD", "AIAD", "MIMD"),
    "sack/red": ("MIMD", "AIAD"),
    "sack/ecn": ("MIAD", "MIMD", "AIAD"),
}
"""Figure 12 as the section summaries give it; the map itself is lost."""

ALMOST_EVERY: Final = 7 / 8
"""Share of the settings that "almost every" means: seven of the eight, hence each of fewer."""


def aimd_low(view: View) -> Finding:
    """For loss, delay and fairness: AIMD has the lowest or second lowest D in almost every setting, seven of the eight at least."""
    wanted = math.ceil(len(view.settings) * ALMOST_EVERY)
    return both(
        "AIMD is among the best two in loss, delay and fairness almost everywhere",
        [
            at_least(
                f"AIMD is among the best two in {metric} in at least {wanted} of {len(view.settings)} settings",
                wanted,
                [
                    at_least(
                        f"AIMD is at or below two others in D_{metric}, {setting}",
                        2,
                        [
                            inequality(
                                f"D_{metric}(AIMD) - D_{metric}({other}), {setting}",
                                view.D(setting, "AIMD", metric) - view.D(setting, other, metric),
                                "<=",
                            )
                            for other in FOUR[1:]
                        ],
                    )
                    for setting in view.settings
                ],
            )
            for metric in ("loss", "delay", "fairness")
        ],
    )


def aimd_highest(view: View) -> Finding:
    """D_goodput(AIMD) is the smallest of the four."""
    return both(
        "AIMD has the highest goodput",
        [
            inequality(
                f"D_goodput(AIMD) - D_goodput({other})",
                view.D(view.setting, "AIMD", "goodput") - view.D(view.setting, other, "goodput"),
                "<=",
            )
            for other in FOUR[1:]
        ],
    )


def additive_clearly_best(view: View) -> Finding:
    """``clearly_ahead`` times D_goodput of AIMD and of AIAD stays below that of MIMD and of MIAD, in each setting."""
    factor = view.tolerance("clearly_ahead")
    return both(
        "both additive increases are clearly ahead of both multiplicative ones in goodput",
        [
            inequality(
                f"{factor:g} D_goodput({good}) - D_goodput({bad}), {setting}",
                factor * view.D(setting, good, "goodput") - view.D(setting, bad, "goodput"),
                "<",
            )
            for setting in view.settings
            for good in ("AIMD", "AIAD")
            for bad in ("MIMD", "MIAD")
        ],
    )


def some_other_ahead(view: View) -> Finding:
    """In each setting D_goodput of AIMD exceeds that of at least one other by more than ``goodput_alike``."""
    significant = view.tolerance("goodput_alike")
    return both(
        "some other algorithm is significantly ahead of AIMD in goodput, in each setting",
        [
            either(
                f"some other algorithm is ahead of AIMD in {setting}",
                [
                    inequality(
                        f"D_goodput(AIMD) - D_goodput({other}), {setting}",
                        view.D(setting, "AIMD", "goodput") - view.D(setting, other, "goodput"),
                        ">",
                        significant,
                    )
                    for other in FOUR[1:]
                ],
            )
            for setting in view.settings
        ],
    )


def leaders(view: View) -> Finding:
    """The leaders of each setting are those of the map, no more and no fewer."""
    operands = []
    for setting in view.settings:
        for name in FOUR:
            leading = leads(view, setting, name)
            wanted = name in LEADERS[setting]
            operands.append(leading if wanted else opposite(f"{name} does not lead in {setting}", leading))
    return both("the goodput leaders of each setting are those of the map", operands)


def less_bursty(view: View) -> Finding:
    """The rate of AIMD and AIAD varies less from round trip to round trip than that of MIMD and MIAD, in each setting."""
    return both(
        "the additive increases send less burstily",
        [
            mean_gap(view, "rate_variation", (setting, good), (setting, bad), "<")
            for setting in view.settings
            for good in ADDITIVE
            for bad in MULTIPLICATIVE
        ],
    )

"""Claims of sections 5.2 and 7: the hybrids AIMAD and MAIMD beside the pure algorithms.

Source: [Akella02] section 5.2 with Figure 14 and footnote 9, and section 7; [Reddy12] section 6. The runs are those of the part
``akella2002/hybrids``; its set A holds hybrids and pure algorithms, on whose differences in D the set has no bearing.
Tolerances: ``goodput_alike``, ``equally_fair``, ``spread_alike``, ``clearly_fairer``, ``delay_alike``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from sawtooth.claims.differences import gap, minus, within, worst_gap
from sawtooth.claims.logic import Finding, Verdict, both, corrected, inequality
from sawtooth.claims.view import View
from sawtooth.experiment.scoring import SCORED
from sawtooth.papers.akella2002.claims.section4_2_4 import spread_word

AIMAD, MAIMD = "AIMAD", "MAIMD"
MAIMD_HALF = "MAIMD(0.5)"
MOST: Final = 8 / 13
"""Share of the environments that "most" means: eight of thirteen."""
HIGH: Final = ("cons-high", "sq-low", "sq-high", "rw-high", "rd-high")
"""Environments of the first ten whose bandwidth reaches 10 Mbit/s per flow."""
LOW: Final = ("cons-low", "rw-low", "rd-low", "rw-additive", "rw-multiplicative")
"""The others of the ten, around 1 Mbit/s."""


def about(view: View, setting: str, a: str, b: str, metric: str, word: str) -> list[Finding]:
    """D of a metric of two algorithms is within a tolerance."""
    text = f"D_{metric}({a}) - D_{metric}({b}), {setting}"
    return within(text, minus(view.D(setting, a, metric), view.D(setting, b, metric)), view.tolerance(word))


def gentler_cut(view: View) -> Finding:
    """D_goodput of MAIMD is lower when it keeps 0.8 than when it keeps 0.5, by at most ``goodput_alike``."""
    bound = view.tolerance("goodput_alike")
    return both(
        "MAIMD is slightly better when it keeps 0.8 than 0.5",
        [
            gap(view, view.setting, MAIMD, MAIMD_HALF, "goodput", "<"),
            gap(view, view.setting, MAIMD, MAIMD_HALF, "goodput", ">=", -bound),
        ],
    )


def aimad_fairer(view: View) -> Finding:
    """The spread of AIMAD is below ``clearly_fairer`` times that of AIAD in most environments, and so is D_fairness."""
    share = view.tolerance("clearly_fairer")
    spreads = minus(
        view.raw(view.setting, AIMAD, "fairness"), share * view.raw(view.setting, "AIAD", "fairness")
    )
    wanted = int(np.ceil(MOST * len(view.environments)))
    return both(
        "AIMAD is much fairer than AIAD in most environments",
        [
            inequality(
                f"environments of {len(view.environments)} in which AIMAD is much fairer than AIAD",
                (spreads < 0).sum(axis=0),
                ">=",
                wanted,
            ),
            inequality(
                f"D_fairness(AIMAD) - {share:g} D_fairness(AIAD)",
                minus(
                    view.D(view.setting, AIMAD, "fairness"), share * view.D(view.setting, "AIAD", "fairness")
                ),
                "<",
            ),
        ],
    )


def aimad_goodput(view: View) -> Finding:
    """D_goodput of AIMAD exceeds that of AIAD by at most ``goodput_alike``."""
    return gap(view, view.setting, AIMAD, "AIAD", "goodput", "<=", view.tolerance("goodput_alike"))


def aimad_less(view: View) -> Finding:
    """D_loss and D_delay of AIMAD lie below those of AIAD."""
    return both(
        "AIMAD has less loss and delay than AIAD",
        [gap(view, view.setting, AIMAD, "AIAD", metric, "<") for metric in ("loss", "delay")],
    )


def aimad_like_aimd(view: View) -> Finding:
    """D_fairness of AIMAD is within ``equally_fair`` of that of AIMD; its D_delay and D_loss are no higher."""
    return both(
        "AIMAD is about as fair as AIMD, with no more delay or loss",
        [
            *about(view, view.setting, AIMAD, "AIMD", "fairness", "equally_fair"),
            *(gap(view, view.setting, AIMAD, "AIMD", metric, "<=") for metric in ("delay", "loss")),
        ],
    )


def maimd_worst_case(view: View) -> Finding:
    """C_goodput of MAIMD is below that of AIMD, and their D within ``goodput_alike``."""
    worst = worst_gap(view, view.setting, MAIMD, "AIMD", "goodput", "<")
    found = both(
        "MAIMD improves on the worst case of AIMD at about the same goodput",
        [worst, *about(view, view.setting, MAIMD, "AIMD", "goodput", "goodput_alike")],
    )
    return _or_better(found, "MAIMD improves on the worst case of AIMD at no less goodput", view, [worst])


def _or_better(found: Finding, text: str, view: View, beside: Sequence[Finding]) -> Finding:
    """A finding with what holds in its place where it fails only because MAIMD is ahead of AIMD with SACK, and not just level."""
    bound = view.tolerance("goodput_alike")
    settings = [setting for setting in view.settings if setting.startswith("sack/")]
    no_worse = [gap(view, setting, MAIMD, "AIMD", "goodput", "<=", bound) for setting in settings]
    instead = both(text, [*beside, *no_worse])
    fails_only_so = found.verdict is Verdict.FAILS and instead.verdict is Verdict.HOLDS
    return corrected(found, instead) if fails_only_so else found


def maimd_loss_fairness(view: View) -> Finding:
    """D_loss and D_fairness of MAIMD exceed those of AIMD."""
    return both(
        "MAIMD loses more than AIMD and is less fair",
        [gap(view, view.setting, MAIMD, "AIMD", metric, ">") for metric in ("loss", "fairness")],
    )


def maimd_high_capacity(view: View) -> Finding:
    """The spread of MAIMD is larger than that of AIMD, on average, where bandwidth is high, and by more than where it is low."""
    setting = view.setting
    spreads = minus(view.raw(setting, MAIMD, "fairness"), view.raw(setting, "AIMD", "fairness"))
    high, low = (
        np.stack([spreads[view.environments.index(name)] for name in names]).mean(axis=0)
        for names in (HIGH, LOW)
    )
    text = "spread of MAIMD - AIMD, mean where bandwidth is high"
    return both(
        "MAIMD is less fair than AIMD where bandwidth is high, and more so than where it is low",
        [
            inequality(text, high, ">"),
            inequality(
                f"{text} - mean where it is low",
                minus(high, low),
                ">",
                high=float(high.mean()),
                low=float(low.mean()),
            ),
        ],
    )


def maimd_delay(view: View) -> Finding:
    """D_delay of AIMD and MAIMD are at most ``delay_alike`` apart."""
    return both(
        "AIMD and MAIMD have about the same delay",
        about(view, view.setting, "AIMD", MAIMD, "delay", "delay_alike"),
    )


def maimd_fair_elsewhere(view: View) -> Finding:
    """D_fairness of MAIMD is within ``spread_alike`` of that of AIMD, in each setting, none of which is drop-tail."""
    return both(
        "MAIMD is about as fair as AIMD",
        [
            operand
            for setting in view.settings
            for operand in about(view, setting, MAIMD, "AIMD", "fairness", spread_word(setting))
        ],
    )


def aimad_everywhere(view: View) -> Finding:
    """D of AIMAD is at most that of AIAD, in all four metrics and all settings."""
    return both(
        "AIMAD is at least as good as AIAD in every metric and setting",
        [gap(view, setting, AIMAD, "AIAD", metric, "<=") for setting in view.settings for metric in SCORED],
    )


def maimd_with_sack(view: View) -> Finding:
    """D_goodput of MAIMD is within ``goodput_alike`` of that of AIMD with SACK, and further above it with Reno, in each setting."""
    bound = view.tolerance("goodput_alike")
    same, behind = [], []
    for setting in view.settings:
        if setting.startswith("sack/"):
            same += about(view, setting, MAIMD, "AIMD", "goodput", "goodput_alike")
        else:
            behind.append(gap(view, setting, MAIMD, "AIMD", "goodput", ">", bound))
    found = both("MAIMD equals AIMD in goodput with SACK and falls behind with Reno", [*same, *behind])
    return _or_better(
        found, "MAIMD has no less goodput than AIMD with SACK and falls behind with Reno", view, behind
    )


def small_cut_enough(view: View) -> Finding:
    """D_fairness of AIMAD is within ``equally_fair`` of that of AIMD, and its D_goodput at most ``goodput_alike`` above that of AIAD."""
    bound = view.tolerance("goodput_alike")
    return both(
        "a small multiplicative part in AIAD's decrease brings fairness at no cost in goodput",
        [
            operand
            for setting in view.settings
            for operand in (
                *about(view, setting, AIMAD, "AIMD", "fairness", "equally_fair"),
                gap(view, setting, AIMAD, "AIAD", "goodput", "<=", bound),
            )
        ],
    )

"""Claims of the 2012 paper, which repeats the 2002 study for AIMD and AIAD.

Source: [Reddy12]. Scores over these two algorithms differ from those over four only in what the best is; differences of D do not
(section3.identity), so the pairwise numbers follow from the same runs.
Tolerances: ``goodput_alike``, ``much_goodput``, ``pairwise_goodput``.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from sawtooth.claims.differences import gap
from sawtooth.claims.logic import Finding, both, corrected, fact, inequality
from sawtooth.claims.view import View
from sawtooth.experiment.scoring import score
from sawtooth.papers.akella2002.claims import section3, section4
from sawtooth.papers.akella2002.claims.section4_1 import alike, sack_above_reno
from sawtooth.papers.akella2002.printed import appendix, environments, printed

PAIR: Final = ("AIMD", "AIAD")


def scope(_: View) -> Finding:
    """A = {AIMD, AIAD}: the product scores any subset; by hand, two algorithms at 0.9 and 0.7 score 0 and 0.2."""
    found = [item.D.mean for item in score("goodput", np.array([[[0.9]], [[0.7]]]), PAIR, ("e",))]
    return fact(
        "among two at 0.9 and 0.7 the scores are 0 and 0.2",
        bool(np.allclose(found, (0.0, 0.2))),
        judged="|D - wanted| <= 1e-08 + 1e-05 wanted",
        D=found,
    )


def aimd_right_choice(view: View) -> Finding:
    """Of the two, AIMD is about as good in goodput, fairer and loses less."""
    setting = view.setting
    return both(
        "AIMD has about the goodput of AIAD, is fairer and loses less",
        [
            gap(view, setting, "AIMD", "AIAD", "goodput", "<=", view.tolerance("goodput_alike")),
            gap(view, setting, "AIMD", "AIAD", "fairness", "<"),
            gap(view, setting, "AIMD", "AIAD", "loss", "<"),
        ],
    )


def definitions(view: View) -> Finding:
    """Best, distance, C and D as in 2002."""
    return both(
        "the scores are those of 2002",
        [
            check(view)
            for check in (section3.best_over_set, section3.distance, section3.worst_case, section3.total)
        ],
    )


NUMBERS: Final = (
    "number",
    "name",
    "kind",
    "b0_mbps",
    "low_mbps",
    "high_mbps",
    "delta_mbps",
    "mu",
    "update_interval_s",
    "interarrival_mean_s",
    "interarrival_mean_alt_s",
)
"""What both papers print of an environment."""


def environments_same(_: View) -> Finding:
    """Every number that Table 2 and section 3.1 of [Reddy12] print of an environment is that of 2002, row by row."""
    first, again = environments("akella2002"), environments("reddy2012")
    apart = [
        f"{row.number} {name}"
        for row, other in zip(first, again, strict=False)
        for name in NUMBERS
        if getattr(row, name) != getattr(other, name)
    ]
    return both(
        "the environments are those of 2002",
        [
            fact("both tables have 13 rows", len(first) == len(again) == 13, judged="rows = 13 in each"),
            fact(
                "every printed number is the same",
                not apart,
                judged=f"= exactly, {len(NUMBERS)} columns of each row",
                apart=apart,
            ),
        ],
    )


def windows(view: View) -> Finding:
    """As the two claims of 2002: no window below 12 to 15 packets is increased, none below 25 to 30 (printed 25-20) is decreased."""
    found = [section3.lowest_increment_window(view), section3.lowest_decrement_window(view)]
    holding = [bound.instead for bound in found if bound.instead is not None]
    return corrected(
        both("the bounds of the windows are those of 2002", found),
        both("what holds in place of the two bounds", holding),
    )


def metrics(view: View) -> Finding:
    """Goodput, delay, loss and fairness as in 2002."""
    return both(
        "the metrics are those of 2002",
        [check(view) for check in (section4.goodput, section4.delay, section4.loss, section4.fairness)],
    )


def reno_alike(view: View) -> Finding:
    """About the same goodput; AIMD fairer, with less loss."""
    setting = view.setting
    return both(
        "AIMD and AIAD have about the same goodput, and AIMD is fairer and loses less",
        [
            *alike(view, setting),
            gap(view, setting, "AIMD", "AIAD", "fairness", "<"),
            gap(view, setting, "AIMD", "AIAD", "loss", "<"),
        ],
    )


def sack_goodput(view: View) -> Finding:
    """Mean goodput of both is significantly higher with SACK than with Reno: by more than ``much_goodput``."""
    return both(
        "AIMD and AIAD have significantly more goodput with SACK",
        sack_above_reno(view, "goodput", PAIR, view.tolerance("much_goodput")),
    )


def tables(_: View) -> Finding:
    """The 72 reprinted cells pairs equal those of 2002 (the 2002 values as printed)."""
    first = {
        (r.recovery, r.router, r.family, r.increase, r.decrease): (r.D, r.C) for r in appendix("akella2002")
    }
    again = appendix("reddy2012")
    equal = sum(first[r.recovery, r.router, r.family, r.increase, r.decrease] == (r.D, r.C) for r in again)
    return fact(
        "72 rows, all equal",
        equal == len(again) == 72,
        judged="rows = 72, and D and C of each = those of 2002 exactly",
        rows=len(again),
        equal=equal,
    )


def pairwise(view: View) -> Finding:
    """D_goodput(AIMD) - D_goodput(AIAD) is within ``pairwise_goodput`` of the printed difference in each setting, and has its sign where
    that is larger than the bound."""
    bound = view.tolerance("pairwise_goodput")
    operands = []
    for setting in view.settings:
        recovery, _, router = setting.partition("/")
        table = printed(recovery, router)
        wanted = table["AIMD"]["D_goodput"] - table["AIAD"]["D_goodput"]
        ours = view.D(setting, "AIMD", "goodput") - view.D(setting, "AIAD", "goodput")
        text = f"D_goodput(AIMD) - D_goodput(AIAD) less the printed {wanted:+.2f}, {setting}"
        operands += [
            inequality(text, ours - wanted, "<=", bound),
            inequality(text, ours - wanted, ">=", -bound),
        ]
        if abs(wanted) > bound:
            sign = f"D_goodput(AIMD) - D_goodput(AIAD), printed {wanted:+.2f}, {setting}"
            operands.append(inequality(sign, ours, ">" if wanted > 0 else "<"))
    return both("the goodput advantage of AIAD is the printed one", operands)


def aiad_ahead(view: View) -> Finding:
    """Under RED and ECN with SACK D_goodput of AIAD is below that of AIMD."""
    return both(
        "AIAD is ahead of AIMD in modern settings",
        [gap(view, setting, "AIAD", "AIMD", "goodput", "<") for setting in view.settings],
    )

"""Claims of section 4.2.1: what active queue management changes, RED against drop-tail.

Source: [Akella02] section 4.2.1 with Figures 6 and 7 and footnote 7. Statements that compare settings are judged on raw values, and on
D as well where they are worded in it. Tolerances: ``significantly_less``, ``clearly_fairer``,
``spread_alike``, ``unfair``, ``slightly_unfair``, ``goodput_alike``, ``much_more_often``, ``epochs_together``, ``epochs_apart``,
``losses_by_share``, ``rtt_bias_alike``, ``hardly_timeouts``.
"""

from __future__ import annotations

import itertools
from typing import Final

from sawtooth.claims.differences import (
    below,
    between,
    gap,
    in_scores_and_raw,
    mean_gap,
    minus,
    share_of,
    within,
    worst_gap,
)
from sawtooth.claims.logic import Finding, both, inequality
from sawtooth.claims.view import View
from sawtooth.papers.akella2002.claims.section4_1 import ADDITIVE, MULTIPLICATIVE, NOT_AIMD, mean_spread
from sawtooth.papers.akella2002.four import FOUR

RENO_DROPTAIL, SACK_DROPTAIL = "reno/droptail", "sack/droptail"
RENO_RED, SACK_RED = "reno/red", "sack/red"


def red_cuts_loss_delay(view: View) -> Finding:
    """Mean loss and mean delay of each are below ``significantly_less`` of those under drop-tail, with Reno."""
    share = view.tolerance("significantly_less")
    return both(
        "RED lowers loss and delay of each significantly under Reno",
        [
            share_of(view, metric, (RENO_RED, name), (RENO_DROPTAIL, name), share, scores=False)
            for metric in ("loss", "delay")
            for name in FOUR
        ],
    )


def additive_best(view: View) -> Finding:
    """D and C of goodput of AIMD and AIAD lie below those of MIMD and MIAD."""
    return both(
        "the additive increases have the best goodput",
        [
            how(view, view.setting, good, bad, "goodput", "<")
            for how in (gap, worst_gap)
            for good in ADDITIVE
            for bad in MULTIPLICATIVE
        ],
    )


def red_fairer(view: View) -> Finding:
    """D_fairness and the raw mean spread of each are below ``clearly_fairer`` times those under drop-tail, with Reno."""
    share = view.tolerance("clearly_fairer")

    def clearly(*, scores: bool) -> list[Finding]:
        return [
            share_of(view, "fairness", (RENO_RED, name), (RENO_DROPTAIL, name), share, scores=scores)
            for name in FOUR
        ]

    return in_scores_and_raw(
        "RED makes each significantly fairer under Reno",
        view,
        clearly(scores=True),
        lambda: clearly(scores=False),
    )


def aiad_least_fair(view: View) -> Finding:
    """D_fairness(AIAD) is the largest, by at most ``spread_alike``: the difference is said to be small."""
    small = view.tolerance("spread_alike")
    return both(
        "AIAD is the least fair, by little",
        [
            gap(view, view.setting, "AIAD", other, "fairness", relation, bound)
            for other in FOUR
            if other != "AIAD"
            for relation, bound in between(0.0, small)
        ],
    )


def red_decouples(view: View) -> Finding:
    """Loss epochs of different flows coincide under drop-tail and not under RED, whose losses follow the shares."""
    high, low, share = (
        view.tolerance(name) for name in ("epochs_together", "epochs_apart", "losses_by_share")
    )
    operands = []
    for name in FOUR:
        together, apart = (
            view.mean(setting, name, "loss_epoch_correlation") for setting in (RENO_DROPTAIL, RENO_RED)
        )
        operands.append(
            inequality(f"correlation of loss epochs, {name} in {RENO_DROPTAIL}", together, ">=", high)
        )
        operands.append(inequality(f"correlation of loss epochs, {name} in {RENO_RED}", apart, "<=", low))
        text = f"loss ratio of the larger half of the flows over that of the smaller, less 1, {name} in {RENO_RED}"
        operands += within(text, view.mean(RENO_RED, name, "loss_bias") - 1, share)
    return both("drop-tail hits all flows together, RED each by its share", operands)


def unequal_rtts(view: View) -> Finding:
    """With unequal round-trip times RED is fairer than drop-tail, and the share falls with the RTT for each as for AIMD."""
    bound = view.tolerance("rtt_bias_alike")
    fairer = below(view, RENO_RED, RENO_DROPTAIL, FOUR, "fairness")
    curves = [
        operand
        for name in NOT_AIMD
        for operand in within(
            f"exponent of the share over the RTT, {name} - AIMD in {RENO_RED}",
            minus(view.mean(RENO_RED, name, "rtt_bias"), view.mean(RENO_RED, "AIMD", "rtt_bias")),
            bound,
        )
    ]
    return both(
        "RED's gain in fairness persists, and all share about as AIMD does",
        [both("each is fairer under RED", fairer), both("shares depend on the RTT alike", curves)],
    )


def sack_worse(view: View) -> Finding:
    """Mean loss, delay and spread of each are higher with SACK than with Reno, under RED."""
    return both(
        "loss, delay and spread of each are higher with SACK than with Reno under RED",
        [
            mean_gap(view, metric, (SACK_RED, name), (RENO_RED, name), ">")
            for metric in ("loss", "delay", "fairness")
            for name in FOUR
        ],
    )


ORDER: Final = ("MIMD", "AIAD", "AIMD", "MIAD")


def mimd_best(view: View) -> Finding:
    """D_goodput: MIMD < AIAD < AIMD < MIAD, and AIAD not far behind MIMD: by at most ``goodput_alike``."""
    near = gap(view, view.setting, "AIAD", "MIMD", "goodput", "<=", view.tolerance("goodput_alike"))
    return both(
        "goodput falls from MIMD over AIAD, close behind, and AIMD to MIAD",
        [
            *(
                gap(view, view.setting, better, worse, "goodput", "<")
                for better, worse in itertools.pairwise(ORDER)
            ),
            near,
        ],
    )


def rare_timeouts(view: View) -> Finding:
    """MIMD times out ``much_more_often`` under drop-tail than under RED; MIAD does so under RED as often as MIMD, times that factor. Under
    RED at most ``hardly_timeouts`` of the congestion signals of MIMD are timeouts, and more of those of MIAD."""
    factor, hardly = view.tolerance("much_more_often"), view.tolerance("hardly_timeouts")
    under_red = view.mean(SACK_RED, "MIMD", "timeouts")
    beyond = {
        name: minus(view.mean(SACK_RED, name, "timeouts"), hardly * view.mean(SACK_RED, name, "signals"))
        for name in MULTIPLICATIVE
    }
    return both(
        "with SACK, MIMD times out under drop-tail and hardly under RED, where MIAD still does",
        [
            inequality(
                f"timeouts of MIMD, {SACK_DROPTAIL} - {factor:g} x {SACK_RED}",
                minus(view.mean(SACK_DROPTAIL, "MIMD", "timeouts"), factor * under_red),
                ">",
            ),
            inequality(
                f"timeouts in {SACK_RED}, MIAD - {factor:g} x MIMD",
                minus(view.mean(SACK_RED, "MIAD", "timeouts"), factor * under_red),
                ">",
            ),
            inequality(f"timeouts - {hardly:g} x signals of MIMD, {SACK_RED}", beyond["MIMD"], "<="),
            inequality(f"timeouts - {hardly:g} x signals of MIAD, {SACK_RED}", beyond["MIAD"], ">"),
        ],
    )


def mimd_fairer_than_aiad(view: View) -> Finding:
    """D_fairness(MIMD) < D_fairness(AIAD); the mean spread of MIMD is at most ``unfair``, that of AIAD above it and no more than
    ``slightly_unfair``."""
    unfair, slightly = view.tolerance("unfair"), view.tolerance("slightly_unfair")
    spread = {name: mean_spread(view, view.setting, name) for name in ("MIMD", "AIAD")}
    return both(
        "MIMD is reasonably fair, AIAD slightly unfair",
        [
            inequality("mean spread of MIMD", spread["MIMD"], "<=", unfair),
            *(
                inequality("mean spread of AIAD", spread["AIAD"], relation, bound)
                for relation, bound in between(unfair, slightly)
            ),
            gap(view, view.setting, "MIMD", "AIAD", "fairness", "<"),
        ],
    )


def aimd_lowest_loss_delay(view: View) -> Finding:
    """D_loss and D_delay of AIMD are the smallest."""
    return both(
        "AIMD has the lowest loss and delay",
        [
            gap(view, view.setting, "AIMD", other, metric, "<=")
            for metric in ("loss", "delay")
            for other in NOT_AIMD
        ],
    )


def aimd_fairest(view: View) -> Finding:
    """D_fairness of AIMD is the smallest."""
    return both(
        "AIMD is the fairest",
        [gap(view, view.setting, "AIMD", other, "fairness", "<=") for other in NOT_AIMD],
    )


def burst_tolerant(view: View) -> Finding:
    """With SACK MIMD and AIAD are ahead of AIMD in D_goodput by more than ``goodput_alike`` under RED, by at most that over drop-tail, and
    by more under RED than over drop-tail."""
    operands = []
    significant = view.tolerance("goodput_alike")
    for name in ("MIMD", "AIAD"):
        text = f"D_goodput(AIMD) - D_goodput({name})"
        red, droptail = (
            minus(view.D(setting, "AIMD", "goodput"), view.D(setting, name, "goodput"))
            for setting in (SACK_RED, SACK_DROPTAIL)
        )
        operands += [
            inequality(f"{text}, RED", red, ">", significant),
            inequality(f"{text}, drop-tail", droptail, "<=", significant),
            inequality(f"{text}, RED - drop-tail", minus(red, droptail), ">"),
        ]
    return both(
        "MIMD and AIAD do significantly better than AIMD under RED, which they do not under drop-tail",
        operands,
    )

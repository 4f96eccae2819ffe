"""Claims of section 4.2.3: buffers of a tenth of the delay-bandwidth product.

Source: [Akella02] section 4.2.3. The small buffers are the part ``akella2002/small-buffers``, the full ones the main studies; the seeds
of the two meet the same draws, so their difference is taken seed by seed. Tolerances: ``equally_fair``, ``spread_alike``, ``goodput_same``,
``much_goodput``, ``much_loss``, ``order_agrees``.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from sawtooth.claims.differences import gap, mean_gap, minus, within
from sawtooth.claims.logic import Finding, both, inequality
from sawtooth.claims.orders import order_agrees
from sawtooth.claims.view import View
from sawtooth.experiment.scoring import Values
from sawtooth.papers.akella2002.claims.section4_1 import MULTIPLICATIVE
from sawtooth.papers.akella2002.claims.section4_2_4 import spread_word
from sawtooth.papers.akella2002.four import FOUR

FULL: Final = {
    "droptail": {"reno": "akella2002/fig4", "sack": "akella2002/fig5"},
    "red": {"reno": "akella2002/fig6", "sack": "akella2002/fig7"},
}
"""The main study of each router and recovery."""


def _change(view: View, setting: str, name: str, metric: str) -> Values:
    """Mean over E of a metric with a tenth of the buffer, less that with the whole, per seed."""
    recovery, _, router = setting.partition("/")
    full = view.part(FULL[router][recovery])
    return minus(view.mean(setting, name, metric), full.mean(setting, name, metric))


def fairness_unchanged(view: View) -> Finding:
    """The mean spread of each changes by at most ``equally_fair`` per environment over drop-tail, ``spread_alike`` elsewhere."""
    bounds = {
        setting: view.tolerance(spread_word(setting)) / len(view.environments) for setting in view.settings
    }
    return both(
        "a tenth of the buffer leaves the spread of each as it was",
        [
            operand
            for setting in view.settings
            for name in FOUR
            for operand in within(
                f"mean spread of {name}, a tenth - the whole buffer, {setting}",
                _change(view, setting, name, "fairness"),
                bounds[setting],
            )
        ],
    )


def multiplicative_deteriorate(view: View) -> Finding:
    """Mean goodput of MIMD and MIAD falls by more than ``much_goodput``, mean loss rises by more than ``much_loss``."""
    bounds = {"goodput": -view.tolerance("much_goodput"), "loss": view.tolerance("much_loss")}
    return both(
        "a tenth of the buffer costs the multiplicative increases much goodput and adds much loss",
        [
            inequality(
                f"mean {metric} of {name}, a tenth - the whole buffer, {setting}",
                _change(view, setting, name, metric),
                "<" if metric == "goodput" else ">",
                bounds[metric],
            )
            for setting in view.settings
            for name in MULTIPLICATIVE
            for metric in ("goodput", "loss")
        ],
    )


def aiad_over_aimd(view: View) -> Finding:
    """D_goodput(AIAD) < D_goodput(AIMD), and the link stands idle for longer with AIMD, in each setting."""
    return both(
        "with a tenth of the buffer AIAD is ahead of AIMD, whose queue runs empty more often",
        [
            operand
            for setting in view.settings
            for operand in (
                gap(view, setting, "AIAD", "AIMD", "goodput", "<"),
                mean_gap(view, "idle", (setting, "AIMD"), (setting, "AIAD"), ">"),
            )
        ],
    )


def red_insensitive(view: View) -> Finding:
    """Under RED the orders of the four by D_goodput with either buffer agree by ``order_agrees``, one exchange of neighbours apart at most,
    and mean goodputs move by at most ``goodput_same``."""
    bound = view.tolerance("goodput_same")
    operands = []
    for setting in view.settings:
        recovery, _, router = setting.partition("/")
        full = view.part(FULL[router][recovery])
        small, whole = (np.stack([v.D(setting, name, "goodput") for name in FOUR]) for v in (view, full))
        operands.append(
            order_agrees(
                f"order by D_goodput, a tenth against the whole buffer, {setting}",
                FOUR,
                small,
                whole,
                view.tolerance("order_agrees"),
            )
        )
        for name in FOUR:
            text = f"mean goodput of {name}, a tenth - the whole buffer, {setting}"
            operands += within(text, _change(view, setting, name, "goodput"), bound)
    return both("under RED a tenth of the buffer changes little, and the order not much", operands)

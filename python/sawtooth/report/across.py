"""D of every algorithm across settings: a panel per metric, a group of bars per setting, a bar per algorithm.

Source: the layout of [Akella02] Figure 14 (bars per environment, algorithms side by side), turned to settings: the figure shows
one setting, the text of section 5.2 speaks of all. Error bars are 95 % intervals over seeds. Lower is better throughout.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from sawtooth.experiment.scoring import SCORED
from sawtooth.report import figures, legends
from sawtooth.report.blocks import Picture
from sawtooth.report.looks import look
from sawtooth.report.sketches import Sketches
from sawtooth.report.tables import RECOVERIES, ROUTERS, UNITS

if TYPE_CHECKING:
    from sawtooth.experiment.comparison import Comparison
    from sawtooth.experiment.intervals import Interval
    from sawtooth.experiment.matrix import SettingBlock

CAPTION = (
    "D, the score relative to the best: 0 is best (distances from the best algorithm, added over the environments; mean and 95 % interval "
    "over seeds). Compare bars within a setting, not across settings."
)


def spans(comparison: Comparison) -> bool:
    """Whether there are several settings to lay side by side, of several algorithms that are scored together."""
    scored = len(comparison.study.algorithm) > 1 and not comparison.study.in_families
    return len(comparison.own) > 1 and scored


def across_picture(blocks: Sequence[SettingBlock], sketches: Sketches) -> Picture:
    """The figure on the page."""
    drawn = sketches.of("across", lambda: figure(blocks))
    drawing = figures.inline(drawn, "across settings", "D of every algorithm in every setting")
    return Picture(drawing, CAPTION)


def setting_label(setting: str) -> str:
    """Recovery above router, for an axis."""
    recovery, _, router = setting.partition("/")
    return f"{RECOVERIES.get(recovery, recovery)}\n{ROUTERS.get(router, router)}"


def figure(blocks: Sequence[SettingBlock]) -> Figure:
    """The bars of D for the four scored metrics. The blocks have one set of algorithms."""
    names = blocks[0].algorithms
    width = 0.84 / len(names)
    places = np.arange(len(blocks))
    with mpl.rc_context(figures.STYLE):
        wide = max(7.2, 1.8 + 1.05 * len(blocks))
        drawn = Figure(figsize=(wide, 7.2 + legends.room(names, wide)), layout="constrained")
        panels = drawn.subplots(len(SCORED), 1, sharex=True)
        for axes, metric in zip(panels, SCORED, strict=True):
            for a, name in enumerate(names):
                found = [block.scores.of(name, metric).D for block in blocks]
                axes.bar(
                    places + (a - (len(names) - 1) / 2) * width,
                    [entry.mean for entry in found],
                    width * 0.92,
                    label=name,
                    **look(a).filled,
                    yerr=np.array([_reach(entry) for entry in found]).T,
                    error_kw={"ecolor": figures.INK, "elinewidth": 0.8, "capsize": 1.2, "capthick": 0.8},
                )
            axes.set_title(f"D of {metric} ({UNITS[metric]})", loc="left", fontsize=9.5)
            axes.set_ylim(bottom=0)
            axes.margins(x=0.01)
        panels[-1].set_xticks(places, [setting_label(block.setting) for block in blocks])
        legends.legend_below(drawn, panels[0].get_legend_handles_labels()[0], names, wide)
    return drawn


def _reach(found: Interval) -> tuple[float, float]:
    """Lengths of the error bar below and above; D is never negative, so the bar ends at 0."""
    if found.low is None or found.high is None:
        return 0.0, 0.0
    return max(0.0, min(found.mean, found.mean - found.low)), max(0.0, found.high - found.mean)

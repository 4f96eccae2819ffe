"""The picture of one setting at the head of its page: goodput over delay of several controllers, the delays of one alone.

Source: none; the panels are those of a comparison's figure (``compare_figures``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sawtooth.report import legends
from sawtooth.report.blocks import Picture
from sawtooth.report.compare_figures import LEAST_OF_ELLIPSE, cloud, delays, legend, marks
from sawtooth.report.drawing import MODEL_STYLE
from sawtooth.report.figures import inline
from sawtooth.report.places import wrapped
from sawtooth.report.tables import setting_title

if TYPE_CHECKING:
    from sawtooth.experiment.matrix import SettingBlock

WIDTH: Final = 4.6
"""Inches: a telephone shows it whole."""
PANEL: Final = 2.9
"""Height of what is drawn, inches."""
ELLIPSES: Final = " Ellipses: one standard deviation over the seeds."
BAND: Final = " Band: from the least to the most of the seeds."


def head_picture(block: SettingBlock, several: bool) -> Picture:
    """Goodput over delay; of a controller alone its delays, where they are kept. Of `several` settings the caption says which it is."""
    where = f"{setting_title(block.setting)}: " if several else ""
    if len(block.algorithms) == 1 and block.delays:
        caption = f"{where}share of the packets that waited no longer; left is better."
        caption += BAND if len(block.seeds) > 1 else ""
        drawing = inline(delay_figure(block), f"{block.setting} delays", "Distribution of the queueing delay")
        return Picture(drawing, caption[0].upper() + caption[1:])
    caption = f"{where}goodput over queueing delay; up and left is better."
    caption += ELLIPSES if len(block.seeds) >= LEAST_OF_ELLIPSE else ""
    drawing = inline(cloud_figure(block), f"{block.setting} cloud", "Goodput over queueing delay")
    return Picture(drawing, caption[0].upper() + caption[1:])


def cloud_figure(block: SettingBlock) -> Figure:
    """Goodput over delay, the mean over the environments where there are several."""
    with mpl.rc_context(MODEL_STYLE | {"axes.titlesize": 9.5, "axes.titlelocation": "left"}):
        figure, axes = _panel(block)
        cloud(axes, block, None if len(block.environments) > 1 else 0, beside=2)
        axes.set_ylabel("goodput (% of available)")
        axes.xaxis.label.set_fontsize(9)
        legend(figure, block, marks(block))
    return figure


def delay_figure(block: SettingBlock) -> Figure:
    """The distribution of the queueing delay, the mean over the environments where there are several."""
    with mpl.rc_context(MODEL_STYLE | {"axes.titlesize": 9.5, "axes.titlelocation": "left"}):
        figure, axes = _panel(block)
        several = len(block.environments) > 1
        where = "mean over the environments" if several else wrapped(block.environments[0], 2)
        axes.set_title(f"{wrapped(block.algorithms[0], 2)}\n{where}")
        delays(axes, block, None if several else 0)
        axes.set_ylabel("packets that waited\nno longer (%)")
        axes.xaxis.label.set_fontsize(9)
    return figure


def _panel(block: SettingBlock) -> tuple[Figure, Axes]:
    """A figure of one panel with room for its legend."""
    height = PANEL + legends.room(block.algorithms, WIDTH)
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    return figure, figure.subplots()

"""The figure of a setting in the layout of the paper: a table of scores above, bars of raw delay and loss below.

Source: [Akella02] Figures 4 to 11: one bar per algorithm in the order of the table. Error bars are 95 % intervals over seeds.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Rectangle
from matplotlib.textpath import TextPath

from sawtooth.report import legends
from sawtooth.report.figures import MUTED, STYLE, bar_legend, bars
from sawtooth.report.looks import look
from sawtooth.report.tables import COLUMNS, DECIMALS, UNITS, ScoreCell, number, score_table, spread

if TYPE_CHECKING:
    from sawtooth.experiment.matrix import SettingBlock

PANEL: Final = 2.53
"""Height of the bars of a metric, inches."""
HEAD: Final = 0.66
"""Height of the title and the headings above the table, inches."""
FOOT: Final = 0.2
"""Height of the note below it, inches."""
ROW: Final = 0.3
"""Height of a row, inches; a line of a name that is broken takes LINE."""
LINE: Final = 0.15
LEAST: Final = 1.15
"""Least width of the column of names, inches."""
COLUMN: Final = 1.29
"""Width of a column of scores, inches."""
SIDES: Final = 0.6
"""What the figure is wider than its table: the numbers beside the bars take it, inches."""
MARK: Final = 0.22
"""Width of the coloured square before a name, inches."""
LONGEST: Final = 36
"""Characters of a name in one line."""
POINTS: Final = 9.0


def paper_figure(
    block: SettingBlock, beside: Mapping[str, Mapping[str, float]], title: str, note: str
) -> Figure:
    """The figure of one setting; as wide as the names of its algorithms need, as high as they are many."""
    names = {name: textwrap.fill(name, LONGEST) for name in block.algorithms}
    first = max(LEAST, MARK + max(map(_width, names.values())) + 0.15)
    heights = [max(ROW, LINE * (shown.count("\n") + 2)) for shown in names.values()]
    width, table_height = first + len(COLUMNS) * COLUMN, HEAD + sum(heights) + FOOT
    with mpl.rc_context(STYLE):
        height = table_height + 2 * PANEL + legends.room(block.algorithms, width + SIDES)
        figure = Figure(figsize=(width + SIDES, height), layout="constrained")
        table, delay, loss = figure.subplots(3, 1, height_ratios=(table_height, PANEL, PANEL))
        table.set_axis_off()
        table.set(xlim=(0, width), ylim=(table_height, 0), autoscale_on=False)
        _heads(table, width, first, title)
        _rows(table, first, heights, [(names[name], cells) for name, cells in score_table(block, beside)])
        table.text(0, table_height, note, va="bottom", fontsize=7.5, color=MUTED)
        bars(delay, block, "delay")
        bars(loss, block, "loss")
        delay.set_xticklabels([])
        bar_legend(figure, delay, block)
    return figure


def _width(shown: str) -> float:
    """The width of a name in bold letters, inches."""
    bold = FontProperties(family=STYLE["font.family"], weight="bold")
    return float(
        max(TextPath((0, 0), line, POINTS, prop=bold).get_extents().width for line in shown.splitlines()) / 72
    )


def _lefts(first: float) -> list[float]:
    """Left edges of the columns of scores, inches."""
    return [first + place * COLUMN for place in range(len(COLUMNS))]


def _heads(axes: Axes, width: float, first: float, title: str) -> None:
    """Text placed in an empty panel: the title, and two rows of headings with a line below."""
    axes.text(0, 0, title, fontsize=11.5, fontweight="bold", va="top")
    for left, (metric, score) in zip(_lefts(first), COLUMNS, strict=True):
        if (metric, score) != ("goodput", "C"):
            axes.text(left, 0.35, metric.capitalize(), fontweight="bold", va="center")
        unit = f" ({UNITS[metric]})" if metric == "delay" else ""
        axes.text(left, 0.54, score + unit, va="center", color=MUTED)
    axes.plot([0, width], [HEAD] * 2, color=MUTED, linewidth=0.8)


def _rows(
    axes: Axes, first: float, heights: Sequence[float], rows: Sequence[tuple[str, Sequence[ScoreCell]]]
) -> None:
    """A row per algorithm below the headings, from above."""
    top = HEAD
    for place, (height, (name, cells)) in enumerate(zip(heights, rows, strict=True)):
        middle = top + height / 2
        axes.add_patch(Rectangle((0.02, middle - 0.045), 0.09, 0.09, **look(place).filled))
        axes.text(MARK, middle, name, va="center", fontweight="bold")
        for left, cell in zip(_lefts(first), cells, strict=True):
            _score_cell(axes, left, middle, cell)
        top += height


def _score_cell(axes: Axes, left: float, middle: float, cell: ScoreCell) -> None:
    decimals = DECIMALS[cell.metric]
    beside = cell.printed is not None
    line = middle - 0.19 * ROW if beside else middle
    shown = axes.annotate(
        number(cell.ours.mean, decimals),
        (left, line),
        va="center",
        fontweight="bold" if cell.best else "normal",
    )
    axes.annotate(
        spread(cell.ours, decimals),
        (1, 0.5),
        (4, 0),
        xycoords=shown,
        textcoords="offset points",
        va="center",
        fontsize=7.5,
        color=MUTED,
    )
    if beside:
        text = f"printed {number(cell.printed, decimals)}"
        axes.text(left, middle + 0.24 * ROW, text, va="center", fontsize=7.5, color=MUTED)

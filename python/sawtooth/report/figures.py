"""Figures of a report: bars of raw values per environment, and the whole figure of a setting in the layout of the paper.

Source: [Akella02] Figures 4 to 11: a table of scores above, below it the raw delay and the raw loss per environment with one bar per
algorithm in the order of the table. Error bars are 95 % intervals over seeds.

Drawn by matplotlib without its global state, as SVG with the same bytes for the same numbers: no date, fixed salt for ids. Inside
the HTML report text stays text and colours become CSS variables (``inline``), so that a figure follows the page into dark mode;
a file of its own (``standalone``) has text as outlines, a white ground and looks alike everywhere.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import matplotlib as mpl
import numpy as np
from cycler import cycler
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from sawtooth.report.places import name_places, slanted
from sawtooth.report.tables import (
    COLUMNS,
    DECIMALS,
    UNITS,
    ScoreCell,
    number,
    raw_table,
    score_table,
    spread,
)

if TYPE_CHECKING:
    from sawtooth.experiment.matrix import Block

INK: Final = "#1b1f24"
MUTED: Final = "#59636e"
GRID: Final = "#d8dee4"
WHITE: Final = "#ffffff"
SERIES: Final = ("#0072b2", "#e69f00", "#009e73", "#b5477f", "#56b4e9", "#d55e00", "#7a6a00", "#666666")
"""Colours of the algorithms in their order: Okabe and Ito's palette, told apart with any colour vision."""

VARIABLES: Final[Mapping[str, str]] = {
    INK: "var(--ink)",
    MUTED: "var(--muted)",
    GRID: "var(--line)",
    WHITE: "var(--paper)",
    **{colour: f"var(--series-{place})" for place, colour in enumerate(SERIES)},
}
"""What each colour becomes inside the page."""

PIXELS: Final = 108
"""Of an inch on the page: 9-point letters are a little smaller there than the text around them."""

TITLES: Final[Mapping[str, str]] = {
    "goodput": "Goodput (fraction of available bandwidth)",
    "fairness": "Fairness spread (largest − smallest) / mean",
    "delay": "Mean queueing delay (ms)",
    "loss": "Loss (% of packets)",
}

STYLE: Final[dict[Any, Any]] = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.prop_cycle": cycler(color=[INK]),
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "text.color": INK,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.major.size": 0,
    "legend.frameon": False,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
}


def bars(axes: Axes, block: Block, metric: str) -> None:
    """One group of bars per environment, one bar per algorithm, with error bars."""
    rows = raw_table(block, metric)
    width = 0.8 / len(block.algorithms)
    places = np.arange(len(rows))
    for a, name in enumerate(block.algorithms):
        cells = [cells[a].ours for _, cells in rows]
        means = np.array([cell.mean for cell in cells])
        below = np.array([0.0 if c.low is None else min(c.mean, c.mean - c.low) for c in cells])
        above = np.array([0.0 if c.high is None else c.high - c.mean for c in cells])
        axes.bar(
            places + (a - (len(block.algorithms) - 1) / 2) * width,
            means,
            width * 0.92,
            color=SERIES[a % len(SERIES)],
            label=name,
            yerr=np.vstack([np.maximum(below, 0.0), np.maximum(above, 0.0)]),
            error_kw={"ecolor": INK, "elinewidth": 0.9, "capsize": 1.6, "capthick": 0.9},
        )
    name_places(axes, [name for name, _ in rows])
    axes.set_title(TITLES[metric], loc="left", fontsize=9.5)
    axes.margins(x=0.01)
    axes.set_ylim(bottom=0)
    if metric == "goodput":
        axes.set_ylim(0, max(1.0, axes.get_ylim()[1]))


def values_figure(block: Block) -> Figure:
    """The bars of all four metrics of a setting above each other, for the page."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(9.0, 6.8 + 0.5 * slanted(block.environments)), layout="constrained")
        panels = figure.subplots(len(TITLES), 1, sharex=True)
        for axes, metric in zip(panels, TITLES, strict=True):
            bars(axes, block, metric)
        _legend(figure, panels[0], block)
    return figure


def paper_figure(block: Block, beside: Mapping[str, Mapping[str, float]], title: str, note: str) -> Figure:
    """The figure of one setting in the layout of the paper: table of scores above, bars of raw delay and loss below."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(8.2, 8.4), layout="constrained")
        table, delay, loss = figure.subplots(3, 1, height_ratios=(1.15, 1, 1))
        _score_table(table, score_table(block, beside), title, note)
        bars(delay, block, "delay")
        bars(loss, block, "loss")
        delay.set_xticklabels([])
        _legend(figure, delay, block)
    return figure


def _legend(figure: Figure, axes: Axes, block: Block) -> None:
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside lower center", ncols=min(len(block.algorithms), 8), handlelength=1
    )


def _score_table(axes: Axes, rows: Sequence[tuple[str, Sequence[ScoreCell]]], title: str, note: str) -> None:
    """Text placed in an empty panel of unit size: a title, two rows of headings, a row per algorithm, a note."""
    axes.set_axis_off()
    axes.set(xlim=(0, 1), ylim=(0, 1), autoscale_on=False)
    step = 0.72 / len(rows)
    axes.text(0, 1.0, title, fontsize=11.5, fontweight="bold", va="top")
    for left, (metric, score) in zip(LEFTS, COLUMNS, strict=True):
        if (metric, score) != ("goodput", "C"):
            axes.text(left, 0.885, metric.capitalize(), fontweight="bold", va="center")
        unit = f" ({UNITS[metric]})" if metric == "delay" else ""
        axes.text(left, 0.825, score + unit, va="center", color=MUTED)
    axes.plot([0, 1], [0.785] * 2, color=MUTED, linewidth=0.8)
    for place, (name, cells) in enumerate(rows):
        middle = 0.785 - (place + 0.5) * step
        axes.plot([0.008], [middle], "s", color=SERIES[place % len(SERIES)], markersize=6)
        axes.text(0.026, middle, name, va="center", fontweight="bold")
        for left, cell in zip(LEFTS, cells, strict=True):
            _score_cell(axes, left, middle, step, cell)
    axes.text(0, 0.0, note, va="bottom", fontsize=7.5, color=MUTED)


LEFTS: Final = (0.15, 0.32, 0.49, 0.66, 0.83)
"""Left edges of the score columns, in panel widths."""


def _score_cell(axes: Axes, left: float, middle: float, step: float, cell: ScoreCell) -> None:
    decimals = DECIMALS[cell.metric]
    beside = cell.printed is not None
    line = middle + 0.19 * step if beside else middle
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
        axes.text(left, middle - 0.24 * step, text, va="center", fontsize=7.5, color=MUTED)


PLACES: Final = 6
"""Decimals of a panel's place as a share of the figure: far below a pixel."""


def round_places(figure: Figure) -> None:
    """Lay the figure out once and for all; to do so takes as long as to draw.

    The solver of the constrained layout gives places that differ from run to run in their last digits, and an SVG file names its clip
    paths after all digits.
    """
    engine = figure.get_layout_engine()
    if not isinstance(engine, ConstrainedLayoutEngine):
        return
    engine.execute(figure)
    figure.set_layout_engine(None)  # a placeholder ("none") would have every file drawn twice
    for axes in figure.axes:
        left, bottom, width, height = (
            round(value, PLACES) for value in axes.get_position(original=True).bounds
        )
        axes.set_position((left, bottom, width, height))


def standalone(figure: Figure, salt: str) -> str:
    """The figure as an SVG file: white ground, text as outlines, the same bytes for the same figure."""
    return _svg(figure, salt, "path", "white")


def inline(figure: Figure, salt: str, label: str) -> Markup:
    """The figure as an element of the page: text as text, colours as CSS variables, a label for those who hear the page."""
    with mpl.rc_context(STYLE):
        round_places(figure)
    svg = _svg(figure, salt, "none", "none")
    svg = svg[svg.index("<svg") :]
    for colour, variable in VARIABLES.items():
        svg = svg.replace(colour, variable)
    svg = re.sub(r"font: (\S+ )*?([\d.]+)px [^;\"]*", _font, svg)
    width = round(figure.get_figwidth() * PIXELS)
    svg = re.sub(r' (width|height)="[\d.]+pt"', "", svg, count=2)
    svg = re.sub(r" xmlns:xlink=\"[^\"]*\"", "", svg) if "xlink:href" not in svg else svg
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    escaped = label.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
    return Markup(
        svg.replace(
            "<svg ",
            f'<svg role="img" aria-label="{escaped}" style="--width:{width}px;max-width:{width}px" ',
            1,
        )
    )


def _font(match: re.Match[str]) -> str:
    weight = "700 " if "bold" in match[0] or "700" in match[0] else ""
    return f"font: {weight}{match[2]}px var(--sans)"


def _svg(figure: Figure, salt: str, fonttype: str, ground: str) -> str:
    sink = io.StringIO()
    with mpl.rc_context({**STYLE, "svg.hashsalt": f"sawtooth {salt}", "svg.fonttype": fonttype}):
        figure.savefig(sink, format="svg", metadata={"Date": None, "Creator": None}, facecolor=ground)
    return sink.getvalue()


def series_colours(names: Sequence[str]) -> dict[str, str]:
    """CSS variable of each algorithm's colour."""
    return {name: f"var(--series-{place % len(SERIES)})" for place, name in enumerate(names)}

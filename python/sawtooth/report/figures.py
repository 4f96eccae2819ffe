"""Figures of a report: their style, bars of raw values per environment, and a figure as markup or as a file.

Source: [Akella02] Figures 4 to 11 for the bars: one per algorithm and environment. Error bars are 95 % intervals over seeds.

Drawn by matplotlib without its global state, as SVG with the same bytes for the same numbers: no date, fixed salt for ids. Inside
the HTML report text stays text and colours become CSS variables (``inline``), so that a figure follows the page into dark mode;
a file of its own (``standalone``) has text as outlines, a white ground and looks alike everywhere.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import matplotlib as mpl
import numpy as np
from cycler import cycler
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from sawtooth.report import legends
from sawtooth.report.looks import SERIES, WHITE, look
from sawtooth.report.places import name_places, slanted
from sawtooth.report.tables import raw_table

if TYPE_CHECKING:
    from sawtooth.experiment.matrix import SettingBlock

INK: Final = "#1b1f24"
MUTED: Final = "#59636e"
GRID: Final = "#d8dee4"

VARIABLES: Final[Mapping[str, str]] = {
    INK: "var(--ink)",
    MUTED: "var(--muted)",
    GRID: "var(--line)",
    WHITE: "var(--paper)",
    **{colour: f"var(--series-{place})" for place, colour in enumerate(SERIES)},
}
"""What each colour becomes inside the page."""

WIDTH: Final = 9.0
"""Of the bars on the page, inches."""
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


def bars(axes: Axes, block: SettingBlock, metric: str) -> None:
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
            label=name,
            **look(a).filled,
            yerr=np.vstack([np.maximum(below, 0.0), np.maximum(above, 0.0)]),
            error_kw={"ecolor": INK, "elinewidth": 0.9, "capsize": 1.6, "capthick": 0.9},
        )
    name_places(axes, [name for name, _ in rows])
    axes.set_title(TITLES[metric], loc="left", fontsize=9.5)
    axes.margins(x=0.01)
    axes.set_ylim(bottom=0)
    if metric == "goodput":
        axes.set_ylim(0, max(1.0, axes.get_ylim()[1]))


def values_figure(block: SettingBlock) -> Figure:
    """The bars of all four metrics of a setting above each other, for the page."""
    with mpl.rc_context(STYLE):
        height = 6.4 + 0.5 * slanted(block.environments) + legends.room(block.algorithms, WIDTH)
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        panels = figure.subplots(len(TITLES), 1, sharex=True)
        for axes, metric in zip(panels, TITLES, strict=True):
            bars(axes, block, metric)
        bar_legend(figure, panels[0], block)
    return figure


def bar_legend(figure: Figure, axes: Axes, block: SettingBlock) -> None:
    """Below the figure, the algorithm of each bar of the axes."""
    handles = axes.get_legend_handles_labels()[0]
    legends.legend_below(figure, handles, block.algorithms, figure.get_figwidth())


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

"""Single flows over time in a report: a column for each kind, a graph for each flow, ``+`` for a packet lost, ``x`` for one marked.

Source: [Floyd00] Figures 8 and 9 for the arrangement and the symbols.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sawtooth.report import figures
from sawtooth.report.blocks import Block, Fold, Picture, Row, Section, Table, Words
from sawtooth.report.drawing import MODEL_STYLE, MUTED, SERIES
from sawtooth.report.inline import joined
from sawtooth.report.runs import run_cell
from sawtooth.report.sketches import Sketches

if TYPE_CHECKING:
    from sawtooth.experiment.strips import Strip, StripsFigure

DROP: Final = SERIES[5]
MARK: Final = SERIES[3]
HEIGHT: Final = 0.95
"""Of one graph, inches."""
FOOT: Final = 0.14
"""Where the symbols stand below zero, as a share of the highest rate."""


def strips_figure(figure: StripsFigure) -> Figure:
    """All strips with common axes, rates in fair shares of the link."""
    rows, columns = figure.spec.flows, len(figure.columns)
    with mpl.rc_context(MODEL_STYLE):
        drawn = Figure(figsize=(4.8 * columns, HEIGHT * rows + 0.9), layout="constrained")
        grid = drawn.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
    highest = max(
        float(strip.rates_bps.max()) / figure.fair_bps for _, strips in figure.columns for strip in strips
    )
    for place, (kind, strips) in enumerate(figure.columns):
        for line, strip in enumerate(strips):
            _graph(grid[line][place], figure, strip, highest, SERIES[place])
        grid[0][place].set_title(kind, loc="left", fontsize=9.5)
        grid[-1][place].set_xlabel("time, s")
    drawn.supylabel("throughput, fair share = 1", fontsize=9)
    symbols = grid[0][-1]
    for marker, colour, name in (("+", DROP, "dropped"), ("x", MARK, "marked")):
        symbols.plot([], [], marker, color=colour, markersize=4.5, label=name)
    handles, names = symbols.get_legend_handles_labels()
    drawn.legend(handles, names, loc="outside lower center", ncols=2, frameon=False, fontsize=7.5)
    return drawn


def _graph(axes: Axes, figure: StripsFigure, strip: Strip, highest: float, colour: str) -> None:
    axes.stairs(strip.rates_bps / figure.fair_bps, figure.edges_s, baseline=None, color=colour, linewidth=1.1)
    axes.axhline(1.0, color=MUTED, linewidth=0.6, linestyle=":")
    for times, marker, own in ((strip.drops_s, "+", DROP), (strip.marks_s, "x", MARK)):
        foot = [-FOOT * highest] * times.size
        axes.plot(times, foot, marker, color=own, markersize=4.5, markeredgewidth=0.9)
    axes.set_ylim(-1.8 * FOOT * highest, 1.05 * highest)
    axes.set_xlim(figure.edges_s[0], figure.edges_s[-1])
    axes.annotate(
        f"flow {strip.flow}", (1, 1), xycoords="axes fraction", ha="right", va="top", fontsize=7, color=MUTED
    )


def strips_section(figure: StripsFigure, sketches: Sketches) -> Section:
    """The section of one figure on the page."""
    spec = figure.spec
    only = ", ".join(f"{name} {label}" for name, label in spec.only.items())
    blocks: list[Block] = []
    if spec.printed:
        blocks.append(Words(f"In the paper: {spec.printed}.", "muted"))
    if only:
        blocks.append(Words(f"The run with {only}.", "muted"))
    blocks += [strips_picture(figure, sketches), Fold("Flow by flow", [_table(figure)])]
    return Section(anchor(figure), spec.title, blocks)


def strips_picture(figure: StripsFigure, sketches: Sketches) -> Picture:
    """The figure on the page."""
    spec = figure.spec
    note = (
        f"Throughput in bins of {figure.edges_s[1] - figure.edges_s[0]:g} s over a fair share of the link; a + for each packet of the "
        f"flow that was dropped, an x for each that was marked. {spec.flows} flows of each kind, evenly over their round-trip times. Run "
    )
    drawn = sketches.of(spec.name, lambda: strips_figure(figure))
    drawing = figures.inline(drawn, f"strips-{spec.name}", spec.title)
    return Picture(drawing, joined([note.rstrip(), run_cell([figure.run_id])]))


def anchor(figure: StripsFigure) -> str:
    """The name of the figure's section."""
    return f"strips-{figure.spec.name}"


def _table(figure: StripsFigure) -> Table:
    rows = [
        Row(
            f"{kind}, flow {strip.flow}",
            [
                f"{strip.rates_bps.mean() / figure.fair_bps:.3f}",
                f"{strip.variation:.3f}",
                str(strip.drops_s.size),
                str(strip.marks_s.size),
            ],
        )
        for kind, strips in figure.columns
        for strip in strips
    ]
    heads = ("Flow", "mean throughput, fair share = 1", "coefficient of variation", "drops", "marks")
    return Table(heads, rows, caption="Of what is shown.")

"""Throughputs of single flows in a report: marks and mean lines over the drop rate, the drop rate below them; a table; the runs.

Source: [Floyd00] Figures 2 to 6 and 12 for the arrangement; the upper panels stand over the drop rate, so that
figures with other links can be compared, the lower ones over the number of flows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sawtooth.report import figures
from sawtooth.report.blocks import Block, Fold, Picture, Row, Section, Table, Words
from sawtooth.report.drawing import MUTED, SERIES, canvas
from sawtooth.report.runs import run_cell
from sawtooth.report.sketches import Sketches

if TYPE_CHECKING:
    from sawtooth.experiment.flow_shares import SharesFigure, SharesPoint
    from sawtooth.experiment.intervals import Interval

MARKERS: Final = ("o", "s")
LINES: Final = ("--", "-")
"""The paper draws the mean of the first kind dashed and that of the second solid."""
OFFSET: Final = (-0.012, 0.012)
"""How far the marks of a kind stand beside their drop rate, in shares of the axis, so that the kinds do not hide each other."""


def shares_figure(figure: SharesFigure) -> Figure:
    """A column of two panels for each label of the figure's ``columns``."""
    count = len(figure.columns)
    drawn, panels = canvas(4.6 * count + 0.4, 5.0, 2, count, height_ratios=(2.4, 1), sharey="row")
    highest = max(point.drops.mean for _, points in figure.columns for point in points)
    for place, (column, points) in enumerate(figure.columns):
        above, below = panels[place], panels[count + place]
        _throughputs(above, figure, points, highest)
        _drop_rates(below, points)
        above.set_title(f"{figure.spec.columns}: {column}", loc="left", fontsize=9.5)
        above.set_xlabel("drop rate, %")
        below.set_xlabel(figure.spec.x_label or figure.spec.x)
        if place == 0:
            above.set_ylabel("throughput, fair share = 1")
            below.set_ylabel("drop rate, %")
            handles, labels = above.get_legend_handles_labels()
            drawn.legend(
                handles, labels, loc="outside upper right", ncols=len(labels), frameon=False, fontsize=7.5
            )
    return drawn


def _throughputs(axes: Axes, figure: SharesFigure, points: tuple[SharesPoint, ...], highest: float) -> None:
    axes.axhline(1.0, color=MUTED, linewidth=0.8)
    for kind, name in enumerate(figure.spec.kinds):
        colour, aside = SERIES[kind], OFFSET[kind % 2] * highest
        marks = [(rate + aside, share) for point in points for rate, share in point.flows[kind]]
        axes.plot(*zip(*marks, strict=True), MARKERS[kind % 2], color=colour, markersize=1.8, alpha=0.4)
        rates = [point.drops.mean for point in points]
        means = [point.means[kind].mean for point in points]
        axes.plot(rates, means, LINES[kind % 2], color=colour, linewidth=1.6, label=f"{name}, mean")
    best = max(
        share for _, among in figure.columns for point in among for own in point.flows for _, share in own
    )
    axes.set_ylim(0, 1.05 * best)
    axes.set_xlim(left=min(0.0, min(rate for point in points for rate, _ in point.flows[0]) - 0.02 * highest))


def _drop_rates(axes: Axes, points: tuple[SharesPoint, ...]) -> None:
    places = range(len(points))
    means = [point.drops.mean for point in points]
    axes.plot(places, means, "-", color=SERIES[2], linewidth=0.8)
    for place, point in zip(places, points, strict=True):
        low, high = _bounds(point.drops)
        bars = [[point.drops.mean - low], [high - point.drops.mean]]
        axes.errorbar(
            [place], [point.drops.mean], yerr=bars, fmt="D", color=SERIES[2], markersize=4, elinewidth=0.9
        )
    axes.set_xticks(list(places), [str(point.x) for point in points])
    axes.set_ylim(bottom=0)


def _bounds(found: Interval) -> tuple[float, float]:
    return (found.mean if found.low is None else found.low, found.mean if found.high is None else found.high)


def shares_section(figure: SharesFigure, sketches: Sketches, drawn: bool = True) -> Section:
    """The section of one figure on the page; ``drawn``: it stands here and not at the head of the page."""
    spec = figure.spec
    only = ", ".join(f"{name} {label}" for name, label in spec.only.items())
    blocks: list[Block] = []
    if spec.printed:
        blocks.append(Words(f"In the paper: {spec.printed}.", "muted"))
    if only:
        blocks.append(Words(f"Runs with {only}.", "muted"))
    blocks += [
        *([shares_picture(figure, sketches)] if drawn else []),
        Fold("Every mean, with its runs", [_table(figure)]),
    ]
    return Section(anchor(figure), spec.title, blocks)


def shares_picture(figure: SharesFigure, sketches: Sketches) -> Picture:
    """The figure on the page."""
    note = (
        "A mark is one flow in one run, a line joins the means of a kind. Below, the drop rate over the number of flows; "
        "bars are 95 % intervals over seeds."
    )
    spec = figure.spec
    drawn = sketches.of(spec.name, lambda: shares_figure(figure))
    return Picture(figures.inline(drawn, f"shares-{spec.name}", spec.title), note)


def anchor(figure: SharesFigure) -> str:
    """The name of the figure's section."""
    return f"shares-{figure.spec.name}"


def _table(figure: SharesFigure) -> Table:
    heads = [
        figure.spec.columns,
        figure.spec.x_label or figure.spec.x,
        "drop rate, %",
        *figure.spec.kinds,
        "runs",
    ]
    rows = [
        Row(
            str(column),
            [
                str(point.x),
                *(_shown(found) for found in (point.drops, *point.means)),
                run_cell(point.run_ids),
            ],
        )
        for column, points in figure.columns
        for point in points
    ]
    return Table(
        heads, rows, caption="Throughput of each kind in fair shares: mean and 95 % interval over seeds."
    )


def _shown(found: Interval) -> str:
    if found.low is None or found.high is None:
        return f"{found.mean:.4g}"
    return f"{found.mean:.4g} [{found.low:.4g}, {found.high:.4g}]"

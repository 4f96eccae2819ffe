"""Throughputs of single flows in a report: marks and mean lines over the drop rate, the drop rate below them; a table; the runs.

Source: [Floyd00] Figures 2 to 6 and 12 for the arrangement; the upper panels stand over the drop rate, so that
figures with other links can be compared, the lower ones over the number of flows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sawtooth.report import figures
from sawtooth.report.drawing import MUTED, SERIES, canvas
from sawtooth.report.elements import code, details, element, head, paragraph, row, section, table, text

if TYPE_CHECKING:
    from sawtooth.experiment.flow_shares import SharesFigure, SharesPoint
    from sawtooth.experiment.intervals import Interval
    from sawtooth.experiment.plan import Label

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
            above.legend(loc="best", frameon=False, fontsize=7.5)
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


def shares_section(figure: SharesFigure) -> str:
    """The section of one figure on the page."""
    spec = figure.spec
    drawing = figures.inline(shares_figure(figure), f"shares-{spec.name}", spec.title)
    only = ", ".join(f"{name} {label}" for name, label in spec.only.items())
    note = (
        "A mark is one flow in one run, a line joins the means of a kind. Below, the drop rate over the number of flows; "
        "bars: 95 % interval over seeds."
    )
    parts = [
        paragraph(f"Printed: {text(spec.printed)}", "muted") if spec.printed else "",
        paragraph(text(only), "muted") if only else "",
        element("figure", drawing),
        paragraph(note, "muted"),
        details("Every mean", _table(figure)),
        details("Runs by point", _runs(figure)),
    ]
    return section(anchor(figure), text(spec.title), *(part for part in parts if part))


def anchor(figure: SharesFigure) -> str:
    """The name of the figure's section."""
    return f"shares-{figure.spec.name}"


def _table(figure: SharesFigure) -> str:
    heads = [
        f"{figure.spec.columns}, {figure.spec.x_label or figure.spec.x}",
        "drop rate, %",
        *figure.spec.kinds,
    ]
    rows = [
        row(_label(column, point), [text(_shown(found)) for found in (point.drops, *point.means)])
        for column, points in figure.columns
        for point in points
    ]
    return table([head(*map(text, heads))], rows, caption="Mean and 95 % interval over seeds.")


def _runs(figure: SharesFigure) -> str:
    rows = [
        row(
            _label(column, point),
            [" ".join(code(run_id[:12]) for run_id in point.run_ids)],
            words=True,
        )
        for column, points in figure.columns
        for point in points
    ]
    return table([head("Point", "Runs")], rows, kind="runs")


def _label(column: Label, point: SharesPoint) -> str:
    return text(f"{column}, {point.x}")


def _shown(found: Interval) -> str:
    if found.low is None or found.high is None:
        return f"{found.mean:.4g}"
    return f"{found.mean:.4g} [{found.low:.4g}, {found.high:.4g}]"

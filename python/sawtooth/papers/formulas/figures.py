"""The figure of one overlay: points with intervals over the lines of the formulas, and beside it how far they are apart.

Source: none. Left the measured values over the formulas, right the deviation from the reference with the band within which a point is not
apart; a filled marker is apart, a ring is not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import NullFormatter

from sawtooth.report.drawing import GRID, INK, MUTED, SERIES, canvas

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from sawtooth.experiment.intervals import Interval
    from sawtooth.papers.formulas.points import FormulaCurve, FormulaPoint

MARKERS = "osD^vP"


def overlay_figure(curve: FormulaCurve, tolerance: float) -> Figure:
    """The two panels of one curve."""
    figure, (values, deviations) = canvas(9.6, 4.2, 1, 2)
    colours = {name: SERIES[place % len(SERIES)] for place, name in enumerate(curve.series)}
    others = [name for name in curve.lines if name not in colours]
    for name, (x, y) in curve.lines.items():
        colour = colours.get(name, INK)
        style = ("--", ":")[others.index(name) % 2] if name in others else "-"
        values.plot(x, y, style, color=colour, linewidth=1.0, label=name if name in others else None)
    scale = 100.0 if curve.kind == "ratio" else 1.0
    deviations.axhspan(-tolerance * scale, tolerance * scale, color=GRID, alpha=0.5, linewidth=0)
    deviations.axhline(0.0, color=MUTED, linewidth=0.8)
    for place, name in enumerate(curve.series):
        points = curve.of(name)
        marker = MARKERS[place % len(MARKERS)]
        _points(values, points, [point.measured for point in points], colours[name], marker, tolerance, name)
        shown = [point.deviation for point in points]
        _points(deviations, points, shown, colours[name], marker, tolerance, None, scale)
        x = [point.x for point in points]
        deviations.plot(x, [scale * entry.mean for entry in shown], color=colours[name], linewidth=0.8)
    unit = " (%)" if curve.kind == "ratio" else ""
    values.set(xlabel=curve.x_label, ylabel=curve.y_label)
    deviations.set(xlabel=curve.x_label, ylabel=f"deviation from {curve.reference}{unit}")
    _scales(curve, values, deviations)
    values.legend(loc="best", frameon=False, fontsize=7.5)
    return figure


def _points(
    axes: Axes,
    points: Sequence[FormulaPoint],
    shown: Sequence[Interval],
    colour: str,
    marker: str,
    tolerance: float,
    label: str | None,
    scale: float = 1.0,
) -> None:
    """Markers with error bars; filled where the point is apart."""
    for place, (point, found) in enumerate(zip(points, shown, strict=True)):
        low = found.mean if found.low is None else found.low
        high = found.mean if found.high is None else found.high
        axes.errorbar(
            [point.x],
            [scale * found.mean],
            yerr=[[scale * (found.mean - low)], [scale * (high - found.mean)]],
            fmt=marker,
            color=colour,
            markersize=4.5,
            markerfacecolor=colour if point.apart(tolerance) else "none",
            elinewidth=0.9,
            label=label if place == 0 else None,
        )


def _scales(curve: FormulaCurve, values: Axes, deviations: Axes) -> None:
    """Logarithmic axes where the curve asks for them or its places span more than a decade."""
    places = np.array([point.x for point in curve.points])
    wide = places.max() / places.min() > 15
    for axes in (values, deviations):
        if curve.logarithmic or wide:
            axes.set_xscale("log")
            axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
            axes.xaxis.set_minor_formatter(NullFormatter())
    if wide and not curve.logarithmic and places.min() >= 1:
        for axes in (values, deviations):
            axes.set_xticks(sorted(set(places.tolist())))
    if curve.logarithmic:
        values.set_yscale("log")
        values.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        values.yaxis.set_minor_formatter(NullFormatter())

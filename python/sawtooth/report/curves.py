"""A curve in a report: two panels (values; what stands beside the chosen series), a table of its points, and the runs behind them.

Source: none. Bars are 95 % intervals over seeds; a filled marker of the right panel has an interval without 0.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sawtooth.report import figures
from sawtooth.report.blocks import Block, Fold, Picture, Row, Section, Table, Words
from sawtooth.report.curve_tables import cell, contrast_axis, contrast_label, contrast_scale
from sawtooth.report.drawing import MUTED, SERIES, canvas
from sawtooth.report.quantities import quantities
from sawtooth.report.runs import run_cell
from sawtooth.report.sketches import Sketches
from sawtooth.report.ticks import number_ticks, word_ticks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sawtooth.experiment.curves import Curve, CurvePoint
    from sawtooth.experiment.intervals import Interval

MARKERS: Final = "osD^vPX*"
DODGE: Final = 0.008
"""Distance between series that share a place, as a share of the axis."""
DODGE_WORDS: Final = 0.06
"""The same where places are words, as a share of the distance between two."""
DODGE_FACTOR: Final = 1.04
"""The same on a logarithmic axis, as a factor."""
WIDE: Final = 15
"""Ratio of the largest to the smallest place from which the x axis is logarithmic."""
LETTERS: Final = 54
"""Letters that fit side by side under a panel."""
MARK_LETTERS: Final = 8
"""Letters that the mark of a series takes in a legend, with the gaps."""
TITLE_LETTERS: Final = 34
"""Letters of a line beside a panel."""


def curve_figure(curve: Curve) -> Figure:
    """The panels of one curve."""
    contrasted = any(point.contrast is not None for point in curve.points)
    figure, panels = canvas(9.6 if contrasted else 5.4, 3.8, 1, 2 if contrasted else 1)
    for number, name in enumerate(curve.series):
        style = (SERIES[number % len(SERIES)], MARKERS[number % len(MARKERS)])
        points = curve.of(name)
        _line(panels[0], curve, points, [point.value for point in points], style, str(name))
        beside = [point for point in points if point.contrast is not None]
        if beside:
            shown = [point.contrast for point in beside if point.contrast is not None]
            _line(panels[1], curve, beside, shown, style, str(name), contrast_scale(curve), contrast=True)
    panels[0].set_ylabel("\n".join(textwrap.wrap(curve.spec.y_label or curve.spec.title, TITLE_LETTERS)))
    if all(point.value.mean >= 0.0 for point in curve.points):
        panels[0].set_ylim(bottom=max(0.0, panels[0].get_ylim()[0]))
    _legend(figure, panels[0], 2 * LETTERS if contrasted else LETTERS)
    if contrasted:
        panels[1].axhline(0.0, color=MUTED, linewidth=0.8)
        panels[1].set_ylabel(contrast_axis(curve))
    for axes in panels:
        axes.set_xlabel(curve.spec.x_label or (curve.spec.x if _numeric(curve) else ""))
        _x_axis(axes, curve)
    return figure


def _legend(figure: Figure, axes: Axes, letters: int) -> None:
    """The names of the series below the panels, where no curve runs; as many side by side as fit."""
    handles, names = axes.get_legend_handles_labels()
    columns = max(1, min(len(names), letters // (max(map(len, names)) + MARK_LETTERS)))
    figure.legend(handles, names, loc="outside lower center", ncols=columns, frameon=False, fontsize=7.5)


def _line(
    axes: Axes,
    curve: Curve,
    points: Sequence[CurvePoint],
    shown: Sequence[Interval],
    style: tuple[str, str],
    label: str,
    scale: float = 1.0,
    contrast: bool = False,
) -> None:
    """One series: a marker with its interval for each point, and a thin line through places that are numbers."""
    colour, marker = style
    x = [_position(curve, point) for point in points]
    if quantities(curve.places) is not None or curve.spec.at:
        axes.plot(x, [scale * found.mean for found in shown], color=colour, linewidth=0.8)
    for place, (at, found) in enumerate(zip(x, shown, strict=True)):
        low = found.mean if found.low is None else found.low
        high = found.mean if found.high is None else found.high
        filled = not contrast or (found.low is not None and (low > 0 or high < 0))
        axes.errorbar(
            [at],
            [scale * found.mean],
            yerr=[[scale * max(0.0, found.mean - low)], [scale * max(0.0, high - found.mean)]],
            fmt=marker,
            color=colour,
            markersize=4.5,
            markerfacecolor=colour if filled else "none",
            elinewidth=0.9,
            label=label if place == 0 else None,
        )


def _numeric(curve: Curve) -> bool:
    return all(isinstance(place, int | float) for place in curve.places)


def _position(curve: Curve, point: CurvePoint) -> float:
    """Where a point stands: its number or the place of its word, moved a little so that the bars of the series do not hide each other."""
    if point.at is not None:
        return point.at
    aside = curve.series.index(point.series) - (len(curve.series) - 1) / 2
    if not _numeric(curve):
        return curve.places.index(point.x) + DODGE_WORDS * aside
    places = np.array(curve.places, dtype=np.float64)
    if _logarithmic(places):
        return float(float(point.x) * DODGE_FACTOR**aside)
    return float(point.x) + DODGE * aside * float(np.ptp(places))


def _logarithmic(places: NDArray[np.float64]) -> bool:
    return bool(places.min() > 0 and places.max() / places.min() > WIDE)


def _x_axis(axes: Axes, curve: Curve) -> None:
    """Numbers at their place, logarithmic where they span much; words evenly."""
    if curve.spec.at:
        return
    if not _numeric(curve):
        word_ticks(axes, [str(place) for place in curve.places], LETTERS)
        return
    places = np.array(curve.places, dtype=np.float64)
    number_ticks(axes, places.tolist(), LETTERS, logarithmic=_logarithmic(places))


def curve_section(curve: Curve, sketches: Sketches, drawn: bool = True) -> Section:
    """The section of one curve on the page; ``drawn``: its figure stands here and not at the head of the page."""
    spec = curve.spec
    only = ", ".join(f"{name} {label}" for name, label in spec.only.items())
    blocks: list[Block] = []
    if spec.printed:
        blocks.append(Words(f"In the paper: {spec.printed}.", "muted"))
    if only:
        blocks.append(Words(f"Runs with {only}.", "muted"))
    blocks += [
        *([curve_picture(curve, sketches)] if drawn else []),
        Fold("Every point, with its runs", [_table(curve)]),
    ]
    return Section(anchor(curve), spec.title, blocks)


def curve_picture(curve: Curve, sketches: Sketches) -> Picture:
    """The figure of one curve on the page."""
    note = "Bars are 95 % intervals over seeds."
    if curve.spec.beside is not None:
        note += f" Left the values; right the {contrast_axis(curve)} within each seed, where the interval of a filled mark leaves 0 out."
    drawn = sketches.of(curve.spec.name, lambda: curve_figure(curve))
    return Picture(figures.inline(drawn, curve.spec.name, curve.spec.title), note)


def anchor(curve: Curve) -> str:
    """The name of a curve's section."""
    return f"curve-{curve.spec.name}"


def _table(curve: Curve) -> Table:
    rows = []
    for point in curve.points:
        shown, contrast = cell(point, curve)
        beside = [contrast or "–"] if curve.spec.beside is not None else []
        rows.append(Row(str(point.series), [str(point.x), shown, *beside, run_cell(point.run_ids)]))
    heads = [
        curve.spec.series,
        curve.spec.x_label or curve.spec.x,
        curve.spec.y_label or curve.spec.value,
        *([contrast_label(curve)] if curve.spec.beside is not None else []),
        "runs",
    ]
    return Table(heads, rows, caption="Mean and 95 % interval over seeds.")

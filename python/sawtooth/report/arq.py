"""The report of Go-Back-N: efficiency against error rate over the formula, what a fixed round trip makes of it, and the verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sawtooth.atomic import write_bytes_atomic, write_text_atomic
from sawtooth.errors import MISSING, InputError
from sawtooth.models.sliding_window import efficiency
from sawtooth.report import figures
from sawtooth.report.claims import COMPUTED_HOW, claims_section, summary
from sawtooth.report.drawing import INK, SERIES, canvas, figure_files
from sawtooth.report.elements import (
    document,
    element,
    head,
    link,
    paragraph,
    row,
    section,
    table,
    text,
)
from sawtooth.report.tables import number, with_spread

if TYPE_CHECKING:
    from sawtooth.papers.reddy2012.sliding_window import Arq
    from sawtooth.papers.reddy2012.sliding_window.study import Point


def write_arq(found: Arq, path: Path) -> list[Path]:
    """Write the HTML file ``path`` and its figure as SVG and PDF beside it. Returns the files, HTML first."""
    drawn = figure_files(path.with_name(f"{path.stem}_efficiency"), efficiency_figure(found.points))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text_atomic(path, page(found))
        for target, data in drawn.items():
            write_bytes_atomic(target, data)
    except OSError as error:
        raise InputError(
            "report", str(path), MISSING, f"a place that can be written ({error.strerror})"
        ) from error
    return [path, *drawn]


def page(found: Arq) -> str:
    """The whole document."""
    study = found.study
    bound = study.tolerance["apart"].value
    lead = (
        f"{len(found.points)} points, {study.seeds} transfers of {study.slots:,} frame times each. Where the round trip is as long as the "
        f"window, {len(found.apart)} of them lie wholly more than {bound:.0%} from the formula."
    )
    header = [
        paragraph(f"Sawtooth report · {text(study.name)}", "kicker"),
        element("h1", text(study.title)),
        paragraph(f"Expected picture: {text(study.picture)}.", "lead"),
        paragraph(text(lead)),
        summary(found.judged),
        element("nav", " · ".join([link("#efficiency", "Efficiency"), link("#claims", "Claims")])),
    ]
    if found.quick:
        header.append(paragraph("<strong>Quick form:</strong> fewer seeds, shorter transfers.", "note"))
    drawing = figures.inline(efficiency_figure(found.points), "efficiency", "Efficiency against error rate")
    parts = [
        element("header", "\n".join(header)),
        section("efficiency", "Efficiency", element("figure", drawing), *_tables(found.points, bound)),
        claims_section(found.judged, COMPUTED_HOW),
    ]
    return document(study.name, parts)


def efficiency_figure(points: Sequence[Point]) -> Figure:
    """One panel for round trips as long as the window, over the formula, and one per fixed round trip."""
    fixed = sorted({point.round_trip for point in points if point.round_trip != point.window})
    kinds = [None, *fixed]
    drawn, panels = canvas(4.8 * len(kinds), 4.0, 1, len(kinds))
    windows = sorted({point.window for point in points})
    for axes, round_trip in zip(panels, kinds, strict=True):
        for place, window in enumerate(windows):
            wanted = window if round_trip is None else round_trip
            series = [point for point in points if (point.window, point.round_trip) == (window, wanted)]
            # A window as long as the fixed round trip stands twice among the points.
            own = {point.p: point for point in series}
            _series(
                axes, list(own.values()), SERIES[place % len(SERIES)], f"N = {window}", round_trip is None
            )
        title = (
            "round trip = window, lines: formula"
            if round_trip is None
            else f"round trip {round_trip} frame times"
        )
        axes.set_title(title, loc="left", fontsize=9, color=INK)
        axes.set(
            xscale="log",
            xlabel="probability that a frame is damaged",
            ylabel="delivered per frame time",
            ylim=(0, 1.05),
        )
    handles, labels = panels[0].get_legend_handles_labels()
    drawn.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False, fontsize=8)
    return drawn


def _series(axes: Axes, points: Sequence[Point], colour: str, label: str, formula: bool) -> None:
    x = np.array([point.p for point in points])
    y = np.array([point.efficiency.mean for point in points])
    half = np.array([point.efficiency.half_width or 0.0 for point in points])
    style = "o" if formula else "o-"
    axes.errorbar(x, y, yerr=half, fmt=style, markersize=3.5, linewidth=0.8, color=colour, label=label)
    if formula and len(x) > 1:
        fine = np.geomspace(x.min(), x.max(), 200)
        axes.plot(fine, efficiency(fine, points[0].window), color=colour, linewidth=1.0)


def _tables(points: Sequence[Point], bound: float) -> list[str]:
    rows = []
    for point in points:
        deviation = "–" if point.deviation is None else f"{100 * point.deviation:+.1f} %"
        mark = "" if point.formula is None else ("apart" if point.leaves(bound) else "on it")
        cells = [
            text(f"{point.round_trip}"),
            text(f"{point.p:g}"),
            with_spread(point.efficiency, 4),
            number(point.formula, 4),
            deviation,
            mark,
            with_spread(point.repeats, 3),
        ]
        rows.append(row(text(f"N = {point.window}"), cells))
    heads = [
        head("Window", "round trip", "p", "efficiency", "formula", "deviation", "", "sent again (share)")
    ]
    caption = "Frames delivered per frame time, mean and 95 % interval over transfers."
    folded = element("details", element("summary", "All points") + table(heads, rows, caption=caption))
    return [folded]

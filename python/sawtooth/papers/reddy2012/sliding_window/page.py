"""The report of Go-Back-N: efficiency against error rate over the formula, what a fixed round trip makes of it, and the verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sawtooth.experiment.typed import NOTHING_TYPED, Typed
from sawtooth.models.sliding_window import efficiency
from sawtooth.report import figures
from sawtooth.report.blocks import Page, Picture, Row, Section, Table
from sawtooth.report.claims import COMPUTED_HOW, claims_section, failures, verdict_sentences
from sawtooth.report.drawing import INK, SERIES, canvas, figure_files
from sawtooth.report.tables import counts, number, with_spread
from sawtooth.report.words import INTERVAL, VERDICTS
from sawtooth.report.write import write_page

if TYPE_CHECKING:
    from sawtooth.papers.reddy2012.sliding_window.simulate import Arq
    from sawtooth.papers.reddy2012.sliding_window.study import WindowPoint


def write_arq(found: Arq, path: Path, typed: Typed = NOTHING_TYPED) -> list[Path]:
    """Write the HTML file ``path`` and its figure as SVG and PDF beside it. Returns the files, HTML first."""
    drawn = figure_files(path.with_name(f"{path.stem}_efficiency"), efficiency_figure(found.points))
    return write_page(page(found).made_with(typed), path, drawn)


def page(found: Arq) -> Page:
    """The page."""
    study = found.study
    bound = study.tolerance["apart"].value
    drawing = figures.inline(efficiency_figure(found.points), "efficiency", "Efficiency against error rate")
    return Page(
        name=study.name,
        title=study.title,
        answer=answer(found),
        facts={"Points": str(len(found.points)), "Transfers": f"{study.seeds} per point"},
        counts=counts(found.judged),
        notes=["Quick form: fewer seeds and shorter transfers."] if found.quick else [],
        picture=Picture(
            drawing,
            "Frames delivered per frame time. Marks are simulated, lines the formula; N is the window in frames.",
        ),
        failures=failures(found.judged),
        words=[INTERVAL, VERDICTS],
        sections=[
            Section("points", "All points", [_table(found.points, bound)], folded=True),
            claims_section(found.judged, COMPUTED_HOW),
        ],
        command=f"sawtooth reproduce {study.name}{' --quick' if found.quick else ''} --seeds {study.seeds}",
    )


def answer(found: Arq) -> list[str]:
    """How far the simulated protocol follows the formula, and the verdicts."""
    study = found.study
    bound = study.tolerance["apart"].value
    fitting = [point for point in found.points if point.formula is not None]
    widest = max(fitting, key=lambda point: abs(point.deviation or 0.0))
    follows = (
        f"Where the round trip is as long as the window, {len(fitting) - len(found.apart)} of {len(fitting)} points follow the formula "
        f"within {bound:.0%}; the largest deviation is {100 * (widest.deviation or 0.0):+.1f} %, at N = {widest.window} and an error rate "
        f"of {widest.p:g}."
    )
    size = f"{len(found.points)} points, {study.seeds} transfers of {study.slots:,} frame times each, simulated frame by frame"
    return [follows, *verdict_sentences(found.judged), f"This rests on {size}."]


def efficiency_figure(points: Sequence[WindowPoint]) -> Figure:
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


def _series(axes: Axes, points: Sequence[WindowPoint], colour: str, label: str, formula: bool) -> None:
    x = np.array([point.p for point in points])
    y = np.array([point.efficiency.mean for point in points])
    bars = np.array([point.efficiency.reaches for point in points]).T
    style = "o" if formula else "o-"
    axes.errorbar(x, y, yerr=bars, fmt=style, markersize=3.5, linewidth=0.8, color=colour, label=label)
    if formula and len(x) > 1:
        fine = np.geomspace(x.min(), x.max(), 200)
        axes.plot(fine, efficiency(fine, points[0].window), color=colour, linewidth=1.0)


def _table(points: Sequence[WindowPoint], bound: float) -> Table:
    rows = []
    for point in points:
        deviation = "–" if point.deviation is None else f"{100 * point.deviation:+.1f} %"
        mark = "" if point.formula is None else ("apart" if point.leaves(bound) else "on it")
        cells = [
            f"{point.round_trip}",
            f"{point.p:g}",
            with_spread(point.efficiency, 4),
            number(point.formula, 4),
            deviation,
            mark,
            with_spread(point.repeats, 3),
        ]
        rows.append(Row(f"N = {point.window}", cells))
    heads = [
        "Window",
        "round trip, frame times",
        "error rate",
        "efficiency",
        "formula",
        "deviation",
        "verdict",
        "sent again (share)",
    ]
    return Table(
        heads, rows, caption="Frames delivered per frame time, mean and 95 % interval over transfers."
    )

"""Reports: one HTML file that works offline, and the figures of each setting as SVG and PDF files beside it.

A report shows a ``Comparison``: numbers of stored runs, every one with the run ids behind it. It reads and draws; it
never runs anything. The same stored runs give the same bytes. A paper of several parts has a page of its own and one for each part.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sawtooth.atomic import write_bytes_atomic
from sawtooth.errors import MISSING, InputError
from sawtooth.plurals import number_of
from sawtooth.report.sketches import Sketches
from sawtooth.report.tables import setting_title

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from sawtooth.experiment.comparison import Comparison
    from sawtooth.report.blocks import Page


@dataclass(frozen=True)
class PlannedPage:
    """What is drawn, where it goes, and the page of the paper that it is a part of."""

    comparison: Comparison
    path: Path
    up: tuple[str, str] | None = None

    def write(self) -> list[Path]:
        """The page and its figures; their files. Raises InputError for a place that cannot be written."""
        return write_report(self.comparison, self.path, self.up)


def write_report(comparison: Comparison, path: Path, up: tuple[str, str] | None = None) -> list[Path]:
    """Write the HTML file ``path`` and its figures as SVG and PDF files beside it; ``up`` is the page of the paper that it is a part of.

    Returns the files, HTML first.
    """
    # Imported here: matplotlib takes long, and every command imports this package for its tables.
    from sawtooth.report.drawing import figure_files
    from sawtooth.report.part_page import part_page

    sketches = Sketches()
    page = part_page(comparison, sketches, up)
    files: dict[Path, bytes] = {}
    for name, drawing, style in _figures(comparison, sketches):
        files |= figure_files(path.with_name(f"{path.stem}_{name}"), drawing, style)
    return write_page(page, path, files)


def write_page(page: Page, path: Path, beside: Mapping[Path, bytes]) -> list[Path]:
    """Write a page as the HTML file ``path``, and the files ``beside`` it. Returns all files, HTML first.

    InputError for a place that cannot be written.
    """
    from sawtooth.report.render import render

    files = {path: render(page).encode(), **beside}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        for target, data in files.items():
            write_bytes_atomic(target, data)
    except OSError as error:
        raise InputError(
            "report", str(path), MISSING, f"a place that can be written ({error.strerror})"
        ) from error
    return list(files)


def _figures(comparison: Comparison, sketches: Sketches) -> Iterator[tuple[str, Figure, Mapping[Any, Any]]]:
    """Name and style of each figure of a page: what the paper adds, and those of each setting and across them."""
    from sawtooth.report import across, figures
    from sawtooth.report.curves import curve_figure
    from sawtooth.report.drawing import MODEL_STYLE
    from sawtooth.report.score_figure import paper_figure
    from sawtooth.report.shares import shares_figure
    from sawtooth.report.strips import strips_figure

    for shares in comparison.shares:
        yield shares.spec.name, sketches.of(shares.spec.name, partial(shares_figure, shares)), MODEL_STYLE
    for strips in comparison.strips:
        yield strips.spec.name, sketches.of(strips.spec.name, partial(strips_figure, strips)), MODEL_STYLE
    for curve in comparison.curves:
        yield curve.spec.name, sketches.of(curve.spec.name, partial(curve_figure, curve)), MODEL_STYLE
    for exhibit in comparison.exhibits:
        for name, drawn in exhibit.figures().items():
            yield name, drawn, figures.STYLE
    if any(exhibit.instead_of_scores for exhibit in comparison.exhibits):
        return
    if across.spans(comparison):
        yield "across", sketches.of("across", lambda: across.figure(comparison.own)), figures.STYLE
    for block in comparison.own:
        title, note = figure_texts(comparison, block.setting)
        drawn = paper_figure(block, comparison.beside(block), title, note)
        yield block.setting.replace("/", "-"), drawn, figures.STYLE


def figure_texts(comparison: Comparison, setting: str) -> tuple[str, str]:
    """Title and note of the figure of one setting."""
    results = comparison.results
    printed = any(row["published_D"] is not None for row in comparison.score_rows)
    seeds = len(results.seeds)
    of_seeds = f"mean and 95 % interval over {seeds} seeds" if seeds > 1 else "one seed"
    over = f"{number_of(len(results.environments), 'environment')}, {of_seeds}"
    note = f"{'Ours: over' if printed else 'Over'} {over}. Lowest of a column bold."
    if printed:
        note += f" Printed: over {number_of(comparison.printed_environments or 0, 'environment')}."
    return setting_title(setting), note

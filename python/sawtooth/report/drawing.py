"""Figures of models: one canvas, one style, any format. What is drawn is numbers handed in; nothing is computed or run here.

A figure of its own (``encode``) is an SVG, PDF or PNG file with the same bytes for the same numbers: no date, no random identifiers.
Beside a report each figure lies twice, as SVG for screens and as PDF for papers (``figure_files``).
Inside the HTML report the same figure follows the page into dark mode (``sawtooth.report.figures.inline``).
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import matplotlib as mpl
from fontTools import subset
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sawtooth.atomic import write_bytes_atomic
from sawtooth.report.figure_file import UNDATED, format_of
from sawtooth.report.figures import GRID, INK, MUTED, STYLE, round_places
from sawtooth.report.looks import SERIES

__all__ = ["GRID", "INK", "MUTED", "SERIES", "Drawing", "canvas", "encode", "figure_files", "save"]

BESIDE: Final = ("svg", "pdf")
"""The forms in which each figure of a report is written."""

MODEL_STYLE: Final[dict[Any, Any]] = {
    **STYLE,
    "axes.grid.axis": "both",
    "xtick.major.size": 3,
    "ytick.major.size": 3,
}


@dataclass(frozen=True)
class Drawing:
    """A figure of a report: a name for its file, a title, a sentence or two below, and the figure itself."""

    name: str
    title: str
    caption: str
    figure: Figure


def canvas(
    width: float, height: float, rows: int = 1, columns: int = 1, **options: Any
) -> tuple[Figure, Sequence[Axes]]:
    """An empty figure of that size in inches and its panels, row by row; ``options`` go to ``Figure.subplots``."""
    with mpl.rc_context(MODEL_STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        panels = figure.subplots(rows, columns, squeeze=False, **options)
    return figure, [axes for line in panels for axes in line]


UNUSED: Final = ("GSUB", "GPOS", "GDEF", "kern")
"""Tables of a font that set text; text in a PDF file is set already, and to cut these takes longer than to draw."""


@contextmanager
def _only_outlines() -> Iterator[None]:
    """Fonts are embedded without the tables that nobody reads there."""
    usual = subset.Options._drop_tables_default
    subset.Options._drop_tables_default = [*usual, *UNUSED]
    try:
        yield
    finally:
        subset.Options._drop_tables_default = usual


FILE_STYLE: Final[dict[Any, Any]] = {
    "svg.hashsalt": "sawtooth",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,  # TrueType, which journals ask for and editors can search
}


def encode(figure: Figure, form: str, style: Mapping[Any, Any] = MODEL_STYLE) -> bytes:
    """The figure as a file of one of FORMATS, on a white ground; ``style`` is the one that it was drawn in."""
    sink = io.BytesIO()
    with mpl.rc_context({**style, **FILE_STYLE}), _only_outlines():
        round_places(figure)
        figure.savefig(sink, format=form, metadata=UNDATED[form], dpi=150, facecolor="white")
    return sink.getvalue()


def figure_files(stem: Path, figure: Figure, style: Mapping[Any, Any] = MODEL_STYLE) -> dict[Path, bytes]:
    """The files that a figure of a report becomes, by path: ``stem`` (a path without an ending) in each form of BESIDE."""
    return {stem.with_name(f"{stem.name}.{form}"): encode(figure, form, style) for form in BESIDE}


def save(figure: Figure, path: Path) -> None:
    """Write the figure to ``path``, in the format its name ends in. InputError for another ending or no such directory."""
    form = format_of(path)
    write_bytes_atomic(path, encode(figure, form))

"""Figures of models: one canvas, one style, any format. What is drawn is numbers handed in; nothing is computed or run here.

A figure of its own (``encode``) is an SVG, PDF or PNG file with the same bytes for the same numbers: no date, no random identifiers.
Inside the HTML report the same figure follows the page into dark mode (``sawtooth.report.figures.inline``).
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sawtooth.atomic import write_bytes_atomic
from sawtooth.errors import InputError
from sawtooth.report.figures import GRID, INK, MUTED, SERIES, STYLE
from sawtooth.report.traces import FORMATS, UNDATED

__all__ = ["GRID", "INK", "MUTED", "SERIES", "Drawing", "canvas", "encode", "save"]

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


def encode(figure: Figure, form: str) -> bytes:
    """The figure as a file of one of FORMATS, on a white ground."""
    sink = io.BytesIO()
    with mpl.rc_context({**MODEL_STYLE, "svg.hashsalt": "sawtooth", "svg.fonttype": "path"}):
        figure.savefig(sink, format=form, metadata=UNDATED[form], dpi=150, facecolor="white")
    return sink.getvalue()


def save(figure: Figure, path: Path) -> None:
    """Write the figure to ``path``, in the format its name ends in. InputError for another ending or no such directory."""
    form = path.suffix.removeprefix(".")
    if form not in FORMATS:
        raise InputError("--plot", None, str(path), "a file name that ends in ." + ", .".join(FORMATS))
    if not path.absolute().parent.is_dir():
        raise InputError("--plot", None, str(path), "a file in a directory that exists")
    write_bytes_atomic(path, encode(figure, form))

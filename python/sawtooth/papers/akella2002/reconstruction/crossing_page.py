"""A crossing as a figure, an HTML report and blocks of a Markdown page. Values come in, pages go out; nothing is run.

Blocks: ``crossing command``, ``crossing summary`` (sentences), ``crossing values`` (every value), ``crossing nearest`` (combinations),
``crossing left out`` (every setting). The figure of a page lies beside it as ``figures/PAPER-crossing.svg``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sawtooth.atomic import write_bytes_atomic
from sawtooth.experiment.typed import NOTHING_TYPED, Typed
from sawtooth.papers.akella2002.reconstruction.confidence_set import LEVEL
from sawtooth.papers.akella2002.reconstruction.crossing_result import (
    CROSSED,
    NEAREST_HEADS,
    VALUE_HEADS,
    OpenCrossing,
    nearest_rows,
    sentences,
    value_rows,
)
from sawtooth.plain import written
from sawtooth.report import figures
from sawtooth.report.blocks import Page, Picture, Row, Section, Table, Words
from sawtooth.report.drawing import MODEL_STYLE, MUTED, SERIES, canvas, encode, figure_files
from sawtooth.report.inline import code
from sawtooth.report.markdown import fill
from sawtooth.report.pipe_table import pipe_table
from sawtooth.report.write import write_page

LEFT_OUT_HEADS: Final = ("setting left out", "chosen in the others", "its misfit there", "the values taken")
CAPTION: Final = (
    "A disc is a combination of values, at each of its values once: filled if it may be nearest to print, a grey ring if it is ruled out. "
    "Grey shading is a value of which all combinations are ruled out."
)
MISFIT: Final = (
    "Mean of |ln((ours + e) / (printed + e))| over the columns of a row, the rows of a table and the tables; e is the size below which "
    "two numbers are the same. 0.69 is a factor of two."
)
WORDS: Final = (
    ("Misfit", MISFIT),
    (
        "May be nearest",
        "In the model confidence set at 95 %: a bootstrap over printed tables does not tell it from the nearest.",
    ),
    ("Ruled out", "A value none of whose combinations may be nearest."),
    (
        "Farther on average",
        "Its mean misfit over the values of the other parameters is larger than that of another value, at 95 %.",
    ),
    (
        "Weakly identifiable",
        "Some values are ruled out, or farther on average. Identifiable: one value is left.",
    ),
    (
        "Made-up printing",
        "Numbers of a known combination, with errors of the size that the printed tables show.",
    ),
)


def crossing_figure(found: OpenCrossing) -> Figure:
    """The mean misfit of every combination over the values of each parameter, a panel for each."""
    with mpl.rc_context(MODEL_STYLE):
        widths = [
            sum(value.run > 0 for value in found.values if value.factor is found.factors[place])
            for place in found.places
        ]
        figure, panels = canvas(
            1.5 + 0.75 * sum(widths), 3.6, 1, len(widths), gridspec_kw={"width_ratios": widths}, sharey=True
        )
        for axes, place in zip(panels, found.places, strict=True):
            _panel(axes, found, place)
        panels[0].set_ylabel("mean misfit")
    return figure


def _panel(axes: Axes, found: OpenCrossing, place: int) -> None:
    factor = found.factors[place]
    values = sorted(found.of(place), key=lambda value: _in_order(factor.levels[value.level], value.level))
    for x, value in enumerate(values):
        here = np.array([entry.combination.levels[place] == value.level for entry in found.tried])
        aside = np.linspace(-0.28, 0.28, int(here.sum())) if here.sum() > 1 else np.zeros(1)
        order = np.argsort(found.means[here], kind="stable")
        means, left = found.means[here][order], (found.p_values >= LEVEL)[here][order]
        if value.ruled_out:
            axes.axvspan(x - 0.45, x + 0.45, color=MUTED, alpha=0.12, linewidth=0)
        axes.plot(x + aside[~left], means[~left], "o", color=MUTED, markersize=3, fillstyle="none")
        axes.plot(x + aside[left], means[left], "o", color=SERIES[0], markersize=4)
    names = [f"{value.text}\n(taken)" if value.level == 0 else value.text for value in values]
    axes.set_xticks(range(len(values)), names, fontsize=8)
    axes.set_xlim(-0.5, len(values) - 0.5)
    axes.grid(visible=False, axis="x")
    axes.set_title(factor.short, loc="left", fontsize=9)


def _in_order(value: object, level: int) -> tuple[int, float, int]:
    """Numbers of one unit by size, everything else as it comes."""
    number, _, unit = written(value).partition(" ")
    try:
        return (len(unit), float(number), level)
    except ValueError:
        return (0, 0.0, level)


def write_crossing(found: OpenCrossing, path: Path, typed: Typed = NOTHING_TYPED) -> list[Path]:
    """Write the HTML file ``path`` and the figure beside it as SVG and PDF."""
    return write_page(
        page(found).made_with(typed), path, figure_files(path.with_name(path.stem), crossing_figure(found))
    )


def page(found: OpenCrossing) -> Page:
    """The page: which of the crossed values the printed tables rule out."""
    has = found.conditions
    says, _, standings, *more = sentences(found)  # how much was run stands among the facts
    return Page(
        name=f"{found.name} crossing",
        title="Which values the printed tables rule out",
        answer=[says, *more],
        facts={
            "Combinations": str(len(found.tried)),
            "Runs": f"{int(has['runs']):,}",
            "Parameters crossed": str(len(found.places)),
            "Printed tables": str(len(found.tables_run)),
        },
        picture=Picture(
            figures.inline(crossing_figure(found), "crossing", "Misfit of every combination"), CAPTION
        ),
        words=WORDS,
        sections=[
            Section(
                "values",
                "Every value",
                [Words(standings), _table(VALUE_HEADS, value_rows(found), code_first=True)],
            ),
            Section("nearest", "Nearest to print", [_table(NEAREST_HEADS, nearest_rows(found))]),
            Section(
                "left-out", "Every setting left out in turn", [_table(LEFT_OUT_HEADS, left_out_rows(found))]
            ),
        ],
        command=str(has["command"]),
    )


def _table(heads: tuple[str, ...], rows: list[list[str]], code_first: bool = False) -> Table:
    return Table(
        heads, [Row(code(first) if code_first else first, rest) for first, *rest in rows], look="words"
    )


def left_out_rows(found: OpenCrossing) -> list[list[str]]:
    """A row for every setting."""
    return [
        [each.setting, _values(each.chosen.changed(found.factors)), f"{each.misfit:.3f}", f"{each.taken:.3f}"]
        for each in found.left_out
    ]


def _values(changed: dict[str, object]) -> str:
    return ", ".join(f"{name} = {written(value)}" for name, value in changed.items()) or "the values taken"


def blocks(found: OpenCrossing) -> dict[str, str]:
    """The content of every block by name."""
    return dict(
        zip(
            CROSSED,
            (
                f"```sh\n{found.conditions['command']}\n```",
                "\n".join(f"- {line}" for line in sentences(found)),
                pipe_table(VALUE_HEADS, value_rows(found)),
                pipe_table(NEAREST_HEADS, nearest_rows(found)),
                pipe_table(LEFT_OUT_HEADS, left_out_rows(found)),
            ),
            strict=True,
        )
    )


def update_crossing(path: Path, found: OpenCrossing) -> None:
    """Fill the places of a Markdown page, and write the figure beside it, where the page names it."""
    fill(path, blocks(found), True)
    name = f"{found.name}-crossing.svg"
    if f"figures/{name}" in path.read_text(encoding="utf-8"):
        picture = path.parent / "figures" / name
        picture.parent.mkdir(parents=True, exist_ok=True)
        write_bytes_atomic(picture, encode(crossing_figure(found), "svg"))

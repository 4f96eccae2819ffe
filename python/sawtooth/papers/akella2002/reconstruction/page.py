"""A reconstruction as a figure, an HTML report and blocks of a Markdown page. Values come in, pages go out; nothing is run.

Blocks: ``reconstruction command`` (what was run), ``reconstruction design`` (how much the model asks of how many combinations, which no
result is needed for), ``reconstruction summary`` (sentences), ``reconstruction effects``,
``reconstruction joint``, ``reconstruction finalists``, ``reconstruction unexplained``. The figure of a page lies beside it as
``figures/PAPER-reconstruction.svg``, and the values of the finalists, too long for a cell, as ``PAPER-reconstruction.csv``.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Final

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sawtooth.atomic import write_bytes_atomic, write_text_atomic
from sawtooth.experiment.typed import NOTHING_TYPED, Typed
from sawtooth.papers.akella2002.reconstruction.factors import Combination
from sawtooth.papers.akella2002.reconstruction.result import (
    Reconstruction,
    design,
    sentences,
    signed,
    with_interval,
)
from sawtooth.papers.akella2002.reconstruction.rows import EXPLAINED, FIGURE
from sawtooth.plain import written
from sawtooth.plurals import number_of
from sawtooth.report import figures
from sawtooth.report.blocks import Page, Picture, Row, Section, Table
from sawtooth.report.drawing import INK, MODEL_STYLE, MUTED, SERIES, canvas, encode, figure_files
from sawtooth.report.inline import code
from sawtooth.report.markdown import fill
from sawtooth.report.pipe_table import pipe_table
from sawtooth.report.write import write_page

TAKEN: Final = "the values taken"
ROWS_MOST: Final = 40
"""Unexplained rows of the Markdown table."""
SIZES_MOST: Final = 10
"""Combinations of round trip, packet and buffer in a table."""


def strongest(found: Reconstruction) -> list[tuple[int, int]]:
    """Factor and level of every value other than those taken, the largest effect in units of its spread first."""
    effects = found.effects
    places = [
        (factor, level)
        for factor in range(len(found.factors))
        for level in range(1, len(found.factors[factor].levels))
    ]

    def strength(place: tuple[int, int]) -> float:
        factor, level = place
        spread = float(effects.draws[factor][:, level].std())
        return abs(float(effects.means[factor][level])) / spread if spread > 0.0 else 0.0

    return sorted(places, key=lambda place: -strength(place))


def reconstruction_figure(found: Reconstruction) -> Figure:
    """Left the effects of values on the misfit, fitted and held out; right the least misfit of any combination by table."""
    shown = strongest(found)
    with mpl.rc_context(MODEL_STYLE):
        figure, (left, right) = canvas(
            10.5, 1.2 + 0.19 * max(len(shown), 14), 1, 2, gridspec_kw={"width_ratios": [1.25, 1.0]}
        )
        _effects(left, found, shown)
        _tables(right, found)
    return figure


def _effects(axes: Axes, found: Reconstruction, shown: list[tuple[int, int]]) -> None:
    names, places = [], range(len(shown))
    for place, (factor, level) in enumerate(shown):
        low, high = found.effects.interval(factor, level)
        sure = low > 0.0 or high < 0.0
        colour = SERIES[0] if sure else MUTED
        axes.plot([low, high], [place, place], color=colour, linewidth=1.4)
        axes.plot([found.effects.means[factor][level]], [place], "o", color=colour, markersize=4)
        axes.plot(
            [found.held_out.means[factor][level]],
            [place],
            "o",
            color=SERIES[5],
            markersize=4,
            fillstyle="none",
        )
        names.append(f"{found.factors[factor].entry.key} = {written(found.factors[factor].levels[level])}")
    axes.axvline(0.0, color=INK, linewidth=0.8)
    axes.set_yticks(list(places), names, fontsize=7)
    axes.invert_yaxis()
    axes.set_title(
        "change of the misfit (negative explains more); ring: other settings", loc="left", fontsize=8
    )


def _tables(axes: Axes, found: Reconstruction) -> None:
    settings = list(dict.fromkeys(entry.block.setting for entry in found.rows))
    families = list(dict.fromkeys(entry.block.family for entry in found.rows))
    smallest = found.smallest()
    values = np.full((len(settings), len(families)), np.nan)
    for s, setting in enumerate(settings):
        for f, family in enumerate(families):
            least = [
                smallest[place][0]
                for place, entry in enumerate(found.rows)
                if place in smallest and (entry.block.setting, entry.block.family) == (setting, family)
            ]
            if least:
                values[s, f] = float(np.mean([value > EXPLAINED for value in least]))
                axes.annotate(
                    f"{sum(value > EXPLAINED for value in least)}/{len(least)}",
                    (f, s),
                    ha="center",
                    va="center",
                    fontsize=8,
                )
    axes.imshow(values, cmap="OrRd", vmin=0.0, vmax=1.4, aspect="auto")
    axes.set_xticks(range(len(families)), ["figures" if name == FIGURE else name for name in families])
    axes.set_yticks(range(len(settings)), settings)
    axes.grid(visible=False)
    axes.set_title("printed rows that no combination explains", loc="left", fontsize=8)


def write_reconstruction(found: Reconstruction, path: Path, typed: Typed = NOTHING_TYPED) -> list[Path]:
    """Write the HTML file ``path`` and the figure beside it as SVG and PDF."""
    return write_page(
        page(found).made_with(typed),
        path,
        figure_files(path.with_name(path.stem), reconstruction_figure(found)),
    )


def page(found: Reconstruction) -> Page:
    """The page: which open values explain the printed tables."""
    drawing = figures.inline(reconstruction_figure(found), "reconstruction", "Effects and unexplained rows")
    has = found.conditions
    finding, _, *more = sentences(found)  # how much was run stands among the facts
    return Page(
        name=f"{found.name} reconstruction",
        title="Which open values explain the printed tables",
        answer=[finding, *more],
        facts={
            "Combinations": str(len(found.tried)),
            "Runs asked for": f"{int(str(has['runs'])):,}",
            "Open parameters": str(len(found.factors)),
            "Finalists": str(len(found.finalists)),
        },
        picture=Picture(
            drawing,
            "Left the change of the misfit by each value, fitted (disc, 95 %) and on the other settings (ring). Right, how many "
            "rows of each printed table no combination explains.",
        ),
        words=WORDS,
        sections=[
            Section("finalists", "At full length", [_finalists(found)]),
            Section("joint", "Effects of several values together", [_joint_table(found)], folded=True),
            Section("effects", "Every value of every open parameter", [_effect_table(found)], folded=True),
            Section(
                "unexplained", "Printed rows that no combination explains", [_unexplained(found)], folded=True
            ),
        ],
        command=str(has["command"]),
    )


_MISFIT: Final = (
    "Mean over the columns of a row of |ln((ours + e) / (printed + e))|, e being the size below which two numbers are the same; 0.69 is a "
    "factor of two."
)
WORDS: Final = (
    ("Misfit of a printed row", _MISFIT),
    (
        "Effect",
        "From half of the settings; intervals are those of a bootstrap over printed tables and combinations.",
    ),
    (
        "Identifiable",
        "One level is best in 95 % of the draws, and the other settings confirm it. Weakly: some levels can be ruled out.",
    ),
    ("Finalist", "A combination that was run at full length."),
)


def _finalists(found: Reconstruction) -> Table:
    rows = [
        Row(
            _values(entry.combination, found),
            [
                f"{entry.mean(found.training):.3f}",
                f"{entry.mean(~found.training):.3f}",
                "–" if entry.fitted is None else entry.fitted.text,
                "–" if entry.held_out is None else entry.held_out.text,
            ],
        )
        for entry in found.finalists
    ]
    return Table(
        ["Values changed", "Misfit, fitted", "Misfit, held out", "Gain, fitted", "Gain, held out"],
        rows,
        look="words",
    )


def _values(chosen: Combination, found: Reconstruction) -> str:
    changed = chosen.changed(found.factors)
    return ", ".join(f"{name} = {written(value)}" for name, value in changed.items()) or TAKEN


def _finalist(place: int, chosen: Combination, found: Reconstruction) -> str:
    """What a cell says of a finalist: its number in the file of values, and how many values it changes."""
    changed = chosen.changed(found.factors)
    return f"{place}: {number_of(len(changed), 'value')}" if changed else TAKEN


def finalists_csv(found: Reconstruction) -> str:
    """Every value that a finalist changes, a row each."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["finalist", "parameter", "value"])
    for place, entry in enumerate(found.finalists):
        changed = entry.combination.changed(found.factors)
        rows.writerows([place, name, written(value)] for name, value in changed.items())
    return text.getvalue()


def _effect_rows(found: Reconstruction) -> list[list[str]]:
    rows = []
    for factor, level in strongest(found):
        low, high = found.effects.interval(factor, level)
        rows.append(
            [
                found.factors[factor].short,
                written(found.factors[factor].levels[0]),
                written(found.factors[factor].levels[level]),
                with_interval(float(found.effects.means[factor][level]), (low, high)),
                signed(float(found.held_out.means[factor][level])),
                f"{100 * found.shares[factor][level]:.0f} %",
                found.standings[factor].value,
            ]
        )
    return rows


def _effect_table(found: Reconstruction) -> Table:
    return Table(EFFECT_HEADS, [Row(code(first), rest) for first, *rest in _effect_rows(found)])


def _joint_rows(found: Reconstruction) -> list[list[str]]:
    return [
        [joint.short, with_interval(joint.effect, joint.interval), signed(joint.held_out)]
        for joint in (*found.doublings, *found.sizes[:SIZES_MOST])
    ]


def _joint_table(found: Reconstruction) -> Table:
    return Table(JOINT_HEADS, [Row(first, rest) for first, *rest in _joint_rows(found)])


JOINT_HEADS: Final = ("a doubling, or values together", "effect on the misfit (95 %)", "other settings")
EFFECT_HEADS: Final = (
    "parameter",
    "taken",
    "value",
    "effect on the misfit (95 %)",
    "other settings",
    "best in so many draws",
    "this sweep says",
)


def _unexplained_rows(found: Reconstruction) -> list[list[str]]:
    return [
        [
            entry.name,
            ", ".join(f"{column.replace('_', ' ')} {value:g}" for column, value in entry.values.items()),
            f"{least:.2f}",
            str(count),
        ]
        for entry, least, count in found.unexplained()
    ]


def _unexplained(found: Reconstruction) -> Table:
    heads = ["Row", "Printed", "Least misfit", "Combinations"]
    return Table(heads, [Row(first, rest) for first, *rest in _unexplained_rows(found)], look="words")


def update_page(path: Path, found: Reconstruction) -> None:
    """Fill the places of a Markdown page, and write the figure and the values of the finalists beside it, where the page names them."""
    fill(path, blocks(found), True)
    text = path.read_text(encoding="utf-8")
    listed = f"{found.name}-reconstruction.csv"
    if listed in text:
        write_text_atomic(path.parent / listed, finalists_csv(found))
    name = f"{found.name}-reconstruction.svg"
    if f"figures/{name}" in text:
        picture = path.parent / "figures" / name
        picture.parent.mkdir(parents=True, exist_ok=True)
        write_bytes_atomic(picture, encode(reconstruction_figure(found), "svg"))


def blocks(found: Reconstruction) -> dict[str, str]:
    """The content of every block by name."""
    finalists = [
        [
            _finalist(place, entry.combination, found),
            f"{entry.mean(found.training):.3f}",
            f"{entry.mean(~found.training):.3f}",
            "" if entry.held_out is None else entry.held_out.text,
        ]
        for place, entry in enumerate(found.finalists)
    ]
    heads = ["values changed", "misfit, fitted half", "misfit, other half", "gain on the other half"]
    return {
        "reconstruction command": f"```sh\n{found.conditions['command']}\n```",
        "reconstruction design": design(found),
        "reconstruction summary": "\n".join(f"- {line}" for line in sentences(found)),
        "reconstruction effects": pipe_table(EFFECT_HEADS, _effect_rows(found)),
        "reconstruction joint": pipe_table(JOINT_HEADS, _joint_rows(found)),
        "reconstruction finalists": pipe_table(heads, finalists),
        "reconstruction unexplained": pipe_table(
            ["row", "printed", "least misfit", "times run"], _unexplained_rows(found)[:ROWS_MOST]
        ),
    }

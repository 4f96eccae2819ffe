"""The appendix as a page: how far our orders agree with the printed ones, the choice of representatives, total goodputs, and every table.

Source: the layout of the tables is that of the appendix of [Akella02]: D and C of goodput of the instances of a family in one setting.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from matplotlib.figure import Figure

from sawtooth.experiment.rank import RESAMPLES, Estimate
from sawtooth.experiment.scoring import SCORED
from sawtooth.papers.akella2002.instances import (
    CHOSEN,
    REFERENCE,
    Choice,
    FamilyTable,
    Instance,
    Total,
    choices,
    family_tables,
    totals,
)
from sawtooth.report import figures
from sawtooth.report.drawing import GRID, INK, MUTED, SERIES, canvas
from sawtooth.report.elements import details, element, head, paragraph, row, section, table, text
from sawtooth.report.tables import (
    RAW_DECIMALS,
    UNITS,
    number,
    raw_table,
    setting_title,
    spread,
    with_spread,
)

if TYPE_CHECKING:
    from sawtooth.experiment.comparison import Comparison
    from sawtooth.experiment.matrix import Block

SHOWN: Final = 6
"""How many of the 36 the table of total goodputs shows before it is unfolded."""


def sections(comparison: Comparison) -> list[str]:
    """The sections of a study that scores within families, in place of one per setting."""
    blocks, paper = comparison.own, comparison.study.paper
    tables = family_tables(blocks, paper)
    return [
        _agreement(tables),
        _representatives(choices(blocks, paper)),
        _totals(totals(blocks)),
        *(_setting(block, [entry for entry in tables if entry.setting == block.setting]) for block in blocks),
    ]


def links(comparison: Comparison) -> list[tuple[str, str]]:
    """Anchors and titles of these sections."""
    fixed = [("agreement", "Agreement"), ("representatives", "Representatives"), ("totals", "Total goodput")]
    return fixed + [(_anchor(block.setting), setting_title(block.setting)) for block in comparison.own]


def agreement_figure(tables: Sequence[FamilyTable]) -> Figure:
    """Our D against the printed one, a panel per table, settings down and families across."""
    settings = list(dict.fromkeys(entry.setting for entry in tables))
    families = list(dict.fromkeys(entry.family for entry in tables))
    drawn, panels = canvas(9.0, 0.5 + 1.75 * len(settings), len(settings), len(families))
    for place, axes in enumerate(panels):
        setting, family = settings[place // len(families)], families[place % len(families)]
        entry = next(item for item in tables if (item.setting, item.family) == (setting, family))
        known = [item for item in entry.rows if item.printed is not None]
        x = np.array([item.printed.D if item.printed else 0.0 for item in known])
        y = np.array([item.D.mean for item in known])
        half = np.array([item.D.half_width or 0.0 for item in known])
        axes.axline((0, 0), slope=1, color=GRID, linewidth=0.8)
        axes.errorbar(
            x,
            y,
            yerr=np.minimum(half, y),
            fmt="o",
            markersize=3.5,
            linewidth=0.8,
            color=SERIES[place % len(families)],
        )
        for item, left, height in zip(known, x, y, strict=True):
            if item.label == CHOSEN.get(family):
                axes.plot(
                    [left], [height], "o", markersize=8, fillstyle="none", color=INK, markeredgewidth=0.8
                )
        rho = "" if entry.D is None else f"rho {number(entry.D.rho.value, 2)}"
        axes.set_title(f"{setting}  {family}", loc="left", fontsize=8, color=INK)
        axes.set_title(rho, loc="right", fontsize=7.5, color=MUTED)
        axes.set(xlim=(0, None), ylim=(0, None))
        axes.tick_params(labelsize=7)
    drawn.supxlabel("printed D of goodput, 13 environments", fontsize=8, color=INK)
    drawn.supylabel("our D", fontsize=8, color=INK)
    return drawn


def _agreement(tables: Sequence[FamilyTable]) -> str:
    drawing = figures.inline(
        agreement_figure(tables), "agreement", "Our D of goodput against the printed one"
    )
    rows = []
    for entry in tables:
        if entry.D is None or entry.C is None:
            continue
        place = entry.printed_best.index(entry.best) + 1
        found = [entry.D.rho, entry.D.tau, entry.C.rho, entry.C.tau]
        cells = [
            *(_estimate(item) for item in found),
            text(entry.best),
            text(entry.printed_best[0]),
            str(place),
        ]
        rows.append(row(text(f"{entry.setting} {entry.family}"), cells))
    caption = (
        "Rank correlation of our scores of nine instances with the printed ones, with 95 % percentile intervals over "
        f"{RESAMPLES:,} resamples of instances and seeds; the last column is the printed rank of our best instance."
    )
    heads = [head("Table", "D: rho", "D: tau", "C: rho", "C: tau", "our best", "printed best", "rank")]
    return section(
        "agreement",
        "Agreement with the printed tables",
        element("figure", drawing),
        paragraph(
            "A ring marks the representative that the paper chooses; on the line both scores are equal.",
            "muted",
        ),
        table(heads, rows, caption=text(caption)),
    )


def _representatives(found: Sequence[Choice]) -> str:
    parts = []
    summary = [
        row(
            text(choice.family),
            [
                text(words)
                for words in (
                    choice.chosen,
                    choice.printed_by_worst or "–",
                    choice.by_worst,
                    choice.printed_by_total or "–",
                    choice.by_total,
                )
            ],
        )
        for choice in found
    ]
    heads = [
        head(
            "Family", "Chosen by the paper", "printed, max D", "ours, max D", "printed, sum D", "ours, sum D"
        )
    ]
    caption = (
        "Which instance does best in its worst setting (the criterion of section 3.2) and in the sum over the settings, "
        "by the printed tables and by ours."
    )
    parts.append(table(heads, summary, caption=text(caption), kind="words"))
    for choice in found:
        rows = [
            row(
                text(entry.label) + (" (chosen)" if entry.label == choice.chosen else ""),
                [
                    with_spread(entry.worst, 2),
                    number(entry.printed_worst, 2),
                    "" if entry.behind is None else with_spread(entry.behind, 2),
                    with_spread(entry.total, 2),
                    number(entry.printed_total, 2),
                    with_spread(entry.worst_case, 2),
                    number(entry.printed_worst_case, 2),
                ],
            )
            for entry in choice.rows
        ]
        heads = [
            head(
                "Instance",
                "max D",
                "printed",
                "max D less that of the choice",
                "sum D",
                "printed",
                "max C",
                "printed",
            )
        ]
        parts.append(details(f"{text(choice.family)}: all instances over the settings", table(heads, rows)))
    return section("representatives", "The choice of representatives", *parts)


def _totals(found: dict[str, list[Total]]) -> str:
    parts = [
        paragraph(
            f"Goodput summed over the environments, relative to {text(REFERENCE)}, from our raw values; beside it what the printed tables "
            "of figures and appendix give when they are joined, which supposes that both rest on the same runs.",
            "muted",
        )
    ]
    for setting, rows in found.items():
        title = "All settings together" if setting == "all" else setting_title(setting)
        parts.append(element("h3", text(title)))
        parts.append(_total_table(rows[:SHOWN]))
        parts.append(details(f"All {len(rows)}", _total_table(rows)))
    return section("totals", "Total goodput of all instances", *parts)


def _total_table(rows: Iterable[Total]) -> str:
    lines = [row(text(entry.label), [with_spread(entry.ours, 3), _signed(entry.printed)]) for entry in rows]
    return table([head("Instance", "ours", "printed tables joined")], lines)


def _setting(block: Block, tables: Sequence[FamilyTable]) -> str:
    parts = []
    for entry in tables:
        rows = [_instance(item, item.label == entry.best) for item in entry.rows]
        heads = [head("Instance", "D", "printed", "C", "printed", "note")]
        caption = f"{entry.family}: scores of goodput among the {len(rows)} instances of the family."
        parts.append(details(text(caption), table(heads, rows), shown=True))
    for metric in SCORED:
        parts.append(details(f"{text(figures.TITLES[metric])}: values per environment", _raw(block, metric)))
    return section(_anchor(block.setting), text(setting_title(block.setting)), *parts)


def _instance(item: Instance, best: bool) -> str:
    shown = number(item.D.mean, 3)
    ours = (
        (element("strong", shown) if best else shown)
        + " "
        + element("span", spread(item.D, 3), class_="spread")
    )
    printed = item.printed
    cells = [
        ours,
        number(None if printed is None else printed.D, 2),
        with_spread(item.C, 3),
        number(None if printed is None else printed.C, 2),
        text("" if printed is None else printed.note),
    ]
    return row(text(item.label) + (" (chosen)" if item.label in CHOSEN.values() else ""), cells)


def _raw(block: Block, metric: str) -> str:
    """One row per instance, one column per environment: mean over the seeds with its interval."""
    decimals = RAW_DECIMALS[metric]
    by_place = raw_table(block, metric)
    rows = [
        row(text(name), [with_spread(cells[place].ours, decimals) for _, cells in by_place])
        for place, name in enumerate(block.algorithms)
    ]
    caption = f"{metric.capitalize()} ({UNITS[metric]}), mean and 95 % interval over seeds."
    return table(
        [head("Instance", *(text(name) for name, _ in by_place))], rows, caption=text(caption), kind="runs"
    )


def _estimate(found: Estimate) -> str:
    shown = number(found.value, 2)
    if found.low is None or found.high is None:
        return shown
    return f"{shown} " + element(
        "span", f"[{number(found.low, 2)}, {number(found.high, 2)}]", class_="spread"
    )


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.2f}"


def _anchor(setting: str) -> str:
    return setting.replace("/", "-")

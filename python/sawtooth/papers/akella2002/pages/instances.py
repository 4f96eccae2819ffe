"""The appendix as a page: how far our orders agree with the printed ones, the choice of representatives, total goodputs, and every table.

Source: the layout of the tables is that of the appendix of [Akella02]: D and C of goodput of the instances of a family in one setting.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np
from matplotlib.figure import Figure

from sawtooth.experiment.exhibit import Exhibit, TextTable
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
from sawtooth.report.blocks import Block, Fold, Heading, Picture, Row, Section, Table, Words
from sawtooth.report.claims import listed
from sawtooth.report.drawing import GRID, INK, MUTED, SERIES, canvas
from sawtooth.report.inline import Inline, faint, joined, strong, to_runs
from sawtooth.report.pipe_table import pipe_table
from sawtooth.report.runs import group
from sawtooth.report.runs import place as runs_of
from sawtooth.report.tables import (
    RAW_DECIMALS,
    UNITS,
    estimate,
    number,
    raw_table,
    setting_title,
    spread,
    with_spread,
)

if TYPE_CHECKING:
    from sawtooth.experiment.comparison import Comparison
    from sawtooth.experiment.matrix import SettingBlock

SHOWN: Final = 6
"""How many of the 36 the table of total goodputs shows before it is unfolded."""


class Instances(Exhibit):
    """A study that scores within families: these sections in place of one per setting."""

    instead_of_scores: ClassVar[bool] = True

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison

    @cached_property
    def families(self) -> list[FamilyTable]:
        """The tables, ours beside the printed ones."""
        return list(family_tables(self.comparison.own, self.comparison.study.paper))

    @cached_property
    def choices(self) -> list[Choice]:
        """The representative of each family."""
        return list(choices(self.comparison.own, self.comparison.study.paper))

    @cached_property
    def drawn(self) -> Figure:
        """Our D against the printed one, drawn once."""
        return agreement_figure(self.families)

    def answer(self) -> list[str]:
        """How far the orders agree with the printed ones, and whether the representatives are ours."""
        known = [entry for entry in self.families if entry.D is not None]
        if not known:
            return []
        rhos = sorted(entry.D.rho.value for entry in known if entry.D is not None)
        best = sum(entry.best == entry.printed_best[0] for entry in known)
        chosen = [choice.family for choice in self.choices if choice.by_worst == choice.chosen]
        alike = (
            f"Our D of goodput (score relative to the best of a family: 0 is best) ranks the instances like the printed one with a median "
            f"rank correlation of {rhos[len(rhos) // 2]:.2f} over {len(known)} tables, between {rhos[0]:.2f} and {rhos[-1]:.2f}; the best "
            f"instance is the printed one in {best} of them."
        )
        where = listed(chosen) if chosen else "none of the families"
        return [
            alike,
            f"By our runs the paper's choice does best in its worst setting for {where}, of {len(self.choices)} families.",
        ]

    def headline(self) -> Picture | None:
        """Our D against the printed one."""
        return _agreement_picture(self.drawn)

    def sections(self) -> list[Section]:
        """Three sections over all settings, then one per setting."""
        settings = [
            _setting(block, [entry for entry in self.families if entry.setting == block.setting])
            for block in self.comparison.own
        ]
        total = _totals(totals(self.comparison.own))
        return [_agreement(self.families), _representatives(self.choices), total, *settings]

    def figures(self) -> Mapping[str, Figure]:
        """Our D against the printed one."""
        return {"agreement": self.drawn}

    def blocks(self) -> Mapping[str, str]:
        """The three tables over all settings."""
        found = self.comparison
        size = f"{len(found.run_ids):,} runs, {len(found.results.seeds)} seeds."
        return {
            "agreement": f"{_agreement_markdown(self.families)}\n\n{size}",
            "representatives": _representatives_markdown(self.choices),
            "totals": _totals_markdown(totals(found.own)),
        }

    def tables(self) -> list[TextTable]:
        """Rank correlation and best instance of each table; then the choice of representatives."""
        agreement = [[f"{entry.setting} {entry.family}", *agreement_texts(entry)] for entry in self.families]
        chosen = [
            [choice.family, choice.chosen, choice.printed_by_worst or "", choice.by_worst]
            for choice in self.choices
        ]
        return [
            TextTable(
                "D of goodput within each family",
                ("table", "rho", "tau", "best", "printed best"),
                agreement,
                right=True,
            ),
            TextTable(
                "smallest D in the worst setting",
                ("family", "paper's choice", "printed tables", "ours"),
                chosen,
                "In brackets the 95 % interval over instances and seeds.",
                right=True,
            ),
        ]


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
        below, above = np.array([item.D.reaches for item in known]).reshape(-1, 2).T
        axes.axline((0, 0), slope=1, color=GRID, linewidth=0.8)
        axes.errorbar(
            x,
            y,
            yerr=[np.minimum(below, y), above],  # no distance is below 0
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


def _agreement_picture(drawn: Figure) -> Picture:
    """The figure on the page."""
    drawing = figures.inline(drawn, "agreement", "Our D of goodput against the printed one")
    return Picture(
        drawing, "A ring marks the representative that the paper chooses; on the line both scores are equal."
    )


def _agreement(tables: Sequence[FamilyTable]) -> Section:
    rows = []
    for entry in tables:
        if entry.D is None or entry.C is None:
            continue
        rank = entry.printed_best.index(entry.best) + 1
        found = [entry.D.rho, entry.D.tau, entry.C.rho, entry.C.tau]
        cells = [
            entry.family,
            *(_estimate(item) for item in found),
            entry.best,
            entry.printed_best[0],
            str(rank),
        ]
        rows.append(Row(setting_title(entry.setting), cells))
    caption = (
        "Rank correlation of our scores of nine instances with the printed ones, with 95 % percentile intervals over "
        f"{RESAMPLES:,} resamples of instances and seeds; the last column is the printed rank of our best instance."
    )
    heads = ["Setting", "Family", "D: rho", "D: tau", "C: rho", "C: tau", "our best", "printed best", "rank"]
    return Section("agreement", "Agreement with the printed tables", [Table(heads, rows, caption=caption)])


def _representatives(found: Sequence[Choice]) -> Section:
    summary = [
        Row(
            choice.family,
            [
                choice.chosen,
                choice.printed_by_worst or "–",
                choice.by_worst,
                choice.printed_by_total or "–",
                choice.by_total,
            ],
        )
        for choice in found
    ]
    heads = [
        "Family",
        "Chosen by the paper",
        "printed, max D",
        "ours, max D",
        "printed, sum D",
        "ours, sum D",
    ]
    caption = (
        "Which instance does best in its worst setting (the criterion of section 3.2) and in the sum over the settings, "
        "by the printed tables and by ours."
    )
    blocks: list[Block] = [Table(heads, summary, caption=caption, look="words")]
    for choice in found:
        rows = [
            Row(
                entry.label + (" (chosen)" if entry.label == choice.chosen else ""),
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
            "Instance",
            "max D",
            "printed",
            "max D less that of the choice",
            "sum D",
            "printed",
            "max C",
            "printed",
        ]
        blocks.append(Fold(f"{choice.family}: all instances over the settings", [Table(heads, rows)]))
    return Section("representatives", "The choice of representatives", blocks)


def _totals(found: dict[str, list[Total]]) -> Section:
    blocks: list[Block] = [
        Words(
            f"Goodput summed over the environments, relative to {REFERENCE}, from our raw values; beside it what the printed tables "
            "of figures and appendix give when they are joined, which supposes that both rest on the same runs.",
            "muted",
        )
    ]
    for setting, rows in found.items():
        title = "All settings together" if setting == "all" else setting_title(setting)
        blocks.append(Heading(title))
        blocks.append(_total_table(rows[:SHOWN]))
        blocks.append(Fold(f"All {len(rows)}", [_total_table(rows)]))
    return Section("totals", "Total goodput of all instances", blocks, folded=True)


def _total_table(rows: Iterable[Total]) -> Table:
    lines = [Row(entry.label, [with_spread(entry.ours, 3), _signed(entry.printed)]) for entry in rows]
    return Table(["Instance", "ours", "printed tables joined"], lines)


def _setting(block: SettingBlock, tables: Sequence[FamilyTable]) -> Section:
    blocks: list[Block] = []
    for entry in tables:
        rows = [_instance(block, item, item.label == entry.best) for item in entry.rows]
        heads = ["Instance", "D", "printed", "C", "printed", "note"]
        blocks.append(
            Heading(f"{entry.family}: scores of goodput among the {len(rows)} instances of the family")
        )
        blocks.append(Table(heads, rows, caption="Scores of goodput, mean and 95 % interval over seeds."))
    blocks += [
        Fold(f"{figures.TITLES[metric]}: values per environment", [_raw(block, metric)]) for metric in SCORED
    ]
    return Section(block.setting.replace("/", "-"), setting_title(block.setting), blocks, folded=True)


def _instance(block: SettingBlock, item: Instance, best: bool) -> Row:
    shown: Inline = number(item.D.mean, 3)
    first = runs_of(block, item.label, block.environments[0])
    linked = to_runs(first, strong(shown) if best else shown, group(block, item.label))
    printed = item.printed
    cells: list[Inline] = [
        joined([linked, faint(spread(item.D, 3))]),
        number(None if printed is None else printed.D, 2),
        with_spread(item.C, 3),
        number(None if printed is None else printed.C, 2),
        "" if printed is None else printed.note,
    ]
    return Row(item.label + (" (chosen)" if item.label in CHOSEN.values() else ""), cells)


def _raw(block: SettingBlock, metric: str) -> Table:
    """One row per instance, one column per environment: mean over the seeds with its interval."""
    decimals = RAW_DECIMALS[metric]
    by_place = raw_table(block, metric)
    rows = [
        Row(
            name,
            [
                to_runs(runs_of(block, name, environment), with_spread(cells[spot].ours, decimals))
                for environment, cells in by_place
            ],
        )
        for spot, name in enumerate(block.algorithms)
    ]
    caption = f"{metric.capitalize()} ({UNITS[metric]}), mean and 95 % interval over seeds."
    return Table(["Instance", *(name for name, _ in by_place)], rows, caption=caption, look="runs")


def _estimate(found: Estimate) -> Inline:
    shown = number(found.value, 2)
    if found.low is None or found.high is None:
        return shown
    return joined([shown, faint(f"[{number(found.low, 2)}, {number(found.high, 2)}]")])


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.2f}"


def agreement_texts(entry: FamilyTable) -> list[str]:
    """Rho and tau of D with their intervals, our best instance and the printed best one."""
    if entry.D is None:
        return ["–", "–", entry.best, "–"]
    return [estimate(entry.D.rho), estimate(entry.D.tau), entry.best, entry.printed_best[0]]


def _agreement_markdown(tables: Sequence[FamilyTable]) -> str:
    rows = [[f"{entry.setting} {entry.family}", *agreement_texts(entry)] for entry in tables]
    return pipe_table(["table", "rho of D", "tau of D", "our best", "printed best"], rows)


def _representatives_markdown(found: Sequence[Choice]) -> str:
    rows = [
        [
            choice.family,
            choice.chosen,
            choice.printed_by_worst or "–",
            choice.by_worst,
            choice.printed_by_total or "–",
            choice.by_total,
        ]
        for choice in found
    ]
    heads = ["family", "chosen", "least max D, printed", "ours", "least sum D, printed", "ours"]
    return pipe_table(heads, rows)


def _totals_markdown(found: Mapping[str, Sequence[Total]]) -> str:
    rows = []
    for setting, entries in found.items():
        known = [entry for entry in entries if entry.printed is not None]
        beside = max(known, key=lambda entry: entry.printed or 0.0, default=None)
        first = entries[0]
        ours = f"{first.label} {with_spread(first.ours, 2)}"
        rows.append([setting, ours, "–" if beside is None else f"{beside.label} {beside.printed:+.2f}"])
    return pipe_table(["setting", "best of the 36, ours", "by the printed tables joined"], rows)

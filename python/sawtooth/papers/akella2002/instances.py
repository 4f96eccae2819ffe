"""The appendix from runs: instances of each family beside the printed rows, the choice of representatives, and the total goodput of all.

Source: [Akella02] section 3.2 and appendix. Its tables score nine instances of a family among themselves (set A = the family); the
text chooses one representative per family that is to do well in all eight settings. The criterion is read as the smallest maximum over the
settings of D of goodput within the family; the smallest sum is given as well.

Tables of different sets A join, because a difference of D is one of summed goodputs, whatever the set
(``scoring.difference_by_identity``). From the printed tables the goodput of instance a of family f relative to AIMD(1,0.8) is, summed
over the environments,

    G_a = [D_fig(AIMD) - D_fig(rep_f)] + [D_app(rep_f) - D_app(a)]

with D_fig of Figures 4 to 11 and D_app of the appendix, if both rest on the same runs. From ours it is the difference of the summed
goodputs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from sawtooth.experiment.intervals import Interval, interval
from sawtooth.experiment.rank import Agreement, agreement
from sawtooth.experiment.scoring import CLIP_GOODPUT, Values, prepare
from sawtooth.papers.akella2002.printed import AppendixRow, appendix, printed

if TYPE_CHECKING:
    from sawtooth.experiment.matrix import SettingBlock

CHOSEN: Final[Mapping[str, str]] = {
    "AIMD": "AIMD(1,0.8)",
    "AIAD": "AIAD(1,3)",
    "MIMD": "MIMD(1.125,0.8)",
    "MIAD": "MIAD(1.125,3)",
}
"""The representatives that section 3.2 chooses, by family."""

REFERENCE: Final = CHOSEN["AIMD"]
"""The instance that total goodputs are relative to."""


@dataclass(frozen=True)
class Instance:
    """One instance in one setting: D and C of goodput within its family, and the printed row (None: not printed)."""

    label: str
    D: Interval
    C: Interval
    printed: AppendixRow | None


@dataclass(frozen=True)
class FamilyTable:
    """One table of the appendix: a family in a setting, with the rank correlations of D and of C with the printed column."""

    setting: str
    family: str
    rows: tuple[Instance, ...]
    D: Agreement | None
    C: Agreement | None

    @property
    def best(self) -> str:
        """The instance with the smallest D."""
        return min(self.rows, key=lambda row: row.D.mean).label

    @property
    def printed_best(self) -> list[str]:
        """The instances in the order of their printed D."""
        known = [row for row in self.rows if row.printed is not None]
        return [row.label for row in sorted(known, key=lambda row: row.printed.D if row.printed else 0.0)]


@dataclass(frozen=True)
class InstanceScores:
    """An instance over all settings: sum and maximum of its within-family D of goodput and maximum of C, ours and as printed.

    ``behind`` is the largest D less that of the paper's choice (paired over seeds; None for the choice itself).
    """

    label: str
    total: Interval
    worst: Interval
    worst_case: Interval
    behind: Interval | None
    printed_total: float | None
    printed_worst: float | None
    printed_worst_case: float | None


@dataclass(frozen=True)
class Choice:
    """The representatives of a family: the paper's, and those that our and the printed numbers choose by its criterion and by the sum."""

    family: str
    chosen: str
    rows: tuple[InstanceScores, ...]

    @property
    def by_worst(self) -> str:
        """The smallest maximum of D over the settings."""
        return min(self.rows, key=lambda row: row.worst.mean).label

    @property
    def by_total(self) -> str:
        """The smallest sum of D over the settings."""
        return min(self.rows, key=lambda row: row.total.mean).label

    @property
    def printed_by_worst(self) -> str | None:
        """The same from the printed tables; None without them."""
        known = [row for row in self.rows if row.printed_worst is not None]
        return min(known, key=lambda row: row.printed_worst or 0.0).label if known else None

    @property
    def printed_by_total(self) -> str | None:
        """The same from the printed tables; None without them."""
        known = [row for row in self.rows if row.printed_total is not None]
        return min(known, key=lambda row: row.printed_total or 0.0).label if known else None


@dataclass(frozen=True)
class Total:
    """Summed goodput of an instance less that of REFERENCE in a setting (or over all of them), ours and from the printed tables."""

    label: str
    ours: Interval
    printed: float | None


def family_tables(blocks: Sequence[SettingBlock], paper: str = "akella2002") -> list[FamilyTable]:
    """Every table of the appendix that the blocks cover, by setting and family."""
    return [_family_table(block, names, paper) for block in blocks for names in block.sets]


def _family_table(block: SettingBlock, names: Sequence[str], paper: str) -> FamilyTable:
    beside = _printed_rows(block.setting, paper)
    scores = {name: block.scores.of(name, "goodput") for name in names}
    rows = tuple(Instance(name, scores[name].D, scores[name].C, beside.get(name)) for name in names)
    found: list[Agreement | None] = [None, None]
    if all(row.printed is not None for row in rows):
        for place, letter in enumerate("DC"):
            ours = np.stack([getattr(scores[name], f"{letter}_seeds") for name in names])
            found[place] = agreement(ours, np.array([getattr(beside[name], letter) for name in names]))
    return FamilyTable(block.setting, block.families.get(names[0], ""), rows, found[0], found[1])


def _printed_rows(setting: str, paper: str = "akella2002") -> dict[str, AppendixRow]:
    """The printed rows of a setting by label; empty where none is printed."""
    return {row.label: row for row in appendix(paper) if f"{row.recovery}/{row.router}" == setting}


def choices(blocks: Sequence[SettingBlock], paper: str = "akella2002") -> list[Choice]:
    """The choice of representatives over the settings of the blocks, by family."""
    first = blocks[0]
    found = []
    for names in first.sets:
        family = first.families.get(names[0], "")
        chosen = CHOSEN[family]
        per_seed = {name: _over_settings(blocks, name) for name in names}
        rows = [
            _candidate(name, per_seed[name], None if name == chosen else per_seed[chosen], blocks, paper)
            for name in names
        ]
        found.append(Choice(family, chosen, tuple(rows)))
    return found


def _over_settings(blocks: Sequence[SettingBlock], name: str) -> tuple[Values, Values]:
    """D and C of goodput, shape (settings, seeds)."""
    scores = [block.scores.of(name, "goodput") for block in blocks]
    return np.stack([entry.D_seeds for entry in scores]), np.stack([entry.C_seeds for entry in scores])


def _candidate(
    name: str,
    own: tuple[Values, Values],
    chosen: tuple[Values, Values] | None,
    blocks: Sequence[SettingBlock],
    paper: str,
) -> InstanceScores:
    rows = [_printed_rows(block.setting, paper).get(name) for block in blocks]
    known = [row for row in rows if row is not None]
    whole = len(known) == len(blocks)
    return InstanceScores(
        name,
        interval(own[0].sum(axis=0)),
        interval(own[0].max(axis=0)),
        interval(own[1].max(axis=0)),
        None if chosen is None else interval(own[0].max(axis=0) - chosen[0].max(axis=0)),
        sum(row.D for row in known) if whole else None,
        max(row.D for row in known) if whole else None,
        max(row.C for row in known) if whole else None,
    )


def totals(blocks: Sequence[SettingBlock]) -> dict[str, list[Total]]:
    """Total goodput relative to REFERENCE by setting, and under ``all`` summed over the settings, the best first."""
    found: dict[str, list[Total]] = {}
    ours = {block.setting: _summed(block) for block in blocks}
    beside = {block.setting: _joined(block.setting) for block in blocks}
    names = blocks[0].algorithms
    for block in blocks:
        per_seed, table = ours[block.setting], beside[block.setting]
        found[block.setting] = _ordered([Total(n, interval(per_seed[n]), table.get(n)) for n in names])
    whole = all(beside.values())
    found["all"] = _ordered(
        [
            Total(
                name,
                interval(np.sum([ours[block.setting][name] for block in blocks], axis=0)),
                sum(beside[block.setting][name] for block in blocks) if whole else None,
            )
            for name in names
        ]
    )
    return found


def _ordered(rows: Sequence[Total]) -> list[Total]:
    return sorted(rows, key=lambda row: -row.ours.mean)


def _summed(block: SettingBlock) -> dict[str, Values]:
    """Goodput as scored, summed over the environments, less that of REFERENCE; one value per seed."""
    sums = {
        name: prepare("goodput", block.of(name, "goodput"), CLIP_GOODPUT).sum(axis=0)
        for name in block.algorithms
    }
    return {name: np.asarray(values - sums[REFERENCE]) for name, values in sums.items()}


def _joined(setting: str) -> dict[str, float]:
    """The same from the printed tables of figures and appendix; empty where one is missing."""
    recovery, _, router = setting.partition("/")
    figure, rows = printed(recovery, router), _printed_rows(setting)
    if not figure or not rows:
        return {}
    found = {}
    for name, row in rows.items():
        family = figure["AIMD"]["D_goodput"] - figure[row.family]["D_goodput"]
        found[name] = family + rows[CHOSEN[row.family]].D - row.D
    return found

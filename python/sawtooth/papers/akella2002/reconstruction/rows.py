"""The printed rows, how far ours are from them, and which half a model may see.

A row is one line of a printed table: an instance of the appendix (D and C of goodput within its family) or an algorithm of a figure (D and
C of goodput, D of fairness, delay and loss). Its *misfit* is stated here, before any run:

    misfit = mean over its columns of |ln((ours + e) / (printed + e))|

so that 0 is exact, 0.69 a factor of two, and a printed 0.00 can be met. ``e`` is the size below which two numbers of a column are the same:

| column     | unit     | e    | why                                                          |
|------------|----------|------|--------------------------------------------------------------|
| D_goodput  | fraction | 0.1  | half of what the claims call alike over 13 environments      |
| C_goodput  | fraction | 0.05 | the same for one environment                                 |
| D_fairness | 1        | 1    | spreads of one run differ by this between seeds, summed      |
| D_delay    | ms       | 20   | 1.5 ms per environment                                       |
| D_loss     | points   | 1    | 0.08 points per environment                                  |

The rows of half of the settings fit the model; those of the others judge it, so that nothing learned of a router with one recovery is
tested on the same cells. Recoveries and routers are crossed like the fields of a chessboard, so both halves have each. Source: none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from sawtooth.papers.akella2002.printed import appendix, figures

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sawtooth.experiment.matrix import SettingBlock
    from sawtooth.experiment.study import Study

SAME: Final[Mapping[str, float]] = {
    "D_goodput": 0.1,
    "C_goodput": 0.05,
    "D_fairness": 1.0,
    "D_delay": 20.0,
    "D_loss": 1.0,
}
FIGURE: Final = "figure"
"""In place of a family: the four representatives, scored among themselves."""
EXPLAINED: Final = float(np.log(2.0))
"""A row is explained by a combination whose misfit is at most this: a factor of two."""


@dataclass(frozen=True, order=True)
class BlockKey:
    """A table of printed rows: a setting, and a family or FIGURE."""

    setting: str
    family: str


@dataclass(frozen=True)
class PrintedRow:
    """One printed line."""

    block: BlockKey
    label: str
    values: Mapping[str, float]

    @property
    def name(self) -> str:
        """In words."""
        return f"{self.block.setting} {self.label}" + (" (figure)" if self.block.family == FIGURE else "")

    @property
    def algorithm(self) -> str:
        """AIMD, AIAD, MIMD or MIAD."""
        return self.label.partition("(")[0]

    def misfit(self, ours: Mapping[str, float]) -> float:
        """How far ours are from it."""
        gaps = [
            abs(np.log((ours[name] + SAME[name]) / (value + SAME[name])))
            for name, value in self.values.items()
        ]
        return float(np.mean(gaps))


def printed_rows(settings: Sequence[str]) -> list[PrintedRow]:
    """The 288 rows of the appendix and the 32 of the figures, of the settings given."""
    rows = [
        PrintedRow(
            BlockKey(f"{row.recovery}/{row.router}", row.family),
            f"{row.family}({row.increase:g},{row.decrease:g})",
            {"D_goodput": row.D, "C_goodput": row.C},
        )
        for row in appendix()
    ]
    rows += [
        PrintedRow(BlockKey(f"{row.recovery}/{row.router}", FIGURE), row.algorithm, dict(row.values))
        for row in figures()
    ]
    return [row for row in rows if row.block.setting in settings]


def fitted_settings(settings: Sequence[str]) -> frozenset[str]:
    """The settings whose rows fit the model: of each recovery and of each router one in two."""
    recoveries, routers = (
        list(dict.fromkeys(part)) for part in zip(*(s.split("/") for s in settings), strict=True)
    )
    even = [s for s in settings if sum(map(list.index, (recoveries, routers), s.split("/"))) % 2 == 0]
    return frozenset(even)


def fitting(rows: Sequence[PrintedRow]) -> NDArray[np.bool_]:
    """Which rows fit the model; shape (rows,)."""
    chosen = fitted_settings(list(dict.fromkeys(row.block.setting for row in rows)))
    return np.array([row.block.setting in chosen for row in rows], dtype=np.bool_)


def study_of(study: Study, block: BlockKey, representatives: Mapping[str, str]) -> Study:
    """The study limited to the cells of a table. ``representatives``: label of each in a figure by its label among the instances."""
    (setting,) = [entry for entry in study.matrix.settings if str(entry) == block.setting]
    if block.family == FIGURE:
        chosen = [
            entry.model_copy(update={"label": representatives[entry.label], "family": FIGURE})
            for entry in study.algorithm
            if entry.label in representatives
        ]
    else:
        chosen = [entry for entry in study.algorithm if entry.family == block.family]
    matrix = study.matrix.model_copy(update={"settings": [setting], "compared_with": []})
    return study.replaced(algorithm=chosen, matrix=matrix, probe=[], claims=[], main=False)


def ours(row: PrintedRow, block: SettingBlock) -> dict[str, float]:
    """Our numbers for the columns of a row."""
    found = {}
    for column in row.values:
        letter, _, metric = column.partition("_")
        score = block.scores.of(row.label, metric)
        found[column] = (score.D if letter == "D" else score.C).mean
    return found

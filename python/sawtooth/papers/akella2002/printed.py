"""The printed numbers of the studied papers, with typed readers.

Source: tables/README.md, which says where each file comes from and what it leaves out. Facts only; nothing is computed.

D is a sum over the 13 environments of the paper, so a printed score stands beside one of ours over fewer environments
as a reminder of order and size, never as an equal.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from sawtooth.claims.printed_tables import PrintedTables
from sawtooth.packaged import packaged

ENVIRONMENTS: Final = 13
"""Number of environments behind every printed score."""

PARTS: Final = frozenset({None, "akella2002/appendix", "reddy2012/appendix", "reddy2012/fair-queueing"})
"""Parts whose scores are printed: the main studies and, further on, the appendix and a setting of it."""

COLUMNS: Final = ("D_goodput", "C_goodput", "D_fairness", "D_delay", "D_loss")
"""Columns of the printed figures, in their order."""


@dataclass(frozen=True)
class FigureRow:
    """One algorithm in one setting: the five printed scores by column name."""

    figure: str
    recovery: str
    router: str
    algorithm: str
    values: Mapping[str, float]


@dataclass(frozen=True)
class AppendixRow:
    """One instance of a family in one setting: D and C of goodput within its family."""

    recovery: str
    router: str
    family: str
    increase: float
    decrease: float
    D: float
    C: float
    note: str

    @property
    def label(self) -> str:
        """The instance as the studies name it: ``AIMD(1,0.8)``."""
        return instance(self.family, self.increase, self.decrease)


def instance(family: str, increase: float, decrease: float) -> str:
    """The label of an instance of a family: ``AIMD(1,0.8)``."""
    return f"{family}({increase:g},{decrease:g})"


@dataclass(frozen=True)
class EnvironmentRow:
    """One environment of Table 2; rates in Mbit/s per flow, times in s, None where the quantity does not occur."""

    number: int
    name: str
    key: str
    kind: str
    b0_mbps: float | None
    low_mbps: float | None
    high_mbps: float | None
    delta_mbps: float | None
    mu: float | None
    update_interval_s: float | None
    interarrival_mean_s: float | None
    interarrival_mean_alt_s: float | None
    topology: str


@cache
def figures() -> tuple[FigureRow, ...]:
    """The 32 rows of Figures 4 to 11."""
    return tuple(
        FigureRow(
            row["figure"],
            row["recovery"],
            row["router"],
            row["algorithm"],
            {column: float(row[column]) for column in COLUMNS},
        )
        for row in _rows("akella2002", "figures.csv")
    )


def printed(recovery: str, router: str) -> dict[str, Mapping[str, float]]:
    """The printed scores of one setting by algorithm label; empty where the paper has none."""
    return {
        row.algorithm: row.values for row in figures() if (row.recovery, row.router) == (recovery, router)
    }


@cache
def appendix(paper: str = "akella2002") -> tuple[AppendixRow, ...]:
    """Within-family scores: the 288 rows of ``akella2002`` or the 72 that ``reddy2012`` reprints."""
    return tuple(
        AppendixRow(
            row["recovery"],
            row["router"],
            row["family"],
            float(row["increase"]),
            float(row["decrease"]),
            float(row["D_goodput"]),
            float(row["C_goodput"]),
            row["note"],
        )
        for row in _rows(paper, "appendix.csv")
    )


@cache
def environments(paper: str = "akella2002") -> tuple[EnvironmentRow, ...]:
    """The 13 environments in the order of Table 2 of either paper; [Reddy12] does not say their topology."""
    return tuple(
        EnvironmentRow(
            number=int(row["number"]),
            name=row["name"],
            key=row["key"],
            kind=row["kind"],
            b0_mbps=_number(row["b0_mbps"]),
            low_mbps=_number(row["low_mbps"]),
            high_mbps=_number(row["high_mbps"]),
            delta_mbps=_number(row["delta_mbps"]),
            mu=_number(row["mu"]),
            update_interval_s=_number(row["update_interval_s"]),
            interarrival_mean_s=_number(row["interarrival_mean_s"]),
            interarrival_mean_alt_s=_number(row["interarrival_mean_alt_s"]),
            topology=row["topology"],
        )
        for row in _rows(paper, "environments.csv")
    )


@cache
def scores(setting: str) -> Mapping[str, Mapping[str, float]]:
    """The printed scores of a setting: of the four by their names, of instances of the appendix (``AIMD(1,0.8)``) within their family."""
    recovery, _, router = setting.partition("/")
    instances = {
        row.label: {"D_goodput": row.D, "C_goodput": row.C}
        for row in appendix()
        if (row.recovery, row.router) == (recovery, router)
    }
    return {**instances, **printed(recovery, router)}


def of_figures(setting: str) -> Mapping[str, Mapping[str, float]]:
    """The printed scores of the four representatives in a setting; empty where the paper has no figure of it."""
    return printed(*setting.split("/"))


def tables() -> PrintedTables:
    """What claims are held against: the main studies, and the appendix, of which a later paper prints parts again."""
    names = tuple(row.name for row in environments())
    if len(names) != ENVIRONMENTS:
        raise AssertionError("the table of environments has 13 rows")
    return PrintedTables(names, PARTS, scores, of_figures)


def _number(text: str) -> float | None:
    return float(text) if text else None


def _rows(paper: str, name: str) -> list[dict[str, str]]:
    text = packaged("papers", paper, "tables", name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))

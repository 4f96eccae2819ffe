"""A paper reproduced: the parts that were run, and the verdict on every claim, each judged once over all of them.

Source: none. ``parts`` are comparisons: the main studies of the paper joined, if any was asked for, then each further study. A claim
is judged where all parts are at hand, because its check may look into several (``View.part``); a part shows those that touch it.

The JSON of ``sawtooth reproduce`` is an interface other programs rely on; keys may be added, none removed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from sawtooth import display
from sawtooth.claims.claim import Claim
from sawtooth.claims.table import Judged, judge_paper
from sawtooth.claims.touching import touching
from sawtooth.documents import format_of
from sawtooth.experiment.comparison import Comparison, Row, claims_table, score_schema
from sawtooth.experiment.stopping import Stopping
from sawtooth.experiment.typed import NOTHING_TYPED, Typed
from sawtooth.progress import StageCallback


@dataclass(frozen=True)
class Borrowed:
    """Verdicts on claims of a paper from runs that are none of its studies."""

    judged: tuple[Judged, ...]
    run_ids: tuple[str, ...]
    executed: int
    wall_s: float


@dataclass(frozen=True, repr=False)
class Reproduction:
    """The parts of a paper that were run, with the verdicts on its claims; ``parts[0]`` are its main studies where they are among them."""

    name: str
    parts: tuple[Comparison, ...]
    judged: Sequence[Judged]
    quick: bool = False
    varied: Mapping[str, object] = field(default_factory=dict)
    report: Path | None = None
    borrowed: Borrowed | None = None
    """Claims judged on runs that are none of its studies, where the paper has such."""
    title: str = ""
    """Of the paper, in words."""
    command: str = ""
    """What makes it anew, as a user types it."""
    typed: Typed = NOTHING_TYPED
    """What other commands on its runs need as well."""
    stopping: Stopping | None = None
    """Where seeds were added until claims were decided."""
    configuration: str = ""
    """The set-up of the paper that was asked for by name; empty where none was."""

    def __repr__(self) -> str:
        return display.reproduction_text(self)

    def _repr_html_(self) -> str:
        return display.reproduction_html(self)

    def plot(self, part: str | None = None, setting: str | None = None) -> display.Plot:
        """The figure of one ``part`` in one ``setting``, to be named where there are several."""
        return display.reproduction_plot(self, part, setting)

    @property
    def as_it_stands(self) -> bool:
        """Whether its numbers are those of the studies as their files have them, in length and in every value."""
        return not (self.quick or self.varied or any(part.varied for part in self.parts))

    @property
    def run_ids(self) -> list[str]:
        """Every run behind the numbers, each once."""
        beside = () if self.borrowed is None else self.borrowed.run_ids
        return list(dict.fromkeys([*(run for part in self.parts for run in part.run_ids), *beside]))

    @property
    def executed(self) -> int:
        """Runs that were simulated now; the others came from the store."""
        if self.stopping is not None:
            return self.stopping.executed
        return sum(part.executed for part in self.parts) + (self.borrowed.executed if self.borrowed else 0)

    @property
    def wall_s(self) -> float:
        """Time that the runs took, those read from the store included."""
        if self.stopping is not None:
            return self.stopping.wall_s
        return sum(part.wall_s for part in self.parts) + (self.borrowed.wall_s if self.borrowed else 0.0)

    @property
    def score_rows(self) -> list[Row]:
        """As ``Comparison.score_rows``, over all parts, each row with the part it belongs to."""
        return [{**row, "part": part.study.name} for part in self.parts for row in part.score_rows]

    @property
    def cell_rows(self) -> list[Row]:
        """As ``Comparison.cell_rows``, over all parts, each row with the part it belongs to."""
        return [{**row, "part": part.study.name} for part in self.parts for row in part.cell_rows]

    @property
    def claim_rows(self) -> list[Row]:
        """One row per claim: id, verdict, evidence, statement, and what the runs cover of it."""
        return [item.to_json() for item in self.judged]

    @property
    def scores(self) -> pa.Table:
        """``score_rows`` as an Arrow table."""
        return pa.Table.from_pylist(self.score_rows, score_schema().append(pa.field("part", pa.string())))

    @property
    def cells(self) -> pa.Table:
        """``cell_rows`` as an Arrow table."""
        return pa.Table.from_pylist(self.cell_rows)

    @property
    def claims(self) -> pa.Table:
        """The claims as an Arrow table; the evidence of each is JSON text, its depth being its own."""
        return claims_table(self.judged)

    def to_json(self) -> Row:
        """The document of ``--json``. Where a paper has several parts, seeds and parameters are those of the first; ``parts`` has each."""
        documents = [part.to_json() for part in self.parts]
        first = {key: value for key, value in documents[0].items() if key not in ("raw", "leads", "chosen")}
        settings = _union(document["settings"] for document in documents)
        return {
            **first,
            "format": format_of("reproduction"),
            "study": self.name,
            "environments": _union(document["environments"] for document in documents),
            "scores": self.score_rows,
            "cells": self.cell_rows,
            "claims": self.claim_rows,
            "runs": len(self.run_ids),
            "wall_s": self.wall_s,
            "executed": self.executed,
            "varied": dict(self.varied),
            "configuration": self.configuration or None,
            "algorithms": {key: row for part in self.parts for key, row in part.algorithms.items()},
            "settings": settings,
            "compared_with": [
                name
                for name in _union(document["compared_with"] for document in documents)
                if name not in settings
            ],
            "absent_environments": _union(document["absent_environments"] for document in documents),
            "parameters": {
                key: v for document in documents[::-1] for key, v in document["parameters"].items()
            },
            "run_ids": self.run_ids,
            "report": None if self.report is None else str(self.report),
            "parts": [_part_row(document) for document in documents],
            **({} if self.stopping is None else {"until_decided": self.stopping.to_json()}),
        }


def conclude(
    name: str,
    parts: Sequence[Comparison],
    claims: Sequence[Claim],
    kind: str | None = None,
    borrowed: Borrowed | None = None,
    stages: StageCallback | None = None,
) -> Reproduction:
    """Judge the ``claims`` of a paper that ``name`` means: all of them where it names the paper (its mathematics included), else those that
    its part touches.

    ``kind`` limits them to one kind (``simulation``), as where the same parts are judged again and again. What ``borrowed`` has a verdict
    on is not judged again. ``stages`` hears of judging.
    """
    by_name = {part.study.name: part.part for part in parts}
    main = next((part for part in parts if part.study.main), None)
    if main is not None:  # a joined study is known by the names of its figures as well
        by_name |= dict.fromkeys(main.study.joined, main.part)
    touched = [[entry.id for entry in touching(part.study, claims)] for part in parts]
    able = {entry.id for entry in claims if entry.check is not None}
    chosen = {entry for ids in touched for entry in ids} if "/" in name else able
    ordered = [entry for entry in claims if entry.id in chosen and kind in (None, entry.kind)]
    judged = judge_paper(ordered, None if main is None else main.part, by_name, stages)
    beside = {} if borrowed is None else {item.claim.id: item for item in borrowed.judged}
    judged = [beside.get(item.claim.id, item) for item in judged]
    found = {item.claim.id: item for item in judged}
    shown = tuple(
        replace(part, judged=[found[entry] for entry in ids if entry in found])
        for part, ids in zip(parts, touched, strict=True)
    )
    return Reproduction(name, shown, judged, borrowed=borrowed)


PART_KEYS = (
    "study",
    "title",
    "changed",
    "seeds",
    "environments",
    "settings",
    "runs",
    "executed",
    "wall_s",
    "algorithms",
    "parameters",
    "report",
)


def _part_row(document: Row) -> Row:
    return {key: document[key] for key in PART_KEYS} | {"claims": [row["id"] for row in document["claims"]]}


def _union(lists: Iterable[Iterable[Any]]) -> list[Any]:
    return list(dict.fromkeys(item for entries in lists for item in entries))

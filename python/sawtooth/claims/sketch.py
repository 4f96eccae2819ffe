"""What a claim is judged by, without runs: its sentence, its inequalities and the cells that they are about.

Source: none. A check is a function of a view. ``SketchView`` answers it with numbers that mean nothing and notes what was asked: so the
inequalities come from the check itself, and nobody lists them a second time. Runs of a probe have the labels of its plan and such
numbers. Which inequalities a check writes down may depend on the numbers in few cases: a list of those that lead, or what is looked at
only after a first reading has failed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from sawtooth.claims.claim import Claim
from sawtooth.claims.condensed import condensed
from sawtooth.claims.logic import Finding, Relation
from sawtooth.claims.view import NoRuns, UnavailableError, View
from sawtooth.experiment.matrix import ProbeRun
from sawtooth.experiment.scoring import Values
from sawtooth.experiment.study import Study, Tolerance

if TYPE_CHECKING:
    from sawtooth.claims.words import Word

SEEDS = 4
"""Values for each cell of a sketch, and runs for each of a probe: enough for an interval."""
Label = str | int | float
Probes = Mapping[str, Sequence[Mapping[str, Label]]]
"""Runs by the name of their probe, each as its labels, seeds aside."""
NEGATED: Final[Mapping[Relation, Relation]] = {">": "<=", ">=": "<", "<": ">=", "<=": ">"}
COUNTS = ("timeouts", "loss_events")
"""Columns of the table of flows that checks count in."""


@dataclass
class Asked:
    """What a check has asked for: cells, words with their numbers, and probes."""

    cells: dict[str, None] = field(default_factory=dict)
    tolerances: dict[str, float] = field(default_factory=dict)
    probes: dict[str, None] = field(default_factory=dict)
    _drawn: np.random.Generator = field(default_factory=lambda: np.random.Generator(np.random.PCG64(2002)))

    def values(self, shape: tuple[int, ...]) -> Values:
        """Numbers that mean nothing."""
        return np.asarray(self._drawn.uniform(0.1, 0.9, shape))


class Numbers(Mapping[str, float]):
    """The values of a run: a number that means nothing for every name; each name that is asked for is noted for ``run``."""

    def __init__(self, asked: Asked, run: str) -> None:
        self._asked, self._run = asked, run
        self._known: dict[str, float] = {}

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str)

    def __getitem__(self, name: str) -> float:
        if name not in self._known:
            self._known[name] = float(self._asked.values(()))
            self._asked.cells[f"{name}: {self._run}"] = None
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


def probe_runs(asked: Asked, name: str, labels: Sequence[Mapping[str, Label]]) -> tuple[ProbeRun, ...]:
    """The runs of a probe with numbers that mean nothing; what is asked of them is noted."""
    flows = pa.table({column: pa.array([1], pa.int64()) for column in COUNTS})
    return tuple(
        ProbeRun(entry, "", Numbers(asked, f"{name}, {_told(entry)}"), flows, str(seed + 1))
        for entry in labels
        for seed in range(SEEDS)
    )


def _told(labels: Mapping[str, Label]) -> str:
    return ", ".join(f"{name} {label}" for name, label in labels.items())


class SketchView(View):
    """A view that answers everything that a matrix of runs and its probes have, and remembers the questions."""

    def __init__(
        self,
        study: Study,
        settings: Sequence[str],
        asked: Asked,
        others: Callable[[str], Study | None],
        prefix: str = "",
    ) -> None:
        super().__init__(settings, study.tolerance)
        self._study, self._asked, self._others, self._prefix = study, asked, others, prefix

    @property
    def environments(self) -> tuple[str, ...]:
        """Those of the study."""
        return tuple(self._study.matrix.environments)

    def tolerance(self, name: str) -> float:
        """The number that stands for the word."""
        value = super().tolerance(name)
        self._asked.tolerances[name] = value
        return value

    def D(self, setting: str, algorithm: str, metric: str) -> Values:  # noqa: N802 - the paper's letter
        """D, which means nothing here."""
        return self._cell(f"D of {metric}: {algorithm}, {setting}", (SEEDS,))

    def C(self, setting: str, algorithm: str, metric: str) -> Values:  # noqa: N802 - the paper's letter
        """C, which means nothing here."""
        return self._cell(f"C of {metric}: {algorithm}, {setting}", (SEEDS,))

    def raw(self, setting: str, algorithm: str, metric: str) -> Values:
        """Values of a metric, shape (environments, seeds)."""
        return self._cell(f"{metric}: {algorithm}, {setting}", (len(self.environments), SEEDS))

    def mean(self, setting: str, algorithm: str, metric: str) -> Values:
        """Mean of a metric over the environments."""
        return self._cell(f"mean {metric}: {algorithm}, {setting}", (SEEDS,))

    def ratio_D(self, setting: str) -> Values:  # noqa: N802 - the paper's letter
        """D in the ratio form, shape (algorithms, seeds)."""
        return self._cell(f"D of goodput as a ratio: all, {setting}", (len(self._study.algorithm), SEEDS))

    def pattern(self, name: str, algorithm: str, metric: str) -> Values:
        """Values in one environment."""
        return self._cell(f"{metric}: {algorithm}, {self.setting}, {name}", (SEEDS,))

    def probe(self, name: str) -> tuple[ProbeRun, ...]:
        """Runs with the labels of the probe. UnavailableError for one that the study has not."""
        found = next((probe for probe in self._study.probe if probe.name == name), None)
        if found is None:
            raise UnavailableError(f"probe {name}")
        self._asked.probes[self._prefix + name] = None
        return probe_runs(self._asked, self._prefix + name, list(found.choices()))

    @property
    def study(self) -> Study:
        """The study with the values that it takes."""
        return self._study

    def part(self, name: str) -> View:
        """Another part of the paper."""
        study = self._others(name)
        if study is None:
            raise UnavailableError(f"part {name}")
        settings = [str(setting) for setting in study.matrix.settings]
        return SketchView(study, settings, self._asked, self._others, f"{name}: ")

    def _cell(self, text: str, shape: tuple[int, ...]) -> Values:
        self._asked.cells[self._prefix + text] = None
        return self._asked.values(shape)


class BesideView(NoRuns):
    """A view of runs that are none of the paper's studies."""

    def __init__(self, probes: Probes, asked: Asked) -> None:
        super().__init__()
        self._probes, self._asked = probes, asked

    def probe(self, name: str) -> tuple[ProbeRun, ...]:
        """Runs with the labels of the probe. UnavailableError for one that there is not."""
        if name not in self._probes:
            raise UnavailableError(f"probe {name}")
        self._asked.probes[name] = None
        return probe_runs(self._asked, name, self._probes[name])


@dataclass(frozen=True)
class Sketch:
    """A claim beside what judges it. ``inequalities`` is empty where the check needs what only runs have.

    ``tolerances`` are the words that a study states, ``own`` those that the check itself has numbers for.
    """

    claim: Claim
    check: str
    words: str
    inequalities: tuple[str, ...]
    cells: tuple[str, ...]
    probes: tuple[str, ...]
    tolerances: Mapping[str, Tolerance]
    own: tuple[Word, ...] = ()

    @property
    def bounds(self) -> dict[str, tuple[float, str]]:
        """By word, the number that stands for it, and its meaning."""
        stated = {name: (word.value, word.meaning) for name, word in self.tolerances.items()}
        return stated | {word.name: (word.value, word.meaning) for word in self.own}

    def to_json(self) -> dict[str, object]:
        """Its entry in ``--json``."""
        return {
            "id": self.claim.id,
            "section": self.claim.section,
            "kind": self.claim.kind,
            "statement": self.claim.statement,
            "check": self.check or None,
            "judged_as": self.words or None,
            "inequalities": list(self.inequalities),
            "cells": list(self.cells),
            "probes": list(self.probes),
            "tolerances": {
                name: {"value": value, "meaning": meaning} for name, (value, meaning) in self.bounds.items()
            },
            "printed_numbers": dict(self.claim.published),
            "worked_out_numbers": dict(self.claim.worked_out),
            "waits_for": list(self.claim.needs) if self.claim.check is None else [],
        }


def sketch(
    entry: Claim, study: Study | None, others: Callable[[str], Study | None], beside: Probes | None = None
) -> Sketch:
    """What judges a claim that speaks of this study, or of none; ``others`` finds the studies of other parts by name.

    ``beside`` are runs that are none of the paper's studies, for claims that speak of no study.
    """
    asked = Asked()
    if entry.check is None:
        return Sketch(entry, "", "", (), (), (), {})
    words = " ".join((entry.function.__doc__ or "").replace("``", "").split())
    view = (
        BesideView(beside or {}, asked) if study is None else SketchView(study, entry.settings, asked, others)
    )
    inequalities: tuple[str, ...] = ()
    own: dict[Word, None] = {}
    try:
        found = entry.function(view)
    except (UnavailableError, ArithmeticError, LookupError, ValueError):
        pass  # it needs what only runs have
    else:
        inequalities = tuple(_distinct(_lines(found)))
        own = dict.fromkeys(word for leaf in found.leaves() for word in leaf.words)
    stated = {name: study.tolerance[name] for name in asked.tolerances} if study is not None else {}
    return Sketch(
        entry,
        entry.judged_by,
        words,
        inequalities,
        tuple(asked.cells),
        tuple(asked.probes),
        stated,
        tuple(own),
    )


def _lines(found: Finding, within: str = "") -> list[tuple[str, str]]:
    """The inequalities of a finding, each with the statement that it is a part of. Alternatives are one line, and so is what must not
    hold."""
    if not found.operands:
        return [(within, _written(found))]
    if found.joined == "not":
        return [(within, _denied(found.operands[0]))]
    total = len(found.operands)
    wanted = found.numbers.get("wanted", 1 if found.joined == "or" else total)
    if wanted != total:
        each = list(dict.fromkeys(_joined(operand) for operand in found.operands))
        count = "one" if wanted == 1 else f"at least {wanted}"
        alike = f" ({found.text})" if len(each) < total else ""
        return [(found.text, f"{count} of {total}{alike}: {'; '.join(condensed(each, alternatives=True))}")]
    return [line for operand in found.operands for line in _lines(operand, found.text)]


def _denied(found: Finding) -> str:
    """What decides that a finding does not hold."""
    if found.relation is not None:
        return _written(replace(found, relation=NEGATED[found.relation]))
    lines = "; ".join(condensed(_distinct(_lines(found))))
    return f"not all of ({lines})" if len(found.operands) > 1 else f"not: {lines}"


def _joined(found: Finding) -> str:
    """What decides a finding, on one line; several inequalities in parentheses."""
    lines = condensed(_distinct(_lines(found)))
    return f"({' and '.join(lines)})" if len(lines) > 1 else lines[0]


def _distinct(lines: Sequence[tuple[str, str]]) -> list[str]:
    """Each line once; one that stands in several statements names the statement."""
    within: dict[str, dict[str, None]] = {}
    for statement, line in lines:
        within.setdefault(line, {})[statement] = None
    return list(dict.fromkeys(f"{name}: {line}" if len(within[line]) > 1 else line for name, line in lines))


def _written(leaf: Finding) -> str:
    if leaf.relation is not None and leaf.bound is not None:
        return f"{leaf.text} {leaf.relation} {leaf.bound:g}"
    if leaf.judged is not None:
        return f"{leaf.text}: {leaf.judged}"
    wanted = leaf.numbers.get("rho_wanted")
    return f"{leaf.text}, rho >= {wanted:g}" if isinstance(wanted, float) else leaf.text

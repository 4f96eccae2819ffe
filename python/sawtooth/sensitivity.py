"""Sensitivity: which verdicts and which orders turn when an open parameter takes another plausible value, one at a time.

    >>> from sawtooth.sensitivity import sensitivity
    >>> found = sensitivity("akella2002/fig4", seeds=3)
    >>> [(row.key, row.value, row.turned) for row in found.ranked]

Source: one-at-a-time screening around the study's own values ([Saltelli08], which warns that it sees no interactions). Runs have the
quick length, and every variation meets the seeds of the base, so that differences are paired.

A *verdict turns* when the claim holds at one value and fails at the other; it *loosens* when one of the two is undecided. Claims are
compared on what was run (the verdict of the finding), also where a claim speaks of more. An *order turns* when two algorithms
exchange places in D, or in C of goodput, and both orders are decided at 95 %. The *shift* of a variation is the mean absolute change of D
relative to the range of D over the algorithms, over settings and metrics: it ranks what turns nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import numpy as np

from sawtooth.claims.logic import Verdict, inequality
from sawtooth.claims.table import Judged
from sawtooth.comparison import Comparison, Jobs, alike
from sawtooth.errors import InputError
from sawtooth.matrix import Block, Outcome, collect
from sawtooth.plan import CellKey
from sawtooth.progress import ProgressCallback
from sawtooth.reproduce import chosen_studies
from sawtooth.reproduction import Reproduction, conclude
from sawtooth.runner import run_each
from sawtooth.scoring import SCORED
from sawtooth.store import Store
from sawtooth.study import Parameter, Study
from sawtooth.tally import Tally

SCORES: Final = tuple([("D", metric) for metric in SCORED] + [("C", "goodput")])
"""The orders that are compared."""


@dataclass(frozen=True)
class Turn:
    """A verdict at the study's value and at another."""

    claim: str
    base: Verdict
    varied: Verdict

    @property
    def hard(self) -> bool:
        """Whether it holds at one and fails at the other."""
        return {self.base, self.varied} == {Verdict.HOLDS, Verdict.FAILS}


@dataclass(frozen=True)
class Exchange:
    """Two algorithms whose order in a score turned, both orders decided."""

    part: str
    setting: str
    score: str
    metric: str
    better_at_base: str
    better_now: str


@dataclass(frozen=True)
class Variation:
    """One open parameter at one other value, and what it moves."""

    key: str
    where: str
    taken: object
    value: object
    turns: Sequence[Turn]
    exchanges: Sequence[Exchange]
    shift: float

    @property
    def turned(self) -> int:
        """Verdicts that turned."""
        return sum(turn.hard for turn in self.turns)

    @property
    def loosened(self) -> int:
        """Verdicts that became undecided, or were."""
        return len(self.turns) - self.turned

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "key": self.key,
            "where": self.where,
            "taken": self.taken,
            "value": self.value,
            "turned": self.turned,
            "loosened": self.loosened,
            "exchanged": len(self.exchanges),
            "shift": self.shift,
            "verdicts": [
                {"id": t.claim, "base": t.base.value, "varied": t.varied.value, "turned": t.hard}
                for t in self.turns
            ],
            "orders": [vars(entry) for entry in self.exchanges],
        }


@dataclass(frozen=True)
class Sensitivity:
    """The base and its variations. ``executed`` cells were simulated now, the others were known."""

    name: str
    base: Reproduction
    variations: Sequence[Variation]
    executed: int = 0
    wall_s: float = 0.0
    report: Path | None = None

    @property
    def ranked(self) -> list[Variation]:
        """Variations, those that turn most first."""
        return sorted(self.variations, key=lambda v: (-v.turned, -len(v.exchanges), -v.shift))

    @property
    def parameters(self) -> list[tuple[str, list[Variation]]]:
        """Parameters by what their strongest value moves, each with its variations."""
        keys = dict.fromkeys((entry.key, entry.where) for entry in self.ranked)
        return [
            (key, [entry for entry in self.ranked if (entry.key, entry.where) == (key, where)])
            for key, where in keys
        ]

    @property
    def unstable(self) -> dict[str, list[Variation]]:
        """Claims whose verdict turns somewhere in the plausible ranges, with the variations that do it."""
        found: dict[str, list[Variation]] = {}
        for entry in self.ranked:
            for turn in entry.turns:
                if turn.hard:
                    found.setdefault(turn.claim, []).append(entry)
        return found

    def to_json(self) -> dict[str, Any]:
        """The document of ``--json``."""
        parts = self.base.parts
        return {
            "study": self.name,
            "seeds": len(parts[0].results.seeds),
            "settings": [str(s) for part in parts for s in part.study.matrix.settings],
            "environments": list(parts[0].results.environments),
            "base_verdicts": {item.claim.id: effective(item).value for item in simulated(self.base)},
            "variations": [entry.to_json() for entry in self.ranked],
            "unstable_claims": {
                name: [f"{v.key} = {v.value}" for v in entries] for name, entries in self.unstable.items()
            },
            "executed": self.executed,
            "wall_s": self.wall_s,
            "report": None if self.report is None else str(self.report),
        }


def sensitivity(
    name: str,
    seeds: int | None = None,
    store: Store | Path | str | None = None,
    keys: Sequence[str] = (),
    base: Mapping[str, object] | None = None,
    threads: int | None = None,
    progress: ProgressCallback | None = None,
) -> Sensitivity:
    """Vary every open parameter of ``name`` (or ``keys`` alone) through its plausible values, around the study's values and ``base``.

    A paper means its main studies. Stored runs are not repeated.
    """
    home = store if isinstance(store, Store) else Store(store)
    studies = chosen_studies(name, seeds, True, base)
    if "/" not in name:
        studies = [study for study in studies if study.main] or studies
    plain = chosen_studies(name, seeds, False)
    return vary(name, studies, plain, home, keys, threads, progress)


def vary(
    name: str,
    studies: Sequence[Study],
    plain: Sequence[Study],
    home: Store,
    keys: Sequence[str] = (),
    threads: int | None = None,
    progress: ProgressCallback | None = None,
) -> Sensitivity:
    """Vary the open parameters of studies; ``plain`` are the same in their own length. InputError for a key that has no other value."""
    begun = time.monotonic()
    entries = list(variations(studies, plain))
    known = dict.fromkeys(entry.key for entry, _ in entries)
    for key in keys:
        if key not in known:
            accepted = f"an open parameter of {name} with another plausible value: {', '.join(known)}"
            raise InputError("reproduce", "--parameter", key, accepted)
    entries = [(entry, value) for entry, value in entries if not keys or entry.key in keys]
    counts = sum(sum(1 for _ in study.plan()) for study in studies)
    total = counts * (1 + len(entries))
    work = _Work(Tally(home), total, threads, progress)
    reference = conclude(name, [work.perform(study, home) for study in studies])
    found = []
    for entry, value in entries:
        changed = [study.with_entry(entry, value) for study in studies]
        parts = [work.perform(study, home) for study in changed]
        found.append(compare(reference, conclude(name, parts), entry, value))
    return Sensitivity(
        name,
        reference,
        found,
        executed=work.tally.executed,
        wall_s=time.monotonic() - begun,
    )


def variations(studies: Sequence[Study], plain: Sequence[Study]) -> Iterator[tuple[Parameter, object]]:
    """Every open parameter of the studies with every plausible value other than the one taken.

    What ``--quick`` shortens may also have the length of the study itself, which ``plain`` says.
    """
    own: dict[str, list[object]] = {}
    for study in plain:
        for entry in study.parameter:
            own.setdefault(entry.key, []).append(entry.value)
    seen: list[tuple[Parameter, object]] = []
    for study in studies:
        for entry in study.parameter:
            values = [*entry.plausible]
            if entry.value not in own.get(entry.key, []):
                values += own.get(entry.key, [])
            for value in values:
                if value != entry.value and not any(
                    entry.same(other) and value == taken for other, taken in seen
                ):
                    seen.append((entry, value))
                    yield entry, value


def compare(base: Reproduction, varied: Reproduction, entry: Parameter, value: object) -> Variation:
    """What one variation moves."""
    before = {item.claim.id: effective(item) for item in simulated(base)}
    after = {item.claim.id: effective(item) for item in simulated(varied)}
    turns = [
        Turn(name, verdict, after[name])
        for name, verdict in before.items()
        if name in after and verdict is not after[name]
    ]
    exchanges, shifts = [], []
    for old, new in zip(base.parts, varied.parts, strict=True):
        for block, other in zip(old.own, new.own, strict=True):
            for score, metric in SCORES:
                exchanges += list(_exchanges(old.study.name, block, other, score, metric))
                if score == "D":
                    shifts.append(_shift(block, other, metric))
    where = ", ".join([*(entry.only or []), *(entry.routers or [])])
    shift = float(np.mean(shifts)) if shifts else 0.0  # a study of probes alone has no scores
    return Variation(entry.key, where, entry.value, value, turns, exchanges, shift)


def simulated(found: Reproduction) -> list[Judged]:
    """The verdicts that rest on runs."""
    return [item for item in found.judged if item.claim.kind == "simulation"]


def effective(item: Judged) -> Verdict:
    """The verdict on what was run, where a claim speaks of more."""
    return item.verdict if item.finding is None else item.finding.verdict


def _per_seed(block: Block, score: str, metric: str) -> dict[str, np.ndarray[Any, Any]]:
    return {
        name: block.scores.of(name, metric).D_seeds if score == "D" else block.scores.of(name, metric).C_seeds
        for name in block.algorithms
    }


def _exchanges(part: str, base: Block, varied: Block, score: str, metric: str) -> Iterator[Exchange]:
    old, new = _per_seed(base, score, metric), _per_seed(varied, score, metric)
    for a, b in combinations(base.algorithms, 2):
        if base.peers(a) != base.peers(b):
            continue
        before = inequality("", old[a] - old[b], "<").verdict
        after = inequality("", new[a] - new[b], "<").verdict
        if {before, after} == {Verdict.HOLDS, Verdict.FAILS}:
            first, second = (a, b) if before is Verdict.HOLDS else (b, a)
            yield Exchange(part, base.setting, score, metric, first, second)


def _shift(base: Block, varied: Block, metric: str) -> float:
    old = np.array([values.mean() for values in _per_seed(base, "D", metric).values()])
    new = np.array([values.mean() for values in _per_seed(varied, "D", metric).values()])
    scale = float(old.max() - old.min())
    return float(np.abs(new - old).mean() / scale) if scale > 0.0 else 0.0


@dataclass
class _Work:
    """The runs of all variations, with one progress."""

    tally: Tally
    total: int
    threads: int | None
    progress: ProgressCallback | None
    done: int = 0
    stored: int = 0

    def perform(self, study: Study, store: Store) -> Comparison:
        """A study from tallies, its probes from the store."""
        plan = list(study.plan())
        outcomes: list[Outcome] = []
        for chosen in alike(plan):
            jobs = Jobs(study, chosen)
            moved = self._moved()
            if isinstance(chosen[0].key, CellKey):
                outcomes += self.tally.outcomes(jobs, threads=self.threads, progress=moved)
            else:
                outcomes += run_each(jobs, store, jobs.outcome, threads=self.threads, progress=moved)
            self.done += len(chosen)
        return Comparison(study, collect(plan, outcomes, study.families), quick=True)

    def _moved(self) -> Callable[[int, int, int], None]:
        past, known = self.done, self.stored

        def moved(done: int, _: int, stored: int) -> None:
            self.stored = known + stored
            if self.progress is not None:
                self.progress(past + done, self.total, known + stored)

        return moved

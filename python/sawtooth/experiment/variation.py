"""What another value of an open parameter moves: verdicts that turn, orders that are exchanged, and shifts of D.

Values of a sensitivity study and how two reproductions are compared; ``sensitivity`` runs them and says what the words mean.

Source: none beyond that of ``sensitivity``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from sawtooth.claims.logic import Verdict, inequality
from sawtooth.claims.multiplicity import RULE
from sawtooth.documents import format_of
from sawtooth.experiment.matrix import SettingBlock, scored_mean
from sawtooth.experiment.scoring import SCORED
from sawtooth.plain import written

if TYPE_CHECKING:
    from sawtooth.claims.table import Judged
    from sawtooth.experiment.comparison import Comparison
    from sawtooth.experiment.reproduction import Reproduction
    from sawtooth.experiment.study import OpenParameter

SCORES: Final = tuple([("D", metric) for metric in SCORED] + [("C", "goodput")])
"""The orders that are compared."""
SIMULATED: Final = "simulation"
"""The kind of claims that rest on runs: no parameter moves the others."""
SCREENED: Final = 1
"""Seeds of the first look at a value."""
PROMOTED: Final = 3.0
"""The move, in changes that another seed makes, from which a screened value gets all seeds."""


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
    shift: float | None
    """None where D is undefined, as in a run too short to measure."""
    move: float | None = None
    judged: bool = True
    """Whether verdicts and orders were compared; screening leaves those out that move little."""
    unchanged: tuple[str, ...] = ()
    """Claims that are decided alike at both values: those of which it can be said that this value changes nothing."""
    opened: tuple[str, ...] = ()
    """Claims that are undecided at one of the values or both, of which nothing can be said."""

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
            "move": None if self.move is None or not np.isfinite(self.move) else self.move,
            "judged": self.judged,
            "unchanged": len(self.unchanged),
            "open": len(self.opened),
            "verdicts": [
                {"id": t.claim, "base": t.base.value, "varied": t.varied.value, "turned": t.hard}
                for t in self.turns
            ],
            "orders": [vars(entry) for entry in self.exchanges],
        }


@dataclass(frozen=True)
class Sensitivity:
    """The base and its variations, and the ``command`` that makes them. ``executed`` cells were simulated now, the others were known."""

    name: str
    base: Reproduction
    variations: Sequence[Variation]
    seeds: int
    length: str
    """Of each run, as a study says it: a time, or a number of losses."""
    refused: Sequence[tuple[str, object, str]] = ()
    """Values that the scenario refuses beside the others (a warm-up longer than the run): key, value, and why."""
    command: str = ""
    executed: int = 0
    wall_s: float = 0.0
    report: Path | None = None
    left_out: Sequence[str] = ()
    """Parameters with another plausible value that were not varied, where some were asked for alone."""
    page: str = ""
    """Seeds and length of the studies themselves, where these runs have others; in words."""
    behaviour: Mapping[str, int] = field(default_factory=dict)
    """The components of the engine that the runs used, with their behaviour numbers."""

    @property
    def ranked(self) -> list[Variation]:
        """Variations, those that turn most first."""
        return sorted(
            self.variations, key=lambda v: (-v.turned, -len(v.exchanges), not v.judged, -(v.shift or 0.0))
        )

    @property
    def decided(self) -> list[str]:
        """Claims that are decided at the values taken."""
        return [item.claim.id for item in simulated(self.base) if effective(item) is not Verdict.UNDECIDED]

    @property
    def robust(self) -> list[str]:
        """Those of them that every value judged leaves decided as they are."""
        kept = [set(entry.unchanged) for entry in self.judged]
        return [name for name in self.decided if all(name in names for names in kept)]

    @property
    def judged(self) -> list[Variation]:
        """Variations whose verdicts and orders were compared."""
        return [entry for entry in self.variations if entry.judged]

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

    @property
    def decided_elsewhere(self) -> dict[str, dict[Verdict, list[Variation]]]:
        """Claims that are undecided at the values taken, with the variations at which they hold and those at which they fail."""
        found: dict[str, dict[Verdict, list[Variation]]] = {}
        for entry in self.ranked:
            for turn in entry.turns:
                if turn.base is Verdict.UNDECIDED:
                    sides = found.setdefault(turn.claim, {Verdict.HOLDS: [], Verdict.FAILS: []})
                    sides[turn.varied].append(entry)
        return found

    def to_json(self) -> dict[str, Any]:
        """The document of ``--json``."""
        parts = self.base.parts
        return {
            "format": format_of("sensitivity"),
            "study": self.name,
            "command": self.command,
            "seeds": self.seeds,
            "rule": RULE,
            "behaviour": dict(self.behaviour),
            "settings": [str(s) for part in parts for s in part.study.matrix.settings],
            "environments": list(parts[0].results.environments) if parts else [],
            "base_verdicts": {item.claim.id: effective(item).value for item in simulated(self.base)},
            "variations": [entry.to_json() for entry in self.ranked],
            "unstable_claims": {name: _named(entries) for name, entries in self.unstable.items()},
            "decided_elsewhere": {
                name: {verdict.value: _named(entries) for verdict, entries in sides.items()}
                for name, sides in self.decided_elsewhere.items()
            },
            "complete_claims": [item.claim.id for item in simulated(self.base) if not item.partial],
            "robust_claims": self.robust,
            "refused": [{"key": key, "value": value, "why": why} for key, value, why in self.refused],
            "left_out": list(self.left_out),
            "executed": self.executed,
            "wall_s": self.wall_s,
            "report": None if self.report is None else str(self.report),
        }


def _named(entries: Sequence[Variation]) -> list[str]:
    return [f"{entry.key} = {written(entry.value)}" for entry in entries]


def compare(base: Reproduction, varied: Reproduction, entry: OpenParameter, value: object) -> Variation:
    """What one variation moves."""
    before = {item.claim.id: effective(item) for item in simulated(base)}
    after = {item.claim.id: effective(item) for item in simulated(varied)}
    turns = [
        Turn(name, verdict, after[name])
        for name, verdict in before.items()
        if name in after and verdict is not after[name]
    ]
    alike = [name for name, verdict in before.items() if verdict is after.get(name)]
    unchanged = tuple(name for name in alike if before[name] is not Verdict.UNDECIDED)
    opened = tuple(
        name for name, verdict in before.items() if Verdict.UNDECIDED in (verdict, after.get(name))
    )
    exchanges: list[Exchange] = []
    shifts: list[float | None] = []
    for old, new in zip(base.parts, varied.parts, strict=True):
        for block, other in zip(old.own, new.own, strict=True):
            for score, metric in SCORES:
                exchanges += list(_exchanges(old.study.name, block, other, score, metric))
                if score == "D":
                    shifts.append(shift_of(block, other, metric))
    shift = mean_shift(shifts)
    where = where_of(entry)
    return Variation(
        entry.key, where, entry.value, value, turns, exchanges, shift, unchanged=unchanged, opened=opened
    )


def mean_shift(shifts: Sequence[float | None]) -> float | None:
    """The mean of those that are defined; None where none is, 0 for a study of probes alone, which has no scores."""
    known = [shift for shift in shifts if shift is not None]
    if shifts and not known:
        return None
    return float(np.mean(known)) if known else 0.0


def where_of(entry: OpenParameter) -> str:
    return ", ".join([*(entry.only or []), *(entry.routers or [])])


def blocks_of(parts: Sequence[Comparison]) -> list[SettingBlock]:
    return [block for part in parts for block in part.own]


def simulated(found: Reproduction) -> list[Judged]:
    """The verdicts that rest on runs."""
    return [item for item in found.judged if item.claim.kind == SIMULATED]


def effective(item: Judged) -> Verdict:
    """The verdict on what was run, where a claim speaks of more."""
    return item.verdict if item.finding is None else item.finding.verdict


def _per_seed(block: SettingBlock, score: str, metric: str) -> dict[str, np.ndarray[Any, Any]]:
    return {
        name: block.scores.of(name, metric).D_seeds if score == "D" else block.scores.of(name, metric).C_seeds
        for name in block.algorithms
    }


def _exchanges(
    part: str, base: SettingBlock, varied: SettingBlock, score: str, metric: str
) -> Iterator[Exchange]:
    old, new = _per_seed(base, score, metric), _per_seed(varied, score, metric)
    for a, b in combinations(base.algorithms, 2):
        if base.peers(a) != base.peers(b):
            continue
        before = inequality("", old[a] - old[b], "<").verdict
        after = inequality("", new[a] - new[b], "<").verdict
        if {before, after} == {Verdict.HOLDS, Verdict.FAILS}:
            first, second = (a, b) if before is Verdict.HOLDS else (b, a)
            yield Exchange(part, base.setting, score, metric, first, second)


def _totals(block: SettingBlock, metric: str, seeds: int) -> np.ndarray[Any, Any]:
    """D of each algorithm over the first seeds, shape (algorithms, seeds)."""
    return np.array([values[:seeds] for values in _per_seed(block, "D", metric).values()])


def largest_move(base: SettingBlock, varied: SettingBlock) -> float:
    """The largest change of an algorithm over the seeds of ``varied``, in D or in a raw value, in changes that another seed makes."""
    count, moves = len(varied.seeds), []
    for metric in SCORED:
        for values in (_totals, _raw):
            every = values(base, metric, len(base.seeds))
            pairs = combinations(range(len(base.seeds)), 2)
            other_seed = float(np.mean([np.abs(every[:, i] - every[:, j]) for i, j in pairs]))
            new, old = values(varied, metric, count), every[:, :count]
            change = float(np.abs(new.mean(axis=1) - old.mean(axis=1)).max())
            if change != 0.0:  # a value that is not defined is no small change
                moves.append(change / other_seed if other_seed > 0.0 and np.isfinite(change) else np.inf)
    return max(moves, default=0.0)


def _raw(block: SettingBlock, metric: str, seeds: int) -> np.ndarray[Any, Any]:
    """Means over the environments of what is scored, over the first seeds, shape (algorithms, seeds)."""
    return np.array([scored_mean(block, name, metric)[:seeds] for name in block.algorithms])


def shift_of(base: SettingBlock, varied: SettingBlock, metric: str) -> float | None:
    """The mean change of D over its range; None where D is not defined for two algorithms at least."""
    seeds = min(len(base.seeds), len(varied.seeds))
    old, new = _totals(base, metric, seeds).mean(axis=1), _totals(varied, metric, seeds).mean(axis=1)
    defined = np.isfinite(old) & np.isfinite(new)
    if defined.sum() < min(2, len(old)):
        return None
    old, new = old[defined], new[defined]
    scale = float(old.max() - old.min())
    return float(np.abs(new - old).mean() / scale) if scale > 0.0 else 0.0

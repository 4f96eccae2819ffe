"""Sensitivity: which verdicts and which orders turn when an open parameter takes another plausible value, one at a time.

    >>> from sawtooth.sensitivity import sensitivity
    >>> found = sensitivity("akella2002/fig4", seeds=3)
    >>> [(row.key, row.value, row.turned) for row in found.ranked]

Source: one-at-a-time variation around the study's own values ([Saltelli08], which warns that it sees no interactions). Runs have the
quick length, and every variation meets the seeds of the base, so that differences are paired.

A *verdict turns* when the claim holds at one value and fails at the other; it *loosens* when one of the two is undecided. Claims are
compared on what was run (the verdict of the finding), also where a claim speaks of more. An *order turns* when two algorithms
exchange places in D, or in C of goodput, and both orders are decided at 95 %. The *shift* of a variation is the mean absolute change of D
relative to the range of D over the algorithms, over settings and metrics: it ranks what turns nothing.

A paper has some eighty values over all its settings, and most of them move nothing. With ``screen`` each is first run with one seed. For
each algorithm, setting and metric the change of D, and of the mean raw value, at that seed is divided by what another seed changes at the
values taken (mean absolute difference of the seeds, over pairs of seeds and the algorithms of the setting). Values whose largest such
*move* is below PROMOTED are left at that, and their verdicts and orders are not judged; the others get all seeds. With three seeds a
decided difference is at least 2.5 standard deviations of it, and a verdict that turns needs it to change sides: something has to move by
more than four such units.
"""

from __future__ import annotations

import itertools
import json
import shlex
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import numpy as np

from sawtooth.claims.logic import Verdict, inequality
from sawtooth.claims.table import Judged
from sawtooth.comparison import Comparison, Jobs, alike, refusal
from sawtooth.errors import InputError
from sawtooth.matrix import Block, Outcome, collect, scored_mean
from sawtooth.plan import CellKey, Planned
from sawtooth.progress import ProgressCallback
from sawtooth.reproduce import chosen_studies
from sawtooth.reproduction import Reproduction, conclude
from sawtooth.runner import run_each
from sawtooth.scoring import SCORED
from sawtooth.store import Store
from sawtooth.study import Parameter, Study
from sawtooth.tally import Tally
from sawtooth.unused_keys import idle

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
    shift: float
    move: float | None = None
    judged: bool = True
    """Whether verdicts and orders were compared; screening leaves those out that move little."""

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
    refused: Sequence[tuple[str, object, str]] = ()
    """Values that the scenario refuses beside the others (a warm-up longer than the run): key, value, and why."""
    command: str = ""
    executed: int = 0
    wall_s: float = 0.0
    report: Path | None = None

    @property
    def ranked(self) -> list[Variation]:
        """Variations, those that turn most first."""
        return sorted(self.variations, key=lambda v: (-v.turned, -len(v.exchanges), not v.judged, -v.shift))

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

    def to_json(self) -> dict[str, Any]:
        """The document of ``--json``."""
        parts = self.base.parts
        return {
            "study": self.name,
            "command": self.command,
            "seeds": len(parts[0].results.seeds),
            "settings": [str(s) for part in parts for s in part.study.matrix.settings],
            "environments": list(parts[0].results.environments),
            "base_verdicts": {item.claim.id: effective(item).value for item in simulated(self.base)},
            "variations": [entry.to_json() for entry in self.ranked],
            "unstable_claims": {
                name: [f"{v.key} = {v.value}" for v in entries] for name, entries in self.unstable.items()
            },
            "refused": [{"key": key, "value": value, "why": why} for key, value, why in self.refused],
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
    screen: bool | None = None,
) -> Sensitivity:
    """Vary every open parameter of ``name`` (or ``keys`` alone) through its plausible values, around the study's values and ``base``.

    A paper means its main studies, joined, so that a cell that several figures show is run once. ``screen`` looks at each value with one
    seed before it gets all; None does so for a paper. Stored runs are not repeated.
    """
    home = store if isinstance(store, Store) else Store(store)
    whole = "/" not in name
    screened = whole if screen is None else screen
    studies = chosen_studies(name, seeds, True, base)
    plain = chosen_studies(name, seeds, False)
    if whole and any(study.main for study in studies):
        studies = [study for study in studies if study.main]
        plain = [study for study in plain if study.main]
    found = vary(name, studies, plain, home, keys, threads, progress, screened)
    return replace(found, command=command_line(name, seeds, keys, base or {}, screen))


def command_line(
    name: str, seeds: int | None, keys: Sequence[str], base: Mapping[str, object], screen: bool | None
) -> str:
    """The command that makes a sensitivity, as a user would type it."""
    words = ["sawtooth", "reproduce", name, "--sensitivity"]
    words += [] if screen is None else ["--screen" if screen else "--no-screen"]
    words += [] if seeds is None else ["--seeds", str(seeds)]
    for key, value in base.items():
        words += ["--set", f"{key}={value if isinstance(value, str) else json.dumps(value)}"]
    for key in keys:
        words += ["--parameter", key]
    return shlex.join(words)


def vary(
    name: str,
    studies: Sequence[Study],
    plain: Sequence[Study],
    home: Store,
    keys: Sequence[str] = (),
    threads: int | None = None,
    progress: ProgressCallback | None = None,
    screen: bool = False,
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
    refused: list[tuple[str, object, str]] = []
    possible = []
    for entry, value in entries:
        why = next(filter(None, (refusal(study.with_entry(entry, value)) for study in studies)), None)
        if why is None:
            possible.append((entry, value))
        else:
            refused.append((entry.key, value, str(why)))
    if screen and any(len(study.seeds) < 2 for study in studies):
        raise InputError("reproduce", "--seeds", len(studies[0].seeds), "two seeds or more beside --screen")
    counts = sum(study.runs for study in studies)
    first = sum(study.seeded(SCREENED).runs for study in studies)
    work = _Work(Tally(home), counts + (first if screen else counts) * len(possible), threads, progress)
    reference = conclude(name, [work.perform(study, home) for study in studies], SIMULATED)
    found = []
    for entry, value in possible:
        changed = [study.with_entry(entry, value) for study in studies]
        move = None
        if screen:
            seen = [work.perform(study.seeded(SCREENED), home) for study in changed]
            pairs = list(zip(_blocks(reference.parts), _blocks(seen), strict=True))
            move = max((_move(old, new) for old, new in pairs), default=np.inf)
            if move < PROMOTED:
                shifts = [_shift(old, new, metric) for old, new in pairs for metric in SCORED]
                shift = float(np.mean(shifts))
                found.append(
                    Variation(entry.key, _where(entry), entry.value, value, (), (), shift, move, False)
                )
                continue
            work.total += counts - first
            work.done -= first
        parts = [work.perform(study, home) for study in changed]
        found.append(replace(compare(reference, conclude(name, parts, SIMULATED), entry, value), move=move))
    return Sensitivity(
        name,
        reference,
        found,
        refused,
        executed=work.tally.executed,
        wall_s=time.monotonic() - begun,
    )


def variations(studies: Sequence[Study], plain: Sequence[Study]) -> Iterator[tuple[Parameter, object]]:
    """Every open parameter that acts in the studies' settings with every plausible value other than the one taken.

    What ``--quick`` shortens may also have the length of the study itself, which ``plain`` says.
    """
    own: dict[str, list[object]] = {}
    for study in plain:
        for entry in study.parameter:
            own.setdefault(entry.key, []).append(entry.value)
    seen: list[tuple[Parameter, object]] = []
    for study in studies:
        routers = {setting.router for setting in study.matrix.settings}
        for entry in study.parameter:
            if routers and entry.routers is not None and routers.isdisjoint(entry.routers):
                continue
            if idle(itertools.chain.from_iterable(each.kinds() for each in studies), entry.key) is not None:
                continue
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
    shift = float(np.mean(shifts)) if shifts else 0.0  # a study of probes alone has no scores
    return Variation(entry.key, _where(entry), entry.value, value, turns, exchanges, shift)


def _where(entry: Parameter) -> str:
    return ", ".join([*(entry.only or []), *(entry.routers or [])])


def _blocks(parts: Sequence[Comparison]) -> list[Block]:
    return [block for part in parts for block in part.own]


def simulated(found: Reproduction) -> list[Judged]:
    """The verdicts that rest on runs."""
    return [item for item in found.judged if item.claim.kind == SIMULATED]


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


def _totals(block: Block, metric: str, seeds: int) -> np.ndarray[Any, Any]:
    """D of each algorithm over the first seeds, shape (algorithms, seeds)."""
    return np.array([values[:seeds] for values in _per_seed(block, "D", metric).values()])


def _move(base: Block, varied: Block) -> float:
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


def _raw(block: Block, metric: str, seeds: int) -> np.ndarray[Any, Any]:
    """Means over the environments of what is scored, over the first seeds, shape (algorithms, seeds)."""
    return np.array([scored_mean(block, name, metric)[:seeds] for name in block.algorithms])


def _shift(base: Block, varied: Block, metric: str) -> float:
    seeds = min(len(base.seeds), len(varied.seeds))
    old, new = _totals(base, metric, seeds).mean(axis=1), _totals(varied, metric, seeds).mean(axis=1)
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
                outcomes += self._cells(study, chosen, moved)
            else:
                outcomes += run_each(jobs, store, jobs.outcome, threads=self.threads, progress=moved)
            self.done += len(chosen)
        return Comparison(study, collect(plan, outcomes, study.families), quick=True)

    def _cells(
        self, study: Study, chosen: Sequence[Planned], moved: Callable[[int, int, int], None]
    ) -> list[Outcome]:
        """Cells seed by seed, so that tallies of a first look serve when all seeds are wanted."""
        by_seed: dict[str, dict[int, Planned]] = {}
        for place, planned in enumerate(chosen):
            by_seed.setdefault(planned.seed, {})[place] = planned
        found: dict[int, Outcome] = {}
        for group in by_seed.values():

            def counted(done: int, total: int, stored: int, past: int = len(found)) -> None:
                moved(past + done, total, stored)

            outcomes = self.tally.outcomes(
                Jobs(study, list(group.values())), threads=self.threads, progress=counted
            )
            found.update(zip(group, outcomes, strict=True))
        return [found[place] for place in range(len(chosen))]

    def _moved(self) -> Callable[[int, int, int], None]:
        past, known = self.done, self.stored

        def moved(done: int, _: int, stored: int) -> None:
            self.stored = known + stored
            if self.progress is not None:
                self.progress(past + done, self.total, known + stored)

        return moved

"""The search: patterns of bandwidth under which a goal is met, how much of the space they fill, and a judgement on fresh seeds.

Source: the design is a Latin hypercube [McKay79] over the space, then successive halving [JamiesonTalwalkar16]: the better a pattern, the
more runs it gets.

    1 explore  a Latin hypercube over the whole space, one seed: from these alone comes the size of the winning region
    2 refine   four times, new patterns in ever smaller boxes around the best so far, one seed
    3 confirm  the best of all on the remaining search seeds; the first of these is what is found
    4 judge    that pattern alone, on other seeds, by the verdicts of any claim

Patterns are ranked by what is missing to the goal, summed over its inequalities in units of their spread over the space, then by how
wide the narrowest holds (``goal.rank``). Search and judging seeds differ, so choosing the luckiest pattern does not flatter the verdict.

| parameter | unit | default      | why                                                                                |
|-----------|------|--------------|------------------------------------------------------------------------------------|
| runs      | 1    | 1600         | 400 patterns of four algorithms, of which 180 cover the space: ±7 % on a half |
| shares    | 1    | .45 and .12 .12 .08 .08 | of the runs for 1 and each round of 2; the rest, .15, is for 3           |
| boxes     | 1    | .15 .08 .04 .02 | half-widths of the boxes of 2 in the unit cube                                  |
| centres   | 1    | 6            | patterns around which 2 looks                                                      |

The share of the space is that of its points, which are spread as ``space`` says (periods by their logarithm), with a Wilson interval
[Wilson27]; a hypercube spreads points more evenly than chance, so the interval is rather too wide. Membership is by one seed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from sawtooth.claims.logic import Finding, Verdict, all_of
from sawtooth.claims.multiplicity import RULE
from sawtooth.documents import format_of
from sawtooth.errors import InputError
from sawtooth.experiment.comparison import Comparison
from sawtooth.experiment.intervals import Share
from sawtooth.experiment.matrix import Results
from sawtooth.experiment.perform import perform
from sawtooth.experiment.search.goal import Goal, Margins, PatternView, margins, met, rank, scales
from sawtooth.experiment.search.space import COMMAND, Space
from sawtooth.experiment.study import Study
from sawtooth.progress import ProgressCallback
from sawtooth.run.store import Store

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sawtooth.experiment.search.space import Points

SHARES: Final = (0.45, 0.12, 0.12, 0.08, 0.08)
BOXES: Final = (0.15, 0.08, 0.04, 0.02)
CENTRES: Final = 6
SHOWN: Final = ("goodput", "loss", "timeouts", "retransmits", "mean_window", "fairness", "delay")
"""Metrics whose means are shown of the pattern that was found."""
SEARCH_SEEDS_FROM: Final = 1001
"""Search seeds are 1001, 1002, …; studies judge on 1, 2, …."""


@dataclass(frozen=True)
class Candidate:
    """A pattern that was tried: its numbers, the stage that proposed it, goodput of everyone and the margins of the goal (first seed)."""

    numbers: Mapping[str, float]
    table: Mapping[str, Any]
    stage: str
    goodput: Mapping[str, float]
    margins: Margins
    met: bool

    @property
    def winner(self) -> str:
        """Who comes first in goodput."""
        return max(self.goodput, key=lambda name: self.goodput[name])

    @property
    def loser(self) -> str:
        """Who comes last in goodput."""
        return min(self.goodput, key=lambda name: self.goodput[name])


@dataclass(frozen=True)
class Search:
    """What was asked and what came out. ``place`` is the found pattern's among the candidates."""

    space: Space
    goal: Goal
    algorithms: tuple[str, ...]
    setting: str
    candidates: Sequence[Candidate]
    place: int
    search_seeds: tuple[str, ...]
    on_search_seeds: Sequence[Finding]
    judge_seeds: tuple[str, ...]
    judged: Sequence[Finding]
    values: Mapping[str, Mapping[str, float]]
    executed: int
    seed: int
    conditions: Mapping[str, object] = field(default_factory=dict)
    controls: tuple[str, ...] = ()
    """The algorithms as they are written."""
    behaviour: Mapping[str, int] = field(default_factory=dict)
    """The components of the engine that the runs used, with their behaviour numbers."""

    @property
    def found(self) -> Candidate:
        """The pattern found, which may yet miss the goal: ``verdict`` says."""
        return self.candidates[self.place]

    @property
    def verdict(self) -> Verdict:
        """Whether the goal is met under the found pattern, on the judging seeds."""
        return all_of([finding.verdict for finding in self.judged])

    @property
    def cover(self) -> list[Candidate]:
        """The patterns that cover the space evenly."""
        return [entry for entry in self.candidates if entry.stage == "explore"]

    def region(self) -> Share:
        """The share of the space where the goal is met."""
        return Share(sum(entry.met for entry in self.cover), len(self.cover))

    def shares(self) -> dict[str, tuple[Share, Share]]:
        """Per algorithm the shares of the space where it comes first and where it comes last."""
        cover = self.cover
        return {
            name: (
                Share(sum(entry.winner == name for entry in cover), len(cover)),
                Share(sum(entry.loser == name for entry in cover), len(cover)),
            )
            for name in self.algorithms
        }

    def to_json(self) -> dict[str, Any]:
        """The document of ``--json``."""
        return {
            "format": format_of("environment-search"),
            "shape": self.space.shape,
            "space": [
                {"key": e.key, "low": e.low, "high": e.high, "unit": e.unit, "logarithmic": e.logarithmic}
                for e in self.space.dimensions
            ],
            "goal": {
                "winner": self.goal.winner,
                "loser": self.goal.loser,
                "claims": [entry.id for entry in self.goal.claims],
            },
            "setting": self.setting,
            "algorithms": list(self.algorithms),
            "conditions": dict(self.conditions),
            "seed": self.seed,
            "verdict": self.verdict.value,
            "environment": dict(self.found.table),
            "metrics": {name: dict(row) for name, row in self.values.items()},
            "judged": [finding.to_json() for finding in self.judged],
            "judge_seeds": list(self.judge_seeds),
            "search_seeds": list(self.search_seeds),
            "on_search_seeds": [finding.to_json() for finding in self.on_search_seeds],
            "region": self.region().to_json(),
            "rule": RULE,
            "behaviour": dict(self.behaviour),
            "shares": {
                name: {"first": first.to_json(), "last": last.to_json()}
                for name, (first, last) in self.shares().items()
            },
            "executed": self.executed,
            "candidates": [
                {
                    "stage": entry.stage,
                    "numbers": dict(entry.numbers),
                    "goodput": dict(entry.goodput),
                    "met": entry.met,
                }
                for entry in self.candidates
            ],
        }


def budget(runs: int, algorithms: int, search_seeds: int) -> tuple[tuple[int, ...], int]:
    """Patterns of explore and of each round of refine, and patterns to confirm, within ``runs``. InputError where that is too few."""
    more = max(search_seeds - 1, 1)
    least = algorithms * math.ceil(max(1.0 / SHARES[-1], more / (1.0 - sum(SHARES))))
    if runs < least:
        accepted = f"at least {least} for {algorithms} controllers and {search_seeds} seeds"
        raise InputError(COMMAND, "--runs", runs, accepted)
    counts = tuple(int(share * runs / algorithms) for share in SHARES)
    return counts, (runs - algorithms * sum(counts)) // (algorithms * more)


def search(
    study: Study,
    space: Space,
    goal: Goal,
    store: Store,
    *,
    runs: int = 1600,
    search_seeds: int = 3,
    seed: int = 1,
    judge: Study | None = None,
    threads: int | None = None,
    progress: ProgressCallback | None = None,
) -> Search:
    """Search patterns of ``space`` for ``goal`` under the set-up of ``study``, and judge what is found as ``judge`` says.

    ``study`` gives scenario, algorithms and the one setting; ``judge`` (default: the same) length and seeds of the judgement.
    Stored runs are not repeated, so the same call goes on where it was interrupted.
    """
    final = judge or study
    counts, confirmed = budget(runs, len(study.algorithm), search_seeds)
    more = confirmed * (search_seeds - 1) * len(study.algorithm)
    total = sum(counts) * len(study.algorithm) + more + final.matrix.seeds * len(study.algorithm)
    work = _Work(store, goal, total, threads, progress)
    first = study.seeded(1, SEARCH_SEEDS_FROM)

    points, table, stages = _explored(work, first, space, counts, seed)
    scale = scales(table[: counts[0]])
    place = _most_promising(work, study, space, points, table, scale, confirmed, search_seeds)

    chosen = points[place : place + 1]
    on_search = work.view(study.seeded(search_seeds, SEARCH_SEEDS_FROM), space, chosen, reused=True)
    judging = work.view(final, space, chosen)
    reached = met(table)
    candidates = [
        Candidate(space.numbers(point), space.table(point), stage, goodput, row, bool(ok))
        for point, stage, goodput, row, ok in zip(points, stages, work.goodputs, table, reached, strict=False)
    ]
    names = tuple(entry.label for entry in study.algorithm)
    (setting,) = study.matrix.settings
    return Search(
        space=space,
        goal=goal,
        algorithms=names,
        setting=str(setting),
        candidates=candidates,
        place=place,
        search_seeds=study.seeded(search_seeds, SEARCH_SEEDS_FROM).seeds,
        on_search_seeds=goal.findings(on_search),
        judge_seeds=final.seeds,
        judged=goal.findings(judging),
        values={
            name: {metric: float(judging.pattern("", name, metric).mean()) for metric in SHOWN}
            for name in names
        },
        executed=work.executed,
        seed=seed,
        conditions={"study": study.name, "runs": runs, **_conditions(study)},
        controls=tuple(entry.control for entry in study.algorithm),
    )


def _explored(
    work: _Work, first: Study, space: Space, counts: Sequence[int], seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], list[str]]:
    """Points that cover the space, then those in ever smaller boxes around the best; their margins, and the stage of each."""
    points = space.cover(counts[0], seed)
    table = work.margins(first, space, points)
    scale = scales(table)
    stages = ["explore"] * counts[0]
    for step, (count, radius) in enumerate(zip(counts[1:], BOXES, strict=True)):
        centres = points[rank(table, scale)[:CENTRES]]
        new = space.around(centres, count, radius, seed + 1 + step)
        points = np.vstack([points, new])
        table = np.vstack([table, work.margins(first, space, new)])
        stages += ["refine"] * count
    return points, table, stages


def _most_promising(
    work: _Work,
    study: Study,
    space: Space,
    points: NDArray[np.float64],
    table: NDArray[np.float64],
    scale: Margins,
    confirmed: int,
    search_seeds: int,
) -> int:
    """The place of the best point: of the best few by the first seed, that with the best mean over all seeds of the search."""
    best = rank(table, scale)[:confirmed]
    if search_seeds == 1:
        return int(best[0])
    others = study.seeded(search_seeds - 1, SEARCH_SEEDS_FROM + 1)
    again = work.margins(others, space, points[best])
    weight = 1.0 / search_seeds
    joined = weight * table[best] + (1.0 - weight) * again
    return int(best[rank(joined, scale)[0]])


def _conditions(study: Study) -> dict[str, object]:
    """The open parameters of the set-up, as taken."""
    return {entry.key: entry.value for entry in study.parameter if entry.only is None}


@dataclass
class _Work:
    """Runs of one search: one progress over all of its stages, and the goodput of every pattern on the first seed."""

    store: Store
    goal: Goal
    total: int
    threads: int | None
    progress: ProgressCallback | None
    done: int = 0
    stored: int = 0
    executed: int = 0
    goodputs: list[Mapping[str, float]] = field(default_factory=list)

    def margins(self, study: Study, space: Space, points: Points) -> NDArray[np.float64]:
        """Margins of the goal for every point, seeds pooled: shape (points, inequalities)."""
        results, beside = self._run(study, _tables(space, points)), self._beside(study)
        rows = []
        for place in range(len(points)):
            view = PatternView(results, _name(place), study.tolerance, beside)
            rows.append(margins(self.goal.findings(view)))
            self.goodputs.append(
                {name: float(view.pattern("", name, "goodput").mean()) for name in view.algorithms}
            )
        return np.array(rows)

    def view(self, study: Study, space: Space, points: Points, *, reused: bool = False) -> PatternView:
        """The runs of one point. ``reused``: they were made before and count no more."""
        results = self._run(study, _tables(space, points), counted=not reused)
        return PatternView(results, _name(0), study.tolerance, self._beside(study))

    def _beside(self, study: Study) -> Results | None:
        """The runs under the patterns of the study with which the goal compares, beyond the budget; None where it compares with none."""
        tables = {name: study.environments[name] for name in self.goal.beside}
        return self._run(study, tables, counted=False) if tables else None

    def _run(self, study: Study, tables: Mapping[str, Mapping[str, Any]], *, counted: bool = True) -> Results:
        matrix = study.matrix.model_copy(update={"environments": list(tables), "absent": []})
        whole = study.replaced(environments=dict(tables), matrix=matrix, probe=[], claims=[])
        past, known, simulated = self.done, self.stored, 0

        def moved(done: int, _: int, stored: int) -> None:
            nonlocal simulated
            simulated = done - stored
            if counted:
                self.done, self.stored = past + done, known + stored
                if self.progress is not None:
                    self.progress(self.done, self.total, self.stored)

        found: Comparison = perform(whole, self.store, threads=self.threads, progress=moved)
        self.executed += simulated
        return found.results


def _tables(space: Space, points: Points) -> dict[str, Mapping[str, Any]]:
    """The points as environments."""
    return {_name(place): space.table(point) for place, point in enumerate(points)}


def _name(place: int) -> str:
    return f"pattern {place + 1}"

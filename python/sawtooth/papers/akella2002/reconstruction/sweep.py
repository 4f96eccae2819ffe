"""The runs of a reconstruction: for each combination a table at reduced length, or all at full length, its numbers in one small file.

    <store>/reconstruction/<behaviour version>/<metrics version>/<two digits>/<key>.json

Source: an incomplete block design [CochranCox57] §9: tables (blocks) come from two shuffled decks, of figures and of families, each dealt
to the end before it is shuffled again. So after any number of combinations each figure was run almost equally often, each family too.
The key is the hash of everything that the numbers depend on: study, combination, tables, length. A file is written whole, so a kill loses
one combination, some ten seconds; what is there is not repeated. Runs themselves are not kept: there would be a hundred thousand.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final

import numpy as np

from sawtooth.atomic import write_text_atomic
from sawtooth.experiment.matrix import collect
from sawtooth.experiment.perform import Held, StudyJobs, refusal
from sawtooth.experiment.study import Study
from sawtooth.papers.akella2002.reconstruction.factors import Combination, Factor
from sawtooth.papers.akella2002.reconstruction.rows import FIGURE, BlockKey, PrintedRow, ours, study_of
from sawtooth.plain import canonical
from sawtooth.progress import ProgressCallback
from sawtooth.run.run import behaviour_version
from sawtooth.run.runner import run_each
from sawtooth.run.store import Store
from sawtooth.run.tally import light_outcome, metrics_version
from sawtooth.run.used import note, watching

FORMAT: Final = 1


@dataclass(frozen=True)
class Tried:
    """A combination and our numbers for the rows of the tables that were run with it, by row and column."""

    combination: Combination
    numbers: Mapping[int, Mapping[str, float]]


@dataclass(frozen=True)
class CombinationSweep:
    """What all combinations share: the study (at its reduced or full length), the factors, the printed rows and the representatives."""

    study: Study
    factors: tuple[Factor, ...]
    rows: Sequence[PrintedRow]
    representatives: Mapping[str, str]
    store: Store
    threads: int | None = None

    def path(self, chosen: Combination, blocks: Sequence[BlockKey]) -> Path:
        """Where the numbers of a combination go."""
        study = chosen.apply(self.study, self.factors)
        key = {
            "format": FORMAT,
            "study": study.model_dump(include={"scenario", "parameter", "routers", "environments", "matrix"}),
            "algorithms": [vars(entry) for entry in study.algorithm],
            "representatives": dict(self.representatives),
            "blocks": [(block.setting, block.family) for block in blocks],
        }
        name = sha256(canonical(key).encode()).hexdigest()
        home = self.store.path / "reconstruction" / behaviour_version() / metrics_version()
        return home / name[:2] / f"{name}.json"

    def runs(self, blocks: Sequence[BlockKey]) -> int:
        """Runs of one combination."""
        return sum(study_of(self.study, block, self.representatives).runs for block in blocks)

    def stored(self, chosen: Combination, blocks: Sequence[BlockKey]) -> Tried | None:
        """A combination that was tried before; None where it was not, or its file cannot be read."""
        path = self.path(chosen, blocks)
        if not path.is_file():
            return None
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
            numbers: dict[str, dict[str, float]] = document["numbers"]
            used: dict[str, int] = document["behaviour"]
        except (OSError, ValueError, LookupError):
            return None
        places = {row.name: place for place, row in enumerate(self.rows)}
        if not set(numbers) <= set(places):
            return None
        note(used)
        return Tried(chosen, {places[name]: values for name, values in numbers.items()})

    def run(
        self,
        chosen: Combination,
        blocks: Sequence[BlockKey],
        progress: ProgressCallback | None = None,
    ) -> Tried:
        """Run the tables with a combination and keep the numbers."""
        study = chosen.apply(self.study, self.factors)
        parts = [study_of(study, block, self.representatives) for block in blocks]
        plans = [list(part.plan()) for part in parts]
        # All tables in one sweep, so that no thread waits for the last run of each, and each scenario resolved once.
        jobs = Held(StudyJobs(study, list(chain.from_iterable(plans))))
        with watching() as used:
            outcomes = iter(run_each(jobs, None, light_outcome, threads=self.threads, progress=progress))
        numbers: dict[int, Mapping[str, float]] = {}
        for block, part, plan in zip(blocks, parts, plans, strict=True):
            found = collect(plan, list(islice(outcomes, len(plan))), part.families).blocks[block.setting]
            for place, row in enumerate(self.rows):
                if row.block == block:
                    numbers[place] = ours(row, found)
        document: dict[str, Any] = {
            "combination": chosen.changed(self.factors),
            "behaviour": used,
            "numbers": {self.rows[place].name: dict(values) for place, values in numbers.items()},
        }
        write_text_atomic(self.path(chosen, blocks), json.dumps(document, default=str))
        return Tried(chosen, numbers)


def deal(blocks: Sequence[BlockKey], figures: int, families: int, seed: int) -> Iterator[BlockKey]:
    """A table for one combination after another: so many figures, then so many families, and again, from a shuffled deck of each."""
    generator = np.random.Generator(np.random.PCG64(seed))
    decks = [
        (figures, _deck([block for block in blocks if block.family == FIGURE], generator)),
        (families, _deck([block for block in blocks if block.family != FIGURE], generator)),
    ]
    while True:
        for count, deck in decks:
            yield from islice(deck, count)


def _deck(blocks: Sequence[BlockKey], generator: np.random.Generator) -> Iterator[BlockKey]:
    """Each table once before any is dealt again."""
    while blocks:
        yield from (blocks[place] for place in generator.permutation(len(blocks)))


def possible_in(study: Study, factors: Sequence[Factor]) -> Callable[[Combination], bool]:
    """Whether the scenarios of a combination are accepted, looked up once per combination of levels."""
    known: dict[tuple[int, ...], bool] = {}

    def possible(chosen: Combination) -> bool:
        if chosen.levels not in known:
            known[chosen.levels] = refusal(chosen.apply(study, factors)) is None
        return known[chosen.levels]

    return possible

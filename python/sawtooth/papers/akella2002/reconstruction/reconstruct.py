"""Reconstruction of a paper's open values from its printed tables: sweep, model, full length.

    >>> from sawtooth.papers.akella2002.reconstruction.reconstruct import Design, reconstruct
    >>> found = reconstruct(design=Design(combinations=64))
    >>> found.best, found.gain_held_out

Many combinations of open values are run at reduced length, each on a few of the printed tables; a model of the misfit over the values is
fitted on half of the settings; the combinations that it holds for the best are run at full length and judged on both halves. Every step
takes what is there: with a budget of time it ends early and says what is known so far, and the same call goes on from there.

| parameter    | unit         | default | why                                                                          |
|--------------|--------------|---------|------------------------------------------------------------------------------|
| combinations | 1            | 96      | each level of three seen 32 times, each table 6 times; under three hours of one core |
| length       | s            | 60      | 45 after the warm-up: nine levels of a random environment                     |
| seeds        | 1            | 2       | so that a misfit is not that of one draw of the environments                  |
| families     | tables       | 2       | of 32 per combination: many combinations with few tables tell more than few with many |
| figures      | tables       | 1       | of 8 per combination, for the same reason                                    |
| finalists    | combinations | 10      | besides the values taken                                                     |
| full         | tables       | 1       | of the 32 families at full length, the same for all finalists, and all figures |

Source: fit on some settings, test on the others; the rest as ``sweep`` and ``surrogate`` say.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from sawtooth.errors import MISSING, InputError
from sawtooth.experiment.study import QuickStudy, Study
from sawtooth.papers.akella2002.instances import CHOSEN
from sawtooth.papers.akella2002.reconstruction.factors import (
    Combination,
    Factor,
    combinations,
    factors_of,
)
from sawtooth.papers.akella2002.reconstruction.result import Reconstruction, finalists
from sawtooth.papers.akella2002.reconstruction.rows import FIGURE, BlockKey, PrintedRow, fitting, printed_rows
from sawtooth.papers.akella2002.reconstruction.shapes import Shapes
from sawtooth.papers.akella2002.reconstruction.surrogate import Effects, Observations, fit
from sawtooth.papers.akella2002.reconstruction.sweep import CombinationSweep, Tried, deal, possible_in
from sawtooth.papers.studies import load_study
from sawtooth.progress import ProgressCallback
from sawtooth.run.store import Store
from sawtooth.scenario.units import format_time

if TYPE_CHECKING:
    from numpy.typing import NDArray

SEED = 1
"""Of the design: sequence, decks, halves, bootstrap. Runs have the seeds of the study."""
REDUCED = QuickStudy(seeds=2, duration="60 s", warmup="15 s")
"""Length of the sweep's runs."""
FULL_SHARE = 0.4
"""Share of a budget that is kept for full length."""


KEPT: Final = "what was run is kept, and the same command goes on from there"
PAPER: Final = "akella2002"
"""The name of what is reconstructed."""


@dataclass(frozen=True)
class Design:
    """How much is run; what a command may say of it are ``combinations`` and ``finalists``."""

    combinations: int = 96
    families: int = 2
    figures: int = 1
    finalists: int = 10
    full: int = 1


def command_line(name: str, design: Design, budget_s: float | None) -> str:
    """The command that makes a reconstruction, as a user would type it."""
    words = ["sawtooth", "reproduce", name, "--reconstruct"]
    usual = Design()
    if design.combinations != usual.combinations:
        words += ["--combinations", str(design.combinations)]
    if design.finalists != usual.finalists:
        words += ["--finalists", str(design.finalists)]
    if budget_s is not None:
        words += ["--budget", format_time(round(budget_s * 1e9))]
    return shlex.join(words)


def reconstruct_study(
    name: str,
    study: Study,
    rows: Sequence[PrintedRow],
    representatives: Mapping[str, str],
    store: Store,
    *,
    design: Design | None = None,
    budget_s: float | None = None,
    threads: int | None = None,
    progress: ProgressCallback | None = None,
) -> Reconstruction:
    """Reconstruct the open values of ``study`` from ``rows``. InputError where the budget is too small to say anything."""
    begun = time.monotonic()
    plan = design or Design()
    factors = factors_of(study)
    short = study.shortened()
    sweep = CombinationSweep(short, factors, rows, representatives, store, threads)
    full = CombinationSweep(study.seeded(1), factors, rows, representatives, store, threads)
    blocks = sorted({row.block for row in rows})
    training = fitting(rows)
    shapes = Shapes.of(short, factors)
    chosen = combinations(factors, plan.combinations, SEED, possible_in(short, factors))
    hands = deal(blocks, plan.families, plan.figures, SEED)
    per = sweep.runs(next(deal(blocks, plan.families, plan.figures, SEED)))
    final_blocks = _final_blocks(blocks, plan.full)
    per_final = full.runs(final_blocks)
    total = per * plan.combinations + (per_final * (plan.finalists + 1) if plan.finalists else 0)
    clock = _Clock(begun, budget_s, progress, total)

    share = 1.0 - FULL_SHARE if plan.finalists else 1.0
    tried = list(_sweep(sweep, islice(chosen, plan.combinations), hands, clock, per, share))
    if len(tried) < 2:
        raise _too_little(budget_s, "at least two combinations")
    observed = observations(tried, rows, factors, shapes)
    if not len(observed.of(training).row) or not len(observed.of(~training).row):
        raise _too_little(budget_s, "combinations in both halves of the settings")
    effects, held_out = (
        fit(observed.of(half), factors, SEED, shapes_of=shapes, together=shapes.factors)
        for half in (training, ~training)
    )
    best = best_combinations(effects, plan.finalists, short, factors)
    lasting = _lasting(full, best, final_blocks, clock, per_final)
    return Reconstruction(
        name,
        factors,
        rows,
        training,
        tried,
        effects,
        held_out,
        finalists(list(lasting), rows, training, SEED),
        _conditions(study, plan, len(factors), per, per_final)
        | {"command": command_line(name, plan, budget_s)},
        executed=clock.executed,
        wall_s=time.monotonic() - begun,
    )


def _too_little(budget_s: float | None, wanted: str) -> InputError:
    """The error of a budget that ends before there is enough to say anything."""
    budget = MISSING if budget_s is None else format_time(round(budget_s * 1e9))
    return InputError("reproduce", "--budget", budget, f"time for {wanted}; {KEPT}")


def _conditions(study: Study, plan: Design, factors: int, per: int, per_final: int) -> dict[str, object]:
    """Under what a reconstruction was made, as its document and its page say."""
    short = study.shortened()
    return {
        "duration": short.value_of("duration"),
        "seeds": len(short.seeds),
        "warmup": short.value_of("warmup"),
        "full_duration": study.value_of("duration"),
        "environments": len(study.matrix.environments),
        "settings": [str(setting) for setting in study.matrix.settings],
        "factors": factors,
        "asked": plan.combinations,
        "runs_per_combination": per,
        "runs_per_finalist": per_final,
    }


def _final_blocks(blocks: Sequence[BlockKey], families: int) -> tuple[BlockKey, ...]:
    """The tables at full length: every figure, and some families."""
    figures = tuple(block for block in blocks if block.family == FIGURE)
    rest = [block for block in blocks if block.family != FIGURE]
    generator = np.random.Generator(np.random.PCG64(SEED))
    picked = sorted(generator.permutation(len(rest))[:families])
    return (*figures, *(rest[place] for place in picked))


@dataclass
class _Clock:
    """Time, budget and progress of the whole."""

    begun: float
    budget_s: float | None
    progress: ProgressCallback | None
    total: int
    done: int = 0
    stored: int = 0
    executed: int = 0

    def over(self, share: float) -> bool:
        """Whether a share of the budget is used up."""
        return self.budget_s is not None and time.monotonic() - self.begun > share * self.budget_s

    def moved(self, done: int, _: int, __: int) -> None:
        """Some runs of a combination are done."""
        if self.progress is not None:
            self.progress(self.done + done, self.total, self.stored)

    def close(self, runs: int, known: bool) -> None:
        """A combination is done."""
        self.done += runs
        if known:
            self.stored += runs
        else:
            self.executed += runs
        self.moved(0, 0, 0)


def _sweep(
    sweep: CombinationSweep,
    chosen: Iterator[Combination],
    hands: Iterator[tuple[BlockKey, ...]],
    clock: _Clock,
    runs: int,
    share: float,
) -> Iterator[Tried]:
    """Combinations from the store, and new ones while the budget lasts."""
    for combination, blocks in zip(chosen, hands, strict=False):
        found = sweep.stored(combination, blocks)
        known = found is not None
        if found is None:
            if clock.over(share):
                continue
            found = sweep.run(combination, blocks, clock.moved)
        clock.close(runs, known)
        yield found


def _lasting(
    full: CombinationSweep,
    best: Iterator[Combination],
    blocks: tuple[BlockKey, ...],
    clock: _Clock,
    runs: int,
) -> Iterator[Tried]:
    """The best combinations at full length, until the budget is used up."""
    for levels in best:
        found = list(_sweep(full, iter([levels]), iter([blocks]), clock, runs, 1.0))
        if not found:
            return
        yield found[0]


def observations(
    tried: Sequence[Tried], rows: Sequence[PrintedRow], factors: Sequence[Factor], shapes: Shapes
) -> Observations:
    """The misfit of every row that was run, with the levels behind it."""
    entries = [
        (row, place, rows[row].misfit(numbers))
        for place, entry in enumerate(tried)
        for row, numbers in entry.numbers.items()
    ]
    entries = [
        entry for entry in entries if np.isfinite(entry[2])
    ]  # a queue that nobody crossed has no delay
    row, combination, misfit = (list(values) for values in zip(*entries, strict=True))
    acts: NDArray[np.bool_] = np.array(
        [[factor.applies(entry.block.setting) for factor in factors] for entry in rows], dtype=np.bool_
    )
    tables = sorted({entry.block for entry in rows})
    return Observations(
        np.array(row, np.int64),
        np.array(combination, np.int64),
        np.array(misfit, np.float64),
        np.array([entry.combination.levels for entry in tried], np.int64),
        acts,
        np.array([tables.index(entry.block) for entry in rows], np.int64),
        np.stack([shapes(entry.combination.levels) for entry in tried]),
    )


def best_combinations(
    effects: Effects, count: int, study: Study, factors: Sequence[Factor]
) -> Iterator[Combination]:
    """The values taken, then the best combination and those that the bootstrap draws hold for the best, without repetition; none at all
    where none is asked for."""
    if count == 0:
        return
    possible = possible_in(study, factors)
    seen = {(0,) * len(factors)}
    yield Combination(0, (0,) * len(factors))
    number = 0
    for levels in _candidates(effects):
        chosen = Combination(number + 1, levels)
        if levels in seen or not possible(chosen):
            continue
        seen.add(levels)
        number += 1
        yield chosen
        if number == count:
            return


def _candidates(effects: Effects) -> Iterator[tuple[int, ...]]:
    yield effects.best
    for draw in range(len(effects.shape_draws)):
        yield effects.best_of(draw)


def reconstruct(
    store: Store | Path | str | None = None,
    design: Design | None = None,
    budget_s: float | None = None,
    threads: int | None = None,
    progress: ProgressCallback | None = None,
) -> Reconstruction:
    """Reconstruct the open values of the paper from its printed tables."""
    study = load_study("akella2002/appendix").replaced(quick=REDUCED)
    home = store if isinstance(store, Store) else Store(store)
    rows = printed_rows([str(setting) for setting in study.matrix.settings])
    return reconstruct_study(
        PAPER,
        study,
        rows,
        {instance: family for family, instance in CHOSEN.items()},
        home,
        design=design,
        budget_s=budget_s,
        threads=threads,
        progress=progress,
    )

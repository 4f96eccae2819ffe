"""Reconstruction of a paper's open values from its printed tables: sweep, model, full length.

    >>> from sawtooth.papers.akella2002.reconstruction.reconstruct import Design, reconstruct
    >>> found = reconstruct(design=Design(combinations=64))
    >>> found.best, found.gain_held_out

Many combinations of open values are run at reduced length, each for one of the printed tables. An emulator learns from them what our
numbers are under any combination. The values that meet what is printed best, as it has it, are sought in half of the settings; the best
combinations are run at full length and judged on both halves. Every step
takes what is there: with a budget of time it ends early and says what is known so far, and the same call goes on from there.

| parameter    | unit         | default | why                                                                          |
|--------------|--------------|---------|------------------------------------------------------------------------------|
| combinations | 1            | 300     | each level of three seen 100 times, each figure 25 times; some two hours of one core |
| length       | s            | 60      | 45 after the warm-up: nine levels of a random environment                     |
| seeds        | 1            | 2       | so that a misfit is not that of one draw of the environments                  |
| figures      | tables       | 2       | in a row, each for a combination of its own: five columns, with half the runs of a family |
| families     | tables       | 1       | after them, in the same way: many combinations with one table tell more than few with many |
| finalists    | combinations | 5       | besides the values taken                                                     |
| full         | tables       | 1       | of the 32 families at full length, the same for all finalists, and all figures |

Source: fit on some settings, test on the others; the rest as ``sweep``, ``emulator`` and ``calibration`` say.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from sawtooth.errors import MISSING, InputError
from sawtooth.experiment.study import QuickStudy, Study
from sawtooth.papers.akella2002.instances import CHOSEN
from sawtooth.papers.akella2002.reconstruction.calibration import Calibration, Effects, Printed
from sawtooth.papers.akella2002.reconstruction.emulator import Features, Observed, Outputs
from sawtooth.papers.akella2002.reconstruction.factors import (
    Combination,
    Factor,
    combinations,
    factors_of,
)
from sawtooth.papers.akella2002.reconstruction.result import Reconstruction, finalists
from sawtooth.papers.akella2002.reconstruction.rows import (
    FIGURE,
    SAME,
    BlockKey,
    PrintedRow,
    fitting,
    printed_rows,
)
from sawtooth.papers.akella2002.reconstruction.shapes import Shapes
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

    combinations: int = 300
    figures: int = 2
    families: int = 1
    finalists: int = 5
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
    possible = possible_in(short, factors)
    chosen = combinations(factors, plan.combinations, SEED, possible)
    hands = list(islice(deal(blocks, plan.figures, plan.families, SEED), plan.combinations))
    swept = sum(sweep.runs([block]) * hands.count(block) for block in blocks)
    final_blocks = _final_blocks(blocks, plan.full)
    per_final = full.runs(final_blocks)
    total = swept + (per_final * (plan.finalists + 1) if plan.finalists else 0)
    clock = Clock(begun, budget_s, progress, total)

    share = 1.0 - FULL_SHARE if plan.finalists else 1.0
    tried = list(over_tables(sweep, zip(chosen, ((block,) for block in hands), strict=False), clock, share))
    if len(tried) < 2:
        raise too_little(budget_s, "at least two combinations")
    if len({bool(training[row]) for entry in tried for row in entry.numbers}) < 2:
        raise too_little(budget_s, "combinations in both halves of the settings")
    shared = calibration(tried, rows, training, factors, shapes, possible)
    effects, held_out = shared.run(SEED)
    best = best_combinations(effects, plan.finalists)
    lasting = _lasting(full, best, final_blocks, clock)
    return Reconstruction(
        name,
        factors,
        rows,
        training,
        tried,
        effects,
        held_out,
        finalists(list(lasting), rows, training, SEED),
        _conditions(study, plan, len(factors), swept, per_final)
        | {"command": command_line(name, plan, budget_s)},
        shapes.factors,
        shared.plant(SEED),
        executed=clock.executed,
        wall_s=time.monotonic() - begun,
    )


def too_little(budget_s: float | None, wanted: str) -> InputError:
    """The error of a budget that ends before there is enough to say anything."""
    budget = MISSING if budget_s is None else format_time(round(budget_s * 1e9))
    return InputError("reproduce", "--budget", budget, f"time for {wanted}; {KEPT}")


def _conditions(study: Study, plan: Design, factors: int, swept: int, per_final: int) -> dict[str, object]:
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
        "runs": swept,
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
class Clock:
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


def over_tables(
    sweep: CombinationSweep,
    wanted: Iterable[tuple[Combination, tuple[BlockKey, ...]]],
    clock: Clock,
    share: float,
) -> Iterator[Tried]:
    """Combinations and their tables from the store, and new ones while the budget lasts."""
    for combination, blocks in wanted:
        found = sweep.stored(combination, blocks)
        known = found is not None
        if found is None:
            if clock.over(share):
                continue
            found = sweep.run(combination, blocks, clock.moved)
        clock.close(sweep.runs(blocks), known)
        yield found


def _lasting(
    full: CombinationSweep,
    best: Iterator[Combination],
    blocks: tuple[BlockKey, ...],
    clock: Clock,
) -> Iterator[Tried]:
    """The best combinations at full length, until the budget is used up."""
    for levels in best:
        found = list(over_tables(full, [(levels, blocks)], clock, 1.0))
        if not found:
            return
        yield found[0]


def calibration(
    tried: Sequence[Tried],
    rows: Sequence[PrintedRow],
    training: NDArray[np.bool_],
    factors: Sequence[Factor],
    shapes: Shapes,
    possible: Callable[[Combination], bool],
) -> Calibration:
    """What was printed beside what was run."""
    printed = [(place, column) for place, row in enumerate(rows) for column in row.values]
    number = {each: place for place, each in enumerate(printed)}
    entries = [
        (number[row, column], place, np.log(value + SAME[column]))
        for place, entry in enumerate(tried)
        for row, numbers in entry.numbers.items()
        for column, value in numbers.items()
        if np.isfinite(value)  # a queue that nobody crossed has no delay
    ]
    output, combination, value = (np.array(values) for values in zip(*entries, strict=True))
    settings = [rows[row].block.setting.split("/") for row, _ in printed]
    tables = _numbers([row.block for row in rows])
    kinds = (
        _numbers([recovery for recovery, _ in settings]),
        _numbers([router for _, router in settings]),
        _numbers([rows[row].algorithm for row, _ in printed]),
        np.array([tables[row] for row, _ in printed]),
        np.array([row for row, _ in printed]),
    )
    outputs = Outputs(
        _numbers([column for _, column in printed]),
        kinds[3],
        np.stack(kinds, axis=1),
        np.array([[factor.applies(rows[row].block.setting) for factor in factors] for row, _ in printed]),
    )
    levels = np.array([entry.combination.levels for entry in tried], np.int64)
    features = Features.over(
        outputs, [factor.levels for factor in factors], np.stack([shapes(each) for each in levels])
    )

    def design_of(wanted: NDArray[np.int64]) -> NDArray[np.float64]:
        return features.of(wanted, np.stack([shapes([int(level) for level in each]) for each in wanted]))

    return Calibration(
        Observed(output, combination, value, design_of(levels)),
        features,
        Printed(
            np.array([np.log(rows[row].values[column] + SAME[column]) for row, column in printed]),
            kinds[4],
            tables,
        ),
        training,
        levels,
        shapes.factors,
        design_of,
        lambda wanted: possible(Combination(-1, tuple(wanted))),
    )


def _numbers(values: Sequence[Any]) -> NDArray[np.int64]:
    """Each value as the number of its first place among those that differ."""
    order = {value: place for place, value in enumerate(dict.fromkeys(values))}
    return np.array([order[value] for value in values], np.int64)


def best_combinations(found: Effects, count: int) -> Iterator[Combination]:
    """The values taken, then the best combination and those of the draws, without repetition; none at all where none is asked for."""
    if count == 0:
        return
    taken = (0,) * len(found.best)
    chosen = [levels for levels in dict.fromkeys((found.best, *found.bests)) if levels != taken]
    for number, levels in enumerate((taken, *chosen[:count])):
        yield Combination(number, levels)


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

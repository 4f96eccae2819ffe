"""A few open values crossed: every combination of the values of some parameters, all others as the study takes them.

    >>> from sawtooth.papers.akella2002.reconstruction.crossing import cross
    >>> found = cross(("path.rtt", "tcp.timeout_threshold"))
    >>> [value.name for value in found.values if value.ruled_out]

``reconstruct`` spreads its runs over all open parameters, a table for each combination. Here all combinations of a few parameters are run
for all printed tables, with the same seeds. So any two are compared row by row, and no model stands between the runs and what is said of
them. A model confidence set tells which combinations may be the nearest to print (``confidence_set``); a value is
*ruled out* if no combination with it may be. What that says holds for the other parameters as they are taken.

| parameter | unit | default | why                                                                               |
|-----------|------|---------|-----------------------------------------------------------------------------------|
| length    | s    | 60      | as ``reconstruct``, and so is the number of seeds                                 |
| tables    | 1    | 40      | of the eight figures and of the 32 families; eight tables alone tell too little   |
| printings | 1    | 200     | made up under known values; a share is known to three points                      |

*Made-up printings* show what the comparison can tell: numbers of a combination that was run, with errors of the size that the printed
tables show. The errors of a table are those that the nearest combination leaves in some printed table, all with the same sign or all with
the other.

Source: a full factorial design [BoxHunter05]; whole settings left out in turn, so that no row judges a choice that its own setting made.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from sawtooth.errors import InputError
from sawtooth.papers.akella2002.instances import CHOSEN
from sawtooth.papers.akella2002.reconstruction.crossing_result import OpenCrossing
from sawtooth.papers.akella2002.reconstruction.factors import Combination, Factor, factors_of
from sawtooth.papers.akella2002.reconstruction.reconstruct import (
    PAPER,
    REDUCED,
    Clock,
    over_tables,
    too_little,
)
from sawtooth.papers.akella2002.reconstruction.rows import BlockKey, PrintedRow, printed_rows
from sawtooth.papers.akella2002.reconstruction.sweep import CombinationSweep, Tried, possible_in
from sawtooth.papers.studies import load_study
from sawtooth.run.store import Store
from sawtooth.scenario.units import format_time

if TYPE_CHECKING:
    from sawtooth.experiment.study import Study
    from sawtooth.progress import ProgressCallback

SEED: Final = 1
"""Of the order of the runs, of the bootstrap and of the made-up printings. Runs have the seeds of the study."""
MOST: Final = 1000
"""Combinations, beyond which a full crossing is no longer what one wants."""


def cross(
    keys: Sequence[str],
    store: Store | Path | str | None = None,
    budget_s: float | None = None,
    threads: int | None = None,
    progress: ProgressCallback | None = None,
) -> OpenCrossing:
    """Cross the values of these parameters of the paper. InputError for a key that is not open."""
    study = load_study("akella2002/appendix").replaced(quick=REDUCED)
    rows = printed_rows([str(each) for each in study.matrix.settings])
    home = store if isinstance(store, Store) else Store(store)
    representatives = {instance: family for family, instance in CHOSEN.items()}
    return cross_study(
        PAPER, study, rows, representatives, keys, home, budget_s=budget_s, threads=threads, progress=progress
    )


def cross_study(
    name: str,
    study: Study,
    rows: Sequence[PrintedRow],
    representatives: Mapping[str, str],
    keys: Sequence[str],
    store: Store,
    *,
    budget_s: float | None = None,
    threads: int | None = None,
    progress: ProgressCallback | None = None,
) -> OpenCrossing:
    """Cross the values of some open parameters of ``study``, and compare each combination with ``rows``.

    InputError for a key that is not open, for too many combinations, and for a budget too small to compare any two.
    """
    begun = time.monotonic()
    factors = factors_of(study)
    places = places_of(factors, keys)
    short = study.shortened()
    possible = possible_in(short, factors)
    asked = crossed(factors, places)
    wanted = [each for each in in_turn(asked) if possible(each)]
    if len(wanted) < 2:
        raise InputError(
            "reproduce",
            "--parameter",
            ", ".join(keys),
            "another value that goes with the values taken of the others",
        )
    blocks = sorted({row.block for row in rows})
    sweep = CombinationSweep(short, factors, rows, representatives, store, threads)
    clock = Clock(begun, budget_s, progress, len(wanted) * sweep.runs(blocks))
    tried = [found for each in wanted if (found := _whole(sweep, each, blocks, clock)) is not None]
    if len(tried) < 2 or tried[0].combination.number:
        raise too_little(budget_s, "the values taken and one other combination")
    conditions = {
        "command": command_line(name, keys, budget_s),
        "duration": short.value_of("duration"),
        "warmup": short.value_of("warmup"),
        "seeds": len(short.seeds),
        "environments": len(study.matrix.environments),
        "asked": len(wanted),
        "refused": len(asked) - len(wanted),
        "runs": len(tried) * sweep.runs(blocks),
    }
    return OpenCrossing(
        name,
        factors,
        places,
        rows,
        sorted(tried, key=lambda entry: entry.combination.number),
        conditions,
        SEED,
        executed=clock.executed,
        wall_s=time.monotonic() - begun,
    )


def _whole(
    sweep: CombinationSweep, chosen: Combination, blocks: Sequence[BlockKey], clock: Clock
) -> Tried | None:
    """A combination with all tables, each from the store or run now; None if the budget ends before they are there."""
    numbers: dict[int, Mapping[str, float]] = {}
    for found in over_tables(sweep, ((chosen, (block,)) for block in blocks), clock, 1.0):
        numbers |= found.numbers
    return Tried(chosen, numbers) if len(numbers) == len(sweep.rows) else None


def command_line(name: str, keys: Sequence[str], budget_s: float | None) -> str:
    """The command that makes a crossing, as a user would type it."""
    words = ["sawtooth", "reproduce", name, "--reconstruct"]
    for key in keys:
        words += ["--parameter", key]
    if budget_s is not None:
        words += ["--budget", format_time(round(budget_s * 1e9))]
    return shlex.join(words)


def places_of(factors: Sequence[Factor], keys: Sequence[str]) -> tuple[int, ...]:
    """The factors of these keys. InputError for a key that is not open, and for too many combinations."""
    known = list(dict.fromkeys(factor.entry.key for factor in factors))
    for key in keys:
        if key not in known:
            raise InputError(
                "reproduce", "--parameter", key, f"an open parameter with other values: {', '.join(known)}"
            )
    found = tuple(
        place
        for key in dict.fromkeys(keys)
        for place, factor in enumerate(factors)
        if factor.entry.key == key
    )
    count = int(np.prod([len(factors[place].levels) for place in found]))
    if count > MOST:
        given = ", ".join(keys)
        raise InputError(
            "reproduce",
            "--parameter",
            given,
            f"at most {MOST:,} combinations of values; these have {count:,}",
        )
    return found


def crossed(factors: Sequence[Factor], places: Sequence[int]) -> list[Combination]:
    """All combinations of the levels of the factors at ``places``, the values taken first."""
    found = []
    for number, levels in enumerate(product(*(range(len(factors[place].levels)) for place in places))):
        whole = [0] * len(factors)
        for place, level in zip(places, levels, strict=True):
            whole[place] = level
        found.append(Combination(number, tuple(whole)))
    return found


def in_turn(combinations: Sequence[Combination]) -> list[Combination]:
    """The order in which they are run: the values taken, then the others shuffled, so that any first part covers all values."""
    generator = np.random.Generator(np.random.PCG64(SEED))
    return [
        combinations[0],
        *(combinations[1 + place] for place in generator.permutation(len(combinations) - 1)),
    ]

"""A shard of many runs, for one of several machines: those whose id, read as a hexadecimal number, is i − 1 modulo n.

Ids are hashes, so the shards are alike in size, and which run is whose does not depend on what a store has or in which order runs are
planned. When every shard was made, its stores are merged (`sawtooth store merge`), and the command without a shard finds all runs there.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from sawtooth.errors import InputError
from sawtooth.progress import ProgressCallback
from sawtooth.run.blocks import Chosen, Progress, blocks
from sawtooth.run.run import Run, run_id_of
from sawtooth.run.runner import run_each
from sawtooth.run.store import Store
from sawtooth.scenario.resolve import Resolved

WRITTEN: Final = re.compile(r"([1-9]\d*)/([1-9]\d*)")
DIGITS: Final = 16
"""Of an id, by which different runs are counted: that two of 10⁷ runs agree in them has a chance of three in a million."""


@dataclass(frozen=True)
class Shard:
    """Shard ``number`` of ``of``, from 1."""

    number: int
    of: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """The shard that ``i/n`` says. InputError unless 1 ≤ i ≤ n."""
        found = WRITTEN.fullmatch(text)
        if found is None or int(found[1]) > int(found[2]):
            raise InputError("sawtooth", "--shard", text, "i/n with 1 ≤ i ≤ n, such as 2/8")
        return cls(int(found[1]), int(found[2]))

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def has(self, run_id: str) -> bool:
        """Whether a run is of this shard."""
        return int(run_id, 16) % self.of == self.number - 1


@dataclass(frozen=True)
class Sharded:
    """What was made of a shard: different runs in all, those of the shard, of these stored, and of these simulated now."""

    shard: Shard
    total: int
    mine: int
    done: int
    executed: int


def run_shard(
    plans: Sequence[Sequence[Resolved]],
    shard: Shard,
    store: Store,
    *,
    fresh: bool = False,
    threads: int | None = None,
    progress: ProgressCallback | None = None,
) -> Sharded:
    """Makes the runs of a shard that the store lacks, all of them if ``fresh``. Each job is resolved once to learn its id and, if it is of
    the shard, once more to run it. So memory does not grow with the scenarios, and by 8 bytes for each run of another shard."""
    store.prepare()
    everything = array("Q")
    mine: set[str] = set()
    chosen: list[Chosen] = []
    for jobs in plans:
        places = array("Q")
        for place, job in enumerate(jobs):
            run_id = run_id_of(job)
            everything.append(int(run_id[:DIGITS], 16))
            if shard.has(run_id) and run_id not in mine:
                mine.add(run_id)
                places.append(place)
        chosen.append(Chosen(jobs, places))
    counted = Progress(len(mine), progress)
    for jobs_of_plan in chosen:
        for some in blocks(jobs_of_plan):
            run_each(some, store, _nothing, fresh=fresh, threads=threads, progress=counted)
            counted.ended(len(some))
    done = sum(store.has(run_id) for run_id in mine)
    return Sharded(shard, len(np.unique(everything)), len(mine), done, len(mine) - counted.known)


def _nothing(run: Run) -> None:
    """What is kept of a run beside what the store has."""


__all__ = ["Shard", "Sharded", "run_shard"]

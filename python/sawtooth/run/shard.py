"""A shard of many runs, for one of several machines: those whose id, read as a hexadecimal number, is i − 1 modulo n.

Ids are hashes, so the shards are alike in size, and which run is whose does not depend on what a store has or in which order runs are
planned. When every shard was made, its stores are merged (`sawtooth store merge`), and the command without a shard finds all runs there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, overload

from sawtooth.errors import InputError
from sawtooth.progress import ProgressCallback
from sawtooth.run.run import Run, run_id_of
from sawtooth.run.runner import run_each
from sawtooth.run.store import Store
from sawtooth.scenario.resolve import Resolved

WRITTEN: Final = re.compile(r"([1-9]\d*)/([1-9]\d*)")


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
    the shard, once more to run it, so memory does not grow with the scenarios."""
    store.prepare()
    everything: set[str] = set()
    mine: set[str] = set()
    chosen: list[_Chosen] = []
    for jobs in plans:
        places = []
        for place, job in enumerate(jobs):
            run_id = run_id_of(job)
            everything.add(run_id)
            if shard.has(run_id) and run_id not in mine:
                mine.add(run_id)
                places.append(place)
        chosen.append(_Chosen(jobs, places))
    past = known = 0
    for jobs_of_plan in chosen:
        stored = 0

        def counted(done: int, _: int, reused: int, past: int = past, known: int = known) -> None:
            nonlocal stored
            stored = reused
            if progress is not None:
                progress(past + done, len(mine), known + reused)

        run_each(jobs_of_plan, store, _nothing, fresh=fresh, threads=threads, progress=counted)
        past, known = past + len(jobs_of_plan), known + stored
    done = sum(store.has(run_id) for run_id in mine)
    return Sharded(shard, len(everything), len(mine), done, len(mine) - known)


def _nothing(run: Run) -> None:
    """What is kept of a run beside what the store has."""


class _Chosen(Sequence[Resolved]):
    """Some of the jobs of a plan, each made when it is asked for."""

    def __init__(self, jobs: Sequence[Resolved], places: Sequence[int]) -> None:
        self._jobs = jobs
        self._places = places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> Resolved: ...
    @overload
    def __getitem__(self, index: slice) -> list[Resolved]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self._jobs[place] for place in self._places[index]]
        return self._jobs[self._places[index]]


__all__ = ["Shard", "Sharded", "run_shard"]

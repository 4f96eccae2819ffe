"""Jobs in blocks. A sweep holds something of every run of a block until the block is done, and nothing of the blocks before, so its memory
does not grow with the number of runs.

    >>> from sawtooth.run.blocks import blocks
    >>> [len(block) for block in blocks(range(50_000))]
    [20000, 20000, 10000]

| parameter | unit | default | why                                                                                                      |
|-----------|------|---------|----------------------------------------------------------------------------------------------------------|
| LEAST     | runs | 20,000  | some 20 MB                                                                                               |
| PER_SLOT  | runs | 100     | for each thread of a cluster, so that it works for minutes before it waits for the last runs of the block |
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Final, TypeVar, overload

from sawtooth.progress import ProgressCallback
from sawtooth.run.executor import chosen
from sawtooth.scenario.resolve import Resolved

LEAST: Final = 20_000
PER_SLOT: Final = 100


Item = TypeVar("Item")


class OnDemand(Sequence[Item]):
    """Many things, each made when it is asked for."""

    @abstractmethod
    def made(self, place: int) -> Item:
        """The one at a place from 0 on that there is."""

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> list[Item]: ...
    def __getitem__(self, index: int | slice) -> Item | list[Item]:
        places = range(len(self))[index]
        return self.made(places) if isinstance(places, int) else [self.made(place) for place in places]


class Chosen(OnDemand[Resolved]):
    """Some of many jobs."""

    def __init__(self, jobs: Sequence[Resolved], places: Sequence[int]) -> None:
        self._jobs = jobs
        self._places = places

    def __len__(self) -> int:
        return len(self._places)

    def made(self, place: int) -> Resolved:
        return self._jobs[self._places[place]]


class Progress:
    """Adds up the progress of one block after another."""

    def __init__(self, total: int, progress: ProgressCallback | None) -> None:
        self._total = total
        self._progress = progress
        self._past = self._known = self._stored = 0

    def __call__(self, done: int, _: int, stored: int) -> None:
        """A ProgressCallback for the block that is under way."""
        self._stored = stored
        if self._progress is not None:
            self._progress(self._past + done, self._total, self._known + stored)

    def ended(self, jobs: int) -> None:
        """A block of so many jobs is done."""
        self._past += jobs
        self._known += self._stored
        self._stored = 0

    @property
    def known(self) -> int:
        """How many runs the store had."""
        return self._known


def blocks(jobs: Sequence[Resolved]) -> Iterator[Sequence[Resolved]]:
    """The jobs in their order, some of them at a time."""
    first = 0
    while first < len(jobs):
        executor = chosen()
        size = LEAST if executor is None else max(LEAST, PER_SLOT * executor.slots)
        yield Chosen(jobs, range(first, min(first + size, len(jobs))))
        first += size


__all__ = ["Chosen", "OnDemand", "Progress", "blocks"]

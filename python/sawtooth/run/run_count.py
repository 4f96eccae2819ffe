"""How many different runs of some work are done: a run that several parts of the work need counts once.

    >>> from sawtooth.run.run_count import RunCount
    >>> count = RunCount(lambda done, total, stored: print(done, total, stored))
    >>> count.expect(2)
    0 2 0
    >>> for run_id, stored in [("a", False), ("b", True), ("a", True)]:
    ...     count.add(run_id, stored)
    1 2 0
    2 2 1

Source: none.
"""

from __future__ import annotations

from typing import Final

from sawtooth.errors import InputError
from sawtooth.progress import ProgressCallback

RUNS_MAX: Final = 10_000_000
"""Most runs of a command: what is planned and judged stands in the memory."""


def check_seeds(where: str, seeds: int, each: int = 1, option: str = "--seeds") -> None:
    """InputError unless so many seeds, each of so many runs, are at least one and not too many runs."""
    if seeds < 1:
        raise InputError(where, option, seeds, "a number of seeds from 1")
    if seeds * each > RUNS_MAX:
        accepted = f"seeds of at most {RUNS_MAX:,} runs; each seed means {each:,}"
        raise InputError(where, option, seeds, accepted)


class RunCount:
    """Moves ``progress`` by the runs that are ``add``-ed, each once, towards the total that is to be ``expect``-ed."""

    def __init__(self, progress: ProgressCallback | None = None) -> None:
        self.total = 0
        self._progress = progress
        self._done: set[str] = set()
        self._stored = 0
        self._beyond: dict[int, tuple[int, int]] = {}
        """By first seed, how many are done that are not added, and how many of them were stored."""

    def expect(self, total: int) -> None:
        """So many different runs there will be. The total never shrinks: a second look at the same work expects no fewer."""
        if total > self.total:
            self.total = total
            self._move()

    def add(self, run_id: str, stored: bool) -> None:
        """A run is there, from the store or simulated."""
        if run_id not in self._done:
            self._done.add(run_id)
            self._stored += stored
            self._move()

    def beyond(self, first: int) -> ProgressCallback:
        """What hears of work of the same total, over seeds from ``first`` on, whose runs are none of those that are added. A second look at
        it counts no more."""

        def moved(done: int, _: int, stored: int) -> None:
            if done > self._beyond.get(first, (0, 0))[0]:
                self._beyond[first] = done, stored
                self._move()

        return moved

    def _move(self) -> None:
        if self._progress is not None:
            done = len(self._done) + sum(done for done, _ in self._beyond.values())
            stored = self._stored + sum(stored for _, stored in self._beyond.values())
            self._progress(done, self.total, stored)

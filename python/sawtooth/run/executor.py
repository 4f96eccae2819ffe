"""Who simulates: the threads of this process, or an executor that a caller chose for the length of a block.

    with using(cluster):          # see run.cluster
        st.compare(...)

Everything that makes many runs goes through `runner.run_each`, which asks here, so no function between it and the user hands one on.
Names, store and results stay with the caller whoever simulates; what an executor gets is `Work` and one job after another.

Source: none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final, Generic, Protocol, TypeVar

from sawtooth.run.run import Run
from sawtooth.run.store import Store
from sawtooth.scenario.resolve import Resolved

Kept = TypeVar("Kept")
"""What stays of a run."""
Key = tuple[str, bytes]
"""Run id and hash of the names: one simulation may stand under two names, and is then two results."""


@dataclass(frozen=True)
class Work(Generic[Kept]):
    """What is to be done with every job of a sweep."""

    take: Callable[[Run, bool], Kept]
    """What is kept of a finished run, which goes to the store on the way; the second argument says that it is there already."""
    store: Store | None
    jobs: int
    """At most so many; what is stored is among them and does not come."""


class Crew(AbstractContextManager["Crew[Kept]"], Protocol[Kept]):
    """The runs of one sweep that are under way. On leaving, the first `failure` is raised."""

    failure: Exception | None

    @property
    def full(self) -> bool:
        """Whether as many are under way as may be."""

    @property
    def idle(self) -> bool:
        """Whether none is."""

    @property
    def ripe(self) -> bool:
        """Whether results are there that should be taken in, although more may be under way."""
        return False

    def begin(self, key: Key, job: Resolved) -> None:
        """One more."""

    def drain(self) -> None:
        """Takes in all that is under way, for a caller that leaves since a later job was refused: what has run is not lost."""
        while not self.idle:
            list(self.finished())

    def finished(self) -> Iterator[tuple[Key, Kept]]:
        """Results that are there, of some seconds' waiting for the first; after a failure what has not begun is dropped."""


class Executor(Protocol):
    """Simulates elsewhere."""

    def crew(self, work: Work[Kept]) -> Crew[Kept]:
        """A crew for one sweep."""

    @property
    def slots(self) -> int:
        """Runs that can be simulated at the same time, at least 1."""


_CHOSEN: Final[ContextVar[Executor | None]] = ContextVar("executor", default=None)


def chosen() -> Executor | None:
    """The executor of the block that this is called in; None for the threads of this process."""
    return _CHOSEN.get()


@contextmanager
def using(executor: Executor) -> Iterator[None]:
    """Inside the block `executor` simulates."""
    token = _CHOSEN.set(executor)
    try:
        yield
    finally:
        _CHOSEN.reset(token)


__all__ = ["Crew", "Executor", "Kept", "Key", "Work", "chosen", "using"]

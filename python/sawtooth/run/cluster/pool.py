"""All that is seen of Dask: parcels go out, answers come back, and how many workers there are.

The client keeps a connection to the scheduler; where it breaks, Dask looks for the scheduler again for
`distributed.comm.timeouts.connect` (30 s), and what was under way is sent once more.

| parameter | unit | default | why                                                    |
|-----------|------|---------|--------------------------------------------------------|
| LOOK_S    | s    | 2       | how old the number of workers may be                    |

Source: none.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from dataclasses import dataclass
from enum import Enum, auto
from itertools import count
from queue import Empty, SimpleQueue
from typing import Any, Final

from sawtooth.run.cluster.worker import work

LOOK_S: Final = 2.0
WorkersCallback = Callable[[int], None]
"""Called with the number of workers, every few seconds."""


class Trouble(Enum):
    """Why a parcel was not answered."""

    DIED = auto()
    """Several workers died over it."""
    LOST = auto()
    """The scheduler forgot it, or is gone."""
    RAISED = auto()
    """It could not even begin, or the worker is at fault."""


@dataclass(frozen=True)
class Answer:
    """What came of a parcel: its delivery as bytes, or trouble."""

    ticket: int
    data: bytes | None = None
    trouble: Trouble | None = None
    text: str = ""


class Pool:
    """A client of Dask."""

    def __init__(self, client: Any, told: WorkersCallback | None = None) -> None:
        self._client = client
        self._told = told
        self._tickets = count()
        self._futures: dict[int, Any] = {}
        self._done: SimpleQueue[int] = SimpleQueue()
        self._slots = self._workers = 0
        self._looked_s = float("-inf")

    @property
    def address(self) -> str:
        """Of the scheduler."""
        scheduler = self._client.scheduler
        return "its scheduler" if scheduler is None else str(scheduler.address)

    @property
    def alive(self) -> bool:
        """Whether the scheduler is there, or is still looked for."""
        return self._client.status in ("running", "connecting")

    @property
    def slots(self) -> int:
        """Runs that can be made at the same time; at least 1, for those workers that will come."""
        if time.monotonic() - self._looked_s > LOOK_S:
            self._looked_s = time.monotonic()
            if self._client.status == "running":
                # A scheduler that does not answer is found lost elsewhere; until then there are as many as there were.
                with contextlib.suppress(OSError, ValueError):
                    threads = self._client.nthreads()
                    self._slots, self._workers = sum(threads.values()), len(threads)
            if self._told is not None:
                self._told(self._workers)
        return max(1, self._slots)

    def submit(self, parcel: bytes) -> int:
        """Sends a parcel; the ticket of its answer."""
        ticket = next(self._tickets)
        future = self._client.submit(work, parcel, pure=False)
        self._futures[ticket] = future
        future.add_done_callback(lambda _: self._done.put(ticket))
        return ticket

    def answers(self, wait_s: float) -> Iterator[Answer]:
        """What has come, after waiting so long for the first."""
        with contextlib.suppress(Empty):
            tickets = [self._done.get(timeout=wait_s)]
            while not self._done.empty():
                tickets.append(self._done.get_nowait())
            futures = {ticket: self._futures.pop(ticket) for ticket in tickets if ticket in self._futures}
            yield from self._gathered(futures)

    def _gathered(self, futures: dict[int, Any]) -> Iterator[Answer]:
        """Answers in as few requests as there may be, each let go at once."""
        whole = {ticket: future for ticket, future in futures.items() if future.status == "finished"}
        try:
            data = self._client.gather(list(whole.values())) if len(whole) > 1 else None
        except Exception:
            data = None  # one by one, to see which
        for ticket in list(futures):
            future = futures.pop(ticket)
            if data is not None and ticket in whole:
                yield Answer(ticket, data[list(whole).index(ticket)])
            else:
                yield _answer(ticket, future)

    def forget(self) -> None:
        """What is under way is not waited for."""
        futures, self._futures = list(self._futures.values()), {}
        if futures and self._client.status == "running":
            with contextlib.suppress(Exception):  # there is another reason to stop, which is told
                self._client.cancel(futures, force=True)


def _answer(ticket: int, future: Any) -> Answer:
    """The answer of one future that is done."""
    from distributed import KilledWorker

    if future.status == "error":
        error = future.exception()
        trouble = Trouble.DIED if isinstance(error, KilledWorker) else Trouble.RAISED
        return Answer(ticket, trouble=trouble, text=f"{type(error).__name__}: {error}")
    try:
        if future.status == "finished":
            return Answer(ticket, future.result())
    except (CancelledError, OSError):
        pass
    return Answer(ticket, trouble=Trouble.LOST)


__all__ = ["Answer", "Pool", "Trouble", "WorkersCallback"]

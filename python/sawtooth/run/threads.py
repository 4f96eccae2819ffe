"""The runs of a sweep that threads of this process simulate.

The threads do no more than simulate. Runs are finished in the thread of the caller, which names them too, and in bursts: code and data for
it lie in the caches then, from which the engine drives them between two runs. Who takes results late loses nothing, since the threads have
further runs meanwhile.

| parameter  | unit | default | why                                                                        |
|------------|------|---------|----------------------------------------------------------------------------|
| PER_THREAD | runs | 2       | the next one is there when one ends                                         |
| BURST_RUNS | runs | 32      | results in memory; more of them make no difference to a run                 |
| BURST_S    | s    | 1       | after the last burst: results of long runs, which are large, wait for none  |
| WAITING    | byte | 4·10⁶   | of scenarios; beyond it no more than PER_THREAD are named ahead              |

Source: none.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, Generic, TypeVar

from sawtooth.errors import InputError
from sawtooth.run.executor import Crew, Kept, Key
from sawtooth.run.run import Run
from sawtooth.run.writer import TICK_S
from sawtooth.scenario.resolve import Resolved

PER_THREAD: Final = 2
BURST_RUNS: Final = 32
BURST_S: Final = 1.0
WAITING: Final = 4_000_000

Simulated = Callable[[], Run]
"""A run that is simulated; calling it adds metrics and derived columns."""


class Threads(Crew[Kept]):
    """Some threads. The first `failure` is raised at the end, when what had begun is done."""

    def __init__(
        self,
        task: Callable[[Resolved], Callable[[], Simulated]],
        finish: Callable[[Simulated], Kept],
        threads: int,
    ) -> None:
        self.failure: Exception | None = None
        self._broken = False
        """Whether a thread has failed."""
        self._task, self._finish = task, finish
        self._least = PER_THREAD * threads
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="sawtooth")
        self._under_way: dict[Key, Future[None]] = {}
        self._bytes: dict[Key, int] = {}
        """How long the scenarios of those under way are."""
        self._results: _Arrivals[tuple[Key, Simulated | BaseException]] = _Arrivals()
        self._burst_at_s = time.monotonic()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, InputError):
            self.drain()
        # On Ctrl-C the caller is not kept waiting for what is under way.
        self._pool.shutdown(wait=False, cancel_futures=True)
        if error is None and self.failure:
            raise self.failure

    @property
    def full(self) -> bool:
        """Whether as many are under way as may be, or one has failed that nobody has heard of."""
        if self._broken and not self.failure:
            return True
        many = sum(self._bytes.values()) > WAITING
        return len(self._under_way) >= self._least + (0 if many else BURST_RUNS)

    @property
    def idle(self) -> bool:
        """Whether none is."""
        return not self._under_way

    @property
    def ripe(self) -> bool:
        """Whether results have waited long enough for others."""
        return self._results.some and time.monotonic() - self._burst_at_s > BURST_S

    def begin(self, key: Key, job: Resolved) -> None:
        """One more."""
        self._bytes[key] = len(job.engine_json)
        self._under_way[key] = self._pool.submit(self._work, key, self._task(job))

    def finished(self) -> Iterator[tuple[Key, Kept]]:
        """Results that are there, of some seconds' waiting for the first; after a failure what has not begun is dropped."""
        for key, result in self._burst():
            del self._under_way[key], self._bytes[key]
            try:
                if isinstance(result, BaseException):
                    raise result
                kept = self._finish(result)
            except Exception as error:
                self.failure = self.failure or error
            else:
                yield key, kept
        if self.failure:
            self._under_way = {key: future for key, future in self._under_way.items() if not future.cancel()}
            self._bytes = {key: size for key, size in self._bytes.items() if key in self._under_way}

    def _work(self, key: Key, task: Callable[[], Simulated]) -> None:
        try:
            result: Simulated | BaseException = task()
        except BaseException as error:  # told in the thread of the caller
            result = error
            self._broken = True
            for future in list(self._under_way.values()):  # nothing new begins until it is
                future.cancel()
        self._results.put((key, result))

    def _burst(self) -> list[tuple[Key, Simulated | BaseException]]:
        """Results for which it was worth waiting; none if none came in time."""
        if self._under_way and self._results.wait(1, time.monotonic() + TICK_S):
            self._results.wait(min(BURST_RUNS, len(self._under_way)), self._burst_at_s + BURST_S)
            self._burst_at_s = time.monotonic()
        return self._results.taken()


Handed = TypeVar("Handed")


class _Arrivals(Generic[Handed]):
    """What threads hand over. Who waits for many of them is woken when they are there, and not by each."""

    def __init__(self) -> None:
        self._there: list[Handed] = []
        self._least = 1
        self._came = threading.Condition()

    @property
    def some(self) -> bool:
        """Whether there are any."""
        return bool(self._there)

    def put(self, handed: Handed) -> None:
        """One more."""
        with self._came:
            self._there.append(handed)
            if len(self._there) >= self._least:
                self._came.notify()

    def wait(self, least: int, until_s: float) -> bool:
        """Waits for some, no longer than until a time of the monotonic clock; whether they are there."""
        with self._came:
            self._least = least
            return self._came.wait_for(
                lambda: len(self._there) >= least, max(until_s - time.monotonic(), 0.0)
            )

    def taken(self) -> list[Handed]:
        """All that are there."""
        with self._came:
            found, self._there = self._there, []
        return found


__all__ = ["BURST_RUNS", "BURST_S", "PER_THREAD", "Threads"]

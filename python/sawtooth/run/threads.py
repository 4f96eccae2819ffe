"""The runs of a sweep that threads of this process simulate.

The threads do no more than simulate. Runs are finished in the thread of the caller, which names them too, and in bursts: code and data for
it lie in the caches then, from which the engine drives them between two runs. Who takes results late loses nothing, since the threads have
further runs meanwhile.

| parameter  | unit | default | why                                                                        |
|------------|------|---------|----------------------------------------------------------------------------|
| PER_THREAD | runs | 2       | the next one is there when one ends                                         |
| BURST_RUNS | runs | 16      | results in memory; more of them make no difference to a run                 |
| BURST_S    | s    | 0.5     | after the last burst: results of long runs, which are large, wait for none  |
| WAITING    | byte | 4·10⁶   | of scenarios; beyond it no more than PER_THREAD are named ahead              |

Source: none.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import Final

from sawtooth.errors import InputError
from sawtooth.run.executor import Crew, Kept, Key
from sawtooth.run.run import Run
from sawtooth.run.writer import TICK_S
from sawtooth.scenario.resolve import Resolved

PER_THREAD: Final = 2
BURST_RUNS: Final = 16
BURST_S: Final = 0.5
WAITING: Final = 4_000_000

Simulated = Callable[[], Run]
"""A run that is simulated; calling it adds metrics and derived columns."""


class Threads(Crew[Kept]):
    """Some threads. The first `failure` is raised at the end, when what had begun is done."""

    def __init__(
        self, simulate: Callable[[Resolved], Simulated], finish: Callable[[Simulated], Kept], threads: int
    ) -> None:
        self.failure: Exception | None = None
        self._simulate, self._finish = simulate, finish
        self._least = PER_THREAD * threads
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="sawtooth")
        self._under_way: dict[Key, Future[None]] = {}
        self._bytes: dict[Key, int] = {}
        """How long the scenarios of those under way are."""
        self._results: SimpleQueue[tuple[Key, Simulated | BaseException]] = SimpleQueue()
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
        """Whether as many are under way as may be."""
        many = sum(self._bytes.values()) > WAITING
        return len(self._under_way) >= self._least + (0 if many else BURST_RUNS)

    @property
    def idle(self) -> bool:
        """Whether none is."""
        return not self._under_way

    @property
    def ripe(self) -> bool:
        """Whether results have waited long enough for others."""
        return not self._results.empty() and time.monotonic() - self._burst_at_s > BURST_S

    def begin(self, key: Key, job: Resolved) -> None:
        """One more."""
        self._bytes[key] = len(job.engine_json)
        self._under_way[key] = self._pool.submit(self._work, key, job)

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

    def _work(self, key: Key, job: Resolved) -> None:
        try:
            result: Simulated | BaseException = self._simulate(job)
        except BaseException as error:  # told in the thread of the caller
            result = error
            for future in list(self._under_way.values()):  # nothing new begins until it is
                future.cancel()
        self._results.put((key, result))

    def _burst(self) -> list[tuple[Key, Simulated | BaseException]]:
        """Results for which it was worth waiting; none if none came in time."""
        found: list[tuple[Key, Simulated | BaseException]] = []
        until_s = time.monotonic() + TICK_S
        while len(found) < min(BURST_RUNS, len(self._under_way)):
            try:
                found.append(self._results.get(timeout=max(until_s - time.monotonic(), 0.0)))
            except Empty:
                break
            until_s = self._burst_at_s + BURST_S
        if found:
            self._burst_at_s = time.monotonic()
        return found


__all__ = ["BURST_RUNS", "BURST_S", "PER_THREAD", "Threads"]

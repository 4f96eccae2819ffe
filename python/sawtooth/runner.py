"""Many runs over the cores of one machine, with resume.

Threads suffice: the engine releases the interpreter while it simulates. Each run is deterministic and alone, so the results, which come
back in the order of the jobs, do not depend on the number of threads. A finished run goes to the store at once; what the store already
has is not repeated. At most twice as many runs as threads are under way at any time, so memory does not grow with the sweep.

On Ctrl-C no further run begins and KeyboardInterrupt is raised at once; finished runs are in the store. When a run fails, those
under way are finished and stored first, then `RunError` names the run.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from typing import Generic, Literal, TypeVar, overload

from sawtooth.errors import InputError
from sawtooth.plain import canonical
from sawtooth.progress import ProgressCallback
from sawtooth.resolve import Resolved
from sawtooth.run import Run, RunSummary, execute, run_id_of
from sawtooth.store import Store

THREADS_VARIABLE = "SAWTOOTH_THREADS"
UNDER_WAY_PER_THREAD = 2

Kept = TypeVar("Kept")
"""What stays of a run."""
_Key = tuple[str, str]
"""Run id and hash of the names: one simulation may stand under two names, and is then two results."""


class RunError(RuntimeError):
    """A run ended in a fault of the engine. Carries `run_id` and `seed`, enough to make it again."""

    def __init__(self, run_id: str, seed: str, message: str) -> None:
        super().__init__(f"run {run_id} (seed {seed}) failed: {message}")
        self.run_id = run_id
        self.seed = seed


@overload
def run_many(
    jobs: Sequence[Resolved],
    store: Store | None,
    *,
    fresh: bool = ...,
    threads: int | None = ...,
    progress: ProgressCallback | None = ...,
    light: Literal[True] = ...,
) -> list[RunSummary]: ...


@overload
def run_many(
    jobs: Sequence[Resolved],
    store: Store | None,
    *,
    fresh: bool = ...,
    threads: int | None = ...,
    progress: ProgressCallback | None = ...,
    light: Literal[False],
) -> list[Run]: ...


def run_many(
    jobs: Sequence[Resolved],
    store: Store | None,
    *,
    fresh: bool = False,
    threads: int | None = None,
    progress: ProgressCallback | None = None,
    light: bool = True,
) -> list[RunSummary] | list[Run]:
    """Runs `jobs` and returns their results in that order; equal jobs are run once.

    `store` None keeps nothing; `fresh` repeats what is stored; `threads` None takes $SAWTOOTH_THREADS or every core this process may use;
    `light` drops scenarios and recorded series as soon as a run is stored. Raises RunError, KeyboardInterrupt, InputError.
    """
    if light:
        return run_each(jobs, store, Run.light, fresh=fresh, threads=threads, progress=progress)
    return run_each(jobs, store, _whole, fresh=fresh, threads=threads, progress=progress)


def run_each(
    jobs: Sequence[Resolved],
    store: Store | None,
    keep: Callable[[Run], Kept],
    *,
    fresh: bool = False,
    threads: int | None = None,
    progress: ProgressCallback | None = None,
) -> list[Kept]:
    """Like `run_many`, and of each run only what `keep` makes of it stays. A job is asked for twice, to name it and to run it, and
    not held in between, so `jobs` may make each anew: then memory grows with what is kept alone.
    """
    sweep = _Sweep(store, fresh, keep, threads or default_threads())
    keys = [_key(job) for job in jobs]
    places = {key: place for place, key in reversed(list(enumerate(keys)))}
    outcomes = sweep.over(jobs, {key: places[key] for key in keys}, progress)
    return [outcomes[key] for key in keys]


def _whole(run: Run) -> Run:
    return run


def _key(job: Resolved) -> _Key:
    return run_id_of(job), sha256(canonical(job.meta).encode()).hexdigest()


def default_threads() -> int:
    """$SAWTOOTH_THREADS, or the number of cores this process may use. InputError if the variable is no positive number."""
    text = os.environ.get(THREADS_VARIABLE)
    if text is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not text.isdigit() or int(text) < 1:
        raise InputError("environment", THREADS_VARIABLE, text, "a number of threads, at least 1")
    return int(text)


@dataclass(frozen=True)
class _Sweep(Generic[Kept]):
    """One call of `run_each`."""

    store: Store | None
    fresh: bool
    keep: Callable[[Run], Kept]
    threads: int

    def over(
        self, jobs: Sequence[Resolved], places: Mapping[_Key, int], progress: ProgressCallback | None
    ) -> dict[_Key, Kept]:
        """The result of every job, from the store or simulated; `places` says where in `jobs` each stands."""
        results: dict[_Key, Kept] = {}
        if self.store is not None and not self.fresh:
            for key, place in places.items():
                if not self.store.has(key[0]):
                    continue
                stored = self.store.get(key[0], jobs[place])
                if stored is not None:
                    results[key] = self.keep(stored)
        found = len(results)
        if self.store is not None and found < len(places):
            self.store.prepare()
        if progress:
            progress(found, len(places), found)
        waiting = [(key, place) for key, place in places.items() if key not in results]
        for key, result in self._simulated(jobs, waiting):
            results[key] = result
            if progress:
                progress(len(results), len(places), found)
        return results

    def _simulated(
        self, jobs: Sequence[Resolved], places: Sequence[tuple[_Key, int]]
    ) -> Iterator[tuple[_Key, Kept]]:
        """Results as they finish. At most a few futures per thread exist at a time; after a failure nothing new begins."""
        pool = ThreadPoolExecutor(self.threads, thread_name_prefix="sawtooth")
        waiting = iter(places)
        under_way: dict[Future[Kept], _Key] = {}
        failure: Exception | None = None
        try:
            while True:
                free = 0 if failure else UNDER_WAY_PER_THREAD * self.threads - len(under_way)
                for key, place in islice(waiting, free):
                    under_way[pool.submit(self._one, key[0], jobs[place])] = key
                if not under_way:
                    break
                for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                    key = under_way.pop(future)
                    try:
                        result = future.result()
                    except Exception as error:
                        failure = failure or error
                    else:
                        yield key, result
                if failure:
                    under_way = {future: key for future, key in under_way.items() if not future.cancel()}
        finally:  # on Ctrl-C too: the caller is not kept waiting for what is under way
            pool.shutdown(wait=False, cancel_futures=True)
        if failure:
            raise failure

    def _one(self, run_id: str, job: Resolved) -> Kept:
        try:
            run = execute(job)
        except RuntimeError as error:
            raise RunError(run_id, job.seed, str(error)) from error
        if self.store is not None:
            self.store.put(run)
        return self.keep(run)

"""Many runs over the cores of one machine, with resume.

Threads suffice: the engine releases the interpreter while it simulates. Each run is deterministic and alone, so the results, which come
back in the order of the jobs, do not depend on the number of threads. A finished run goes to the store at once; what the store already
has is not repeated. At most twice as many runs as threads are under way at any time, so memory does not grow with the sweep.

On Ctrl-C no further run begins and KeyboardInterrupt is raised at once; finished runs are in the store. When a run fails, those
under way are finished and stored first, then `RunError` names the run.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice
from typing import Literal, overload

from sawtooth.errors import InputError
from sawtooth.plain import canonical
from sawtooth.progress import ProgressCallback
from sawtooth.resolve import Resolved
from sawtooth.run import Run, RunSummary, execute, run_id_of
from sawtooth.store import Store

THREADS_VARIABLE = "SAWTOOTH_THREADS"
UNDER_WAY_PER_THREAD = 2


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
    sweep = _Sweep(store, fresh, light, threads or default_threads())
    keys = [(run_id_of(job), canonical(job.meta)) for job in jobs]
    outcomes = sweep.over(dict(zip(keys, jobs, strict=True)), progress)
    return [outcomes[key] for key in keys]


def default_threads() -> int:
    """$SAWTOOTH_THREADS, or the number of cores this process may use. InputError if the variable is no positive number."""
    text = os.environ.get(THREADS_VARIABLE)
    if text is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not text.isdigit() or int(text) < 1:
        raise InputError("environment", THREADS_VARIABLE, text, "a number of threads, at least 1")
    return int(text)


_Key = tuple[str, str]
"""Run id and names: one simulation may stand under two names, and is then two results."""


@dataclass(frozen=True)
class _Sweep:
    """One call of `run_many`."""

    store: Store | None
    fresh: bool
    light: bool
    threads: int

    def over(
        self, jobs: Mapping[_Key, Resolved], progress: ProgressCallback | None
    ) -> dict[_Key, RunSummary]:
        """The result of every job, from the store or simulated."""
        results: dict[_Key, RunSummary] = {}
        if self.store is not None and not self.fresh:
            for key, job in jobs.items():
                stored = self.store.get(key[0], job)
                if stored is not None:
                    results[key] = self._kept(stored)
        found = len(results)
        if self.store is not None and found < len(jobs):
            self.store.prepare()
        if progress:
            progress(found, len(jobs), found)
        for key, result in self._simulated([(key, job) for key, job in jobs.items() if key not in results]):
            results[key] = result
            if progress:
                progress(len(results), len(jobs), found)
        return results

    def _simulated(self, jobs: Sequence[tuple[_Key, Resolved]]) -> Iterator[tuple[_Key, RunSummary]]:
        """Results as they finish. At most a few futures per thread exist at a time; after a failure nothing new begins."""
        pool = ThreadPoolExecutor(self.threads, thread_name_prefix="sawtooth")
        waiting = iter(jobs)
        under_way: dict[Future[RunSummary], _Key] = {}
        failure: Exception | None = None
        try:
            while True:
                free = 0 if failure else UNDER_WAY_PER_THREAD * self.threads - len(under_way)
                for key, job in islice(waiting, free):
                    under_way[pool.submit(self._one, key[0], job)] = key
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

    def _one(self, run_id: str, job: Resolved) -> RunSummary:
        try:
            run = execute(job)
        except RuntimeError as error:
            raise RunError(run_id, job.seed, str(error)) from error
        if self.store is not None:
            self.store.put(run)
        return self._kept(run)

    def _kept(self, run: Run) -> RunSummary:
        return run.light() if self.light else run

"""Many runs over the cores of one machine, or by the executor that a caller chose (`executor.using`), with resume.

Threads suffice: the engine releases the interpreter while it simulates. Each run is deterministic and alone, so the results, which come
back in the order of the jobs, do not depend on the number of threads. Finished runs go to the store every few seconds (`Writer`); what the
store already has is not repeated, and a run of the store that stands under two names is simulated once. Few runs are under way at any time
(`threads`), and a job is made when its turn comes, so memory does not grow with the sweep and simulation begins with the first job.

On Ctrl-C no further run begins and KeyboardInterrupt is raised at once; finished runs are in the store. When a run fails, those
under way are finished and stored first, then `RunError` names the run.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Generic, Literal, cast, overload

from sawtooth.errors import InputError, RunError
from sawtooth.garbage import seldom_collected
from sawtooth.progress import ProgressCallback
from sawtooth.run.alone import Keeper, compared, keeping
from sawtooth.run.executor import Crew, Kept, Key, Work, chosen
from sawtooth.run.run import (
    Answer,
    Run,
    RunSummary,
    ask_engine,
    counted_of,
    execute,
    has_traffic,
    provenance,
    run_id_of,
    run_of_counted,
)
from sawtooth.run.store import Store
from sawtooth.run.threads import Threads
from sawtooth.run.used import watched
from sawtooth.run.writer import Writer
from sawtooth.scenario.resolve import Resolved

THREADS_VARIABLE = "SAWTOOTH_THREADS"


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
        return run_each(jobs, store, _light, fresh=fresh, threads=threads, progress=progress, whole=False)
    return run_each(jobs, store, _whole, fresh=fresh, threads=threads, progress=progress)


@overload
def run_each(
    jobs: Sequence[Resolved],
    store: Store | None,
    keep: Callable[[RunSummary], Kept],
    *,
    fresh: bool = ...,
    threads: int | None = ...,
    progress: ProgressCallback | None = ...,
    spared: set[str] | None = ...,
    noted: Callable[[str, bool], None] | None = ...,
    whole: bool,
) -> list[Kept]: ...


@overload
def run_each(
    jobs: Sequence[Resolved],
    store: Store | None,
    keep: Callable[[Run], Kept],
    *,
    fresh: bool = ...,
    threads: int | None = ...,
    progress: ProgressCallback | None = ...,
    spared: set[str] | None = ...,
    noted: Callable[[str, bool], None] | None = ...,
) -> list[Kept]: ...


def run_each(
    jobs: Sequence[Resolved],
    store: Store | None,
    keep: Callable[[Run], Kept],
    *,
    fresh: bool = False,
    threads: int | None = None,
    progress: ProgressCallback | None = None,
    spared: set[str] | None = None,
    noted: Callable[[str, bool], None] | None = None,
    whole: bool = True,
) -> list[Kept]:
    """Like `run_many`, and of each run only what `keep` makes of it stays. A job is asked for once, when its turn comes, and not held
    once it has run, so `jobs` may make each anew: then memory grows with what is kept alone.

    `spared` are the ids of runs that `fresh` does not repeat; those made here are added, so that several sweeps make each run once.
    `noted` hears the id of each different run, and whether the store had it. If `keep` looks at counters and metrics alone, `whole` False
    spares reading the rest.
    """
    sweep = _Sweep(store, fresh, keep, threads or default_threads(), spared, watched(), noted, whole)
    with seldom_collected():
        keys, outcomes = sweep.over(jobs, progress)
    return [outcomes[key] for key in keys]


def _simulated(job: Resolved) -> Callable[[], Run]:
    try:
        answer = ask_engine(job.engine, job.meta, job.engine_json)
    except RuntimeError as error:
        raise run_error(job, error) from error
    return partial(_made, job, answer)


def _made(job: Resolved, answer: Answer) -> Run:
    with told_as_run_error(job):
        found, written = counted_of(job.engine, answer), (job.engine_json, job.meta_json)
        return run_of_counted(job.engine, job.meta, found, provenance(), written)


def _whole(run: Run) -> Run:
    return run


def _light(run: RunSummary) -> RunSummary:
    return run.light()


def _key(job: Resolved) -> Key:
    return run_id_of(job), sha256(job.meta_json.encode()).digest()


def default_threads() -> int:
    """$SAWTOOTH_THREADS, or the number of cores this process may use. InputError if the variable is no positive number."""
    text = os.environ.get(THREADS_VARIABLE)
    if text is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not text.isdigit() or int(text) < 1:
        raise InputError("environment", THREADS_VARIABLE, text, "a number of threads, at least 1")
    return int(text)


class _Came(Generic[Kept]):
    """The jobs that had their turn, and the results that came. Equal jobs have one result."""

    def __init__(
        self, total: int, progress: ProgressCallback | None, noted: Callable[[str, bool], None] | None
    ) -> None:
        self.keys: list[Key] = []
        self.results: dict[Key, Kept] = {}
        self.under_way: set[str] = set()
        """Ids of runs."""
        self._total = total
        self._progress = progress
        self._noted = noted
        self._named: Counter[Key] = Counter()
        self._done = self._stored = 0

    def named(self, key: Key) -> bool:
        """The next job; whether an equal one came before."""
        self.keys.append(key)
        self._named[key] += 1
        if self._named[key] == 1:
            return False
        self._done += key in self.results
        return True

    def result(self, key: Key, result: Kept, stored: bool) -> None:
        """What all jobs with this key come to, and whether the store had it."""
        self.results[key] = result
        self.under_way.discard(key[0])
        self._done += self._named[key]
        self._stored += self._named[key] * stored
        if self._noted is not None:
            self._noted(key[0], stored)

    def tell(self) -> None:
        """How far the sweep is."""
        if self._progress is not None:
            self._progress(self._done, self._total, self._stored)


@dataclass(frozen=True)
class _Sweep(Generic[Kept]):
    """One call of `run_each`."""

    store: Store | None
    fresh: bool
    keep: Callable[[Run], Kept]
    """Of a run of the store that is not read `whole`, it gets the summary alone."""
    threads: int
    spared: set[str] | None = None
    used: dict[str, int] | None = None
    """Where it is noted what the runs used; threads of the sweep do not see the caller's context."""
    noted: Callable[[str, bool], None] | None = None
    whole: bool = True

    def over(
        self, jobs: Sequence[Resolved], progress: ProgressCallback | None
    ) -> tuple[list[Key], dict[Key, Kept]]:
        """The key of every job, and the result of every key, from the store or simulated."""
        came: _Came[Kept] = _Came(len(jobs), progress, self.noted)
        twins: list[int] = []
        """Places of jobs whose run was under way under another name when their turn came. They are read when it has ended."""

        def read(key: Key, job: Resolved, fresh: bool) -> bool:
            stored = self._stored(key[0], job, writer, fresh)
            if stored is None:
                return False
            self._note(stored)
            came.result(key, self.keep(stored), True)
            return True

        def collect() -> None:
            for key, result in crew.finished():
                came.result(key, result, False)
                if not crew.failure:
                    came.tell()
            if writer is not None:
                writer.tick()

        def drain() -> None:
            if not crew.failure:
                came.tell()
            while not crew.idle:
                collect()

        with self._writing() as writer, keeping(self._keeper(writer)), self._crew(writer, len(jobs)) as crew:
            for place, job in enumerate(jobs):
                if crew.ripe:
                    collect()
                key = _key(job)
                if came.named(key):
                    continue
                if key[0] in came.under_way and self.store is not None:
                    twins.append(place)
                    continue
                if read(key, job, self.fresh):
                    continue
                if self.store is not None and crew.idle:
                    self.store.prepare()
                while crew.full:
                    collect()
                if crew.failure:
                    break
                crew.begin(key, job)
                came.under_way.add(key[0])
            drain()
            for place in twins:
                if crew.failure:
                    break
                key, job = came.keys[place], jobs[place]
                if not read(key, job, False):
                    crew.begin(key, job)
                drain()
        return came.keys, came.results

    def _writing(self) -> AbstractContextManager[Writer | None]:
        return nullcontext() if self.store is None else Writer(self.store)

    def _stored(self, run_id: str, job: Resolved, writer: Writer | None, fresh: bool) -> Run | None:
        if self.store is None or writer is None:
            return None
        if fresh and run_id not in (self.spared or ()):
            return None
        read = self.store.get if self.whole else self.store.summary
        return writer.get(run_id, job.meta) or cast("Run | None", read(run_id, job))

    def _keeper(self, writer: Writer | None) -> Keeper[Run] | None:
        """Where runs alone are kept, which those of the sweep are compared with."""
        store = self.store
        if store is None or writer is None:
            return None
        return Keeper(store.address, lambda run_id: writer.get(run_id) or store.get(run_id), writer.put)

    def _crew(self, writer: Writer | None, jobs: int) -> Crew[Kept]:
        executor = chosen()
        if executor is not None:
            return executor.crew(Work(partial(self._taken, writer), self.store, jobs))
        return Threads(partial(self._task, writer), partial(self._finished, writer), self.threads)

    def _task(self, writer: Writer | None, job: Resolved) -> Callable[[], Callable[[], Run]]:
        """What a thread does for a job: it simulates, and returns what makes the run of that. To make it costs a fraction where the runs of
        a burst are made one after another. What may have to simulate runs alone, to compare with them, is made by the thread."""
        if compared(job.engine) or has_traffic(job.engine):
            return partial(self._executed, writer, job)
        return partial(_simulated, job)

    def _executed(self, writer: Writer | None, job: Resolved) -> Callable[[], Run]:
        with keeping(self._keeper(writer)), told_as_run_error(job):
            run = execute(job)
        return lambda: run

    def _finished(self, writer: Writer | None, make: Callable[[], Run]) -> Kept:
        return self._taken(writer, make(), False)

    def _taken(self, writer: Writer | None, run: Run, stored: bool) -> Kept:
        """What is kept of a finished run, which is on its way to the store then, if it is not there."""
        kept = self.keep(run)
        self._note(run)
        if writer is not None and not stored:
            writer.put(run)
        if self.spared is not None:
            self.spared.add(run.run_id)
        return kept

    def _note(self, run: RunSummary) -> None:
        if self.used is not None:
            self.used.update(run.behaviour)


@contextmanager
def told_as_run_error(job: Resolved) -> Iterator[None]:
    """A fault of the engine, or of what measures its run, names the run."""
    try:
        yield
    except RuntimeError as error:
        raise run_error(job, error) from error


def run_error(job: Resolved, error: RuntimeError) -> RunError:
    """What is told of a fault in a run."""
    return RunError(job.run_id, job.seed, str(error))

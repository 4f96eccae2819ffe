"""Tallies: of very many runs only their numbers are kept, many runs to a file.

    <store>/tallies/<metrics version>/<two digits>/<key>.parquet

The store keeps whole runs, which is right for runs that a report shows one by one. It would be too much for the tens of thousands of runs
behind a sensitivity table or a reconstruction. A tally has the run ids of a block of jobs and the metric values of each run, in
columns; the key is the hash of the run ids, which say how the engine behaved. Like runs, tallies are written whole or not at all. They
never mix between versions of the metrics, because values cannot be computed again from them. ``sawtooth reproduce --set …`` makes the
runs behind a number whole.

Other jobs may share runs with these: part of the parameters, another paper with the same cells, more seeds. Their blocks have other keys,
so a block that is not there is first looked up run by run among all blocks, and only the rest of it is simulated.

| parameter | unit | default | why                                                                             |
|-----------|------|---------|---------------------------------------------------------------------------------|
| block     | runs | 128     | what a kill may lose: some seconds of work; a file of 30 kB                      |
| per slot  | runs | 8       | blocks are made together on a cluster, so many runs for each of its threads      |
"""

from __future__ import annotations

import threading
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from hashlib import sha256
from math import ceil
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sawtooth.atomic import write_bytes_atomic
from sawtooth.columns import numbers, texts
from sawtooth.errors import InputError
from sawtooth.measure.metrics import METRIC_NAMES
from sawtooth.progress import ProgressCallback
from sawtooth.run.executor import chosen
from sawtooth.run.outcome import EXTRA, Outcome
from sawtooth.run.run import Run, behaviour_of_job, run_id_of
from sawtooth.run.runner import run_each
from sawtooth.run.storage.rows import hash_of_metrics
from sawtooth.run.store import Store
from sawtooth.run.used import note, watched
from sawtooth.scenario.resolve import Resolved

BLOCK: Final = 128
RUNS_PER_SLOT: Final = 8
NAMES: Final = (*METRIC_NAMES, *EXTRA)


@cache
def metrics_version() -> str:
    """Hash of the files that turn columns into metrics."""
    return hash_of_metrics(("run/run.py", "run/outcome.py"))


class Tally:
    """The outcomes of many jobs, from memory, from tallies of the store, or simulated. ``executed`` counts the last kind."""

    def __init__(self, store: Store, known: Mapping[str, Outcome] | None = None) -> None:
        self.store = store
        self.known: dict[str, Outcome] = dict(known or {})
        self.executed = 0
        self._home = store.path / "tallies" / metrics_version()
        self._kept = _Kept(self._home)

    def outcomes(
        self,
        jobs: Sequence[Resolved],
        *,
        threads: int | None = None,
        progress: ProgressCallback | None = None,
    ) -> list[Outcome]:
        """The outcome of every job, in order; jobs that are known already cost nothing."""
        ids: list[str] = []
        blocks: list[dict[str, Resolved]] = [{}]
        waiting: set[str] = set()
        done = stored = 0
        at_once = _blocks_at_once()

        def moved(more: int) -> None:
            if progress is not None:
                progress(done + more, len(jobs), stored)

        def close_blocks() -> None:
            nonlocal blocks, done, stored
            stored += self._make([block for block in blocks if block], threads, moved)
            blocks, done = [{}], len(ids)
            waiting.clear()
            moved(0)

        for job in jobs:
            run_id = run_id_of(job)
            ids.append(run_id)
            if run_id in self.known:
                done, stored = done + 1, stored + 1
            elif run_id not in waiting:
                waiting.add(run_id)
                blocks[-1][run_id] = job
            if len(blocks[-1]) == BLOCK:
                if len(blocks) == at_once:
                    close_blocks()
                else:
                    blocks.append({})
        close_blocks()
        return [self.known[run_id] for run_id in ids]

    def _make(
        self, blocks: Sequence[Mapping[str, Resolved]], threads: int | None, moved: Callable[[int], None]
    ) -> int:
        """Gets the outcomes of blocks to know, from the store or simulated; the number of those that were stored. A block is written as
        soon as its last run is there."""
        stored = 0
        missing: list[_Block] = []
        for block in blocks:
            path = self._file(list(block))
            found = read_block(path) if path.is_file() else None
            if found is None:
                found = self._kept.outcomes(block)
            stored += len(found)
            self.known.update((outcome.run_id, outcome) for outcome in found)
            for outcome in found if watched() is not None else ():
                note(behaviour_of_job(block[outcome.run_id]))
            if len(found) < len(block):
                missing.append(_Block(path, block, found))
        if not missing:
            return stored
        owner = {run_id: block for block in missing for run_id in block.wanted}

        def keep(run: Run) -> Outcome:
            outcome = light_outcome(run)
            whole = owner[run.run_id].put(outcome)
            if whole is not None:
                self._write(owner[run.run_id].path, whole)
            return outcome

        jobs = [block.jobs[run_id] for block in missing for run_id in block.wanted]
        made = run_each(jobs, None, keep, threads=threads, progress=lambda part, _, __: moved(part))
        self.executed += len(jobs)
        self.known.update((outcome.run_id, outcome) for outcome in made)
        return stored

    def _file(self, ids: Sequence[str]) -> Path:
        key = sha256("\n".join(ids).encode()).hexdigest()
        return self._home / key[:2] / f"{key}.parquet"

    def _write(self, path: Path, outcomes: Sequence[Outcome]) -> None:
        sink = pa.BufferOutputStream()
        pq.write_table(table_of(outcomes), sink, compression="zstd", write_page_checksum=True)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_bytes_atomic(path, memoryview(sink.getvalue()))
        except OSError as error:
            accepted = f"a directory that can be written ({error.strerror or 'refused'})"
            raise InputError("store", None, str(self.store.path), accepted) from error


class _Kept:
    """All blocks of a directory by the runs in them. They are looked through once, when the first block is not there."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def outcomes(self, ids: Iterable[str]) -> list[Outcome]:
        """The outcomes of those runs that some block has."""
        by_file: dict[Path, set[str]] = {}
        for run_id in ids:
            if (path := self._files.get(run_id)) is not None:
                by_file.setdefault(path, set()).add(run_id)
        return [
            outcome
            for path, wanted in by_file.items()
            for outcome in read_block(path) or ()
            if outcome.run_id in wanted
        ]

    @cached_property
    def _files(self) -> dict[str, Path]:
        return {run_id: path for path in sorted(self.home.glob("*/*.parquet")) for run_id in ids_in(path)}


class _Block:
    """Runs of one file that are being made, but for those that were found."""

    def __init__(self, path: Path, jobs: Mapping[str, Resolved], found: Sequence[Outcome]) -> None:
        self.path = path
        self.jobs = jobs
        self._found = {outcome.run_id: outcome for outcome in found}
        self.wanted = [run_id for run_id in jobs if run_id not in self._found]
        self._lock = threading.Lock()

    def put(self, outcome: Outcome) -> list[Outcome] | None:
        """One more; all of them, in the order of the jobs, when this was the last."""
        with self._lock:
            self._found[outcome.run_id] = outcome
            whole = len(self._found) == len(self.jobs)
            return [self._found[run_id] for run_id in self.jobs] if whole else None


def _blocks_at_once() -> int:
    """Blocks that are made together: one, or so many that every worker of a cluster has something to do."""
    executor = chosen()
    return 1 if executor is None else max(1, ceil(RUNS_PER_SLOT * executor.slots / BLOCK))


def light_outcome(run: Run) -> Outcome:
    """What is kept of a run: its numbers."""
    return Outcome.of(run, flows=False)


def table_of(outcomes: Sequence[Outcome]) -> pa.Table:
    """A block as a table: run ids, and a column for each metric."""
    columns = {"run_id": texts(outcome.run_id for outcome in outcomes)}
    for place, name in enumerate(NAMES):
        columns[name] = numbers(np.array([outcome.values[place] for outcome in outcomes], np.float64))
    return pa.table(columns)


def read_block(path: Path) -> list[Outcome] | None:
    """The outcomes of a block; None if the file cannot be read or has other columns, and is then made again."""
    try:
        table = pq.ParquetFile(path, page_checksum_verification=True).read()
    except (pa.ArrowException, OSError):
        return None
    return outcomes_of(table)


def ids_in(path: Path) -> list[str]:
    """The runs of a block; none if the file cannot be read."""
    try:
        table = pq.ParquetFile(path, page_checksum_verification=True).read(columns=["run_id"])
        return [str(run_id) for run_id in table.column("run_id").to_pylist()]
    except (pa.ArrowException, OSError, KeyError):
        return []


def outcomes_of(table: pa.Table) -> list[Outcome] | None:
    """The outcomes of such a table; None if it has other columns."""
    if table.column_names != ["run_id", *NAMES]:
        return None
    columns = [table.column(name).to_pylist() for name in NAMES]
    ids = table.column("run_id").to_pylist()
    return [Outcome(run_id, array("d", values), None) for run_id, *values in zip(ids, *columns, strict=True)]

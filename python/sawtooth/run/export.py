"""Stored runs as one table in one file: CSV, Parquet or Arrow (its file format, also called Feather).

`runs` has one row per run: what was run, and its metrics. `flows`, `queues` and every recorded series have the rows of all runs behind a
column `run_id`. Undefined numbers are null, in CSV an empty field. Runs are read one after the other, so any number fits into memory.

| parameter  | unit | default | why                                                                                       |
|------------|------|---------|-------------------------------------------------------------------------------------------|
| BY_ID      | runs | 1,024   | so many come ordered by id, more as they lie in the files: each group of rows is decoded once |
| TOGETHER   | rows | 16,384  | written at a time: a group of rows each in Parquet and Arrow                                 |
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pv
import pyarrow.ipc as ipc
import pyarrow.parquet as pq

from sawtooth.atomic import writing
from sawtooth.errors import MISSING, InputError
from sawtooth.measure.metrics import METRIC_NAMES
from sawtooth.run.catalogue import Entry
from sawtooth.run.run import Run
from sawtooth.run.storage.shelf import RUNS as RUNS_TREE
from sawtooth.run.store import Store

WHERE: Final = "sawtooth store export"
BY_ID: Final = 1024
TOGETHER: Final = 16_384
FORMATS: Final = ("csv", "parquet", "arrow")
"""What the name of a file may end in."""
SAID: Final = {
    "run_id": pa.string(),
    "scenario": pa.string(),
    "seed": pa.string(),
    "duration_s": pa.float64(),
    "controllers": pa.string(),
    "version": pa.string(),
    "engine": pa.string(),
    "state": pa.string(),
    "stored": pa.string(),
    "digest": pa.string(),
}
"""The columns of `runs` before the metrics."""
RUNS: Final = pa.schema([*SAID.items(), *((name, pa.float64()) for name in METRIC_NAMES)])


def tables(store: Store, chosen: Sequence[Entry], what: str) -> tuple[pa.Schema, Iterator[pa.Table]]:
    """The schema of `runs`, `flows`, `queues` or a series, and its rows run by run. InputError if the runs have no such table."""
    if what == "runs":
        return RUNS, (_summary(entry, run) for entry, run in _runs(store, chosen))
    counters = what in ("flows", "queues")
    having = [entry for entry in chosen if counters or what in entry.series]
    if not having:
        raise InputError(WHERE, "--of", what, _accepted(chosen))
    rows = (_rows(run, what) for _, run in _runs(store, having))
    first = next(rows, None)
    if first is None:
        raise InputError(WHERE, "--of", what, "a run that can be read")
    return first.schema, _chained(first, rows)


def check_output(path: Path, where: str = WHERE, key: str = "--output") -> None:
    """InputError if no file can be written there in a form that its name tells; ``where`` and ``key`` are what the user wrote it to."""
    if path.suffix.removeprefix(".") not in FORMATS:
        raise InputError(where, key, str(path), "a file name that ends in ." + ", .".join(FORMATS))
    if os.path.isdir(path):
        raise InputError(where, key, str(path), "a file; this is a directory")
    if not os.path.isdir(path.parent):
        raise InputError(where, key, str(path), "a file in a directory that exists")
    if not os.access(path.parent, os.W_OK):
        raise InputError(where, key, str(path), "a file in a directory that can be written")


def write_file(
    path: Path, schema: pa.Schema, parts: Iterable[pa.Table], where: str = WHERE, key: str = "--output"
) -> int:
    """Writes a table, as the name of the file says, whole or not at all; returns its number of rows. InputError if that fails."""
    try:
        with writing(path) as file:
            return write(file, path.suffix.removeprefix("."), schema, parts)
    except OSError as error:
        accepted = f"a file that can be written ({error.strerror or error})"
        raise InputError(where, key, str(path), accepted) from error


def write(file: BinaryIO, kind: str, schema: pa.Schema, parts: Iterable[pa.Table]) -> int:
    """Writes a table to an open file; returns its number of rows."""
    count = rows = 0
    waiting: list[pa.Table] = []
    with _writer(file, kind, schema) as writer:
        for part in parts:
            if part.schema.names != schema.names:
                raise InputError(
                    WHERE,
                    None,
                    MISSING,
                    "runs whose tables have the same columns: choose those of one version",
                )
            count += part.num_rows
            waiting.append(part.cast(schema))
            rows += part.num_rows
            if rows >= TOGETHER or len(waiting) >= TOGETHER:
                writer.write_table(pa.concat_tables(waiting).combine_chunks())
                waiting, rows = [], 0
        if waiting:
            writer.write_table(pa.concat_tables(waiting).combine_chunks())
    return count


def _writer(file: BinaryIO, kind: str, schema: pa.Schema) -> Any:
    if kind == "csv":
        return pv.CSVWriter(file, schema)
    if kind == "parquet":
        return pq.ParquetWriter(file, schema, compression="zstd")
    return ipc.new_file(file, schema)


def _runs(store: Store, chosen: Sequence[Entry]) -> Iterator[tuple[Entry, Run]]:
    """The runs that can be read; the store warns of any other."""
    if len(chosen) > BY_ID:
        chosen = sorted(chosen, key=lambda entry: store.held.lies(RUNS_TREE, entry.run_id))
    for entry in chosen:
        run = store.get(entry.run_id)
        if run is not None:
            yield entry, run


def _summary(entry: Entry, run: Run) -> pa.Table:
    said = entry.to_json() | {"controllers": "; ".join(entry.controllers), "digest": run.digest}
    row = {name: said[name] for name in SAID} | dict(run.values)
    return _without_nan(pa.Table.from_pylist([{name: row[name] for name in RUNS.names}], RUNS))


def _rows(run: Run, what: str) -> pa.Table:
    table = {"flows": run.flows, "queues": run.queues}.get(what)
    table = run.records[what] if table is None else table
    ids = pa.array([run.run_id] * table.num_rows, pa.string())
    return _without_nan(table.add_column(0, "run_id", ids))


def _without_nan(table: pa.Table) -> pa.Table:
    """The same with null for what is no number."""
    for place, field in enumerate(table.schema):
        if pa.types.is_floating(field.type):
            column = table.column(place)
            cleaned = pc.if_else(pc.is_nan(column), pa.scalar(None, field.type), column)
            table = table.set_column(place, field, cleaned)
    return table


def _chained(first: pa.Table, rest: Iterator[pa.Table]) -> Iterator[pa.Table]:
    yield first
    yield from rest


def _accepted(chosen: Sequence[Entry]) -> str:
    if not chosen:
        return "runs, as no stored run is meant"
    there = dict.fromkeys(name for entry in chosen for name in entry.series)
    return "one of " + ", ".join(["runs", "flows", "queues", *there]) + ", which the chosen runs have"

"""Stored runs as one table in one file: CSV, Parquet or Arrow (its file format, also called Feather).

`runs` has one row per run: what was run, and its metrics. `flows`, `queues` and every recorded series have the rows of all runs behind a
column `run_id`. Undefined numbers are null, in CSV an empty field. Runs are taken as they come, and no more than one group of rows of the
store is held at a time, so any number fits into memory. A group whose metrics the present formulas gave is taken as a whole; of any other
each run is read, and measured again.

| parameter  | unit | default | why                                                                                       |
|------------|------|---------|-------------------------------------------------------------------------------------------|
| BY_ID      | runs | 1,024   | so many come ordered by id, more as they lie in the files: each group of rows is decoded once |
| TOGETHER   | rows | 16,384  | written at a time: a group of rows each in Parquet and Arrow                                 |
| WAITING    | tables | 256   | of one run each become one, which takes a hundredth of their memory                       |
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pv
import pyarrow.ipc as ipc
import pyarrow.parquet as pq

from sawtooth.atomic import writing
from sawtooth.column_values import values_of
from sawtooth.columns import numbers
from sawtooth.errors import MISSING, InputError
from sawtooth.measure.metrics import METRIC_NAMES
from sawtooth.run.catalogue import Entry
from sawtooth.run.run import FORMAT, Run
from sawtooth.run.storage.batch import unreadable
from sawtooth.run.storage.rows import made_by_formulas, repeated, row_version
from sawtooth.run.storage.shelf import RUNS as RUNS_TREE
from sawtooth.run.store import Store

WHERE: Final = "sawtooth store export"
BY_ID: Final = 1024
TOGETHER: Final = 16_384
WAITING: Final = 256
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
TABLES: Final = ("flows", "queues")
"""What every run has beside its series."""
RUNS: Final = pa.schema([*SAID.items(), *((name, pa.float64()) for name in METRIC_NAMES)])


def in_order(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Entries by id if they are few; else as they come."""
    rest = iter(entries)
    few = list(islice(rest, BY_ID + 1))
    if len(few) <= BY_ID:
        few.sort(key=lambda entry: entry.run_id)
    return chain(few, rest)


class CountedEntries:
    """Entries, one after the other, and how many there were so far."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._entries = entries
        self.count = 0

    def __iter__(self) -> Iterator[Entry]:
        for entry in self._entries:
            self.count += 1
            yield entry


def tables(store: Store, chosen: Iterable[Entry], what: str) -> tuple[pa.Schema, Iterator[pa.Table]]:
    """The schema of `runs`, `flows`, `queues` or a series, and its rows, of some runs at a time. InputError if the runs have no such
    table."""
    if what == "runs":
        return RUNS, _whole(store, chosen, _summaries, _summary)
    there: dict[str, None] | None = None
    if what in TABLES:
        pieces = _whole(store, chosen, partial(_nested, what=what), partial(_rows, what=what))
    else:
        there = {}
        pieces = (
            _without_nan(_rows(entry, run, what)) for entry, run in _runs(store, _having(chosen, what, there))
        )
    first = next(pieces, None)
    if first is None:
        accepted = "a run that can be read" if there is None or what in there else _accepted(there)
        raise InputError(WHERE, "--of", what, accepted)
    return first.schema, chain([first], pieces)


def check_output(path: Path, where: str = WHERE, key: str = "--output") -> None:
    """InputError if no file can be written there in a form that its name tells; ``where`` and ``key`` are what the user wrote it to."""
    if _kind(path) not in FORMATS:
        raise InputError(where, key, str(path), "a file name that ends in ." + ", .".join(FORMATS))
    if os.path.isdir(path):
        raise InputError(where, key, str(path), "a file; this is a directory")
    if not os.path.isdir(path.parent):
        raise InputError(where, key, str(path), "a file in a directory that exists")
    if not os.access(path.parent, os.W_OK):
        raise InputError(where, key, str(path), "a file in a directory that can be written")


def _kind(path: Path) -> str:
    """What the name of a file ends in, without the dot."""
    return path.suffix.removeprefix(".").lower()


def write_file(
    path: Path, schema: pa.Schema, pieces: Iterable[pa.Table], where: str = WHERE, key: str = "--output"
) -> int:
    """Writes a table, as the name of the file says, whole or not at all; returns its number of rows. InputError if that fails."""
    try:
        with writing(path) as file:
            return write(file, _kind(path), schema, pieces)
    except OSError as error:
        accepted = f"a file that can be written ({error.strerror or error})"
        raise InputError(where, key, str(path), accepted) from error


def write(file: BinaryIO, kind: str, schema: pa.Schema, pieces: Iterable[pa.Table]) -> int:
    """Writes a table to an open file; returns its number of rows."""
    count = rows = 0
    waiting: list[pa.Table] = []
    with _writer(file, kind, schema) as writer:
        for piece in pieces:
            if piece.schema.names != schema.names:
                raise InputError(
                    WHERE,
                    None,
                    MISSING,
                    "runs whose tables have the same columns: choose those of one version",
                )
            count += piece.num_rows
            waiting.append(piece.cast(schema))
            rows += piece.num_rows
            if rows >= TOGETHER or len(waiting) >= WAITING:
                waiting = [pa.concat_tables(waiting).combine_chunks()]
            if rows >= TOGETHER:
                writer.write_table(waiting[0])
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


def _having(chosen: Iterable[Entry], series: str, there: dict[str, None]) -> Iterator[Entry]:
    """Those that recorded a series; `there` learns of all series that any of them has."""
    for entry in chosen:
        there.update(dict.fromkeys(("", *entry.series)))
        if series in entry.series:
            yield entry


def _runs(store: Store, chosen: Iterable[Entry]) -> Iterator[tuple[Entry, Run]]:
    """The runs that can be read; the store warns of any other."""
    for entry in chosen:
        run = store.get(entry.run_id)
        if run is not None:
            yield entry, run


def _whole(
    store: Store,
    chosen: Iterable[Entry],
    together: Callable[[Sequence[Entry], pa.Table], pa.Table],
    alone: Callable[[Entry, Run], pa.Table],
) -> Iterator[pa.Table]:
    """The rows of runs: `together` of those whose numbers stand in one group as they would be computed now, `alone` of any other."""
    for entries, group in _stretches(store, chosen):
        if group is not None and _as_now(entries, group):
            yield _without_nan(together(entries, group))
        else:
            yield from (_without_nan(alone(entry, run)) for entry, run in _runs(store, entries))


def _stretches(store: Store, chosen: Iterable[Entry]) -> Iterator[tuple[list[Entry], pa.Table | None]]:
    """Runs that follow each other and stand in one group of rows, with their rows; None for a run that is not found where it was."""
    entries: list[Entry] = []
    places: list[int] = []
    group: pa.Table | None = None
    for entry in chosen:
        found, place = _row(store, entry)
        if entries and (found is not group or found is None):
            yield entries, _taken(group, places)
            entries, places = [], []
        group = found
        entries.append(entry)
        places.append(place)
    if entries:
        yield entries, _taken(group, places)


def _row(store: Store, entry: Entry) -> tuple[pa.Table | None, int]:
    """The group of rows in which a run stands, and its place there."""
    for place in store.held.places(RUNS_TREE, entry.run_id, look=False)[:1]:
        with contextlib.suppress(*unreadable()):
            rows, first, _ = store.held.rows(RUNS_TREE, place)
            return (rows.table, first) if 0 <= first < len(rows) else (None, 0)
    return None, 0


def _taken(group: pa.Table | None, places: Sequence[int]) -> pa.Table | None:
    """Some rows of a group."""
    if group is None or list(places) == list(range(group.num_rows)):
        return group
    return group.take(pa.array(places, pa.int64()))


def _as_now(entries: Sequence[Entry], table: pa.Table) -> bool:
    """Whether rows are those of the entries, and their metrics and derived columns what the present formulas give."""
    return (
        table.column("run_id").to_pylist() == [entry.run_id for entry in entries]
        and set(table.column("format").to_pylist()) == {FORMAT}
        and all(
            made_by_formulas(dict(said)) == row_version() for said in table.column("provenance").to_pylist()
        )
    )


def _summaries(entries: Sequence[Entry], group: pa.Table) -> pa.Table:
    """Rows of `runs`."""
    digests = group.column("digest").to_pylist()
    rows = [_said(entry, digest) for entry, digest in zip(entries, digests, strict=True)]
    columns = {name: pa.array([row[name] for row in rows], dtype) for name, dtype in SAID.items()}
    metrics = group.column("metrics").combine_chunks()
    first, *_, end = metrics.offsets.to_pylist()
    found = values_of(metrics.items.slice(first, end - first)).reshape(len(rows), len(METRIC_NAMES))
    columns |= {name: numbers(found[:, place]) for place, name in enumerate(METRIC_NAMES)}
    return pa.table(columns, RUNS)


def _nested(entries: Sequence[Entry], group: pa.Table, what: str) -> pa.Table:
    """Rows of `flows` or `queues`."""
    lists = group.column(what).combine_chunks()
    counts = pc.list_value_length(lists).to_pylist()
    structs = lists.flatten()
    names = [field.name for field in structs.type]
    whose = repeated([(entry.run_id.encode(), count) for entry, count in zip(entries, counts, strict=True)])
    return pa.table({"run_id": whose, **dict(zip(names, structs.flatten(), strict=True))})


def _summary(entry: Entry, run: Run) -> pa.Table:
    row = _said(entry, run.digest) | dict(run.values)
    return pa.Table.from_pylist([{name: row[name] for name in RUNS.names}], RUNS)


def _said(entry: Entry, digest: str) -> dict[str, Any]:
    """What `runs` says of a run beside its metrics."""
    said = entry.to_json() | {"controllers": "; ".join(entry.controllers), "digest": digest}
    return {name: said[name] for name in SAID}


def _rows(entry: Entry, run: Run, what: str) -> pa.Table:
    table = {"flows": run.flows, "queues": run.queues}.get(what)
    table = run.records[what] if table is None else table
    return table.add_column(0, "run_id", repeated([(run.run_id.encode(), table.num_rows)]))


def _without_nan(table: pa.Table) -> pa.Table:
    """The same with null for what is no number."""
    for place, field in enumerate(table.schema):
        if pa.types.is_floating(field.type):
            column = table.column(place)
            cleaned = pc.if_else(pc.is_nan(column), pa.scalar(None, field.type), column)
            table = table.set_column(place, field, cleaned)
    return table


def _accepted(there: Iterable[str]) -> str:
    """`there` are the series of the chosen runs, behind an empty name if there is any run."""
    names = list(there)
    if not names:
        return "runs, as no stored run is meant"
    return "one of " + ", ".join(["runs", *TABLES, *filter(None, names)]) + ", which the chosen runs have"

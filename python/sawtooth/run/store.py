"""The store: every finished run as one Parquet file, written once, never changed.

    <store>/runs/<first two digits>/<run id>.parquet

A file has one row whose nested columns hold the run: counters (`flows`, `queues`), `metrics`, recorded series, the scenario as the engine
read it, behaviour numbers, provenance and digest. A file is renamed into place when it is complete, so a kill at any moment loses at most
the run that was being written, and writers need no lock: two that finish the same run write the same file. The id of a run says how
everything in it behaved (see the engine's `identity`), so runs of an engine that behaved otherwise have other ids and never mix in. A file
that cannot be read, or holds something else, is ignored with a warning and its run is made again. So nothing waits for the disk, which
took a tenth of what a short sweep spends outside the engine: what a power failure damages, files of the last seconds, is told by its
checksums.

DuckDB and Arrow read the files as they are:

    SELECT run_id, metrics['goodput'] AS goodput, flow.controller, flow.goodput_bps
    FROM (SELECT *, unnest(flows) AS flow FROM read_parquet('.sawtooth/runs/*/*.parquet', union_by_name = true));
"""

from __future__ import annotations

import json
import os
import re
import threading
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from sawtooth.atomic import TEMPORARY_PREFIX, abandoned, write_bytes_atomic, write_text_atomic
from sawtooth.columns import nested, unnested
from sawtooth.errors import InputError
from sawtooth.plain import canonical
from sawtooth.run.run import (
    DERIVED_FLOW_COLUMNS,
    DERIVED_QUEUE_COLUMNS,
    FORMAT,
    Run,
    RunSummary,
    assemble,
    behaviour_of,
    recorded,
)
from sawtooth.scenario.resolve import Resolved

DEFAULT_DIRECTORY = ".sawtooth"
DIRECTORY_VARIABLE = "SAWTOOTH_STORE"
RUN_ID = re.compile(r"[0-9a-f]+")
COMPRESSED = "lz4"
"""Half the CPU time of zstd on files this small."""
TEXTS_COMPRESSED = {"scenario": COMPRESSED, "meta": COMPRESSED}
"""Without series there is little else: fifty columns of a few numbers each, to compress which took a third of the time of writing."""
DERIVED = {"flows": DERIVED_FLOW_COLUMNS, "queues": DERIVED_QUEUE_COLUMNS}


class StoreWarning(UserWarning):
    """A file of the store was ignored; the text says which and why."""


@dataclass(frozen=True)
class Located:
    """Where a stored run lies."""

    run_id: str
    path: Path


class Store:
    """A directory of runs. Safe for several threads and processes at once; made on the first write."""

    def __init__(self, path: Path | str | None = None) -> None:
        """`path`, or $SAWTOOTH_STORE, or `.sawtooth` in the working directory."""
        self.path = Path(path or os.environ.get(DIRECTORY_VARIABLE) or DEFAULT_DIRECTORY)
        self._swept = False
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"Store({str(self.path)!r})"

    def has(self, run_id: str) -> bool:
        """Whether a file of this run is there. It may turn out unreadable."""
        return self._file(run_id).is_file()

    def get(self, run_id: str, resolved: Resolved | None = None) -> Run | None:
        """The stored run, or None. `resolved` gives names and schedule where they are known better than by the
        file: the same simulation may stand under another name in another study."""
        path = self._file(run_id)
        return read_run(path, run_id, resolved) if path.is_file() else None

    def summary(self, run_id: str, resolved: Resolved | None = None) -> RunSummary | None:
        """Like `get`, counters and metrics only."""
        run = self.get(run_id, resolved)
        return None if run is None else run.light()

    def prepare(self) -> None:
        """Makes the directory and sees that it can be written, before hours of work find out. Raises InputError otherwise."""
        runs = self.path / "runs"
        try:
            runs.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._unwritable(error.strerror) from error
        if not os.access(runs, os.W_OK | os.X_OK):
            raise self._unwritable("permission denied")
        self._sweep()

    def put(self, run: Run) -> Path:
        """Writes a finished run and returns its file. Raises InputError if the directory cannot be written."""
        path = self._file(run.run_id)
        sink = pa.BufferOutputStream()
        pq.write_table(
            row_of(run),
            sink,
            compression=COMPRESSED if run.records else TEXTS_COMPRESSED,
            use_dictionary=False,  # one row: dictionaries and statistics would cost more than the data
            write_statistics=False,
            store_schema=False,  # Parquet's own types are the same, in 5 kB less
            write_page_checksum=True,
        )
        data = memoryview(sink.getvalue())
        try:
            self._sweep()
            try:
                write_bytes_atomic(path, data, durable=False)
            except FileNotFoundError:  # the first of its directory
                path.parent.mkdir(parents=True, exist_ok=True)
                write_bytes_atomic(path, data, durable=False)
        except OSError as error:
            raise self._unwritable(error.strerror) from error
        return path

    def locate(self, prefix: str) -> list[Located]:
        """Every stored run whose id begins with `prefix`, ordered by id. Empty for anything but hex digits."""
        if not RUN_ID.fullmatch(prefix):
            return []
        names = f"{prefix[:2]}*/{prefix}*.parquet"
        found = (self.path / "runs").glob(names)
        return sorted((Located(file.stem, file) for file in found), key=lambda at: at.run_id)

    def find(self, prefix: str) -> list[str]:
        """Ids of the stored runs that begin with `prefix`."""
        return [at.run_id for at in self.locate(prefix)]

    def read(self, at: Located) -> Run | None:
        """A located run, however it behaved; None with a warning if the file cannot be read."""
        return read_run(at.path, at.run_id)

    def iter(self) -> Iterator[Run]:
        """Every readable run that this engine would make alike, ordered by id; those of other behaviour numbers are passed over."""
        for file in sorted((self.path / "runs").glob("*/*.parquet")):
            run = read_run(file, file.stem)
            if run is not None and run.behaviour == behaviour_of(run.engine):
                yield run

    def _unwritable(self, reason: str | None) -> InputError:
        return InputError(
            "store", None, str(self.path), f"a directory that can be written ({reason or 'refused'})"
        )

    def _file(self, run_id: str) -> Path:
        return self.path / f"runs/{run_id[:2]}/{run_id}.parquet"

    def _sweep(self) -> None:
        """Removes what killed writers left behind, once per object."""
        with self._lock:
            if self._swept:
                return
            self._swept = True
        now_s = time.time()
        for left in (self.path / "runs").glob(f"*/{TEMPORARY_PREFIX}*"):
            if abandoned(left, now_s):
                left.unlink(missing_ok=True)


def row_of(run: Run) -> pa.Table:
    """A run as a table of one row: what a file of the store holds."""
    text = pa.string()
    columns: dict[str, pa.Array] = {
        "format": pa.array([FORMAT], pa.int32()),
        "run_id": pa.array([run.run_id], text),
        "digest": pa.array([run.digest], text),
        "seed": pa.array([run.seed], text),
        "engine": pa.array([run.provenance["engine"]], text),
        "metrics": pa.array([list(run.values.items())], pa.map_(text, pa.float64())),
        "flows": nested(run.flows),
        "queues": nested(run.queues),
        "summary": pa.array([list(run.summary.items())], pa.map_(text, pa.int64())),
        "behaviour": pa.array([list(run.behaviour.items())], pa.map_(text, pa.int64())),
        "provenance": pa.array([list(run.provenance.items())], pa.map_(text, text)),
        "scenario": pa.array([canonical(run.engine)], text),
        "meta": pa.array([canonical(run.meta)], text),
    }
    columns.update({name: nested(table) for name, table in run.records.items()})
    return pa.table(columns)


def read_run(path: Path, run_id: str, resolved: Resolved | None = None) -> Run | None:
    """The run in `path`, or None with a StoreWarning if the file is damaged, foreign or of another format."""
    try:
        table = pq.ParquetFile(path, page_checksum_verification=True).read()
        return _run_of(table, run_id, resolved)
    except (pa.ArrowException, OSError, LookupError, ValueError, TypeError, AttributeError) as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        warnings.warn(f"ignored {path}: {reason}", StoreWarning, stacklevel=2)
        return None


def _run_of(table: pa.Table, run_id: str, resolved: Resolved | None) -> Run:
    if table.num_rows != 1:
        raise ValueError(f"{table.num_rows} rows where one was expected")
    row = {name: table.column(name)[0] for name in table.column_names}
    if row["format"].as_py() != FORMAT:
        raise ValueError(f"format {row['format'].as_py()} where {FORMAT} was expected")
    if row["run_id"].as_py() != run_id:
        raise ValueError(f"holds run {row['run_id'].as_py()}")
    engine = json.loads(row["scenario"].as_py())
    tables: dict[str, Any] = {name: unnested(row[name]) for name in ("flows", "queues", *recorded(engine))}
    for name, derived in DERIVED.items():
        tables[name] = tables[name].drop_columns(list(derived))
    return assemble(
        engine,
        json.loads(row["meta"].as_py()) if resolved is None else resolved.meta,
        tables,
        run_id=run_id,
        digest=row["digest"].as_py(),
        summary=dict(row["summary"].as_py()),
        behaviour=dict(row["behaviour"].as_py()),
        provenance=dict(row["provenance"].as_py()),
    )


__all__ = ["Located", "Store", "StoreWarning", "read_run", "write_bytes_atomic", "write_text_atomic"]

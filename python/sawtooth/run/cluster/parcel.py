"""What goes over the wire: bytes of our own, in which nothing is code.

An `Order` is compressed JSON: scenarios as the engine reads them with what resolving said about each, and what a worker must be like. A
`Delivery` is a header in JSON and the engine's tables as Arrow streams, those of runs with the same columns in one.

Source: none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import orjson
import pyarrow as pa

from sawtooth.columns import Columns
from sawtooth.run.run import Counted

COMPRESSED: Final = "zstd"
Job = tuple[Mapping[str, Any], Mapping[str, Any]]
"""A scenario of the engine, and its meta."""


@dataclass(frozen=True)
class Order:
    """Runs to be made by one worker."""

    jobs: Sequence[Job]
    likeness: Mapping[str, str]
    """What the client is like: see `worker.likeness`."""
    store: str | None = None
    """Where the worker itself puts runs; None where the client does."""
    enough_s: float = 8.0
    """No further run begins after this time."""

    def packed(self) -> bytes:
        """As bytes."""
        said = [list(self.jobs), dict(self.likeness), self.store, self.enough_s]
        return _compressed(orjson.dumps(said))

    @classmethod
    def unpacked(cls, data: bytes) -> Order:
        """The inverse of `packed`."""
        jobs, likeness, store, enough_s = orjson.loads(_plain(data))
        return cls([(engine, meta) for engine, meta in jobs], likeness, store, enough_s)


@dataclass(frozen=True)
class Fault:
    """Why a run could not be made."""

    kind: str
    """Whose it is: `scenario`, `plugin` or `engine`."""
    said: Sequence[str]
    """The arguments of the exception."""


@dataclass(frozen=True)
class Delivery:
    """The first runs of an order, as many as there was time for; or `unlike`, the worker's own likeness where it differs."""

    made: Sequence[Counted | Fault]
    worker: str
    seconds: float = 0.0
    """That the engine took."""
    provenance: Mapping[str, str] = field(default_factory=dict)
    unlike: Mapping[str, str] | None = None
    unwritten: Sequence[Any] | None = None
    """Where the worker could not write the store: the parts of the InputError."""

    def packed(self) -> bytes:
        """As bytes."""
        streams: list[list[pa.Table]] = []
        schemas: list[pa.Schema] = []
        runs: list[list[Any]] = []
        for run in self.made:
            if isinstance(run, Fault):
                runs.append([run.kind, list(run.said)])
                continue
            places = {}
            for name, columns in run.tables.items():
                table = columns.table
                number = _number(schemas, streams, table.schema)
                places[name] = [number, sum(part.num_rows for part in streams[number]), table.num_rows]
                streams[number].append(table)
            runs.append([run.run_id, run.digest, dict(run.summary), dict(run.behaviour), places])
        bodies = [_stream(pa.concat_tables(parts)) for parts in streams]
        head = {
            "runs": runs,
            "worker": self.worker,
            "seconds": self.seconds,
            "provenance": dict(self.provenance),
            "unlike": None if self.unlike is None else dict(self.unlike),
            "unwritten": None if self.unwritten is None else list(self.unwritten),
            "sizes": [len(body) for body in bodies],
        }
        said = _compressed(orjson.dumps(head))
        return b"".join([len(said).to_bytes(8, "little"), said, *bodies])

    @classmethod
    def unpacked(cls, data: bytes) -> Delivery:
        """The inverse of `packed`."""
        begin = 8 + int.from_bytes(data[:8], "little")
        head = orjson.loads(_plain(data[8:begin]))
        tables = []
        for size in head["sizes"]:
            tables.append(pa.ipc.open_stream(pa.py_buffer(data[begin : begin + size])).read_all())
            begin += size
        made = [Fault(*row) if len(row) == 2 else _counted(row, tables) for row in head["runs"]]
        return cls(
            made, head["worker"], head["seconds"], head["provenance"], head["unlike"], head["unwritten"]
        )


def _counted(row: Sequence[Any], tables: Sequence[pa.Table]) -> Counted:
    """A run of a header."""
    run_id, digest, summary, behaviour, places = row
    parts = {
        name: Columns.of_table(tables[number].slice(first, rows).combine_chunks())
        for name, (number, first, rows) in places.items()
    }
    return Counted(run_id, digest, summary, behaviour, parts)


def _number(schemas: list[pa.Schema], streams: list[list[pa.Table]], schema: pa.Schema) -> int:
    """The stream for tables of a schema, a new one if there is none."""
    for number, known in enumerate(schemas):
        if known.equals(schema):
            return number
    schemas.append(schema)
    streams.append([])
    return len(schemas) - 1


def _stream(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression=COMPRESSED)
    with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table.combine_chunks())
    return bytes(memoryview(sink.getvalue()))


def _compressed(data: bytes) -> bytes:
    size = len(data).to_bytes(8, "little")
    return size + bytes(pa.Codec(COMPRESSED).compress(data, asbytes=True))


def _plain(data: bytes) -> bytes:
    size = int.from_bytes(data[:8], "little")
    return bytes(pa.Codec(COMPRESSED).decompress(data[8:], decompressed_size=size, asbytes=True))


__all__ = ["Delivery", "Fault", "Job", "Order"]

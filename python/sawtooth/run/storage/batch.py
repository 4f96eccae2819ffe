"""A batch: one Parquet file with many runs, or with one recorded series of many runs, whose name is the hash of its bytes.

    runs/<day>/<hash>.parquet             a row per run
    series/<name>/<day>/<hash>.parquet    the rows of one run behind those of another

The footer says under the key `sawtooth` whose rows stand in the file and how many each run has, so that nothing but footers is read to find
a run; the column `run_id`, which is not compressed, says it a second time. A bit that flips anywhere changes the hash. In the rows it also
fails the checksum of its page (Parquet's own), so that one *group* of rows is lost and the rest can be trusted.

An earlier layout had a file per run, `runs/<two digits>/<run id>.parquet`, and one per recorded series: the same columns, no key in the
footer, the id of the run as name. Such files are read as they are.

| parameter   | unit  | default | why                                                                                     |
|-------------|-------|---------|-----------------------------------------------------------------------------------------|
| GROUP_ROWS  | runs  | 128     | about: what is decoded to read one run (3 ms for ten flows each), what a flipped bit costs  |
| GROUP_BYTES | bytes | 16 MB   | the same where runs have thousands of flows, and for series                               |
| COMPRESSED  | –     | zstd    | runs of one study differ in little: 0.8 kB each, where a file of its own took 10 kB        |
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

KEY: Final = b"sawtooth"
GROUP_ROWS: Final = 128
GROUP_BYTES: Final = 16_000_000
COMPRESSED: Final = "zstd"
HASH: Final = re.compile(r"[0-9a-f]{32}")
RUN_ID: Final = re.compile(r"[0-9a-f]+")
ID_BYTES: Final = 28
"""The id of a run in memory: its letters and where they begin."""
WRITTEN_ID: Final = re.compile(rb"\x18\x00\x00\x00([0-9a-f]{24})")
"""How Parquet writes the id of a run: its length and its letters."""


def unreadable() -> tuple[type[Exception], ...]:
    """What reading a file raises that is damaged or foreign."""
    return (pa.ArrowException, OSError, LookupError, ValueError, TypeError, AttributeError)


@dataclass(frozen=True, slots=True)
class Span:
    """The rows of one run in a file."""

    run_id: str
    first: int
    count: int


def encoded(table: pa.Table, spans: Sequence[tuple[str, int]], *, group_rows: int | None = None) -> bytes:
    """A table as the bytes of a file; `spans` are the ids of its runs and how many rows each has, in order."""
    ids = [run_id for run_id, _ in spans]
    counts = [count for _, count in spans]
    said: dict[str, Any] = {"runs": ids} if counts == [1] * len(ids) else {"runs": ids, "rows": counts}
    sink = pa.BufferOutputStream()
    columns = _leaves(table.schema)
    writer = pq.ParquetWriter(
        sink,
        table.schema,
        compression={name: "NONE" if name == "run_id" else COMPRESSED for name in columns},
        use_dictionary=["run_id"]
        if table.num_rows > len(ids)
        else False,  # for one row each it would cost more
        write_statistics=False,
        store_schema=False,  # Parquet's own types are the same, in 5 kB less
        write_page_checksum=True,
    )
    with writer:
        writer.write_table(table, row_group_size=group_rows or rows_per_group(table))
        writer.add_key_value_metadata({KEY.decode(): json.dumps(said, separators=(",", ":"))})
    return bytes(memoryview(sink.getvalue()))


def rows_per_group(table: pa.Table) -> int:
    """How many rows are written, and read, as one."""
    rows = int(table.num_rows)
    if rows == 0:
        return GROUP_ROWS
    per_row = max(1, int(table.nbytes) // rows)
    most: int = max(1, GROUP_BYTES // per_row)
    if "digest" not in table.column_names:
        return most
    # Of like size, since a small group costs as much as a large one.
    groups = max(1, round(rows / GROUP_ROWS))
    return min(math.ceil(rows / groups), most)


def decoded_bytes(metadata: pq.FileMetaData) -> int:
    """About how large the rows of a file are in memory, by its footer. The ids of runs, which a series stores once, count for each row."""
    groups = [metadata.row_group(place) for place in range(metadata.num_row_groups)]
    columns = [(group, group.column(place)) for group in groups for place in range(group.num_columns)]
    return sum(
        ID_BYTES * group.num_rows if column.path_in_schema == "run_id" else column.total_uncompressed_size
        for group, column in columns
    )


def name_of(data: bytes) -> str:
    """What a file with these bytes is called."""
    return sha256(data).hexdigest()[:32]


def spans_of(parquet: pq.ParquetFile, stem: str) -> list[Span]:
    """Whose rows stand in a file. ValueError if it does not say."""
    said = (parquet.metadata.metadata or {}).get(KEY)
    if said is None:
        if not is_single(stem):
            raise ValueError("no file of a store")
        return [Span(stem, 0, parquet.metadata.num_rows)]
    document = json.loads(said)
    ids = document["runs"]
    counts = document.get("rows", [1] * len(ids))
    if sum(counts) != parquet.metadata.num_rows:
        raise ValueError("the footer contradicts itself")
    return spans_from(zip(ids, counts, strict=True))


def spans_from(rows: Iterable[tuple[str, int]]) -> list[Span]:
    """Whose rows stand where, from how many rows each run has, in order."""
    found, first = [], 0
    for run_id, count in rows:
        found.append(Span(run_id, first, count))
        first += count
    return found


def is_single(stem: str) -> bool:
    """Whether a file of this name is one of the earlier layout: one run, whose id it is called."""
    return RUN_ID.fullmatch(stem) is not None and HASH.fullmatch(stem) is None


def ids_in_bytes(data: bytes) -> list[str]:
    """Ids of runs that stand in the bytes of a file, in order, each once: what is left of one whose footer cannot be read."""
    return list(dict.fromkeys(found.decode() for found in WRITTEN_ID.findall(data)))


def _leaves(schema: pa.Schema) -> list[str]:
    """The paths of the columns as Parquet has them."""
    return [path for field in schema for path in _paths(field)]


def _paths(field: pa.Field, prefix: str = "") -> list[str]:
    name = prefix + field.name
    if pa.types.is_list(field.type):
        return _paths(field.type.value_field.with_name("element"), f"{name}.list.")
    if pa.types.is_map(field.type):
        return [
            *_paths(field.type.key_field, f"{name}.key_value."),
            *_paths(field.type.item_field, f"{name}.key_value."),
        ]
    if pa.types.is_struct(field.type):
        return [path for child in field.type for path in _paths(child, f"{name}.")]
    return [name]


__all__ = [
    "Span",
    "decoded_bytes",
    "encoded",
    "ids_in_bytes",
    "is_single",
    "name_of",
    "rows_per_group",
    "spans_from",
    "spans_of",
    "unreadable",
]

"""Rows from some files into others: what compaction, removal and merging have in common.

Rows are read group by group and only while their checksums are right: a run that has a row in a damaged group is left out whole. Output
files are closed when they are full, so that memory does not grow with the store.

| parameter  | unit  | default | why                                                                           |
|------------|-------|---------|-------------------------------------------------------------------------------|
| FULL_RUNS  | runs  | 8,192   | a file of some 7 MB: a million runs make 120 files                             |
| FULL_BYTES | bytes | 100 MB  | the same, decoded: what packing holds in memory                                |
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from sawtooth.run.storage.batch import Span, encoded, name_of, spans_from, spans_of, unreadable
from sawtooth.run.storage.reader import parquet_file
from sawtooth.run.storage.shelf import SUFFIX, Listed, Shelf

FULL_RUNS: Final = 8192
FULL_BYTES: Final = 100_000_000
Wanted = Callable[[str], bool]
"""Whether a run is to be taken."""


@dataclass
class RunRows:
    """Some rows and whose they are: how many of each run, in order."""

    table: pa.Table
    spans: list[tuple[str, int]]


@dataclass
class Packed:
    """A file to be: its folder's tree does not matter to it."""

    data: bytes
    rows: list[tuple[str, int]]
    """The runs in it and how many rows each has, in order."""

    @property
    def runs(self) -> list[str]:
        """The ids of its runs."""
        return [run_id for run_id, _ in self.rows]

    @property
    def spans(self) -> list[Span]:
        """The same as whoever opens the file finds it."""
        return spans_from(self.rows)

    def name(self, folder: str) -> str:
        """What it is called in a folder."""
        return f"{folder}/{name_of(self.data)}{SUFFIX}"


@dataclass
class _Bin:
    """Rows of one schema that wait to be a file."""

    pieces: list[RunRows] = field(default_factory=list)
    runs: int = 0
    size: int = 0

    def packed(self) -> Packed:
        table = pa.concat_tables([piece.table for piece in self.pieces]).combine_chunks()
        spans = [span for piece in self.pieces for span in piece.spans]
        return Packed(encoded(table, spans), spans)


def packed(pieces: Iterable[RunRows]) -> Iterator[Packed]:
    """Files from pieces: those of one schema together, none larger than a full one by more than a piece."""
    bins: dict[str, _Bin] = {}
    for piece in pieces:
        key = piece.table.schema.to_string(show_field_metadata=False, show_schema_metadata=False)
        chosen = bins.setdefault(key, _Bin())
        chosen.pieces.append(piece)
        chosen.runs += len(piece.spans)
        chosen.size += piece.table.nbytes
        if chosen.runs >= FULL_RUNS or chosen.size >= FULL_BYTES:
            yield chosen.packed()
            del bins[key]
    for rest in bins.values():
        yield rest.packed()


def run_rows_of(shelf: Shelf, name: str, wanted: Wanted) -> Iterator[RunRows]:
    """The readable runs of a file that are wanted, some at a time. Raises what reading raises where its footer cannot be read."""
    parquet = parquet_file(shelf, name)
    spans = spans_of(parquet, Listed(name, 0, 0.0).stem)
    empty = [span for span in spans if span.count == 0 and wanted(span.run_id)]
    if empty:
        table = parquet.schema_arrow.remove_metadata().empty_table()
        yield RunRows(table, [(span.run_id, 0) for span in empty])
    rest = [span for span in spans if span.count]
    start, torn = 0, _Torn()
    for group in range(parquet.num_row_groups):
        end = start + parquet.metadata.row_group(group).num_rows
        inside = [span for span in rest if span.first < end]
        table = _read(parquet, group)
        yield from filter(_is_said, torn.taken(table, inside, start, end, wanted))
        rest = [span for span in rest if span.first + span.count > end]
        start = end


def _is_said(piece: RunRows) -> bool:
    """Whether rows of runs are those of the runs that the file names. Of a file by another hand they may not be."""
    if "digest" not in piece.table.column_names:
        return True
    return bool(piece.table.column("run_id").to_pylist() == [run_id for run_id, _ in piece.spans])


def _read(parquet: pq.ParquetFile, group: int) -> pa.Table | None:
    """A group, None where it is damaged."""
    try:
        return parquet.read_row_group(group).combine_chunks().replace_schema_metadata(None)
    except unreadable():
        return None


class _Torn:
    """The run whose rows go on in the next group: its rows so far, None where some cannot be read."""

    def __init__(self) -> None:
        self._rows: list[pa.Table] | None = []

    def taken(
        self, table: pa.Table | None, inside: list[Span], start: int, end: int, wanted: Wanted
    ) -> Iterator[RunRows]:
        """The runs that end in a group, rows `start` to `end`, of which the spans `inside` are not finished."""
        whole: list[Span] = []
        for span in inside:
            last = span.first + span.count
            if span.first >= start and last <= end:
                whole.append(span)
                continue
            if span.first >= start:
                self._rows = []
            if table is None or self._rows is None:
                self._rows = None
            else:
                first = max(span.first, start)
                self._rows.append(table.slice(first - start, min(last, end) - first))
            if last <= end and self._rows is not None and wanted(span.run_id):
                yield RunRows(pa.concat_tables(self._rows), [(span.run_id, span.count)])
        if table is None:
            return
        chosen = [span for span in whole if wanted(span.run_id)]
        if len(chosen) == len(inside):
            yield RunRows(table, [(span.run_id, span.count) for span in chosen])
        elif chosen:
            slices = [table.slice(span.first - start, span.count) for span in chosen]
            yield RunRows(pa.concat_tables(slices), [(span.run_id, span.count) for span in chosen])


__all__ = ["Packed", "RunRows", "packed", "run_rows_of"]

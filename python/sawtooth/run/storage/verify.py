"""Which stored runs are damaged: every byte of every file against the hash that the file is called by.

A file whose hash is wrong is looked at closer, to say whose rows suffered: those in groups of which the checksum of a page fails; if all
rows are right, the damage is to what says where they stand, and nothing in the file can be trusted. A file of the earlier layout has no
hash: its checksums are verified, and that it holds the run that it is called by. A run whose recorded series is missing is bad as well.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq

from sawtooth.run.run import recorded
from sawtooth.run.storage.batch import Span, ids_in_bytes, is_single, name_of, spans_of, unreadable
from sawtooth.run.storage.holdings import Holdings
from sawtooth.run.storage.shelf import RUNS, Listed


@dataclass(frozen=True)
class Bad:
    """A file with damage, and a run that suffered: None where the file does not even say whose it is."""

    run_id: str | None
    file: str


@dataclass(frozen=True)
class Verified:
    """What `verify` found: the number of runs that were looked at, and the bad ones."""

    checked: int
    bad: list[Bad]


def verify(held: Holdings) -> Verified:
    """Reads everything. Raises OSError where the store cannot be read."""
    checked: set[str] = set()
    bad: list[Bad] = []
    there: dict[str, set[str]] = {}
    for tree in held.series():
        for name, whose in _damage(held, tree):
            bad += [Bad(run_id, held.shelf.where(name)) for run_id in whose]
            there.setdefault(tree, set()).update(run_id for run_id in whose if run_id)
    for tree, found in having(held).items():
        there.setdefault(tree, set()).update(found)
    for name, whose in _damage(held, RUNS):
        bad += [Bad(run_id, held.shelf.where(name)) for run_id in whose]
        checked.update(run_id for run_id in whose if run_id)
    for name in held.files(RUNS):
        checked.update(held.in_file(RUNS, name))
        bad += [Bad(run_id, held.shelf.where(name)) for run_id in without_series(held, name, there)]
    return Verified(len(checked), sorted(set(bad), key=lambda entry: (entry.run_id or "", entry.file)))


def _damage(held: Holdings, tree: str) -> Iterator[tuple[str, list[str | None]]]:
    """The damaged files of a tree, and whose rows suffered."""
    held.look(tree)
    for entry in held.shelf.listing(tree):
        try:
            data = held.shelf.read(entry.name)
        except FileNotFoundError:  # it went meanwhile
            continue
        whose = damaged_in(data, entry)
        if whose:
            yield entry.name, whose


def damaged_in(data: bytes, entry: Listed) -> list[str | None]:
    """Whose rows are damaged in a file with these bytes: nobody's if it is as it was written."""
    single = is_single(entry.stem)
    if not single and name_of(data) == entry.stem:
        return []
    try:
        parquet = pq.ParquetFile(pa.BufferReader(data), page_checksum_verification=True)
        spans = spans_of(parquet, entry.stem)
    except unreadable():
        return list(ids_in_bytes(data)) or [entry.stem if single else None]
    lost = _in_damaged_groups(parquet, spans)
    if single or lost:
        return lost
    return [span.run_id for span in spans] or [None]


def _in_damaged_groups(parquet: pq.ParquetFile, spans: list[Span]) -> list[str | None]:
    lost: dict[str | None, None] = {}
    start = 0
    for group in range(parquet.num_row_groups):
        end = start + parquet.metadata.row_group(group).num_rows
        inside = [span for span in spans if span.first < end and span.first + span.count > start]
        try:
            table = parquet.read_row_group(group)
            said = set(table.column("run_id").to_pylist())
            right = said == {span.run_id for span in inside}
        except unreadable():
            right = False
        if not right:
            lost.update((span.run_id, None) for span in inside)
        start = end
    return list(lost)


def having(held: Holdings) -> dict[str, set[str]]:
    """By series, the runs that its readable files have."""
    found = {}
    for tree in held.series():
        held.look(tree)
        found[tree] = {run_id for name in held.files(tree) for run_id in held.in_file(tree, name)}
    return found


def without_series(held: Holdings, name: str, there: Mapping[str, Collection[str]]) -> Iterator[str]:
    """The runs of a file that recorded what no file of a series has; `there` says who has which series."""
    try:
        parquet = pq.ParquetFile(held.shelf.source(name), page_checksum_verification=True)
        inside = set(parquet.schema_arrow.names)
        table = parquet.read(["run_id", "scenario"])
    except unreadable():
        return
    known: dict[str, list[str]] = {}
    for run_id, scenario in zip(*(table.column(place).to_pylist() for place in (0, 1)), strict=True):
        kinds = [f"series/{kind}" for kind in recorded(json.loads(scenario)) if kind not in inside]
        known[run_id] = [kind for kind in kinds if run_id not in there.get(kind, ())]
    yield from (run_id for run_id, missing in known.items() if missing)


__all__ = ["Bad", "Verified", "damaged_in", "having", "verify", "without_series"]

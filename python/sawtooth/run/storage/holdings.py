"""What a store holds, as far as this process has looked: an index per tree, kept up to date by listings, and rows by run.

A look costs a listing and the footers of files that are new. It is taken at the first question, and again when a run is not found and the
last look is some time ago (`Shelf.look_s`), so that processes which share a store see each other's runs.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from sawtooth.run.storage.batch import Span, decoded_bytes, is_single, spans_of, unreadable
from sawtooth.run.storage.decoded import Rows
from sawtooth.run.storage.index import Index, Place
from sawtooth.run.storage.reader import Reader, parquet_file
from sawtooth.run.storage.shelf import NOTHING, RUNS, SERIES, Listed, Shelf

ALL: Final = -1
"""Rows of a run in a file that holds nothing else, and was not opened."""


class Holdings:
    """The runs and series of a store. Safe for several threads."""

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf
        self.reader = Reader(shelf)
        self.unreadable: dict[str, str] = {}
        """Files whose footer cannot be read, with the reason."""
        self._indexes: dict[str, Index] = {}
        self._written: dict[str, Sequence[Span]] = {}
        """What is in files that this process has just written."""
        self._decoded_bytes: dict[str, int] = {}
        self._listed: dict[str, dict[str, Listed]] = {}
        self._looked_s: dict[str, float] = {}
        self._lock = threading.RLock()

    def places(self, tree: str, run_id: str, *, look: bool = True) -> list[Place]:
        """Where the rows of a run stand, the file that came last first; `look`: also in files that came meanwhile."""
        with self._lock:
            found = self._index(tree).places(run_id)
            if not found and look and time.monotonic() - self._looked_s[tree] > self.shelf.look_s:
                self.look(tree)
                found = self._index(tree).places(run_id)
            return found

    def ids(self, prefix: str = "") -> list[str]:
        """Every run whose id begins so, ordered."""
        with self._lock:
            self.look(RUNS)
            return self._index(RUNS).ids(prefix)

    def files(self, tree: str) -> dict[str, int]:
        """The readable files of a tree, with the number of runs in each."""
        with self._lock:
            return dict(self._index(tree).files)

    def lies(self, tree: str, run_id: str) -> tuple[str, int]:
        """Where a run stands, for putting runs into the order in which they are read fastest: its file and its first row."""
        found = self.places(tree, run_id, look=False)
        return (found[0].file, found[0].first) if found else ("", 0)

    def runs_in(self, tree: str, name: str) -> int:
        """The number of runs in a file; 0 where it cannot be read."""
        with self._lock:
            return self._index(tree).files.get(name, 0)

    def decoded_bytes(self, name: str) -> int:
        """About how large the rows of a file are in memory; 0 where it cannot be read."""
        with self._lock:
            if name not in self._decoded_bytes:
                try:
                    self._decoded_bytes[name] = decoded_bytes(parquet_file(self.shelf, name).metadata)
                except unreadable():
                    return 0
            return self._decoded_bytes[name]

    def listed(self, name: str, tree: str) -> Listed | None:
        """A file as the last look saw it."""
        with self._lock:
            self._index(tree)
            return self._listed[tree].get(name)

    def in_file(self, tree: str, name: str) -> list[str]:
        """The ids of the runs in a file."""
        stem = Listed(name, 0, 0.0).stem
        if is_single(stem):
            return [stem]
        with self._lock:
            return sorted(set(self._index(tree).spans(name)))

    def series(self) -> list[str]:
        """The trees of recorded series."""
        return self.shelf.trees(SERIES)

    def look(self, tree: str) -> None:
        """Takes up what is there now."""
        with self._lock:
            known = self._listed.get(tree, NOTHING)
            listed = {entry.name: entry for entry in self.shelf.listing(tree, known)}
            index = self._indexes.setdefault(tree, Index())
            self._listed[tree] = listed
            self._looked_s[tree] = time.monotonic()
            self.unreadable = {
                name: why
                for name, why in self.unreadable.items()
                if name in listed or not name.startswith(f"{tree}/")
            }
            index.update((name for name in listed if name not in self.unreadable), self._spans)

    def forget(self, names: Iterable[str]) -> None:
        """Files that were written anew under the same name: what was found wrong with them before is past."""
        with self._lock:
            for name in names:
                self.unreadable.pop(name, None)
                self._decoded_bytes.pop(name, None)
                self.reader.forget(name)

    def written(self, spans: Mapping[str, Sequence[Span]]) -> None:
        """What is in files that were just written, whose footers the next look need not read."""
        with self._lock:
            self._written = dict(spans)

    def rows(self, tree: str, place: Place) -> tuple[Rows, int, int]:
        """A group with the rows of a run, the first and the number of them. Raises what reading files raises."""
        if place.count == ALL:
            parquet = parquet_file(self.shelf, place.file)
            rows = Rows(parquet.read())
            return rows, 0, len(rows)
        rows, first = self.reader.rows(place.file, place.first, place.count)
        return rows, first, place.count

    def _index(self, tree: str) -> Index:
        if tree not in self._indexes:
            self.look(tree)
        return self._indexes[tree]

    def _spans(self, name: str) -> Sequence[Span] | None:
        if name in self._written:
            return self._written.pop(name)
        stem = Listed(name, 0, 0.0).stem
        if is_single(stem):
            return [Span(stem, 0, 1 if name.startswith(f"{RUNS}/") else ALL)]
        try:
            return spans_of(parquet_file(self.shelf, name), stem)
        except FileNotFoundError:
            return None
        except unreadable() as error:
            self.unreadable[name] = reason(error)
            return None


def reason(error: Exception) -> str:
    """Why a file was refused, in one line."""
    return (str(error) or type(error).__name__).splitlines()[0]


__all__ = ["ALL", "Holdings", "reason"]

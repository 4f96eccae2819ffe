"""Which files of a tree hold which runs.

Built from footers alone, and brought up to date by a listing: what is known of a file never changes, since files never do. What came last
stands in a dictionary; when that is full, it becomes a segment, which is ordered by id. A segment takes in those before it that are not
larger, so there are few. Large ones lie in files without names, so memory is bounded whatever the number of runs. A run may stand in
several files (a compaction that was killed where directories cannot be exchanged, or the same run made by two machines): it counts once.

| parameter      | unit  | default   | why                                                                              |
|----------------|-------|-----------|----------------------------------------------------------------------------------|
| RECENT_MOST    | runs  | 20,000    | in the dictionary: 4 MB                                                            |
| MERGED_MOST    | runs  | 1,000,000 | in a segment that another takes in: 150 MB meanwhile. Of ten million, there are ten |
| IN_MEMORY_MOST | bytes | 8 MB      | of a segment: 180,000 runs                                                         |
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from sawtooth.run.storage.batch import Span

if TYPE_CHECKING:
    from numpy.typing import NDArray

RECENT_MOST: Final = 20_000
MERGED_MOST: Final = 1_000_000
IN_MEMORY_MOST: Final = 8_000_000
KEY: Final = "S24"
"""An id of a run."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the rows of a run stand."""

    file: str
    first: int
    count: int


class Index:
    """The runs of one tree. Not safe for several threads at once."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        """By file that is there, its number."""
        self._files: list[str] = []
        self._sizes: dict[str, int] = {}
        self._recent: dict[str, list[Place]] = {}
        self._segments: list[_Segment] = []
        """The oldest and largest first."""

    @property
    def files(self) -> dict[str, int]:
        """Every file by name, with the number of runs in it."""
        return self._sizes

    def update(self, names: Iterable[str], spans: Callable[[str], Sequence[Span] | None]) -> None:
        """Takes up what is there now; `spans` reads what is in a file that is new, None where that cannot be read."""
        there = set(names)
        gone = self._numbers.keys() - there
        for name in gone:
            del self._numbers[name], self._sizes[name]
        if gone:
            self._recent = {
                run_id: left
                for run_id, places in self._recent.items()
                if (left := [place for place in places if place.file not in gone])
            }
        for name in sorted(there - self._numbers.keys()):
            found = spans(name)
            if found is not None:
                self._add(name, found)
        if len(self._recent) > RECENT_MOST:
            self._sort()

    def _add(self, name: str, spans: Sequence[Span]) -> None:
        self._numbers[name] = len(self._files)
        self._files.append(name)
        self._sizes[name] = len(spans)
        for span in spans:
            self._recent.setdefault(span.run_id, []).append(Place(name, span.first, span.count))

    def places(self, run_id: str) -> list[Place]:
        """Where a run stands, the file that came last first."""
        found = list(reversed(self._recent.get(run_id, [])))
        key = run_id.encode()
        for segment in reversed(self._segments):
            for file, first, count in reversed(segment.of(key)):
                if self._is_there(file):
                    found.append(Place(self._files[file], first, count))
        return found

    def ids(self, prefix: str = "") -> list[str]:
        """Every run whose id begins so, ordered."""
        found = {run_id for run_id in self._recent if run_id.startswith(prefix)}
        there = self._there()
        for segment in self._segments:
            part = segment.beginning(prefix.encode())
            alive = there[part.where[:, 0]]
            found |= {run_id.decode() for run_id in part.ids[alive].tolist()}
        return sorted(found)

    def spans(self, name: str) -> Iterator[str]:
        """The ids of the runs in a file, in no order."""
        yield from (
            run_id for run_id, places in self._recent.items() if any(place.file == name for place in places)
        )
        number = self._numbers.get(name)
        if number is not None:
            for segment in self._segments:
                yield from (run_id.decode() for run_id in segment.ids[segment.where[:, 0] == number].tolist())

    def _is_there(self, file: int) -> bool:
        return self._numbers.get(self._files[file]) == file

    def _there(self) -> NDArray[np.bool_]:
        """By the number of a file, whether it is there."""
        there = np.zeros(len(self._files), np.bool_)
        there[list(self._numbers.values())] = True
        return there

    def _sort(self) -> None:
        """Moves the dictionary into a segment, which takes in those before it that are not larger."""
        new = [
            (run_id.encode(), self._numbers[place.file], place.first, place.count)
            for run_id, places in self._recent.items()
            for place in places
        ]
        ids = np.array([entry[0] for entry in new], KEY)
        sorted_now = _sorted([_Segment(ids, np.array([entry[1:] for entry in new], np.int64))])
        there = self._there()
        while self._segments and len(self._segments[-1]) <= min(len(sorted_now), MERGED_MOST):
            older = self._segments.pop()
            alive = there[older.where[:, 0]]
            sorted_now = _sorted([_Segment(older.ids[alive], older.where[alive]), sorted_now])
        self._segments.append(sorted_now.laid_away())
        self._recent = {}


@dataclass(frozen=True, slots=True)
class _Segment:
    """Runs ordered by id; of equal ids the older first."""

    ids: NDArray[np.bytes_]
    where: NDArray[np.int64]
    """By place in `ids`: number of the file, first row, rows."""

    def __len__(self) -> int:
        return len(self.ids)

    def of(self, run_id: bytes) -> list[list[int]]:
        """Where a run stands: numbers of files, first rows, rows."""
        first, after = np.searchsorted(self.ids, run_id), np.searchsorted(self.ids, run_id, "right")
        found: list[list[int]] = self.where[first:after].tolist()
        return found

    def beginning(self, prefix: bytes) -> _Segment:
        """The runs whose id begins so."""
        first = np.searchsorted(self.ids, prefix)
        after = np.searchsorted(self.ids, prefix + b"\xff") if prefix else len(self.ids)
        return _Segment(self.ids[first:after], self.where[first:after])

    def laid_away(self) -> _Segment:
        """The same, in a file without a name where it is large."""
        if self.ids.nbytes + self.where.nbytes <= IN_MEMORY_MOST:
            return self
        from sawtooth.run.spool import in_a_file  # few stores are that large

        return _Segment(in_a_file(self.ids), in_a_file(self.where))


def _sorted(segments: Sequence[_Segment]) -> _Segment:
    """One of several, the older ones first."""
    ids = np.concatenate([segment.ids for segment in segments])
    order = np.argsort(ids, kind="stable")
    return _Segment(ids[order], np.concatenate([segment.where for segment in segments])[order])


__all__ = ["Index", "Place"]

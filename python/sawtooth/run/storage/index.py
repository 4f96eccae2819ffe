"""Which files of a tree hold which runs, in some 40 bytes of memory a run.

Built from footers alone, and brought up to date by a listing: what is known of a file never changes, since files never do. Ids stand in one
sorted array; those of files that came since it was sorted, in a dictionary. A run may stand in several files (a compaction that was killed
where directories cannot be exchanged, or the same run made by two machines): it counts once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from sawtooth.run.storage.batch import Span

if TYPE_CHECKING:
    from numpy.typing import NDArray

RECENT_MOST: Final = 20_000
"""Runs in the dictionary before everything is sorted again; more where more are sorted, so that sorting stays rare."""


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
        self._ids: NDArray[np.bytes_] = np.zeros(0, "S24")
        self._where: NDArray[np.int64] = np.zeros((0, 3), np.int64)
        """By place in `_ids`: number of the file, first row, rows."""

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
        if len(self._recent) > max(RECENT_MOST, len(self._ids) // 4):
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
        place = int(np.searchsorted(self._ids, key))
        while place < len(self._ids) and self._ids[place] == key:
            file, first, count = self._where[place].tolist()
            if self._numbers.get(self._files[file]) == file:
                found.append(Place(self._files[file], first, count))
            place += 1
        return found

    def ids(self, prefix: str = "") -> list[str]:
        """Every run whose id begins so, ordered."""
        first = np.searchsorted(self._ids, prefix.encode())
        last = np.searchsorted(self._ids, prefix.encode() + b"\xff") if prefix else len(self._ids)
        alive = self._alive(slice(int(first), int(last)))
        found = {run_id.decode() for run_id in self._ids[int(first) : int(last)][alive].tolist()}
        found |= {run_id for run_id in self._recent if run_id.startswith(prefix)}
        return sorted(found)

    def spans(self, name: str) -> Iterator[str]:
        """The ids of the runs in a file, in no order."""
        yield from (
            run_id for run_id, places in self._recent.items() if any(place.file == name for place in places)
        )
        number = self._numbers.get(name)
        if number is not None:
            yield from (run_id.decode() for run_id in self._ids[self._where[:, 0] == number].tolist())

    def _alive(self, part: slice) -> NDArray[np.bool_]:
        """Which of the sorted entries stand in a file that is there."""
        there = np.zeros(len(self._files), np.bool_)
        there[list(self._numbers.values())] = True
        found: NDArray[np.bool_] = there[self._where[part, 0]]
        return found

    def _sort(self) -> None:
        """Moves the dictionary into the sorted array."""
        new = [
            (run_id.encode(), self._numbers[place.file], place.first, place.count)
            for run_id, places in self._recent.items()
            for place in places
        ]
        alive = self._alive(slice(None))
        ids = np.concatenate([self._ids[alive], np.array([entry[0] for entry in new], "S24")])
        where = np.concatenate([self._where[alive], np.array([entry[1:] for entry in new], np.int64)])
        order: Any = np.argsort(ids, kind="stable")
        self._ids, self._where, self._recent = ids[order], where[order], {}


__all__ = ["Index", "Place"]

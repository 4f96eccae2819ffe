"""Where the files of a store lie, as the rest of the store sees it: names, bytes, and changes that happen as a whole.

A name is a path below the store, such as `runs/2026-05-01/<hash>.parquet`; its *tree* is `runs`, or `series/<name>`; its *folder* is the
directory in the tree. Files are written once and never changed: a change puts some files in the place of others.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

RUNS = "runs"
SERIES = "series"
SUFFIX = ".parquet"


@dataclass(frozen=True)
class Listed:
    """A file of the store."""

    name: str
    size_bytes: int
    modified_s: float
    """When it was written, in seconds since 1970; 0 where the place does not say."""

    @property
    def stem(self) -> str:
        """Its name without folders and suffix."""
        return self.name.rpartition("/")[2].removesuffix(SUFFIX)


NOTHING: Mapping[str, Listed] = {}


class Shelf(Protocol):
    """A place for the files of a store. What it cannot do raises OSError."""

    address: str
    """What the user calls it."""
    home: Path
    """The directory of what belongs to the store and is no run: reports, notes on drawn pages, what was read, and tallies."""
    exclusive: bool
    """Whether `locked` keeps other processes out."""
    look_s: float
    """How old a listing may be when a run is not found in it, s."""

    def where(self, name: str) -> str:
        """What other programs open to read the file."""

    def trees(self, kind: str) -> list[str]:
        """The trees of `runs` (itself) or `series` (one per name), ordered."""

    def listing(self, tree: str, known: Mapping[str, Listed] = NOTHING) -> list[Listed]:
        """The files of a tree, ordered by name; empty where there is none. Of those that are `known` nothing is asked but the name."""

    def source(self, name: str) -> Any:
        """The file as Parquet readers take it. FileNotFoundError if it is gone."""

    def read(self, name: str) -> bytes:
        """All of it."""

    def write(self, name: str, data: bytes) -> None:
        """A file that is not among the runs, whole or not at all."""

    def replace(self, added: Mapping[str, bytes], dropped: Collection[str] = ()) -> None:
        """Puts files of one tree in the place of others, in one step where the place can; to be called under `locked`."""

    def locked(self) -> AbstractContextManager[None]:
        """While it is held, no other process that holds it changes what is listed."""

    def looking(self) -> AbstractContextManager[None]:
        """The same for a reader: where there is no lock to be had, without."""

    def prepare(self) -> None:
        """Makes the place and sees that it can be written."""

    def sweep(self) -> None:
        """Removes what killed processes left."""


def tree_of(name: str) -> str:
    """`runs/2026-05-01/ab.parquet` -> `runs`."""
    return name.rsplit("/", 2)[0]


def folder_of(name: str) -> str:
    """`runs/2026-05-01/ab.parquet` -> `runs/2026-05-01`."""
    return name.rpartition("/")[0]


def folder_of_day(tree: str, time_s: float) -> str:
    """The folder of what is written at a time: its day, UTC."""
    return f"{tree}/{datetime.fromtimestamp(time_s, UTC):%Y-%m-%d}"


__all__ = ["RUNS", "SERIES", "SUFFIX", "Listed", "Shelf", "folder_of", "folder_of_day", "tree_of"]

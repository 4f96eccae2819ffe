"""Rows out of the files of a store: a group is decoded once for the runs that stand next to each other in it.

| parameter | unit   | default | why                                                                      |
|-----------|--------|---------|--------------------------------------------------------------------------|
| FILES     | files  | 16      | open at once                                                             |
| GROUPS    | groups | 8       | decoded and kept: a study is read in the order in which it was written   |
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable
from typing import Final, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sawtooth.run.storage.decoded import Rows
from sawtooth.run.storage.shelf import Shelf

FILES: Final = 16
GROUPS: Final = 8
_Key = TypeVar("_Key")
_Kept = TypeVar("_Kept")


class Reader:
    """Reads rows with their checksums verified. Safe for several threads."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._lock = threading.Lock()
        self._open: OrderedDict[str, tuple[pq.ParquetFile, list[int]]] = OrderedDict()
        self._groups: OrderedDict[tuple[str, int], Rows] = OrderedDict()

    def rows(self, name: str, first: int, count: int) -> tuple[Rows, int]:
        """A group in which the rows stand, and the place of the first. Raises what reading files raises."""
        with self._lock:
            _, starts = self._file(name)
            begin = bisect_right(starts, first) - 1
            end = bisect_right(starts, max(first, first + count - 1)) - 1
            groups = [self._group(name, group) for group in range(begin, end + 1)]
            whole = groups[0] if len(groups) == 1 else Rows(pa.concat_tables([one.table for one in groups]))
            return whole, first - starts[begin]

    def forget(self, name: str) -> None:
        """Closes a file."""
        with self._lock:
            self._open.pop(name, None)
            for key in [key for key in self._groups if key[0] == name]:
                del self._groups[key]

    def _file(self, name: str) -> tuple[pq.ParquetFile, list[int]]:
        """An open file and the first row of each of its groups."""

        def opened() -> tuple[pq.ParquetFile, list[int]]:
            found = parquet_file(self._shelf, name)
            sizes = [found.metadata.row_group(group).num_rows for group in range(found.num_row_groups)]
            return found, [0, *np.cumsum(sizes)[:-1].tolist()]

        return _kept(self._open, name, FILES, opened)

    def _group(self, name: str, group: int) -> Rows:
        def decoded() -> Rows:
            parquet, _ = self._file(name)
            if group >= parquet.num_row_groups:
                return Rows(parquet.schema_arrow.empty_table())
            return Rows(parquet.read_row_group(group).combine_chunks())

        return _kept(self._groups, (name, group), GROUPS, decoded)


def parquet_file(shelf: Shelf, name: str) -> pq.ParquetFile:
    """A file of the store, open, with the checksums of its pages verified when they are read."""
    return pq.ParquetFile(shelf.source(name), page_checksum_verification=True)


def _kept(cache: OrderedDict[_Key, _Kept], key: _Key, most: int, make: Callable[[], _Kept]) -> _Kept:
    found = cache.get(key)
    if found is None:
        found = cache[key] = make()
        while len(cache) > most:
            cache.popitem(last=False)
    else:
        cache.move_to_end(key)
    return found


__all__ = ["Reader", "parquet_file"]

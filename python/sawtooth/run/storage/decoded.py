"""Rows of a store as values of Python.

Maps and inner tables are decoded once for all rows of a group, since the runs of a study are read one after another. Row by row they took
half of the time of reading a run. Texts are long, and are decoded one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from sawtooth.column_values import NUMPY, values_of


class Rows:
    """The rows of a table. Safe for several threads: what two of them decode at once is the same."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table
        self._maps: dict[str, tuple[Sequence[int], Sequence[str], Sequence[Any]]] = {}
        self._tables: dict[str, tuple[Sequence[int], pa.Table]] = {}

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __contains__(self, name: str) -> bool:
        return name in self.table.column_names

    def value(self, name: str, row: int) -> Any:
        """A text or a number."""
        return self.table.column(name)[row].as_py()

    def map(self, name: str, row: int) -> dict[str, Any]:
        """A map, of this caller alone."""
        if name not in self._maps:
            array = self._array(name)
            self._maps[name] = _ends(array), array.keys.to_pylist(), _plain(array.items)
        ends, keys, items = self._maps[name]
        begin, end = ends[row], ends[row + 1]
        return dict(zip(keys[begin:end], items[begin:end], strict=True))

    def inner(self, name: str, row: int) -> pa.Table:
        """A list of structs as a table, over the bytes of the group."""
        if name not in self._tables:
            array = self._array(name)
            names = [field.name for field in array.values.type]
            self._tables[name] = _ends(array), pa.table(dict(zip(names, array.values.flatten(), strict=True)))
        ends, whole = self._tables[name]
        return whole.slice(ends[row], ends[row + 1] - ends[row])

    def _array(self, name: str) -> pa.Array:
        column = self.table.column(name)
        return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _ends(array: pa.ListArray) -> list[int]:
    """Where the entries of a row begin; those of row i end at i + 1."""
    ends: list[int] = values_of(array.offsets).tolist()
    return ends


def _plain(items: pa.Array) -> list[Any]:
    values: list[Any] = values_of(items).tolist() if str(items.type) in NUMPY else items.to_pylist()
    return values


__all__ = ["Rows"]

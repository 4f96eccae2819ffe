"""Rows of a store as values of Python.

Maps, inner tables and short texts are decoded once for all rows of a group, since the runs of a study are read one after another. Row by
row they took half of the time of reading a run. Long texts (the scenario, and what resolving said) are decoded one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import pyarrow as pa

from sawtooth.column_values import NUMPY, values_of
from sawtooth.columns import Columns, Slice

SHORT: Final = frozenset({"format", "run_id", "digest", "seed"})
"""Columns that are decoded for all rows at once."""


class Rows:
    """The rows of a table. Safe for several threads: what two of them decode at once is the same."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table
        self._maps: dict[str, tuple[Sequence[int], Sequence[str], Sequence[Any]]] = {}
        self._tables: dict[str, tuple[Sequence[int], Slice]] = {}
        self._short: dict[str, list[Any]] = {}

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __contains__(self, name: str) -> bool:
        return name in self.table.column_names

    def value(self, name: str, row: int) -> Any:
        """A text or a number."""
        if name not in SHORT:
            return self.table.column(name)[row].as_py()
        if name not in self._short:
            self._short[name] = self.table.column(name).to_pylist()
        return self._short[name][row]

    def map(self, name: str, row: int) -> dict[str, Any]:
        """A map, of this caller alone."""
        if name not in self._maps:
            array = self._array(name)
            self._maps[name] = _ends(array), array.keys.to_pylist(), _plain(array.items)
        ends, keys, items = self._maps[name]
        begin, end = ends[row], ends[row + 1]
        return dict(zip(keys[begin:end], items[begin:end], strict=True))

    def inner(self, name: str, row: int) -> Columns:
        """A list of structs as columns, over the bytes of the group."""
        if name not in self._tables:
            array = self._array(name)
            names = [field.name for field in array.values.type]
            whole = pa.table(dict(zip(names, array.values.flatten(), strict=True)))
            self._tables[name] = _ends(array), Slice.all_of(whole)
        ends, all_rows = self._tables[name]
        return Columns({}, all_rows.rows_from(ends[row], ends[row + 1] - ends[row]))

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

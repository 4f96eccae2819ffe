"""Columns as the engine hands them out, as Arrow tables without copying.

`_native.run` gives each table as `{column: (dtype, bytes)}`: little-endian, contiguous, no nulls. Each becomes an Arrow array over
the same bytes. Text columns (names of queues) come as a JSON list, because they are short. `Columns` keeps a table as it came until
somebody wants one of Arrow: a run of a sweep is measured without, and stored with many others in one.

Columns of plain values are built here and not by `pyarrow.array`, and read by `column_values` and not by `to_numpy`. Both load pandas
where it is installed, though no value of pandas is there, which costs some tenths of a second and 40 MB in every process.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate, chain
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

import numpy as np
import orjson
import pyarrow as pa

from sawtooth.column_values import values_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

DTYPES: Final[Mapping[str, tuple[str, int]]] = {
    "i64": ("int64", 8),
    "u64": ("uint64", 8),
    "u32": ("uint32", 4),
    "f64": ("float64", 8),
}
"""By the engine's name, that of Arrow and of numpy, and the width in bytes."""
NULLABLE: Final = "f64 or null"
"""Numbers of which those that are undefined are null in Arrow; as bytes they are NaN."""
TEXTS: Final = "texts"
"""A list of texts, None for null."""
TRUTHS: Final = "truths"
"""A list of truth values."""
NUMPY: Final = {NULLABLE: "float64", **{kind: name for kind, (name, _) in DTYPES.items()}}
"""Of columns that are bytes, the type that numpy reads them with."""
WIDTHS: Final = {NULLABLE: 8, **{kind: width for kind, (_, width) in DTYPES.items()}}
"""Of columns that are bytes, how many each value has."""
KINDS: Final = {f"<{name[0]}{width}": kind for kind, (name, width) in DTYPES.items()}
"""The kind of numbers that are all defined, by the type that numpy has them in: `<i8`, for example."""
Entry = TypeVar("Entry")
Source = tuple[str, Any]
"""A column: what it is, and its bytes or its list."""


class Slice:
    """Some rows of an Arrow table, one below the other. Nothing is cut out before somebody wants it. Numbers are read once for all slices
    of a table, since a study reads a few numbers of each of many stored runs."""

    def __init__(
        self, whole: pa.Table, first: int, count: int, read: dict[str, NDArray[Any]] | None = None
    ) -> None:
        self.whole, self.first, self.rows = whole, first, count
        self._read = {} if read is None else read

    @classmethod
    def all_of(cls, table: pa.Table) -> Self:
        """All rows of a table."""
        return cls(table, 0, int(table.num_rows))

    def rows_from(self, first: int, count: int) -> Slice:
        """Some of these rows."""
        return Slice(self.whole, self.first + first, count, self._read)

    @cached_property
    def table(self) -> pa.Table:
        """The rows as a table of their own."""
        return self.whole if self.rows == self.whole.num_rows else self.whole.slice(self.first, self.rows)

    def values(self, name: str) -> NDArray[Any]:
        """The numbers or truth values of a column."""
        if name not in self._read:
            column = self.whole.column(name)
            if column.null_count:  # nulls of other rows would make floats of the whole numbers of these
                return values_of(self.table.column(name))
            self._read[name] = values_of(column)
        return self._read[name][self.first : self.first + self.rows]


class Columns:
    """A table that is read column by column, and joined with others of its kind: the engine's bytes as they came, and what is derived of
    them. Of a thousand runs a sweep makes one Arrow table by joining the bytes; one of each would cost more than to measure it.

    `table` is the Arrow table, made when somebody wants it. A table that is there already (`of_table`), or rows of one, may stand behind
    it.
    """

    def __init__(self, sources: Mapping[str, Source], base: Slice | None = None) -> None:
        """Columns by name, behind those of `base` if there is one. All have the same length."""
        self._sources, self._base = sources, base
        self._values: dict[str, NDArray[Any]] = {}

    @classmethod
    def of_table(cls, table: pa.Table) -> Self:
        """The columns of an Arrow table."""
        return cls({}, Slice.all_of(table))

    @cached_property
    def names(self) -> Sequence[str]:
        """The names of the columns, in order."""
        own = tuple(self._sources)
        return own if self._base is None else (*self._base.whole.column_names, *own)

    def __contains__(self, name: str) -> bool:
        return name in self._sources or (self._base is not None and name in self.names)

    @cached_property
    def rows(self) -> int:
        """How many rows there are."""
        if self._base is not None:
            return self._base.rows
        kind, data = next(iter(self._sources.values()))
        return len(data) // WIDTHS[kind] if kind in WIDTHS else len(_listed(kind, data))

    def is_like(self, other: Columns) -> bool:
        """Whether both have the same columns of the same kinds, so that `joined` takes them."""
        if self._base is not None or other._base is not None:
            return bool(self.schema.equals(other.schema))
        mine, others = self._sources, other._sources
        return [*mine] == [*others] and _kinds(mine) == _kinds(others)

    @cached_property
    def schema(self) -> pa.Schema:
        """That of the Arrow table: one and the same object for columns of the same kinds without a table behind them."""
        if self._base is not None:
            return self.table.schema
        return _schema(self.names, tuple(_kinds(self._sources)))

    @cached_property
    def table(self) -> pa.Table:
        """The same as an Arrow table, over the same bytes."""
        columns = [column_of(*source) for source in self._sources.values()]
        if self._base is None:
            return pa.Table.from_arrays(columns, schema=self.schema)
        table = self._base.table
        for name, column in zip(self._sources, columns, strict=True):
            table = table.append_column(name, column)  # cheaper than a table of all columns
        return table

    def values(self, name: str) -> NDArray[Any]:
        """The numbers or truth values of a column, not to be written to; undefined ones are NaN."""
        found = self._values.get(name)
        if found is None:
            found = self._values[name] = self._read(name)
        return found

    def _read(self, name: str) -> NDArray[Any]:
        if name not in self._sources:
            if self._base is None:
                raise KeyError(name)
            return self._base.values(name)
        kind, data = self._sources[name]
        if kind in NUMPY:
            return np.frombuffer(data, NUMPY[kind])
        listed = np.array(_listed(kind, data))
        listed.flags.writeable = False
        return listed

    def listed(self, name: str) -> list[Any]:
        """The values of a column as Python has them."""
        if name not in self._sources:
            if self._base is None:
                raise KeyError(name)
            values: list[Any] = self._base.table.column(name).to_pylist()
            return values
        kind, data = self._sources[name]
        if kind == NULLABLE:
            return [None if value != value else value for value in self.values(name).tolist()]
        return self.values(name).tolist() if kind in NUMPY else list(_listed(kind, data))

    def with_columns(self, sources: Mapping[str, Source]) -> Columns:
        """These and further columns behind them."""
        made = Columns({**self._sources, **sources}, self._base)
        made._values = _but_for(sources, self._values)
        return made

    def without(self, names: Sequence[str]) -> Columns:
        """These but for some, each of which is there."""
        base = self._base
        if base is not None:
            base = Slice.all_of(
                base.table.drop_columns([name for name in names if name not in self._sources])
            )
        made = Columns(_but_for(names, self._sources), base)
        made._values = _but_for(names, self._values)
        return made

    @staticmethod
    def joined(pieces: Sequence[Columns]) -> pa.Table:
        """One Arrow table of several with the same columns, one below the other."""
        if any(piece._base is not None for piece in pieces):
            return (
                pieces[0].table if len(pieces) == 1 else pa.concat_tables([piece.table for piece in pieces])
            )
        arrays = []
        for name, (kind, _) in pieces[0]._sources.items():
            given = [piece._sources[name][1] for piece in pieces]
            if kind in NUMPY:
                arrays.append(column_of(kind, b"".join(given)))
            else:
                lists = (_listed(kind, data) for data in given)
                same = TEXTS if kind == "utf8" else kind
                arrays.append(column_of(same, list(chain.from_iterable(lists))))
        return pa.Table.from_arrays(arrays, schema=pieces[0].schema)


def _but_for(names: Iterable[str], entries: Mapping[str, Entry]) -> dict[str, Entry]:
    rest = dict(entries)
    for name in names:
        rest.pop(name, None)
    return rest


def _kinds(sources: Mapping[str, Source]) -> list[str]:
    return list(map(itemgetter(0), sources.values()))


def of_numbers(values: NDArray[Any], *, nan_is_null: bool = False) -> Source:
    """A column of numbers; NaN stays NaN or is null."""
    return NULLABLE if nan_is_null else KINDS[values.dtype.str], values.tobytes()


def of_texts(values: Iterable[str | None]) -> Source:
    """A column of texts, null for None."""
    return TEXTS, list(values)


def of_truths(values: Iterable[bool]) -> Source:
    """A column of truth values."""
    return TRUTHS, list(values)


def _listed(kind: str, data: Any) -> list[Any]:
    """The values of a column that is no bytes of numbers."""
    return list(orjson.loads(data)) if kind == "utf8" else data


@lru_cache(maxsize=64)
def _schema(names: tuple[str, ...], kinds: tuple[str, ...]) -> pa.Schema:
    return pa.schema([(name, _arrow_type(kind)) for name, kind in zip(names, kinds, strict=True)])


def _arrow_type(kind: str) -> pa.DataType:
    if kind == TRUTHS:
        return pa.bool_()
    if kind in ("utf8", TEXTS):
        return pa.string()
    return pa.type_for_alias(NUMPY[kind])


def column_of(dtype: str, data: Any) -> pa.Array:
    """One column. Fixed-width kinds share `data`; `utf8` is a JSON list of strings."""
    if dtype in ("utf8", TEXTS):
        return texts(_listed(dtype, data))
    if dtype == TRUTHS:
        return truths(data)
    if dtype == NULLABLE:
        return numbers(np.frombuffer(data, np.float64), nan_is_null=True)
    name, width = DTYPES[dtype]
    return pa.Array.from_buffers(pa.type_for_alias(name), len(data) // width, [None, pa.py_buffer(data)])


def table_of(columns: Mapping[str, tuple[str, bytes]]) -> pa.Table:
    """One table, columns in the order given. All columns have the same length."""
    return pa.Table.from_arrays([column_of(*column) for column in columns.values()], names=list(columns))


def numbers(values: NDArray[Any], *, nan_is_null: bool = False) -> pa.Array:
    """A column of numbers, of the type that they have, over the same memory; NaN stays NaN or is null."""
    flat = np.ascontiguousarray(values)
    valid = ~np.isnan(flat) if nan_is_null else None
    if valid is None or valid.all():
        return pa.Array.from_buffers(pa.from_numpy_dtype(flat.dtype), flat.size, [None, pa.py_buffer(flat)])
    buffers = [_bits(valid), pa.py_buffer(flat)]
    return pa.Array.from_buffers(
        pa.from_numpy_dtype(flat.dtype), flat.size, buffers, int(flat.size - valid.sum())
    )


def truths(values: Sequence[bool]) -> pa.Array:
    """A column of truth values."""
    return pa.Array.from_buffers(pa.bool_(), len(values), [None, _bits(np.array(values, np.bool_))])


def texts(values: Iterable[str | None]) -> pa.Array:
    """A column of texts, null for None."""
    given = list(values)
    nulls = given.count(None)
    present = [text or "" for text in given]
    joined = "".join(present)
    lengths = map(len, present) if joined.isascii() else (len(text.encode()) for text in present)
    ends = np.fromiter(accumulate(lengths, initial=0), np.int32, len(present) + 1)
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(joined.encode())]
    if nulls:
        buffers[0] = _bits(np.array([text is not None for text in given], np.bool_))
    return pa.Array.from_buffers(pa.string(), len(given), buffers, nulls)


def maps(rows: Sequence[Mapping[str, Any]], dtype: type | None) -> pa.Array:
    """A column of maps from texts to numbers of a numpy type, or to texts where there is none."""
    ends = np.fromiter(accumulate(map(len, rows), initial=0), np.int32, len(rows) + 1)
    values = list(chain.from_iterable(row.values() for row in rows))
    items = texts(values) if dtype is None else numbers(np.array(values, dtype))
    return pa.MapArray.from_arrays(numbers(ends), texts(chain.from_iterable(rows)), items)


def _bits(values: NDArray[np.bool_]) -> pa.Buffer:
    return pa.py_buffer(np.packbits(values, bitorder="little"))


def nested(tables: Sequence[Columns]) -> pa.Array:
    """Whole tables, each as one value of type list<struct<…>>: how the tables of a run fit into its row. Shape (tables,)."""
    ends = np.cumsum([0, *(table.rows for table in tables)], dtype=np.int32)
    whole = Columns.joined(tables)
    batches = whole.to_batches()  # one, as the engine's tables are: a seventh of the time
    structs = batches[0].to_struct_array() if len(batches) == 1 else whole.combine_chunks().to_struct_array()
    if isinstance(structs, pa.ChunkedArray):
        structs = structs.combine_chunks()
    return pa.ListArray.from_arrays(numbers(ends), structs)

"""Columns as the engine hands them out, as Arrow tables without copying.

`_native.run` gives each table as `{column: (dtype, bytes)}`: little-endian, contiguous, no nulls. Each becomes an Arrow array over
the same bytes. Text columns (names of queues) come as a JSON list, because they are short.

Columns of plain values are built here and not by `pyarrow.array`, and read by `column_values` and not by `to_numpy`. Both load pandas
where it is installed, though no value of pandas is there, which costs some tenths of a second and 40 MB in every process.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, chain
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

DTYPES: dict[str, tuple[pa.DataType, int]] = {
    "i64": (pa.int64(), 8),
    "u64": (pa.uint64(), 8),
    "u32": (pa.uint32(), 4),
    "f64": (pa.float64(), 8),
}
"""By the engine's name, the type and its width in bytes."""


def column_of(dtype: str, data: bytes) -> pa.Array:
    """One column. Fixed-width kinds share `data`; `utf8` is a JSON list of strings."""
    if dtype == "utf8":
        return texts(json.loads(data))
    arrow, width = DTYPES[dtype]
    return pa.Array.from_buffers(arrow, len(data) // width, [None, pa.py_buffer(data)])


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
    letters = [b"" if text is None else text.encode() for text in given]
    ends = np.fromiter(accumulate(map(len, letters), initial=0), np.int32, len(letters) + 1)
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(letters))]
    nulls = given.count(None)
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


def nested(tables: Sequence[pa.Table]) -> pa.Array:
    """Whole tables, each as one value of type list<struct<…>>: how the tables of a run fit into its row. Shape (tables,)."""
    ends = np.cumsum([0, *(table.num_rows for table in tables)], dtype=np.int32)
    whole = tables[0] if len(tables) == 1 else pa.concat_tables(tables)
    batches = whole.to_batches()  # one, as the engine's tables are: a seventh of the time
    structs = batches[0].to_struct_array() if len(batches) == 1 else whole.combine_chunks().to_struct_array()
    if isinstance(structs, pa.ChunkedArray):
        structs = structs.combine_chunks()
    return pa.ListArray.from_arrays(numbers(ends), structs)


def unnested(value: pa.ListScalar) -> pa.Table:
    """The table inside such a value."""
    structs = value.values
    names = [field.name for field in structs.type]
    return pa.table(dict(zip(names, structs.flatten(), strict=True)))

"""Columns as the engine hands them out, as Arrow tables without copying.

`_native.run` gives each table as `{column: (dtype, bytes)}`: little-endian, contiguous, no nulls. Each becomes an Arrow array over
the same bytes. Text columns (names of queues) come as a JSON list, because they are short.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

import pyarrow as pa

DTYPES: dict[str, pa.DataType] = {
    "i64": pa.int64(),
    "u64": pa.uint64(),
    "u32": pa.uint32(),
    "f64": pa.float64(),
}


def column_of(dtype: str, data: bytes) -> pa.Array:
    """One column. Fixed-width kinds share `data`; `utf8` is a JSON list of strings."""
    if dtype == "utf8":
        return pa.array(json.loads(data), pa.string())
    arrow = DTYPES[dtype]
    length = len(data) * 8 // arrow.bit_width
    return pa.Array.from_buffers(arrow, length, [None, pa.py_buffer(data)])


def table_of(columns: Mapping[str, tuple[str, bytes]]) -> pa.Table:
    """One table, columns in the order given. All columns have the same length."""
    return pa.table({name: column_of(dtype, data) for name, (dtype, data) in columns.items()})


def nested(table: pa.Table) -> pa.Array:
    """A whole table as one value of type list<struct<…>>: how a run's tables fit into one row. Shape (1,)."""
    structs = table.to_struct_array().combine_chunks()
    return pa.ListArray.from_arrays(pa.array([0, table.num_rows], pa.int32()), structs)


def unnested(value: pa.ListScalar) -> pa.Table:
    """The table inside such a value: the inverse of `nested`."""
    structs = value.values
    names = [field.name for field in structs.type]
    return pa.table(dict(zip(names, structs.flatten(), strict=True)))

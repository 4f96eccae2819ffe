"""Columns as the engine hands them out, as Arrow tables without copying.

`_native.run` gives each table as `{column: (dtype, bytes)}`: little-endian, contiguous, no nulls. Each becomes an Arrow array over
the same bytes. Text columns (names of queues) come as a JSON list, because they are short.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

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
        return pa.array(json.loads(data), pa.string())
    arrow, width = DTYPES[dtype]
    return pa.Array.from_buffers(arrow, len(data) // width, [None, pa.py_buffer(data)])


def table_of(columns: Mapping[str, tuple[str, bytes]]) -> pa.Table:
    """One table, columns in the order given. All columns have the same length."""
    return pa.Table.from_arrays([column_of(*column) for column in columns.values()], names=list(columns))


def nested(tables: Sequence[pa.Table]) -> pa.Array:
    """Whole tables, each as one value of type list<struct<…>>: how the tables of a run fit into its row. Shape (tables,)."""
    ends = np.cumsum([0, *(table.num_rows for table in tables)], dtype=np.int32)
    whole = tables[0] if len(tables) == 1 else pa.concat_tables(tables)
    batches = whole.to_batches()  # one, as the engine's tables are: a seventh of the time
    structs = batches[0].to_struct_array() if len(batches) == 1 else whole.combine_chunks().to_struct_array()
    if isinstance(structs, pa.ChunkedArray):
        structs = structs.combine_chunks()
    return pa.ListArray.from_arrays(pa.array(ends), structs)


def unnested(value: pa.ListScalar) -> pa.Table:
    """The table inside such a value."""
    structs = value.values
    names = [field.name for field in structs.type]
    return pa.table(dict(zip(names, structs.flatten(), strict=True)))

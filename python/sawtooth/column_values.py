"""The values of Arrow columns as numpy arrays (`columns` builds such columns, and says why neither is left to pyarrow).

pyarrow itself is not loaded here: modules that measure are loaded also by commands that only list.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

NUMPY: Final[Mapping[str, str]] = {
    "bool": "bool",
    "int32": "int32",
    "uint32": "uint32",
    "int64": "int64",
    "uint64": "uint64",
    "double": "float64",
}
"""By Arrow's name of a type of the columns here, that of numpy."""


def values_of(column: pa.ChunkedArray | pa.Array) -> NDArray[Any]:
    """The numbers or truth values of a column, over the same memory where they lie there as numpy has them, not to be written to. Whole
    numbers with nulls among them become floats; null is NaN."""
    chunks = getattr(column, "chunks", [column])
    if len(chunks) == 1:
        return _values(chunks[0])
    return np.concatenate([np.zeros(0, NUMPY.get(str(column.type), np.float64)), *map(_values, chunks)])


def _values(chunk: pa.Array) -> NDArray[Any]:
    dtype = NUMPY.get(str(chunk.type))
    if dtype is None:
        return np.asarray(chunk.to_numpy(zero_copy_only=False))
    if not len(chunk):
        return np.zeros(0, dtype)
    valid, data = chunk.buffers()
    first, end = chunk.offset, chunk.offset + len(chunk)
    values = (
        _unpacked(data, first, end)
        if dtype == "bool"
        else np.frombuffer(data, dtype, end - first, first * np.dtype(dtype).itemsize)
    )
    if not chunk.null_count:
        return values
    found = values.astype(np.float64)
    found[~_unpacked(valid, first, end)] = np.nan
    return found


def _unpacked(bits: pa.Buffer, first: int, end: int) -> NDArray[np.bool_]:
    letters = np.frombuffer(bits, np.uint8)
    return np.unpackbits(letters, count=end, bitorder="little")[first:].view(np.bool_)

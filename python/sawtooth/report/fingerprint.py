"""The hash of a value to any depth, the same in every process: for telling whether something is made of the same as before.

Not by `pickle`, which writes sets in an order that differs from process to process. What has no known parts is refused, so nothing that
could differ is passed over.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache, partial
from hashlib import sha256
from pathlib import PurePath
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, Final

import numpy as np
import pyarrow as pa
from pydantic import BaseModel

CACHED: Final = type(cache(len))
"""A function that remembers its answers."""


def fingerprint(value: object) -> str:
    """The hash. TypeError for what has no known parts."""
    return _digest(value, {}).hex()


def _digest(value: object, known: dict[int, tuple[object, bytes]]) -> bytes:
    """The same as bytes; `known` holds what is made of parts and was met before."""
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return sha256(f"{type(value).__name__} {value!r}".encode()).digest()
    if id(value) not in known:
        kind, parts = _parts(value)
        whole = sha256(kind.encode())
        for part in parts:
            whole.update(part if isinstance(part, _Bytes) else _digest(part, known))
        known[id(value)] = value, whole.digest()
    return known[id(value)][1]


class _Bytes(bytes):
    """What counts as it is."""


def _parts(value: object) -> tuple[str, list[Any]]:
    """What a value is, and what it is made of, in order."""
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    if isinstance(value, Enum):
        return kind, [value.name]
    if isinstance(value, PurePath):
        return kind, [str(value)]
    if isinstance(value, type):
        return "type", [value.__module__, value.__qualname__]
    if isinstance(value, FunctionType):
        cells = [cell.cell_contents for cell in value.__closure__ or ()]
        code = value.__code__
        return "function", [
            value.__module__,
            value.__qualname__,
            code.co_firstlineno,
            value.__defaults__,
            *cells,
        ]
    if isinstance(value, BuiltinFunctionType):
        return "builtin", [str(value.__module__), value.__qualname__]
    if isinstance(value, MethodType):
        return "method", [value.__self__, value.__func__]
    if isinstance(value, CACHED):
        return "cached", [value.__wrapped__]
    if isinstance(value, partial):
        return "partial", [value.func, value.args, value.keywords]
    if isinstance(value, (np.ndarray, np.generic)):
        return f"{kind} {value.dtype} {value.shape}", [_Bytes(value.tobytes())]
    if isinstance(value, array):
        return f"{kind} {value.typecode}", [_Bytes(value.tobytes())]
    if isinstance(value, pa.Table):
        return kind, [str(value.schema), value.to_pydict()]
    if isinstance(value, Mapping):
        return kind, [part for item in value.items() for part in item]
    if isinstance(value, (list, tuple)):
        return kind, list(value)
    if isinstance(value, (set, frozenset)):
        return kind, sorted(map(fingerprint, value))
    if isinstance(value, BaseModel):
        return kind, [{name: getattr(value, name) for name in type(value).model_fields}, value.model_extra]
    if is_dataclass(value):
        return kind, [getattr(value, field.name) for field in fields(value)]
    raise TypeError(f"{kind} has no known parts")

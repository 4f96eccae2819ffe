"""Plain values: as JSON text in one canonical form for what is hashed and stored and one clean form for other programs, and the whole
numbers of a column of the engine's, for those who need no table and so no Arrow."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping
from typing import Any, TypeVar

import orjson

Value = TypeVar("Value")
WHOLE_NUMBERS = {"i64": "<q", "u64": "<Q", "u32": "<I"}
"""By the engine's name of a type of whole numbers, how `struct` writes it."""


def canonical(value: Any) -> str:
    """`value` with sorted keys and no spaces: equal values, equal text. A float that JSON cannot say is null; TypeError for what is no
    plain value."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


def written(value: object) -> str:
    """A value as `--set` and a scenario file take it: a text as it is, `true`, lists in brackets; a table as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def json_value(value: Any) -> Any:
    """`value` with every float that JSON cannot say (NaN, infinities) as None, at any depth."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): json_value(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_value(entry) for entry in value]
    return value


def whole_numbers(dtype: str, data: bytes) -> list[int]:
    """The numbers of a column as the engine hands it out: a type of `WHOLE_NUMBERS` and little-endian bytes."""
    return [number for (number,) in struct.iter_unpack(WHOLE_NUMBERS[dtype], data)]


def copied(value: Value) -> Value:
    """A copy of plain tables and lists to any depth; what else they hold cannot change and is shared. A fifth of the time of `deepcopy`."""
    copy: Any = value
    if isinstance(value, dict):
        copy = {key: copied(entry) for key, entry in value.items()}
    elif isinstance(value, list):
        copy = [copied(entry) for entry in value]
    made: Value = copy
    return made

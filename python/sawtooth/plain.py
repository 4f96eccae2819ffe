"""Plain values as JSON text: one canonical form for what is hashed and stored, one clean form for other programs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import orjson


def canonical(value: Any) -> str:
    """`value` with sorted keys and no spaces: equal values, equal text. A float that JSON cannot say is null; TypeError for what is no
    plain value."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


def json_value(value: Any) -> Any:
    """`value` with every float that JSON cannot say (NaN, infinities) as None, at any depth."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): json_value(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_value(entry) for entry in value]
    return value

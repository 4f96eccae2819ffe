"""The runs a study needs: their keys, and how a key of a scenario is set.

Source: none. A plan is a list of ``Planned``; ``collect`` in matrix.py sorts the runs into boxes by the same keys.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Label = str | int | float


@dataclass(frozen=True, slots=True)
class CellKey:
    """Names a run of the matrix."""

    setting: str
    algorithm: str
    environment: str
    seed: str


@dataclass(frozen=True, slots=True)
class ProbeKey:
    """Names a run of a probe; ``labels`` holds (dimension, label) pairs."""

    probe: str
    labels: tuple[tuple[str, Label], ...]
    seed: str = "1"


@dataclass(frozen=True, slots=True)
class Planned:
    """One run that a study needs: what it is for, its seed and its scenario as plain data."""

    key: CellKey | ProbeKey
    seed: str
    scenario: Mapping[str, Any]


def put(data: dict[str, Any], key: str, value: object) -> None:
    """Set ``value`` under a dotted key, making tables on the way; a list on the way means each of its tables, ``flows[1]`` one of them."""
    head, _, rest = key.partition(".")
    if indexed := re.fullmatch(r"(\w+)\[(\d+)\]", head):
        put(data[indexed[1]][int(indexed[2])], rest, value)
        return
    if not rest:
        data[head] = value
        return
    inner = data.setdefault(head, {})
    for table in inner if isinstance(inner, list) else [inner]:
        put(table, rest, value)

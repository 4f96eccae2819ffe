"""The keys of `[record]` and the series that they ask for, made from the engine's own description of its series.

Nothing about a series stands here: its name, its key, what it keeps and its columns are `describe()["series"]`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from pydantic import Field

from sawtooth.scenario.described import describe
from sawtooth.scenario.fields import PositiveTime

WRITTEN_ALWAYS: Final = ("windows", "sample_ns", "rates_ns")
"""Keys that stand in every scenario of the engine, as they do in those that are stored; others stand there if they ask for something."""


@cache
def _keys() -> dict[str, str]:
    """The keys of `[record]` with their kinds, `flag` or `interval`."""
    return {row["key"]: row["kind"] for row in describe()["series"]}


@cache
def _series() -> dict[str, tuple[str, ...]]:
    """By series, the keys of the engine's scenario of which any asks for it."""
    kinds = _keys()
    return {
        row["name"]: tuple(_engine_key(key, kinds[key]) for key in (row["key"], row["also"]) if key)
        for row in describe()["series"]
    }


def _engine_key(key: str, kind: str) -> str:
    """The name of a key in the engine's scenario."""
    return f"{key}_ns" if kind == "interval" else key


def record_fields() -> dict[str, Any]:
    """Field definitions for `pydantic.create_model`, one per key."""
    return {
        key: (PositiveTime | None, Field(None, description=f"{_description(key)} Default: none is kept."))
        if kind == "interval"
        else (bool, Field(False, description=_description(key)))
        for key, kind in _keys().items()
    }


def _description(key: str) -> str:
    rows = describe()["series"]
    own = next(row for row in rows if row["key"] == key)
    names = ", ".join(row["name"] for row in [own, *(row for row in rows if row["also"] == key)])
    return f"{own['summary'][0].upper()}{own['summary'][1:]} (records {names})."


def engine_record(record: Any) -> dict[str, Any]:
    """A `[record]` table as the engine's scenario has it."""
    values = {_engine_key(key, kind): getattr(record, key) for key, kind in _keys().items()}
    return {key: value for key, value in values.items() if value or key in WRITTEN_ALWAYS}


def recorded_series(engine: Mapping[str, Any]) -> list[str]:
    """Names of the series that a scenario of the engine asks for."""
    asked = {key for key, value in engine["record"].items() if value}
    return [name for name, keys in _series().items() if not asked.isdisjoint(keys)]


def watched(engine: Mapping[str, Any]) -> list[int | None]:
    """Whose frames are watched, in the order of results: of sources None, of flows their numbers."""
    flows = [number for number, flow in enumerate(engine["flows"]) if "frame_deadline_ns" in flow]
    return [*(None for source in engine["sources"] if "frames" in source), *flows]

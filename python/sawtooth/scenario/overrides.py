"""Overrides: `KEY=VALUE` on the command line, put into the tables of a scenario before they are checked.

A key is a dotted path with indices: `bottleneck.rate`, `flows[0].control`; `flows.control` means every group.
A value is TOML if it reads as TOML (`true`, `10`, `["1 ms", "2 ms"]`, `{ kind = "drop-tail" }`), else text, so
units and constructors need no quotes. Where two keys exclude each other, the one set last stays: `bottleneck.trace`
removes its `rate`, and another `kind` (or `file`) of a table removes that table's other keys, which belonged to the old one
(kinds are set before the rest, in whatever order they are given).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any, Final

from sawtooth.errors import MISSING, InputError, dotted
from sawtooth.plain import copied

WHERE: Final = "--set"

EXCLUDES: Final[Mapping[tuple[str, str], str]] = {
    ("bottleneck", "rate"): "trace",
    ("bottleneck", "trace"): "rate",
    ("reverse", "rate"): "trace",
    ("reverse", "trace"): "rate",
}
"""Setting the first key removes the second from its table."""

_STEP = re.compile(r"([A-Za-z_][A-Za-z0-9_-]*)(?:\[(\d{1,6})\])?")


def parse_override(text: str) -> tuple[str, Any]:
    """Key and value of `KEY=VALUE`; raises InputError."""
    key, separator, value = text.partition("=")
    key, value = key.strip(), value.strip()
    if not separator or not key or not value:
        raise InputError(WHERE, None, text, "KEY=VALUE such as bottleneck.rate=10 Mbit/s")
    try:
        parsed = tomllib.loads(f"value = {value}")
    except tomllib.TOMLDecodeError:
        return key, value
    plain = isinstance(parsed["value"], (bool, int, float, str, list, dict))
    return key, parsed["value"] if len(parsed) == 1 and plain else value


def apply_overrides(tables: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of `tables` with each value at its key; raises InputError for a key that leads nowhere."""
    result = copied(dict(tables))
    kinds_first = sorted(values.items(), key=lambda item: not item[0].endswith((".kind", ".file")))
    for key, value in kinds_first:
        steps = _steps(key, value)
        if steps[0] == ("flows", None) and len(steps) > 1:
            groups = result.get("flows")
            for index in range(len(groups) if isinstance(groups, list) else 0):
                _put(result, [("flows", index), *steps[1:]], key, copied(value))
        else:
            _put(result, steps, key, copied(value))
    return result


def takes_away(key: str, other: str) -> bool:
    """Whether a value put at ``key`` leaves nothing of one put at ``other``: it is the same place or holds it, names another kind or file
    of its table, or excludes it. A key that cannot be read takes nothing away.

    >>> takes_away("bottleneck.queue", "bottleneck.queue.kind"), takes_away("bottleneck.queue.min", "bottleneck.queue")
    (True, False)
    >>> takes_away("bottleneck.queue.kind", "bottleneck.queue"), takes_away("flows[0].control", "flows.control")
    (True, True)
    """
    try:
        steps, others = _steps(key, MISSING), _steps(other, MISSING)
    except InputError:
        return False
    if _names_kind(steps) and (others == steps[:-1] or (_names_kind(others) and others[:-1] == steps[:-1])):
        return True
    if steps[:-1] == others[:-1] and len(steps) > 1:
        (parent, _), (name, _) = steps[-2:]
        if EXCLUDES.get((parent, name)) == others[-1][0]:
            return True
    return len(steps) <= len(others) and all(map(_same, steps, others))


def refuse_seed(values: Mapping[str, Any]) -> None:
    """InputError for a seed among values that are put over runs of several seeds."""
    if "seed" in values:
        raise InputError(WHERE, "seed", values["seed"], "--seeds with the number of seeds")


_Step = tuple[str, int | None]


def _same(step: _Step, other: _Step) -> bool:
    """Whether two steps may lead to the same place: one without an index leads to all of a list."""
    return step[0] == other[0] and (step[1] == other[1] or None in (step[1], other[1]))


def _names_kind(steps: list[_Step]) -> bool:
    """Whether a value there makes its table another one: the kind or the file of an environment or a queue."""
    return len(steps) > 1 and steps[-2][0] in ("environment", "queue") and steps[-1][0] in ("kind", "file")


def _steps(key: str, value: object) -> list[_Step]:
    steps: list[_Step] = []
    for part in key.split("."):
        match = _STEP.fullmatch(part.strip())
        if match is None:
            raise InputError(WHERE, key, value, "a dotted key such as bottleneck.rate or flows[0].control")
        steps.append((match[1], int(match[2]) if match[2] else None))
    return steps


def _put(tables: dict[str, Any], steps: list[_Step], key: str, value: Any) -> None:
    table: Any = tables
    for depth, (name, index) in enumerate(steps[:-1]):
        below = table.setdefault(name, {})
        if index is not None:
            below = _item(below, index, key, value)
        elif isinstance(below, str) and name in ("environment", "queue"):
            below = table[name] = {"kind": below}
        if not isinstance(below, dict):
            path = dotted(part for step in steps[: depth + 1] for part in step if part is not None)
            raise InputError(WHERE, key, value, f"a key of a table; {path} is none")
        table = below
    name, index = steps[-1]
    if index is not None:
        items = table.get(name, MISSING)
        _item(items, index, key, value)
        items[index] = value
        return
    parent = steps[-2][0] if len(steps) > 1 else ""
    table.pop(EXCLUDES.get((parent, name), ""), None)
    if _names_kind(steps) and table.get(name) != value:
        table.clear()
    table[name] = value


def _item(items: Any, index: int, key: str, value: Any) -> Any:
    if not isinstance(items, list) or index >= len(items):
        length = len(items) if isinstance(items, list) else 0
        accepted = f"an index below {length}, the number of entries" if length else "a key without index"
        raise InputError(WHERE, key, value, accepted)
    return items[index]

"""An environment as it is written for a comparison: a name, a call with parameters, a table, or a file with a schedule.

    sq-high
    square(high="10 Mbit/s", low="1 Mbit/s", period="10 s")
    { kind = "square", high = "10 Mbit/s", low = "1 Mbit/s", period = "10 s" }

What stands between the parentheses are values as `--set` takes them, so a quantity may go without quotes: `square(high=10 Mbit/s, …)`.

Source: none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from sawtooth.errors import InputError
from sawtooth.scenario.environments import Environment, lookup
from sawtooth.scenario.environments.sets import SETS
from sawtooth.scenario.overrides import parse_override

OPTION: Final = "--environment"
FILE_OPTION: Final = "--environment-file"
_CALL = re.compile(r"\s*([A-Za-z][\w-]*)\s*\((.*)\)\s*", re.DOTALL)

EnvironmentSource = str | Mapping[str, Any]


def environment_value(value: EnvironmentSource) -> tuple[str, dict[str, Any]]:
    """The label of an environment, which is what the user wrote, and its table. InputError for what is none."""
    if isinstance(value, Mapping):
        return written(value), _checked(written(value), dict(value))
    call = _CALL.fullmatch(value)
    if call is None:
        return _named(value)
    try:
        table = {"kind": call[1], **dict(map(parse_override, _parts(call[2])))}
    except InputError:
        accepted = 'parameters such as square(high="10 Mbit/s", low="1 Mbit/s", period="10 s")'
        raise InputError("compare", OPTION, value, accepted) from None
    return value.strip(), _checked(value.strip(), table)


def environment_file(path: Path | str) -> tuple[str, dict[str, Any]]:
    """The environment that a file with a schedule is; its label is the path as the user wrote it. InputError where there is none."""
    if not Path(path).is_file():
        accepted = "a CSV file, as `sawtooth environment NAME --csv` prints it"
        raise InputError("compare", FILE_OPTION, str(path), accepted)
    return str(path), {"file": str(Path(path).absolute())}


def written(table: EnvironmentSource) -> str:
    """An environment's table as a call; its name where it has no parameters."""
    if isinstance(table, str):
        return table
    kind = str(table.get("kind", "file"))
    given = [
        f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in table.items() if key != "kind"
    ]
    return f"{kind}({', '.join(given)})" if given else kind


def _named(name: str) -> tuple[str, dict[str, Any]]:
    try:
        entry = lookup(name.strip())
        Environment.parse({"kind": entry.name})
    except InputError as error:
        if error.key == "kind":
            accepted = f"{', '.join(SETS)}, none, or {error.accepted}"
            raise InputError("compare", OPTION, name, accepted) from None
        accepted = (
            f'{error.key} as well: {name}({error.key}="…"); `sawtooth list environments` has all parameters'
        )
        raise InputError("compare", OPTION, name, accepted) from None
    return entry.name, {"kind": entry.name}


def _checked(label: str, table: dict[str, Any]) -> dict[str, Any]:
    try:
        Environment.parse(table)
    except InputError as error:
        raise InputError("compare", f"{OPTION} {label}: {error.key}", error.value, error.accepted) from None
    return table


def _parts(text: str) -> Iterator[str]:
    """The parts between commas that stand in no quotes and no brackets."""
    depth, quote, begin = 0, "", 0
    for place, sign in enumerate(text):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        elif sign in "[{(":
            depth += 1
        elif sign in ")}]":
            depth -= 1
        elif sign == "," and depth == 0:
            yield text[begin:place]
            begin = place + 1
    if text[begin:].strip():
        yield text[begin:]


__all__ = ["EnvironmentSource", "environment_file", "environment_value", "written"]

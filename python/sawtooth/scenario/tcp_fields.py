"""The keys of `[tcp]`, made from the engine's own description of its TCP settings.

Nothing about a setting stands here: names, kinds, defaults, choices and reasons are `describe()["tcp"]`. A group
of flows takes the same keys, there without defaults.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache, partial
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic.json_schema import WithJsonSchema

from sawtooth.errors import show
from sawtooth.scenario import units
from sawtooth.scenario.described import describe, kept
from sawtooth.scenario.fields import Depth, PositiveSize, Real, Time

NOBODY: Final = "none"
"""Who reads a setting where there is no recovery."""
ENDPOINT: Final = "endpoint"
"""Who reads a setting of a whole endpoint of a plug-in."""
STACKS: Final = "quic"
"""The recovery that may stand beside a whole endpoint of a plug-in: these are QUIC's, and have their own."""
BESIDE_A_STACK: Final = "beside an endpoint of a plug-in, which has a transport of its own"
NO_RECOVERY: Final = f"no recovery {BESIDE_A_STACK}; recovery may be {STACKS}"
"""What is accepted there."""
COUNT_MAX: Final = 2**32 - 1
"""Largest value of a setting that counts something (the engine keeps 32 bits)."""


MOST: Final[Mapping[str, tuple[float, str]]] = {
    "initial_window": (1e6, "a million packets: as many as a run sends at once fill the memory")
}
"""Settings of which the engine takes more than any run can have: the largest value, and how it is told."""

FORMER: Final[Mapping[str, str]] = {
    "ecn_feedback": 'ecn = "accurate" for counts of marked packets, ecn = "classic" for an echo'
}
"""Settings that others have taken in, and what says the same now."""


@cache
def settings() -> tuple[Mapping[str, Any], ...]:
    """The rows of `describe()["tcp"]`, in order."""
    return tuple(describe()["tcp"])


def tcp_fields(*, overriding: str | None = None) -> dict[str, Any]:
    """Field definitions for `pydantic.create_model`, one per setting.

    With `overriding`, defaults are absent: such a key replaces that of the table `overriding`.
    """
    fields: dict[str, Any] = {}
    for row in settings():
        most = f", at most {MOST[row['name']][0]:.0f}" if row["name"] in MOST else ""
        description = f"{row['why']} Accepted: {row['accepted']}{most}."
        if overriding:
            description = f"Replaces {overriding}.{row['name']}."
        default = None if overriding else default_of(row)
        kind = type_of(row)
        fields[row["name"]] = (
            kind if default is not None else kind | None,
            Field(default, description=description),
        )
    return fields


def default_of(row: Mapping[str, Any]) -> Any:
    """The default of a described setting or parameter in the units of the models (times in ns, sizes in bytes)."""
    default = row["default"]
    if default is not None and row["kind"] == "span":
        return units.parse_time(default)
    if row["kind"] == "size":
        return units.parse_size(default)
    if row["kind"] == "depth":
        return units.parse_depth(default)
    return float(default) if default is not None and row["kind"] == "real" else default


def engine_tcp(values: Mapping[str, Any]) -> dict[str, Any]:
    """Settings by name as the engine's scenario has them: spans get the suffix `_ns`, what is absent its default.

    An implicit setting is left out at its default, so that scenarios from before there was such a setting keep their text.
    """
    every = values.get("ack_every")
    values = {
        **values,
        "ack_every": None if every is None or every <= 2 else every,
    }  # 2 is what delayed_ack says
    found = {key: values.get(name, default) for name, key, default in _engine_defaults()}
    for row in settings():
        key = engine_key(row)
        if row.get("implicit", False) and found[key] == default_of(row):
            del found[key]
    for name, words in _flags().items():
        if found[name] in words:
            found[name] = bool(words.index(found[name]))
    return found


def layered(*layers: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of which each layer replaces those before it. `ack_every` and `delayed_ack` say the same thing: a layer with the one
    replaces the other too, and `ack_every` decides where it has both."""
    found: dict[str, Any] = {}
    for layer in layers:
        if "delayed_ack" in layer:
            found.pop("ack_every", None)
        found |= layer
        if (every := layer.get("ack_every")) is not None:
            found["delayed_ack"] = every > 1
    return found


@cache
def _flags() -> Mapping[str, list[str]]:
    """Choices that began as flags: the words for false and true, which a file and the engine's data may write as these."""
    return {row["name"]: row["flags"] for row in settings() if "flags" in row}


@cache
def recovery_defaults() -> Mapping[str, Mapping[str, Any]]:
    """Settings that have another default beside a recovery: name and value, by the name of the recovery."""
    rows = {row["name"]: row for row in settings()}
    return {
        recovery["name"]: {
            name: default_of({**rows[name], "default": word}) for name, word in recovery["defaults"].items()
        }
        for recovery in describe()["recoveries"]
    }


def without_settings_of_laws(tables: Mapping[str, Any]) -> None:
    """Take out of the tables of a scenario what window laws alone read, for a controller that is none."""
    for _, table in _tables_of_settings(tables):
        for row in settings():
            if row["of_window_laws"]:
                table.pop(row["name"], None)


def settings_of_laws(tables: Mapping[str, Any]) -> dict[str, Any]:
    """What window laws alone read, where the tables of a scenario say anything but its default: values by key."""
    return {
        f"{place}.{row['name']}": table[row["name"]]
        for place, table in _tables_of_settings(tables)
        for row in settings()
        if row["of_window_laws"] and table.get(row["name"], row["default"]) != row["default"]
    }


def _tables_of_settings(tables: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The tables of a scenario that may have settings, each with its key."""
    flows = tables.get("flows")
    groups = enumerate(flows if isinstance(flows, list) else [])
    for key, table in [("tcp", tables.get("tcp")), *((f"flows[{index}]", group) for index, group in groups)]:
        if isinstance(table, dict):
            yield key, table


def own_defaults(recovery: str, kind: str, written: Collection[str]) -> Mapping[str, Any]:
    """What a recovery, and a controller of that kind, put in place of the common defaults, where the scenario has `written` other
    settings."""
    if "ack_every" in written:
        written = {*written, "delayed_ack"}
    own = {**recovery_defaults()[recovery], **controller_defaults()[kind]}
    return {name: value for name, value in own.items() if name not in written}


@kept
def controller_defaults() -> Mapping[str, Mapping[str, Any]]:
    """Settings that have another default beside a controller: name and word, by the kind of the controller."""
    return {row["name"]: row["defaults"] for row in describe()["controllers"]}


@cache
def _engine_defaults() -> tuple[tuple[str, str, Any], ...]:
    """Name, name in the engine's scenario and default of every setting: read once, since every run of a sweep asks for them."""
    return tuple((row["name"], engine_key(row), default_of(row)) for row in settings())


@cache
def unread_by_endpoints() -> Mapping[str, Any]:
    """The settings that mean nothing to a whole endpoint of a plug-in, with their defaults."""
    return {row["name"]: default_of(row) for row in settings() if ENDPOINT not in row["read_by"]}


@cache
def implicit_defaults() -> Mapping[str, Any]:
    """The settings that the engine's data leave out at their default. None of them means anything to a transport of a controller's own."""
    return {row["name"]: default_of(row) for row in settings() if row.get("implicit", False)}


def engine_key(row: Mapping[str, Any]) -> str:
    """The name of a setting in the engine's scenario."""
    return f"{row['name']}_ns" if row["kind"] == "span" else str(row["name"])


def unmet(only_with: Iterable[Mapping[str, Any]], values: Mapping[str, Any]) -> str | None:
    """What must hold for a setting or parameter to act, in the spelling of the file (`delayed_ack = true`); None where it does."""
    conditions = list(only_with)
    if not conditions or any(values[name] == word for table in conditions for name, word in table.items()):
        return None
    return " or ".join(f"{name} = {show(word)}" for table in conditions for name, word in table.items())


def setting_names() -> Iterable[str]:
    """The names of all settings."""
    return (row["name"] for row in settings())


def type_of(row: Mapping[str, Any]) -> Any:
    """The field type of a described setting or parameter."""
    kinds: dict[str, Any] = {
        "span": Time,
        "size": PositiveSize,
        "real": Real,
        "flag": bool,
        "count": _Count,
        "depth": Depth,
    }
    if row["kind"] != "choice":
        kind = kinds[row["kind"]]
        return (
            Annotated[kind, AfterValidator(partial(_at_most, *MOST[row["name"]]))]
            if row["name"] in MOST
            else kind
        )
    words: Any = Literal[tuple(row["choices"])]
    if "flags" not in row:
        return words
    schema = {"enum": [*row["choices"], False, True]}
    return Annotated[words, BeforeValidator(partial(_word, row["flags"])), WithJsonSchema(schema)]


def _at_most(most: float, told: str, value: float) -> float:
    if value > most:
        raise ValueError(f"at most {told}")
    return value


def _word(flags: list[str], value: object) -> object:
    return flags[value] if isinstance(value, bool) else value


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= COUNT_MAX:
        raise ValueError(f"a whole number from 0 to {COUNT_MAX}")
    return value


_Count = Annotated[int, BeforeValidator(_count), WithJsonSchema({"type": "integer", "minimum": 0})]

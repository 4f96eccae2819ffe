"""Environments: how the bandwidth available to each test flow changes over time.

`ENVIRONMENTS` is the table of all of them, in order: first the thirteen of [Akella02] Table 2, which cross traffic of
constant bit rate makes (numbers 1 to 10) or short flows (11 to 13), each a family with its numbers filled in, then the families
themselves.
A new environment is one file with a `Family` and one line here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self

from pydantic import ValidationError

from sawtooth.errors import MISSING, InputError
from sawtooth.scenario.environments.base import Conditions, Family
from sawtooth.scenario.environments.constant import Constant
from sawtooth.scenario.environments.constrained import Constrained
from sawtooth.scenario.environments.file import File
from sawtooth.scenario.environments.random import Random
from sawtooth.scenario.environments.sawtooth import SawTooth
from sawtooth.scenario.environments.short_flows import ShortFlows
from sawtooth.scenario.environments.square import Square
from sawtooth.scenario.environments.step import Step
from sawtooth.scenario.environments.walk import Walk
from sawtooth.scenario.fields import DefaultsAsWritten, JsonSchema, Parsed, input_error
from sawtooth.scenario.schedule import Schedule
from sawtooth.scenario.units import format_rate

__all__ = [
    "ENVIRONMENTS",
    "Conditions",
    "Environment",
    "Family",
    "NamedEnvironment",
    "ShortFlows",
    "conditions_of",
    "lookup",
    "schedule_of",
    "schedule_under",
    "symbol",
]


@dataclass(frozen=True)
class NamedEnvironment:
    """One row of the table: a family with some of its parameters filled in, as text."""

    name: str
    family: type[Family]
    summary: str
    source: str
    defaults: Mapping[str, str | float | list[str]] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    number: int | None = None
    """Its number in [Akella02] Table 2."""

    def parameters(self) -> list[dict[str, Any]]:
        """Name, default (as a user writes it; None when there is none), whether required, and meaning of each."""
        schema = self.family.model_json_schema(mode="validation", schema_generator=DefaultsAsWritten)
        return [
            {
                "name": name,
                "default": self.defaults.get(name, item.get("default")),
                "required": name in schema.get("required", ()) and name not in self.defaults,
                "what": self.family.description_of(name),
            }
            for name, item in schema["properties"].items()
        ]

    def schema(self) -> JsonSchema:
        """JSON Schema of an `[environment]` table of this kind."""
        schema = self.family.model_json_schema(mode="validation", schema_generator=DefaultsAsWritten)
        properties = {name: dict(item) for name, item in schema["properties"].items()}
        for name, value in self.defaults.items():
            properties[name]["default"] = value
        required = [name for name in schema.get("required", ()) if name not in self.defaults]
        kind: JsonSchema = {"enum": [self.name, *self.aliases], "description": self.summary}
        if self.family is File:
            kind["default"] = self.name
        else:
            required = ["kind", *required]
        return {
            "type": "object",
            "properties": {"kind": kind, **properties},
            "required": required,
            "additionalProperties": False,
        }


_AKELLA = "Akella02 Table 2"

ENVIRONMENTS: Final[tuple[NamedEnvironment, ...]] = (
    NamedEnvironment(
        "cons-low", Constant, "always 1 Mbit/s per flow", _AKELLA, {"rate": "1 Mbit/s"}, ("cl",), number=1
    ),
    NamedEnvironment(
        "cons-high", Constant, "always 10 Mbit/s per flow", _AKELLA, {"rate": "10 Mbit/s"}, ("ch",), number=2
    ),
    NamedEnvironment(
        "sq-low",
        Square,
        "10 and 5 Mbit/s per flow in turn",
        _AKELLA,
        {"high": "10 Mbit/s", "low": "5 Mbit/s", "period": "10 s"},
        ("sql",),
        number=3,
    ),
    NamedEnvironment(
        "sq-high",
        Square,
        "10 and 1 Mbit/s per flow in turn",
        _AKELLA,
        {"high": "10 Mbit/s", "low": "1 Mbit/s", "period": "10 s"},
        ("sqh",),
        number=4,
    ),
    NamedEnvironment(
        "rw-low",
        Walk,
        "random walk from 1 Mbit/s per flow, steps up to 0.5",
        _AKELLA,
        {"start": "1 Mbit/s", "delta": "0.5 Mbit/s"},
        ("rwl",),
        number=5,
    ),
    NamedEnvironment(
        "rw-high",
        Walk,
        "random walk from 10 Mbit/s per flow, steps up to 5",
        _AKELLA,
        {"start": "10 Mbit/s", "delta": "5 Mbit/s"},
        ("rwh",),
        number=6,
    ),
    NamedEnvironment(
        "rd-low",
        Random,
        "independent draws from 0 to 1 Mbit/s per flow",
        _AKELLA,
        {"high": "1 Mbit/s"},
        ("rdl",),
        number=7,
    ),
    NamedEnvironment(
        "rd-high",
        Random,
        "independent draws from 0 to 10 Mbit/s per flow",
        _AKELLA,
        {"high": "10 Mbit/s"},
        ("rdh",),
        number=8,
    ),
    NamedEnvironment(
        "rw-additive",
        Constrained,
        "anywhere from 0 to 0.25 Mbit/s above the last level",
        _AKELLA,
        {"start": "1 Mbit/s", "delta": "0.25 Mbit/s"},
        ("rwa",),
        number=9,
    ),
    NamedEnvironment(
        "rw-multiplicative",
        Constrained,
        "anywhere from 0 to 5/3 of the last level",
        _AKELLA,
        {"start": "1 Mbit/s", "mu": 5 / 3},
        ("rwm",),
        number=10,
    ),
    NamedEnvironment(
        "real-cons-low",
        ShortFlows,
        "short flows compete for bandwidth; one starts every 0.03 s on average",
        _AKELLA,
        {"interarrival": "30 ms"},
        ("rcl",),
        number=11,
    ),
    NamedEnvironment(
        "real-cons-high",
        ShortFlows,
        "short flows compete for bandwidth; one starts every 0.01 s on average",
        _AKELLA,
        {"interarrival": "10 ms"},
        ("rch",),
        number=12,
    ),
    NamedEnvironment(
        "real-sq",
        ShortFlows,
        "short flows compete for bandwidth; one starts every 0.03 s and every 0.01 s on average, in turn",
        _AKELLA,
        {"interarrival": ["30 ms", "10 ms"]},
        ("rsq",),
        number=13,
    ),
    NamedEnvironment("constant", Constant, "one level", "Akella02 §3.1"),
    NamedEnvironment("square", Square, "high and low levels in turn, high first", "Akella02 §3.1"),
    NamedEnvironment(
        "saw-tooth",
        SawTooth,
        "a staircase up, then a fall, again and again",
        "Akella02 §2",
        aliases=("sawtooth",),
    ),
    NamedEnvironment("step", Step, "one level, then another, and perhaps back", "Floyd00 §5.1"),
    NamedEnvironment("random", Random, "independent uniform draws", "Akella02 §3.1"),
    NamedEnvironment("walk", Walk, "uniform steps up or down", "Akella02 §3.1"),
    NamedEnvironment(
        "constrained", Constrained, "falls freely, rises by a term and a factor at most", "Akella02 §3.1"
    ),
    NamedEnvironment(
        "short-flows",
        ShortFlows,
        "short flows compete for bandwidth; the rest is available",
        "Akella02 §3.3",
        {"interarrival": "30 ms"},
    ),
    NamedEnvironment("file", File, "a schedule from a CSV file", "its own format"),
)
"""Every environment, in the order of lists and reports."""


def symbol(name: str) -> str:
    """The short name of an environment on an axis: its alias in capitals (``CL``) for those of [Akella02] Table 2, else the name itself."""
    for entry in ENVIRONMENTS:
        if name == entry.name and entry.number is not None:
            return entry.aliases[0].upper()
    return name


def lookup(name: object) -> NamedEnvironment:
    """The row called `name`; raises InputError that lists the names."""
    for entry in ENVIRONMENTS:
        if name == entry.name or name in entry.aliases:
            return entry
    raise InputError("", "kind", name, "one of " + ", ".join(entry.name for entry in ENVIRONMENTS))


@dataclass(frozen=True)
class Environment(Parsed):
    """An environment with all its parameters: what an `[environment]` table means."""

    entry: NamedEnvironment
    parameters: Family

    @property
    def name(self) -> str:
        """Its name in tables and random streams."""
        return self.entry.name

    @classmethod
    def parse(cls, value: object) -> Self:
        """From a name, or a table with `kind` (or `file`) and parameters; raises InputError."""
        table = {"kind": value} if isinstance(value, str) else value
        if not isinstance(table, Mapping):
            raise InputError("", None, value, 'a table such as { kind = "sq-high" }')
        if "kind" not in table and "file" not in table:
            raise InputError("", "kind", MISSING, "this key, which is required, or file")
        entry = lookup(table.get("kind", "file"))
        given = {key: value for key, value in table.items() if key != "kind"}
        replaced = {name for group in entry.family.alternatives if set(group) & set(given) for name in group}
        defaults = {name: value for name, value in entry.defaults.items() if name not in replaced}
        try:
            return cls(entry, entry.family.model_validate({**defaults, **given}))
        except ValidationError as error:
            raise input_error(error, "") from None

    @classmethod
    def schema(cls) -> JsonSchema:
        names = [name for entry in ENVIRONMENTS for name in (entry.name, *entry.aliases)]
        return {"oneOf": [{"enum": names}, *(entry.schema() for entry in ENVIRONMENTS)]}

    def text(self) -> dict[str, Any]:
        """The table with every parameter, as a user would write it."""
        own = self.parameters.model_dump(exclude_none=True)
        return {"kind": self.name, **{key: own[key] for key in own if key != "floor"}, "floor": own["floor"]}


def schedule_of(
    environment: Environment,
    *,
    seed: str,
    duration_ns: int,
    capacity_bps: int,
    flows: int,
    directory: str | Path = ".",
) -> Schedule:
    """The schedule of `environment` for `flows` test flows on a link of `capacity_bps`, clipped to [floor, C/n].

    Raises InputError (keys relative to the environment's table) when the parameters cannot be met.
    """
    conditions = conditions_of(
        environment,
        seed=seed,
        duration_ns=duration_ns,
        capacity_bps=capacity_bps,
        flows=flows,
        directory=directory,
    )
    return schedule_under(environment, conditions)


def schedule_under(environment: Environment, conditions: Conditions) -> Schedule:
    """The schedule of `environment` under these conditions, clipped to [floor, C/n]."""
    return environment.parameters.schedule(conditions).clip(conditions.floor_bps, conditions.ceiling_bps)


def conditions_of(
    environment: Environment,
    *,
    seed: str,
    duration_ns: int,
    capacity_bps: int,
    flows: int,
    directory: str | Path = ".",
) -> Conditions:
    """What `environment` is drawn under; InputError if its floor is more than there is."""
    assert flows > 0, "an environment is per test flow"
    ceiling = capacity_bps // flows
    floor = environment.parameters.floor
    if floor > ceiling:
        share = (
            f"at most the fair share {format_rate(ceiling)} ({format_rate(capacity_bps)} for {flows} flows)"
        )
        raise InputError("", "floor", format_rate(floor), share)
    return Conditions(environment.name, seed, duration_ns, floor, ceiling, Path(directory), flows)

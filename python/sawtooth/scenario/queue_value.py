"""The queue of a link in scenario files: a discipline by name, or a table with its parameters.

Which disciplines there are, their parameters, what each accepts and its default come from the engine's description; ranges
are checked by the engine (`engine_check`). The size of a queue is the `buffer` of its link, and a threshold in packets may be written as a
share of it: `min = "1/3 buffer"`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Annotated, Any, Final, Literal, Self

from pydantic import Field, PlainSerializer, PlainValidator, ValidationError, create_model
from pydantic.json_schema import WithJsonSchema

from sawtooth import _native
from sawtooth.errors import InputError
from sawtooth.scenario import units
from sawtooth.scenario.described import describe
from sawtooth.scenario.fields import DefaultsAsWritten, JsonSchema, Parsed, Strict, input_error
from sawtooth.scenario.tcp_fields import default_of, engine_key, type_of, unmet

HINTS: Mapping[str, str] = {"ecn": 'RED that marks: { kind = "red", ecn = true }'}
"""What to write for a name that people use for something else's parameter."""


SHARE_ACCEPTED: Final = 'a number of packets, or a share of the buffer such as "1/3 buffer"'
_SHARE = re.compile(r"(\d+(?:\.\d+)?|\d+/[1-9]\d*) buffer")


def _threshold(value: object) -> float | Fraction:
    """A number of packets, or a share of the buffer."""
    if isinstance(value, Fraction):
        return value
    if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    found = _SHARE.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise ValueError(SHARE_ACCEPTED)
    return Fraction(found[1])


Threshold = Annotated[
    float | Fraction,
    PlainValidator(_threshold),
    PlainSerializer(lambda value: f"{value} buffer" if isinstance(value, Fraction) else value),
    WithJsonSchema({"type": ["number", "string"], "description": SHARE_ACCEPTED}),
]
"""Packets, or a fraction of the buffer."""


@dataclass(frozen=True)
class Queue(Parsed):
    """A queue discipline with every parameter in the engine's units (ns, bytes), defaults included; shares as fractions."""

    kind: str
    parameters: Mapping[str, Any]

    @classmethod
    def parse(cls, value: object) -> Self:
        table = {"kind": value} if isinstance(value, str) else value
        if not isinstance(table, Mapping) or not isinstance(table.get("kind"), str):
            raise InputError("", None, value, f'a table such as {{ kind = "{cls.names()[0]}" }}')
        kind = _canonical(table["kind"], cls.names())
        try:
            given = _models()[kind].model_validate({**table, "kind": kind})
        except ValidationError as error:
            raise input_error(error, "") from None
        return cls(
            kind, {row["name"]: getattr(given, row["name"]) for row in _discipline(kind)["parameters"]}
        )

    def sized(self, packets: int | None) -> dict[str, Any]:
        """As the engine has them, shares worked out for a buffer of so many packets. InputError for a share of bytes (None)."""
        sized = {}
        for row in self._told():
            name, key = row["name"], engine_key(row)
            value = sized[key] = self.parameters[name]
            if isinstance(value, Fraction):
                if packets is None:
                    raise InputError(
                        "",
                        f"queue.{name}",
                        f"{value} buffer",
                        "a number of packets where the buffer is in bytes",
                    )
                sized[key] = float(value * packets)
        return sized

    @property
    def buffer(self) -> units.Buffer:
        """Its size where a scenario says nothing."""
        return units.parse_buffer(_discipline(self.kind)["buffer"])

    @property
    def has_own_buffer(self) -> bool:
        """Whether that is another size than the one of plain queues."""
        return self.buffer != Queue("droptail", {}).buffer

    @property
    def keeps_flows_apart(self) -> bool:
        """Whether each flow gets its share whatever the others send."""
        return bool(_discipline(self.kind)["keeps_flows_apart"])

    @property
    def has_state(self) -> bool:
        """Whether it has a state that can be recorded."""
        return bool(_discipline(self.kind)["has_state"])

    @classmethod
    def names(cls) -> list[str]:
        """The disciplines that exist, each in the spelling for files."""
        return [_spellings(row)[0] for row in describe()["disciplines"]]

    @classmethod
    def schema(cls) -> JsonSchema:
        names = [name for row in describe()["disciplines"] for name in _spellings(row)]
        tables = [
            model.model_json_schema(schema_generator=DefaultsAsWritten, mode="validation")
            for model in _models().values()
        ]
        return {"anyOf": [{"enum": names}, *tables]}

    def text(self) -> Any:
        return {
            "kind": self.kind,
            **{
                row["name"]: _written(self.parameters[row["name"]], row["kind"])
                for row in self._told()
                if self.parameters[row["name"]] is not None
            },
        }

    def _told(self) -> list[Mapping[str, Any]]:
        """The rows of its parameters without those that are left out at their default, so that scenarios from before there was such a
        parameter keep their text."""
        rows: list[Mapping[str, Any]] = _discipline(self.kind)["parameters"]
        return [
            row
            for row in rows
            if not (row.get("implicit", False) and self.parameters[row["name"]] == default_of(row))
        ]


def _written(value: Any, kind: str) -> Any:
    """A parameter as a user would write it."""
    if kind == "size":
        return units.format_size(value)
    if kind == "span":
        return units.format_time(value)
    if kind == "depth":
        return units.format_depth(value)
    return f"{value} buffer" if isinstance(value, Fraction) else value


def apart() -> list[str]:
    """The disciplines that give each flow its share whatever the others send, in the spelling for files."""
    return [_spellings(row)[0] for row in describe()["disciplines"] if row["keeps_flows_apart"]]


def marks(queue: Mapping[str, Any] | None) -> bool:
    """Whether a queue, as the engine has it, marks ECN-capable packets."""
    if queue is None:
        return False
    marking = _discipline(queue["kind"])["marking"]
    above = marking == "with-ecn-or-threshold" and queue["ce_threshold_ns"] is not None
    return marking == "always" or (marking != "never" and bool(queue["ecn"])) or above


def marks_l4s(queue: Mapping[str, Any] | None) -> bool:
    """Whether a queue, as the engine has it, marks packets with ECT(1): a threshold of their own is enough."""
    return marks(queue) or (queue is not None and queue.get("ce_threshold_ect1_ns") is not None)


def spares(queue: Mapping[str, Any] | None) -> bool:
    """Whether a queue, as the engine has it, neither drops nor marks what is in profile."""
    return queue is not None and bool(_discipline(queue["kind"])["spares_in_profile"])


def sparing() -> list[str]:
    """The disciplines that neither drop nor mark what is in profile."""
    return [_spellings(row)[0] for row in describe()["disciplines"] if row["spares_in_profile"]]


def with_state() -> list[str]:
    """The disciplines with a state that can be recorded."""
    return [_spellings(row)[0] for row in describe()["disciplines"] if row["has_state"]]


def of_marks(queue: Mapping[str, Any], name: str) -> bool:
    """Whether a parameter of a queue decides about marks alone, and so acts on ECN-capable packets only."""
    return _has(queue, name, "of_marks")


def has_subqueues(queue: Mapping[str, Any] | None) -> bool:
    """Whether a queue, as the engine has it, consists of several that are counted apart."""
    return queue is not None and "parts" in _discipline(queue["kind"])


def of_l4s(queue: Mapping[str, Any], name: str) -> bool:
    """Whether a parameter of a queue acts on packets with ECT(1) only."""
    return _has(queue, name, "of_l4s")


def of_sharing(queue: Mapping[str, Any], name: str) -> bool:
    """Whether a parameter of a queue acts among several flows only."""
    return _has(queue, name, "of_sharing")


def holds_anyway(queue: Mapping[str, Any], name: str, value: object) -> bool:
    """Whether a parameter of a queue is written with its default."""
    rows = [row for row in _discipline(queue["kind"])["parameters"] if row["name"] == name]
    given = Queue.parse({"kind": queue["kind"], name: value}).parameters.get(name)
    return any(given == default_of(row) for row in rows)


def _has(queue: Mapping[str, Any], name: str, mark: str) -> bool:
    return any(row["name"] == name and row.get(mark) for row in _discipline(queue["kind"])["parameters"])


def needs(queue: Mapping[str, Any] | None, name: str) -> str | None:
    """What must hold for a parameter of a queue, as the engine has it, to act (`rule = "red"`); None where it does."""
    rows = [] if queue is None else _discipline(queue["kind"])["parameters"]
    row = next((row for row in rows if row["name"] == name), None)
    return None if queue is None or row is None else unmet(row["only_with"], queue)


def _canonical(kind: str, names: list[str]) -> str:
    accepted = f"one of {', '.join(names)}"
    try:
        return _native.discipline(kind)
    except ValueError:
        raise InputError("", "kind", kind, accepted, HINTS.get(kind)) from None


def _discipline(kind: str) -> Mapping[str, Any]:
    return next(row for row in describe()["disciplines"] if row["name"] == kind)


def _spellings(row: Mapping[str, Any]) -> tuple[str, ...]:
    return (*row["aliases"], row["name"])


@cache
def _models() -> Mapping[str, type[Strict]]:
    """By discipline, the model of its table."""
    return {row["name"]: _model(row) for row in describe()["disciplines"]}


def _model(row: Mapping[str, Any]) -> type[Strict]:
    fields: dict[str, Any] = {"kind": (Literal[_spellings(row)], Field(description=row["summary"]))}
    for parameter in row["parameters"]:
        unit = f" In {parameter['unit']}." if parameter["kind"] == "real" and parameter["unit"] != "1" else ""
        description = f"{parameter['why']}. Accepted: {parameter['accepted']}.{unit}"
        default = default_of(parameter)
        shares = parameter["unit"] == "packets" and parameter["kind"] == "real"
        kind = Threshold if shares else type_of(parameter)
        fields[parameter["name"]] = (
            kind if default is not None else kind | None,
            Field(default, description=description),
        )
    model: type[Strict] = create_model(
        f"Queue_{row['name']}", __base__=Strict, __doc__=row["summary"], **fields
    )
    model.unknown_key_reason = f"{row['name']} has no other; buffer sets its size"
    return model

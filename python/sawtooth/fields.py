"""Field types of scenario files: text with units becomes integers, mistakes become `InputError`s.

`Strict` is the model every table is made of: unknown and missing keys are errors that name what is accepted.
The values that have a small language of their own (queue, impairment, start, controller) are small frozen
classes here that parse themselves and know their JSON Schema.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, PlainSerializer, WithJsonSchema, model_validator
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import CoreSchema, SchemaSerializer, ValidationError, core_schema

from sawtooth import _native, units
from sawtooth.errors import MISSING, InputError, dotted, show, unknown_key

JsonSchema = dict[str, Any]
_T = TypeVar("_T")


class Strict(BaseModel):
    """A table of an input file. Frozen; types are not coerced; keys it does not have are refused."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, use_attribute_docstrings=True, arbitrary_types_allowed=True
    )

    unknown_key_reason: ClassVar[str | None] = None
    """Why another key is refused, for the error message."""

    @model_validator(mode="before")
    @classmethod
    def _keys(cls, data: object) -> object:
        if isinstance(data, cls):
            return data
        if not isinstance(data, Mapping):
            raise InputError("", None, data, f"a table with the keys {', '.join(cls.model_fields)}")
        for key in data:
            if key not in cls.model_fields:
                raise unknown_key(str(key), data[key], cls.model_fields, cls.unknown_key_reason)
        for name, field in cls.model_fields.items():
            if field.is_required() and name not in data:
                what = (field.description or "a value").split("\n")[0].rstrip(".")
                raise InputError("", name, MISSING, f"this key, which is required: {what}")
        return data


class DefaultsAsWritten(GenerateJsonSchema):
    """JSON Schema whose defaults are in the spelling of the file (`"20 ms"`), not in the model's units."""

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchema:
        json_schema = super().default_schema(schema)
        default = schema.get("default")
        if default is not None and not isinstance(default, BaseModel):
            json_schema["default"] = SchemaSerializer(schema["schema"]).to_python(default, mode="json")
        elif isinstance(default, BaseModel):
            del json_schema["default"]  # a table left out: its keys have their own defaults
        return json_schema


def input_error(error: ValidationError, where: str) -> InputError:
    """The first problem of a pydantic error as an `InputError` in file `where`."""
    first = error.errors(include_url=False)[0]
    key = dotted(first["loc"])
    cause = first.get("ctx", {}).get("error")
    if isinstance(cause, InputError):
        return cause.located(where, key)
    text = str(cause) if cause is not None else first["msg"].removeprefix("Input should be ")
    template = _PYDANTIC.get(first["type"])
    accepted = template.format(**first.get("ctx", {})) if template else text.removeprefix("expected ")
    return InputError(where, key, first["input"], accepted)


_PYDANTIC: Mapping[str, str] = {
    "int_type": "a whole number, without quotes",
    "float_type": "a number, without quotes",
    "bool_type": "true or false, without quotes",
    "string_type": "text in quotes",
    "list_type": "a list",
    "string_too_short": "text that is not empty",
    "greater_than_equal": "{ge} or more",
    "less_than_equal": "{le} or less",
}


def _quantity(parse: Callable[..., int], *, positive: bool = False) -> BeforeValidator:
    return BeforeValidator(lambda value: parse(value, positive=positive))


def _schema(accepted: str, *examples: str, zero: bool = False) -> WithJsonSchema:
    """Text; with `zero` also the number 0, which needs no unit."""
    kind: JsonSchema = {"anyOf": [{"type": "string"}, {"const": 0}]} if zero else {"type": "string"}
    return WithJsonSchema({**kind, "description": accepted, "examples": list(examples)})


_TIME, _RATE, _SIZE = (PlainSerializer(f) for f in (units.format_time, units.format_rate, units.format_size))

Time = Annotated[int, _quantity(units.parse_time), _TIME, _schema(units.TIME_ACCEPTED, "20 ms", zero=True)]
"""A time in ns, 0 or more, written as `20 ms`."""
PositiveTime = Annotated[
    int, _quantity(units.parse_time, positive=True), _TIME, _schema(units.TIME_ACCEPTED, "20 ms")
]
"""A time in ns above 0."""
Rate = Annotated[
    int, _quantity(units.parse_rate), _RATE, _schema(units.RATE_ACCEPTED, "100 Mbit/s", zero=True)
]
"""A rate in bit/s, 0 or more, written as `100 Mbit/s`."""
PositiveRate = Annotated[
    int, _quantity(units.parse_rate, positive=True), _RATE, _schema(units.RATE_ACCEPTED, "100 Mbit/s")
]
"""A rate in bit/s above 0."""
PositiveSize = Annotated[
    int, _quantity(units.parse_size, positive=True), _SIZE, _schema(units.SIZE_ACCEPTED, "1.5 MB")
]
"""A size in bytes above 0, written as `1.5 MB`."""


def _packet_size(value: object) -> int:
    size = units.parse_size(value, positive=True)
    if size > 65_535:
        raise ValueError(f"{units.SIZE_ACCEPTED} of at most 65535 B, the largest IP packet")
    return size


PacketSize = Annotated[int, BeforeValidator(_packet_size), _SIZE, _schema(units.SIZE_ACCEPTED, "1000 B")]
"""Bytes of a packet on the wire, 1 to 65535."""

BufferSize = Annotated[
    units.Buffer,
    BeforeValidator(units.parse_buffer),
    PlainSerializer(str),
    _schema(units.BUFFER_ACCEPTED, "1 bdp", "1500 packets", "120 ms", "1.5 MB"),
]
"""A buffer as the user gave it."""


def _finite(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ValueError("a number")
    return float(value)


Real = Annotated[float, BeforeValidator(_finite)]
"""A finite number."""


def _rtt(value: object) -> int | tuple[int, ...]:
    if not isinstance(value, list):
        return units.parse_time(value, positive=True)
    if not value:
        raise ValueError(f"{units.TIME_ACCEPTED}, or a list with one value per flow")
    return tuple(_each(value, lambda item: units.parse_time(item, positive=True)))


Rtt = Annotated[
    int | tuple[int, ...],
    BeforeValidator(_rtt),
    PlainSerializer(
        lambda rtt: units.format_time(rtt) if isinstance(rtt, int) else [*map(units.format_time, rtt)]
    ),
    WithJsonSchema({"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
]
"""A propagation round-trip time in ns above 0, or one per flow."""


def _each(values: list[object], parse: Callable[[object], _T]) -> list[_T]:
    """`parse` of every item; an error names the index of its item."""
    parsed: list[_T] = []
    for index, value in enumerate(values):
        try:
            parsed.append(parse(value))
        except ValueError as error:
            raise InputError("", f"[{index}]", value, str(error)) from None
    return parsed


class Parsed:
    """A value with its own small language: `parse` reads it, `schema` describes it, `text` writes it."""

    @classmethod
    def parse(cls, value: object) -> Self:
        """The value, or ValueError or InputError."""
        raise NotImplementedError

    @classmethod
    def schema(cls) -> JsonSchema:
        """JSON Schema of what `parse` takes."""
        raise NotImplementedError

    def text(self) -> Any:
        """What a user would write for this value (text or table)."""
        raise NotImplementedError

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: object) -> CoreSchema:
        serialization = core_schema.plain_serializer_function_ser_schema(lambda value: value.text())
        return core_schema.no_info_plain_validator_function(cls._parsed, serialization=serialization)

    @classmethod
    def _parsed(cls, value: object) -> Self:
        return value if isinstance(value, cls) else cls.parse(value)

    @classmethod
    def __get_pydantic_json_schema__(cls, core: object, handler: object) -> JsonSchema:
        return cls.schema()


_CALL = re.compile(r"\s*([a-z][a-z-]*)\s*\(([^()]*)\)\s*")


@dataclass(frozen=True)
class Impairment(Parsed):
    """Which packets a link drops or marks by itself: `bernoulli(p)`, `periodic(n)` or `list(a, b, …)`."""

    engine: Mapping[str, Any]
    """As the engine's scenario has it."""

    ACCEPTED: ClassVar[str] = (
        "bernoulli(p) with 0 ≤ p ≤ 1, periodic(n) with n ≥ 1, or list(a, b, …) with ascending packet numbers from 1"
    )

    @classmethod
    def parse(cls, value: object) -> Self:
        match = _CALL.fullmatch(value) if isinstance(value, str) else None
        try:
            if match is not None and match[1] == "bernoulli" and 0 <= (p := float(match[2])) <= 1:
                return cls({"kind": "bernoulli", "p": p})
            if match is not None and match[1] == "periodic" and (n := int(match[2])) >= 1:
                return cls({"kind": "periodic", "n": n})
            if match is not None and match[1] == "list":
                packets = [int(item) for item in match[2].split(",")]
                if all(a < b for a, b in zip([0, *packets], packets, strict=False)):
                    return cls({"kind": "list", "packets": packets})
        except ValueError:
            pass  # not a number: the same answer as for a number out of range
        raise ValueError(cls.ACCEPTED)

    @classmethod
    def schema(cls) -> JsonSchema:
        return {
            "type": "string",
            "description": cls.ACCEPTED,
            "examples": ["bernoulli(0.001)", "periodic(100)"],
        }

    def text(self) -> str:
        numbers = self.engine.get("packets") or [self.engine.get("p", self.engine.get("n"))]
        return f"{self.engine['kind']}({', '.join(map(str, numbers))})"


@dataclass(frozen=True)
class Start(Parsed):
    """When the flows of a group start. `lowest` and `highest` bound a draw, or `times` are given."""

    times: tuple[int, ...] = ()
    every_ns: int | None = None
    lowest_ns: int = 0
    highest_ns: int = 0

    ACCEPTED: ClassVar[str] = (
        'a time, "uniform 0..1 s", { first = "0 s", every = "0.1 s" } or a list of times'
    )

    @classmethod
    def parse(cls, value: object) -> Self:
        if isinstance(value, list):
            return cls(times=tuple(_each(value, units.parse_time)))
        if isinstance(value, Mapping):
            for key in value:
                if key not in ("first", "every"):
                    raise unknown_key(str(key), value[key], ("first", "every"))
            first, every = (_named(name, value.get(name, 0)) for name in ("first", "every"))
            return cls(times=(first,), every_ns=every)
        if isinstance(value, str) and value.strip().startswith("uniform"):
            lowest, separator, highest = value.strip().removeprefix("uniform").partition("..")
            try:
                end = units.parse_time(highest)
                bare = re.fullmatch(r"\s+[\d.]+\s*", lowest)
                unit = re.sub(r"^[\s\d.]+", "", highest)
                start = units.parse_time(f"{lowest} {unit}" if bare else lowest)
            except ValueError:
                raise ValueError(cls.ACCEPTED) from None
            if not separator or start > end:
                raise ValueError(f"{cls.ACCEPTED}, the earlier time first")
            return cls(lowest_ns=start, highest_ns=end)
        try:
            return cls(times=(units.parse_time(value),), every_ns=0)
        except ValueError:
            raise ValueError(cls.ACCEPTED) from None

    @classmethod
    def schema(cls) -> JsonSchema:
        time = {"type": "string"}
        table = {
            "type": "object",
            "properties": {"first": time, "every": time},
            "additionalProperties": False,
        }
        return {"description": cls.ACCEPTED, "oneOf": [time, table, {"type": "array", "items": time}]}

    def text(self) -> Any:
        if not self.times:
            return f"uniform {units.format_time(self.lowest_ns)}..{units.format_time(self.highest_ns)}"
        if self.every_ns is None:
            return [units.format_time(time) for time in self.times]
        if self.every_ns == 0:
            return units.format_time(self.times[0])
        return {"first": units.format_time(self.times[0]), "every": units.format_time(self.every_ns)}

    def starts(self, seed: str, first_id: int, count: int) -> list[int]:
        """Start times in ns of flows `first_id` to `first_id + count − 1`, each drawn from its own stream."""
        if self.every_ns is not None:
            return [self.times[0] + index * self.every_ns for index in range(count)]
        if self.times:
            assert len(self.times) == count, "the scenario checked the length of the list"
            return list(self.times)
        width = self.highest_ns - self.lowest_ns
        streams = (f"start/flow/{flow}" for flow in range(first_id, first_id + count))
        return [self.lowest_ns + int(_native.uniforms(seed, stream, 1)[0] * width) for stream in streams]

    def latest(self, count: int) -> int:
        """No flow of a group of `count` starts later than this (ns)."""
        if self.every_ns is not None:
            return self.times[0] + (count - 1) * self.every_ns
        return max(self.times) if self.times else self.highest_ns


def _named(name: str, value: object) -> int:
    try:
        return units.parse_time(value)
    except ValueError as error:
        raise InputError("", name, value, str(error)) from None


@dataclass(frozen=True)
class Queue(Parsed):
    """A queue discipline and the parameters it was given; its size is the `buffer` of the link."""

    kind: str
    parameters: Mapping[str, Any]

    @classmethod
    def parse(cls, value: object) -> Self:
        table = {"kind": value} if isinstance(value, str) else value
        if not isinstance(table, Mapping) or not isinstance(table.get("kind"), str):
            raise InputError("", None, value, f'a table such as {{ kind = "{cls.names()[0]}" }}')
        kind = table["kind"]
        described = _native.describe()
        accepted = f"one of {', '.join(cls.names())}"
        if kind in described["planned"]["disciplines"]:
            raise InputError("", "kind", kind, accepted, f"{kind} is planned but not built yet")
        try:
            canonical = _native.discipline(kind)
        except ValueError:
            raise InputError("", "kind", kind, accepted) from None
        entry = next(item for item in described["disciplines"] if item["name"] == canonical)
        known = [
            "kind",
            *(p["name"] for p in entry.get("parameters", []) if p["name"] not in ("packets", "bytes")),
        ]
        for key in table:
            if key not in known:
                raise unknown_key(
                    str(key), table[key], known, f"{canonical} has no other; buffer sets its size"
                )
        return cls(canonical, {key: table[key] for key in table if key != "kind"})

    @classmethod
    def names(cls) -> list[str]:
        """The disciplines that exist, each in the spelling for files."""
        return [(*d["aliases"], d["name"])[0] for d in _native.describe()["disciplines"]]

    @classmethod
    def schema(cls) -> JsonSchema:
        disciplines = _native.describe()["disciplines"]
        kind = {"enum": [name for d in disciplines for name in (*d["aliases"], d["name"])]}
        return {"anyOf": [kind, {"type": "object", "properties": {"kind": kind}, "required": ["kind"]}]}

    def text(self) -> Any:
        return {"kind": self.kind, **self.parameters}


@dataclass(frozen=True)
class Control(Parsed):
    """A congestion controller in plain numbers; `written` is what the user wrote."""

    engine: Mapping[str, Any]
    written: Any

    @classmethod
    def parse(cls, value: object) -> Self:
        if not isinstance(value, (str, Mapping)):
            raise ValueError('a controller such as "aimd(1, 0.8)", or a table with its kind and numbers')
        text = value if isinstance(value, str) else json.dumps(dict(value), default=str)
        try:
            return cls(json.loads(_native.controller(text)), value)
        except ValueError as error:
            found = re.match(r"controller(?:\.(\w+))?(?: \"[^\"]*\"| = [^:]*)?:\s*", str(error))
            problem, _, accepted = str(error)[found.end() if found else 0 :].partition("expected ")
            hint = problem.strip(" ;") or None
            if found and isinstance(value, Mapping) and found[1] in value:
                raise InputError("", found[1], value[found[1]], accepted, hint) from None
            raise InputError("", None, value, accepted, hint) from None

    @classmethod
    def schema(cls) -> JsonSchema:
        forms = [controller["form"] for controller in _native.describe()["controllers"]]
        return {"type": ["string", "object"], "description": "a constructor: " + ", ".join(forms)}

    def text(self) -> Any:
        return self.written


def choice(names: Callable[[], list[str]]) -> BeforeValidator:
    """A validator for one of a few words."""

    def validate(value: object) -> str:
        if value not in names():
            raise ValueError(f"one of {', '.join(names())}")
        assert isinstance(value, str)
        return value

    return BeforeValidator(validate)


def _recovery(value: object) -> str:
    names = [entry["name"] for entry in _native.describe()["recoveries"]]
    try:
        if isinstance(value, str):
            return _native.recovery(value)
    except ValueError:
        pass  # an unknown name gets the same answer as no name
    raise ValueError(f"one of {', '.join(names)}")


Recovery = Annotated[str, BeforeValidator(_recovery), WithJsonSchema({"type": "string"})]
"""The canonical name of a loss recovery."""


def parse_seed(value: object) -> str:
    """A seed as text, from text or a whole number from 0. Raises ValueError."""
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if not isinstance(text, str) or not re.fullmatch(r"[\x21-\x7e]{1,64}", text) or text.startswith("-"):
        raise ValueError(
            f"a seed: text of 1 to 64 visible ASCII characters, or a number from 0, not {show(value)}"
        )
    return text


Seed = Annotated[str, BeforeValidator(parse_seed)]
"""A seed, kept as text."""

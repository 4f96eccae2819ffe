"""Field types of scenario files: text with units becomes integers, mistakes become `InputError`s.

`Strict` is the model every table is made of: unknown and missing keys are errors that name what is accepted.
The values with a small language of their own derive from `Parsed` and live in `scenario_values`.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, ClassVar, Self, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    PlainSerializer,
    PlainValidator,
    WithJsonSchema,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import CoreSchema, SchemaSerializer, ValidationError, core_schema

from sawtooth import _native
from sawtooth.errors import MISSING, InputError, dotted, show, unknown_key
from sawtooth.scenario import units
from sawtooth.scenario.attribute_docs import attribute_docs
from sawtooth.scenario.described import describe

JsonSchema = dict[str, Any]
_T = TypeVar("_T")


class Strict(BaseModel):
    """A table of an input file. Frozen; types are not coerced; keys it does not have are refused.

    The validator of a model is made when it is first used: a command uses a few of them and would wait for all."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, arbitrary_types_allowed=True, defer_build=True
    )

    unknown_key_reason: ClassVar[str | None] = None
    """Why another key is refused, for the error message."""
    former_keys: ClassVar[Mapping[str, str]] = {}
    """What is accepted in place of keys that there once were."""
    last: ClassVar[Collection[str]] = ()
    """Keys that are listed after the others, such as those of a base class."""

    @classmethod
    @cache
    def _names(cls) -> Mapping[str, FieldInfo]:
        """The fields by the keys of the file; worked out once, since a study of a paper asks a thousand times."""
        fields = sorted(cls.model_fields.items(), key=lambda item: item[0] in cls.last)
        return {field.alias or name: field for name, field in fields}

    @classmethod
    def description_of(cls, key: str) -> str | None:
        """What a key is: the description of its field, or the text under it in the source."""
        for name, field in cls.model_fields.items():
            if (field.alias or name) == key:
                return field.description or attribute_docs(cls).get(name)
        return None

    @model_validator(mode="before")
    @classmethod
    def _keys(cls, data: object) -> object:
        if isinstance(data, cls):
            return data
        if not isinstance(data, Mapping):
            raise InputError("", None, data, f"a table with the keys {', '.join(cls._names())}")
        names = cls._names()
        for key in data:
            if key in cls.former_keys:
                raise InputError("", str(key), data[key], cls.former_keys[key])
            if key not in names:
                raise unknown_key(str(key), data[key], names, cls.unknown_key_reason)
        for name, field in names.items():
            if field.is_required() and name not in data:
                what = (cls.description_of(name) or "").split("\n")[0].rstrip(".")
                accepted = "this key, which is required"
                raise InputError("", name, MISSING, f"{accepted}: {what}" if what else accepted)
        return data


class DefaultsAsWritten(GenerateJsonSchema):
    """JSON Schema whose defaults are in the spelling of the file (`"20 ms"`), not in the model's units, with what each key is."""

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchema:
        json_schema = super().model_schema(schema)
        if issubclass(schema["cls"], Strict):
            for key, item in json_schema.get("properties", {}).items():
                what = schema["cls"].description_of(key)
                if what is not None:
                    item["description"] = what
        return json_schema

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchema:
        json_schema = super().default_schema(schema)
        default = schema.get("default")
        if default is not None and not isinstance(default, BaseModel):
            json_schema["default"] = SchemaSerializer(schema["schema"]).to_python(default, mode="json")
        elif isinstance(default, BaseModel):
            del json_schema["default"]  # a table left out: its keys have their own defaults
        return json_schema


@dataclass(frozen=True)
class SchemaOnDemand:
    """Annotation: the JSON Schema of a type, made when somebody asks and not when the type is."""

    make: Callable[[], JsonSchema]

    def __get_pydantic_json_schema__(self, core: object, handler: object) -> JsonSchema:
        return self.make()


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
    "dict_type": "a table",
    "string_too_short": "text that is not empty",
    "string_too_long": "text of at most {max_length} characters",
    "too_short": "a list of {min_length} or more entries",
    "greater_than": "above {gt}",
    "less_than": "below {lt}",
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


Depth = Annotated[
    dict[str, int],
    PlainValidator(lambda value: value if isinstance(value, dict) else units.parse_depth(value)),
    PlainSerializer(units.format_depth),
    _schema(units.DEPTH_ACCEPTED, "20 packets", "1 ms"),
]
"""A depth of a queue as the engine has it, in packets or in ns."""


def _finite(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ValueError("a number")
    return float(value)


Real = Annotated[float, BeforeValidator(_finite)]
"""A finite number."""


def _positive(value: object) -> float:
    number = _finite(value)
    if number <= 0:
        raise ValueError("a positive number")
    return number


PositiveReal = Annotated[float, BeforeValidator(_positive)]
"""A finite number above 0."""


def _rtt(value: object) -> int | tuple[int, ...]:
    if not isinstance(value, list):
        return units.parse_time(value, positive=True)
    if not value:
        raise ValueError(f"{units.TIME_ACCEPTED}, or a list with one value per flow")
    return tuple(each(value, lambda item: units.parse_time(item, positive=True)))


Rtt = Annotated[
    int | tuple[int, ...],
    BeforeValidator(_rtt),
    PlainSerializer(
        lambda rtt: units.format_time(rtt) if isinstance(rtt, int) else [*map(units.format_time, rtt)]
    ),
    WithJsonSchema({"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
]
"""A propagation round-trip time in ns above 0, or one per flow."""


def each(values: list[object], parse: Callable[[object], _T]) -> list[_T]:
    """`parse` of every item; an error names the index of its item."""
    parsed: list[_T] = []
    for index, value in enumerate(values):
        try:
            parsed.append(parse(value))
        except ValueError as error:
            raise InputError("", f"[{index}]", value, str(error)) from None
    return parsed


class Parsed(ABC):
    """A value with its own small language: `parse` reads it, `schema` describes it, `text` writes it."""

    @classmethod
    @abstractmethod
    def parse(cls, value: object) -> Self:
        """The value, or ValueError or InputError."""

    @classmethod
    @abstractmethod
    def schema(cls) -> JsonSchema:
        """JSON Schema of what `parse` takes."""

    @abstractmethod
    def text(self) -> Any:
        """What a user would write for this value (text or table)."""

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


def _recovery(value: object) -> str:
    names = [entry["name"] for entry in describe()["recoveries"]]
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

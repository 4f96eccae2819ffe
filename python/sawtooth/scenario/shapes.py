"""The shape of the network as a scenario file says it, `[topology]`.

`SHAPES` lists the kinds of `[topology]` and what each reads. What they mean is in `topology`, one file per kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final, Self

from pydantic import BeforeValidator, Field, PlainSerializer, ValidationError, model_validator

from sawtooth.errors import MISSING, InputError
from sawtooth.scenario import units
from sawtooth.scenario.fields import (
    BufferSize,
    DefaultsAsWritten,
    JsonSchema,
    PositiveRate,
    SchemaOnDemand,
    Strict,
    Time,
    input_error,
)
from sawtooth.scenario.queue_value import Queue

LINKS_MAX: Final = 200
"""Most links of a ring: the engine's routes have fewer than 250 links."""


class Shape(Strict):
    """What every `[topology]` table has."""

    unknown_key_reason: ClassVar[str | None] = "this topology uses no other"
    name: ClassVar[str] = ""
    """Its `kind`."""
    summary: ClassVar[str] = ""
    """What it is, in a line."""

    kind: str = ""
    """Which topology."""


class Dumbbell(Shape):
    """One bottleneck that all flows share."""

    name: ClassVar[str] = "dumbbell"
    summary: ClassVar[str] = "one bottleneck R1 → R2 and access links for each flow"


class EqualRate(Shape):
    """Every link has the rate of the bottleneck, and access links have queues like its own: [Lahanas03] Figure 5."""

    name: ClassVar[str] = "equal-rate"
    summary: ClassVar[str] = (
        "a dumbbell whose links all have the rate of the bottleneck, with queues on access links too"
    )


class TwoRouter(Shape):
    """A router before the bottleneck, for cross traffic: [Akella02] Fig. 3(b)."""

    name: ClassVar[str] = "two-router"
    summary: ClassVar[str] = "cross traffic S' → R0 → R1 → R2, test flows over R1 → R2 only"

    rate: PositiveRate | None = None
    """Rate of the link R0 → R1. Default: that of the bottleneck."""
    delay: Time = 10_000_000
    """One-way propagation delay of the link R0 → R1. Default: that of our reference runs with ns-2; [Akella02] states none."""
    buffer: BufferSize = units.parse_buffer("1 bdp")
    """Size of the queue at R0. Default: 1 bdp, unless the discipline has one of its own."""
    queue: Queue | None = None
    """The discipline at R0. Default: DRR."""
    host_rate: PositiveRate = 10_000_000_000
    """Rate of the link S' → R0, where cross traffic begins. Default: so high that it is no bottleneck."""

    @model_validator(mode="after")
    def _own_buffer(self) -> Self:
        if "buffer" not in self.model_fields_set and self.queue is not None:
            self.__dict__["buffer"] = self.queue.buffer
        return self


class Ring(Shape):
    """Equal links in a circle, of which each flow crosses some that follow each other: [Akella02] §4.1.3."""

    name: ClassVar[str] = "ring"
    summary: ClassVar[str] = "equal bottlenecks in a circle; each flow crosses two that follow each other"

    links: Annotated[int, Field(ge=2, le=LINKS_MAX)] = 4
    """Number of bottlenecks, and of routers. Default: the least even circle in which a flow meets other flows at each of its two."""
    hops: Annotated[int, Field(ge=1, le=LINKS_MAX)] = 2
    """How many of them each flow crosses. Default: [Akella02] §4.1.3."""

    @model_validator(mode="after")
    def _hops(self) -> Self:
        if self.hops >= self.links:
            raise InputError("", "hops", self.hops, f"less than links, {self.links}")
        return self


class Free(Shape):
    """Nodes, links and routes from the scenario."""

    name: ClassVar[str] = "free"
    summary: ClassVar[str] = "nodes, links and routes as the scenario lists them"


SHAPES: Final[tuple[type[Shape], ...]] = (Dumbbell, EqualRate, TwoRouter, Ring, Free)
"""Every kind of `[topology]`."""


def parse_shape(value: object) -> Shape:
    """From a name, or a table with `kind` and keys; raises InputError."""
    if isinstance(value, Shape):
        return value
    table = {"kind": value} if isinstance(value, str) else value
    if not isinstance(table, Mapping):
        raise InputError("", None, value, f'a table such as {{ kind = "{Ring.name}" }}')
    names = ", ".join(shape.name for shape in SHAPES)
    if "kind" not in table:
        raise InputError("", "kind", MISSING, f"this key, which is required: one of {names}")
    for shape in SHAPES:
        if shape.name == table["kind"]:
            try:
                return shape.model_validate(dict(table))
            except ValidationError as error:
                raise input_error(error, "") from None
    raise InputError("", "kind", table["kind"], f"one of {names}")


def _text(shape: Shape) -> dict[str, Any]:
    return shape.model_dump(exclude_none=True)


def _schema() -> JsonSchema:
    tables: list[JsonSchema] = [{"enum": [shape.name for shape in SHAPES]}]
    for shape in SHAPES:
        schema = shape.model_json_schema(mode="validation", schema_generator=DefaultsAsWritten)
        kind = {"const": shape.name, "description": shape.summary}
        keys = {name: item for name, item in schema["properties"].items() if name != "kind"}
        tables.append(
            {
                "type": "object",
                "properties": {"kind": kind, **keys},
                "required": ["kind"],
                "additionalProperties": False,
            }
        )
    return {"oneOf": tables}


Topology = Annotated[Shape, BeforeValidator(parse_shape), PlainSerializer(_text), SchemaOnDemand(_schema)]
"""The `[topology]` of a scenario."""

"""What else uses a path, `[[traffic]]`: applications as a scenario file says them.

`TRAFFIC` lists the kinds and what each reads; `traffic` makes of them what the engine simulates. Data goes the way of the test flows, or
with `reverse` against it. Pages are those of RFC 7928 §7.2: at least 50 objects of at least 1 kB over six connections, the next page after
the last; sizes and pauses are ours. UDP is RFC 8868 §5.3's background. Video goes by the buffer [Huang14]. The rate of media is given, or
a rate controller's (RFC 8698); their frames are all alike, or deviate as those of a live encoder do (RFC 8593 §5.3).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final, Self

from pydantic import BeforeValidator, Field, PlainSerializer, ValidationError, model_validator

from sawtooth import _native
from sawtooth.errors import MISSING, InputError
from sawtooth.scenario import units
from sawtooth.scenario.fields import (
    DefaultsAsWritten,
    JsonSchema,
    PacketSize,
    Parsed,
    PositiveRate,
    PositiveReal,
    PositiveSize,
    PositiveTime,
    Recovery,
    SchemaOnDemand,
    Strict,
    Time,
    input_error,
)
from sawtooth.scenario.free_network import Name
from sawtooth.scenario.tcp_fields import NO_RECOVERY, STACKS
from sawtooth.scenario.values import Control

GROUP_MAX: Final = 1_000
"""Most users or streams of one group."""

_PARETO = re.compile(r"\s*pareto\s*\(([^(),]*),([^(),]*)\)\s*")


@dataclass(frozen=True)
class Sizes(Parsed):
    """How much is transferred: always the same, or drawn from a Pareto distribution with this mean and shape."""

    mean: int
    shape: float | None = None

    ACCEPTED: ClassVar[str] = 'a size such as "50 kB", or pareto(mean, shape) with a shape above 1'

    @classmethod
    def parse(cls, value: object) -> Self:
        match = _PARETO.fullmatch(value) if isinstance(value, str) else None
        try:
            if match is None:
                return cls(units.parse_size(value, positive=True))
            mean, shape = units.parse_size(match[1].strip(), positive=True), float(match[2])
        except ValueError:
            raise ValueError(cls.ACCEPTED) from None
        if not 1 < shape <= 1000:
            raise ValueError(cls.ACCEPTED)
        return cls(mean, shape)

    @classmethod
    def schema(cls) -> JsonSchema:
        return {"type": "string", "description": cls.ACCEPTED, "examples": ["50 kB", "pareto(50 kB, 1.5)"]}

    def text(self) -> str:
        mean = units.format_size(self.mean)
        return mean if self.shape is None else f"pareto({mean}, {self.shape:g})"

    def packets(self, packet: int) -> float:
        """The mean in packets of a size; at least one, and whole ones where all are alike."""
        return float(-(-self.mean // packet)) if self.shape is None else max(1.0, self.mean / packet)

    def whole_packets(self, packet: int) -> float:
        """The mean of the packets that carry a size, each rounded up to whole ones."""
        mean = self.packets(packet)
        return mean if self.shape is None else _native.mean_packets(mean, self.shape)


class Traffic(Strict):
    """What every group has."""

    unknown_key_reason: ClassVar[str | None] = "this kind of traffic uses no other"
    name: ClassVar[str] = ""
    """Its `kind`."""
    summary: ClassVar[str] = ""
    """What it is, in a line."""

    kind: str = ""
    """Which kind."""
    start: Time = 0
    """When it begins."""
    stop: PositiveTime | None = None
    """Time from which nothing new begins. Default: the end of the run."""
    reverse: bool = False
    """Its data crosses the reverse link."""
    rtt: PositiveTime | None = None
    """Propagation round-trip time. Default: that of the path, or the mean of its list."""
    route: Annotated[list[Name], Field(min_length=2)] | None = None
    """In a free topology, which requires it, the nodes that its data passes, in order; else not allowed."""

    @property
    def members(self) -> int:
        """How many users, flows or streams it has; transfers of one group all go the same way."""
        return int(getattr(self, "count", 1))

    @model_validator(mode="after")
    def _order(self) -> Self:
        if self.stop is not None and self.stop <= self.start:
            accepted = f"a time after start, {units.format_time(self.start)}"
            raise InputError("", "stop", units.format_time(self.stop), accepted)
        return self


class OverTcp(Traffic):
    """Traffic with a controller and a recovery."""

    control: Control = Control.parse("cubic")
    """The congestion controller. Default: that of most hosts, RFC 9438."""
    recovery: Recovery = "rack"
    """The loss recovery. Default: that of Linux, RFC 8985."""
    packet: PacketSize = 1000
    """A data packet on the wire. Default: that of test flows."""
    ack: PacketSize = 40
    """An acknowledgement, and a SYN, on the wire. Default: headers of IPv4 and TCP without options."""

    @model_validator(mode="after")
    def _repairs(self) -> Self:
        if self.control.is_endpoint:
            if "recovery" in self.model_fields_set and self.recovery != STACKS:
                raise InputError("", "recovery", self.recovery, NO_RECOVERY)
        elif not self.control.takes_recovery:
            accepted = "a controller with a window: what is lost must be repaired"
            raise InputError("", "control", self.control.text(), accepted)
        return self

    def tcp(self) -> dict[str, Any]:
        """The settings it overrides: none, `[tcp]` holds."""
        return {}


def _one_of(group: Traffic, key: str, other: str, shown: Callable[[Any], str]) -> None:
    """InputError unless one of two keys is given, and one alone."""
    value = getattr(group, key)
    if value is None and getattr(group, other) is None:
        raise InputError("", key, MISSING, f"this key or {other}: one of the two is required")
    if value is not None and getattr(group, other) is not None:
        raise InputError("", key, shown(value), f"either {key} or {other}, not both")


class Finite(OverTcp):
    """Transfers that come and go, each over a connection of its own."""

    name: ClassVar[str] = "finite"
    summary: ClassVar[str] = "transfers that come and go: Poisson arrivals, sizes from a distribution"

    size: Sizes
    """Size of a transfer, rounded up to whole packets."""
    load: PositiveReal | None = None
    """Offered load in whole packets, as a share of the rate of the tightest link on their way; or give every."""
    every: PositiveTime | None = None
    """Mean time from one start to the next."""

    @model_validator(mode="after")
    def _intensity(self) -> Self:
        _one_of(self, "load", "every", str)
        return self


class Paced(OverTcp):
    """Flows whose application makes data available at a rate, whatever is delivered."""

    name: ClassVar[str] = "paced"
    summary: ClassVar[str] = (
        "flows that are limited by their application, which makes data available at a rate"
    )

    count: Annotated[int, Field(ge=1, le=GROUP_MAX)] = 1
    """How many flows."""
    rate: PositiveRate
    """Rate at which the application of each flow makes data available, on the wire."""


class Udp(Traffic):
    """Packets at regular intervals, whatever becomes of them."""

    name: ClassVar[str] = "udp"
    summary: ClassVar[str] = "packets at a constant rate that does not react to losses"

    rate: PositiveRate | None = None
    """Rate that is sent; or give share."""
    share: PositiveReal | None = None
    """Rate that is sent, as a share of the rate of the tightest link on its way."""
    packet: PacketSize = 1000
    """A packet on the wire."""

    @model_validator(mode="after")
    def _intensity(self) -> Self:
        _one_of(self, "rate", "share", units.format_rate)
        return self


ENCODERS: Final = ("nada",)
"""Controllers that tell an encoder how much to give."""


@dataclass(frozen=True)
class Caller:
    """The endpoints of a call that adapts."""

    control: Control
    packet: int
    ack: int
    recovery: str = ""
    """None: what is lost stays lost."""

    def tcp(self) -> dict[str, Any]:
        """The settings it overrides: none, `[tcp]` holds."""
        return {}


Deviation = Annotated[float, Field(ge=0.0, le=0.5)]
"""Within these bounds no frame has less than nothing (RFC 8593 §5.3)."""


class Media(Traffic):
    """Frames at regular intervals that are worth something for a while only."""

    name: ClassVar[str] = "media"
    summary: ClassVar[str] = (
        "a call: frames with a deadline, at a rate of its own or as a rate controller says"
    )

    count: Annotated[int, Field(ge=1, le=GROUP_MAX)] = 1
    """How many streams."""
    rate: PositiveRate | None = None
    """Rate of a stream on the wire, which does not react to the network; or give control. Frames have whole packets."""
    control: Control | None = None
    """The rate controller that the encoder follows, such as nada(rmax = 2500); or give rate."""
    fps: PositiveReal = 30.0
    """Frames a second of a stream with a rate; beside control they are a number of the controller. Default: usual in video calls."""
    scale_b: Deviation = 0.0
    """Scale of the Laplacian deviation of frame sizes of a stream with a rate, as a share of their mean; RFC 8593 has 0.15."""
    scale_t: Deviation = 0.0
    """The same of the intervals between frames."""
    deadline: PositiveTime = 150_000_000
    """A frame that takes longer than this to arrive completely is late. The 150 ms one way are those of ITU-T G.114."""
    packet: PacketSize = 1200
    """A packet on the wire. Default: usual in calls, below the least MTU of IPv6."""
    ack: PacketSize = 40
    """Beside control, a report of the receiver, and a SYN, on the wire."""

    @model_validator(mode="after")
    def _who_says_the_rate(self) -> Self:
        _one_of(self, "rate", "control", units.format_rate)
        if self.control is None:
            if "ack" in self.model_fields_set:
                accepted = "this key only beside control: nothing answers a stream with a rate of its own"
                raise InputError("", "ack", units.format_size(self.ack), accepted)
            return self
        if self.control.constructor not in ENCODERS:
            accepted = f"a controller that tells an encoder how much to give: {', '.join(ENCODERS)}"
            raise InputError("", "control", self.control.text(), accepted)
        for name in ("fps", "scale_b", "scale_t"):
            if name in self.model_fields_set:
                value = getattr(self, name)
                accepted = f"no {name} beside control, of which it is a number: nada({name} = {value:g})"
                raise InputError("", name, value, accepted)
        return self

    @property
    def caller(self) -> Caller | None:
        """Its endpoints, if it adapts."""
        return None if self.control is None else Caller(self.control, self.packet, self.ack)


class Asking(OverTcp):
    """Users that ask and wait for what they asked for."""

    count: Annotated[int, Field(ge=1, le=GROUP_MAX)] = 1
    """How many users."""
    request: PositiveSize = 400
    """A request, rounded up to whole packets. Default: our choice, a request of HTTP with few headers."""


class RequestResponse(Asking):
    """A user who asks again as soon as the answer is there, or some time later."""

    name: ClassVar[str] = "request-response"
    summary: ClassVar[str] = "users that ask, wait for the answer, think and ask again"

    size: Sizes
    """An answer."""
    think: Time = 0
    """Mean time from an answer to the next request, drawn from an exponential distribution."""


class Web(Asking):
    """A user who reads pages of many objects."""

    name: ClassVar[str] = "web"
    summary: ClassVar[str] = (
        "users that load pages of objects over several connections and think between them"
    )

    objects: Annotated[int, Field(ge=1, le=1_000)] = 50
    """Number of objects of a page: first the one that names the others, then these in parallel. Default: the least of RFC 7928 §7.2."""
    size: Sizes = Sizes(15_000, 1.5)
    """An object. Default: our choice; RFC 7928 §7.2 asks for at least 1 kB."""
    connections: Annotated[int, Field(ge=1, le=64)] = 6
    """Connections of a user, which stay open. Default: RFC 7928 §7.2."""
    think: Time = 5_000_000_000
    """Mean time from a page to the next, drawn from an exponential distribution. Default: our choice."""


def _rates(value: object) -> tuple[int, ...]:
    if not isinstance(value, list) or not value:
        raise ValueError('a list of rates such as ["1 Mbit/s", "3 Mbit/s"], ascending')
    rates = tuple(units.parse_rate(rate, positive=True) for rate in value)
    if list(rates) != sorted(set(rates)):
        raise ValueError('a list of rates such as ["1 Mbit/s", "3 Mbit/s"], ascending')
    return rates


Rates = Annotated[
    tuple[int, ...],
    BeforeValidator(_rates),
    PlainSerializer(lambda rates: [*map(units.format_rate, rates)]),
    SchemaOnDemand(lambda: {"type": "array", "items": {"type": "string"}, "minItems": 1}),
]
"""Bit rates, ascending."""


class Video(Asking):
    """A viewer of a film whose quality follows the buffer."""

    name: ClassVar[str] = "video"
    summary: ClassVar[str] = "viewers of a film in chunks, whose quality depends on the buffer (BBA-0)"

    rates: Rates = (500_000, 1_000_000, 2_000_000, 4_000_000, 8_000_000)
    """Rates in which the film is available. Default: our choice, from a telephone's picture to 4K."""
    chunk: PositiveTime = 4_000_000_000
    """Playing time of a chunk. Default: that of [Huang14]."""
    buffer: PositiveTime = 30_000_000_000
    """Largest playing time in the buffer. Default: our choice; [Huang14] has 240 s, which no short run fills."""
    reservoir: Time = 8_000_000_000
    """Playing time in the buffer up to which the lowest rate is chosen. Default: two chunks."""

    @model_validator(mode="after")
    def _sizes(self) -> Self:
        if self.buffer < self.chunk:
            accepted = f"at least a chunk, {units.format_time(self.chunk)}"
            raise InputError("", "buffer", units.format_time(self.buffer), accepted)
        if self.reservoir >= self.buffer:
            accepted = f"less than buffer, {units.format_time(self.buffer)}"
            raise InputError("", "reservoir", units.format_time(self.reservoir), accepted)
        return self


TRAFFIC: Final[tuple[type[Traffic], ...]] = (Finite, Paced, Udp, Media, RequestResponse, Web, Video)
"""Every kind of `[[traffic]]`."""


def parse_traffic(value: object) -> Traffic:
    """From a table with `kind` and keys; raises InputError."""
    if isinstance(value, Traffic):
        return value
    names = ", ".join(kind.name for kind in TRAFFIC)
    if not isinstance(value, Mapping):
        raise InputError("", None, value, 'a table such as { kind = "media", rate = "1 Mbit/s" }')
    if "kind" not in value:
        raise InputError("", "kind", MISSING, f"this key, which is required: one of {names}")
    for kind in TRAFFIC:
        if kind.name == value["kind"]:
            try:
                return kind.model_validate(dict(value))
            except ValidationError as error:
                raise input_error(error, "") from None
    raise InputError("", "kind", value["kind"], f"one of {names}")


def _schema() -> JsonSchema:
    tables: list[JsonSchema] = []
    for traffic in TRAFFIC:
        schema = traffic.model_json_schema(mode="validation", schema_generator=DefaultsAsWritten)
        kind = {"const": traffic.name, "description": traffic.summary}
        keys = {name: item for name, item in schema["properties"].items() if name != "kind"}
        required = [name for name in schema.get("required", []) if name != "kind"]
        tables.append(
            {
                "type": "object",
                "properties": {"kind": kind, **keys},
                "required": ["kind", *required],
                "additionalProperties": False,
            }
        )
    return {"oneOf": tables}


Group = Annotated[
    Traffic,
    BeforeValidator(parse_traffic),
    PlainSerializer(lambda group: group.model_dump(exclude_none=True)),
    SchemaOnDemand(_schema),
]
"""A `[[traffic]]` of a scenario."""

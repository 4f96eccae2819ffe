"""Delays on links in scenario files: lateness, jitter, transmit opportunities. What they do: `crates/sim/src/scenario/wires.rs`.

Each is a frozen value that parses what a user writes, knows its JSON Schema, and writes itself back. Ranges that the language does not
give away are checked by the engine.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Final, Self

from pydantic import Field

from sawtooth.scenario import units
from sawtooth.scenario.fields import JsonSchema, Parsed, Strict, Time
from sawtooth.scenario.values import Impairment

_NUMBER = r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?"
_TIME = _NUMBER + r"\s*(?:ns|us|µs|μs|ms|s|min)"
_DELAYS: Mapping[str, re.Pattern[str]] = {
    "constant": re.compile(rf"({_TIME})"),
    "uniform": re.compile(rf"uniform\s+({_NUMBER})\s*(\w+)?\s*\.\.\s*({_TIME})"),
    "exponential": re.compile(rf"exponential\s+({_TIME})"),
    "normal": re.compile(rf"normal\s+({_TIME})\s*(?:±|\+-)\s*({_TIME})"),
    "pareto": re.compile(rf"pareto\s+({_TIME})\s+shape\s+({_NUMBER})"),
}
DELAY_ACCEPTED = (
    '"30 ms", "uniform 5..20 ms", "exponential 5 ms", "normal 20 ms ± 5 ms" or "pareto 5 ms shape 1.5"'
)


def parse_delay(value: object) -> dict[str, Any]:
    """A distribution of delays as the engine has it. Raises ValueError."""
    text = value.strip() if isinstance(value, str) else ""
    for kind, pattern in _DELAYS.items():
        match = pattern.fullmatch(text)
        if match is not None:
            return _delay(kind, match)
    raise ValueError(DELAY_ACCEPTED)


def _delay(kind: str, match: re.Match[str]) -> dict[str, Any]:
    time = units.parse_time
    if kind == "constant":
        return {"kind": kind, "ns": time(match[1])}
    if kind == "uniform":
        unit = match[2] or re.sub(rf"^{_NUMBER}\s*", "", match[3])
        low, high = time(f"{match[1]} {unit}"), time(match[3])
        if low > high:
            raise ValueError(f"{DELAY_ACCEPTED}, the shorter time first")
        return {"kind": kind, "from_ns": low, "to_ns": high}
    if kind == "exponential":
        return {"kind": kind, "mean_ns": time(match[1])}
    if kind == "normal":
        return {"kind": kind, "mean_ns": time(match[1]), "deviation_ns": time(match[2])}
    return {"kind": kind, "least_ns": time(match[1]), "shape": float(match[2])}


@dataclass(frozen=True)
class Late(Parsed):
    """Which packets come late, so that others overtake them: `list(100: 30 ms, …)`, `bernoulli(p, DELAY)` or `periodic(n, DELAY)`."""

    engine: Mapping[str, Any]
    """As the engine's scenario has it."""
    written: str

    FORMS: ClassVar[Mapping[str, str]] = {
        "list": "list(100: 30 ms, …) with ascending packet numbers from 1",
        "bernoulli": "bernoulli(p, DELAY) with 0 ≤ p ≤ 1",
        "periodic": "periodic(n, DELAY) with n ≥ 1",
    }
    DELAY: ClassVar[str] = f", where DELAY is {DELAY_ACCEPTED}"
    ACCEPTED: ClassVar[str] = f"{FORMS['list']}, {FORMS['bernoulli']}, or {FORMS['periodic']}{DELAY}"

    @classmethod
    def parse(cls, value: object) -> Self:
        match = re.fullmatch(r"\s*(list|bernoulli|periodic)\s*\((.*)\)\s*", str(value))
        if not isinstance(value, str) or match is None:
            raise ValueError(cls.ACCEPTED)
        form = match[1]
        try:
            engine = _listed(match[2]) if form == "list" else _share(form, match[2])
        except ValueError:
            raise ValueError(cls.FORMS[form] + (cls.DELAY if form != "list" else "")) from None
        return cls(engine, value)

    @classmethod
    def schema(cls) -> JsonSchema:
        examples = ["list(100: 30 ms)", "bernoulli(0.01, uniform 5..20 ms)"]
        return {"type": "string", "description": cls.ACCEPTED, "examples": examples}

    def text(self) -> str:
        return self.written


def _listed(text: str) -> dict[str, Any]:
    packets = []
    for entry in text.split(","):
        number, _, delay = entry.partition(":")
        packets.append([int(number), units.parse_time(delay.strip())])
    numbers = [0, *(number for number, _ in packets)]
    if any(not earlier < later <= units.LARGEST for earlier, later in pairwise(numbers)):
        raise ValueError("ascending")
    return {"kind": "list", "packets": packets}


def _share(kind: str, text: str) -> dict[str, Any]:
    first, _, delay = text.partition(",")
    if kind == "bernoulli":
        share = float(first)
        if not 0 <= share <= 1:
            raise ValueError("a probability")
        return {"kind": kind, "p": share, "delay": parse_delay(delay)}
    period = int(first)
    if not 1 <= period <= units.LARGEST:
        raise ValueError("at least 1")
    return {"kind": kind, "n": period, "delay": parse_delay(delay)}


@dataclass(frozen=True)
class Jitter(Parsed):
    """By how much every packet is delayed, order kept: a distribution, or `hold 5 ms`."""

    engine: Mapping[str, Any]
    """As the engine's scenario has it."""
    written: str

    ACCEPTED: ClassVar[str] = f'"hold 5 ms", {DELAY_ACCEPTED}'

    @classmethod
    def parse(cls, value: object) -> Self:
        held = re.fullmatch(rf"\s*hold\s+({_TIME})\s*", str(value))
        try:
            if held is not None:
                every = units.parse_time(held[1], positive=True)
                return cls({"kind": "hold", "every_ns": every}, str(value))
            return cls({"kind": "drawn", "delay": parse_delay(value)}, str(value))
        except ValueError:
            raise ValueError(cls.ACCEPTED) from None

    @classmethod
    def schema(cls) -> JsonSchema:
        return {"type": "string", "description": cls.ACCEPTED, "examples": ["exponential 2 ms", "hold 5 ms"]}

    def text(self) -> str:
        return self.written


class Aggregate(Strict):
    """Transmit opportunities, as of Wi-Fi: the link waits for each and sends several packets in it, which arrive together."""

    packets: Annotated[int, Field(ge=1, le=100_000)] = 64
    """Largest number of packets in one opportunity. Default: as many as a block acknowledgement of IEEE 802.11n confirms."""
    time: Time = 4_000_000
    """Longest transmission in one opportunity; a single packet may take longer. Default: what Linux drivers allow an aggregate."""
    overhead: Time = 300_000
    """Fixed time of an opportunity: medium access, preamble, acknowledgement. Default: the order of magnitude of IEEE 802.11n alone."""
    per_flow: bool = False
    """Whether all packets of an opportunity belong to one flow, as those of one station do."""

    def engine(self) -> dict[str, Any]:
        """As the engine's scenario has it."""
        return {
            "packets": self.packets,
            "time_ns": self.time,
            "overhead_ns": self.overhead,
            "per_flow": self.per_flow,
        }


WIRES: Final = ("loss", "late", "jitter", "aggregate")
"""Keys of what a link may do besides dropping and marking."""


class Impaired(Strict):
    """What any link may do to packets by itself."""

    last: ClassVar[Collection[str]] = WIRES

    loss: Impairment | None = None
    """Further packets lost on arrival, besides those of drop."""
    late: Late | None = None
    """Packets that the link delays, so that later packets overtake them."""
    jitter: Jitter | None = None
    """Additional delay of every packet behind the link; packets keep their order."""


class Aggregating(Impaired):
    """The same of a link with a queue."""

    aggregate: Aggregate | None = None
    """Transmit opportunities, in which several packets are sent together. Default: each packet is sent as it comes."""


def impairments(table: Any) -> dict[str, Any]:
    """The losses, marks and delays of a link, as the engine has them: those that scenarios always state, and others that are given."""
    given = {name: getattr(table, name, None) for name in ("drop", "mark", *WIRES)}
    engine: dict[str, Any] = {
        name: dict(value.engine() if isinstance(value, Aggregate) else value.engine)
        for name, value in given.items()
        if value is not None
    }
    return {"drop": None, "mark": None, **engine}


def clean() -> dict[str, None]:
    """Keys of a link that does nothing of all this."""
    return dict.fromkeys(("drop", "mark", *WIRES))

"""Values of scenario files with a small language of their own: impairments, starts and controllers. Queues: `queue_value`.

Each is a frozen value that parses what a user writes (text or a table), knows its JSON Schema, and writes itself
back. Names of controllers, and what their numbers may be, come from the engine's description.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Final, Self

from sawtooth import _native
from sawtooth.errors import InputError, did_you_mean, unknown_key
from sawtooth.scenario import units
from sawtooth.scenario.described import describe, kept
from sawtooth.scenario.fields import JsonSchema, Parsed, each
from sawtooth.scenario.units import LARGEST

PLUGIN: Final = "plugin"
"""The kind of every controller that comes from a plug-in."""
_CALL = re.compile(r"\s*([a-z][a-z-]*)\s*\(([^()]*)\)\s*")


@dataclass(frozen=True)
class Impairment(Parsed):
    """Which packets a link drops or marks by itself: `bernoulli(p)`, `periodic(n)`, `list(a, b, …)`, `gilbert-elliott(p, r, h, k)` or
    `blackout(from, length, every)`."""

    engine: Mapping[str, Any]
    """As the engine's scenario has it."""

    FORMS: ClassVar[Mapping[str, str]] = {
        "bernoulli": "bernoulli(p) with 0 ≤ p ≤ 1",
        "periodic": "periodic(n) with n ≥ 1",
        "list": "list(a, b, …) with ascending packet numbers from 1",
        "gilbert-elliott": "gilbert-elliott(p, r, h, k) with probabilities (h and k may be left out: 0 and 1)",
        "blackout": "blackout(from, length, every) with times, every longer than length (every may be left out)",
    }
    ACCEPTED: ClassVar[str] = f"{', '.join([*FORMS.values()][:-1])}, or {[*FORMS.values()][-1]}"

    @classmethod
    def parse(cls, value: object) -> Self:
        match = _CALL.fullmatch(value) if isinstance(value, str) else None
        try:
            if match is not None and match[1] == "bernoulli" and 0 <= (p := float(match[2])) <= 1:
                return cls({"kind": "bernoulli", "p": p})
            if match is not None and match[1] == "periodic" and 1 <= (n := int(match[2])) <= LARGEST:
                return cls({"kind": "periodic", "n": n})
            if match is not None and match[1] == "list":
                packets = [int(item) for item in match[2].split(",")]
                if all(a < b <= LARGEST for a, b in zip([0, *packets], packets, strict=False)):
                    return cls({"kind": "list", "packets": packets})
            if match is not None and match[1] in ("gilbert-elliott", "blackout"):
                items = [item.strip() for item in match[2].split(",")]
                return cls(_chain(items) if match[1] == "gilbert-elliott" else _blackout(items))
        except ValueError:
            pass  # not a number: the same answer as for a number out of range
        form = value.partition("(")[0].strip() if isinstance(value, str) else ""
        most = f", at most {LARGEST}" if form in ("periodic", "list") else ""
        raise ValueError(f"{cls.FORMS.get(form, cls.ACCEPTED)}{most}")

    def never_before(self, end_ns: int) -> bool:
        """Whether it happens once, and not before that time."""
        once = self.engine["kind"] == "blackout" and self.engine["every_ns"] is None
        return once and int(self.engine["from_ns"]) >= end_ns

    @classmethod
    def schema(cls) -> JsonSchema:
        return {
            "type": "string",
            "description": cls.ACCEPTED,
            "examples": ["bernoulli(0.001)", "periodic(100)", "gilbert-elliott(0.001, 0.2)"],
        }

    def text(self) -> str:
        kind, numbers = self.engine["kind"], [value for key, value in self.engine.items() if key != "kind"]
        if kind == "list":
            (numbers,) = numbers
        if kind == "blackout":
            numbers = [units.format_time(time) for time in numbers if time is not None]
        return f"{kind}({', '.join(map(str, numbers))})"


def _chain(items: list[str]) -> dict[str, Any]:
    """Bursts of losses, [Hasslinger08]: of turning bad, of turning good, of sparing a packet in the bad and in the good state."""
    if not 2 <= len(items) <= 4:
        raise ValueError("two to four numbers")
    values = [*map(float, items), *(0.0, 1.0)[len(items) - 2 :]]
    if not all(0 <= value <= 1 for value in values):
        raise ValueError("probabilities")
    return {"kind": "gilbert-elliott", **dict(zip("prhk", values, strict=True))}


def _blackout(items: list[str]) -> dict[str, Any]:
    """A time in which everything is lost, once or again and again."""
    if not 2 <= len(items) <= 3:
        raise ValueError("two or three times")
    begin, length = units.parse_time(items[0]), units.parse_time(items[1], positive=True)
    every = units.parse_time(items[2]) if len(items) > 2 else None
    if every is not None and every <= length:
        raise ValueError("longer than it lasts")
    return {"kind": "blackout", "from_ns": begin, "length_ns": length, "every_ns": every}


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
            if not value:
                raise ValueError(f"{cls.ACCEPTED}, one for each flow")
            return cls(times=tuple(each(value, units.parse_time)))
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
        return {
            "description": cls.ACCEPTED,
            "oneOf": [time, table, {"type": "array", "items": time, "minItems": 1}],
        }

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


@dataclass(frozen=True)
class Supply(Parsed):
    """Data that an application makes available over time: spans after the start of a flow, each with a volume."""

    entries: tuple[tuple[int, units.Buffer], ...]

    ACCEPTED: ClassVar[str] = (
        'a list of pairs such as ["0.5 s", "10 packets"] or ["2 s", "64 kB"], each with a later time than the one before'
    )

    @classmethod
    def parse(cls, value: object) -> Self:
        if not isinstance(value, list) or not value:
            raise ValueError(cls.ACCEPTED)
        entries = tuple(each(value, cls._entry))
        for index, ((earlier, _), (later, _)) in enumerate(pairwise(entries), start=1):
            if later <= earlier:
                accepted = f"a time after {units.format_time(earlier)}, that of the entry before"
                raise InputError("", f"[{index}][0]", units.format_time(later), accepted)
        return cls(entries)

    @classmethod
    def _entry(cls, value: object) -> tuple[int, units.Buffer]:
        if not isinstance(value, list) or len(value) != 2:
            raise ValueError('a pair such as ["0.5 s", "10 packets"]')
        return units.parse_time(value[0]), units.parse_volume(value[1])

    @classmethod
    def schema(cls) -> JsonSchema:
        text = {"type": "string"}
        pair = {"type": "array", "prefixItems": [text, text], "minItems": 2, "maxItems": 2}
        return {
            "type": "array",
            "items": pair,
            "minItems": 1,
            "description": cls.ACCEPTED,
            "examples": [[["0 s", "10 packets"], ["2 s", "64 kB"]]],
        }

    def text(self) -> Any:
        return [[units.format_time(after), str(volume)] for after, volume in self.entries]

    def engine(self, packet: int) -> list[list[int]]:
        """As the engine's scenario has it, for packets of this size: what is no whole number of them is rounded up, entry by entry."""
        return [
            [after, int(volume.amount) if volume.unit == "packets" else -(-int(volume.amount) // packet)]
            for after, volume in self.entries
        ]


def _named(name: str, value: object) -> int:
    try:
        return units.parse_time(value)
    except ValueError as error:
        raise InputError("", name, value, str(error)) from None


@kept
def _with_window() -> frozenset[str]:
    return frozenset(row["name"] for row in describe()["controllers"] if row["properties"]["window"])


@kept
def _with_own_transport() -> frozenset[str]:
    return frozenset(row["name"] for row in describe()["controllers"] if row["properties"]["own_transport"])


@kept
def _with_records() -> frozenset[str]:
    return frozenset(row["name"] for row in describe()["controllers"] if row["properties"]["records"])


@kept
def _endpoints() -> frozenset[str]:
    rows = describe()["controllers"]
    kinds = (row for row in rows if row["properties"]["own_transport"] and row["properties"]["window"])
    return frozenset(row["name"] for row in kinds)


@kept
def _with_model() -> frozenset[str]:
    rows = describe()["controllers"]
    kinds = (
        row for row in rows if not row["properties"]["conduct"] and not row["properties"]["own_transport"]
    )
    return frozenset(row["name"] for row in kinds)


def controller_error(error: ValueError, value: object) -> InputError:
    """What the engine says of a controller that it does not take, with the name that may have been meant."""
    found = re.match(r"controller(?:\.(\w+))?(?: \"([^\"]*)\"| = [^:]*)?:\s*", str(error))
    problem, _, accepted = str(error)[found.end() if found else 0 :].partition("expected ")
    hint = problem.strip(" ;") or None
    if accepted.startswith("one of "):
        names = [name for row in describe()["controllers"] for name in (row["name"], *row["aliases"])]
        hint = did_you_mean(found[2] if found and found[2] else str(value), names)
    elif found and found[1] and hint == "unknown":
        meant = did_you_mean(found[1], re.findall(r"\w+", accepted)[1:])
        hint = f"unknown: {found[1]}; {meant}" if meant else f"unknown: {found[1]}"
    if found and isinstance(value, Mapping) and found[1] in value:
        return InputError("", found[1], value[found[1]], accepted, hint)
    return InputError("", None, value, accepted, hint)


@dataclass(frozen=True)
class Control(Parsed):
    """A congestion controller in plain numbers; `written` is what the user wrote."""

    engine: Mapping[str, Any]
    written: Any

    @property
    def constructor(self) -> str:
        """The constructor that takes its plain numbers: the law's kind, or the name of a plug-in."""
        return str(self.engine["name"] if self.engine["kind"] == PLUGIN else self.engine["kind"])

    @property
    def has_window(self) -> bool:
        """Whether it answers with a window."""
        return self.constructor in _with_window()

    @property
    def has_model(self) -> bool:
        """Whether it has states and a model of its path, in place of a law of the window."""
        return self.constructor in _with_model()

    @property
    def needs_records(self) -> bool:
        """Whether it must know what became of each packet, which not every recovery does."""
        return self.constructor in _with_records()

    @property
    def takes_recovery(self) -> bool:
        """Whether a loss recovery goes with it: not if it has a transport protocol of its own."""
        return self.constructor not in _with_own_transport()

    @property
    def is_endpoint(self) -> bool:
        """Whether it is a whole endpoint of a plug-in, with a recovery of its own."""
        return self.constructor in _endpoints()

    @classmethod
    def parse(cls, value: object) -> Self:
        if not isinstance(value, (str, Mapping)):
            raise ValueError('a controller such as "aimd(1, 0.8)", or a table with its kind and numbers')
        text = value if isinstance(value, str) else json.dumps(dict(value), default=str)
        try:
            return cls(json.loads(_native.controller(text)), value)
        except ValueError as error:
            raise controller_error(error, value) from None

    @classmethod
    def schema(cls) -> JsonSchema:
        forms = [controller["form"] for controller in describe()["controllers"]]
        return {"type": ["string", "object"], "description": "a constructor: " + ", ".join(forms)}

    def text(self) -> Any:
        return self.written

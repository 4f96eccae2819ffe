"""Other values of a key, made of its schema: a number doubled, a flag flipped, another word of a choice."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from sawtooth.scenario.described import describe

TIMES: Final = ("50 ms", "300 ms", "3 ms", "2 s")
"""Besides a time twice or half as long, since what a timer does is a matter of scale."""

BY_NAME: Final[Mapping[str, tuple[Any, ...]]] = {
    "seed": ("2",),
    "bytes": ("30 kB",),
    "drop": ("periodic(7)",),
    "mark": ("periodic(7)",),
    "loss": ("periodic(7)",),
    "aggregate": ({"packets": 3}, {"packets": 1, "overhead": "3 ms"}),
    "floor": ("700 kbit/s", "1.3 Mbit/s", "3.9 Mbit/s"),
    "max_rto": ("15 ms",),
    "rtt": ("80 ms",),
    "recovery": tuple(row["name"] for row in describe()["recoveries"]),
    "control": ("aimd(1, 0.8)", "aiad(1, 3)", "nada(rmax = 700)"),
    "cross_control": ("aimd(1, 0.8)",),
    "queue": ("red", "drr"),
    "initial_ssthresh": (4.0,),
    "receive_window": (3,),
    "trace": ("outage.trace",),
    "file": ("other.csv",),
    "arrivals": ("other-flows.csv",),
    "route": (["A", "C"], ["B", "C"], ["A", "B"]),
    "interarrival": ("20 ms", ["20 ms", "50 ms"]),
    "from": ("C", "A", "D"),
    "to": ("A", "C"),
    "name": ("D",),
    "cross_load": (0.5,),
    "ack_every": (3,),
    "ecn_beta": (0.9, 0.3),
    "flow": (0, 1),
    "policer": ({"rate": "50 kbit/s", "burst": "2 kB"}, {"rate": "1 kbit/s", "burst": "1500 B"}),
    "shaper": ({"rate": "0.5 Mbit/s", "burst": "5 kB"}, {"rate": "20 kbit/s", "burst": "5 kB"}),
    "set": ({"bottleneck.rate": "5 Mbit/s"},),
    "load": (0.5,),
    "every": ("30 ms",),
    "share": (0.2,),
    "stop": ("1.1 s",),
    "rates": (["100 kbit/s", "800 kbit/s"],),
    "request": ("1500 B",),
    "fps": (60.0, 15.0),
    "rate": ("0.8 Mbit/s",),
}
"""What no schema says: names of files and nodes, and values where there is no default."""

_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])|(?<=\.\.)\d+(?:\.\d+)?")


def others(name: str, schema: Mapping[str, Any], current: object) -> Iterator[Any]:
    """Values of the key `name` other than `current`, the likeliest to act first. AssertionError where nobody says any."""
    found = [value for value in _others(name, schema, current) if value != current]
    assert found, f"{name}: say in BY_NAME of tests/knobs/values.py what other values it takes"
    yield from found


def _others(name: str, schema: Mapping[str, Any], current: object) -> Iterator[Any]:
    if isinstance(current, bool) or _accepts(schema, "boolean"):
        yield from (not current,) if isinstance(current, bool) else (True, False)
        return
    words = [word for part in _parts(schema) for word in part.get("enum", ())]
    if words and isinstance(current, (str, type(None))):
        yield from words
        return
    yield from BY_NAME.get(name, ())
    if isinstance(current, int):
        yield from (2 * current, current // 2, current + 1, current - 1)
    elif isinstance(current, float):
        yield from (current * 1.25, current * 0.75, current + 1, current / 10)
    elif isinstance(current, str):
        yield from _scaled(current)
    for part in _parts(schema):
        yield from part.get("examples", ())
        if "20 ms" in part.get("examples", ()):
            yield from TIMES


def _scaled(text: str) -> Iterator[str]:
    """The text with one of its numbers at another value, the last one first."""
    for match in reversed(list(_NUMBER.finditer(text))):
        number = float(match[0])
        for other in (number * 2, number / 2, number + 1, number * 1.1):
            yield f"{text[: match.start()]}{other:.10g}{text[match.end() :]}"


def _parts(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """A schema and those that it is any of."""
    yield schema
    for kind in ("anyOf", "oneOf"):
        for part in schema.get(kind, ()):
            yield from _parts(part)


def _accepts(schema: Mapping[str, Any], kind: str) -> bool:
    return any(part.get("type") == kind for part in _parts(schema))

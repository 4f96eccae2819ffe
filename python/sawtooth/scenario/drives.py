"""Generated traces of cellular links: a model of what a moving phone is offered, and its parameters for three recorded drives.

Source: the model is of the kind of [Winstein13] §3.1, a doubly stochastic Poisson process: packets are delivered by chance at a rate that
itself wanders by chance, with outages. There the rate is a Brownian motion; here its logarithm reverts to a mean, so that a trace of any
length has the same rate, and it has a slow and a fast part, since recordings vary from second to second and within a second. The
parameters of `DRIVES` were fitted to summary statistics of recordings [Winstein13], which come with mahimahi [Netravali15]; no trace is
copied. docs/validation.md shows the statistics of both.

| parameter     | unit  | default | why                                                                                           |
|---------------|-------|---------|-----------------------------------------------------------------------------------------------|
| mean          | bit/s | given   | mean rate, outages included                                                                   |
| slow          | 1     | given   | standard deviation of the slow part of the logarithm of the rate: from second to second        |
| slow_time     | time  | given   | after this time the slow part has forgotten 63 % of what it was                               |
| fast          | 1     | given   | the same of the fast part: scheduling and fading                                              |
| fast_time     | time  | given   | its time                                                                                      |
| outage_share  | 1     | given   | share of the time without any delivery: handovers, dead spots                                 |
| outage_length | time  | given   | mean length of an outage (geometric)                                                          |
| batch         | 1     | given   | mean number of packets that come in one millisecond together (geometric, at most `BATCH_MOST`)  |

    ln λ(t) = ln m + S(t) + F(t) − (slow² + fast²)/2,   m = mean / (1 − outage_share)

S and F are Gaussian of first order (Ornstein–Uhlenbeck) in steps of `STEP_MS`. In a step that is no outage a Poisson number of batches of
mean λ · step / (1500 B · batch) comes, each at a millisecond of the step by chance. Draws are from the engine's named streams, and `+ - *
/` and the square root alone act on them, so every machine makes the same trace: a normal number is the sum of twelve uniform ones less six,
the exponential function is `exponential`.

Differs from recordings: outages last as long as by chance, where a few of the recorded ones are longer; down and up are drawn apart.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from math import isfinite, sqrt
from typing import Any, Final

from sawtooth import _native
from sawtooth.errors import InputError, unknown_key
from sawtooth.scenario import units
from sawtooth.scenario.trace import OPPORTUNITY_BYTES, Trace

STEP_MS: Final = 20
"""The rate is constant for so long; the tick of [Winstein13] §3.2."""
BATCH_MOST: Final = 12
"""Most packets of a batch."""
DURATION_NS: Final = 120_000_000_000
"""Length of a trace where nobody says it: as long as the shortest of the recordings."""
LONGEST_NS: Final = 3_600_000_000_000
"""The longest trace that is made."""
_NORMALS: Final = 12


@dataclass(frozen=True)
class Drive:
    """A cellular link of which traces are made: what it is like, and the recording that it was fitted to."""

    about: str
    recording: str
    """The file of mahimahi to whose statistics the numbers were fitted."""
    mean_bps: int
    slow: float
    slow_time_ns: int
    fast: float
    fast_time_ns: int
    outage_share: float
    outage_length_ns: int
    batch: float


_MS: Final = 1_000_000

DRIVES: Final[Mapping[str, Drive]] = {
    "lte-driving-down": Drive(
        about="LTE downlink of a car, 5 Mbit/s",
        recording="Verizon-LTE-short.down",
        mean_bps=5_030_000,
        slow=0.62,
        slow_time_ns=6_500 * _MS,
        fast=0.35,
        fast_time_ns=50 * _MS,
        outage_share=0.03,
        outage_length_ns=300 * _MS,
        batch=1.1,
    ),
    "lte-driving-up": Drive(
        about="LTE uplink of a car, 1.9 Mbit/s with outages",
        recording="ATT-LTE-driving-2016.up",
        mean_bps=1_910_000,
        slow=0.68,
        slow_time_ns=3_500 * _MS,
        fast=0.78,
        fast_time_ns=110 * _MS,
        outage_share=0.13,
        outage_length_ns=1_000 * _MS,
        batch=1.2,
    ),
    "evdo-driving-down": Drive(
        about="EV-DO downlink of a car, 0.5 Mbit/s with outages",
        recording="Verizon-EVDO-driving.down",
        mean_bps=520_000,
        slow=0.76,
        slow_time_ns=7_000 * _MS,
        fast=0.4,
        fast_time_ns=80 * _MS,
        outage_share=0.07,
        outage_length_ns=800 * _MS,
        batch=1.3,
    ),
}
"""The drives by name; `recording` says what each was fitted to."""


_CALL = re.compile(r"([a-z][a-z-]*)(?:\(([\x21-\x27\x2a-\x7e]{1,64})\))?")


def drive_of(text: str) -> tuple[str, str] | None:
    """Name and seed of a drive that a scenario names: `lte-driving-down`, or with a seed `lte-driving-down(7)`; None if it names none."""
    match = _CALL.fullmatch(text)
    return (match[1], match[2] or "1") if match is not None and match[1] in DRIVES else None


@cache
def generated(name: str, seed: str) -> Trace:
    """The trace of a drive that a scenario names."""
    return make(DRIVES[name], name=name, seed=seed, duration_ns=DURATION_NS)


@dataclass(frozen=True)
class Tunable:
    """What may be set of a drive: how it is read and written, what is accepted, and its bounds."""

    field: str
    parse: Callable[[object], float]
    text: Callable[[Any], str]
    accepted: str
    least: float
    most: float


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value):
        raise ValueError("a number")
    return float(value)


def _plain(value: float) -> str:
    return f"{value:g}"


SETTINGS: Final[Mapping[str, Tunable]] = {
    "mean": Tunable("mean_bps", units.parse_rate, units.format_rate, "1 kbit/s to 100 Mbit/s", 1e3, 1e8),
    "slow": Tunable("slow", _number, _plain, "0 to 2", 0, 2),
    "slow_time": Tunable("slow_time_ns", units.parse_time, units.format_time, "20 ms to 10 min", 2e7, 6e11),
    "fast": Tunable("fast", _number, _plain, "0 to 2", 0, 2),
    "fast_time": Tunable("fast_time_ns", units.parse_time, units.format_time, "20 ms to 10 min", 2e7, 6e11),
    "outage_share": Tunable("outage_share", _number, _plain, "0 to 0.5", 0, 0.5),
    "outage_length": Tunable(
        "outage_length_ns", units.parse_time, units.format_time, "40 ms to 10 min", 4e7, 6e11
    ),
    "batch": Tunable("batch", _number, _plain, "1 to 4", 1, 4),
}
"""What may be set of a drive, by the key that a user writes."""


def changed(drive: Drive, values: Mapping[str, object], where: str) -> Drive:
    """A drive with other values. InputError names the key."""
    for key, value in values.items():
        setting = SETTINGS.get(key)
        if setting is None:
            raise unknown_key(key, value, SETTINGS).located(where, "")
        try:
            read = setting.parse(value)
        except ValueError as error:
            raise InputError(where, key, value, str(error)) from None
        if not setting.least <= read <= setting.most:
            raise InputError(where, key, value, setting.accepted)
        other: dict[str, Any] = {setting.field: read}
        drive = replace(drive, **other)
    return drive


def exponential(x: float) -> float:
    """The exponential function, the same on every machine: a power series at x/1024, squared ten times."""
    small = x / 1024.0
    value = 1.0
    for order in range(8, 0, -1):
        value = 1.0 + value * small / order
    for _ in range(10):
        value *= value
    return value


def make(drive: Drive, *, name: str, seed: str, duration_ns: int) -> Trace:
    """A trace of a drive, the same on every machine; its period is the duration in whole milliseconds."""
    steps = -(-duration_ns // (STEP_MS * _MS))
    rates = list(_rates(drive, name, seed, steps))
    chances = _native.uniforms(seed, f"trace/{name}/counts", steps)
    counts = [_poisson(rate, chance) for rate, chance in zip(rates, chances, strict=True)]
    total = sum(counts)
    places = iter(_native.uniforms(seed, f"trace/{name}/places", total))
    sizes = iter(_native.uniforms(seed, f"trace/{name}/batches", total))
    more = 1.0 - 1.0 / drive.batch
    end = duration_ns // _MS
    times: list[int] = []
    for step, count in enumerate(counts):
        here: list[int] = []
        for _ in range(count):
            at = step * STEP_MS + 1 + int(next(places) * STEP_MS)
            here.extend([at] * _batch(next(sizes), more))
        times.extend(time for time in sorted(here) if time <= end)
    if not times or times[-1] != end:
        times.append(end)  # the last line is the period
    return Trace(tuple(times))


def _rates(drive: Drive, name: str, seed: str, steps: int) -> Iterator[float]:
    """Batches to expect in each step."""
    bits = 8 * OPPORTUNITY_BYTES * drive.batch
    present = drive.mean_bps / (1.0 - drive.outage_share)
    scale = present * STEP_MS / 1000.0 / bits * exponential(-(drive.slow**2 + drive.fast**2) / 2.0)
    slow = _walk(
        drive.slow, drive.slow_time_ns, _native.uniforms(seed, f"trace/{name}/slow", steps * _NORMALS)
    )
    fast = _walk(
        drive.fast, drive.fast_time_ns, _native.uniforms(seed, f"trace/{name}/fast", steps * _NORMALS)
    )
    out = False
    leave = STEP_MS * _MS / drive.outage_length_ns
    enter = leave * drive.outage_share / (1.0 - drive.outage_share)
    turns = _native.uniforms(seed, f"trace/{name}/outages", steps + 1)
    out = turns[0] < drive.outage_share
    for turn, one, other in zip(turns[1:], slow, fast, strict=True):
        out = turn >= leave if out else turn < enter
        yield 0.0 if out else scale * exponential(one + other)


def _walk(deviation: float, time_ns: int, draws: list[float]) -> Iterator[float]:
    """A Gaussian process of first order, from its stationary distribution on."""
    keep = exponential(-STEP_MS * _MS / time_ns)
    fresh = deviation * sqrt(1.0 - keep * keep)
    value = 0.0
    for first in range(0, len(draws), _NORMALS):
        normal = -_NORMALS / 2
        for draw in draws[first : first + _NORMALS]:
            normal += draw  # one after another: `sum` rounds otherwise from Python 3.12 on
        value = deviation * normal if first == 0 else keep * value + fresh * normal
        yield value


def _poisson(mean: float, chance: float) -> int:
    """A Poisson number, by inversion of its distribution."""
    mean = min(mean, 500.0)  # beyond that, 300 Mbit/s, the first term vanishes
    term = below = exponential(-mean)
    count = 0
    while below < chance and term > 0.0:
        count += 1
        term *= mean / count
        below += term
    return count


def _batch(chance: float, more: float) -> int:
    """A geometric number from 1 on."""
    size = 1
    while chance < more and size < BATCH_MOST:
        chance /= more
        size += 1
    return size

"""Short flows as cross traffic: connections that come and go take what they can get, and the test flows have the rest.

Source: [Akella02] §3.2, §3.3 and Table 2, environments 11 (real-cons-low), 12 (real-cons-high) and 13 (real-sq): SACK AIMD flows with
Poisson arrivals and lengths from a Pareto distribution, over the network of Fig. 3(b).

| parameter     | unit    | default                                  | why                                                              |
|---------------|---------|------------------------------------------|------------------------------------------------------------------|
| interarrival  | s       | real-cons-low 0.03, real-cons-high 0.01, real-sq both in turn | Table 2: mean time between two starts       |
| interval      | s       | 5                                        | real-sq: the intensity changes every 5 s, low first (not stated) |
| packets_mean  | packets | 50                                       | not stated: loads of 13 and 40 % of 100 Mbit/s                   |
| packets_shape | 1       | 1.5                                      | not stated: ns-2's default                                       |
| cross_rtt     | s       | 0.12                                     | not stated: about that of the test flows                         |
| cross_control |         | aimd(1, 0.5)                             | stated: SACK AIMD; its numbers are TCP's                         |
| average_updates |       | all                                      | not stated: at R1 (RIO), whose arrivals move the average         |
| floor         | bit/s   | 70 k                                     | one packet per RTT, as for the random environments               |

How much is left over is only known after a run: the available bandwidth that goodput is measured by is (C − X)/n, X being the
throughput of short flows behind R0, not below the floor. The schedule is what may be expected: C less the mean load. Starts and
lengths come from the engine's stream `arrivals/<name>`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, PlainSerializer, WithJsonSchema, model_validator

from sawtooth import _native
from sawtooth.columns import table_of
from sawtooth.environments.base import ONE_PACKET_PER_RTT_BPS, Conditions, Family
from sawtooth.errors import InputError
from sawtooth.fields import PositiveTime, Rate, Real, each
from sawtooth.plain import canonical
from sawtooth.scenario_values import Control
from sawtooth.schedule import Schedule
from sawtooth.units import TIME_ACCEPTED, decimal_text, format_time, parse_time

CSV_HEADER = "start_time_s,packets"
"""First line of a list of short flows."""

PACKET_BYTES = 1000
"""A packet of a short flow: that of the test flows' packets in [Akella02] (inferred there)."""

ACK_BYTES = 40
"""Its acknowledgement, and its SYN."""


def _times(value: object) -> tuple[int, ...]:
    if not isinstance(value, list):
        return (parse_time(value, positive=True),)
    if not value:
        raise ValueError(f"{TIME_ACCEPTED}, or a list of times")
    return tuple(each(value, lambda item: parse_time(item, positive=True)))


def _times_text(times: tuple[int, ...]) -> Any:
    written = [format_time(time) for time in times]
    return written if len(written) > 1 else written[0]


Times = Annotated[
    tuple[int, ...],
    BeforeValidator(_times),
    PlainSerializer(_times_text),
    WithJsonSchema({"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
]
"""One time in ns, or several that hold in turn."""


def format_flows(flows: list[tuple[int, int]]) -> str:
    """Short flows as CSV: start in decimal seconds, length in packets."""
    rows = (f"{decimal_text(start, 1_000_000_000)},{packets}" for start, packets in flows)
    return "\n".join([CSV_HEADER, *rows, ""])


class ShortFlows(Family):
    """Short flows that come and go, as cross traffic."""

    interarrival: Times
    """Mean time between two starts; or a list of such times, which hold in turn."""
    interval: PositiveTime = 5_000_000_000
    """How long each of a list holds."""
    packets_mean: Annotated[Real, Field(ge=1, le=1e9)] = 50.0
    """Mean length of a flow in packets, before it is rounded up to whole ones."""
    packets_shape: Annotated[Real, Field(gt=1, le=1000)] = 1.5
    """Shape of the Pareto distribution of lengths."""
    cross_rtt: PositiveTime = 120_000_000
    """Propagation round-trip time of the short flows."""
    cross_control: Control = Control.parse("aimd(1, 0.5)")
    """Congestion controller of the short flows and of the place-holders."""
    average_updates: Literal["all", "in-profile"] = "all"
    """Whose arrivals move the average queue at R1: all, or those in profile as in ns-2 since 2001."""
    floor: Rate = ONE_PACKET_PER_RTT_BPS
    """Least available bandwidth per test flow that goodput is measured by."""

    @model_validator(mode="after")
    def _countable(self) -> Self:
        least = 1_000
        if min(self.interarrival) < least:
            raise InputError("", "interarrival", format_time(min(self.interarrival)), "at least 1 us")
        return self

    def intervals(self, conditions: Conditions) -> list[list[int]]:
        """`[time, mean interarrival]` in ns over the run."""
        if len(self.interarrival) == 1:
            return [[0, self.interarrival[0]]]
        times = conditions.starts(self.interval, "interval")
        return [[time, self.interarrival[index % len(self.interarrival)]] for index, time in enumerate(times)]

    def arrivals(self, conditions: Conditions) -> dict[str, Any]:
        """When short flows start and how long they are, as the engine has it."""
        return {
            "kind": "poisson",
            "intervals": self.intervals(conditions),
            "packets_mean": self.packets_mean,
            "packets_shape": self.packets_shape,
        }

    def drawn(self, conditions: Conditions) -> list[tuple[int, int]]:
        """Start (ns) and length (packets) of every short flow of a run, as the engine draws them."""
        schedule = canonical(self.arrivals(conditions))
        columns = _native.arrivals(conditions.seed, conditions.name, schedule, conditions.duration_ns)
        table = table_of(columns)
        return list(
            zip(table.column("start_ns").to_pylist(), table.column("packets").to_pylist(), strict=True)
        )

    def schedule(self, conditions: Conditions) -> Schedule:
        levels = []
        for _, interarrival in self.intervals(conditions):
            load = self.packets_mean * PACKET_BYTES * 8 * 1e9 / interarrival
            levels.append(conditions.clip(conditions.ceiling_bps - load / conditions.flows))
        times = tuple(time for time, _ in self.intervals(conditions))
        return Schedule(times, tuple(levels))

"""Short flows as cross traffic: connections that come and go take what they can get, and the test flows have the rest.

Source: [Akella02] §3.2, §3.3 and Table 2, environments 11 (real-cons-low), 12 (real-cons-high) and 13 (real-sq): SACK AIMD flows with
Poisson arrivals and lengths from a Pareto distribution, over the network of Fig. 3(b).

| parameter     | unit    | default                                  | why                                                              |
|---------------|---------|------------------------------------------|------------------------------------------------------------------|
| interarrival  | s       | real-cons-low 0.03, real-cons-high 0.01, real-sq both in turn | Table 2: mean time between two starts       |
| arrivals      |         | none                                     | a file of starts and lengths, in place of draws                  |
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

from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BeforeValidator, Field, PlainSerializer, WithJsonSchema, model_validator

from sawtooth import _native
from sawtooth.errors import MISSING, InputError
from sawtooth.plain import canonical, whole_numbers
from sawtooth.scenario.environments.base import ONE_PACKET_PER_RTT_BPS, Conditions, Family
from sawtooth.scenario.fields import PositiveTime, Rate, Real, each
from sawtooth.scenario.schedule import Schedule, read_text
from sawtooth.scenario.units import TIME_ACCEPTED, decimal_text, format_time, parse_time
from sawtooth.scenario.values import Control

INTERARRIVAL_MIN_NS = 1_000
"""A microsecond, far below what a packet takes."""

PACKETS_MAX = 2**31
"""Most packets of one flow."""

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


def read_flows(path: Path) -> list[tuple[int, int]]:
    """The inverse of `format_flows`, from a file: starts in ns and lengths. Raises InputError that names file and line."""
    lines = read_text(path).splitlines()
    if not lines or lines[0].strip() != CSV_HEADER:
        raise InputError(str(path), "line 1", lines[0] if lines else MISSING, f"the header {CSV_HEADER}")
    flows: list[tuple[int, int]] = []
    for number, line in enumerate(lines[1:], start=2):
        start, _, packets = line.partition(",")
        try:
            flow = (round(Decimal(start.strip()) * 10**9), int(packets))
        except (ArithmeticError, ValueError):
            flow = (-1, 0)
        earliest = flows[-1][0] if flows else 0
        if flow[0] < earliest or not 1 <= flow[1] <= PACKETS_MAX:
            accepted = f"start_time_s,packets: a time from that of the line before on, and 1 to {PACKETS_MAX} packets"
            raise InputError(str(path), f"line {number}", line, accepted)
        flows.append(flow)
    return flows


class ShortFlows(Family):
    """Short flows that come and go, as cross traffic."""

    alternatives: ClassVar[tuple[tuple[str, ...], ...]] = (("interarrival", "arrivals"),)

    interarrival: Times | None = None
    """Mean time between two starts, or a list of such times that apply in turn; or give arrivals. By name: [Akella02] Table 2."""
    arrivals: Annotated[str, Field(min_length=1)] | None = None
    """CSV file of starts and lengths, start_time_s,packets, as `sawtooth environment --csv` prints it; or give interarrival."""
    interval: PositiveTime = 5_000_000_000
    """How long each entry of the list applies. Default: the only interval that [Akella02] states."""
    packets_mean: Annotated[Real, Field(ge=1, le=1e9)] = 50.0
    """Mean length of a flow in packets, before it is rounded up to whole ones. Default: our choice, for loads of 13 and 40 %."""
    packets_shape: Annotated[Real, Field(gt=1, le=1000)] = 1.5
    """Shape of the Pareto distribution of lengths. Default: that of ns-2."""
    cross_rtt: PositiveTime = 120_000_000
    """Propagation round-trip time of the short flows. Default: about that of the test flows."""
    cross_control: Control = Control.parse("aimd(1, 0.5)")
    """Congestion controller of the short flows and of the place-holders. Default: [Akella02] §3.3, with TCP's numbers."""
    average_updates: Literal["all", "in-profile"] = "all"
    """Whose arrivals move the average queue at R1: all, or those in profile as in ns-2 since 2001. Default: our choice."""
    floor: Rate = ONE_PACKET_PER_RTT_BPS
    """Smallest available bandwidth per test flow to which goodput is relative. Default: one packet per round trip."""

    @model_validator(mode="after")
    def _countable(self) -> Self:
        if self.interarrival is None and self.arrivals is None:
            raise InputError("", "interarrival", MISSING, "interarrival, or a file of arrivals")
        if self.interarrival is not None and self.arrivals is not None:
            raise InputError("", "arrivals", self.arrivals, "interarrival or arrivals, not both")
        if self.interarrival is not None and min(self.interarrival) < INTERARRIVAL_MIN_NS:
            raise InputError("", "interarrival", format_time(min(self.interarrival)), "at least 1 us")
        for key in ("cross_load", "cross_rate"):
            if getattr(self, key) is not None:
                raise InputError("", key, getattr(self, key), "no such key with short flows")
        return self

    def intervals(self, conditions: Conditions) -> list[list[int]]:
        """`[time, mean interarrival]` in ns over the run."""
        assert self.interarrival is not None, "there is a file otherwise"
        if len(self.interarrival) == 1:
            return [[0, self.interarrival[0]]]
        times = conditions.starts(self.interval, "interval")
        return [[time, self.interarrival[index % len(self.interarrival)]] for index, time in enumerate(times)]

    def process(self, conditions: Conditions) -> dict[str, Any]:
        """When short flows start and how long they are, as the engine has it."""
        if self.arrivals is not None:
            flows = read_flows(conditions.directory / self.arrivals)
            return {
                "kind": "list",
                "starts_ns": [start for start, _ in flows],
                "packets": [n for _, n in flows],
            }
        return {
            "kind": "poisson",
            "intervals": self.intervals(conditions),
            "packets_mean": self.packets_mean,
            "packets_shape": self.packets_shape,
        }

    def drawn(self, conditions: Conditions) -> list[tuple[int, int]]:
        """Start (ns) and length (packets) of every short flow of a run, as the engine draws them."""
        schedule = canonical(self.process(conditions))
        columns = _native.arrivals(conditions.seed, conditions.name, schedule, conditions.duration_ns)
        return list(zip(whole_numbers(*columns["start_ns"]), whole_numbers(*columns["packets"]), strict=True))

    def schedule(self, conditions: Conditions) -> Schedule:
        if self.arrivals is not None:
            packets = sum(n for start, n in self.drawn(conditions) if start < conditions.duration_ns)
            load = packets * PACKET_BYTES * 8 * 1e9 / conditions.duration_ns
            return Schedule.constant(conditions.clip(conditions.ceiling_bps - load / conditions.flows))
        levels = []
        for _, interarrival in self.intervals(conditions):
            load = self.packets_mean * PACKET_BYTES * 8 * 1e9 / interarrival
            levels.append(conditions.clip(conditions.ceiling_bps - load / conditions.flows))
        times = tuple(time for time, _ in self.intervals(conditions))
        return Schedule(times, tuple(levels))

"""Probes, lost retransmissions and timers: when packets go again, here and in Linux.

Source: Linux 6.18, data/linux_tails.csv, three repetitions (`rack_redrop1`: one).

| compared                                   | agrees within                                                               |
|--------------------------------------------|-----------------------------------------------------------------------------|
| first packet that goes again               | a step of Linux's clock beyond the range of the repetitions: 4 ms, or 32 ms |
|                                            | where it comes after 252 ms or more                                         |
| each further one, after the one before     | 4 ms                                                                        |
| how many                                   | the same                                                                    |
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from validation.linux_modern.cases import all_runs
from validation.linux_modern.trace import AGAIN, SENT, Trace
from validation.runs import table

STEP_MS: Final = 4.0
LONG_STEP_MS: Final = 32.0
LONG_MS: Final = 252.0
"""From here on timers go in long steps."""


@dataclass(frozen=True)
class Tail:
    """When packets go again, ms after the last new packet (`rack_redrop1`: after the first that goes again); Linux's by repetition."""

    name: str
    ours: tuple[float, ...]
    linux: tuple[tuple[float, ...], ...]
    timeouts: int
    probes: int

    @property
    def later_ms(self) -> float:
        """How far the first time of ours lies outside the range of the repetitions."""
        first = [times[0] for times in self.linux]
        return max(min(first) - self.ours[0], self.ours[0] - max(first), 0.0)

    @property
    def agrees(self) -> bool:
        """By the rule of this file."""
        if any(len(times) != len(self.ours) for times in self.linux):
            return False
        long = min(times[0] for times in self.linux) > LONG_MS
        gaps = [_gaps(times) for times in self.linux]
        followed = all(
            min(many) - STEP_MS <= one <= max(many) + STEP_MS
            for one, *many in zip(_gaps(self.ours), *gaps, strict=True)
        )
        return followed and self.later_ms <= (LONG_STEP_MS if long else STEP_MS)


def _gaps(times: tuple[float, ...]) -> list[float]:
    return [later - earlier for earlier, later in pairwise(times)]


def tails() -> list[Tail]:
    """Every recorded tail."""
    rows = table("linux_tails")
    by_name = all_runs()
    found = []
    for name in dict.fromkeys(row["recording"] for row in rows):
        linux = tuple(
            tuple(float(time) for time in row["again_ms"].split()) for row in rows if row["recording"] == name
        )
        trace = Trace(by_name[name])
        flow = by_name[name].flows.to_pylist()[0]
        found.append(Tail(name, _again_ms(trace, name), linux, flow["timeouts"], flow["tail_probes"]))
    return found


def _again_ms(trace: Trace, name: str) -> tuple[float, ...]:
    times = trace.times_of(AGAIN)
    if name == "rack_redrop1":
        _, *times = times  # the first repairs slow start
        since = times[0]
    else:
        since = trace.times_of(SENT)[-1]
    return tuple(1e3 * (time - since) for time in times)

"""Constrained random: the level may fall anywhere at once, but rises at most by a term and a factor.

Source: [Akella02] §3.1 and Table 2, environments 9 (rw-additive: B(t+1) uniform on [0, B(t) + δ]) and 10
(rw-multiplicative: uniform on [0, µ·B(t)]). Both are B(t+1) uniform on [0, mu·B(t) + delta].

| parameter | unit  | default                              | why                                                       |
|-----------|-------|--------------------------------------|-----------------------------------------------------------|
| start     | bit/s | 1 M                                  | B0 of Table 2, the level of the first interval            |
| delta     | bit/s | rw-additive 0.25 M, else 0           | Table 2: δ = 0.25·B0; per test flow                       |
| mu        | 1     | rw-multiplicative 5/3, else 1        | Table 2                                                   |
| interval  | s     | 5                                    | not stated; 5 s is the only interval in the paper         |
| floor     | bit/s | 70 k                                 | rw-multiplicative shrinks by 5/6 per step on average, so  |
|           |       |                                      | without a floor it goes to 0 (docs/akella2002.md)         |

The process itself stays in [floor, C/n]. The stationary mean of rw-additive is δ, not B0: runs begin above it.
"""

from __future__ import annotations

from typing import Self

from pydantic import model_validator

from sawtooth.errors import InputError
from sawtooth.scenario.environments.base import ONE_PACKET_PER_RTT_BPS, Conditions, Family
from sawtooth.scenario.fields import PositiveRate, PositiveTime, Rate, Real
from sawtooth.scenario.schedule import Schedule


class Constrained(Family):
    """The level falls anywhere at once, but rises at most by a term and a factor."""

    start: PositiveRate
    """Level of the first interval, per test flow."""
    delta: Rate = 0
    """Term of the bound: the next level is at most mu × the last + delta, per test flow. Of a named environment: [Akella02] Table 2."""
    mu: Real = 1.0
    """Factor of the bound: the next level is at most mu × the last + delta. Of a named environment: [Akella02] Table 2."""
    interval: PositiveTime = 5_000_000_000
    """Time of one level."""
    floor: Rate = ONE_PACKET_PER_RTT_BPS
    """Least available bandwidth per test flow; never lower. Default: one packet per round trip; at 0, goodput is 0/0."""

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if not 0 < self.mu <= 1000:
            raise InputError("", "mu", self.mu, "a number above 0 and at most 1000")
        return self

    def schedule(self, conditions: Conditions) -> Schedule:
        times = conditions.starts(self.interval, "interval")
        levels = [conditions.clip(self.start)]
        for u in conditions.uniforms(len(times) - 1):
            levels.append(conditions.clip(u * (self.mu * levels[-1] + self.delta)))
        return Schedule(tuple(times), tuple(levels))

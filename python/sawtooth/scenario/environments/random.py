"""Random: an independent uniform level in each interval.

Source: [Akella02] §3.1 and Table 2, environments 7 (rd-low) and 8 (rd-high): B(t) uniform on [0, B0].

| parameter | unit  | default                  | why                                                                     |
|-----------|-------|--------------------------|-------------------------------------------------------------------------|
| high      | bit/s | rd-low 1 M, rd-high 10 M | B0 of Table 2; per test flow                                            |
| low       | bit/s | 0                        | Table 2                                                                 |
| interval  | s     | 5                        | the step length is not stated; 5 s is the only interval in the paper    |
| floor     | bit/s | 70 k                     | one packet per RTT: a rate of 0 makes goodput 0/0 (not in the paper)    |

The first level is drawn too: nothing says otherwise.
"""

from __future__ import annotations

from typing import Self

from pydantic import model_validator

from sawtooth.scenario.environments.base import ONE_PACKET_PER_RTT_BPS, Conditions, Family, require_order
from sawtooth.scenario.fields import PositiveRate, PositiveTime, Rate
from sawtooth.scenario.schedule import Schedule


class Random(Family):
    """An independent uniform level in each interval."""

    high: PositiveRate
    """Upper end of the draw, per test flow. Of a named environment: [Akella02] Table 2."""
    low: Rate = 0
    """Lower end of the draw, per test flow. Default: [Akella02] Table 2."""
    interval: PositiveTime = 5_000_000_000
    """Time of one level. Default: the only interval that [Akella02] states."""
    floor: Rate = ONE_PACKET_PER_RTT_BPS
    """Least available bandwidth per test flow; lower levels are raised to it. Default: one packet per round trip; at 0, goodput is 0/0."""

    @model_validator(mode="after")
    def _possible(self) -> Self:
        require_order(self.low, self.high)
        return self

    def schedule(self, conditions: Conditions) -> Schedule:
        times = conditions.starts(self.interval, "interval")
        width = float(self.high - self.low)
        levels = (conditions.clip(self.low + width * u) for u in conditions.uniforms(len(times)))
        return Schedule(tuple(times), tuple(levels))

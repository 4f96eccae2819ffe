"""Random walk: in each interval the level moves by a uniform step, up or down.

Source: [Akella02] §3.1 and Table 2, environments 5 (rw-low) and 6 (rw-high): B(t+1) uniform on [B(t) − δ, B(t) + δ].

| parameter | unit  | default                  | why                                                                     |
|-----------|-------|--------------------------|-------------------------------------------------------------------------|
| start     | bit/s | rw-low 1 M, rw-high 10 M | B0 of Table 2, the level of the first interval; per test flow           |
| delta     | bit/s | half of start            | Table 2: δ = 0.5·B0                                                     |
| interval  | s     | 5                        | the step length is not stated; 5 s is the only interval in the paper    |
| floor     | bit/s | 70 k                     | the paper states no lower end; one packet per RTT                       |

The walk itself stays in [floor, C/n]: a level beyond an end is moved to the end before the next step is drawn.
rw-high starts on the cap when C/n is 10 Mbit/s, as in the paper's inferred set-up.
"""

from __future__ import annotations

from sawtooth.scenario.environments.base import ONE_PACKET_PER_RTT_BPS, Conditions, Family
from sawtooth.scenario.fields import PositiveRate, PositiveTime, Rate
from sawtooth.scenario.schedule import Schedule


class Walk(Family):
    """In each interval the level moves by a uniform step, up or down."""

    start: PositiveRate
    """Level of the first interval, per test flow. Of a named environment: [Akella02] Table 2."""
    delta: PositiveRate | None = None
    """Largest step in either direction. Default: half of start."""
    interval: PositiveTime = 5_000_000_000
    """Time of one level. Default: the only interval that [Akella02] states."""
    floor: Rate = ONE_PACKET_PER_RTT_BPS
    """Least available bandwidth per test flow; the walk does not go below. Default: one packet per round trip; at 0, goodput is 0/0."""

    def schedule(self, conditions: Conditions) -> Schedule:
        times = conditions.starts(self.interval, "interval")
        delta = self.delta if self.delta is not None else self.start / 2.0
        levels = [conditions.clip(self.start)]
        for u in conditions.uniforms(len(times) - 1):
            levels.append(conditions.clip(levels[-1] + delta * (2.0 * u - 1.0)))
        return Schedule(tuple(times), tuple(levels))

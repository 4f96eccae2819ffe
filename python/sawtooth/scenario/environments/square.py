"""Square wave: high and low levels in turn, high first, each for half a period unless ``duty`` says otherwise.

Source: [Akella02] §3.1 and Table 2, environments 3 (sq-low) and 4 (sq-high): "10, 5, 10, …", each level for 5 s;
§2 (Fig. 1(b)) has low phases shorter than the high ones.

| parameter | unit  | default                    | why                                                          |
|-----------|-------|----------------------------|--------------------------------------------------------------|
| high      | bit/s | sq-low 10 M, sq-high 10 M  | Table 2; per test flow                                       |
| low       | bit/s | sq-low 5 M, sq-high 1 M    | Table 2; per test flow                                       |
| period    | s     | sq-low, sq-high 10         | "square waves change every 5 s"                              |
| interval  | s     | half of period             | the time between changes; another way to say the same thing  |
| duty      | 1     | 0.5                        | Table 2 has equal halves; share of a period at the high level |
| floor     | bit/s | 0                          | the levels are stated; 0 is a legal outage                   |
"""

from __future__ import annotations

from typing import ClassVar, Final, Self

from pydantic import model_validator

from sawtooth.errors import MISSING, InputError
from sawtooth.scenario.environments.base import Conditions, Family, require_order
from sawtooth.scenario.fields import PositiveRate, PositiveTime, Rate, Real
from sawtooth.scenario.schedule import Schedule
from sawtooth.scenario.units import format_time

HALF: Final = 0.5


class Square(Family):
    """High and low levels in turn, high first."""

    alternatives: ClassVar[tuple[tuple[str, ...], ...]] = (("period", "interval"),)

    high: PositiveRate
    """First level, per test flow. Of a named environment: [Akella02] Table 2."""
    low: Rate
    """Second level, per test flow. Of a named environment: [Akella02] Table 2."""
    period: PositiveTime | None = None
    """Time of one high and one low level together; or give interval. Of a named environment: [Akella02] Table 2."""
    interval: PositiveTime | None = None
    """Time between changes, half a period; or give period."""
    duty: Real = HALF
    """Share of each period at the high level, above 0 and below 1. Default: equal halves, as in [Akella02] Table 2."""

    @model_validator(mode="after")
    def _possible(self) -> Self:
        require_order(self.low, self.high)
        if self.period is None and self.interval is None:
            raise InputError("", "period", MISSING, "period, or interval (half a period)")
        if self.period is not None and self.interval is not None:
            raise InputError("", "interval", format_time(self.interval), "period or interval, not both")
        if not 0 < self.duty < 1:
            raise InputError("", "duty", self.duty, "a share above 0 and below 1")
        if self.interval is not None and self.duty != HALF:
            raise InputError(
                "", "duty", self.duty, "no duty beside interval, which makes both levels last alike"
            )
        if self.period is not None and not 0 < int(self.period * self.duty) < self.period:
            raise InputError(
                "", "period", format_time(self.period), "a time with at least 1 ns of each level"
            )
        return self

    def schedule(self, conditions: Conditions) -> Schedule:
        period = self.period if self.period is not None else 2 * (self.interval or 0)
        key = "period" if self.period is not None else "interval"
        starts = conditions.starts(period, key)
        high_ns = int(period * self.duty)
        times = [time for start in starts for time in (start, start + high_ns)]
        return Schedule(tuple(times), (self.high, self.low) * len(starts)).until(conditions.duration_ns)

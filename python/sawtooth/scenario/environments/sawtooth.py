"""Saw-tooth: a staircase from low up to high, then a fall back to low, again and again.

Source: the saw-tooth pattern of [Akella02] §2 (Figs. 1 and 2), whose numbers survive in no rendering of the report.

| parameter | unit  | default     | why                                                                             |
|-----------|-------|-------------|---------------------------------------------------------------------------------|
| high      | bit/s | none        | highest stair; per test flow                                                    |
| low       | bit/s | none        | lowest stair; per test flow                                                     |
| period    | s     | none        | one rise                                                                        |
| step      | s     | period / 20 | one stair; 20 make stairs of 5 % of the swing, finer than a flow's own sawtooth |
| floor     | bit/s | 0           | the levels are stated                                                           |

Differs from the paper's drawing: stairs instead of a ramp, because a schedule has levels. Stair j of k has the rate
low + (high − low)·j / (k − 1), so the mean of a period is (low + high) / 2 as for the ramp.
"""

from __future__ import annotations

from typing import Final, Self

from pydantic import model_validator

from sawtooth.errors import InputError
from sawtooth.scenario.environments.base import Conditions, Family, require_order
from sawtooth.scenario.fields import PositiveRate, PositiveTime, Rate
from sawtooth.scenario.schedule import Schedule
from sawtooth.scenario.units import format_time

STAIRS: Final = 20
"""Stairs of a period unless `step` says otherwise."""


class SawTooth(Family):
    """A staircase from low up to high, then a fall back to low."""

    high: PositiveRate
    """Highest stair, per test flow."""
    low: Rate
    """Lowest stair, per test flow."""
    period: PositiveTime
    """Time of one rise."""
    step: PositiveTime | None = None
    """Time of one stair; a period has at least 2 whole ones. Default: a twentieth of the period."""

    @model_validator(mode="after")
    def _possible(self) -> Self:
        require_order(self.low, self.high)
        if self.step is None and self.period % STAIRS:
            raise InputError("", "period", format_time(self.period), f"a multiple of {STAIRS} ns, or a step")
        if self.step is not None and (self.period % self.step or self.period == self.step):
            whole = f"a time that divides the period {format_time(self.period)} into 2 or more stairs"
            raise InputError("", "step", format_time(self.step), whole)
        return self

    def schedule(self, conditions: Conditions) -> Schedule:
        step = self.step if self.step is not None else self.period // STAIRS
        stairs = self.period // step
        times = conditions.starts(step, "step")
        swing = self.high - self.low
        levels = [self.low + _divide(swing * (index % stairs), stairs - 1) for index in range(len(times))]
        return Schedule(tuple(times), tuple(levels))


def _divide(numerator: int, denominator: int) -> int:
    """Quotient rounded to the nearest whole number, half up, in integers."""
    return (2 * numerator + denominator) // (2 * denominator)

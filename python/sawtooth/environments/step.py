"""Step: one level, then another; with `until`, back to the first (a pulse, or an outage).

Source: the sudden change on which [Floyd00] §5.1 defines responsiveness.

| parameter | unit  | default | why                                        |
|-----------|-------|---------|--------------------------------------------|
| first     | bit/s | none    | level before the change; per test flow     |
| then      | bit/s | none    | level after it; 0 is an outage             |
| at        | s     | none    | time of the change                         |
| until     | s     | never   | time of the return to the first level      |
| floor     | bit/s | 0       | the levels are stated                      |
"""

from __future__ import annotations

from typing import Self

from pydantic import model_validator

from sawtooth.environments.base import Conditions, Family
from sawtooth.errors import InputError
from sawtooth.fields import PositiveTime, Rate
from sawtooth.schedule import Schedule
from sawtooth.units import format_rate, format_time


class Step(Family):
    """One level, then another, and perhaps back."""

    first: Rate
    """Level before the change, per test flow."""
    then: Rate
    """Level after the change, per test flow."""
    at: PositiveTime
    """Time of the change."""
    until: PositiveTime | None = None
    """Time of the return to the first level. Default: never."""

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if self.first == self.then == 0:
            raise InputError("", "then", format_rate(self.then), "a rate above zero, since first is zero")
        if self.until is not None and self.until <= self.at:
            raise InputError("", "until", format_time(self.until), f"a time after at, {format_time(self.at)}")
        return self

    def schedule(self, conditions: Conditions) -> Schedule:
        if self.at >= conditions.duration_ns:
            accepted = f"a time before the end of the run, {format_time(conditions.duration_ns)}"
            raise InputError("", "at", format_time(self.at), accepted)
        rows = [(0, self.first), (self.at, self.then)]
        if self.until is not None:
            rows.append((self.until, self.first))
        return Schedule(*zip(*rows, strict=True)).until(conditions.duration_ns)

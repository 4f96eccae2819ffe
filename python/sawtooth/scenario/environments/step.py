"""Step: one level, then another; with `until`, back to the first (a pulse, or an outage); with `over`, a ramp in between.

Source: the sudden change on which [Floyd00] §5.1 defines responsiveness; [Akella02] §2 sets slow growth against sudden growth.

| parameter | unit  | default | why                                        |
|-----------|-------|---------|--------------------------------------------|
| first     | bit/s | none    | level before the change; per test flow     |
| then      | bit/s | none    | level after it; 0 is an outage             |
| at        | s     | none    | time of the change                         |
| until     | s     | never   | time of the return to the first level      |
| over      | s     | 0       | how long each change takes, in equal stairs: 0 is at once  |
| floor     | bit/s | 0       | the levels are stated                      |
"""

from __future__ import annotations

from typing import Final, Self

from pydantic import model_validator

from sawtooth.errors import InputError
from sawtooth.scenario.environments.base import Conditions, Family
from sawtooth.scenario.fields import PositiveTime, Rate, Time
from sawtooth.scenario.schedule import Schedule
from sawtooth.scenario.units import format_rate, format_time

STAIRS: Final = 20
"""Stairs of a change that takes time, as those of a saw-tooth."""


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
    over: Time = 0
    """How long each change takes, in equal stairs of a twentieth; 0 is at once."""

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if self.first == self.then == 0:
            raise InputError("", "then", format_rate(self.then), "a rate above zero, since first is zero")
        if self.until is not None and self.until <= self.at + self.over:
            reached = "at" if not self.over else "at + over"
            accepted = f"a time after {reached}, {format_time(self.at + self.over)}"
            raise InputError("", "until", format_time(self.until), accepted)
        if self.over % STAIRS:
            raise InputError("", "over", format_time(self.over), f"a multiple of {STAIRS} ns")
        return self

    def schedule(self, conditions: Conditions) -> Schedule:
        if self.at >= conditions.duration_ns:
            accepted = f"a time before the end of the run, {format_time(conditions.duration_ns)}"
            raise InputError("", "at", format_time(self.at), accepted)
        rows = [(0, self.first), *self._change(self.at, self.first, self.then)]
        if self.until is not None:
            rows += self._change(self.until, self.then, self.first)
        return Schedule(*zip(*rows, strict=True)).until(conditions.duration_ns)

    def _change(self, at_ns: int, old_bps: int, new_bps: int) -> list[tuple[int, int]]:
        """Times and levels of one change: stair j of 20 is j/20 of the way and begins (j − 1)/20 of `over` after `at_ns`."""
        if not self.over:
            return [(at_ns, new_bps)]
        swing = new_bps - old_bps
        return [
            (at_ns + (stair - 1) * self.over // STAIRS, old_bps + swing * stair // STAIRS)
            for stair in range(1, STAIRS + 1)
        ]

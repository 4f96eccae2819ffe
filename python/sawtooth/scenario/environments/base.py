"""What all environments share: the conditions they are drawn under, and their table of parameters.

An environment says how the bandwidth available to each test flow changes over time. It is data: parameters and a
seed in, a `Schedule` out. Draws come from the engine's stream `environment/<name>`, so every algorithm under
comparison meets the same bandwidth for a seed, and no environment moves another's draws.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final, Self

from pydantic import model_validator

from sawtooth import _native
from sawtooth.errors import InputError
from sawtooth.scenario.fields import PositiveRate, PositiveReal, Rate, Strict
from sawtooth.scenario.schedule import Schedule
from sawtooth.scenario.units import format_rate, format_time

LEVELS_MAX: Final = 1_000_000
"""Most levels of one schedule; more means that an interval lost its unit."""

ONE_PACKET_PER_RTT_BPS: Final = 70_000
"""0.07 Mbit/s: a packet of 1000 B each 120 ms is 66.7 kbit/s. Below it a flow cannot keep a window of one."""


@dataclass(frozen=True)
class Conditions:
    """What an environment is drawn under. Rates are bit/s per test flow, times ns."""

    name: str
    seed: str
    duration_ns: int
    floor_bps: int
    ceiling_bps: int
    directory: Path
    flows: int
    """Test flows that share the link, each of which has at most the ceiling."""

    def uniforms(self, count: int) -> list[float]:
        """The first `count` numbers in [0, 1) of this environment's stream; a longer run extends them."""
        return _native.uniforms(self.seed, f"environment/{self.name}", count)

    def clip(self, rate_bps: float) -> int:
        """`rate_bps` in whole bit/s (half to even), moved into [floor, ceiling]."""
        return min(max(round(rate_bps), self.floor_bps), self.ceiling_bps)

    def starts(self, interval_ns: int, key: str) -> list[int]:
        """0, interval, 2 intervals, … before the end of the run; `key` names the interval in an error."""
        count = -(-self.duration_ns // interval_ns)
        if count > LEVELS_MAX:
            accepted = f"a time that changes at most {LEVELS_MAX} times in {format_time(self.duration_ns)}"
            raise InputError("", key, format_time(interval_ns), accepted)
        return [index * interval_ns for index in range(count)]


class Family(Strict):
    """One kind of environment: its parameters as fields, its law as `schedule`."""

    unknown_key_reason: ClassVar[str | None] = "this environment uses no other"
    alternatives: ClassVar[tuple[tuple[str, ...], ...]] = ()
    """Groups of keys that say the same thing: giving one replaces the defaults of the others."""

    floor: Rate = 0
    """Least available bandwidth per test flow; lower levels are raised to it."""
    cross_load: PositiveReal | None = None
    """DRR only: what each cross-traffic source sends, as a multiple of its fair share. Default: 1.25, so always backlogged."""
    cross_rate: PositiveRate | None = None
    """DRR only: what each cross-traffic source sends, instead of cross_load."""

    @model_validator(mode="after")
    def _one_cross(self) -> Self:
        if self.cross_load is not None and self.cross_rate is not None:
            raise InputError(
                "", "cross_rate", format_rate(self.cross_rate), "cross_load or cross_rate, not both"
            )
        return self

    @abstractmethod
    def schedule(self, conditions: Conditions) -> Schedule:
        """The levels over the run. They may still lie outside [floor, ceiling]: the caller clips."""


def require_order(low_bps: int, high_bps: int) -> None:
    """Refuse a low level above the high one."""
    if low_bps > high_bps:
        raise InputError("", "low", format_rate(low_bps), f"a rate of at most high, {format_rate(high_bps)}")

"""What a crossing says of one value, of a setting left out, and of printings that were made up. Plain data.

Source: as ``crossing``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sawtooth.papers.akella2002.reconstruction.confidence_set import LEVEL
from sawtooth.papers.akella2002.reconstruction.factors import Combination, Factor
from sawtooth.plain import written


@dataclass(frozen=True)
class CrossedValue:
    """A value of a crossed parameter."""

    factor: Factor
    level: int
    run: int
    """Combinations with it that were run."""
    left: int
    """Those of them that may be nearest to print."""
    least: float
    """Their least mean misfit; not a number where none was run."""
    p: float
    """The largest p-value among them."""
    p_by_settings: float
    """The same with whole settings drawn again."""
    mean: float
    """Its mean misfit over the values of the other crossed parameters, as far as all of its own parameter were run with these."""
    p_mean: float
    """The p-value of that mean among those of the parameter."""
    p_mean_by_settings: float
    """The same with whole settings drawn again."""

    @property
    def name(self) -> str:
        """Parameter and value."""
        return f"{self.factor.name} = {self.text}"

    @property
    def text(self) -> str:
        """The value as a scenario has it."""
        return written(self.factor.levels[self.level])

    @property
    def ruled_out(self) -> bool:
        """Whether it was run, and no combination with it may be nearest."""
        return self.run > 0 and not self.left

    @property
    def farther(self) -> bool:
        """Whether it is farther from print than another value, on average over the other crossed parameters."""
        return self.run > 0 and self.p_mean < LEVEL

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        numbers = {
            "least_misfit": self.least,
            "p": self.p,
            "p_by_settings": self.p_by_settings,
            "mean_misfit": self.mean,
            "p_mean": self.p_mean,
            "p_mean_by_settings": self.p_mean_by_settings,
        }
        return {
            "parameter": self.factor.name,
            "value": self.factor.levels[self.level],
            "taken": self.level == 0,
            "combinations": self.run,
            "left": self.left,
            **{name: value if np.isfinite(value) else None for name, value in numbers.items()},
            "ruled_out": self.ruled_out,
            "farther": self.farther,
        }


@dataclass(frozen=True)
class LeftOut:
    """A setting, and what the combination chosen without it misses there, beside the values taken."""

    setting: str
    chosen: Combination
    misfit: float
    taken: float


@dataclass(frozen=True)
class MadeUp:
    """What the same runs say of printings that were made up under known values."""

    printings: int
    kept: int
    """Printings whose true combination may be nearest."""
    values: int
    """Values other than the true ones, over all printings."""
    ruled_out: int
    """Those of them that are ruled out."""
    parameters: int
    """Parameters, over all printings."""
    wrong: int
    """Those of them whose true value is ruled out."""

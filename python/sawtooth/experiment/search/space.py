"""The space of a search: a shape of bandwidth over time, and a range for each of its numbers.

Source: none for the search; the shapes and ranges are those that [Akella02] §2 describes (saw-tooth, square waves) with the plausible
numbers of docs/akella2002.md, since the numbers of its Figures 1 and 2 survive in no rendering.

| shape     | numbers                     | ranges unless told                                             |
|-----------|-----------------------------|----------------------------------------------------------------|
| saw-tooth | high, low, period           | 1 to 10 Mbit/s, a rise of 1 to 30 s                            |
| square    | high, low, period, duty     | 1 to 10 Mbit/s, 0.5 to 60 s, high for 0.1 to 0.9 of a period   |

A point lies in the unit cube; its numbers are rounded as people write them, so that what is printed is what was run. Periods are spread
evenly in their logarithm, the rest linearly. ``low`` is drawn between its own lower end and ``high``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from sawtooth.errors import InputError
from sawtooth.scenario.units import parse_rate, parse_time

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Points = NDArray[np.float64]

COMMAND: Final = "sawtooth environment search"

_RATE, _TIME, _SHARE = "Mbit/s", "s", ""
_STEP: Final[Mapping[str, float]] = {_RATE: 0.01, _TIME: 0.001, _SHARE: 0.001}
"""What a number is rounded to, by its unit."""


@dataclass(frozen=True)
class Dimension:
    """One number of a shape: its range in ``unit``. ``below`` names the number that it must not exceed."""

    key: str
    low: float
    high: float
    unit: str
    logarithmic: bool = False
    below: str | None = None

    def value(self, place: float, ceiling: float | None) -> float:
        """The number at a place of [0, 1], rounded."""
        high = self.high if ceiling is None else max(min(self.high, ceiling), self.low)
        if self.logarithmic:
            found = math.exp(math.log(self.low) + place * (math.log(high) - math.log(self.low)))
        else:
            found = self.low + place * (high - self.low)
        step = _STEP[self.unit]
        return round(min(max(round(found / step) * step, self.low), high), 6)

    def text(self, value: float) -> str | float:
        """The number as a scenario file has it."""
        return f"{value:g} {self.unit}" if self.unit else value


SHAPES: Final[Mapping[str, tuple[Dimension, ...]]] = {
    "saw-tooth": (
        Dimension("high", 1.0, 10.0, _RATE),
        Dimension("low", 1.0, 10.0, _RATE, below="high"),
        Dimension("period", 1.0, 30.0, _TIME, logarithmic=True),
    ),
    "square": (
        Dimension("high", 1.0, 10.0, _RATE),
        Dimension("low", 1.0, 10.0, _RATE, below="high"),
        Dimension("period", 0.5, 60.0, _TIME, logarithmic=True),
        Dimension("duty", 0.1, 0.9, _SHARE),
    ),
}
"""Shapes by the name of their environment family."""


@dataclass(frozen=True)
class Space:
    """A shape and the ranges of its numbers."""

    shape: str
    dimensions: tuple[Dimension, ...]

    @classmethod
    def of(cls, shape: str, ranges: Mapping[str, str] | None = None) -> Space:
        """The space of a shape, with ranges as ``LOW..HIGH`` in place of the usual ones. InputError names what is accepted."""
        if shape not in SHAPES:
            raise InputError(COMMAND, "--shape", shape, f"one of {', '.join(SHAPES)}")
        dimensions = {entry.key: entry for entry in SHAPES[shape]}
        for key, text in (ranges or {}).items():
            if key not in dimensions:
                known = ", ".join(dimensions)
                raise InputError(COMMAND, "--range", f"{key}={text}", f"a number of {shape}: {known}")
            low, high = _ends(dimensions[key], text)
            dimensions[key] = replace(dimensions[key], low=low, high=high)
        for entry in dimensions.values():
            if entry.below is not None and entry.low > dimensions[entry.below].low:
                other = dimensions[entry.below]
                accepted = (
                    f"a range that begins no higher than that of {other.key}, {other.low:g} {other.unit}"
                )
                raise InputError(COMMAND, "--range", f"{entry.key}={entry.low:g}..{entry.high:g}", accepted)
        return cls(shape, tuple(dimensions.values()))

    @property
    def size(self) -> int:
        """Number of dimensions."""
        return len(self.dimensions)

    def cover(self, count: int, seed: int) -> Points:
        """Points spread over the whole space, a Latin hypercube: shape (count, dimensions)."""
        return _latin_hypercube(self.size, count, seed)

    def around(self, centres: Points, count: int, radius: float, seed: int) -> Points:
        """Points in boxes of half-width ``radius`` around the centres in turn: shape (count, dimensions)."""
        import numpy as np

        offsets = _latin_hypercube(self.size, count, seed)
        home = centres[np.arange(count) % len(centres)]
        return np.asarray(np.clip(home + radius * (2.0 * offsets - 1.0), 0.0, 1.0))

    def numbers(self, point: Points) -> dict[str, float]:
        """The numbers of a point by key, in the units of the dimensions."""
        found: dict[str, float] = {}
        for entry, place in zip(self.dimensions, point, strict=True):
            found[entry.key] = entry.value(float(place), found.get(entry.below or ""))
        return found

    def table(self, point: Points) -> dict[str, Any]:
        """The ``[environment]`` table of a point."""
        numbers = self.numbers(point)
        own = {entry.key: entry.text(numbers[entry.key]) for entry in self.dimensions}
        return {"kind": self.shape, **own}

    def holds(self, table: Mapping[str, Any]) -> bool:
        """Whether an environment table lies in this space."""
        if table.get("kind") != self.shape:
            return False
        for entry in self.dimensions:
            if entry.key not in table or not entry.low <= _number(entry, table[entry.key]) <= entry.high:
                return False
        return True


def _ends(dimension: Dimension, text: str) -> tuple[float, float]:
    """The two ends of a range such as ``2 Mbit/s..10 Mbit/s``."""
    first, dots, last = text.partition("..")
    example = f"{dimension.text(dimension.low)}..{dimension.text(dimension.high)}"
    accepted = f"two values in order, such as {dimension.key}='{example}'"
    try:
        low, high = _number(dimension, first.strip()), _number(dimension, last.strip())
    except ValueError:
        raise InputError(COMMAND, "--range", f"{dimension.key}={text}", accepted) from None
    if not dots or low > high or (dimension.logarithmic and low <= 0):
        raise InputError(COMMAND, "--range", f"{dimension.key}={text}", accepted)
    return low, high


def _number(dimension: Dimension, text: object) -> float:
    """A value of a dimension in its unit; ValueError for anything else."""
    if not dimension.unit:
        return float(str(text))
    parse: Callable[..., int] = parse_rate if dimension.unit == _RATE else parse_time
    return parse(text) / (1e6 if dimension.unit == _RATE else 1e9)


def _latin_hypercube(size: int, count: int, seed: int) -> Points:
    import numpy as np
    from scipy.stats import qmc

    return np.asarray(qmc.LatinHypercube(size, rng=np.random.Generator(np.random.PCG64(seed))).random(count))

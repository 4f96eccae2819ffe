"""What a model accepts: finite numbers in an interval, alone or in arrays. Everything else is an ``InputError`` that names the number.

Source: none; the intervals are those of the formulas that use them.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from sawtooth.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Numbers: TypeAlias = "NDArray[np.float64]"
"""What models compute with; a scalar is an array without dimensions, and formulas turn it into a NumPy float."""

WHERE = "model"


def within(name: str, value: ArrayLike, interval: str) -> Numbers:
    """``value`` as float64, every element finite and in ``interval``, which is written ``(0, 1)``, ``[0, 1)`` or ``(0, inf)``.

    InputError names ``name``, the first number outside and the interval.
    """
    low, high = _ends(interval)
    number: object = value
    if isinstance(number, (int, float)) and low < number < high:  # the usual case, in a tenth of the time
        return np.asarray(number, dtype=np.float64)
    try:
        numbers = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(WHERE, name, _plain(value), f"a number in {interval}") from None
    good = np.isfinite(numbers)
    good &= numbers >= low if interval[0] == "[" else numbers > low
    good &= numbers <= high if interval[-1] == "]" else numbers < high
    if not bool(np.all(good)):
        first = float(numbers[~good].flat[0]) if numbers.ndim else float(numbers)
        shown = first if math.isfinite(first) else str(first)
        accepted = "a finite number" if math.isinf(low) and math.isinf(high) else f"a number in {interval}"
        raise InputError(WHERE, name, shown, accepted)
    return numbers


@cache
def _ends(interval: str) -> tuple[float, float]:
    low, high = interval[1:-1].split(",")
    return float(low), float(high)


def finite(name: str, value: ArrayLike) -> Numbers:
    """``value`` as float64, every element finite."""
    return within(name, value, "(-inf, inf)")


def satisfying(name: str, value: ArrayLike, holds: ArrayLike, accepted: str) -> Numbers:
    """``value`` as float64 where ``holds``, one truth per number, is true throughout: for conditions that several arguments decide."""
    numbers, truths = np.broadcast_arrays(
        np.asarray(value, dtype=np.float64), np.asarray(holds, dtype=np.bool_)
    )
    if not bool(np.all(truths)):
        raise InputError(WHERE, name, float(numbers[~truths].flat[0]), accepted)
    return numbers


def count(name: str, value: object, least: int = 1, most: float = math.inf) -> int:
    """``value`` as a whole number, at least ``least`` and at most ``most``."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not least <= value <= most:
        to = "" if math.isinf(most) else f" to {most:.0f}"
        raise InputError(WHERE, name, _plain(value), f"a whole number from {least}{to}")
    return int(value)


def _plain(value: object) -> Any:
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value

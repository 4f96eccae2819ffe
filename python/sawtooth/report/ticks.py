"""What stands under an axis of a small panel: numbers at their places, without those that would touch, and words in lines or slanted.

Source: none. How much fits is counted in letters, since the width of a panel is known only when it is drawn.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import NullFormatter, NullLocator

from sawtooth.report.places import SMALL

GAP: Final = 1
"""Letters between two numbers."""
LINE: Final = 22
"""Letters of a line that is slanted."""
HEIGHT: Final = 1.9
"""Height of a line, in letters."""
SLANTS: Final = (30, 45, 60, 90)
"""Degrees; the first that keeps neighbours apart is taken."""


def number_ticks(
    axes: Axes, places: Sequence[float], letters: int, *, logarithmic: bool, size: float | None = None
) -> None:
    """A tick at every place, and the numbers that do not touch, first those of the ends; ``letters`` fit under the axis."""
    if logarithmic:
        axes.set_xscale("log")
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.xaxis.set_minor_locator(NullLocator())
    ordered = sorted(places)
    at = np.log(ordered) if logarithmic else np.array(ordered, dtype=np.float64)
    at = at / (float(np.ptp(at)) or 1.0) * letters
    texts = [f"{number:g}" for number in ordered]
    shown: list[int] = []
    for one in dict.fromkeys([0, len(ordered) - 1, *reversed(range(len(ordered)))]):
        if all(
            abs(at[one] - at[other]) >= (len(texts[one]) + len(texts[other])) / 2 + GAP for other in shown
        ):
            shown.append(one)
    axes.set_xticks(
        ordered, [text if place in shown else "" for place, text in enumerate(texts)], fontsize=size
    )


def word_ticks(axes: Axes, names: Sequence[str], letters: int) -> None:
    """Words under the places 0, 1, ..., in lines that fit between two; slanted where a single word does not."""
    room = max(1, letters // len(names))
    slant = max((len(word) for name in names for word in name.split(" ")), default=0) > room
    lines = [textwrap.fill(name, LINE if slant else room, break_on_hyphens=False) for name in names]
    axes.set_xticks(range(len(names)), lines, fontsize=SMALL)
    if slant:
        angle = _slant(max(line.count("\n") + 1 for line in lines), letters / len(names))
        for label in axes.get_xticklabels():
            label.set(
                rotation=angle, ha="right", va="center" if angle == 90 else "top", rotation_mode="anchor"
            )


def _slant(lines: int, apart: float) -> int:
    """The least slant at which texts of so many lines do not touch, ``apart`` letters from each other."""
    free = (angle for angle in SLANTS if lines * HEIGHT <= apart * math.sin(math.radians(angle)))
    return next(free, SLANTS[-1])


__all__ = ["number_ticks", "word_ticks"]

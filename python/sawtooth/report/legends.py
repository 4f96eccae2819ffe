"""The legend below a figure: as many columns as fit the names, in a figure that is as much higher as the legend has lines.

Source: none.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import Any, Final

from matplotlib.figure import Figure
from matplotlib.legend import Legend

PER_INCH: Final = 12.5
"""Characters of a legend in an inch."""
MARK: Final = 6
"""Characters that the mark before a name and the gap behind it take."""
LINE: Final = 0.22
"""Height of a line, inches."""
EDGE: Final = 0.2
"""Above and below all lines, inches."""


def columns(names: Sequence[str], inches: float) -> int:
    """How many of the names fit side by side."""
    longest = max(map(len, names))
    return max(1, min(len(names), int(PER_INCH * inches / (longest + MARK))))


def room(names: Sequence[str], inches: float) -> float:
    """The height that the legend takes in a figure of this width, inches."""
    lines = max(label.count("\n") + 1 for label in _labels(names, inches))
    return math.ceil(len(names) / columns(names, inches)) * lines * LINE + EDGE


def legend_below(
    figure: Figure, handles: Sequence[Any], names: Sequence[str], inches: float, **more: Any
) -> Legend:
    """Put the legend there; ``more`` goes to ``Figure.legend``."""
    given: dict[str, Any] = {"loc": "outside lower center", "handlelength": 1, **more}
    return figure.legend(handles, _labels(names, inches), ncols=columns(names, inches), **given)


def _labels(names: Sequence[str], inches: float) -> list[str]:
    """The names; one that is wider than the figure is broken."""
    widest = int(PER_INCH * inches) - MARK
    return ["\n".join(textwrap.wrap(name, widest)) for name in names]

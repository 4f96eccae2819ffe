"""Names of environments under an axis: in full, broken into lines, slanted where they would not fit side by side.

Source: none.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Final

from matplotlib.axes import Axes

LINE: Final = 18
"""Least characters of a name in one line."""
GAP: Final = 2
"""Characters between two names."""
SMALL: Final = 7.5
"""Points."""
FIT: Final = 105
"""Characters that fit side by side under the widest figures."""


def wrapped(name: str, beside: int) -> str:
    """A name on several lines, as long as fit where so many names stand side by side; broken where the parameters of a call end."""
    line = max(LINE, FIT // beside - GAP)
    return "\n".join(textwrap.wrap(name, line, break_long_words=True, break_on_hyphens=False))


def slanted(names: Sequence[str]) -> bool:
    """Whether the names need a slant to stand side by side."""
    longest = max(len(line) for name in names for line in wrapped(name, len(names)).splitlines())
    return len(names) * (longest + GAP) > FIT


def name_places(axes: Axes, names: Sequence[str]) -> None:
    """Put the names under the places 0, 1, 2, ..."""
    axes.set_xticks(range(len(names)), [wrapped(name, len(names)) for name in names], fontsize=SMALL)
    if slanted(names):
        for label in axes.get_xticklabels():
            label.set(rotation=40, ha="right", rotation_mode="anchor")

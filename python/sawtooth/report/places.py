"""Names of environments under an axis: in full, broken into lines, slanted where they would not fit side by side.

Source: none.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Final

from matplotlib.axes import Axes

LINE: Final = 18
"""Characters of a name in one line."""
SMALL: Final = 7.5
"""Points."""
FIT: Final = 105
"""Characters that fit side by side under the widest figures."""


def wrapped(name: str) -> str:
    """A name on several lines, broken where the parameters of a call end."""
    return "\n".join(textwrap.wrap(name, LINE, break_long_words=True, break_on_hyphens=False))


def slanted(names: Sequence[str]) -> bool:
    """Whether the names need a slant to stand side by side."""
    longest = max(len(line) for name in names for line in wrapped(name).splitlines())
    return len(names) * (longest + 2) > FIT


def name_places(axes: Axes, names: Sequence[str]) -> None:
    """Put the names under the places 0, 1, 2, ..."""
    axes.set_xticks(range(len(names)), [wrapped(name) for name in names], fontsize=SMALL)
    if slanted(names):
        for label in axes.get_xticklabels():
            label.set(rotation=40, ha="right", rotation_mode="anchor")

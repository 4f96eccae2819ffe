"""The figures of one page, each made and laid out once, for the page itself and for the files beside it.

Source: none. To make and to lay out a figure takes as long as to write it in two forms.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Sketches:
    """Figures by the name of their files."""

    def __init__(self) -> None:
        self._made: dict[str, Figure] = {}

    def of(self, name: str, make: Callable[[], Figure]) -> Figure:
        """The figure of that name, made where it is not there yet."""
        if name not in self._made:
            self._made[name] = make()
        return self._made[name]

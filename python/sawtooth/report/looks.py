"""How the series of a figure are told apart: a colour and a mark each. Where the colours begin anew, hatch and line are others.

Source: the palette of Okabe and Ito; the rest is ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

SERIES: Final = ("#0072b2", "#e69f00", "#009e73", "#b5477f", "#56b4e9", "#d55e00", "#7a6a00", "#666666")
"""Colours of the algorithms in their order: told apart with any colour vision."""
MARKERS: Final = "osD^vPX*"
HATCHES: Final = ("", "/////", "\\\\\\\\\\", "xxxxx", ".....")
LINES: Final = ("-", "--", "-.", ":")
WHITE: Final = "#ffffff"


@dataclass(frozen=True)
class Look:
    """Of one series: how its points, areas and lines are drawn."""

    colour: str
    marker: str
    hatch: str
    line: str

    @property
    def filled(self) -> dict[str, Any]:
        """How bars and patches are filled; a hatch is white on the colour."""
        hatched = {"hatch": self.hatch, "edgecolor": WHITE, "linewidth": 0.0} if self.hatch else {}
        return {"facecolor": self.colour, **hatched}


def look(number: int) -> Look:
    """That of a series by its number. Of 40 no two areas are alike, of 32 no two lines, of 64 no two points."""
    again = number // len(SERIES)
    return Look(
        SERIES[number % len(SERIES)],
        MARKERS[(number + again) % len(MARKERS)],
        HATCHES[again % len(HATCHES)],
        LINES[again % len(LINES)],
    )

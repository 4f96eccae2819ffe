"""What stands to the right of a panel: its legend and notes. They take no part in the constrained layout; the figure makes room for them.

Source: none.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.transforms import ScaledTranslation

from sawtooth.report.drawing import MUTED

GUTTER_INCHES: Final = 0.08
"""Between a panel and what stands beside it."""
LETTER_INCHES: Final = 0.08
"""Width of a letter of the text between panel and legend."""
LABEL_CHARACTERS: Final = 26
"""Width of a legend, in characters."""


def beside(axes: Axes, handles: Sequence[Any], title: str = "", right_of: str = "") -> None:
    """A legend to the right of the panel, and of a text as long as `right_of` that stands there."""
    if not handles and not title:
        return
    legend = axes.legend(
        handles=list(handles),
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        bbox_transform=axes.transAxes + ScaledTranslation(_beside_inches(right_of), 0.04, _dpi(axes)),
        borderaxespad=0.0,
        borderpad=0.0,
        title=wrapped(title) or None,
        title_fontsize=8,
        alignment="left",
        handlelength=1.6,
        labelspacing=0.35,
    )
    legend.get_title().set_color(MUTED)
    legend.set_in_layout(False)


def note_beside(axes: Axes, words: str, at: float, coordinates: str, **look: Any) -> None:
    """A line of text to the right of the panel, its middle at that height."""
    axes.annotate(
        words,
        (1.0, at),
        xycoords=("axes fraction", coordinates),
        xytext=(72.0 * GUTTER_INCHES, 0),
        textcoords="offset points",
        va="center",
        in_layout=False,
        **look,
    )


def beside_extent(axes: Axes, renderer: Any) -> tuple[float, float]:
    """Width and height of what stands to the right of a panel, with the gap before it, pixels. Texts do not count in the height."""
    gap = GUTTER_INCHES * axes.figure.dpi
    legend = axes.get_legend()
    widths = [gap + text.get_window_extent(renderer).width for text in axes.texts]
    if legend is None:
        return max(widths, default=0.0) + gap, 0.0
    box = legend.get_window_extent(renderer)
    return max([box.x1 - axes.get_window_extent(renderer).x1, *widths]) + gap, box.height + gap


def _beside_inches(right_of: str) -> float:
    return GUTTER_INCHES + LETTER_INCHES * len(right_of)


def _dpi(axes: Axes) -> Any:
    figure = axes.get_figure(root=True)
    assert figure is not None
    return figure.dpi_scale_trans


def wrapped(words: str) -> str:
    """A text in lines that fit beside a panel."""
    return "\n".join(textwrap.wrap(words, LABEL_CHARACTERS, break_on_hyphens=False))


def entry(label: str, **look: Any) -> Line2D:
    """An entry of a legend that stands for a kind of line or marker."""
    return Line2D([], [], label=wrapped(label), **look)

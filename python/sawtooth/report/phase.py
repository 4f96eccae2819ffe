"""Pictures of the synchronous model: the vector diagram of two flows, and windows over rounds.

Source: [ChiuJain89] Figure 4, [Lahanas03] Figures 2 to 4. In the vector diagram a point is the pair of windows; an additive increase moves
along 45 degrees, a multiplicative decrease toward the origin. On the fairness line the windows are equal, on the efficiency line
they fill the capacity.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from sawtooth.report.drawing import GRID, INK, MODEL_STYLE, MUTED, SERIES, canvas

FLOWS_NAMED: Final = 8
"""Most flows whose lines have a colour and a name of their own."""

Path = NDArray[np.float64]


def vector_diagram(axes: Axes, windows: Path, capacity: float, colour: str = SERIES[0]) -> None:
    """The way of two windows, shape (points, 2) in packets, with fairness and efficiency line; early steps are darker."""
    top = 1.06 * max(float(windows.max()), capacity)
    axes.plot([0, top], [0, top], color=MUTED, linewidth=0.9, linestyle=(0, (4, 3)), label="fairness line")
    axes.plot([0, capacity], [capacity, 0], color=INK, linewidth=1.0, label="efficiency line")
    for place, (begin, end) in enumerate(pairwise(windows)):
        alpha = max(0.25, 1.0 - place / max(len(windows), 1))
        axes.annotate(
            "",
            xy=(end[0], end[1]),
            xytext=(begin[0], begin[1]),
            arrowprops={
                "arrowstyle": "-|>",
                "color": colour,
                "alpha": alpha,
                "linewidth": 1.1,
                "mutation_scale": 7,
                "shrinkA": 0,
                "shrinkB": 0,
            },
        )
    axes.plot(*windows[0], "o", color=colour, markersize=5)
    axes.annotate("start", (windows[0][0], windows[0][1]), (6, 4), textcoords="offset points", fontsize=8)
    axes.set(xlim=(0, top), ylim=(0, top), aspect="equal")
    axes.set_xlabel("window of flow 1 (packets)")
    axes.set_ylabel("window of flow 2 (packets)")


def corners(windows: Path, congested: NDArray[np.bool_]) -> Path:
    """The points at which the way turns: start, and before and after each decrease."""
    places = np.flatnonzero(congested)
    return np.asarray(windows[np.unique(np.concatenate([[0], places, places + 1]))])


def over_rounds(axes: Axes, windows: Path, capacity: float, colours: Sequence[str] = SERIES) -> None:
    """Every window, shape (rounds + 1, flows) in packets, and their sum against the capacity."""
    rounds = np.arange(len(windows))
    flows = windows.shape[1]
    for flow in range(flows):
        few = flows <= FLOWS_NAMED
        colour = colours[flow % len(colours)] if few else SERIES[-1]
        axes.plot(
            rounds,
            windows[:, flow],
            color=colour,
            linewidth=1.1 if few else 0.5,
            label=f"flow {flow + 1}" if few else None,
        )
    if flows > 1:
        axes.plot(rounds, windows.sum(axis=1), color=INK, linewidth=0.8, label="together")
    axes.axhline(capacity, color=INK, linewidth=0.9, linestyle=(0, (1, 2)), label="capacity")
    axes.set_xlim(0, len(rounds) - 1)
    axes.set_ylim(0, None)
    axes.set_xlabel("round trips")
    axes.set_ylabel("window (packets)")


CORNER: Final[dict[str, Any]] = {"textcoords": "offset points", "ha": "right", "fontsize": 8, "color": MUTED}


def convergence(title: str, windows: Path, congested: NDArray[np.bool_], capacity: float) -> Figure:
    """Windows over rounds; with two flows the vector diagram beside them."""
    pair = windows.shape[1] == 2
    with mpl.rc_context(MODEL_STYLE):
        figure, panels = canvas(10.0 if pair else 7.0, 4.4, 1, 2 if pair else 1)
        if pair:
            vector_diagram(panels[0], corners(windows, congested), capacity)
        over_rounds(panels[-1], windows, capacity)
        panels[0].set_title(title, loc="left", fontsize=10)
        figure.legend(loc="outside lower center", ncols=6, fontsize=8)
    return figure


def evolution(
    axes: Axes, window: Path, capacity: float, low: float, name: str, colour: str = SERIES[0]
) -> None:
    """The window of one flow in equilibrium over rounds, with the range it moves in as a share of the capacity."""
    rounds = np.arange(len(window))
    axes.fill_between(rounds, window, color=colour, alpha=0.12, linewidth=0)
    axes.plot(rounds, window, color=colour, linewidth=1.3)
    for level, text in ((capacity, "W"), (low, name)):
        axes.axhline(level, color=GRID if level == capacity else MUTED, linewidth=0.9, linestyle=(0, (4, 3)))
        axes.annotate(text, (1, level), (0, 3), xycoords=("axes fraction", "data"), **CORNER)
    axes.set_xlim(0, len(rounds) - 1)
    axes.set_ylim(0, 1.12 * capacity)
    axes.set_xlabel("round trips")

"""Pictures of the synchronous model: the vector diagram of two flows, and windows over rounds.

Source: [ChiuJain89] Figure 4, [Lahanas03] Figures 2 to 4. In the vector diagram a point is the pair of windows; an additive increase moves
along 45 degrees, a multiplicative decrease toward the origin. On the fairness line the windows are equal, on the efficiency line
they fill the capacity.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sawtooth.report.drawing import INK, MODEL_STYLE, MUTED, SERIES, canvas

if TYPE_CHECKING:
    from numpy.typing import NDArray

FLOWS_NAMED: Final = 8
"""Most flows whose lines have a colour and a name of their own."""

Path: TypeAlias = "NDArray[np.float64]"


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


def evolution(window: Path, capacity: float, low: float, name: str) -> Figure:
    """The window of one flow in equilibrium over rounds, shape (rounds,), with the range it moves in."""
    with mpl.rc_context(MODEL_STYLE):
        figure, (axes,) = canvas(8.0, 3.4)
        rounds = np.arange(len(window))
        axes.fill_between(rounds, window, color=SERIES[0], alpha=0.12, linewidth=0)
        axes.plot(rounds, window, color=SERIES[0], linewidth=1.3)
        for level, text in ((capacity, "W"), (low, name)):
            axes.axhline(level, color=MUTED, linewidth=0.9, linestyle=(0, (4, 3)))
            axes.annotate(text, (1, level), (0, 3), xycoords=("axes fraction", "data"), **CORNER)
        axes.set_xlim(0, len(rounds) - 1)
        axes.set_ylim(0, 1.15 * capacity)
        axes.set_xlabel("round trips")
        axes.set_ylabel("window (packets)")
    return figure


def vector_panels(panels: Sequence[tuple[str, Path]], capacity: float) -> Figure:
    """Vector diagrams side by side: name and way of each."""
    with mpl.rc_context(MODEL_STYLE):
        figure, places = canvas(3.7 * len(panels), 4.1, 1, len(panels))
        for place, (axes, (name, way)) in enumerate(zip(places, panels, strict=True)):
            vector_diagram(axes, way, capacity, SERIES[place % len(SERIES)])
            axes.set_title(name, loc="left", fontsize=10)
        handles, labels = places[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2, fontsize=8)
    return figure


def steps_saved(capacity: Path, saved: NDArray[np.int64]) -> Figure:
    """Steps saved beyond a bound by capacity, one point per pair of windows; those at zero or below in another colour."""
    with mpl.rc_context(MODEL_STYLE):
        figure, (axes,) = canvas(8.0, 3.6)
        places, count = np.unique(np.stack([capacity, saved]), axis=1, return_counts=True)
        good = places[1] > 0
        for chosen, colour, label in (
            (good, SERIES[0], "more than zero"),
            (~good, SERIES[5], "zero or fewer"),
        ):
            size = 3 + 4 * np.sqrt(count[chosen])
            axes.scatter(
                places[0][chosen],
                places[1][chosen],
                s=size,
                color=colour,
                alpha=0.6,
                linewidths=0,
                label=label,
            )
        axes.axhline(0, color=INK, linewidth=0.8)
        axes.axvline(16.5, color=MUTED, linewidth=0.9, linestyle=(0, (4, 3)))
        axes.set_xlabel("capacity W (packets)")
        axes.set_ylabel("steps beyond the bound")
        figure.legend(loc="outside lower center", ncols=2, fontsize=8)
    return figure


def gaps_over_cycles(lines: Mapping[str, Path]) -> Figure:
    """A quantity per cycle, one line per name, on a logarithmic scale."""
    with mpl.rc_context(MODEL_STYLE):
        figure, (axes,) = canvas(8.0, 3.6)
        for place, (name, values) in enumerate(lines.items()):
            shown = np.where(values > 0.0, values, np.nan)
            axes.plot(
                np.arange(len(values)), shown, color=SERIES[place % len(SERIES)], linewidth=1.3, label=name
            )
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(
            lambda value, _: f"{value:g}"
        )  # no mathematical text, whose fonts may be missing
        axes.set_xlim(0, None)
        axes.set_xlabel("cycles")
        axes.set_ylabel("difference over sum")
        figure.legend(loc="outside lower center", ncols=len(lines), fontsize=8)
    return figure


def steps_over_capacity(capacities: Sequence[float], lines: Mapping[str, Sequence[int]]) -> Figure:
    """Steps to meet by capacity, one line per name, both scales logarithmic, with the slopes of W and of W squared."""
    w = np.asarray(capacities, dtype=np.float64)
    with mpl.rc_context(MODEL_STYLE):
        figure, (axes,) = canvas(8.0, 4.4)
        least = min(values[0] for values in lines.values())
        most = max(values[0] for values in lines.values())
        for power, from_here in ((1, least), (2, most)):
            axes.plot(w, from_here * (w / w[0]) ** power, color=MUTED, linewidth=0.9, linestyle=(0, (4, 3)))
        for place, (name, values) in enumerate(lines.items()):
            axes.plot(
                w, values, "o-", color=SERIES[place % len(SERIES)], linewidth=1.3, markersize=4, label=name
            )
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        axes.set_xticks(w)
        axes.set_xlabel("capacity W (packets)")
        axes.set_ylabel("steps")
        figure.legend(loc="outside lower center", ncols=3, fontsize=8)
    return figure

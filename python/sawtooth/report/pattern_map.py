"""The map of a search: who comes first where in the space of patterns, where the goal is met, and the pattern that was found.

Source: none; the panel of the found pattern is drawn as [Akella02] Figures 1 and 2 have it: bandwidth over time above, goodputs below.
Only the patterns that cover the space evenly are dots of the map; the share of dots is the share of the space.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sawtooth.report.drawing import INK, MODEL_STYLE, MUTED, SERIES, canvas

if TYPE_CHECKING:
    from sawtooth.experiment.search.search import Candidate, Search
    from sawtooth.experiment.search.space import Dimension
    from sawtooth.scenario.schedule import Schedule

ACROSS: Final = "period"
"""The number on the horizontal axis of every map."""
PERIODS_SHOWN: Final = 6
"""Periods of the pattern that are drawn."""


def pattern_map(found: Search, schedule: Schedule) -> Figure:
    """The found pattern, then one map per further number of the shape over the period."""
    across = next(entry for entry in found.space.dimensions if entry.key == ACROSS)
    up = [entry for entry in found.space.dimensions if entry.key != ACROSS]
    with mpl.rc_context(MODEL_STYLE):
        figure, panels = canvas(3.1 * (len(up) + 1), 3.7, 1, len(up) + 1)
        _pattern(panels[0], found, schedule)
        for axes, entry in zip(panels[1:], up, strict=True):
            _map(axes, found, across, entry)
        region = found.region()
        low, high = region.ends
        figure.suptitle(
            f"{found.goal.text}: {found.verdict.value} on seeds {found.judge_seeds[0]} to {found.judge_seeds[-1]}; "
            f"met in {100 * region.share:.1f} % of the space ({100 * low:.1f} to {100 * high:.1f})",
            x=0.01,
            ha="left",
            fontsize=9,
        )
        figure.legend(handles=_legend(found), loc="outside lower center", ncols=6, fontsize=8)
    return figure


def _pattern(axes: Axes, found: Search, schedule: Schedule) -> None:
    shown_s = PERIODS_SHOWN * found.found.numbers[ACROSS]
    times = np.array([*schedule.times_ns, max(schedule.times_ns[-1], shown_s * 1e9)]) / 1e9
    rates = np.array([*schedule.rates_bps, schedule.rates_bps[-1]]) / 1e6
    axes.step(times, rates, where="post", color=INK, linewidth=1.0)
    axes.set(xlim=(0, shown_s), ylim=(0, None), xlabel="time (s)")
    axes.set_title("found: Mbit/s per flow", loc="left", fontsize=8.5)
    for place, name in enumerate(found.algorithms):
        axes.annotate(
            f"{name}  {found.values[name]['goodput']:.3f}",
            (0.02 + 0.5 * (place % 2), -0.30 - 0.09 * (place // 2)),
            xycoords="axes fraction",
            fontsize=7.5,
            color=SERIES[place % len(SERIES)],
        )


def _map(axes: Axes, found: Search, across: Dimension, up: Dimension) -> None:
    def places(entries: list[Candidate]) -> tuple[list[float], list[float]]:
        return [e.numbers[across.key] for e in entries], [e.numbers[up.key] for e in entries]

    for place, name in enumerate(found.algorithms):
        wins = [entry for entry in found.cover if entry.winner == name]
        axes.scatter(*places(wins), s=9, color=SERIES[place % len(SERIES)], linewidths=0)
    axes.scatter(
        *places([entry for entry in found.cover if entry.met]),
        s=34,
        facecolors="none",
        edgecolors=INK,
        linewidths=0.9,
    )
    axes.scatter(
        *places([found.found]), s=110, marker="*", color="white", edgecolors=INK, linewidths=1.0, zorder=3
    )
    axes.set_xscale("log" if across.logarithmic else "linear")
    ticks = [tick for tick in (0.5, 1, 2, 5, 10, 20, 30, 60) if across.low <= tick <= across.high]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_xticks([], minor=True)
    axes.set_xlabel(f"{across.key} ({across.unit})")
    axes.set_title(f"{up.key} ({up.unit})" if up.unit else up.key, loc="left", fontsize=8.5, color=MUTED)


def _legend(found: Search) -> list[Line2D]:
    shares = found.shares()
    dots = [
        Line2D(
            [],
            [],
            marker="o",
            linestyle="",
            markersize=4,
            color=SERIES[place % len(SERIES)],
            label=f"{name} first ({100 * shares[name][0].share:.0f} %)",
        )
        for place, name in enumerate(found.algorithms)
    ]
    ring = Line2D(
        [], [], marker="o", linestyle="", markersize=7, fillstyle="none", color=INK, label="goal met"
    )
    star = Line2D(
        [],
        [],
        marker="*",
        linestyle="",
        markersize=10,
        markerfacecolor="white",
        markeredgecolor=INK,
        label="found",
    )
    return [*dots, ring, star]

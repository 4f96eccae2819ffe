"""Figures of response functions: [Floyd00] Figures 1, 7 and 13 drawn anew, and how the share of a law fades with loss.

Source: [Floyd00] Figures 1, 7, 13 and equation 10. Every function takes numbers and draws them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from sawtooth.report.drawing import INK, MUTED, SERIES, canvas

if TYPE_CHECKING:
    from sawtooth.models.inputs import Numbers

Point = tuple[float, float]

FARTHEST_ROUNDS = 12.0
"""Right end of Figure 7, round trips."""


def response_curve(
    drops: Numbers, exact: Numbers, approximate: Numbers, label: str, point: Point | None = None
) -> Figure:
    """Exact and approximate rate over drop rate, both logarithmic ([Floyd00] Figure 13); ``point`` is marked."""
    figure, (axes,) = canvas(6.4, 4.0)
    axes.plot(drops, exact, color=SERIES[0], linewidth=1.6, label="exact")
    axes.plot(drops, approximate, "--", color=SERIES[5], linewidth=1.4, label="approximate")
    if point is not None:
        axes.plot([point[0]], [point[1]], "o", color=INK, markersize=5)
        axes.annotate(f"{point[1]:.3g}", point, (6, 6), textcoords="offset points")
    axes.set(xscale="log", yscale="log", xlabel="drop rate p", ylabel="packets per round trip S")
    _plain(axes)
    axes.set_title(label, loc="left")
    axes.legend(loc="upper right", frameon=False)
    return figure


def window_in_steady_state(rounds: Numbers, windows: Numbers, low: float, peak: float, label: str) -> Figure:
    """The sawtooth of one law, window over round trips, with its two bounds ([Floyd00] Figure 1)."""
    figure, (axes,) = canvas(6.4, 3.0)
    for height, name in ((peak, "W"), (low, "(1 − b) W")):
        axes.axhline(height, color=MUTED, linewidth=0.8, linestyle=":")
        axes.annotate(
            name, (1.0, height), (4, 0), xycoords=("axes fraction", "data"), textcoords="offset points"
        )
    axes.plot(rounds, windows, color=SERIES[0], linewidth=1.6)
    axes.set(xlabel="round trips", ylabel="window (packets)", ylim=(0, 1.12 * peak), xlim=(0, rounds[-1]))
    axes.set_title(label, loc="left")
    return figure


def tradeoffs(
    curves: Mapping[str, tuple[Numbers, Numbers]],
    aggressive: tuple[Numbers, Numbers],
    marked: Sequence[tuple[str, float, float, float]],
    tfrc: Sequence[tuple[str, float, float, float]],
    here: tuple[str, float, float, float] | None = None,
) -> Figure:
    """Left: smoothness over responsiveness; right: aggressiveness over responsiveness ([Floyd00] Figure 7).

    ``curves`` give (responsiveness, smoothness) by name, the first of them AIMD's; ``aggressive`` (responsiveness, a) of the compatible
    AIMD; ``marked``, ``tfrc`` and ``here`` are (name, responsiveness, smoothness, aggressiveness) of single laws.
    """
    figure, (left, right) = canvas(9.0, 4.0, 1, 2)
    for place, (name, (rounds, kept)) in enumerate(curves.items()):
        style = "-" if place == 0 else ("--", ":", "-.")[(place - 1) % 3]
        left.plot(rounds, kept, style, color=SERIES[place], linewidth=1.5, label=name)
    right.plot(*aggressive, color=SERIES[0], linewidth=1.5, label="AIMD(3b/(2 − b), b)")
    for name, rounds_, kept_, rise in marked:
        for axes, height, below in ((left, kept_, -9), (right, rise, 5)):
            axes.plot([rounds_], [height], "o", color=SERIES[0], markersize=5)
            axes.annotate(name, (rounds_, height), (6, below), textcoords="offset points", fontsize=7.5)
    for place, (name, rounds_, kept_, rise) in enumerate(tfrc):
        if place == 0:
            left.plot([rounds_], [kept_], "s", color=INK, markersize=6, label="TFRC")
        right.plot([rounds_], [rise], ("s", "D", "^", "v")[place % 4], color=INK, markersize=6, label=name)
    farthest = FARTHEST_ROUNDS
    if here is not None:
        name, rounds_, kept_, rise = here
        farthest = max(farthest, 1.1 * rounds_)
        for axes, height in ((left, kept_), (right, rise)):
            axes.plot([rounds_], [height], "*", color=SERIES[5], markersize=12, label=name)
    left.set(ylabel="smoothness (fraction kept)", ylim=(0.45, 1.03))
    right.set(ylabel="aggressiveness (packets per round trip)", ylim=(0, None))
    for axes in (left, right):
        axes.set(xlabel="responsiveness (round trips to halve)", xlim=(0, farthest))
        axes.legend(loc="lower right" if axes is left else "upper right", frameon=False)
    return figure


def fading_shares(drops: Numbers, ratios: Mapping[str, tuple[Numbers, float]]) -> Figure:
    """Rate over TCP's at the same drop rate: exact curves by law, and their limits of equation 10 as dotted lines."""
    figure, (axes,) = canvas(6.4, 4.0)
    for place, (name, (exact, limit)) in enumerate(ratios.items()):
        axes.plot(drops, exact, color=SERIES[place], linewidth=1.6, label=name)
        axes.axhline(limit, color=SERIES[place], linewidth=0.9, linestyle=":")
    axes.set(xscale="log", xlabel="drop rate p", ylabel="rate over that of TCP", ylim=(0, None))
    _plain(axes)
    axes.legend(loc="lower left", frameon=False)
    return figure


def stochastic_models(drops: Numbers, curves: Mapping[str, Numbers]) -> Figure:
    """Several response functions of TCP over drop rate, packets per round trip."""
    figure, (axes,) = canvas(6.4, 4.0)
    for place, (name, rates) in enumerate(curves.items()):
        axes.plot(
            drops, rates, ("-", "--", "-.", ":")[place % 4], color=SERIES[place], linewidth=1.5, label=name
        )
    axes.set(xscale="log", yscale="log", xlabel="loss p", ylabel="packets per round trip")
    _plain(axes)
    axes.legend(loc="lower left", frameon=False)
    return figure


def ratios_to_formula(drops: Numbers, ratios: Mapping[str, Numbers], label: str) -> Figure:
    """Ratios to a formula over drop rate, by law; a line at 1."""
    figure, (axes,) = canvas(6.4, 3.4)
    axes.axhline(1.0, color=MUTED, linewidth=0.8)
    for place, (name, ratio) in enumerate(ratios.items()):
        axes.plot(drops, ratio, "o-", color=SERIES[place], markersize=3.5, linewidth=1.2, label=name)
    axes.set(xscale="log", xlabel="drop rate p", ylabel=label)
    _plain(axes)
    axes.legend(loc="lower left", frameon=False)
    return figure


def _plain(axes: Axes) -> None:
    """Numbers rather than powers of ten on logarithmic axes."""
    for axis in (axes.xaxis, axes.yaxis):
        if axis.get_scale() == "log":
            axis.set_major_formatter(lambda value, _: f"{value:g}")
            axis.set_minor_formatter(NullFormatter())

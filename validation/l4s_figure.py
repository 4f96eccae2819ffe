"""The figure of docs/l4s.md: shares and round-trip times, measured across and ours up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import matplotlib as mpl
import matplotlib.ticker
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sawtooth.report.figures import GRID, MUTED, standalone
from sawtooth.report.looks import SERIES
from validation.figures import STYLE
from validation.l4s import RTT_BOUND, SHARE_BOUND, Cell

KINDS: Final = {
    "cubic": ("o", SERIES[0]),
    "cubic+ecn": ("s", SERIES[1]),
    "bbr-1": ("^", SERIES[5]),
    "bbr-3": ("D", SERIES[2]),
}
NAME: Final = "validation-l4s"


def drawn(cells: Sequence[Cell]) -> Figure:
    """Every cell as a point; band: the bound."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(9.0, 4.3), layout="constrained")
        shares, trips = figure.subplots(1, 2)
        _band(shares, 0.0, 1.0, SHARE_BOUND)
        highest = 1.1 * max(max(cell.ours[m], cell.theirs[m]) for cell in cells for m in _TRIPS)
        _band(trips, 9.0, highest, RTT_BOUND)
        for kind, (marker, colour) in KINDS.items():
            own = [cell for cell in cells if cell.classic == kind]
            _points(shares, own, "share", marker, colour, filled=True)
            for metric in _TRIPS:
                _points(trips, own, metric, marker, colour, filled=metric == "prague_ms")
            shares.plot([], [], marker, color=colour, markersize=4.5, label=f"beside {kind}")
        shares.set(title="share of Prague", xlabel="measured", ylabel="here")
        trips.set(
            title="round trip (ms); open: of the classic flow",
            xlabel="measured",
            xscale="log",
            yscale="log",
        )
        ticks = [10, 12, 15, 20, 30, 50, 80]
        for axis in (trips.xaxis, trips.yaxis):
            axis.set_ticks(ticks, labels=[str(tick) for tick in ticks])
            axis.set_minor_locator(matplotlib.ticker.NullLocator())
        shares.legend(loc="upper left")
    return figure


_TRIPS: Final = ("prague_ms", "classic_ms")


def _band(axes: Axes, lowest: float, highest: float, bound: float) -> None:
    grid = np.linspace(lowest, highest, 200)
    axes.fill_between(grid, grid * (1 - bound), grid * (1 + bound), color=GRID, alpha=0.6, linewidth=0)
    axes.plot(grid, grid, color=MUTED, linewidth=0.8)
    axes.set(xlim=(lowest, highest), ylim=(lowest, highest), aspect="equal")


def _points(
    axes: Axes, cells: Sequence[Cell], metric: str, marker: str, colour: str, *, filled: bool
) -> None:
    axes.plot(
        [cell.theirs[metric] for cell in cells],
        [cell.ours[metric] for cell in cells],
        marker,
        color=colour,
        markersize=4.5,
        markerfacecolor=colour if filled else "none",
    )


def files(cells: Sequence[Cell]) -> dict[str, str]:
    """The figure by file name."""
    return {f"{NAME}.svg": standalone(drawn(cells), NAME)}

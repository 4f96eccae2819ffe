"""The figures of the performance pages, from bench/results alone. Colours and file form are those of the report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter

from sawtooth.report.figures import GRID, INK, MUTED
from sawtooth.report.looks import SERIES

Row = Mapping[str, Any]
STYLE: Final[dict[Any, Any]] = {
    "font.family": "DejaVu Sans",
    "font.size": 8.5,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": 9.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "text.color": INK,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "legend.frameon": False,
}
COST: Final = "ns per forwarded packet"
NUMBERS_SHOWN: Final = 4
"""Of a controller, where it stands in a table or a figure."""


def lines_of(points: Sequence[Row], curve: str) -> dict[str, list[Row]]:
    """The lines of a curve in the order in which they were measured."""
    found: dict[str, list[Row]] = {}
    for row in points:
        if row["curve"] == curve:
            found.setdefault(row["line"], []).append(row)
    return found


def _cost(axes: Axes, rows: Sequence[Row], place: Callable[[Row], float], **style: Any) -> None:
    """Medians joined, with bars from the smallest to the largest round."""
    medians = [row["ns_per_packet"]["median"] for row in rows]
    below = [row["ns_per_packet"]["median"] - row["ns_per_packet"]["low"] for row in rows]
    above = [row["ns_per_packet"]["high"] - row["ns_per_packet"]["median"] for row in rows]
    axes.errorbar([place(row) for row in rows], medians, [below, above], capsize=2, linewidth=1.2, **style)


def _plain(axes: Axes, *which: str) -> None:
    """Tick labels of logarithmic axes as plain numbers."""
    for name in which:
        axis = axes.xaxis if name == "x" else axes.yaxis
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
        axis.set_minor_formatter(NullFormatter())


def _x(row: Row) -> float:
    return float(row["x"])


def _work(row: Row) -> str:
    """What a line of the flows' curve does, whoever does it."""
    return str(row["line"]).removeprefix(row["program"])


def flows(points: Sequence[Row]) -> Figure:
    """Cost of a packet and memory of a flow against the number of flows."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(9.0, 4.2), layout="constrained")
        left, right = figure.subplots(1, 2)
        drawn = lines_of(points, "flows")
        works = list(dict.fromkeys(_work(rows[0]) for rows in drawn.values()))
        programs = list(dict.fromkeys(rows[0]["program"] for rows in drawn.values()))
        for line, rows in drawn.items():
            style = {
                "color": SERIES[works.index(_work(rows[0]))],
                "marker": "osv^"[programs.index(rows[0]["program"])],
                "linestyle": ["-", "--", ":", "-."][programs.index(rows[0]["program"])],
                "markersize": 3.5,
                "label": line,
            }
            _cost(left, rows, _x, **style)
            right.plot(
                [_x(row) for row in rows], [row["bytes_per_flow"] for row in rows], linewidth=1.2, **style
            )
        left.set(xscale="log", yscale="log", xlabel="flows", ylabel=COST, title="cost of a packet")
        right.set(
            xscale="log",
            yscale="log",
            xlabel="flows",
            ylabel="bytes per flow",
            title="memory of a flow, packets in flight included",
        )
        _plain(left, "x", "y")
        _plain(right, "x", "y")
        figure.legend(*right.get_legend_handles_labels(), fontsize=6, loc="outside lower center", ncols=3)
    return figure


def work(points: Sequence[Row]) -> Figure:
    """Cost of a packet against cross traffic, loss and window."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(9.0, 3.2), layout="constrained")
        cross, loss, window = figure.subplots(1, 3)
        for axes, curve, place in (
            (cross, "cross", lambda row: 100 * _x(row)),
            (loss, "loss", lambda row: 100 * _x(row)),
            (window, "window", _x),
        ):
            for index, (line, rows) in enumerate(lines_of(points, curve).items()):
                _cost(
                    axes,
                    rows,
                    place,
                    color=SERIES[index % len(SERIES)],
                    marker="o",
                    markersize=3.5,
                    label=line,
                )
            axes.set_ylim(bottom=0)
            if len(lines_of(points, curve)) > 1:
                axes.legend(fontsize=6.5)
        cross.set(xlabel="CBR traffic, % of the link", ylabel=COST, title="cross traffic")
        loss.set(xlabel="packets lost, %", title="loss, by recovery")
        loss.set_xscale("symlog", linthresh=0.1)
        loss.set_xlim(left=0)
        window.set(xlabel="window, packets", xscale="log", title="window, by loss")
        _plain(loss, "x")
        _plain(window, "x")
    return figure


def shortened(x: object) -> str:
    """A place on an axis; of a controller with many numbers only its name."""
    name, bracket, numbers = str(x).partition("(")
    return f"{name}(…)" if bracket and numbers.count(",") > NUMBERS_SHOWN - 1 else str(x)


def entries(points: Sequence[Row]) -> Figure:
    """Cost of a packet for every entry of the tables, and with series recorded."""
    with mpl.rc_context(STYLE):
        rows = [
            row for row in points if row["curve"] in ("controllers", "recoveries", "disciplines", "recording")
        ]
        figure = Figure(figsize=(9.0, 0.6 + 0.2 * len(rows)), layout="constrained")
        axes = figure.subplots()
        colours = {
            curve: SERIES[index] for index, curve in enumerate(dict.fromkeys(row["curve"] for row in rows))
        }
        for index, row in enumerate(reversed(rows)):
            cost = row["ns_per_packet"]
            error = [[cost["median"] - cost["low"]], [cost["high"] - cost["median"]]]
            axes.barh(index, cost["median"], xerr=error, color=colours[row["curve"]], height=0.7, capsize=2)
        axes.set_yticks(
            range(len(rows)), [f"{shortened(row['x'])}, {row['curve']}" for row in reversed(rows)]
        )
        axes.set(xlabel=COST)
        axes.grid(visible=False, axis="y")
    return figure

"""The figures of docs/validation.md: ours over what was measured elsewhere.

Colours and file form are those of the report (`sawtooth.report.figures`): the same numbers give the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sawtooth.models import random_loss, response
from sawtooth.report.figures import GRID, INK, MUTED, standalone
from sawtooth.report.looks import SERIES
from sawtooth.run.run import Run
from validation.cells import BOUNDS, JUDGED, Cell
from validation.linux import DROPS, Recording, listed
from validation.loss import Random, Regular
from validation.runs import job, runs, table

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
RECOVERIES: Final = {"reno": ("o", SERIES[5]), "sack": ("s", SERIES[0])}
UNITS: Final = {"goodput": "goodput (fraction of available)", "loss": "loss (%)", "delay": "delay (ms)"}


def ns2_cells(cells: Sequence[Cell]) -> Figure:
    """Every cell as a point, ns-2's value across and ours up; bars: one standard deviation over seeds; band: the bound without noise."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(9.0, 3.5), layout="constrained")
        panels: Sequence[Axes] = figure.subplots(1, 3)
        for axes, metric in zip(panels, JUDGED, strict=True):
            highest = 1.06 * max(max(c.ours[metric].mean, c.ns2[metric].mean) for c in cells)
            lowest = 0.3 if metric == "goodput" else 0.0
            grid = np.linspace(lowest, highest, 200)
            share, least = BOUNDS[metric]
            band = np.maximum(share * grid, least)
            axes.fill_between(grid, grid - band, grid + band, color=GRID, alpha=0.6, linewidth=0)
            axes.plot(grid, grid, color=MUTED, linewidth=0.8)
            for recovery, (marker, colour) in RECOVERIES.items():
                own = [cell for cell in cells if cell.recovery == recovery]
                axes.errorbar(
                    [cell.ns2[metric].mean for cell in own],
                    [cell.ours[metric].mean for cell in own],
                    xerr=[cell.ns2[metric].sd for cell in own],
                    yerr=[cell.ours[metric].sd for cell in own],
                    fmt=marker,
                    color=colour,
                    markersize=4,
                    elinewidth=0.8,
                    label=recovery,
                )
            axes.set(xlim=(lowest, highest), ylim=(lowest, highest), aspect="equal", title=UNITS[metric])
            axes.set_xlabel("ns-2")
        panels[0].set_ylabel("here")
        panels[0].legend(loc="upper left")
    return figure


def losses(regular: Sequence[Regular], random: Sequence[Random]) -> Figure:
    """Left: rate over loss with the closed forms. Right: the ratio to equation 4, ours beside ns-2's."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(9.0, 3.8), layout="constrained")
        rates, ratios = figure.subplots(1, 2)
        laws = list(dict.fromkeys((cell.a, cell.b) for cell in regular))
        for place, (a, b) in enumerate(laws):
            own = [cell for cell in regular if (cell.a, cell.b) == (a, b)]
            p = [1 / cell.n for cell in own]
            label, colour = f"AIMD({a:g}, {b:g})", SERIES[place]
            fine = np.geomspace(5e-5, 3e-2, 200)
            rates.plot(fine, response.rate(a, b, fine), color=colour, linewidth=0.9, label=label)
            rates.plot(p, [cell.ours for cell in own], "o", color=colour, markersize=3.5)
            ratios.plot(p, [cell.ratio for cell in own], "o-", color=colour, markersize=3.5, linewidth=0.9)
            ratios.plot(
                p,
                [cell.ns2_ratio for cell in own],
                "o",
                color=colour,
                markersize=8,
                markerfacecolor="none",
                markeredgewidth=0.8,
            )
        tcp = next(m for m in random if (m.a, m.b) == (1.0, 0.5))
        fine = np.geomspace(min(tcp.probabilities) / 1.3, 3e-3, 100)
        rates.plot(fine, random_loss.random_rate(1.0, 0.5, fine), "--", color=INK, linewidth=0.9)
        rates.plot(
            tcp.probabilities, tcp.rates, "x", color=INK, markersize=5, label="AIMD(1, 0.5), random losses"
        )
        rates.set(
            xscale="log", yscale="log", xlabel="loss p", title="packets per round trip (lines: closed forms)"
        )
        rates.legend(loc="lower left")
        ratios.axhline(1.0, color=MUTED, linewidth=0.8)
        ratios.set(xscale="log", xlabel="loss p", title="regular losses: ratio to equation 4 (rings: ns-2)")
        for axis in (rates.xaxis, rates.yaxis, ratios.xaxis):
            axis.set_major_formatter(lambda value, _: f"{value:g}")
    return figure


def ns2_windows() -> Figure:
    """The window of a flow alone over ns-2's decreases: a triangle down where one begins, a triangle up where it ends."""
    shown = (("sack", "aimd(1, 0.8)", 60), ("sack", "aimd(1, 0.5)", 60), ("reno", "mimd(1.125, 0.8)", 12))
    traced = runs(
        job(
            "ns2_single_flow",
            {"flows[0].control": law, "flows[0].recovery": recovery, "record.sample": "20 ms"},
        )
        for recovery, law, _ in shown
    )
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(9.0, 5.6), layout="constrained")
        panels: Sequence[Axes] = figure.subplots(3, 1)
        for axes, (recovery, law, end), run in zip(panels, shown, traced, strict=True):
            _trace(axes, run, end)
            listed = [
                row
                for row in table("ns2_decreases")
                if (row["recovery"], row["control"]) == (recovery, law) and float(row["time_s"]) < end
            ]
            _decreases(
                axes,
                [(float(row["time_s"]), float(row["before"]), float(row["after"])) for row in listed],
                "ns-2",
            )
            axes.set(xlim=(0, end), ylim=(0, 1260), title=f"{recovery}, {law}: window (packets)")
        panels[0].legend(loc="upper right", ncols=3)
        panels[-1].set_xlabel("time (s)")
    return figure


def linux_windows(recordings: Sequence[Recording]) -> Figure:
    """The window of a flow that loses the packets Linux lost, over Linux's episodes."""
    shown: Mapping[str, Mapping[str, Any]] = {
        "drops-sack": {},
        "drops-newreno": {"flows[0].recovery": "newreno"},
    }
    traced = runs(
        job(
            "linux_drops",
            {"bottleneck.drop": listed(DROPS), "record.sample": "10 ms", "duration": "10 s", **case},
        )
        for case in shown.values()
    )
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(9.0, 4.0), layout="constrained")
        panels: Sequence[Axes] = figure.subplots(2, 1, sharex=True)
        for axes, name, run in zip(panels, shown, traced, strict=True):
            recording = next(found for found in recordings if found.name == name)
            _trace(axes, run, 10)
            _decreases(axes, [(e.time_s, e.before, e.after) for e in recording.linux], "Linux")
            axes.set(xlim=(0, 10), ylim=(0, 120), title=f"{name}: window (packets)")
        panels[0].legend(loc="upper right", ncols=3)
        panels[-1].set_xlabel("time (s)")
    return figure


def _trace(axes: Axes, run: Run, end: float) -> None:
    records = run.records["windows"]
    times = records.column("time_ns").to_numpy() / 1e9
    keep = times <= end
    axes.plot(
        times[keep], records.column("window").to_numpy()[keep], color=SERIES[0], linewidth=1.0, label="here"
    )


def _decreases(axes: Axes, listed: Sequence[tuple[float, float, float]], source: str) -> None:
    times = [time for time, _, _ in listed]
    for marker, place, what in (("v", 1, "before"), ("^", 2, "after")):
        values = [row[place] for row in listed]
        axes.plot(times, values, marker, color=SERIES[5], markersize=5, label=f"{source}, {what} a decrease")


def files(
    cells: Sequence[Cell],
    regular: Sequence[Regular],
    random: Sequence[Random],
    recordings: Sequence[Recording],
) -> dict[str, str]:
    """Every figure by file name."""
    drawn = {
        "validation-ns2": ns2_cells(cells),
        "validation-windows": ns2_windows(),
        "validation-loss": losses(regular, random),
        "validation-linux": linux_windows(recordings),
    }
    return {f"{name}.svg": standalone(figure, name) for name, figure in drawn.items()}

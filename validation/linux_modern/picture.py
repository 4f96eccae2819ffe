"""The picture of docs/validation.md: CUBIC's window over Linux's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sawtooth.report.figures import INK, standalone
from sawtooth.report.looks import SERIES
from validation.figures import STYLE
from validation.linux_modern.cases import all_runs
from validation.linux_modern.trace import Trace
from validation.runs import table

SHOWN: Final = {
    "cubic_a60": (12.0, "10 Mbit/s, 60 ms, nine packets lost"),
    "cubic_b150": (26.0, "20 Mbit/s, 150 ms, five packets lost"),
    "cubic_ecn60": (26.0, "10 Mbit/s, 60 ms, marks above 30 packets"),
}
"""Recordings, up to when (s), and what happens."""


def cubic() -> Figure:
    """The window of every recording of CUBIC, ours as a line and Linux's as points."""
    rows = table("linux_cubic_trace")
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(9.0, 6.0), layout="constrained")
        panels: Sequence[Axes] = figure.subplots(len(SHOWN), 1)
        for axes, (name, (end, title)) in zip(panels, SHOWN.items(), strict=True):
            ours = [(time, window) for time, window, _ in Trace(all_runs()[name]).windows if 0 <= time <= end]
            linux = [(float(row["time_s"]), float(row["window"])) for row in rows if row["recording"] == name]
            shown = [(time, window) for time, window in linux if time <= end]
            axes.plot(*zip(*ours, strict=True), color=SERIES[0], linewidth=1.4, label="here")
            axes.plot(*zip(*shown, strict=True), ".", color=INK, markersize=2.2, label="Linux")
            axes.set(xlim=(0, end), ylim=(0, None), title=f"{name}: window (packets); {title}")
        panels[0].legend(loc="lower right", ncols=2)
        panels[-1].set_xlabel("time (s)")
    return figure


def file() -> str:
    """The picture as a file."""
    return standalone(cubic(), "validation-cubic")

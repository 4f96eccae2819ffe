"""The panels of the figure of a run on `[[traffic]]`: what users were given, and what they had to wait for.

Source: none; the choice of panels is that of ``traffic_traces``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from sawtooth.report.beside import beside, entry
from sawtooth.report.drawing import INK, SERIES
from sawtooth.report.trace_panels import HEAD_ROOM, rate_unit
from sawtooth.report.traffic_traces import CallTrace, FilmTrace, LoadsTrace, PacedTrace, TrafficTrace

if TYPE_CHECKING:
    from numpy.typing import NDArray

RATE_INCHES: Final = 1.2
DELAY_INCHES: Final = 1.1
GROUPS_MOST: Final = 6
"""Most groups shown: those that the scenario lists first."""
LINES_MOST: Final = 3
"""Most viewers with a line of their own."""
WIDE: Final = 30.0
"""How many times the least the longest time must be for a logarithmic scale."""
CROWD: Final = 400
"""Transfers from which dots become small."""
FOOT: Final = (0.0, 0.09)
"""Height of the strokes at the foot of a panel, in parts of it."""
GIVEN, CAME, LATE, LOST = INK, SERIES[0], SERIES[1], SERIES[5]


def heights(traffic: list[TrafficTrace]) -> list[float]:
    """Of the panels, in order: a call has two."""
    found = []
    for group in traffic:
        found += [RATE_INCHES, DELAY_INCHES] if isinstance(group, CallTrace) else [RATE_INCHES]
    return found


def draw_all(axes: list[Axes], traffic: list[TrafficTrace]) -> None:
    """Every group into its panels."""
    rows = iter(axes)
    for group in traffic:
        if isinstance(group, CallTrace):
            _call_rate(next(rows), group)
            _call_delay(next(rows), group)
        elif isinstance(group, LoadsTrace):
            _loads(next(rows), group)
        elif isinstance(group, FilmTrace):
            _film(next(rows), group)
        else:
            _paced(next(rows), group)


def _call_rate(axes: Axes, call: CallTrace) -> None:
    """What the encoder gave, and of it what was in time."""
    limit = HEAD_ROOM * float(max(call.given_bps.max(initial=0.0), call.in_time_bps.max(initial=0.0))) or 1.0
    scale, unit = rate_unit(limit)
    is_call = call.deadline_ms is not None
    names = ("given by the encoder", "whole and in time") if is_call else ("sent", "arrived")
    look: dict[str, Any] = {"color": CAME, "alpha": 0.3, "linewidth": 0.0}
    axes.stairs(call.in_time_bps / scale, call.edges_s, fill=True, **look)
    axes.stairs(call.given_bps / scale, call.edges_s, baseline=None, color=GIVEN, linewidth=0.9)
    axes.set_ylim(0.0, limit / scale)
    axes.yaxis.set_major_locator(MaxNLocator(4))
    axes.set_ylabel(f"rate\n({unit})")
    beside(axes, [entry(names[0], color=GIVEN, linewidth=0.9), Patch(label=names[1], **look)], call.title)


def _call_delay(axes: Axes, call: CallTrace) -> None:
    """How long frames took, the deadline, and at the foot which were missed."""
    least, median, most = call.delays_ms
    middle = (call.edges_s[:-1] + call.edges_s[1:]) / 2
    axes.fill_between(middle, least, most, color=CAME, alpha=0.25, linewidth=0.0)
    axes.plot(middle, median, color=CAME, linewidth=1.0)
    thing = "frame" if call.deadline_ms is not None else "packet"
    handles = [entry("median; from least to most", color=CAME, linewidth=1.0)]
    highest = float(np.nanmax(most)) if np.isfinite(most).any() else 0.0
    if call.deadline_ms is not None:
        axes.axhline(call.deadline_ms, color=INK, linestyle="--", linewidth=0.9)
        handles.append(
            entry(f"deadline: {call.deadline_ms:,.4g} ms", color=INK, linestyle="--", linewidth=0.9)
        )
        highest = max(highest, call.deadline_ms)
    marks = (
        ("late", LATE, call.late_s),
        ("lost" if thing == "packet" else "incomplete", LOST, call.incomplete_s),
    )
    for name, colour, times in marks:
        if times.size:
            _foot(axes, times, colour)
            handles.append(
                entry(
                    f"{name}: {times.size:,} of {call.frames:,}",
                    color=colour,
                    marker="|",
                    linestyle="none",
                )
            )
    axes.set_ylim(0.0, HEAD_ROOM * highest or 1.0)
    axes.yaxis.set_major_locator(MaxNLocator(4))
    axes.set_ylabel(f"{thing} delay\n(ms)")
    beside(axes, handles)


def _foot(axes: Axes, times: NDArray[np.float64], colour: str) -> None:
    """Strokes at the foot of a panel, those of the same pixel once."""
    thinned = np.unique(np.round(times, 2))
    axes.vlines(thinned, *FOOT, color=colour, linewidth=0.7, transform=axes.get_xaxis_transform(), zorder=3)


def _loads(axes: Axes, group: LoadsTrace) -> None:
    """A dot for each that came to its end, over when it began; strokes at the foot for the others."""
    done = ~np.isnan(group.took_s)
    took = group.took_s[done]
    size = 3.0 if took.size > CROWD else 6.0
    axes.plot(group.start_s[done], took, ".", color=CAME, markersize=size, alpha=0.7, markeredgewidth=0.0)
    handles = [
        entry(f"one {group.word} ({took.size:,})", color=CAME, marker=".", markersize=6.0, linestyle="none")
    ]
    if (~done).any():
        _foot(axes, group.start_s[~done], LOST)
        handles.append(
            entry(f"not ended: {np.count_nonzero(~done):,}", color=LOST, marker="|", linestyle="none")
        )
    if took.size and float(took.max()) > WIDE * float(took.min()):
        axes.set_yscale("log")
        axes.set_ylim(float(took.min()) / 1.5, float(took.max()) * 1.5)
        axes.yaxis.set_major_locator(LogLocator(10.0, numticks=4))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.yaxis.set_minor_formatter(NullFormatter())
    else:
        axes.set_ylim(0.0, HEAD_ROOM * float(took.max(initial=0.0)) or 1.0)
        axes.yaxis.set_major_locator(MaxNLocator(4))
    axes.set_ylabel("completion\ntime (s)")
    beside(axes, handles, group.title)


def _film(axes: Axes, group: FilmTrace) -> None:
    """The rate of the chunks of each viewer, or the mean of many, and bands where a picture was missing."""
    scale, unit = rate_unit(max(group.rates_bps))
    handles: list[Any] = []
    lines = list(group.viewers)
    if len(lines) > LINES_MOST:
        times = np.unique(np.concatenate([start for start, _ in lines]))
        lines = [(times, np.nanmean([_at(start, rate, times) for start, rate in lines], axis=0))]
        handles.append(entry("mean rate of the chunks", color=SERIES[0], linewidth=1.1))
    elif len(lines) > 1:
        handles += [
            entry(f"viewer {place}", color=SERIES[place], linewidth=1.1) for place in range(len(lines))
        ]
    else:
        handles.append(entry("rate of the chunks", color=SERIES[0], linewidth=1.1))
    for place, (start, rate) in enumerate(lines):
        if start.size:
            axes.stairs(
                rate / scale, [*start, group.end_s], baseline=None, color=SERIES[place], linewidth=1.1
            )
    look: dict[str, Any] = {"color": LOST, "alpha": 0.3, "linewidth": 0.0}
    for begin, end in group.stalls:
        axes.axvspan(begin, end, **look)
    if group.stalls:
        handles.append(Patch(label=f"no picture: {len(group.stalls):,} times", **look))
    axes.set_ylim(0.0, HEAD_ROOM * max(group.rates_bps) / scale)
    axes.yaxis.set_major_locator(MaxNLocator(4))
    axes.set_ylabel(f"quality\n({unit})")
    beside(axes, handles, group.title)


def _at(
    start: NDArray[np.float64], rate: NDArray[np.float64], times: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The rate of the newest chunk at those times; NaN before the first."""
    place = np.searchsorted(start, times, side="right") - 1
    return np.where(place >= 0, rate[np.maximum(place, 0)] if rate.size else np.nan, np.nan)


def _paced(axes: Axes, group: PacedTrace) -> None:
    """What is offered to the flows of an application, and what arrives."""
    limit = HEAD_ROOM * float(max(group.offered_bps.max(initial=0.0), group.delivered_bps.max(initial=0.0)))
    scale, unit = rate_unit(limit or 1.0)
    look: dict[str, Any] = {"color": CAME, "alpha": 0.3, "linewidth": 0.0}
    axes.stairs(group.delivered_bps / scale, group.edges_s, fill=True, **look)
    axes.stairs(group.offered_bps / scale, group.edges_s, baseline=None, color=GIVEN, linewidth=0.9)
    axes.set_ylim(0.0, (limit or 1.0) / scale)
    axes.yaxis.set_major_locator(MaxNLocator(4))
    axes.set_ylabel(f"rate\n({unit})")
    beside(
        axes, [entry("offered", color=GIVEN, linewidth=0.9), Patch(label="delivered", **look)], group.title
    )

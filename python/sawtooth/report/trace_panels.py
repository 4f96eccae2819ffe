"""The panels of the figure of a run (``sawtooth.report.traces``), one function each. A legend stands to the right of its panel.

Source: none; the choice of panels is that of ``traces``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from sawtooth.measure.run_series import Timeline, levels
from sawtooth.report.beside import beside, entry, note_beside, wrapped
from sawtooth.report.drawing import INK, MUTED, SERIES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sawtooth.report.trace_data import FlowTrace, QueueTrace, Traces

Real: TypeAlias = "NDArray[np.float64]"

EVENTS: Final = ((1, "v", "loss event"), (2, "x", "timeout"), (3, "o", "ECN mark"))
"""Code of a decrease in `windows.event`, its marker and name."""
CROWD: Final = 60
"""Decreases of one sort and flow from which its kind shows how many there are over time in place of a sign for each."""
CROWD_BINS, CROWD_HEIGHT = 240, 0.12
"""Parts of the time that such a strip counts in, and the part of the panel that its highest part takes."""
SAMPLE: Final = 0
"""Code of a sample."""
AVAILABLE: Final = SERIES[2]
SHADE: Final = 0.13
"""Opacity of the warm-up."""
HEAD_ROOM: Final = 1.08
"""Upper end of a scale over the highest value shown."""
FAR_ABOVE: Final = 4.0
"""How many times what was sent the available bandwidth, or the queue its buffer, must be to be left above the scale."""
OVERSHOOT: Final = 2.0
"""How many times the USUAL percentile a window may be and still be on the scale: slow start overshoots by two."""
USUAL: Final = 95.0
"""The percentile of the measured windows that makes the scale: what lasts for a twentieth of the time does not."""
RANGE: Final = (0.0, 0.5, 1.0)
"""Least, median and most: what a band shows of the flows of a kind."""
LEAST_QUEUE: Final = 4.0
"""Upper end of the scale of a queue that is always empty."""
PIXELS: Final = 2000
"""Signs closer than the duration over this many are drawn as one line."""
SIGN_COLOURS: Final = (SERIES[5], SERIES[3], SERIES[0], INK)


def kind_colours(traces: Traces) -> dict[str, str]:
    """The colour of each kind of flow."""
    return {kind: SERIES[place % len(SERIES)] for place, kind in enumerate(traces.kinds)}


def flow_colour(traces: Traces, flow: FlowTrace) -> str:
    """The colour of a flow that has a line of its own."""
    return SERIES[flow.number % len(SERIES)]


def throughput(axes: Axes, traces: Traces, *, crowd: bool) -> None:
    """Throughput of flows or kinds and their sum, against what is available to the test flows."""
    found = traces.throughput
    edges = np.concatenate([found.times_ns[:1] - traces.bin_ns, found.times_ns]) / 1e9
    tested = [flow for flow in traces.flows if flow.test]
    summed = found.values[:, [flow.number for flow in tested]].sum(axis=1)
    highest, level = float(summed.max(initial=0.0)), float(traces.available.values.max(initial=0.0))
    limit = HEAD_ROOM * (highest if 0.0 < FAR_ABOVE * highest < level else max(highest, level)) or 1.0
    scale, unit = rate_unit(limit)
    handles: list[Any] = []
    if crowd and len(traces.kinds) > 1:
        for kind, colour in kind_colours(traces).items():
            own = [flow.number for flow in tested if flow.kind == kind]
            if own:
                axes.stairs(
                    found.values[:, own].sum(axis=1) / scale,
                    edges,
                    baseline=None,
                    color=colour,
                    linewidth=1.0,
                )
                handles.append(entry(f"{len(own)} × {kind}", color=colour, linewidth=1.0))
    for flow in [] if crowd else tested:
        colour = flow_colour(traces, flow)
        axes.stairs(found.values[:, flow.number] / scale, edges, baseline=None, color=colour, linewidth=1.0)
        handles.append(entry(f"flow {flow.number}: {flow.kind}", color=colour, linewidth=1.0))
    if len(tested) > 1:
        axes.stairs(summed / scale, edges, baseline=None, color=INK, linewidth=1.1)
        handles.append(entry(f"sum of {len(tested)} flows", color=INK, linewidth=1.1))
    handles.append(_available(axes, traces, scale, limit / scale, unit))
    if traces.warmup_ns > 0:
        handles.append(Patch(color=MUTED, alpha=SHADE, linewidth=0.0, label="warm-up, not measured"))
    axes.set_ylim(0.0, limit / scale)
    axes.set_ylabel(f"throughput\n({unit})")
    beside(axes, handles)


def _available(axes: Axes, traces: Traces, scale: float, limit: float, unit: str) -> Patch:
    """The area of available bandwidth, and its entry in the legend, which gives the value if it lies above the scale throughout."""
    level = traces.available
    ends = np.append(level.times_ns, traces.duration_ns) / 1e9
    look: dict[str, Any] = {"color": AVAILABLE, "alpha": 0.25, "linewidth": 0.0}
    axes.stairs(level.values / scale, ends, fill=True, zorder=0.5, **look)
    lowest = float(level.values.min(initial=np.inf)) / scale
    beyond = f": {quantity(lowest)} {unit} or more, above the scale" if limit < lowest < np.inf else ""
    return Patch(label=wrapped(f"{traces.available_name}{beyond}"), **look)


def rate_unit(highest_bps: float) -> tuple[float, str]:
    """bit/s in the unit that suits the highest rate, and its name."""
    for scale, unit in ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s")):
        if highest_bps >= 2.0 * scale:
            return scale, unit
    return (1e3, "kbit/s") if highest_bps >= 1e3 else (1.0, "bit/s")


def window_limit(windows: pa.Table, warmup_ns: int) -> tuple[float, float]:
    """Upper end of the scale of windows and the highest window, packets.

    The measured part alone makes the scale, and of that a peak that is OVERSHOOT times the USUAL percentile, such as what slow start
    left behind, does not. A run that records nothing there makes it of what there is.
    """
    highest = np.fmax(windows.column("window").to_numpy(), windows.column("window_before").to_numpy())
    if highest.size == 0:
        return 1.0, 0.0
    measured = highest[windows.column("time_ns").to_numpy() >= warmup_ns]
    seen = measured if measured.size else highest
    usual = float(np.percentile(seen, USUAL))
    return HEAD_ROOM * min(float(seen.max()), max(OVERSHOOT * usual, 1.0)), float(highest.max())


def windows_shared(
    axes: Axes, traces: Traces, limit: tuple[float, float], further: Sequence[Any] = ()
) -> None:
    """The windows of a few flows in one panel, each with its threshold; `further` entries end the legend."""
    for flow in traces.flows:
        _window(axes, traces, flow, limit[0], flow_colour(traces, flow))
    handles = []
    if len(traces.flows) > 1:
        names = (
            (flow, f"flow {flow.number}" + ("" if flow.test else f", reverse: {flow.kind}"))
            for flow in traces.flows
        )
        handles = [entry(name, color=flow_colour(traces, flow), linewidth=1.1) for flow, name in names]
    beside(axes, [*handles, *_window_entries(traces, limit), *further])


def window_strip(axes: Axes, traces: Traces, flow: FlowTrace, limit: tuple[float, float]) -> None:
    """The window of one flow in a strip of its own."""
    _window(axes, traces, flow, limit[0], kind_colours(traces)[flow.kind])
    axes.set_yticks([0.0, round_down(limit[0] / HEAD_ROOM)])
    note_beside(axes, strip_name(flow), 0.5, "axes fraction", fontsize=7.5, color=INK)


def strip_name(flow: FlowTrace) -> str:
    """What stands beside the strip of a flow."""
    return f"flow {flow.number}" if flow.test else f"flow {flow.number}, reverse"


def strips_legend(axes: Axes, traces: Traces, limit: tuple[float, float]) -> None:
    """The legend of all strips, beside the first: kinds, threshold, decreases."""
    kinds = [entry(kind, color=colour, linewidth=1.1) for kind, colour in kind_colours(traces).items()]
    longest = max((strip_name(flow) for flow in traces.flows), key=len)
    beside(axes, [*kinds, *_window_entries(traces, limit)], right_of=longest)


def window_bands(axes: Axes, traces: Traces, limit: tuple[float, float]) -> None:
    """Median and range of the windows of each kind, at the samples."""
    rows = traces.windows.filter(pa.array(traces.windows.column("event").to_numpy() == SAMPLE))
    times, place = np.unique(rows.column("time_ns").to_numpy(), return_inverse=True)
    values = np.full((times.size, len(traces.flows)), np.nan)
    flow = rows.column("flow").to_numpy()
    own = flow < len(traces.flows)
    values[place[own], flow[own]] = rows.column("window").to_numpy()[own]
    bands(axes, traces, Timeline(times, values), 1.0)
    axes.set_ylim(0.0, limit[0])
    handles = [
        entry(f"{len(own)} × {kind}", color=kind_colours(traces)[kind]) for kind, own in traces.kinds.items()
    ]
    if limit[1] > limit[0]:
        handles.append(_beyond_entry(limit[1]))
        beyond = times[np.nan_to_num(values).max(axis=1, initial=0.0) > limit[0]]
        _beyond(axes, beyond[:1] / 1e9, limit[0], INK)
    beside(axes, handles, "median; from least to most")


def bands(axes: Axes, traces: Traces, line: Timeline, scale: float) -> None:
    """Median and range of the values of each kind of flow."""
    for kind, own in traces.kinds.items():
        colour = kind_colours(traces)[kind]
        least, median, most = levels(line.values[:, own], RANGE) / scale
        axes.fill_between(line.times_ns / 1e9, least, most, color=colour, alpha=0.2, linewidth=0.0)
        axes.plot(line.times_ns / 1e9, median, color=colour, linewidth=1.0)


def _window(axes: Axes, traces: Traces, flow: FlowTrace, limit: float, colour: str) -> None:
    """Window, threshold, decreases, and where the window leaves the scale."""
    rows = traces.windows.filter(pa.array(traces.windows.column("flow").to_numpy() == flow.number))
    time_s, window = corners(rows)
    axes.plot(time_s, window, color=colour, linewidth=1.1)
    at, threshold = thresholds(rows)
    axes.step(at, threshold, where="post", color=colour, linewidth=0.8, linestyle=(0, (3, 2)), alpha=0.8)
    event, before = rows.column("event").to_numpy(), rows.column("window_before").to_numpy()
    seconds = rows.column("time_ns").to_numpy() / 1e9
    crowded = _crowded(traces)
    for code, marker, _ in EVENTS:
        if (flow.kind, code) in crowded and bool((event == code).any()):
            _strip(axes, seconds[event == code], time_s[-1], colour)
            continue
        here = (event == code) & (before <= limit)
        axes.plot(seconds[here], before[here], marker, color=colour, markersize=4.0, fillstyle="none")
    _beyond(axes, excursions(time_s, window, limit), limit, colour)
    axes.set_ylim(0.0, limit)


def _crowded(traces: Traces) -> set[tuple[str, int]]:
    """Kinds of flows and sorts of decreases of which some flow has more than CROWD: flows of a kind look alike."""
    return {(kind, code) for kind, code, count in _decreases(traces) if count > CROWD}


def _decreases(traces: Traces) -> list[tuple[str, int, int]]:
    """Kind of flow, sort of decrease and how many there are, for each flow and sort that occurs."""
    kinds = {flow.number: flow.kind for flow in traces.flows}
    pairs = np.stack([traces.windows.column(name).to_numpy() for name in ("flow", "event")]).astype(np.int64)
    found, counts = np.unique(pairs, axis=1, return_counts=True)
    rows = zip(found[0].tolist(), found[1].tolist(), counts.tolist(), strict=True)
    return [(kinds[flow], code, count) for flow, code, count in rows if flow in kinds and code != SAMPLE]


def _strip(axes: Axes, seconds: Real, end_s: float, colour: str) -> None:
    """At the foot of a panel, how many there are over time."""
    counts, edges = np.histogram(seconds, CROWD_BINS, (0.0, max(end_s, float(seconds.max()))))
    heights = CROWD_HEIGHT * counts / counts.max()
    foot = axes.get_xaxis_transform()
    axes.stairs(heights, edges, fill=True, color=colour, alpha=0.45, linewidth=0.0, transform=foot)


def _beyond(axes: Axes, seconds: Real, limit: float, colour: str) -> None:
    """Triangles at the upper edge, half of them outside."""
    if seconds.size:
        look: dict[str, Any] = {"markersize": 5.0, "clip_on": False, "in_layout": False, "zorder": 5}
        axes.plot(seconds, np.full(seconds.size, limit), "^", color=colour, **look)


def _window_entries(traces: Traces, limit: tuple[float, float]) -> list[Any]:
    """Entries of what the windows' panels show beside the windows: only what there is."""
    look: dict[str, Any] = {"color": INK, "linestyle": "none", "markersize": 4.5, "fillstyle": "none"}
    crowded = _crowded(traces)
    many = {code for _, code in crowded}
    few = {code for kind, code, _ in _decreases(traces) if (kind, code) not in crowded}
    found = [entry(name, marker=marker, **look) for code, marker, name in EVENTS if code in few]
    strip = {"color": INK, "alpha": 0.45, "linewidth": 5.0}
    found += [entry(f"how often: {name}", **strip) for code, _, name in EVENTS if code in many]
    if thresholds(traces.windows)[0].size:
        found.insert(0, entry("slow-start threshold", color=INK, linewidth=0.8, linestyle=(0, (3, 2))))
    if limit[1] > limit[0]:
        found.append(_beyond_entry(limit[1]))
    return found


def _beyond_entry(highest: float) -> Line2D:
    return entry(
        f"above the scale, up to {quantity(highest)}", color=INK, marker="^", linestyle="none", markersize=5.0
    )


def excursions(time_s: Real, window: Real, limit: float) -> Real:
    """When a window is highest in each stretch that it spends above the limit, s."""
    above = np.concatenate([[False], window > limit, [False]])
    begins, ends = np.flatnonzero(above[1:] & ~above[:-1]), np.flatnonzero(~above[1:] & above[:-1])
    return np.array([time_s[b + int(np.argmax(window[b:e]))] for b, e in zip(begins, ends, strict=True)])


def corners(rows: pa.Table) -> tuple[Real, Real]:
    """The polyline of one flow's window, s and packets: samples as points, each decrease as a vertical edge from before to after."""
    order = np.argsort(rows.column("time_ns").to_numpy(), kind="stable")
    time_s = rows.column("time_ns").to_numpy()[order] / 1e9
    after = rows.column("window").to_numpy()[order]
    before = np.where(
        rows.column("event").to_numpy()[order] == SAMPLE,
        np.nan,
        rows.column("window_before").to_numpy()[order],
    )
    pairs = np.column_stack([before, after]).ravel()
    keep = ~np.isnan(pairs)
    return np.repeat(time_s, 2)[keep], pairs[keep]


def thresholds(rows: pa.Table) -> tuple[Real, Real]:
    """When the slow-start threshold was what, s and packets. It is infinite until the first decrease, and 0 where a law has none."""
    order = np.argsort(rows.column("time_ns").to_numpy(), kind="stable")
    time_s = rows.column("time_ns").to_numpy()[order] / 1e9
    values = rows.column("ssthresh").to_numpy()[order]
    keep = np.isfinite(values) & (values > 0.0)
    return time_s[keep], values[keep]


def round_trips(
    axes: Axes, traces: Traces, trips: Timeline, *, crowd: bool, further: Sequence[Any] = ()
) -> None:
    """Round-trip times, by flow or by kind; `further` entries end the legend of single flows."""
    if crowd:
        bands(axes, traces, trips, 1e6)
        colours = kind_colours(traces).items() if len(traces.kinds) > 1 else ()
        handles = [entry(kind, color=colour) for kind, colour in colours]
        beside(axes, handles, "propagation and queues; median, from least to most")
    else:
        for flow in traces.flows:
            values = trips.values[:, flow.number] / 1e6
            axes.plot(trips.times_ns / 1e9, values, color=flow_colour(traces, flow), linewidth=1.0)
        named = traces.flows if len(traces.flows) > 1 else ()
        handles = [entry(f"flow {flow.number}", color=flow_colour(traces, flow)) for flow in named]
        beside(axes, [*handles, *further], "propagation and queues")
    axes.set_ylim(0.0, HEAD_ROOM * float(np.nanmax(trips.values, initial=0.0)) / 1e6 or 1.0)
    axes.set_ylabel("round-trip time\n(ms)")
    axes.yaxis.set_major_locator(MaxNLocator(5))


def queue(axes: Axes, found: QueueTrace, warmup_ns: int) -> None:
    """The backlog of one queue, its limit, thresholds and average. The measured part alone makes the scale, as it does for windows."""
    time_s = found.times_ns / 1e9
    axes.fill_between(time_s, found.backlog, step="post", color=SERIES[0], alpha=0.25, linewidth=0.0)
    axes.step(time_s, found.backlog, where="post", color=SERIES[0], linewidth=0.7)
    handles = [entry("backlog", color=SERIES[0], linewidth=1.0)]
    peak = float(found.backlog.max(initial=0.0))
    measured = found.backlog[found.times_ns >= warmup_ns]
    highest = float((measured if measured.size else found.backlog).max(initial=0.0))
    if found.average is not None:
        axes.plot(time_s, found.average, color=SERIES[5], linewidth=1.1)
        handles.append(entry(f"average of {found.discipline}, from samples", color=SERIES[5], linewidth=1.1))
    lines = [*found.thresholds, *([("buffer", found.buffer)] if found.buffer is not None else [])]
    looks = (":", "-.", (0, (5, 1, 1, 1, 1, 1)))
    for place, (name, value) in enumerate(lines):
        style: Any = "--" if name == "buffer" else looks[place % len(looks)]
        if value <= FAR_ABOVE * highest or name != "buffer":
            axes.axhline(value, color=INK, linestyle=style, linewidth=0.9)
            highest = max(highest, value)
            handles.append(
                entry(f"{name}: {quantity(value)} {found.unit}", color=INK, linestyle=style, linewidth=0.9)
            )
        else:
            handles.append(
                entry(f"{name}: {quantity(value)} {found.unit}, above the scale", linestyle="none")
            )
    limit = HEAD_ROOM * max(highest, LEAST_QUEUE)
    if peak > limit:
        handles.append(_beyond_entry(peak))
        _beyond(axes, time_s[[int(np.argmax(found.backlog))]], limit, SERIES[0])
    axes.set_ylim(0.0, limit)
    axes.yaxis.set_major_locator(MaxNLocator(4, integer=True))
    axes.set_ylabel(f"queue\n({found.unit})")
    beside(axes, handles, f"queue at {found.name}: {found.discipline}")


def signs(axes: Axes, traces: Traces) -> None:
    """A row of strokes for each kind of sign, named and counted beside the panel; the first above."""
    found = traces.signs
    step = max(1, traces.duration_ns // PIXELS)
    for place, (name, times) in enumerate(found.items()):
        row, colour = len(found) - 1 - place, SIGN_COLOURS[place % len(SIGN_COLOURS)]
        axes.vlines(
            np.unique(times // step) * step / 1e9, row - 0.36, row + 0.36, color=colour, linewidth=0.7
        )
        note_beside(axes, f"{name}: {traces.counted(times)}", row, "data", fontsize=8, color=colour)
    axes.set_ylim(-0.6, len(found) - 0.4)
    axes.set_yticks([])
    axes.set_ylabel("events", rotation=0, ha="right", va="center")


def quantity(value: float) -> str:
    """A number for people: four digits, never a power of ten."""
    return f"{value:,.0f}" if value >= 1000.0 else f"{value:.4g}"


def round_down(value: float) -> float:
    """The largest number of one significant digit, or that and a half, that does not exceed the value: a tick that is easy to read."""
    if value <= 0.0:
        return 1.0
    power = 10.0 ** np.floor(np.log10(value))
    return float(
        max(
            step
            for step in (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)
            if step * power <= value * (1 + 1e-9)
        )
        * power
    )

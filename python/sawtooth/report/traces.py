"""One run over time: the windows of its flows above, the queue of its bottleneck below.

A few flows share one panel, up to STRIPS_MOST get a strip each on a common scale, more are laid over each other in pale lines.
Decreases are marked where they happen, at the window they began from: a triangle for a loss event, a cross for a timeout, a circle for
an ECN mark. The warm-up is shaded, the limit of the buffer is a dashed line. The figure is drawn from records alone, and the same
records give the same bytes: no date, no random identifiers.

Source: the classic sawtooth figure, [Jacobson88] §3.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS = ("svg", "pdf", "png")
EVENTS = ((1, "v", "loss event"), (2, "x", "timeout"), (3, "o", "ECN mark"))
"""Code of a decrease in `windows.event`, its marker and name."""

SHARED_MOST = 3
"""Most flows whose lines can still be told apart in one panel."""
STRIPS_MOST = 24
"""Most flows that get a strip of their own: beyond it the page ends."""
OVERSHOOT_SHOWN = 2.2
"""Highest window shown, as a multiple of the 99th percentile after the warm-up: slow start may overshoot by two."""
STRIP_INCHES = 0.5
WIDTH_INCHES = 9.0
QUEUE_INCHES = 2.2

STYLE: dict[Any, Any] = {
    "svg.hashsalt": "sawtooth",  # identifiers inside the file, otherwise random
    "svg.fonttype": "none",
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "legend.frameon": False,
}
UNDATED: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}


@dataclass(frozen=True)
class Traces:
    """What is drawn. `windows` (time_ns, flow, event, window_before, window) and `queue_samples` (time_ns, queue, packets, bytes) are
    the records of the run; `labels` has one text per flow; `buffer` is the limit of the bottleneck in its own unit, packets or bytes."""

    title: str
    labels: Sequence[str]
    windows: pa.Table
    queue_samples: pa.Table
    warmup_ns: int
    duration_ns: int
    buffer: int | None = None
    buffer_in_bytes: bool = False


def draw(traces: Traces, form: str = "svg") -> bytes:
    """The figure as a file of that format, one of FORMATS."""
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    flows = range(len(traces.labels))
    panels = [[flow] for flow in flows] if SHARED_MOST < len(flows) <= STRIPS_MOST else [list(flows)]
    heights = [STRIP_INCHES] * len(panels) if len(panels) > 1 else [1.5 * QUEUE_INCHES]
    with matplotlib.rc_context(STYLE):
        figure = Figure(
            figsize=(WIDTH_INCHES, sum(heights) + QUEUE_INCHES), layout=ConstrainedLayoutEngine(h_pad=0.02)
        )
        FigureCanvasAgg(figure)
        axes = figure.subplots(len(panels) + 1, 1, sharex=True, height_ratios=[*heights, QUEUE_INCHES])
        *above, below = axes
        for panel, members in zip(above, panels, strict=True):
            draw_windows(panel, traces, members)
        limit, cut = window_limit(traces)
        for panel in above:
            panel.set_ylim(0.0, limit)
        above[len(above) // 2].set_ylabel("window (packets)")
        above[0].set_title(
            f"{traces.title}; windows above {limit:.0f} cut off" if cut else traces.title, loc="left"
        )
        draw_queue(below, traces)
        for panel in axes:
            panel.set_xlim(0.0, traces.duration_ns / 1e9)
            if traces.warmup_ns > 0:
                panel.axvspan(0.0, traces.warmup_ns / 1e9, color="0.5", alpha=0.12, linewidth=0.0)
        shared = len(panels) == 1 and len(flows) <= SHARED_MOST
        handles = [*legend_of_lines(above[0], shared), *legend_of_events(traces)]
        if shared:
            figure.legend(handles=handles, loc="outside right upper", fontsize=8.0)
        elif handles:
            figure.legend(handles=handles, loc="outside upper right", ncols=len(handles), fontsize=8.0)
        sink = io.BytesIO()
        figure.savefig(sink, format=form, metadata=UNDATED[form], dpi=150)
    return sink.getvalue()


def draw_windows(axes: Axes, traces: Traces, members: Sequence[int]) -> None:
    """One panel of windows: a line per flow of `members`, decreases marked; a flow alone in its strip is named beside it."""
    crowd = len(members) > SHARED_MOST
    for flow in members:
        rows = rows_where(traces.windows, "flow", flow)
        time_s, window = corners(rows)
        style: dict[str, Any] = {"linewidth": 0.5, "alpha": 0.5} if crowd else {"linewidth": 1.0}
        axes.plot(time_s, window, color=f"C{flow % 10}", label=traces.labels[flow], **style)
        event = rows.column("event").to_numpy()
        for code, marker, _ in () if crowd else EVENTS:
            at = event == code
            before = rows.column("window_before").to_numpy()[at]
            seconds = rows.column("time_ns").to_numpy()[at] / 1e9
            axes.plot(seconds, before, marker, color=f"C{flow % 10}", markersize=4.0, fillstyle="none")
    if len(members) == 1 < len(traces.labels):
        axes.annotate(
            traces.labels[members[0]], (1.01, 0.5), xycoords="axes fraction", va="center", fontsize=8.0
        )


def window_limit(traces: Traces) -> tuple[float, bool]:
    """Upper end of the window scale, packets, and whether anything lies above it: the overshoot of slow start, of interest as long as it
    is not many times what follows, must not press the rest to the floor."""
    windows = np.fmax(
        traces.windows.column("window").to_numpy(), traces.windows.column("window_before").to_numpy()
    )
    if windows.size == 0:
        return 1.0, False
    measured = windows[traces.windows.column("time_ns").to_numpy() >= traces.warmup_ns]
    usual = float(np.percentile(measured if measured.size else windows, 99.0))
    highest = float(windows.max())
    cut = highest > OVERSHOOT_SHOWN * usual
    return 1.05 * (OVERSHOOT_SHOWN * usual if cut else highest), cut


def legend_of_lines(axes: Axes, wanted: bool) -> list[Any]:
    """The named lines of a panel that several flows share."""
    return list(axes.get_legend_handles_labels()[0]) if wanted else []


def legend_of_events(traces: Traces) -> list[Any]:
    """One entry for each kind of decrease that is marked in the figure."""
    from matplotlib.lines import Line2D

    if len(traces.labels) > STRIPS_MOST:
        return []
    seen = set(np.unique(traces.windows.column("event").to_numpy()).tolist())
    look: dict[str, Any] = {"color": "0.3", "linestyle": "none", "markersize": 5.0, "fillstyle": "none"}
    return [
        Line2D([], [], marker=marker, label=name, **look) for code, marker, name in EVENTS if code in seen
    ]


def draw_queue(axes: Axes, traces: Traces) -> None:
    """The lower panel: the backlog of the bottleneck, and its limit."""
    rows = rows_where(traces.queue_samples, "queue", 0)
    scale, unit = (1e-3, "kB") if traces.buffer_in_bytes else (1.0, "packets")
    backlog = rows.column("bytes" if traces.buffer_in_bytes else "packets").to_numpy() * scale
    time_s = rows.column("time_ns").to_numpy() / 1e9
    axes.fill_between(time_s, backlog, step="post", color="C0", alpha=0.3, linewidth=0.0)
    axes.step(time_s, backlog, where="post", color="C0", linewidth=0.8)
    if traces.buffer is not None:
        axes.axhline(traces.buffer * scale, color="0.3", linestyle="--", linewidth=1.0)
        text = f" buffer {traces.buffer * scale:,.4g} {unit}"
        axes.annotate(
            text, (1.0, traces.buffer * scale), xycoords=("axes fraction", "data"), ha="right", va="bottom"
        )
        axes.set_ylim(0.0, traces.buffer * scale * 1.15)
    else:
        axes.set_ylim(bottom=0.0)
    axes.set_ylabel(f"queue ({unit})")
    axes.set_xlabel("time (s)")


def rows_where(table: pa.Table, column: str, value: int) -> pa.Table:
    """The rows of `table` whose `column` is `value`."""
    return table.filter(pa.array(table.column(column).to_numpy() == value))


def corners(rows: pa.Table) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The polyline of one flow's window, s and packets: samples as points, each decrease as a vertical edge from before to after."""
    order = np.argsort(rows.column("time_ns").to_numpy(), kind="stable")
    time_s = rows.column("time_ns").to_numpy()[order] / 1e9
    after = rows.column("window").to_numpy()[order]
    before = np.where(
        rows.column("event").to_numpy()[order] == 0, np.nan, rows.column("window_before").to_numpy()[order]
    )
    pairs = np.column_stack([before, after]).ravel()
    keep = ~np.isnan(pairs)
    return np.repeat(time_s, 2)[keep], pairs[keep]

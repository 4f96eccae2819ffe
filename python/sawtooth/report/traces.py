"""One run over time: throughput, windows, states, rates, round-trip times, queues, losses and marks, one panel below the other.

    >>> import sawtooth as st
    >>> from sawtooth.report.run_traces import traces_of, with_series
    >>> run = st.run(with_series(st.load_scenario("examples/one-flow.toml")))
    >>> len(run_figure(traces_of(run)).axes)
    6

| panel           | up to SHARED_MOST flows       | up to STRIPS_MOST flows          | more flows                            |
|-----------------|-------------------------------|----------------------------------|---------------------------------------|
| throughput      | a line each, and their sum    | the sum of each kind, and of all | the same                              |
| window          | a line each                   | a strip each, on a common scale  | median and range of each kind         |
| states          | a row of bands each           | the same                         | none                                  |
| rates           | pacing, delivery, bandwidth   | none                             | none                                  |
| marked share    | a line each                   | median and range of each kind    | the same                              |
| round-trip time | a line each                   | median and range of each kind    | the same                              |
| `[[traffic]]`   | a panel or two for each group | the same                         | the same                              |

Flows of a *kind* have the same controller and recovery. The windows' scale is that of the measured part; where slow start leaves it, a
triangle stands at the edge. States, rates and marked shares are shown where a flow has any. The figure is drawn from records alone, and
the same records give the same bytes.

Source: the classic sawtooth figure, [Jacobson88] §3; [FloydJacobson93] Fig. 3 for the queue with its average and thresholds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec
from matplotlib.layout_engine import ConstrainedLayoutEngine

from sawtooth.report import discipline_panels, sender_panels, traffic_panels
from sawtooth.report import trace_panels as panels
from sawtooth.report.beside import beside_extent
from sawtooth.report.drawing import MODEL_STYLE, MUTED, encode
from sawtooth.report.trace_data import Traces

SHARED_MOST: Final = 3
"""Most flows whose lines can still be told apart in one panel."""
STRIPS_MOST: Final = 16
"""Most flows that get a strip of their own: with more, the page ends."""

WIDTH_INCHES: Final = 9.0
RATE_INCHES: Final = 1.5
WINDOW_INCHES: Final = 2.6
STRIP_INCHES: Final = 0.42
TRIP_INCHES: Final = 1.3
SENDER_RATE_INCHES: Final = 1.3
SHARE_INCHES: Final = 0.9
STATE_INCHES: Final = 0.17
QUEUE_INCHES: Final = 1.6
WAIT_INCHES: Final = 1.2
HITS_INCHES: Final = 1.0
SIGN_INCHES: Final = 0.19
FRAME_INCHES: Final = 0.85
GAP_INCHES: Final = 0.06
"""Heights: of each panel, of a strip, of a row of states or of signs; of title and axis of time together; between two panels."""

RUN_STYLE: Final[dict[Any, Any]] = {**MODEL_STYLE, "legend.fontsize": 8.0}


def run_figure(traces: Traces) -> Figure:
    """The figure of a run."""
    crowd = len(traces.flows) > SHARED_MOST
    strips = len(traces.flows) if crowd and len(traces.flows) <= STRIPS_MOST else 0
    heights = {
        "throughput": [RATE_INCHES],
        "window": [STRIP_INCHES] * strips or [WINDOW_INCHES],
        "states": sender_panels.state_heights(traces, STATE_INCHES) if strips or not crowd else [],
        "rates": [SENDER_RATE_INCHES] if not crowd and sender_panels.has_rates(traces) else [],
        "share": [SHARE_INCHES] if sender_panels.has_shares(traces) else [],
        "trip": [TRIP_INCHES] if traces.round_trips is not None else [],
        "traffic": traffic_panels.heights(list(traces.traffic)),
        "queue": [QUEUE_INCHES if len(traces.queues) == 1 else 0.75 * QUEUE_INCHES] * len(traces.queues),
        "wait": [WAIT_INCHES] * sum(1 for queue in traces.queues if queue.states),
        "hits": [HITS_INCHES] * sum(1 for queue in traces.queues if queue.has_hits),
        "signs": [SIGN_INCHES * max(2, len(traces.signs))] if traces.signs else [],
    }
    count = sum(len(group) for group in heights.values())
    with mpl.rc_context(RUN_STYLE):
        figure = Figure(figsize=(WIDTH_INCHES, WIDTH_INCHES), layout="constrained")
        grid = figure.add_gridspec(count, 1)
        rows = iter(grid.subplots(sharex=True, squeeze=False)[:, 0])
        axes = {name: [next(rows) for _ in group] for name, group in heights.items()}
        panels.throughput(axes["throughput"][0], traces, crowd=crowd)
        _windows(axes["window"], traces, strips=bool(strips), crowd=crowd)
        for own in axes["states"]:
            sender_panels.states(own, traces)
        for own in axes["rates"]:
            sender_panels.rates(own, traces)
        for own in axes["share"]:
            sender_panels.shares(own, traces, crowd=crowd)
        if traces.round_trips is not None:
            least = [] if crowd else sender_panels.least_round_trips(axes["trip"][0], traces)
            panels.round_trips(axes["trip"][0], traces, traces.round_trips, crowd=crowd, further=least)
        traffic_panels.draw_all(axes["traffic"], list(traces.traffic))
        for own, queue in zip(axes["queue"], traces.queues, strict=True):
            panels.queue(own, queue, traces.warmup_ns)
        for own, queue in zip(axes["wait"], [queue for queue in traces.queues if queue.states], strict=True):
            discipline_panels.waits(own, queue)
        for own, queue in zip(
            axes["hits"], [queue for queue in traces.queues if queue.has_hits], strict=True
        ):
            discipline_panels.hits(own, queue)
        for own in axes["signs"]:
            panels.signs(own, traces)
        _frame(figure, traces, [own for group in axes.values() for own in group])
        _fit(figure, grid, list(axes.values()), list(heights.values()))
    return figure


def _windows(axes: Sequence[Axes], traces: Traces, *, strips: bool, crowd: bool) -> None:
    limit = panels.window_limit(traces.windows, traces.warmup_ns)
    if strips:
        for own, flow in zip(axes, traces.flows, strict=True):
            panels.window_strip(own, traces, flow, limit)
        panels.strips_legend(axes[0], traces, limit)
    elif crowd:
        panels.window_bands(axes[0], traces, limit)
    else:
        further = [*sender_panels.bounds(axes[0], traces), *sender_panels.undone(axes[0], traces, limit[0])]
        panels.windows_shared(axes[0], traces, limit, further)
    rate = any(flow.rate_based for flow in traces.flows)
    middle = axes[len(axes) // 2]
    middle.set_ylabel("window, or rate × RTT\n(packets)" if rate else "window (packets)")


def _frame(figure: Figure, traces: Traces, axes: Sequence[Axes]) -> None:
    """What all panels share: the axis of time, the warm-up, the title."""
    for own in axes:
        own.set_xlim(0.0, traces.duration_ns / 1e9)
        own.tick_params(axis="x", length=3 if own is axes[-1] else 0)
        if traces.warmup_ns > 0:
            own.axvspan(0.0, traces.warmup_ns / 1e9, color=MUTED, alpha=panels.SHADE, linewidth=0.0)
    axes[-1].set_xlabel("time (s)")
    figure.align_ylabels(list(axes))
    figure.suptitle(traces.title, x=0.01, ha="left", fontsize=11)
    if traces.note:
        axes[0].set_title(traces.note, loc="left", fontsize=8, color=MUTED)


def _fit(
    figure: Figure, grid: GridSpec, axes: Sequence[Sequence[Axes]], heights: Sequence[Sequence[float]]
) -> None:
    """Give each group of panels the height that it and its legend need, and the legends the width that the widest needs.

    Legends take no part in the constrained layout, which would make a strip as high as the legend of all strips.
    """
    canvas: Any = FigureCanvasAgg(figure)
    renderer = canvas.get_renderer()
    every: list[float] = []
    widest = 0.0
    for group, least in zip(axes, heights, strict=True):
        boxes = [beside_extent(own, renderer) for own in group]
        widest = max([widest, *(box[0] / figure.dpi for box in boxes)])
        highest = max((box[1] / figure.dpi for box in boxes), default=0.0)
        if len(group) > 1 and group is axes[1]:  # strips, with one legend for all
            every += [max(height, highest / len(group)) for height in least]
        else:
            every += [max(height, box[1] / figure.dpi) for height, box in zip(least, boxes, strict=True)]
    grid.set_height_ratios(every)
    figure.set_size_inches(WIDTH_INCHES, sum(every) + FRAME_INCHES + GAP_INCHES * len(every))
    engine = figure.get_layout_engine()
    assert isinstance(engine, ConstrainedLayoutEngine)
    engine.set(rect=(0.0, 0.0, 1.0 - widest / WIDTH_INCHES, 1.0), h_pad=0.035, hspace=0.0)


def draw(traces: Traces, form: str = "svg") -> bytes:
    """The figure of a run as a file of that format."""
    return encode(run_figure(traces), form, RUN_STYLE)

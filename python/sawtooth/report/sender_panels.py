"""What senders were doing in the figure of a run: states as bands, pacing and delivery rates, what BBR believes, alpha of DCTCP and Prague.

Source: draft-ietf-ccwg-bbr §2 (states, estimates, bounds); RFC 9406 (conservative slow start); RFC 8257 §3.3 (alpha).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from sawtooth.measure.run_series import Timeline
from sawtooth.report.beside import beside, entry
from sawtooth.report.drawing import GRID, INK, MUTED, SERIES
from sawtooth.report.trace_panels import HEAD_ROOM, bands, flow_colour, kind_colours, rate_unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sawtooth.report.sender_traces import SenderTrace
    from sawtooth.report.trace_data import Traces

COLOURS: Final[Mapping[str, str]] = {
    "slow start": SERIES[2],
    "conservative slow start": SERIES[4],
    "fast recovery": SERIES[5],
    "startup": SERIES[2],
    "drain": SERIES[7],
    "probe_bw_down": SERIES[4],
    "probe_bw_cruise": GRID,
    "probe_bw_refill": SERIES[1],
    "probe_bw_up": SERIES[3],
    "probe_rtt": SERIES[6],
    "probe_bw": GRID,
}
"""Of every state; cruising, where most of the time goes, is pale."""
HIGH: Final = 0.34
"""Half the height of a row of bands."""
THIN: Final = 0.14
"""The same of recovery, which lies over the states of a controller that has some."""
RARE: Final = 99.5
"""Percentile of the rates that makes the scale: single samples of the delivery rate lie far above."""


def _colour(traces: Traces, sender: SenderTrace) -> str:
    flow = traces.flows[sender.flow]
    few = len(traces.flows) <= 3
    return flow_colour(traces, flow) if few else kind_colours(traces)[flow.kind]


def state_heights(traces: Traces, row: float) -> list[float]:
    """One panel, with a row for each flow, if any of them was in a state that has a name."""
    shown = any(sender.spans for sender in traces.senders)
    return [row * max(2, len(traces.senders))] if shown else []


def states(axes: Axes, traces: Traces) -> None:
    """A row of bands for each flow, its state at every time; recovery over the states of a controller that has its own."""
    seen: dict[str, None] = {}
    for place, sender in enumerate(traces.senders):
        row = len(traces.senders) - 1 - place
        layered = sender.model is not None
        for name in dict.fromkeys(span[0] for span in sender.spans):
            seen[name] = None
            half = THIN if layered and name == "fast recovery" else HIGH
            mine = [(begin, end - begin) for state, begin, end in sender.spans if state == name]
            axes.broken_barh(mine, (row - half, 2 * half), facecolor=COLOURS.get(name, INK), linewidth=0.0)
    axes.set_ylim(-0.6, len(traces.senders) - 0.4)
    names = [f"flow {sender.flow}" for sender in traces.senders]
    many = len(names) > 1
    axes.set_yticks(range(len(names)) if many else [], names[::-1] if many else [], fontsize=7)
    axes.grid(visible=False, axis="y")
    axes.set_ylabel("state")
    order = [name for name in COLOURS if name in seen]
    beside(axes, [Patch(facecolor=COLOURS[name], linewidth=0.0, label=name) for name in order])


def has_rates(traces: Traces) -> bool:
    """Whether any flow was paced or believed in a bandwidth; delivery alone is throughput."""
    return any(bool(np.isfinite(sender.pacing_bps).any()) or sender.model for sender in traces.senders)


def rates(axes: Axes, traces: Traces) -> None:
    """Pacing and delivery rates, and the bandwidth that BBR believes in with its bound after losses."""
    lines = [line for sender in traces.senders for line in _rates_of(traces, sender)]
    values = np.concatenate([line[1][np.isfinite(line[1])] for line in lines])
    limit = HEAD_ROOM * float(np.percentile(values, RARE)) if values.size else 1.0
    scale, unit = rate_unit(limit)
    names: dict[str, Any] = {}
    for seconds, bps, name, look in lines:
        axes.plot(seconds, bps / scale, **look)
        names.setdefault(name, entry(name, **({**look, "color": INK} if len(traces.senders) > 1 else look)))
    axes.set_ylim(0.0, limit / scale)
    axes.set_ylabel(f"rates\n({unit})")
    axes.yaxis.set_major_locator(MaxNLocator(4))
    beside(axes, list(names.values()))


def _rates_of(
    traces: Traces, sender: SenderTrace
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64], str, dict[str, Any]]]:
    """The lines of one sender: times, values, what it is, and its look; only those with a value."""
    one = len(traces.senders) == 1
    colour = _colour(traces, sender)
    found: list[tuple[Any, Any, str, dict[str, Any]]] = [
        (
            sender.times_s,
            sender.delivery_bps,
            "delivery rate",
            {"color": MUTED if one else colour, "linewidth": 0.6, "alpha": 0.6},
        ),
        (sender.times_s, sender.pacing_bps, "pacing rate", {"color": colour, "linewidth": 1.0}),
    ]
    if sender.model is not None:
        model = sender.model
        bound = {"color": SERIES[5] if one else colour, "linewidth": 1.2, "linestyle": ":"}
        believed = {"color": SERIES[1] if one else colour, "linewidth": 1.2, "linestyle": (0, (4, 2))}
        found.append((model.times_s, model.max_bw_bps, "bandwidth estimate", believed))
        found.append((model.times_s, model.bw_shortterm_bps, "bound after losses", bound))
    for line in found:
        if np.isfinite(line[1]).any():
            yield line


def has_shares(traces: Traces) -> bool:
    """Whether any controller goes by a share of marked bytes."""
    return any(bool(np.isfinite(sender.marked_share).any()) for sender in traces.senders)


def shares(axes: Axes, traces: Traces, *, crowd: bool) -> None:
    """Alpha: the average share of marked bytes."""
    if crowd:
        times = max((sender.times_s for sender in traces.senders), key=len)
        values = np.full((times.size, len(traces.flows)), np.nan)
        for sender in traces.senders:
            values[times.size - sender.times_s.size :, sender.flow] = sender.marked_share
        bands(axes, traces, Timeline((times * 1e9).astype(np.int64), values), 1.0)
    else:
        for sender in traces.senders:
            axes.plot(sender.times_s, sender.marked_share, color=_colour(traces, sender), linewidth=1.0)
    axes.set_ylim(0.0, HEAD_ROOM)
    axes.set_ylabel("alpha")
    axes.yaxis.set_major_locator(MaxNLocator(3))
    beside(axes, [], "average share of marked bytes" + ("; median, from least to most" if crowd else ""))


def bounds(axes: Axes, traces: Traces) -> list[Any]:
    """What BBR lets be in flight at most, in the panel of windows; the entries of its legend."""
    found: dict[str, Any] = {}
    for sender in traces.senders:
        if sender.model is None:
            continue
        colour = _colour(traces, sender) if len(traces.senders) > 1 else None
        for name, values, own, style in (
            ("long-term bound", sender.model.inflight_longterm, SERIES[3], (0, (6, 2))),
            ("short-term bound", sender.model.inflight_shortterm, SERIES[5], (0, (1, 1))),
        ):
            if np.isfinite(values).any():
                look: dict[str, Any] = {"color": colour or own, "linewidth": 1.0, "linestyle": style}
                axes.plot(sender.model.times_s, values, **look)
                found.setdefault(
                    name, entry(f"{name} of what is in flight", **{**look, "color": INK if colour else own})
                )
    return list(found.values())


def undone(axes: Axes, traces: Traces, limit: float) -> list[Any]:
    """A diamond at the foot of the windows' panel for every cut that was withdrawn; the entry of its legend."""
    look: dict[str, Any] = {"marker": "D", "linestyle": "none", "markersize": 4.0, "fillstyle": "none"}
    for sender in traces.senders:
        if sender.undone_s.size:
            heights = np.full(sender.undone_s.size, 0.04 * limit)
            axes.plot(sender.undone_s, heights, color=_colour(traces, sender), **look)
    there = any(sender.undone_s.size for sender in traces.senders)
    return [entry("cut withdrawn", color=INK, **look)] if there else []


def least_round_trips(axes: Axes, traces: Traces) -> list[Any]:
    """The least round trip that BBR believes in; the entries of its legend."""
    found = []
    for sender in traces.senders:
        if sender.model is None or not np.isfinite(sender.model.min_rtt_ms).any():
            continue
        own = SERIES[1] if len(traces.senders) == 1 else _colour(traces, sender)
        look: dict[str, Any] = {"color": own, "linewidth": 1.2, "linestyle": (0, (4, 2))}
        axes.plot(sender.model.times_s, sender.model.min_rtt_ms, **look)
        found.append(entry("least of the controller", **look))
    return found[:1]


__all__ = [
    "bounds",
    "has_rates",
    "has_shares",
    "least_round_trips",
    "rates",
    "shares",
    "state_heights",
    "states",
    "undone",
]

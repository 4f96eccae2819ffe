"""The panels of the figure of a run on what disciplines do: how long the first packet has waited, and with which probability it is hit.

Source: none; the quantities are those of RFC 8289 (drop state), RFC 8033 and RFC 9332 (probabilities).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from sawtooth.report.beside import beside, entry
from sawtooth.report.drawing import INK, SERIES
from sawtooth.report.trace_panels import HEAD_ROOM, SHADE, quantity

if TYPE_CHECKING:
    from sawtooth.report.trace_data import QueueTrace

COLOURS = (SERIES[0], SERIES[5])
"""Of the parts of a discipline."""
DROP_STATE = SERIES[3]


def waits(axes: Axes, found: QueueTrace) -> None:
    """How long the first packet of each subqueue has waited, what is aimed at, and the drop state as bands."""
    handles: list[Any] = []
    highest = 0.0
    for subqueue, colour in zip(found.states, COLOURS, strict=False):
        axes.step(subqueue.times_ns / 1e9, subqueue.waited_ms, where="post", color=colour, linewidth=0.8)
        handles.append(
            entry(f"first packet of {subqueue.name}" if subqueue.name else "first packet", color=colour)
        )
        highest = max(highest, float(subqueue.waited_ms.max(initial=0.0)))
    looks = ("--", ":", "-.")
    for (name, value), style in zip(found.targets, looks, strict=False):
        axes.axhline(value, color=INK, linestyle=style, linewidth=0.9)
        handles.append(entry(f"{name}: {quantity(value)} ms", color=INK, linestyle=style, linewidth=0.9))
        highest = max(highest, value)
    if any(subqueue.dropping.any() for subqueue in found.states):
        for subqueue in found.states:
            axes.fill_between(
                subqueue.times_ns / 1e9,
                0.0,
                HEAD_ROOM * highest,
                where=(subqueue.dropping > 0).tolist(),
                step="post",
                color=DROP_STATE,
                alpha=SHADE,
                linewidth=0.0,
            )
        handles.append(Patch(color=DROP_STATE, alpha=SHADE, linewidth=0.0, label="drop state"))
    axes.set_ylim(0.0, HEAD_ROOM * highest or 1.0)
    axes.yaxis.set_major_locator(MaxNLocator(4))
    axes.set_ylabel("wait (ms)")
    beside(axes, handles, f"{found.discipline.partition(';')[0]} at {found.name}")


def hits(axes: Axes, found: QueueTrace) -> None:
    """The probability of a hit in each subqueue, or how many queues are in the drop state."""
    handles: list[Any] = []
    by_chance = any(subqueue.probability.any() for subqueue in found.states)
    highest = 0.0
    for subqueue, colour in zip(found.states, COLOURS, strict=False):
        values = 100.0 * subqueue.probability if by_chance else subqueue.dropping.astype(np.float64)
        axes.step(subqueue.times_ns / 1e9, values, where="post", color=colour, linewidth=0.8)
        name = f"of {subqueue.name}" if subqueue.name else "of an arrival"
        handles.append(entry(name if by_chance else "queues in the drop state", color=colour))
        highest = max(highest, float(values.max(initial=0.0)))
    axes.set_ylim(0.0, HEAD_ROOM * highest or 1.0)
    axes.yaxis.set_major_locator(MaxNLocator(4, integer=not by_chance))
    axes.set_ylabel("probability of\na hit (%)" if by_chance else "queues")
    beside(axes, handles, "a hit is a drop or a mark" if by_chance else "")

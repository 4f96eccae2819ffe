"""A flow alone: which part of its link it carries, by sender, rate and round trip, and why not all of it.

Source: none; the paths are ours. What PROBE_RTT leaves follows from draft-ietf-ccwg-bbr §5.3.4 and [Cardwell16], how long a scalable sender
takes to fill a path from RFC 8257 §3.3 and draft-briscoe-iccrg-prague.

| sender            | router                                                                      |
|-------------------|-----------------------------------------------------------------------------|
| `dctcp`           | `step`, which marks from five packets and a seventh of the BDP on [Alizadeh10] §3.3 |
| `prague`          | `dualpi2`                                                                   |
| others            | drop-tail, a BDP and twenty packets                                         |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from sawtooth.run.run import Run
from validation.page import markdown
from validation.runs import decreases, job, runs

MODELS: Final = ("cubic", "bbr", "bbr-1")
"""Senders of docs/bbr.md."""
SCALABLE: Final = ("dctcp", "prague")
"""Senders of docs/scalable.md."""
RATES: Final = (1, 10, 100, 1000)
"""In Mbit/s."""
ROUND_TRIPS: Final = (1, 30, 100, 300)
"""In ms."""
COUNTED: Final = {1: (60, 120), 10: (60, 120), 100: (60, 120), 1000: (30, 60)}
"""By rate from when to when is counted, in s."""
NEAR: Final = 0.05
"""How far from the whole link counts as filled."""
PACKET_BITS: Final = 8000
MARKED_MS: Final = 2.0
"""From a queue of so many ms on `dualpi2` marks every packet: the end of its ramp."""
FIRST_S: Final = 30
"""The first cuts of a scalable sender come within so many seconds."""
WATCHED_MBIT: Final = 100
"""Faster links are not watched until a scalable sender fills them: that may take hours."""
PROBE_RTT: Final = {"bbr": (5.0, 0.5), "bbr-1": (10.0, 0.0)}
"""How often in s, and which part of the BDP is in flight meanwhile (`bbr-1`: four packets)."""


@dataclass(frozen=True)
class Cell:
    """One flow on one path, and what part of the link it carried."""

    sender: str
    mbit: int
    rtt_ms: int
    share: float

    @property
    def bdp(self) -> float:
        """Packets that the path holds."""
        return self.mbit * 1e6 * self.rtt_ms / 1e3 / PACKET_BITS

    @property
    def packet_ms(self) -> float:
        """How long a packet takes."""
        return PACKET_BITS / (self.mbit * 1e3)

    @property
    def marks_part(self) -> bool:
        """Whether the router marks a queue that is shorter than a packet: then a packet that waits for another is marked."""
        return self.sender == "prague" and self.packet_ms > MARKED_MS

    @property
    def filled(self) -> bool:
        """Whether it carried all but little."""
        return self.share >= 1 - NEAR


@dataclass(frozen=True)
class Filling:
    """How a scalable sender fills a path that it did not fill in time.

    That is the least window that its first cuts left, in packets, when it should have a BDP by its law, and when it carries all but
    little; None where nobody waited.
    """

    cell: Cell
    left: float
    by_law_s: float
    found_s: float | None


def measure(
    senders: Sequence[str], rates: Sequence[int] = RATES, round_trips: Sequence[int] = ROUND_TRIPS
) -> list[Cell]:
    """Every cell: sender by sender, then by round trip and rate."""
    places = [(sender, mbit, rtt_ms) for sender in senders for rtt_ms in round_trips for mbit in rates]
    found = runs(job("alone", values(*place, *COUNTED[place[1]])) for place in places)
    return [Cell(*place, share(run)) for place, run in zip(places, found, strict=True)]


def values(sender: str, mbit: int, rtt_ms: int, begin_s: int, end_s: int) -> dict[str, Any]:
    """What a case sets."""
    bdp = mbit * rtt_ms // 8
    chosen: dict[str, Any] = {
        "duration": f"{end_s} s",
        "warmup": f"{begin_s} s",
        "bottleneck.rate": f"{mbit} Mbit/s",
        "path.rtt": f"{rtt_ms} ms",
        "flows[0].control": sender,
    }
    if sender == "dctcp":
        queue = {"kind": "step", "threshold": f"{5 + bdp // 7} packets"}
        return {**chosen, "bottleneck.queue": queue, "bottleneck.buffer": "100000 packets"}
    if sender == "prague":
        return {**chosen, "bottleneck.queue": "dualpi2", "bottleneck.buffer": "100000 packets"}
    return {**chosen, "bottleneck.buffer": f"{bdp + 20} packets"}


def share(run: Run) -> float:
    """The part of the link that the flow used while it counted."""
    counted_s = float(run.engine["duration_ns"] - run.engine["warmup_ns"]) / 1e9
    delivered = float(run.flows.column("delivered_unique")[0].as_py())
    rate_bps = float(run.engine["links"][0]["rate_bps"])
    return delivered * PACKET_BITS / counted_s / rate_bps


def left_by_probe_rtt(sender: str, rtt_ms: int) -> float:
    """What PROBE_RTT leaves of a link.

    A flow that holds a BDP sends nothing until as little is in flight as PROBE_RTT allows, then that much per round trip for 200 ms and
    one round trip at least.
    """
    interval_s, allowed = PROBE_RTT[sender]
    rtt_s = rtt_ms / 1e3
    draining_s, stay_s = (1 - allowed) * rtt_s, max(rtt_s, 0.2)
    return 1 - (draining_s + (1 - allowed) * stay_s) / (interval_s + draining_s + stay_s)


def fillings(cells: Sequence[Cell]) -> list[Filling]:
    """Of the scalable senders' cells those that are still growing when they count, each watched until it is filled."""
    missed = [cell for cell in cells if not cell.filled and not cell.marks_part]
    jobs = []
    for cell in missed:
        longest_s = FIRST_S + (cell.bdp * cell.rtt_ms / 1e3 if cell.mbit <= WATCHED_MBIT else 0)
        recorded = {"record.windows": True, "record.rates": "5 s"}
        jobs.append(
            job("alone", {**values(cell.sender, cell.mbit, cell.rtt_ms, 0, int(longest_s) + 60), **recorded})
        )
    return [_filling(cell, run) for cell, run in zip(missed, runs(jobs), strict=True)]


def _filling(cell: Cell, run: Run) -> Filling:
    early = [cut for cut in decreases(run) if cut["time_s"] <= FIRST_S]
    least = min(early, key=lambda cut: float(cut["after"]))
    by_law_s = least["time_s"] + (cell.bdp - least["after"]) * cell.rtt_ms / 1e3
    table = run.records["rates"]
    times = np.asarray(table.column("time_ns")) / 1e9
    carried = np.asarray(table.column("delivered_packets")) * PACKET_BITS / (cell.mbit * 1e6) / times[0]
    filled = times[(carried >= 1 - NEAR) & (times > least["time_s"])]
    return Filling(cell, least["after"], by_law_s, float(filled[0]) if len(filled) else None)


def marked_late(cells: Sequence[Cell]) -> list[tuple[Cell, float, float]]:
    """Cells that are not filled because the router marks a queue of less than a packet.

    With the ms from which marks begin instead, a quarter more than a packet, and the share that this brings.
    """
    missed = [cell for cell in cells if not cell.filled and cell.marks_part]
    begins = [1.25 * cell.packet_ms for cell in missed]
    jobs = []
    for cell, begin_ms in zip(missed, begins, strict=True):
        set_here = values(cell.sender, cell.mbit, cell.rtt_ms, *COUNTED[cell.mbit])
        queue = {"kind": "dualpi2", "min_threshold": f"{begin_ms} ms"}
        jobs.append(job("alone", {**set_here, "bottleneck.queue": queue}))
    shares = [share(run) for run in runs(jobs)]
    return list(zip(missed, begins, shares, strict=True))


def agreement(cells: Sequence[Cell]) -> str:
    """How many paths each sender fills, on one line."""
    senders = dict.fromkeys(cell.sender for cell in cells)
    counted = {sender: [cell.filled for cell in cells if cell.sender == sender] for sender in senders}
    return ", ".join(f"`{sender}` {sum(found)} of {len(found)}" for sender, found in counted.items())


def shares_table(cells: Sequence[Cell]) -> str:
    """A row for each sender and round trip, a column for each rate; bold where the link is not filled."""
    rows: dict[tuple[str, int], list[str]] = {}
    for cell in cells:
        text = f"{cell.share:.3f}"
        rows.setdefault((cell.sender, cell.rtt_ms), []).append(text if cell.filled else f"**{text}**")
    rates = list(dict.fromkeys(cell.mbit for cell in cells))
    heads = ["sender", "round trip", *(f"{mbit:,} Mbit/s" for mbit in rates)]
    return markdown(
        heads, [[f"`{sender}`", f"{rtt_ms} ms", *found] for (sender, rtt_ms), found in rows.items()]
    )


def probing_table(cells: Sequence[Cell]) -> str:
    """Of BBR's cells those that are not filled, beside what PROBE_RTT leaves."""
    rows = []
    for cell in cells:
        if cell.filled or cell.sender not in PROBE_RTT:
            continue
        left = left_by_probe_rtt(cell.sender, cell.rtt_ms)
        path = f"{cell.mbit:,} Mbit/s, {cell.rtt_ms} ms"
        rows.append(
            [f"`{cell.sender}`", path, f"{cell.share:.3f}", f"{left:.3f}", f"{cell.share / left:.3f}"]
        )
    return markdown(["sender", "path", "share", "left by PROBE_RTT", "share of that"], rows)


def filling_table(found: Sequence[Filling]) -> str:
    """Each path that a scalable sender does not fill in time: from where it grows, and until when."""
    rows = [
        [
            f"`{one.cell.sender}`",
            f"{one.cell.mbit:,} Mbit/s, {one.cell.rtt_ms} ms",
            f"{one.cell.share:.3f}",
            f"{one.left:,.0f} of {one.cell.bdp:,.0f} packets",
            f"{one.by_law_s:,.0f} s",
            "not watched" if one.found_s is None else f"{one.found_s:,.0f} s",
        ]
        for one in found
    ]
    return markdown(
        ["sender", "path", "share", "left by the first cuts", "a BDP by the law after", "within 5 % after"],
        rows,
    )


def marked_table(found: Sequence[tuple[Cell, float, float]]) -> str:
    """Each cell of `marked_late`."""
    rows = [
        [
            f"`{cell.sender}`",
            f"{cell.mbit:,} Mbit/s, {cell.rtt_ms} ms",
            f"{cell.share:.3f}",
            f"{cell.packet_ms:g} ms",
            f"{later:.3f} with {begin_ms:g} ms",
        ]
        for cell, begin_ms, later in found
    ]
    return markdown(
        ["sender", "path", "share", "a packet takes", "share with a larger `min_threshold`"], rows
    )

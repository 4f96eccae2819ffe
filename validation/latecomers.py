"""A flow of BBR that starts when another has had the link for 30 s: its share of the link, by path, buffer and time since its start.

Source: draft-ietf-ccwg-bbr §5.3.3.1 says that bandwidths converge, and not how soon. The bound of a fifth is ours.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from sawtooth.run.run import Run
from validation.page import markdown
from validation.runs import job, runs

PATHS: Final = ((10, 40), (20, 20), (50, 80), (20, 150))
"""Mbit/s and ms."""
BUFFERS: Final = (0.5, 1, 2, 4, 8)
"""In BDP."""
PLACES: Final = tuple((path, buffer) for path in PATHS for buffer in BUFFERS)
WITHOUT: Final = "bbr(probe_rtt_interval=1000)"
"""A flow that does not enter PROBE_RTT while a run lasts."""
START_S: Final = 30
AFTER_S: Final = (60, 240)
"""When what counts begins, after the start of the second flow."""
COUNTED_S: Final = 60
SEEDS: Final = 6
BOUND: Final = 0.2
"""How far from a fair share counts as near."""


@dataclass(frozen=True)
class Cell:
    """One path and buffer: what the later flow has of a fair share, by seed, in a minute that begins so long after its start."""

    mbit: int
    rtt_ms: int
    buffer_bdp: float
    after_s: int
    shares: tuple[float, ...]

    @property
    def near(self) -> int:
        """In how many runs it is within the bound."""
        return sum(abs(share - 1) <= BOUND for share in self.shares)


Place = tuple[tuple[int, int], float]
"""A path and a buffer."""


def measure(
    places: Sequence[Place] = PLACES, seeds: int = SEEDS, control: str = "bbr", after: Sequence[int] = AFTER_S
) -> list[Cell]:
    """Every cell, in the order of the places; the times of one place beside each other."""
    jobs = [
        job(
            "latecomers",
            {
                "bottleneck.rate": f"{mbit} Mbit/s",
                "bottleneck.buffer": f"{buffer} bdp",
                "path.rtt": f"{rtt_ms} ms",
                "flows[0].control": control,
                "flows[1].control": control,
            },
            seed,
        )
        for (mbit, rtt_ms), buffer in places
        for seed in range(1, seeds + 1)
    ]
    found = runs(jobs)
    cells = []
    for place, ((mbit, rtt_ms), buffer) in enumerate(places):
        of_seeds = found[place * seeds : (place + 1) * seeds]
        for after_s in after:
            shares = tuple(_share(run, after_s) for run in of_seeds)
            cells.append(Cell(mbit, rtt_ms, buffer, after_s, shares))
    return cells


def _share(run: Run, after_s: int) -> float:
    """What the second flow has of a fair share in the minute."""
    table = run.records["rates"]
    times = np.asarray(table.column("time_ns")) / 1e9
    flows, packets = np.asarray(table.column("flow")), np.asarray(table.column("delivered_packets"))
    begin = START_S + after_s
    counted = (times > begin) & (times <= begin + COUNTED_S)
    first, second = (float(packets[counted & (flows == flow)].sum()) for flow in (0, 1))
    return 2 * second / (first + second)


def agreement(cells: Sequence[Cell]) -> str:
    """How many runs and cells are near, for each time, on one line."""
    parts = []
    for after_s in AFTER_S:
        chosen = [cell for cell in cells if cell.after_s == after_s]
        near, of = sum(cell.near for cell in chosen), sum(len(cell.shares) for cell in chosen)
        whole = sum(cell.near == len(cell.shares) for cell in chosen)
        parts.append(
            f"After {after_s} s {near} of {of} runs are within 20 %, and {whole} of {len(chosen)} cells with every seed"
        )
    return ". ".join(parts)


def without_probe_rtt(cells: Sequence[Cell]) -> list[tuple[Cell, Cell]]:
    """The cells in which some seed is outside long after the start, and what becomes of them without PROBE_RTT."""
    last = max(AFTER_S)
    missed = [cell for cell in cells if cell.after_s == last and cell.near < len(cell.shares)]
    places = [((cell.mbit, cell.rtt_ms), cell.buffer_bdp) for cell in missed]
    seeds = len(missed[0].shares) if missed else 0
    return list(zip(missed, measure(places, seeds, WITHOUT, [last]), strict=True))


def _text(cell: Cell) -> str:
    text = f"{statistics.fmean(cell.shares):.2f} ({min(cell.shares):.2f} to {max(cell.shares):.2f})"
    return text if cell.near == len(cell.shares) else f"**{text}**"


def _place(cell: Cell) -> list[str]:
    return [f"{cell.mbit} Mbit/s, {cell.rtt_ms} ms", f"{cell.buffer_bdp:g} BDP"]


def table(cells: Sequence[Cell]) -> str:
    """A row for each path and buffer: mean and range over seeds, bold where a seed is outside."""
    rows: dict[Place, list[str]] = {}
    for cell in cells:
        row = rows.setdefault(((cell.mbit, cell.rtt_ms), cell.buffer_bdp), _place(cell))
        row.append(_text(cell))
    heads = ["path", "buffer", *(f"{after_s} s after its start" for after_s in AFTER_S)]
    return markdown(heads, list(rows.values()))


def without_table(pairs: Sequence[tuple[Cell, Cell]]) -> str:
    """A row for each cell that misses, as it is and without PROBE_RTT."""
    rows = [[*_place(cell), _text(cell), _text(without)] for cell, without in pairs]
    return markdown(["path", "buffer", "`bbr`", f"`{WITHOUT}`"], rows)

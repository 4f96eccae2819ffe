"""One flow of Prague beside one classic flow, beside measurements of real kernels: who gets how much, and how long packets take.

Source: [Sarpkaya25], data/l4s_pam2025.csv, means of ten runs of 60 s at 100 Mbit/s and 10 ms.

| metric                                                | agrees within        |
|-------------------------------------------------------|----------------------|
| share of Prague in what both flows get                | 20 % of the measured |
| smoothed round trip of Prague, of the classic flow    | 15 % of the measured |

Wanted: four of five cells. Shares and round trips are means over SEEDS seeds from the start to the end, slow start included, as there.
Theirs of a round trip is the mean of the smoothed one, read every second; ours is its mean over time.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sawtooth.run.run import Run
from validation.runs import job, runs, table

SEEDS: Final = 3
SHARE_BOUND, RTT_BOUND = 0.20, 0.15
FRAME: Final = 1514
BDP: Final = 125_000
"""Bytes in 10 ms at 100 Mbit/s."""

LINUX_CUBIC: Final = {
    "control": "cubic(alpha_late=0, min_rtt_ahead=1, integer=1)",
    "slow_start": "hystart",
}
CLASSIC: Final[Mapping[str, Mapping[str, Any]]] = {
    "cubic": {**LINUX_CUBIC, "ecn": "off"},
    "cubic+ecn": {**LINUX_CUBIC, "ecn": "classic"},
    "bbr-1": {"control": "bbr-1", "ecn": "off"},
    "bbr-3": {"control": "bbr", "ecn": "off"},
}
QUEUES: Final[Mapping[str, Mapping[str, Any]]] = {
    "FIFO": {"kind": "droptail"},
    "Codel": {"kind": "codel", "ecn": True},
    "Codel_drop": {"kind": "codel"},
    "pie_drop": {"kind": "pie", "target": "5 ms", "cap_adjustment": True, "derandomization": True},
    "FQ_Codel": {"kind": "fq-codel"},
    "FQ_Codel_L4S": {"kind": "fq-codel", "ce_threshold_ect1": "1 ms"},
    "DualPI2": {"kind": "dualpi2", "target": "5 ms", "min_threshold": "1 ms", "range": "0 s", "weight": 0.1},
}
"""As the authors set them, the rest as Linux has it: the L queue of its DualPI2 marks above a step, and a tenth is the classic queue's."""
DUALPI2_PACKETS: Final = 10_000
METRICS: Final = ("share", "prague_ms", "classic_ms")


@dataclass(frozen=True)
class Cell:
    """One classic flow behind one router: what was measured and ours, by metric."""

    classic: str
    aqm: str
    buffer_bdp: float
    theirs: Mapping[str, float]
    ours: Mapping[str, float]

    @property
    def name(self) -> str:
        """Classic flow, router and buffer."""
        return f"{self.classic}, {self.aqm}, {self.buffer_bdp:g}"

    def apart(self, metric: str) -> float:
        """By which part of the measured value ours differs from it."""
        return self.ours[metric] / self.theirs[metric] - 1

    def agrees(self, metric: str) -> bool:
        """Whether that is within the bound."""
        return abs(self.apart(metric)) <= (SHARE_BOUND if metric == "share" else RTT_BOUND)


def measure(
    rows: Iterable[Mapping[str, str]] | None = None, changes: Mapping[str, Any] | None = None
) -> list[Cell]:
    """Cells with our numbers: all, or those of some rows of the data, with some values of the scenario changed."""
    listed = list(table("l4s_pam2025") if rows is None else rows)
    seeds = range(1, SEEDS + 1)
    found = runs(job("l4s", {**_values(row), **(changes or {})}, seed) for row in listed for seed in seeds)
    return [_cell(row, found[at * SEEDS : (at + 1) * SEEDS]) for at, row in enumerate(listed)]


def _values(row: Mapping[str, str]) -> dict[str, Any]:
    aqm = row["aqm"]
    limit = int(float(row["buffer_bdp"]) * BDP)
    buffer = f"{limit // 1500 + 1} packets"
    if aqm == "FIFO":
        buffer = f"{limit + FRAME} B"  # ours counts the packet in transmission
    elif aqm == "DualPI2":
        buffer = f"{DUALPI2_PACKETS} packets"
    values = {"bottleneck.buffer": buffer, "bottleneck.queue": dict(QUEUES[aqm])}
    return values | {f"flows[1].{key}": value for key, value in CLASSIC[row["classic"]].items()}


def _cell(row: Mapping[str, str], found: Sequence[Run]) -> Cell:
    prague, classic = float(row["prague_mbit"]), float(row["classic_mbit"])
    theirs = {
        "share": prague / (prague + classic),
        "prague_ms": float(row["prague_srtt_ms"]),
        "classic_ms": float(row["classic_srtt_ms"]),
    }
    numbers = [_numbers(run) for run in found]
    ours = {metric: statistics.fmean(values[metric] for values in numbers) for metric in METRICS}
    return Cell(row["classic"], row["aqm"], float(row["buffer_bdp"]), theirs, ours)


def _numbers(run: Run) -> dict[str, float]:
    prague, classic = run.flows.to_pylist()
    return {
        "share": prague["delivered_unique"] / (prague["delivered_unique"] + classic["delivered_unique"]),
        "prague_ms": prague["srtt_mean_ns"] / 1e6,
        "classic_ms": classic["srtt_mean_ns"] / 1e6,
    }

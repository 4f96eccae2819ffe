"""Reno at two packets a round trip, in parts of a run, against ns-2: ten flows of AIMD(1, 0.8) over drop-tail in `rw-multiplicative`.

Source: ns-2 2.35 and its own Reno, data/ns2_low.csv (twelve seeds, by ns2_low.py). The schedule rises to 35 Mbit/s for all flows, falls
within a second to the tenth of a megabit for each that is its floor, and stays near it. Nothing jitters on either side: what differs
between seeds is when flows start.

A part agrees as the cells of `cells` do: in goodput within 0.02 + noise, where noise is two standard errors of the difference of the means.
Goodput is of what the schedule leaves, and exceeds it where flows drive cross traffic out. ns-2's is counted in two ways: by what
arrives, as ours, and by what cumulative acknowledgements cover, which holds packets back that arrived before a gap was filled.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final

from sawtooth.run.run import Run
from validation.page import markdown
from validation.runs import HERE, job, runs, table

SEEDS: Final = 12
PARTS: Final = ((0, 5), (5, 8), (8, 60), (5, 60))
"""Seconds: up to the end of the warm-up of the other cells, until the fall is over, at the floor, and what the other cells count."""
SCHEDULE: Final = "ns2_schedules/rw-multiplicative"
FLOWS: Final = 10
PACKET_BITS: Final = 8000
LEAST: Final = 0.02
CHANGES: Final[dict[str, Any]] = {
    "flows.recovery": "reno",
    "flows.start": "uniform 0..1 s",
    "path.send_jitter": "0 s",
    "environment.file": str(HERE / "data" / f"{SCHEDULE}.csv"),
    "warmup": "0 s",
    "record.rates": "1 s",
}
"""What differs from the other cells."""


@dataclass(frozen=True)
class PartGoodputs:
    """A part of the run: goodputs over the seeds, ours, ns-2's, and ns-2's by cumulative acknowledgements."""

    begin_s: int
    end_s: int
    ours: Sequence[float]
    arrived: Sequence[float]
    acknowledged: Sequence[float]

    @property
    def agrees(self) -> bool:
        """Whether ours is within the rule of what arrived in ns-2."""
        apart = abs(statistics.mean(self.ours) - statistics.mean(self.arrived))
        return apart <= LEAST + 2 * sqrt(_error(self.ours) ** 2 + _error(self.arrived) ** 2)


def _error(values: Sequence[float]) -> float:
    """The standard error of a mean."""
    return statistics.stdev(values) / sqrt(len(values))


def measure(seeds: int = SEEDS) -> list[PartGoodputs]:
    """Every part."""
    ours = [_delivered(run) for run in runs(job("ns2_cells", CHANGES, seed) for seed in range(1, seeds + 1))]
    arrived, acknowledged = _ns2("arrived"), _ns2("acknowledged")

    def goodputs(counts: Sequence[Sequence[int]], begin_s: int, end_s: int) -> list[float]:
        left = available_packets(begin_s, end_s)
        return [sum(each[begin_s:end_s]) / left for each in counts]

    return [
        PartGoodputs(begin, end, *(goodputs(counts, begin, end) for counts in (ours, arrived, acknowledged)))
        for begin, end in PARTS
    ]


def available_packets(begin_s: float, end_s: float) -> float:
    """Packets that the schedule leaves to all flows in a part of the run."""
    levels = [(float(row["time_s"]), float(row["available_bps_per_flow"])) for row in table(SCHEDULE)]
    ends = [at for at, _ in levels[1:]] + [float("inf")]
    bits = sum(
        max(0.0, min(end, end_s) - max(begin, begin_s)) * bps
        for (begin, bps), end in zip(levels, ends, strict=True)
    )
    return FLOWS * bits / PACKET_BITS


def _delivered(run: Run) -> list[int]:
    """Packets of all flows by second; a row of the record stands at the end of its second."""
    counts = [0] * 60
    for row in run.records["rates"].to_pylist():
        counts[row["time_ns"] // 10**9 - 1] += row["delivered_packets"]
    return counts


def _ns2(column: str) -> list[list[int]]:
    """A column of ns-2's table: seconds within seeds."""
    counts: dict[str, list[int]] = {}
    for row in table("ns2_low"):
        counts.setdefault(row["seed"], []).append(int(row[column]))
    return list(counts.values())


def agreement(parts: Sequence[PartGoodputs]) -> str:
    """How many parts agree, on one line."""
    return f"{sum(part.agrees for part in parts)} of {len(parts)} in goodput"


def parts_table(parts: Sequence[PartGoodputs]) -> str:
    """Every part: ours, ns-2's, and ns-2's by acknowledgements; bold where ours disagrees."""
    rows = []
    for part in parts:
        ours = _mean(part.ours)
        rows.append(
            [
                f"{part.begin_s} to {part.end_s} s",
                ours if part.agrees else f"**{ours}**",
                _mean(part.arrived),
                _mean(part.acknowledged),
            ]
        )
    return markdown(["part of the run", "ours", "ns-2", "ns-2, by acknowledgements"], rows)


def _mean(values: Sequence[float]) -> str:
    return f"{statistics.mean(values):.3f} ± {_error(values):.3f}"

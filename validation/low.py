"""Reno at two packets a round trip, in parts of a run, against ns-2: ten flows of one law over drop-tail in `rw-multiplicative`.

Source: ns-2 2.35 and its own Reno, data/ns2_low.csv (sixteen seeds of each set-up, by ns2_low.py). The schedule rises to 35 Mbit/s for
all flows, falls within a second to the tenth of a megabit for each that is its floor, and stays near it.

Every law is compared as in the other cells: packets leave up to 80 µs late, and flow i starts at 0.1 i s. AIMD(1, 0.8) is compared once
more without jitter, where nothing but the random starts differs between seeds. Round trips are counted in ticks of each sender's own
clock, as ns-2 does (`tcp.rtt_ticks = "counted"`); what they give rounded up, as by default, stands beside.

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
from validation.ns2_low import SEEDS, SETUPS
from validation.page import markdown
from validation.runs import HERE, job, runs, table

PARTS: Final = ((0, 5), (5, 8), (8, 60), (5, 60))
"""Seconds: up to the end of the warm-up of the other cells, until the fall is over, at the floor, and what the other cells count."""
SCHEDULE: Final = "ns2_schedules/rw-multiplicative"
FLOWS: Final = 10
PACKET_BITS: Final = 8000
LEAST: Final = 0.02
TICKS: Final = ("counted", "up")
CHANGES: Final[dict[str, Any]] = {
    "flows.recovery": "reno",
    "environment.file": str(HERE / "data" / f"{SCHEDULE}.csv"),
    "warmup": "0 s",
    "record.rates": "1 s",
}
"""What differs from the other cells."""
STILL: Final[dict[str, Any]] = {"path.send_jitter": "0 s", "flows.start": "uniform 0..1 s"}
"""What differs besides where nothing jitters."""


@dataclass(frozen=True)
class PartGoodputs:
    """A part of the run of a set-up: goodputs over the seeds, ours by `tcp.rtt_ticks`, ns-2's, and ns-2's by acknowledgements."""

    law: str
    jitter_us: int
    begin_s: int
    end_s: int
    counted: Sequence[float]
    up: Sequence[float]
    arrived: Sequence[float]
    acknowledged: Sequence[float]

    @property
    def agrees(self) -> bool:
        """Whether ours, with ticks counted, is within the rule of what arrived in ns-2."""
        return agree(self.counted, self.arrived)

    @property
    def agrees_rounded(self) -> bool:
        """The same with round trips rounded up."""
        return agree(self.up, self.arrived)


def agree(ours: Sequence[float], theirs: Sequence[float]) -> bool:
    """Whether the means are within the rule of each other."""
    apart = abs(statistics.mean(ours) - statistics.mean(theirs))
    return apart <= LEAST + 2 * sqrt(_error(ours) ** 2 + _error(theirs) ** 2)


def _error(values: Sequence[float]) -> float:
    """The standard error of a mean."""
    return statistics.stdev(values) / sqrt(len(values))


def measure(seeds: int = SEEDS) -> list[PartGoodputs]:
    """Every part of every set-up."""
    return [part for law, jitter_us in SETUPS for part in measure_setup(law, jitter_us, seeds)]


def measure_setup(law: str, jitter_us: int, seeds: int = SEEDS) -> list[PartGoodputs]:
    """Every part of a set-up."""
    changes = {**CHANGES, "flows.control": law, **({} if jitter_us else STILL)}
    ours = (
        [
            _delivered(run)
            for run in runs(
                job("ns2_cells", {**changes, "tcp.rtt_ticks": ticks}, seed) for seed in range(1, seeds + 1)
            )
        ]
        for ticks in TICKS
    )
    counts = [*ours, *(_ns2(law, jitter_us, column) for column in ("arrived", "acknowledged"))]
    return [
        PartGoodputs(law, jitter_us, begin, end, *(_goodputs(each, begin, end) for each in counts))
        for begin, end in PARTS
    ]


def _goodputs(counts: Sequence[Sequence[int]], begin_s: int, end_s: int) -> list[float]:
    """By seed what was carried of what the schedule leaves."""
    left = available_packets(begin_s, end_s)
    return [sum(each[begin_s:end_s]) / left for each in counts]


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


def _ns2(law: str, jitter_us: int, column: str) -> list[list[int]]:
    """A column of ns-2's table for a set-up: seconds within seeds."""
    counts: dict[str, list[int]] = {}
    for row in table("ns2_low"):
        if (row["law"], int(row["jitter_us"])) == (law, jitter_us):
            counts.setdefault(row["seed"], []).append(int(row[column]))
    return list(counts.values())


def agreement(parts: Sequence[PartGoodputs]) -> str:
    """How many parts agree, on one line."""
    return f"{sum(part.agrees for part in parts)} of {len(parts)} in goodput"


def rounded_agreement(parts: Sequence[PartGoodputs]) -> str:
    """How many would with round trips rounded up."""
    return f"{sum(part.agrees_rounded for part in parts)} of {len(parts)}"


def parts_table(parts: Sequence[PartGoodputs]) -> str:
    """Every part: ours, ours rounded up, ns-2's, and ns-2's by acknowledgements; bold where ours disagrees."""
    rows = [
        [
            f"`{part.law}`",
            f"{part.jitter_us} µs",
            f"{part.begin_s} to {part.end_s} s",
            _shown(part.counted, part.agrees),
            _shown(part.up, part.agrees_rounded),
            _mean(part.arrived),
            _mean(part.acknowledged),
        ]
        for part in parts
    ]
    head = [
        "law",
        "jitter",
        "part of the run",
        "ours, ticks counted",
        "ours, rounded up",
        "ns-2",
        "ns-2, by acknowledgements",
    ]
    return markdown(head, rows)


def _shown(values: Sequence[float], agrees: bool) -> str:
    return _mean(values) if agrees else f"**{_mean(values)}**"


def _mean(values: Sequence[float]) -> str:
    return f"{statistics.mean(values):.3f} ± {_error(values):.3f}"

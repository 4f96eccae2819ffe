"""DCTCP over step marking, beside ns-3: the queue it holds, the share of packets it has marked, and how often it reduces.

Source: ns-3 3.44, data/ns3_dctcp.csv (mean and standard deviation over one or three seeds of its own), with the seeds of its cell here.

| metric                                   | agrees within                 |
|------------------------------------------|-------------------------------|
| queueing delay (ms)                      | 5 % of ns-3's + noise         |
| share of marked packets (%)              | 10 % of ns-3's + noise        |
| reductions of all flows                  | 5 % of ns-3's + noise         |
| Jain's index of the goodputs             | 0.03 + noise                  |

noise = 2·sqrt((s1² + s2²)/n), s1 and s2 the standard deviations over n seeds: two standard errors of the difference of the means.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final

from sawtooth.run.run import Run
from validation.cells import Statistic
from validation.page import markdown
from validation.runs import job, runs, table

BOUNDS: Final[Mapping[str, tuple[float, float]]] = {
    "delay_ms": (0.05, 0.0),
    "mark_pct": (0.10, 0.0),
    "reductions": (0.05, 0.0),
    "jain": (0.0, 0.03),
}
"""Share of ns-3's value, and absolute bound."""
DECIMALS: Final = {"delay_ms": 2, "mark_pct": 2, "reductions": 0, "jain": 3}


@dataclass(frozen=True)
class Cell:
    """One number of flows on one link: ns-3's numbers and ours by metric."""

    name: str
    seeds: int
    ns3: Mapping[str, Statistic]
    ours: Mapping[str, Statistic]

    def tolerance(self, metric: str) -> float:
        """What the means may differ by."""
        ours, ns3 = self.ours[metric], self.ns3[metric]
        share, least = BOUNDS[metric]
        return share * ns3.mean + least + 2 * sqrt((ours.sd**2 + ns3.sd**2) / self.seeds)

    def agrees(self, metric: str) -> bool:
        """Whether the means do."""
        return abs(self.ours[metric].mean - self.ns3[metric].mean) <= self.tolerance(metric)


def measure() -> list[Cell]:
    """Every cell with our numbers."""
    return [_cell(row) for row in table("ns3_dctcp")]


def _cell(row: Mapping[str, str]) -> Cell:
    seeds = int(row["seeds"])
    found = [
        _numbers(run) for run in runs(job("ns3_dctcp", _values(row), seed) for seed in range(1, seeds + 1))
    ]
    ours = {metric: _statistic([numbers[metric] for numbers in found]) for metric in BOUNDS}
    ns3 = {metric: Statistic(float(row[metric]), float(row[f"{metric}_sd"])) for metric in BOUNDS}
    return Cell(row["cell"], seeds, ns3, ours)


def _values(row: Mapping[str, str]) -> dict[str, Any]:
    transmission_us = 1500 * 8 / float(row["mbit"])
    return {
        "duration": f"{row['duration_s']} s",
        "warmup": f"{row['warmup_s']} s",
        "bottleneck.rate": f"{row['mbit']} Mbit/s",
        "bottleneck.delay": f"{float(row['rtt_ms']) / 4} ms",
        "bottleneck.queue.threshold": f"{int(row['threshold']) + 1} packets",
        "path.rtt": f"{row['rtt_ms']} ms",
        "path.send_jitter": f"{float(row['jitter_packets']) * transmission_us} us",
        "flows[0].count": int(row["flows"]),
    }


def _numbers(run: Run) -> dict[str, float]:
    flows = run.flows.to_pylist()
    delivered = sum(flow["delivered_total"] for flow in flows)
    return {
        "delay_ms": run.values["delay"],
        "mark_pct": 100 * sum(flow["marks"] for flow in flows) / delivered,
        "reductions": sum(flow["ecn_reductions"] for flow in flows),
        "jain": run.values["jain"],
    }


def _statistic(values: Sequence[float]) -> Statistic:
    return Statistic(statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else 0.0)


def agreeing(cells: Sequence[Cell], metric: str) -> int:
    """How many cells agree."""
    return sum(cell.agrees(metric) for cell in cells)


def agreement(cells: Sequence[Cell]) -> str:
    """How many cells agree, on one line."""
    names = {"delay_ms": "delay", "mark_pct": "marks", "reductions": "reductions", "jain": "fairness"}
    return ", ".join(f"{agreeing(cells, metric)} of {len(cells)} in {name}" for metric, name in names.items())


def cells_table(cells: Sequence[Cell]) -> str:
    """Every cell: ours, then ns-3's; bold where they disagree by the rule."""
    rows = [[f"`{cell.name}`", *(_pair(cell, metric) for metric in BOUNDS)] for cell in cells]
    heads = ["queueing delay in ms", "marked packets in %", "reductions", "Jain's index"]
    return markdown(["cell", *(f"{head} (ns-3)" for head in heads)], rows)


def _pair(cell: Cell, metric: str) -> str:
    digits = DECIMALS[metric]
    pair = f"{cell.ours[metric].mean:.{digits}f} ({cell.ns3[metric].mean:.{digits}f})"
    return pair if cell.agrees(metric) else f"**{pair}**"

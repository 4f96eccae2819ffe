"""Ten flows under changing bandwidth, by router: cells against ns-2, five seeds each.

Source: ns-2 2.35, data/ns2_cells.csv (mean and standard deviation over five seeds of its own).

| metric  | agrees within                          | at least     |
|---------|----------------------------------------|--------------|
| goodput | 0.02 + noise, each run clipped at 1    |              |
| loss    | 25 % of ns-2's + noise                 | 0.3 points   |
| delay   | 10 % of ns-2's + noise                 | 2 ms         |

noise = 2·sqrt((s1² + s2²)/5), s1 and s2 the standard deviations over the seeds: two standard errors of the difference of the means.
Fairness, timeouts and retransmissions are shown and not judged: under drop-tail they move severalfold between seeds of one simulator.
"""

from __future__ import annotations

import statistics
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final

from sawtooth.run.run import RunSummary
from sawtooth.run.runner import run_many
from sawtooth.scenario.resolve import Resolved
from validation.runs import job, table

SEEDS: Final = 5
JUDGED: Final = ("goodput", "loss", "delay")
SHOWN: Final = (*JUDGED, "fairness", "timeouts", "retransmits")
BOUNDS: Final = {"goodput": (0.0, 0.02), "loss": (0.25, 0.3), "delay": (0.10, 2.0)}
"""Share of ns-2's value, and least absolute bound in the unit of the metric."""
WANTED: Final = {"goodput": 0.95, "loss": 0.90, "delay": 0.90}
"""Share of the cells that must agree."""
BIAS_MAX: Final = 0.01
"""Most that the mean signed difference in goodput of one recovery may be."""

RED: Final[Mapping[str, Any]] = {
    "kind": "red",
    "min": 150,
    "max": 750,
    "max_p": 0.1,
    "weight": 0.002,
    "gentle": True,
    "spacing": "wait",
}
ROUTERS: Final[Mapping[str, Mapping[str, Any]]] = {
    "droptail": {},
    "drr": {
        "bottleneck.queue": {"kind": "drr", "quantum": "1000 B"},
        "bottleneck.buffer": "1500000 B",
        "tcp.sack_timeout": "resend",
    },
    "red": {"bottleneck.queue": RED, "tcp.sack_pipe": "counted"},
    "ecn": {"bottleneck.queue": {**RED, "ecn": True}, "tcp.sack_pipe": "counted"},
}
"""What of the scenario each router changes: its queue and buffer, and how ns-2's TCP differs from ours where that decides cells."""

VARIANTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "as it is": {},
    'timeout_threshold = "law"': {"tcp.timeout_threshold": "law"},
    'sack_pipe = "rfc6675"': {"tcp.sack_pipe": "rfc6675"},
    'sack_pipe = "counted"': {"tcp.sack_pipe": "counted"},
    'sack_timeout = "skip"': {"tcp.sack_timeout": "skip"},
    'sack_pipe = "counted", sack_timeout = "skip"': {"tcp.sack_pipe": "counted", "tcp.sack_timeout": "skip"},
    'timer_tick = "0 s"': {"tcp.timer_tick": "0 s"},
    'send_jitter = "0 s"': {"path.send_jitter": "0 s"},
}
"""One change at a time behind drop-tail, to see what the agreement rests on."""

DRR_VARIANTS: Final[Mapping[str, Mapping[str, Any]]] = {
    'sack_timeout = "resend"': {},
    'sack_timeout = "skip"': {"tcp.sack_timeout": "skip"},
}
"""The same behind DRR, where the plain comparison resends."""

RED_VARIANTS: Final[Mapping[str, Mapping[str, Any]]] = {
    'sack_pipe = "counted"': {},
    'sack_pipe = "conservative"': {"tcp.sack_pipe": "conservative"},
    'spacing = "uniform"': {"bottleneck.queue.spacing": "uniform"},
    'spacing = "none"': {"bottleneck.queue.spacing": "none"},
}
"""The same behind RED, with and without marks, where the plain comparison counts."""


@dataclass(frozen=True)
class Statistic:
    """Mean and standard deviation over seeds, in the unit of the metric."""

    mean: float
    sd: float


@dataclass(frozen=True)
class Cell:
    """One law under one recovery in one environment: ns-2's numbers and ours by metric."""

    recovery: str
    control: str
    environment: str
    ns2: Mapping[str, Statistic]
    ours: Mapping[str, Statistic]

    def difference(self, metric: str) -> float:
        """Ours less ns-2's."""
        return self.ours[metric].mean - self.ns2[metric].mean

    def tolerance(self, metric: str) -> float:
        """What the absolute difference may be, in the unit of the metric."""
        ours, ns2 = self.ours[metric], self.ns2[metric]
        noise = 2 * sqrt((ours.sd**2 + ns2.sd**2) / SEEDS)
        share, least = BOUNDS[metric]
        if metric == "goodput":
            return least + noise
        return max(share * ns2.mean + noise, least)

    def agrees(self, metric: str) -> bool:
        """Whether the difference is within the tolerance."""
        return abs(self.difference(metric)) <= self.tolerance(metric)


Name = tuple[str, str, str]
"""Recovery, law and environment of a cell."""


def measure(
    changes: Mapping[str, Any] | None = None,
    only: Collection[Name] | None = None,
    *,
    router: str = "droptail",
) -> list[Cell]:
    """The cells of a router (`only` these, or all) with our numbers, `changes` applied to every scenario."""
    rows = [
        row for row in table("ns2_cells") if row["router"] == router and (only is None or _name(row) in only)
    ]
    results = run_many([_job(row, changes or {}, seed) for row in rows for seed in range(1, SEEDS + 1)], None)
    return [
        Cell(
            *_name(row),
            {m: Statistic(float(row[f"{m}_mean"]), float(row[f"{m}_sd"])) for m in SHOWN},
            {m: _statistic(results[SEEDS * index : SEEDS * (index + 1)], m) for m in SHOWN},
        )
        for index, row in enumerate(rows)
    ]


def _name(row: Mapping[str, str]) -> Name:
    return row["recovery"], row["control"], row["environment"]


def _job(row: Mapping[str, str], changes: Mapping[str, Any], seed: int) -> Resolved:
    own = dict(ROUTERS[row["router"]]) | {
        "flows[0].control": row["control"],
        "flows[0].recovery": row["recovery"],
        "environment.file": f"../data/ns2_schedules/{row['environment']}.csv",
    }
    return job("ns2_cells", own | dict(changes), seed)


def _statistic(results: Sequence[RunSummary], metric: str) -> Statistic:
    values = [result.values[metric] for result in results]
    if metric == "goodput":
        values = [min(1.0, value) for value in values]
    return Statistic(statistics.fmean(values), statistics.stdev(values))


def agreeing(cells: Sequence[Cell], metric: str) -> int:
    """How many cells agree."""
    return sum(cell.agrees(metric) for cell in cells)


def bias(cells: Sequence[Cell], recovery: str) -> float:
    """Mean signed difference in goodput over the cells of one recovery."""
    return statistics.fmean(cell.difference("goodput") for cell in cells if cell.recovery == recovery)

"""Short flows as cross traffic: twelve cells of environment 11 against ns-2, and the completion times of its short flows.

Source: ns-2 2.35, data/ns2_web_*.csv: one run of each cell, with the starts and lengths of ns2_web_flows.csv; ours has five seeds.

| metric                      | agrees within           | at least   |
|-----------------------------|-------------------------|------------|
| goodput                     | 0.05, each clipped at 1 |            |
| loss                        | 25 % of ns-2's + noise  | 0.3 points |
| delay                       | 15 % of ns-2's + noise  | 2 ms       |
| throughput of short flows   | 3 %                     |            |
| completion, mean, p50, p95  | 5 %                     |            |

noise = 2·s·sqrt(1 + 1/5), s our standard deviation over the seeds, for both sides: ns-2's has none, being one run. That is
also why 0.05 of goodput is noise. Completion times are of flows that start in the measured time; those of ns-2 ran on until
all were completed, ours leave out what is not completed by the end.
"""

from __future__ import annotations

import statistics
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final

from sawtooth.run.run import Run
from validation.cells import Statistic
from validation.runs import job, runs, table

SEEDS: Final = 5
JUDGED: Final = (
    "goodput",
    "loss",
    "delay",
    "cross_bps",
    "completion_mean",
    "completion_p50",
    "completion_p95",
)
SHARES: Final = {
    "loss": 0.25,
    "delay": 0.15,
    "cross_bps": 0.03,
    "completion_mean": 0.05,
    "completion_p50": 0.05,
    "completion_p95": 0.05,
}
"""Share of ns-2's value."""
LEAST: Final = {"goodput": 0.05, "loss": 0.3, "delay": 2.0}
"""Least bound, in the unit of the metric."""
EXACT: Final = ("goodput", "cross_bps", "completion_mean", "completion_p50", "completion_p95")
"""Judged without noise of ours."""
RED: Final = {
    "kind": "red",
    "min": 150,
    "max": 750,
    "max_p": 0.1,
    "weight": 0.002,
    "gentle": True,
    "spacing": "wait",
}
ROUTERS: Final[Mapping[str, Mapping[str, Any]]] = {
    "droptail": {"bottleneck.queue": "drop-tail"},
    "red": {"bottleneck.queue": RED, "tcp.sack_pipe": "counted"},
    "drr": {"bottleneck.queue": {"kind": "drr", "quantum": "1000 B"}, "bottleneck.buffer": "1500000 B"},
}
"""What each router changes: its queue and buffer, and how ns-2's TCP differs from ours where that decides cells."""
SAMPLE: Final = ("sack", "aimd(1, 0.8)", "red")
"""The cell whose completion times and throughput ns-2's files have."""


@dataclass(frozen=True)
class Cell:
    """One law under one recovery behind one router: ns-2's numbers and ours by metric."""

    recovery: str
    control: str
    router: str
    ns2: Mapping[str, float]
    ours: Mapping[str, Statistic]
    drops_in_profile: int
    """Packets of short flows that the bottleneck dropped, over all seeds."""

    def tolerance(self, metric: str) -> float:
        """What the absolute difference may be, in the unit of the metric."""
        noise = 2 * self.ours[metric].sd * sqrt(1 + 1 / SEEDS) if metric not in EXACT else 0.0
        return max(SHARES.get(metric, 0.0) * self.ns2[metric] + noise, LEAST.get(metric, 0.0))

    def agrees(self, metric: str) -> bool:
        """Whether the difference is within the tolerance."""
        return abs(self.ours[metric].mean - self.ns2[metric]) <= self.tolerance(metric)


@dataclass(frozen=True)
class Flows:
    """The short flows of one cell, ours (first seed) beside ns-2's: completion times in s of the same flows."""

    completions: Sequence[tuple[int, float, float]]
    """Packets, ours, ns-2's."""

    @property
    def within(self) -> float:
        """Share of the flows whose completion times differ by at most 10 %."""
        close = sum(abs(ours - ns2) <= 0.1 * ns2 for _, ours, ns2 in self.completions)
        return close / len(self.completions)

    @property
    def median_ratio(self) -> float:
        """Median of our completion time over ns-2's."""
        return statistics.median(ours / ns2 for _, ours, ns2 in self.completions)


def measure(only: Collection[tuple[str, str, str]] | None = None) -> list[Cell]:
    """The cells (`only` these by recovery, law and router, or all) with our numbers."""
    rows = table("ns2_web_cells")
    if only is not None:
        rows = [row for row in rows if (row["recovery"], row["control"], row["router"]) in only]
    found = runs([_job(row, seed) for row in rows for seed in range(1, SEEDS + 1)])
    cells = []
    for index, row in enumerate(rows):
        own = found[SEEDS * index : SEEDS * (index + 1)]
        values = [_values(run) for run in own]
        ours = {
            metric: Statistic(
                statistics.fmean(value[metric] for value in values),
                statistics.stdev(value[metric] for value in values),
            )
            for metric in JUDGED
        }
        ns2 = {metric: float(row[metric]) for metric in JUDGED}
        ns2["goodput"] = min(1.0, ns2["goodput"])
        cells.append(
            Cell(row["recovery"], row["control"], row["router"], ns2, ours, sum(map(_in_profile_drops, own)))
        )
    return cells


def _job(row: Mapping[str, str], seed: int) -> Any:
    own = {"flows[0].control": row["control"], "flows[0].recovery": row["recovery"]}
    return job("ns2_web", own | dict(ROUTERS[row["router"]]), seed)


def _values(run: Run) -> dict[str, float]:
    (web,) = run.records["arrivals"].to_pylist()
    seconds = (run.engine["duration_ns"] - run.engine["warmup_ns"]) / 1e9
    taken = _queue(run, "first")["in_profile_forwarded_bytes"]
    return {
        "goodput": min(1.0, run.values["goodput"]),
        "loss": run.values["loss"],
        "delay": run.values["delay"],
        "cross_bps": 8 * taken / seconds,
        "completion_mean": web["completion_ns_sum"] / web["completed"] / 1e9,
        "completion_p50": web["completion_p50_ns"] / 1e9,
        "completion_p95": web["completion_p95_ns"] / 1e9,
    }


def _queue(run: Run, name: str) -> dict[str, Any]:
    return next(row for row in run.queues.to_pylist() if row["name"] == name)


def _in_profile_drops(run: Run) -> int:
    row = _queue(run, "bottleneck")
    return int(row["drops"] - row["test_drops"])


def flows() -> Flows:
    """The short flows of SAMPLE, one by one."""
    recovery, control, router = SAMPLE
    (run,) = runs([_job({"recovery": recovery, "control": control, "router": router}, 1)])
    ns2 = {round(float(row["start_time_s"]) * 1e9): row for row in table("ns2_web_completions")}
    begin = run.engine["warmup_ns"]
    pairs = []
    for row in run.records["completions"].to_pylist():
        other = ns2[row["start_ns"]]
        if row["start_ns"] >= begin:
            pairs.append((row["packets"], row["completion_ns"] / 1e9, float(other["completion_s"])))
    return Flows(pairs)


def agreeing(cells: Sequence[Cell], metric: str) -> int:
    """How many cells agree."""
    return sum(cell.agrees(metric) for cell in cells)

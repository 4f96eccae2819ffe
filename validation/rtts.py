"""Unequal round-trip times: how goodput falls with them over one RED queue, beside ns-2.

Source: ns-2 2.35, data/ns2_rtts.csv: one run of each of four cases, two laws, the shortest or the longest round trip starting first. Ours
has five seeds. The share of a flow is its goodput over the mean of the ten; its exponent over the round-trip time is the slope of log
share against log RTT, by least squares. An exponent agrees within 0.1 + noise, noise = 2·s·sqrt(1 + 1/5) with s our standard
deviation over seeds in that case, since one run of ns-2 has as much. Single flows of a single run are not judged.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import Final

from sawtooth.run.run import Run
from validation.cells import Statistic
from validation.runs import job, runs, table

SEEDS: Final = 5
BOUND: Final = 0.1
RTTS_MS: Final = tuple(range(40, 240, 20))


@dataclass(frozen=True)
class Case:
    """One law and order of starts: shares by RTT (ascending), and the exponent, ours and ns-2's."""

    first: str
    control: str
    shares: Sequence[Statistic]
    ns2_shares: Sequence[float]
    exponent: Statistic

    @property
    def ns2_exponent(self) -> float:
        """That of ns-2's run."""
        return slope(self.ns2_shares)


def slope(shares: Sequence[float]) -> float:
    """Least-squares slope of log share against log RTT."""
    fit = statistics.linear_regression([log(rtt) for rtt in RTTS_MS], [log(share) for share in shares])
    return fit.slope


def tolerance(case: Case) -> float:
    """What the exponents of a case may differ by."""
    return BOUND + 2 * case.exponent.sd * sqrt(1 + 1 / SEEDS)


def agreeing(cases: Sequence[Case]) -> int:
    """How many cases agree."""
    return sum(abs(case.exponent.mean - case.ns2_exponent) <= tolerance(case) for case in cases)


def measure(only: str | None = None) -> list[Case]:
    """The cases (`only` those of this law, or all) with our numbers."""
    rows = [row for row in table("ns2_rtts") if only in (None, row["control"])]
    cases = []
    for first, control in dict.fromkeys((row["first"], row["control"]) for row in rows):
        order = [f"{rtt} ms" for rtt in (RTTS_MS if first == "short" else reversed(RTTS_MS))]
        values = {"flows[0].control": control, "path.rtt": order}
        found = [shares(run) for run in runs(job("ns2_rtts", values, seed) for seed in range(1, SEEDS + 1))]
        exponents = [slope(own) for own in found]
        own = {(row["first"], row["control"], int(row["rtt_ms"])): float(row["share"]) for row in rows}
        cases.append(
            Case(
                first,
                control,
                [_statistic(column) for column in zip(*found, strict=True)],
                [own[first, control, rtt] for rtt in RTTS_MS],
                _statistic(exponents),
            )
        )
    return cases


def shares(run: Run) -> list[float]:
    """Goodput of each flow over their mean, by RTT, the shortest first."""
    goodputs = run.flows.column("goodput_bps").to_pylist()
    links = run.engine["links"]
    rtts = [
        sum(links[link]["delay_ns"] for link in flow["forward"] + flow["reverse"])
        for flow in run.engine["flows"]
    ]
    mean = statistics.fmean(goodputs)
    return [goodput / mean for _, goodput in sorted(zip(rtts, goodputs, strict=True))]


def _statistic(values: Sequence[float]) -> Statistic:
    return Statistic(statistics.fmean(values), statistics.stdev(values))

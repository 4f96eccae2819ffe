"""One flow under known losses, against the closed forms of `sawtooth.models` and against ns-2; and one flow that must keep a link full.

Source: [Floyd00] equation 4; ns-2 2.35, data/ns2_response.csv.

A flow is counted over 300 epochs after 20, so that neither slow start nor a broken epoch at an end shows. Rates are data packets sent per
round trip of 100 ms, retransmissions included, as p is a share of the packets sent.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from sawtooth.models import random_loss, response
from sawtooth.run.run import Run, RunSummary
from validation.runs import LOSS, decreases, job, runs, table

LAWS: Final = ((1.0, 0.5), (0.2, 0.125), (0.4, 0.125), (1.0, 0.125))
"""(a, b) of [Floyd00]: TCP, two laws said to be compatible with it, and one that is not."""
ROUND_TRIP_S: Final = 0.1
PROBABILITIES: Final = (1e-5, 3e-5, 1e-4, 3e-4, 1e-3)
SEEDS: Final = 3
LINKS: Final = ((10, 20), (10, 60), (10, 120), (20, 60), (20, 120), (100, 60), (100, 120))
"""Mbit/s and ms."""
FOUND_S: Final = 300
"""By then every flow has had its second loss event, s."""
FULL_S: Final = 60
"""How long a link is watched from there, s."""


@dataclass(frozen=True)
class Regular:
    """One law, every n-th packet lost. Rates in packets per round trip."""

    a: float
    b: float
    n: int
    exact: float
    """Equation 4."""
    ours: float
    ns2: float
    """NaN where ns-2 was not run."""
    timeouts: int

    @property
    def ratio(self) -> float:
        """Ours over equation 4."""
        return self.ours / self.exact

    @property
    def ns2_ratio(self) -> float:
        """ns-2's over equation 4."""
        return self.ns2 / self.exact


def regular(
    laws: tuple[tuple[float, float], ...] = LAWS, periods: tuple[int, ...] | None = None
) -> list[Regular]:
    """The cells that ns-2 ran, of these laws and periods (None: all)."""
    cells = [
        (a, b, row)
        for a, b in laws
        for row in table("ns2_response")
        if row["control"] == control(a, b) and (periods is None or int(row["period"]) in periods)
    ]
    results = runs(
        job(
            "response",
            {
                "duration": f"{row['end_s']} s",
                "warmup": f"{row['begin_s']} s",
                "bottleneck.drop": f"periodic({row['period']})",
                "flows[0].control": row["control"],
            },
        )
        for _, _, row in cells
    )
    return [
        Regular(
            a,
            b,
            int(row["period"]),
            float(response.rate(a, b, 1 / int(row["period"]))),
            _sent(run),
            int(row["sent"]) / (int(row["end_s"]) - int(row["begin_s"])) * ROUND_TRIP_S,
            int(run.flows.column("timeouts")[0].as_py()),
        )
        for (a, b, row), run in zip(cells, results, strict=True)
    ]


def around(n: int) -> list[float]:
    """Ours over equation 4 for AIMD(1, 1/2) and the periods within 5 % of n, 21 of them: the cycle is a whole number of round trips."""
    periods = [round(n * (0.95 + 0.005 * step)) for step in range(21)]
    span = cycle_s(1.0, 0.5, 1 / n)
    begin = math.ceil(20 * span)
    times = {"duration": f"{begin + math.ceil(300 * span)} s", "warmup": f"{begin} s"}
    results = runs(job("response", {**times, "bottleneck.drop": f"periodic({period})"}) for period in periods)
    return [
        _sent(run) / float(response.rate(1.0, 0.5, 1 / period))
        for period, run in zip(periods, results, strict=True)
    ]


def cycle_s(a: float, b: float, p: float) -> float:
    """Seconds from one regular loss to the next: round trips of an epoch."""
    return float(response.epoch(a, b, response.window(a, b, p))) * ROUND_TRIP_S


def control(a: float, b: float) -> str:
    """The constructor of AIMD(a, b) in Floyd's letters."""
    return f"tcp({a:g}, {b:g})"


def _sent(run: RunSummary) -> float:
    """Packets sent per round trip."""
    window = run.meta["resolved"]
    seconds = (window["duration_ns"] - window["warmup_ns"]) / 1e9
    return float(run.flows.column("sent")[0].as_py() / seconds * ROUND_TRIP_S)


@dataclass(frozen=True)
class Random:
    """One law, each packet lost with probability p: mean rates over seeds, in packets per round trip."""

    a: float
    b: float
    probabilities: tuple[float, ...]
    rates: tuple[float, ...]

    @property
    def slope(self) -> float:
        """Of log rate against log p, by least squares."""
        return float(np.polyfit(np.log(self.probabilities), np.log(self.rates), 1)[0])

    def ratio(self, index: int) -> float:
        """Measured over the closed form."""
        return self.rates[index] / float(random_loss.random_rate(self.a, self.b, self.probabilities[index]))


def random(a: float, b: float, probabilities: tuple[float, ...] = PROBABILITIES) -> Random:
    """Measures one law; 300 epochs of regular losses long, each probability over SEEDS seeds."""
    jobs = []
    for p in probabilities:
        span = cycle_s(a, b, p)
        begin = math.ceil(20 * span)
        values = {
            "duration": f"{begin + math.ceil(300 * span)} s",
            "warmup": f"{begin} s",
            "bottleneck.drop": f"bernoulli({p:.8f})",
            "flows[0].control": control(a, b),
        }
        jobs += [job("response", values, seed) for seed in range(1, SEEDS + 1)]
    rates = [_sent(run) for run in runs(jobs)]
    means = tuple(math.fsum(rates[SEEDS * i : SEEDS * (i + 1)]) / SEEDS for i in range(len(probabilities)))
    return Random(a, b, probabilities, means)


@dataclass(frozen=True)
class FullLink:
    """One flow over a buffer of one delay-bandwidth product: how much of the link it used after its second decrease."""

    mbit: int
    rtt_ms: int
    first_s: float
    timeout: bool
    """Whether the timer ran out in the recovery from slow start."""
    second_s: float
    """The second fast retransmit."""
    utilisation: float
    """In the FULL_S seconds after it."""


def full_links(links: tuple[tuple[int, int], ...] = LINKS) -> list[FullLink]:
    """Measures each link twice: once to find the second loss event, once to count from there."""
    cases = [{"bottleneck.rate": f"{mbit} Mbit/s", "path.rtt": f"{rtt} ms"} for mbit, rtt in links]
    found = [
        decreases(run)
        for run in runs(job("full_link", {**case, "duration": f"{FOUND_S} s"}) for case in cases)
    ]
    losses = [[cut["time_s"] for cut in cuts if cut["event"] == LOSS] for cuts in found]
    begins = [math.ceil(times[1] * 1e6) / 1e6 for times in losses]
    counted = runs(
        job("full_link", {**case, "warmup": f"{begin:.6f} s", "duration": f"{begin + FULL_S:.6f} s"})
        for case, begin in zip(cases, begins, strict=True)
    )
    return [
        FullLink(
            mbit,
            rtt,
            times[0],
            any(cut["event"] != LOSS and cut["time_s"] < times[1] for cut in cuts),
            times[1],
            run.values["utilisation"],
        )
        for (mbit, rtt), times, cuts, run in zip(links, losses, found, counted, strict=True)
    ]


def conserved(run: Run) -> bool:
    """Packets in = delivered + dropped + queued + in flight, from the start of the run."""
    account = run.summary
    where = ("packets_delivered", "packets_dropped", "packets_queued", "packets_in_flight")
    return account["packets_sent"] == sum(account[name] for name in where)

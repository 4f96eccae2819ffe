"""n flows of one kind against n of another behind RED, and a square of cross traffic: shares and rates against ns-2, twelve seeds each.

Source: ns-2 2.35 with its own TFRC and SACK, data/ns2_mixes.csv (three seeds) and data/ns2_steps.csv (five seeds). TFRC has ns-2's least
discount of 0.5. In one of ns-2's runs (`tcp(1, 0.125)`, n = 16, seed 3) a flow starved, which lifts the variation of its group: its range
over the seeds covers that run.

| quantity                     | agrees within                                                          |
|------------------------------|------------------------------------------------------------------------|
| ratio of the throughputs     | 10 % of ns-2's mean                                                    |
| drop rate                    | 15 % of ns-2's mean, or 0.3 points                                     |
| variation at 0.2 s and 1 s   | 20 % of ns-2's mean, or ns-2's own range over its seeds                |

Under the square every quantity is judged. What chance does is ns-2's own range over its five seeds: between 0 and 0.4 s in the times, which
come in bins of 0.2 s, and 0.005 to 0.025 in the use of the link. So

| quantity                     | agrees within                                                          |
|------------------------------|------------------------------------------------------------------------|
| times                        | ns-2's range over its seeds, at least a bin of 0.2 s                   |
| drop rates                   | 15 % of ns-2's mean, or 0.3 points, as above                           |
| use of the link              | ns-2's range over its seeds, at least 0.01                             |

The rest is shown and not judged.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sawtooth.measure.measures import Measure
from sawtooth.run.run import Run
from validation.runs import job, runs, table

SEEDS: Final = 12
JUDGED: Final = ("ratio", "drop_rate", "cov02_first", "cov02_second", "cov1_first", "cov1_second")
SHOWN: Final = (*JUDGED, "roughness_first", "roughness_second", "delay", "timeouts_first", "timeouts_second")
MEASURES: Final[Mapping[str, str]] = {
    "ratio": "ratio of 1",
    "cov02_first": "variation at 200 ms of 0",
    "cov02_second": "variation at 200 ms of 1",
    "cov1_first": "variation at 1 s of 0",
    "cov1_second": "variation at 1 s of 1",
    "roughness_first": "roughness at 200 ms of 0",
    "roughness_second": "roughness at 200 ms of 1",
}
SQUARE: Final[Mapping[str, str]] = {
    "time_to_halve": "time_to_halve at 200 ms 40..70 s",
    "drop_rate_before": "drop_rate 20..40 s",
    "drop_rate_5s": "drop_rate 40..45 s",
    "drop_rate_later": "drop_rate 55..70 s",
    "stabilisation": "stabilisation at 1 s 40..70 s",
    "time_to_regain": "time_to_regain at 200 ms 70..110 s",
    "use_5s_after": "goodput 70..75 s",
    "use_10s_after": "goodput 70..80 s",
}
SHARE: Final = {"ratio": 0.10, "drop_rate": 0.15}
COV_SHARE: Final = 0.20
TIMES: Final = ("time_to_halve", "stabilisation", "time_to_regain")
BIN_S: Final = 0.2
USE_LEAST: Final = 0.01
DROP_LEAST: Final = 0.3
"""Percentage points of the drop rate that are never a disagreement."""


@dataclass(frozen=True)
class Mix:
    """A cell: names, and by quantity the values of ns-2's seeds and of ours."""

    name: tuple[str, ...]
    ns2: Mapping[str, Sequence[float]]
    ours: Mapping[str, Sequence[float]]

    def means(self, quantity: str) -> tuple[float, float]:
        """Ours and ns-2's."""
        return statistics.mean(self.ours[quantity]), statistics.mean(self.ns2[quantity])

    def agrees(self, quantity: str) -> bool:
        """Whether our mean is within the rule of the table above."""
        ours, ns2 = self.means(quantity)
        if quantity == "ratio":
            return abs(ours - ns2) <= SHARE["ratio"] * ns2
        if quantity.startswith("drop_rate"):
            return abs(ours - ns2) <= max(SHARE["drop_rate"] * ns2, DROP_LEAST)
        spread = max(self.ns2[quantity]) - min(self.ns2[quantity])
        if quantity in TIMES:
            return abs(ours - ns2) <= max(spread, BIN_S)
        if quantity.startswith("use_"):
            return abs(ours - ns2) <= max(spread, USE_LEAST)
        inside = min(self.ns2[quantity]) <= ours <= max(self.ns2[quantity])
        return inside or abs(ours - ns2) <= COV_SHARE * ns2


def mixes(
    seeds: int = SEEDS,
    data: str = "ns2_mixes",
    shown: Sequence[str] = SHOWN,
    changes: Mapping[str, object] | None = None,
    only: Mapping[str, str] | None = None,
) -> list[Mix]:
    """Every cell of two kinds of that file, or of its rows with these values; ``changes`` are put over the scenario."""
    rows = [row for row in table(data) if (only or {}).items() <= row.items()]
    names = list(dict.fromkeys((row["first"], row["second"], row["n"]) for row in rows))
    jobs = [
        job("ns2_mixes", {**values_of(*name), **(changes or {})}, seed)
        for name in names
        for seed in range(1, seeds + 1)
    ]
    made = runs(jobs)
    found = []
    for place, name in enumerate(names):
        theirs = [row for row in rows if (row["first"], row["second"], row["n"]) == name]
        ours = [_measured(run, int(name[2])) for run in made[seeds * place : seeds * (place + 1)]]
        found.append(_mix(name, shown, theirs, ours))
    return found


def squares(seeds: int = SEEDS) -> list[Mix]:
    """Every kind under a square of cross traffic."""
    rows = table("ns2_steps")
    names = list(dict.fromkeys(row["control"] for row in rows))
    rtts = [f"{44 + 20 * i / 7:.6f} ms" for i in range(8)]
    jobs = [
        job("ns2_steps", {"flows.control": name, "flows.rtt": rtts}, seed)
        for name in names
        for seed in range(1, seeds + 1)
    ]
    made = runs(jobs)
    found = []
    for place, name in enumerate(names):
        ours = [
            {quantity: Measure.parse(text)(run) for quantity, text in SQUARE.items()}
            for run in made[seeds * place : seeds * (place + 1)]
        ]
        theirs = [row for row in rows if row["control"] == name]
        found.append(_mix((name,), tuple(SQUARE), theirs, ours))
    return found


def agreeing(cells: Sequence[Mix], quantity: str) -> int:
    """How many cells agree in a quantity."""
    return sum(cell.agrees(quantity) for cell in cells)


def values_of(first: str, second: str, count: str) -> dict[str, object]:
    """Flow i of 2n has 44 + 20 i / (2n - 1) ms; even i are of the first kind."""
    n = int(count)
    rtts = [f"{44 + 20 * i / (2 * n - 1):.6f} ms" for i in range(2 * n)]
    return {
        "flows[0].count": n,
        "flows[1].count": n,
        "flows[0].control": first,
        "flows[1].control": second,
        "flows[0].rtt": rtts[0::2],
        "flows[1].rtt": rtts[1::2],
    }


def _measured(run: Run, n: int) -> dict[str, float]:
    queue = run.queues.to_pylist()[0]
    timeouts = run.flows.column("timeouts").to_pylist()
    return {
        **{quantity: Measure.parse(text)(run) for quantity, text in MEASURES.items()},
        "drop_rate": 100 * queue["test_drops"] / queue["test_arrivals"],
        "delay": queue["mean_delay_test_ms"],
        "timeouts_first": float(sum(timeouts[:n])),
        "timeouts_second": float(sum(timeouts[n:])),
    }


def _mix(
    name: tuple[str, ...],
    quantities: Sequence[str],
    theirs: Sequence[Mapping[str, str]],
    ours: Sequence[Mapping[str, float]],
) -> Mix:
    """``nan`` is ns-2's variation in a run in which a flow of that kind got nothing at all."""
    return Mix(
        name,
        {q: [float(row[q]) for row in theirs if row[q] != "nan"] for q in quantities},
        {q: [row[q] for row in ours] for q in quantities},
    )

"""Window laws over drop-tail, CoDel, FQ-CoDel and PIE, cell by cell beside ns-3, with as many seeds as ns-3's cell has.

Source: ns-3 3.44 and 3.37, data/ns3_cells.csv (mean and standard deviation over one to five seeds of its own). What a cell is in our
keys: `validation.ns3_scenarios`.

| metric                                             | agrees within            | at least   |
|----------------------------------------------------|--------------------------|------------|
| goodput of the flows, of what the link carries     | 0.03 + noise             |            |
| packets of the flows dropped, marked               | 25 % of ns-3's + noise   | 0.3 points + noise |
| their mean queueing delay                          | 15 % of ns-3's + noise   | 1 ms + noise |

noise = 2·sqrt((s1² + s2²)/n), s1 and s2 the standard deviations over n seeds: two standard errors of the difference of the means. ns-3's
delay is that in the discipline and that in the device behind it. Jain's index, shares and timeouts are shown and not judged.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final

from sawtooth.run.run import RunSummary
from sawtooth.run.runner import run_many
from sawtooth.scenario.resolve import Resolved
from validation.cells import Statistic
from validation.ns3_scenarios import PACKET_BITS, Row, interleaved, values
from validation.page import markdown
from validation.runs import job, table

BOUNDS: Final[Mapping[str, tuple[float, float]]] = {
    "goodput": (0.0, 0.03),
    "loss": (0.25, 0.3),
    "marks": (0.25, 0.3),
    "delay": (0.15, 1.0),
}
"""Share of ns-3's value, and least absolute bound."""
JUDGED: Final = tuple(BOUNDS)
SHOWN: Final = (*JUDGED, "jain", "share", "timeouts")
WANTED: Final = 0.95
"""Share of the comparisons that must agree."""

Change = Callable[[dict[str, Any]], dict[str, Any]]
"""What a variant makes of the scenario of a cell."""


@dataclass(frozen=True)
class Cell:
    """One mix of flows over one queue: ns-3's numbers and ours by metric."""

    name: str
    kind: str
    marks: bool
    seeds: int
    ns3: Mapping[str, Statistic]
    ours: Mapping[str, Statistic]

    @property
    def judged(self) -> tuple[str, ...]:
        """The metrics that mean something in this cell: marks only where packets can be marked."""
        return tuple(metric for metric in JUDGED if metric != "marks" or self.marks)

    def tolerance(self, metric: str, least: float) -> float:
        """What the means may differ by: a share of ns-3's and at least so much, beside noise."""
        ours, ns3 = self.ours[metric], self.ns3[metric]
        return max(BOUNDS[metric][0] * ns3.mean, least) + 2 * sqrt((ours.sd**2 + ns3.sd**2) / self.seeds)

    def agrees(self, metric: str) -> bool:
        """Whether the means do."""
        return self._difference(metric) <= self.tolerance(metric, BOUNDS[metric][1])

    def agrees_by_share(self, metric: str) -> bool:
        """Whether the means do without a least bound, which lets small numbers differ severalfold."""
        return self._difference(metric) <= self.tolerance(metric, 0.0)

    def _difference(self, metric: str) -> float:
        return abs(self.ours[metric].mean - self.ns3[metric].mean)


def measure(change: Change | None = None, only: Collection[str] | None = None) -> list[Cell]:
    """The cells (`only` these, or all) with our numbers, every scenario as `change` makes it."""
    rows = [row for row in table("ns3_cells") if only is None or row["cell"] in only]
    results = run_many([scenario for row in rows for scenario in _jobs(row, change)], None)
    cells, first = [], 0
    for row in rows:
        seeds = int(row["seeds"])
        found = [_numbers(row, run) for run in results[first : first + seeds]]
        first += seeds
        ours = {metric: _statistic([numbers[metric] for numbers in found]) for metric in SHOWN}
        ns3 = {metric: Statistic(float(row[metric]), float(row[f"{metric}_sd"])) for metric in SHOWN}
        cells.append(Cell(row["cell"], row["kind"], row["ecn"] == "1", seeds, ns3, ours))
    return cells


def _jobs(row: Row, change: Change | None) -> list[Resolved]:
    scenario = values(row)
    if change is not None:
        scenario = change(scenario)
    return [job("ns3_cells", scenario, seed) for seed in range(1, int(row["seeds"]) + 1)]


def _numbers(row: Row, run: RunSummary) -> dict[str, float]:
    delivered = [flow["delivered_unique"] for flow in run.flows.to_pylist() if flow["test"]]
    of_first = sum(packets for packets, group in zip(delivered, interleaved(row), strict=True) if group == 0)
    queue = run.queues.to_pylist()[0]
    capacity = 1e6 * float(row["mbps"]) * (float(row["dur"]) - float(row["warm"]))
    return {
        "goodput": sum(delivered) * PACKET_BITS / capacity,
        "loss": 100 * queue["test_drops"] / queue["test_arrivals"],
        "marks": 100 * queue["test_marks"] / queue["test_arrivals"],
        "delay": queue["mean_delay_test_ms"],
        "jain": run.values["jain"],
        "share": of_first / sum(delivered),
        "timeouts": run.values["timeouts"],
    }


def _statistic(found: Sequence[float]) -> Statistic:
    return Statistic(statistics.fmean(found), statistics.stdev(found) if len(found) > 1 else 0.0)


def without_device(scenario: dict[str, Any]) -> dict[str, Any]:
    """A discipline that chooses when the link is free."""
    return {key: value for key, value in scenario.items() if key != "bottleneck.device_queue"}


def of_the_rfcs(scenario: dict[str, Any]) -> dict[str, Any]:
    """CoDel, FQ-CoDel and PIE as their RFCs have them."""
    queue = scenario["bottleneck.queue"]
    if isinstance(queue, dict):
        own = {"kind": queue["kind"], "ecn": queue["ecn"]}
        return scenario | {"bottleneck.queue": own}
    return scenario


def newton(scenario: dict[str, Any]) -> dict[str, Any]:
    """CoDel and FQ-CoDel whose times between drops ns-3 and Linux approach."""
    queue = scenario["bottleneck.queue"]
    if isinstance(queue, dict) and queue["kind"] in ("codel", "fq-codel"):
        return scenario | {"bottleneck.queue": queue | {"root": "newton"}}
    return scenario


def whole_packets(scenario: dict[str, Any]) -> dict[str, Any]:
    """CUBIC whose windows are whole packets, as in Linux."""
    return _with_laws(scenario, "integer=0", "integer=1")


def cubic_of_the_rfc(scenario: dict[str, Any]) -> dict[str, Any]:
    """CUBIC without what Linux and ns-3 do otherwise."""
    plain = _with_laws(scenario, "alpha_late=0, min_rtt_ahead=1", "alpha_late=1, min_rtt_ahead=0")
    return _with_laws(plain, "fast_first=1", "fast_first=0")


def half_windows(scenario: dict[str, Any]) -> dict[str, Any]:
    """NewReno that halves its window."""
    return _with_laws(scenario, "1, -1, 0.5)", "1, 0, 0.5)")


def _with_laws(scenario: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    flows = [flow | {"control": flow["control"].replace(old, new)} for flow in scenario["flows"]]
    return scenario | {"flows": flows}


WHOLE: Final = "`integer = 1` in CUBIC"
VARIANTS: Final[Mapping[str, Change]] = {
    "without `device_queue`": without_device,
    "CoDel, FQ-CoDel and PIE of the RFCs": of_the_rfcs,
    '`root = "newton"` in CoDel and FQ-CoDel': newton,
    "CUBIC of the RFC": cubic_of_the_rfc,
    WHOLE: whole_packets,
    "NewReno halves the window": half_windows,
}
"""One change at a time, to see what the agreement rests on."""


def agreeing(cells: Sequence[Cell], metric: str) -> tuple[int, int]:
    """How many cells agree, and of how many."""
    asked = [cell for cell in cells if metric in cell.judged]
    return sum(cell.agrees(metric) for cell in asked), len(asked)


NAMES: Final = {"goodput": "goodput", "loss": "drops", "marks": "marks", "delay": "queueing delay"}


def agreement(cells: Sequence[Cell]) -> str:
    """How many cells agree, on one line."""
    counts = {name: agreeing(cells, metric) for metric, name in NAMES.items()}
    return ", ".join(f"{agree} of {asked} in {name}" for name, (agree, asked) in counts.items())


def by_shares(cells: Sequence[Cell]) -> str:
    """How many cells agree without least bounds, of those in which ns-3 has any, on one line."""
    parts = []
    for metric in ("loss", "marks", "delay"):
        asked = [cell for cell in cells if metric in cell.judged and cell.ns3[metric].mean > 0]
        agree = sum(cell.agrees_by_share(metric) for cell in asked)
        parts.append(f"{NAMES[metric]} in {agree} of {len(asked)} cells")
    return ", ".join(parts)


HEADS: Final = {
    "goodput": "goodput",
    "loss": "drops in %",
    "marks": "marks in %",
    "delay": "queueing delay in ms",
    "jain": "Jain's index",
    "share": "share of the first kind",
    "timeouts": "timeouts",
}
DECIMALS: Final = {"goodput": 3, "loss": 2, "marks": 2, "delay": 1, "jain": 3, "share": 3, "timeouts": 0}


def cells_table(cells: Sequence[Cell]) -> str:
    """Every cell: ours, then ns-3's; bold where they disagree by the rule."""
    rows = [[f"`{cell.name}`", *(_pair(cell, metric) for metric in SHOWN)] for cell in cells]
    return markdown(["cell", *(f"{HEADS[metric]} (ns-3)" for metric in SHOWN)], rows)


def disagreeing(cells: Sequence[Cell]) -> str:
    """The cells that disagree, or that there is none."""
    wrong = [cell for cell in cells if not all(map(cell.agrees, cell.judged))]
    if not wrong:
        return "None."
    rows = [[f"`{cell.name}`", *(_pair(cell, metric) for metric in JUDGED)] for cell in wrong]
    return markdown(["cell", *(f"{HEADS[metric]} (ns-3)" for metric in JUDGED)], rows)


def variants_table(variants: Mapping[str, Sequence[Cell]]) -> str:
    """One change at a time: how many cells agree, and the median difference in drops and delay."""
    rows = []
    for name, cells in variants.items():
        counts = ["{} of {}".format(*agreeing(cells, metric)) for metric in JUDGED]
        rows.append([name, *counts, _median(cells, "loss"), _median(cells, "delay")])
    heads = ["variant", *(f"{NAMES[metric]} agrees" for metric in JUDGED)]
    return markdown([*heads, "drops, median difference", "delay, median difference"], rows)


def _median(cells: Sequence[Cell], metric: str) -> str:
    with_some = [cell for cell in cells if cell.ns3[metric].mean > 0]
    shares = [cell.ours[metric].mean / cell.ns3[metric].mean - 1 for cell in with_some]
    return f"{100 * statistics.median(shares):+.1f} %"


def _pair(cell: Cell, metric: str) -> str:
    if (metric == "marks" and not cell.marks) or (metric == "share" and cell.kind not in "CD"):
        return ""
    digits = DECIMALS[metric] + (metric in ("loss", "marks") and cell.ns3[metric].mean < 0.1)
    pair = f"{cell.ours[metric].mean:.{digits}f} ({cell.ns3[metric].mean:.{digits}f})"
    return pair if metric not in cell.judged or cell.agrees(metric) else f"**{pair}**"

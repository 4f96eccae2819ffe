"""Agreement with ns-3: CUBIC and NewReno over four queues, by the rules of `validation.ns3` and `validation.ns3_cuts`.

Source: ns-3 3.44 and 3.37, validation/data/ns3_cells.csv and ns3_cuts.csv. Here a part of the cells; `-m long` has all of them.
"""

from __future__ import annotations

import itertools
import re

import pytest
from validation import ns3, ns3_cuts
from validation.__main__ import PAGE
from validation.cells import Statistic
from validation.ns3 import BOUNDS, JUDGED, WANTED, Cell
from validation.ns3_cuts import Cut, Trace
from validation.ns3_scenarios import Row, interleaved, values
from validation.runs import job, table

from sawtooth.report.computed import PLACE

FAST = (
    "A-1cubicrf-10M-40ms-pfifo1bdp",
    "A-1cubicrf-10M-100ms-codel-nohystart",
    "A-1newreno-10M-100ms-pfifo1bdp-delack2",
    "B-4cubicnf-10M-20ms-codel",
    "B-4newreno-10M-80ms-fqcodel-ecn",
    "B-4cubicrf-10M-80ms-pie",
    "B-4newreno-10M-80ms-pfifo0.25bdp-prr-v337",
    "C-2cubicrf+2newreno-10M-40ms-codel",
    "D-2cubicrf+2cubicrf-10M-20_100ms-pfifo1bdp",
    "G-4cubicrf-10M-40ms-pie-udp1.1",
)


def wrong(cells: list[Cell]) -> dict[str, set[str]]:
    """What disagrees in which cells."""
    found = {cell.name: {metric for metric in cell.judged if not cell.agrees(metric)} for cell in cells}
    return {name: metrics for name, metrics in found.items() if metrics}


def test_cells_of_every_kind_and_queue_agree() -> None:
    cells = ns3.measure(only=FAST)
    assert len(cells) == len(FAST)
    assert not wrong(cells)


@pytest.fixture(scope="module")
def traces() -> list[Trace]:
    """Every flow alone."""
    return ns3_cuts.measure()


def test_the_windows_of_flows_alone_are_those_of_ns3(traces: list[Trace]) -> None:
    assert len(traces) == 9
    assert not [(trace.name, trace.difference) for trace in traces if not trace.windows_agree]
    assert not [trace.name for trace in traces if not trace.period_agrees]


def test_the_page_has_the_windows(traces: list[Trace]) -> None:
    assert stated("ns3 cuts") == ns3_cuts.traces_table(traces), "python -m validation"
    assert stated("ns3 cuts verdict") == ns3_cuts.agreement(traces), "python -m validation"
    first, last = min(ns3_cuts.THRESHOLDS), max(ns3_cuts.THRESHOLDS)
    assert len(ns3_cuts.THRESHOLDS) == 10
    assert "Eleven slow starts lead to these" in PAGE.read_text("utf-8")
    assert f"thresholds of {first} to {last} packets" in PAGE.read_text("utf-8")
    assert stated("ns3 cuts cycles") == ns3_cuts.cycles_in_words(ns3_cuts.cycles()), "python -m validation"


@pytest.mark.long
def test_every_cell_agrees_and_the_page_has_them() -> None:
    cells = ns3.measure()
    assert not wrong(cells)
    assert stated("ns3 cells") == ns3.cells_table(cells), "python -m validation"
    assert stated("ns3 verdict") == ns3.agreement(cells), "python -m validation"
    assert stated("ns3 shares alone") == ns3.by_shares(cells), "python -m validation"


@pytest.mark.long
def test_whole_packets_agree_but_where_the_page_says_so() -> None:
    cells = ns3.measure(ns3.whole_packets)
    counts = [ns3.agreeing(cells, metric) for metric in JUDGED]
    assert sum(agree for agree, _ in counts) >= WANTED * sum(asked for _, asked in counts)
    assert stated("ns3 whole disagreeing") == ns3.disagreeing(cells), "python -m validation"


def test_the_page_hides_no_cell_that_disagrees() -> None:
    bold = [line.split("`")[1] for line in stated("ns3 cells").splitlines() if "**" in line]
    assert bold == re.findall(r"`([^`]+)`", stated("ns3 disagreeing"))


def stated(name: str) -> str:
    """What the page has in a block."""
    places = PLACE.finditer(PAGE.read_text(encoding="utf-8"))
    return next(place for place in places if place["name"] == name)["content"].strip()


def test_the_rules_can_fail() -> None:
    def cell(metric: str, theirs: float, ours: float, sd: float = 0.0) -> Cell:
        return Cell("a", "B", True, 4, {metric: Statistic(theirs, sd)}, {metric: Statistic(ours, sd)})

    for metric, theirs, good, bad in (
        ("goodput", 0.9, 0.929, 0.931),
        ("loss", 0.1, 0.399, 0.401),
        ("marks", 4.0, 4.99, 5.01),
        ("delay", 20.0, 17.01, 16.99),
        ("delay", 2.0, 2.99, 3.01),
    ):
        assert cell(metric, theirs, good).agrees(metric)
        assert not cell(metric, theirs, bad).agrees(metric)
    assert cell("goodput", 0.9, 0.943, sd=0.01).agrees("goodput"), "two standard errors are 0.014"
    assert BOUNDS.keys() == set(JUDGED)

    ns = (Cut(10.0, 69.0, 48.0), Cut(12.0, 69.0, 48.0))
    assert Trace("a", ns, (Cut(10.0, 70.0, 48.9), Cut(12.1, 69.0, 48.0))).windows_agree
    assert not Trace("a", ns, (Cut(10.0, 70.1, 48.0), Cut(12.0, 69.0, 48.0))).windows_agree
    assert not Trace("a", ns, (Cut(10.0, 69.0, 48.0), Cut(12.2, 69.0, 48.0))).period_agrees


COLUMNS = "cc1 n1 rtt1 cc2 n2 rtt2 mbps buf qd ecn udp hystart fastconv rec delack pacing minrto jitter dur warm seeds"
PLAIN = "cubicrf 2 40 newreno 2 80 10 33 pfifo 0 0.0 1 1 classic 1 0 200 -1 40 10 1"
ONE: Row = dict(zip(COLUMNS.split(), PLAIN.split(), strict=True))
OTHERS = {
    "cc1": ("cubicrf", "cubicnf", "cubic337", "newreno"),
    "cc2": ("cubicrf", "newreno"),
    "n2": ("0", "3"),
    "mbps": ("2", "100"),
    "rtt1": ("10", "200"),
    "qd": ("pfifo", "codel", "fqcodel", "pie"),
    "ecn": ("0", "1"),
    "udp": ("0.0", "0.5"),
    "hystart": ("0", "1"),
    "fastconv": ("0", "1"),
    "rec": ("classic", "prr"),
    "delack": ("1", "2"),
    "pacing": ("0", "1"),
    "minrto": ("200", "1000"),
    "jitter": ("-1", "0"),
}
"""Values of columns that cells may have."""


@pytest.mark.parametrize("queue", OTHERS["qd"])
def test_any_two_settings_make_a_scenario(queue: str) -> None:
    for first, second in itertools.combinations((name for name in OTHERS if name != "qd"), 2):
        for one, other in itertools.product(OTHERS[first], OTHERS[second]):
            row = {**ONE, "qd": queue, first: one, second: other}
            if row["qd"] == "pfifo" and row["ecn"] == "1":
                continue
            engine = job("ns3_cells", values(row), 1).engine
            assert engine["links"][0].get("device_queue") == (None if queue == "pfifo" else 1)
            assert sum(flow["test"] for flow in engine["flows"]) == 2 + int(row["n2"])


def test_settings_stand_where_they_act() -> None:
    row = {**ONE, "n2": "1", "qd": "codel", "ecn": "1", "hystart": "0", "fastconv": "0", "delack": "2"}
    scenario = values(row)
    first, second, _ = scenario["flows"]
    assert interleaved(row) == [0, 1, 0]
    assert (first["rtt"], second["rtt"], scenario["bottleneck.delay"]) == ("40 ms", "80 ms", "10.0 ms")
    assert "fast_convergence=0, friendly=1" in first["control"]
    assert "slow_start" not in first
    assert second["control"] == "linear(0.5, 1, -1, 0.5)"
    assert second["ecn_beta"] == 0.5
    assert values(ONE)["bottleneck.buffer"] == "35 packets"
    assert [flow["start"] for flow in scenario["flows"]][1:] == ["uniform 100..200 ms", "uniform 200..300 ms"]


def test_the_cells_have_every_kind() -> None:
    assert {row["kind"] for row in table("ns3_cells")} == set("ABCDG")

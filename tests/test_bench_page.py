"""Curves, sweeps and the page: everything is taken from the tables, and the page from the results."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from bench import calls, disciplines, figures, grow, page, report, sweep, tables
from bench.gate import Counts
from bench.measure import Spread
from bench.results import load
from bench.subjects import engine, floor
from bench.subjects.frame import Subject, Work

from sawtooth import _native
from sawtooth.report.computed import PLACE

ROOT = Path(__file__).resolve().parents[1]
COST = {"median": 100.0, "low": 90.0, "high": 120.0}


def test_every_entry_of_the_tables_is_on_a_curve() -> None:
    described = _native.describe()
    points = grow.table_entries()
    controls = {str(point.x).partition("(")[0] for point in points if point.curve == "controllers"}
    assert controls == {row["name"] for row in described["controllers"]}
    assert [p.x for p in points if p.curve == "recoveries"] == [
        row["name"] for row in described["recoveries"]
    ]
    assert [p.x for p in points if p.curve == "disciplines"] == [
        row["name"] for row in described["disciplines"]
    ]
    assert {point.line for point in grow.loss()} == {row["name"] for row in described["recoveries"]}


def test_every_controller_is_called_with_numbers_that_the_engine_takes() -> None:
    for call in tables.controllers().values():
        _native.controller(call)


def test_every_entry_is_measured_in_a_scenario_that_the_engine_takes() -> None:
    for point in grow.table_entries():
        _native.check(replace(point.cell, flows=2, distinct_rtts=2).engine())


def test_flows_keep_their_rate_and_have_the_floor_beside() -> None:
    points = grow.flows()
    assert {point.program for point in points} == {engine.NAME, *floor.WAYS.values()}
    for point in points:
        per_flow = point.cell.mbit / point.cell.flows
        assert per_flow == (1 if " 1 Mbit/s" in point.line else 10)
        # One bandwidth-delay product in packets of 1000 B.
        assert point.cell.buffer_packets == point.cell.mbit * 1_000 * 120 // 8_000
    assert {point.cell.flows for point in points} == {1, 10, 100, 1_000, 10_000, 100_000}


def test_a_window_that_stays_needs_half_of_its_link() -> None:
    for point in grow.window():
        needed_mbit = point.cell.initial_window * 8_000 / 120e-3 / 1e6
        assert 1.8 * needed_mbit - 1 <= point.cell.mbit <= 2.2 * needed_mbit + 1


def test_memory_of_a_flow_is_what_the_interpreter_does_not_take() -> None:
    point = grow.flows()[0]
    running = grow.Running(
        point, Subject("s", lambda seconds: Work(0.0, 1, 0, 0)), 1, 2, [100.0, 90.0, 120.0]
    )
    running.peak_kb = 15_000
    row = running.row(idle_kb=11_000)
    assert row["bytes_per_flow"] == 4_000 * 1024 / point.cell.flows
    assert row["ns_per_packet"] == {"median": 100.0, "low": 90.0, "high": 120.0}


@pytest.mark.long
def test_a_short_curve_is_measured_and_drawn() -> None:
    words = "grow --curve recording --flows-max 10 --rounds 1 --json"
    # Two seconds instead of thousands: the real program, with fewer packets.
    program = f"import sys, bench.grow as g; g.PACKETS = 20_000; sys.exit(g.main({words.split()[1:]!r}))"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    points = json.loads(done.stdout)["points"]
    assert [row["x"] for row in points] == list(grow.RECORDS)
    assert all(row["forwarded"] > 10_000 and len(row["rounds"]) == 1 for row in points)
    assert figures.entries(points).axes


def test_sweeps_are_summed_up_round_by_round() -> None:
    def found(cpu_s: float, **more: float) -> dict[str, Any]:
        return {
            "runs": 40,
            "wall_s": 1.0,
            "forwarded": 9,
            "peak_kb": {"40": 7},
            "cpu_s": cpu_s,
            "start_up_cpu_s": 0.1,
        } | more

    share = {"outside_share": 0.08, "engine_cpu_s": 9.0}
    whole = sweep.summed(
        [{1: found(10.0, **share), 2: found(10.2)}, {1: found(20.0, **share), 2: found(20.8)}],
        [found(11.0, outside_share=other) for other in (0.04, 0.02, 0.03)],
    )
    assert whole["cpu_ratio_to_one_thread"]["2"] == {"median": pytest.approx(1.03), "low": 1.02, "high": 1.04}
    assert whole["threads"]["1"]["outside_share"]["median"] == pytest.approx(0.08)
    assert "outside_share" not in whole["threads"]["2"]
    assert page.outside(whole) == (
        "8.0 (8.0 … 8.0) % of the CPU time of a command lies outside the engine, and 3.0 (2.0 … 4.0) % of that of a Python program. "
        "The first is above, the second within the goal of 5 %"
    )
    assert "| 1, in Python | 40 | 9 |" in page.sweep(whole)


@pytest.mark.long
def test_a_short_sweep_runs_the_study_and_says_where_the_time_went() -> None:
    found = sweep.swept(1, 40, 6)
    assert found["runs"] <= 40
    assert found["forwarded"] > 40 * 1_000
    assert 0 < found["outside_share"] < 1
    assert found["engine_cpu_s"] < found["cpu_s"]
    assert list(found["peak_kb"]) == ["10", "20", "40"]


def test_a_number_of_runs_that_no_study_has_is_refused() -> None:
    with pytest.raises(RuntimeError, match="a multiple of 40"):
        sweep.swept(1, 41, 6)


def test_the_page_is_filled_from_results_and_left_alone_without() -> None:
    counts = Counts("rustc", "target", "valgrind", {"ten": 10}, {"ten": 5_000})
    text = (
        "a <!-- results: cross -->old<!-- end --> b\n<!-- results: instructions -->\nold\n<!-- end -->\n"
        "<!-- results: threads -->kept<!-- end -->\n"
    )
    points = [
        {"curve": "cross", "line": "x", "x": x, "ns_per_packet": {"median": cost}}
        for x, cost in ((0.0, 100.0), (1.0, 25.0))
    ]
    filled = report.filled(text, {"grow": {"points": points}}, counts)
    assert (
        "a <!-- results: cross -->25 ns, 25 % of a TCP packet with its acknowledgement<!-- end --> b"
        in filled
    )
    assert "| `ten` | 500 |" in filled
    assert "-->kept<!--" in filled
    assert report.filled(filled, {"grow": {"points": points}}, counts) == filled
    with pytest.raises(KeyError, match="nobody"):
        report.filled("<!-- results: nobody -->x<!-- end -->", {}, counts)


def test_tables_of_the_page_say_what_the_results_say() -> None:
    subject = {"ns_per_packet": COST, "dropped": 1, "forwarded": 99, "peak_kb": 2_000}
    compared = {"text": "10 flows", "subjects": {"ours": subject}, "ratios": {"ours_by_floor": COST}}
    assert "| 10 flows | ours | 100 (90 … 120) | 10.00 | 2.0 MB | 1.00 % |" in page.comparisons(
        {"comparisons": [compared]}
    )
    assert "100.00 (90.00 … 120.00)" in page.ratios({"comparisons": [compared]})
    assert "| 10 flows | 100 (90 … 120) | 10.0 | 100.00 (90.00 … 120.00) | 2 MB |" in page.speed(
        {"comparisons": [compared | {"subjects": {"sawtooth": subject}}]}
    )
    assert page.spread(COST, 0, 0.5) == Spread(50.0, 45.0, 60.0).text(0)


def test_the_dearest_dumbbell_counts_against_the_floor() -> None:
    def compared(text: str, median: float) -> dict[str, Any]:
        return {"text": text, "ratios": {"ours_by_floor": {"median": median, "low": 1.0, "high": 9.0}}}

    found = page.floor_ratio({"comparisons": [compared("10 flows", 2.0), compared("1,000 flows", 3.0)]})
    assert found == "at most 3.00 (1.00 … 9.00) (1,000 flows): missed"
    assert page.floor_ratio({"comparisons": [compared("10 flows", 2.5)]}).endswith(": met")


def test_the_speed_of_the_first_dumbbell_counts_against_ns2() -> None:
    def compared(median: float) -> dict[str, Any]:
        return {"comparisons": [{"ratios": {"ns2_by_ours": {"median": median, "low": 14.0, "high": 16.0}}}]}

    assert page.ns2_ratio(compared(15.0)) == "15.00 (14.00 … 16.00): met"
    assert page.ns2_ratio(compared(14.9)) == "14.90 (14.00 … 16.00): missed"


def test_disciplines_are_held_to_red_or_to_drr() -> None:
    names = [row["name"] for row in _native.describe()["disciplines"]]
    costs = dict.fromkeys(names, 100.0) | {"codel": 140.0, "drr": 200.0}
    rows = {row["name"]: row for row in disciplines.rows(costs)}
    assert list(rows) == names
    assert {name for name, row in rows.items() if row["base"] == "drr"} == {"drr", "fq-codel", "dualpi2"}
    assert (rows["codel"]["ratio"], rows["codel"]["most"]) == (1.4, 1.3)
    assert (rows["fq-codel"]["ratio"], rows["fq-codel"]["most"]) == (0.5, 1.5)
    text = disciplines.table({"rows": list(rows.values())})
    assert "| `codel` | 140 | 1.40 × RED | 1.3 |" in text
    assert "| `drr` | 200 |  |  |" in text


def test_disciplines_keep_to_their_bounds_in_the_committed_counts() -> None:
    found = load("disciplines")
    assert found is not None
    assert {row["name"] for row in found["rows"]} == {
        row["name"] for row in _native.describe()["disciplines"]
    }
    assert [row["name"] for row in found["rows"] if row["ratio"] > row["most"]] == []


def test_the_interface_of_plug_ins_keeps_to_its_bound_in_the_committed_measurement() -> None:
    found = load("calls")
    assert found is not None
    assert set(found["laws"]) == set(calls.SAID)
    assert 0.0 < calls.over(found) <= calls.MOST_NS


def test_a_dearer_interface_is_said_to_be_dearer() -> None:
    laws = {calls.BUILT_IN: {"ns": 10.0}, calls.BEHIND: {"ns": 24.4, "instructions": 169.0}}
    laws[calls.PYTHON] = {"ns": 1234.5}
    assert (
        calls.sentence({"laws": laws}) == "The interface costs 14 ns a call, more than the 10 ns that it may"
    )
    assert calls.table({"laws": laws}).splitlines()[2:] == [
        "| built-in `aimd(1, 0.5)` | 10 ns |  |",
        "| the same behind the interface in C | 24 ns | 169 |",
        "| the same in Python | 1,234 ns |  |",
    ]


def test_a_curve_measured_anew_leaves_the_others_with_their_machine() -> None:
    at = [{"machine": {**load_machine(), "date": date}, "rounds": 1} for date in ("2026-01-01", "2026-02-02")]
    rows = [{"curve": "loss", "x": 1}, {"curve": "flows", "x": 1}]
    first = grow.renewed(None, at[0], rows)
    again = grow.renewed(first, at[1], [{"curve": "loss", "x": 2}])
    assert again["points"] == [rows[1], {"curve": "loss", "x": 2}]
    assert again["earlier"] == {"flows": at[0]}
    assert page.growth_machine(first) == page.machine(at[0])
    said = page.growth_machine(again)
    assert said.startswith("2026-02-02")
    assert ". Earlier, flows: 2026-01-01, engine " in said
    same = grow.renewed(first, at[0], [{"curve": "loss", "x": 2}])
    assert page.growth_machine(same) == page.machine(at[0])


def load_machine() -> dict[str, object]:
    whole = load("grow")
    assert whole is not None
    machine: dict[str, object] = whole["machine"]
    return machine


def test_growth_shows_both_ends_of_our_own_curves() -> None:
    def point(program: str, x: int, cost: float) -> dict[str, Any]:
        line = f"{program}, 64 RTTs"
        return {"curve": "flows", "line": line, "program": program, "x": x, "ns_per_packet": {"median": cost}}

    ours = [point("sawtooth", x, cost) for x, cost in ((1, 50.0), (10, 70.0), (100, 90.0))]
    rows = page.growth({"points": [ours[0], point("floor", 1, 20.0), *ours[1:]]}).splitlines()
    assert rows[2:] == ["| flows: 64 RTTs | 1 → 100 | 50 → 90 |"]


def test_every_block_stands_on_a_page() -> None:
    named = {match["name"] for path in report.PAGES for match in PLACE.finditer(path.read_text("utf-8"))}
    assert named == {*report.BLOCKS, *report.ELSEWHERE, *report.COUNTED}


@pytest.mark.parametrize("path", report.PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_committed_pages_are_what_the_committed_results_give(path: Path) -> None:
    assert report.page_text(path) == path.read_text(encoding="utf-8"), "python -m bench report"


@pytest.mark.long
def test_the_committed_figures_too() -> None:
    drawn = report.figure_texts()
    assert len(drawn) == len(report.DRAWN)
    for path, text in drawn.items():
        assert text == path.read_text(encoding="utf-8"), f"{path.name}: python -m bench report"

"""The benchmark runs, counts what it says, and compares like with like."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from bench import gate, memory
from bench.compare import TEN, aims, different_work, document, plans
from bench.measure import Measured, Spread, measure
from bench.scenario import Cell
from bench.subjects import engine, floor, ns2
from bench.subjects.frame import Dumbbell, Subject, Work, told, usage

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.long
def test_a_short_comparison_reports_cost_packets_memory_and_the_floor() -> None:
    words = "compare --alone --flows 2 --mbit 10 --buffer 50 --pairs 2 --lead-in 10 --seconds 20 --json"
    done = subprocess.run(
        [sys.executable, "-m", "bench", *words.split()], cwd=ROOT, capture_output=True, text=True, check=True
    )
    whole = json.loads(done.stdout)
    (only,) = whole["comparisons"]
    ours, least = only["subjects"][engine.NAME], only["subjects"][floor.FLOOR]
    # 10 Mbit/s are 1250 packets of 1000 B a second; the buffer is small, so the link is not always busy.
    assert 0.8 * 20 * 1250 < ours["forwarded"] <= 20 * 1250
    assert 0.8 * 20 * 1250 < least["forwarded"] <= 20 * 1250
    cost = ours["ns_per_packet"]
    assert cost["low"] <= cost["median"] <= cost["high"]
    assert ours["peak_kb"] >= whole["idle_interpreter_kb"] > 0
    assert "ours_by_floor" in only["ratios"]
    assert "ns2_by_ours" not in only["ratios"]
    assert whole["machine"]["rustc"]


@pytest.mark.long
def test_another_controller_is_measured_beside_ours_and_may_do_other_work() -> None:
    size = "--flows 2 --mbit 10 --buffer 50 --pairs 2 --lead-in 10 --seconds 20"
    words = ("compare", *size.split(), "--json", "--control")
    told = [
        subprocess.run(
            [sys.executable, "-m", "bench", *words, control],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        for control in ("aimd(0.1, 0.9)", "nobody")
    ]
    assert told[0].returncode == 0, told[0].stderr
    (only,) = json.loads(told[0].stdout)["comparisons"]
    assert set(only["subjects"]) == {engine.NAME, engine.OTHER}
    assert list(only["ratios"]) == ["control_by_ours"]
    assert (told[1].returncode, told[1].stdout) == (2, "")
    assert told[1].stderr.startswith('python -m bench compare: bench: flows[0].control = "nobody": expected')
    far = steady(engine.OTHER, 1.0, 500)
    assert different_work(measure([steady(engine.NAME, 1.0, 1000), far], 1, 1, 10)) == []


def test_the_engine_of_the_benchmark_loads_the_libraries_that_are_listed(tmp_path: Path) -> None:
    (tmp_path / "no.so").write_text("no library")
    words = [
        sys.executable,
        "-m",
        "bench",
        "compare",
        "--control",
        "mine",
        "--plugin",
        str(tmp_path / "no.so"),
    ]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "no.so: expected a shared library" in done.stderr


def test_a_command_that_does_not_exist_is_refused_with_those_that_do() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bench", "compair"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "compare, grow, memory, disciplines, calls, sweep, cluster, appendix, gate, report" in done.stderr


def test_a_size_on_the_command_line_stands_alone() -> None:
    chosen, _ = plans(["--flows", "1000", "--distinct-rtts", "64", "--pairs", "2"])
    (plan,) = chosen
    # 10 Mbit/s for each flow; one bandwidth-delay product of 1000 B packets at 120 ms.
    assert plan.size == Dumbbell(1_000, 10_000, 10_000 * 10**6 * 120 // (8_000 * 1_000), 64)
    assert plan.rounds == 2
    everything, _ = plans([])
    assert everything[0] == TEN
    assert {(plan.size.flows, plan.size.distinct_rtts) for plan in everything[1:]} == {
        (1_000, 64),
        (1_000, 1_000),
        (100_000, 64),
        (100_000, 100_000),
    }


def test_usage_counts_the_cpu_time_of_the_child() -> None:
    busy = "import time\nwhile time.process_time() < 0.2: pass\nprint(input())"
    used = usage([sys.executable, "-I", "-c", busy], "heard\n")
    assert used.cpu_s >= 0.2
    assert used.output == "heard\n"


def test_a_failing_program_is_an_error_with_its_last_words() -> None:
    with pytest.raises(RuntimeError, match=r"ended with 3: gone"):
        usage([sys.executable, "-I", "-c", "import sys; print('gone', file=sys.stderr); sys.exit(3)"])


def test_a_spread_is_median_smallest_and_largest() -> None:
    assert Spread.of([3.0, 1.0, 2.0]) == Spread(2.0, 1.0, 3.0)
    assert Spread.of([3.0, 1.0, 2.0]).text(1) == "2.0 (1.0 … 3.0)"


def test_a_ratio_is_formed_round_by_round() -> None:
    # A machine twice as slow in the second round slows both: the ratio stays.
    assert Spread.ratio([10.0, 20.0, 12.0], [5.0, 10.0, 4.0]) == Spread(2.0, 2.0, 3.0)
    with pytest.raises(ValueError, match="shorter"):
        Spread.ratio([1.0, 2.0], [1.0])


def test_told_reads_names_and_values() -> None:
    assert told("forwarded 12 dropped 3\n") == {"forwarded": "12", "dropped": "3"}


def steady(name: str, ns_per_packet: float, rate: int, seconds_max: int | None = None) -> Subject:
    """A subject that needs 1 s to start and then forwards `rate` packets a simulated second; one in ten is dropped."""

    def run(seconds: int) -> Work:
        packets = rate * seconds
        return Work(1.0 + packets * ns_per_packet * 1e-9, packets, packets // 10, 1000 * seconds)

    return Subject(name, run, seconds_max)


def test_start_up_and_lead_in_do_not_count() -> None:
    measured = measure([steady("a", 100.0, 1000), steady("slow", 700.0, 1000, 3)], 2, 5, 20)
    assert measured.ns_per_packet["a"] == pytest.approx([100.0, 100.0])
    assert measured.forwarded == {"a": 20_000, "slow": 3_000}
    assert measured.dropped["a"] == 2_000
    assert measured.seconds == {"a": 20, "slow": 3}
    assert measured.peak_kb["a"] == 25_000
    assert measured.ratio("slow", "a").median == pytest.approx(7.0)
    assert measured.unequal("a", 0.02) == []
    assert measure([steady("a", 100.0, 1000)], 1, 5, 2).peak_kb["a"] == 7_000, (
        "a lead-in longer than what counts"
    )


def test_different_work_is_found() -> None:
    measured = measure([steady("a", 100.0, 1000), steady("b", 100.0, 1030)], 1, 1, 10)
    assert measured.unequal("a", 0.02) == ["b"]
    assert measured.unequal("a", 0.04) == []
    ours, least, other = (
        steady(engine.NAME, 1.0, 1000),
        steady(floor.FLOOR, 1.0, 1050),
        steady("c", 1.0, 1030),
    )
    assert different_work(measure([ours, least, other], 1, 1, 10)) == ["c"]
    assert different_work(measure([ours, steady(floor.FLOOR, 1.0, 1200)], 1, 1, 10)) == [floor.FLOOR]


def test_only_ratios_whose_sides_were_measured_are_given() -> None:
    costs = {engine.NAME: [100.0], floor.FLOOR: [40.0], ns2.ALL_HEADERS: [1500.0]}
    ones = dict.fromkeys(costs, 1)
    found = aims(Measured(costs, ones, ones, ones, ones))
    assert {key: spread.median for key, spread in found.items()} == pytest.approx(
        {"ours_by_floor": 2.5, "ns2_by_ours": 15.0, "ns2_by_floor": 37.5}
    )
    assert document(TEN, Measured(costs, ones, ones, ones, ones))["subjects"][floor.FLOOR]["rounds"] == [40.0]


def test_a_cell_says_what_differs_from_the_plain_dumbbell() -> None:
    plain = json.loads(Cell(4, 40, 600, 4).engine())
    assert len({link["delay_ns"] for link in plain["links"][2::2]}) == 4
    assert plain["sources"] == []
    two = json.loads(Cell(4, 40, 600, 2).engine())
    assert {2 * link["delay_ns"] + 80_000_000 for link in two["links"][2::2]} == {114_000_000, 126_000_000}
    mixed = json.loads(Cell(4, 40, 600, 4, cross_share=0.25).engine())
    assert mixed["sources"][0]["rates"] == [[0, 10_000_000]]
    alone = json.loads(Cell(4, 40, 600, 4, cross_share=1.0).engine())
    assert alone["flows"] == []
    assert alone["sources"][0]["rates"] == [[0, 40_000_000]]
    lossy = json.loads(Cell(4, 40, 600, 4, loss=0.01, record={"windows": True}).engine())
    assert lossy["links"][0]["drop"] == {"kind": "bernoulli", "p": 0.01}
    assert lossy["record"]["windows"] is True


BASELINE = gate.Counts(
    "rustc 1.95.0", "x86_64", "valgrind-3.19.0", {"a": 100, "b": 50}, {"a": 1000, "b": 500}
)


def with_counts(**changed: object) -> gate.Counts:
    """The baseline with some fields replaced."""
    return gate.Counts.parse(json.dumps(json.loads(BASELINE.text()) | changed))


def test_the_gate_passes_what_is_equal_better_or_within_three_percent() -> None:
    assert gate.judge(BASELINE, BASELINE).state == "passed"
    assert gate.judge(BASELINE, with_counts(instructions={"a": 1030, "b": 500})).state == "passed"
    better = gate.judge(BASELINE, with_counts(instructions={"a": 600, "b": 500}))
    assert better.state == "passed"
    assert "hold it with" in better.lines[0]


def test_the_gate_fails_what_is_worse_in_one_scenario() -> None:
    worse = gate.judge(BASELINE, with_counts(instructions={"a": 600, "b": 516}))
    assert worse.state == "failed"
    assert "more than 3% worse" in worse.lines[1]
    assert "more than 3% worse" not in worse.lines[0]


def test_the_gate_counts_per_packet() -> None:
    # A tenth more packets for a tenth more instructions is no regression, and is said.
    other = gate.judge(
        BASELINE, with_counts(instructions={"a": 1100, "b": 500}, forwarded={"a": 110, "b": 50})
    )
    assert other.state == "passed"
    assert "forwards 110 packets, 100 before" in other.lines[0]
    fewer = gate.judge(BASELINE, with_counts(forwarded={"a": 90, "b": 50}))
    assert fewer.state == "failed"


def test_the_gate_fails_a_scenario_that_only_one_side_has() -> None:
    assert gate.judge(BASELINE, with_counts(instructions={"a": 1000}, forwarded={"a": 100})).state == "failed"
    more = with_counts(instructions={"a": 1000, "b": 500, "c": 1}, forwarded={"a": 100, "b": 50, "c": 1})
    assert gate.judge(BASELINE, more).state == "failed"


def test_the_gate_fails_a_scenario_that_costs_too_many_times_another() -> None:
    bound = gate.Bound("b", "a", 1.0)  # both take 10 instructions per packet
    kept = gate.judge(BASELINE, BASELINE, bounds=[bound])
    assert (kept.state, kept.lines[-1]) == ("passed", f"{'b':{gate.WIDTH}} 1.000 times a, at most 1 allowed")
    # Cheaper than before, and yet too dear beside the other.
    cheaper = with_counts(instructions={"a": 600, "b": 480})
    beside = gate.judge(BASELINE, cheaper, bounds=[bound])
    assert beside.state == "failed"
    assert beside.lines[-1] == f"{'b':{gate.WIDTH}} 1.600 times a, at most 1 allowed: more than allowed"
    assert gate.judge(BASELINE, cheaper, bounds=[gate.Bound("b", "missing", 1.0)]).state == "passed"


def test_the_committed_baseline_keeps_the_bounds() -> None:
    committed = gate.Counts.parse(gate.BASELINE.read_text(encoding="utf-8"))
    held = {bound.scenario.partition("/")[0] for bound in gate.BOUNDS}
    assert held == {"cubic", "bbr", "queue", "window"}
    lines, failed = gate.exceeded(committed, gate.BOUNDS)
    assert len(lines) == len(gate.BOUNDS)
    assert not failed, lines


@pytest.mark.parametrize(
    ("discipline", "base", "times"),
    [("codel", "red", 1.3), ("pie", "red", 1.3), ("fq-codel", "drr", 1.5), ("dualpi2", "drr", 1.5)],
)
def test_the_gate_holds_a_discipline_to_its_times_red_or_drr(
    discipline: str, base: str, times: float
) -> None:
    committed = gate.Counts.parse(gate.BASELINE.read_text(encoding="utf-8"))
    name, reference = f"queue/{discipline}", f"queue/{base}"
    most = times * committed.per_packet(reference) * committed.forwarded[name]
    for share, fails in ((0.999, False), (1.001, True)):
        counts = {**committed.instructions, name: round(share * most)}
        found = replace(committed, instructions=counts)
        assert gate.exceeded(found, gate.BOUNDS)[1] == fails


@pytest.mark.parametrize("recovery", ["sack", "rack"])
def test_the_gate_fails_an_acknowledgement_that_looks_at_every_packet_of_the_window(recovery: str) -> None:
    """One instruction for each packet of the window, at every acknowledgement, is enough; nothing per window is none."""
    committed = gate.Counts.parse(gate.BASELINE.read_text(encoding="utf-8"))
    for each, fails in ((0.0, False), (1.0, True)):
        counts = {
            name: count + round(each * int(name.split("/")[2]) * committed.forwarded[name])
            if name.startswith(f"window/{recovery}/")
            else count
            for name, count in committed.instructions.items()
        }
        lines, failed = gate.exceeded(replace(committed, instructions=counts), gate.BOUNDS)
        assert failed == fails
        wrong = [line for line in lines if "more than allowed" in line]
        assert all(line.startswith(f"window/{recovery}/") for line in wrong)


def test_the_gate_does_not_judge_another_compiler() -> None:
    verdict = gate.judge(BASELINE, with_counts(rustc="rustc 1.96.0", instructions={"a": 5000, "b": 500}))
    assert verdict.state == "not judged"
    assert "rustc 1.96.0" in verdict.lines[-1]
    assert gate.judge(BASELINE, with_counts(target="aarch64")).state == "not judged"


def test_the_committed_baseline_names_its_compiler_and_every_scenario() -> None:
    committed = gate.Counts.parse(gate.BASELINE.read_text(encoding="utf-8"))
    assert committed.rustc.startswith("rustc ")
    assert committed.instructions.keys() == committed.forwarded.keys()
    source = (ROOT / "bench" / "instructions" / "src" / "main.rs").read_text(encoding="utf-8")
    for name in committed.instructions:
        family, *words = name.split("/")
        if not words:
            assert f'("{name}", {name})' in source
        elif family == "queue":
            assert f'"{words[0]}"' in source
        else:
            assert f'"{words[0]}"' in source
            assert f"{int(words[1]):_}" in source


def test_without_valgrind_the_gate_says_that_it_did_not_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert gate.main([]) == 0
    assert gate.main(["--strict"]) == 0, "it could not have been installed"
    assert capsys.readouterr().out.count("NOT RUN") == 2
    monkeypatch.setattr(gate, "could_be_installed", lambda: True)
    assert gate.main(["--strict"]) == 1
    assert gate.main([]) == 0


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="resident memory is that of Linux's allocator")
def test_a_classic_flow_takes_at_most_six_kilobytes() -> None:
    row = memory.measured(4_000, "64", engine.idle_interpreter_kb())
    assert 2_000 < row["bytes_per_flow"] <= memory.MOST_BYTES, row


def test_the_table_of_memory_says_where_a_flow_takes_too_much() -> None:
    row = {"text": "10 flows", "held": True, "peak_kb": 1_500, "bytes_per_flow": 5_949.0}
    kept = {"sizes": [row, row | {"text": "20 flows", "held": False, "bytes_per_flow": 9_000.0}]}
    assert "| 10 flows | 2 MB | 5.95 kB |" in memory.table(kept)
    assert memory.sentence(kept) == "With 64 round-trip times a flow takes at most the 6 kB that it may"
    over = {"sizes": [row | {"bytes_per_flow": 6_001.0}]}
    assert memory.too_many(over) == ["10 flows"]
    assert "takes more than the 6 kB" in memory.sentence(over)

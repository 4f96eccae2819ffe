"""`sawtooth run` through the real entry point: the document, bad input, the figure, interruption."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

from sawtooth.cli import SOFTWARE_FAULT, exit_code
from sawtooth.run import runner
from sawtooth.run.run import Answer
from sawtooth.run.store import Store

if TYPE_CHECKING:
    from tests.conftest import CommandLine


def files_in(directory: Path) -> list[str]:
    """Names of everything below a directory."""
    return sorted(str(path.relative_to(directory)) for path in directory.rglob("*") if path.is_file())


def test_the_document(sawtooth: CommandLine, scenario_file: Path) -> None:
    ended = sawtooth("run", "s.toml", "--json")
    assert ended.code == 0
    assert ended.err == ""
    assert ended.out.count("\n") == 1
    document = ended.json
    flow = {"id", "controller", "recovery", "goodput_bps", "loss_pct", "timeouts", "retransmits"}
    queue = {"name", "mean_delay_ms", "arrivals", "drops", "marks", "forwarded"}
    assert [row["id"] for row in document["flows"]] == [0, 1, 2]
    assert all(flow <= set(row) for row in document["flows"])
    assert all(queue <= set(row) for row in document["queues"])
    assert document["queues"][0]["name"] == "bottleneck"
    assert {"goodput", "fairness", "delay", "loss", "jain", "utilisation"} <= set(document["metrics"])
    assert document["resolved"]["seed"] == "1"
    assert 0.5 < document["metrics"]["goodput"] <= 1.0
    assert Store(scenario_file.parent / ".sawtooth").has(document["run_id"])


def test_seed_and_set_reach_the_run(sawtooth: CommandLine, scenario_file: Path) -> None:
    first = sawtooth("run", scenario_file, "--json").json
    same = sawtooth("run", scenario_file, "--seed", 1, "--json").json
    seeded = sawtooth("run", scenario_file, "--seed", 2, "--json").json
    slower = sawtooth(
        "run", scenario_file, "--set", "bottleneck.rate=4 Mbit/s", "--set", "seed=2", "--json"
    ).json
    assert (same["digest"], same["run_id"]) == (first["digest"], first["run_id"])
    assert seeded["digest"] != first["digest"]
    assert slower["resolved"]["seed"] == "2"
    assert slower["resolved"]["engine"]["links"][0]["rate_bps"] == 4_000_000


def test_what_set_replaces_may_have_been_wrong(sawtooth: CommandLine, scenario_file: Path) -> None:
    usual = sawtooth("run", "s.toml", "--set", "path.rtt=40 ms", "--json").json
    wrong = scenario_file.with_name("wrong.toml")
    wrong.write_text(with_rtt(scenario_file.read_text(), "40 zz"))
    assert sawtooth("run", "wrong.toml").code == 2
    assert (
        sawtooth("run", "wrong.toml", "--set", "path.rtt=40 ms", "--json").json["digest"] == usual["digest"]
    )
    swept = sawtooth(
        "sweep",
        "wrong.toml",
        "--set",
        "path.rtt=40 ms",
        "--over",
        "flows.control=aimd(1, 0.8),tcp(1, 0.5)",
        "--seeds",
        "1",
    )
    assert swept.code == 0
    assert "that a decrease keeps" in swept.out
    assert "that a decrease removes" in swept.out


def with_rtt(text: str, rtt: str) -> str:
    changed, times = re.subn(r'rtt = "[^"]*"', f'rtt = "{rtt}"', text)
    assert times == 1
    return changed


def test_thread_count_changes_nothing(sawtooth: CommandLine, scenario_file: Path) -> None:
    ends = [sawtooth("run", "s.toml", "--json", SAWTOOTH_THREADS=threads) for threads in ("1", "2")]
    assert ends[0].out == ends[1].out


def test_people_get_tables(sawtooth: CommandLine, scenario_file: Path) -> None:
    ended = sawtooth("run", "s.toml")
    assert ended.code == 0
    assert ended.err == ""
    for word in ("flows", "queues", "metrics", "aimd(1, 0.8)", "bottleneck", "goodput", "digest"):
        assert word in ended.out


@pytest.mark.parametrize(
    ("mistake", "instead", "said"),
    [
        ("[bottleneck]", "[bottleneck]\nbufer = 3", ("bottleneck.bufer", "buffer")),
        ('"8 Mbit/s"', '"8 Mbyte"', ("bottleneck.rate", "8 Mbyte", "Mbit/s")),
        ('"8 Mbit/s"', '"-8 Mbit/s"', ("bottleneck.rate", "-8 Mbit/s")),
        ('"aimd(1, 0.8)"', '"aimd(1, 1.8)"', ("flows[1].control", "1.8")),
        ('"reno"', '"vegas"', ("flows[1].recovery", "vegas", "sack")),
        ('seed = "1"', "seed = ", ("line 4",)),
        ('warmup = "1 s"', 'warmup = "3 s"', ("warmup", "3 s")),
        ('"12 packets"', '"0 packets"', ("bottleneck.buffer", "0 packets")),
    ],
)
def test_bad_input_is_named_and_nothing_is_left(
    mistake: str, instead: str, said: tuple[str, ...], sawtooth: CommandLine, scenario_file: Path
) -> None:
    text = scenario_file.read_text()
    assert mistake in text
    scenario_file.write_text(text.replace(mistake, instead))
    ended = sawtooth("run", "s.toml", "--json", "--plot", "f.svg")
    refused(ended.code, ended.out, ended.err, "s.toml", *said)
    assert files_in(scenario_file.parent) == ["s.toml"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run"], ("SCENARIO.toml",)),
        (["run", "missing.toml"], ("missing.toml",)),
        (["run", "."], (".",)),
        (["run", "s.toml", "--set", "path.rtt"], ("--set", "path.rtt")),
        (["run", "s.toml", "--set", "path.speed=3"], ("path.speed", "rtt")),
        (["run", "s.toml", "--plot", "f.doc"], ("--plot", "f.doc", ".svg")),
        (["run", "s.toml", "--plot", "nowhere/f.svg"], ("--plot", "nowhere/f.svg")),
        (["run", "s.toml", "--sed", "3"], ("--sed",)),
        (["run", "s.toml", "--store", "s.toml"], ("store", "s.toml")),
        (["run", "s.toml", "--set", "seed=5", "--seed", "6"], ("--seed", "6", "--set seed=")),
        (["run", "--schema", "s.toml"], ("SCENARIO.toml", "s.toml", "--schema")),
        (["run", "--schema", "--seed", "3"], ("--seed", "3", "--schema")),
        (["run", "--schema", "--plot", "f.svg"], ("--plot", "f.svg", "--schema")),
        (["run", "--schema", "--set", "path.rtt=1s"], ("--set", "path.rtt=1s", "--schema")),
        (
            ["run", "s.toml", "--set", "tcp.initial_window=1e9"],
            ("tcp.initial_window", "at most a million packets"),
        ),
        (["compare", "cubic", "--seeds", "100000000000"], ("compare: --seeds", "10,000,000 runs")),
        (
            ["compare", "cubic", "--until-decided", "--max-seeds", "99999999"],
            ("--max-seeds", "10,000,000 runs"),
        ),
        (
            ["sweep", "s.toml", "--over", "path.rtt=1s,2s", "--seeds", "5000001"],
            ("sweep: --seeds", "each seed means 2"),
        ),
        (["reproduce", "akella2002/fig4", "--seeds", "99999999"], ("reproduce: --seeds", "10,000,000 runs")),
        (
            [
                "model",
                "fairness",
                "--a-i",
                "1",
                "--b-i",
                "1",
                "--a-d",
                "0",
                "--b-d",
                "0.5",
                "--k-i",
                "1000000000",
            ],
            ("k_i", "from 0 to 1000000"),
        ),
        (["fly"], ("fly",)),
        (["list", "engines"], ("engines", "controllers")),
    ],
)
def test_a_wrong_command_line_is_refused(
    arguments: list[str],
    said: tuple[str, ...],
    scenario_file: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(scenario_file.parent)
    code = exit_code(arguments)
    refused(code, *capsys.readouterr(), *said)
    assert files_in(scenario_file.parent) == ["s.toml"]


def refused(code: int, out: str, err: str, *said: str) -> None:
    """Exit 2, nothing on standard output, at most three lines that name what is wrong."""
    assert code == 2
    assert out == ""
    assert 1 <= len(err.splitlines()) <= 3
    assert "Traceback" not in err
    for word in said:
        assert word in err


@pytest.mark.long
def test_the_figure_is_the_same_every_time(sawtooth: CommandLine, scenario_file: Path) -> None:
    first = sawtooth("run", "s.toml", "--plot", "a.svg", "--json")
    second = sawtooth("run", "s.toml", "--plot", "b.svg", "--json")
    assert (first.code, second.code) == (0, 0)
    picture = (scenario_file.parent / "a.svg").read_bytes()
    assert picture == (scenario_file.parent / "b.svg").read_bytes()
    assert ElementTree.fromstring(picture).tag == "{http://www.w3.org/2000/svg}svg"
    text = picture.decode()
    for word in (
        "window (packets)",
        "throughput",
        "available bandwidth",
        "round-trip time",
        "queue at bottleneck:",
        "time (s)",
        "buffer: 12 packets",
        "loss event",
        "aimd(1, 0.8)",
    ):
        assert word in text
    plain = sawtooth("run", "s.toml", "--json").json["metrics"]
    drawn = first.json["metrics"]
    defined = {name: value for name, value in plain.items() if value is not None}
    assert {name: drawn[name] for name in defined} == defined, "drawing changes nothing"
    assert plain["rate_variation"] is None, "it needs a series"
    assert drawn["rate_variation"] > 0.0, "which the figure records"


def test_the_schema_knows_every_default(sawtooth: CommandLine) -> None:
    ended = sawtooth("run", "--schema")
    assert ended.code == 0
    assert ended.json["properties"]["duration"]["default"] == "60 s"


@pytest.mark.parametrize(
    ("sign", "code", "said"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")]
)
def test_ctrl_c_and_sigterm_end_a_long_run_at_once(
    sign: signal.Signals, code: int, said: str, scenario_file: Path
) -> None:
    """An hour at 100 Mbit/s takes far longer than this test waits; the engine cannot be stopped, the process can."""
    long = ["--set", "duration=3600 s", "--set", "bottleneck.rate=100 Mbit/s", "--json"]
    process = subprocess.Popen(
        [sys.executable, "-m", "sawtooth", "run", "s.toml", *long],
        cwd=scenario_file.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 30.0
    while not (scenario_file.parent / ".sawtooth" / "runs").is_dir():  # made when simulating begins
        assert time.monotonic() < deadline
        time.sleep(0.02)
    time.sleep(0.3)
    assert process.poll() is None, "still simulating"
    process.send_signal(sign)
    began = time.monotonic()
    out, err = process.communicate(timeout=20.0)
    assert time.monotonic() - began < 2.0
    assert process.returncode == code
    assert out == ""
    assert err == f"{said}\n"
    assert not [file for file in files_in(scenario_file.parent) if file.endswith(".parquet")]


def test_a_fault_of_the_engine_is_not_taken_for_a_failed_comparison(
    scenario_file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*given: object) -> Answer:
        raise RuntimeError("virtual time 7 ns: the queue should hold what it counted")

    monkeypatch.setattr(runner, "ask_engine", broken)
    monkeypatch.chdir(scenario_file.parent)
    assert exit_code(["run", "s.toml", "--json"]) == SOFTWARE_FAULT
    ended = capsys.readouterr()
    assert ended.out == ""
    assert "(seed 1) failed: virtual time 7 ns" in ended.err
    assert len(ended.err.splitlines()) <= 3


def test_a_closed_pipe_is_no_fault(scenario_file: Path) -> None:
    command = f"{sys.executable} -m sawtooth list controllers | head -c 1"
    ended = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert ended.stderr == ""

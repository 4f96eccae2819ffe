"""`sawtooth environment` through the real entry point: CSV that is read back, JSON, the picture, and mistakes with exit code 2."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from sawtooth.cli import exit_code
from sawtooth.cli.environment import BARS, sparkline
from sawtooth.scenario.environments import Environment, schedule_of
from sawtooth.scenario.environments.sets import SETS
from sawtooth.scenario.schedule import Schedule, parse_schedule

S = 1_000_000_000


class Done(NamedTuple):
    """How a command line ended."""

    code: int
    out: str
    err: str


@pytest.fixture
def sawtooth(capfd: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Runs `sawtooth environment …` as the console script does, in this process."""

    def run(*arguments: str) -> Done:
        code = exit_code(["environment", *arguments])
        return Done(code, *capfd.readouterr())

    return run


@pytest.mark.parametrize("name", [name for name in SETS["akella2002"]() if not name.startswith("real-")])
def test_the_csv_is_the_schedule_of_a_run(name: str, sawtooth: Callable[..., Done]) -> None:
    done = sawtooth(name, "--seed", "3", "--duration", "60 s", "--csv")
    assert (done.code, done.err) == (0, "")
    expected = schedule_of(
        Environment.parse(name), seed="3", duration_ns=60 * S, capacity_bps=100_000_000, flows=10
    )
    assert parse_schedule(done.out, "stdout") == expected


def test_parameters_capacity_and_flows(sawtooth: Callable[..., Done]) -> None:
    done = sawtooth(
        "sq-high",
        "--set",
        "period=4 s",
        "--duration",
        "8 s",
        "--capacity",
        "10 Mbit/s",
        "--flows",
        "2",
        "--json",
    )
    document = json.loads(done.out)
    assert document["parameters"]["period"] == "4 s"
    assert document["mean_bps"] == 3_000_000.0
    rows = [(row["time_s"], row["time_ns"], row["available_bps_per_flow"]) for row in document["schedule"]]
    assert rows == [(0.0, 0, 5 * 10**6), (2.0, 2 * S, 10**6), (4.0, 4 * S, 5 * 10**6), (6.0, 6 * S, 10**6)]


def test_a_csv_can_be_edited_and_drawn_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sawtooth: Callable[..., Done]
) -> None:
    monkeypatch.chdir(tmp_path)
    first = sawtooth("rd-high", "--csv").out
    (tmp_path / "own.csv").write_text(first)
    again = sawtooth("file", "--set", "file=own.csv", "--csv")
    assert again.out == first


def test_without_a_format_there_is_a_picture(sawtooth: Callable[..., Done]) -> None:
    done = sawtooth("sq-high", "--duration", "10 s")
    assert done.code == 0
    assert "5.5 Mbit/s per flow" in done.out
    assert "█" * 32 + "▁" * 32 in done.out


def test_a_sparkline_is_the_mean_of_each_share_of_the_run() -> None:
    ramp = Schedule(tuple(range(8)), tuple(range(8)))
    assert sparkline(ramp, 8, columns=8) == "▁▂▃▄▅▆▇█"
    assert sparkline(ramp, 8, columns=2) == "▂▇"  # 1.5 and 5.5 of 7
    assert sparkline(Schedule.constant(0), 8, columns=3) == BARS[0] * 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["wave"], 'sawtooth environment: NAME = "wave": expected one of cons-low'),
        (["sq-high", "--set", "colour=red"], '--set: colour = "red": expected one of the keys'),
        (["sq-high", "--set", "period=5"], "--set: period = 5: expected a time such as"),
        (["sq-high", "--set", "period"], '--set: "period": expected KEY=VALUE'),
        (["sq-high", "--set", "low=20 Mbit/s"], '--set: low = "20 Mbit/s": expected a rate of at most high'),
        (
            ["sq-high", "--seed", "-1"],
            'sawtooth environment: --seed = "-1": expected a seed: text of 1 to 64 visible',
        ),
        (["sq-high", "--duration", "60"], '--duration: "60": expected a time such as'),
        (["sq-high", "--capacity", "-1 Mbit/s"], '--capacity: "-1 Mbit/s": expected a rate'),
        (
            ["rd-high", "--capacity", "100 kbit/s"],
            '--set: floor = "70 kbit/s": expected at most the fair share 10 kbit/s',
        ),
        (
            ["sq-high", "--csv", "--json"],
            'sawtooth environment: "--csv --json": expected one of --csv and --json',
        ),
        (["file", "--set", "file=no.csv", "--csv"], '--set: file = "no.csv": expected a CSV file'),
        (["sq-high", "--flows", "0"], "sawtooth environment:"),
    ],
)
def test_mistakes_leave_with_2_and_print_nothing_else(
    arguments: list[str], message: str, sawtooth: Callable[..., Done]
) -> None:
    done = sawtooth(*arguments)
    assert done.code == 2
    assert done.out == ""
    assert message in done.err
    assert 1 <= len(done.err.splitlines()) <= 3


def test_the_console_script_does_the_same() -> None:
    command = [sys.executable, "-m", "sawtooth", "environment", "sq-high", "--duration", "10 s", "--csv"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0
    assert done.stdout == "time_s,available_bps_per_flow\n0,10000000\n5,1000000\n"

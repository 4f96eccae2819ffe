"""`sawtooth list`, `--help` and `--version` through the real entry point."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sawtooth import _native
from sawtooth.cli import exit_code
from sawtooth.cli.list import KINDS
from sawtooth.measure.metrics import METRIC_NAMES
from sawtooth.scenario.environments import ENVIRONMENTS

if TYPE_CHECKING:
    from tests.conftest import CommandLine

COMMANDS = ("run", "list", "compare", "reproduce", "environment", "replay", "doctor")


def test_everything_as_one_document(sawtooth: CommandLine) -> None:
    document = sawtooth("list", "--json").json
    assert list(document) == ["format", *KINDS]
    described = _native.describe()
    assert document["controllers"] == described["controllers"]
    assert document["recoveries"] == described["recoveries"]
    names = {kind: [row["name"] for row in rows] for kind, rows in document.items() if kind != "format"}
    assert {"reno", "newreno", "sack", "tahoe"} <= set(names["recoveries"])
    assert names["disciplines"][0] == "droptail"
    assert names["environments"] == [entry.name for entry in ENVIRONMENTS]
    assert names["metrics"] == list(METRIC_NAMES)
    assert {"akella2002/fig4", "akella2002/fig5"} <= set(names["studies"])


def test_parameters_of_a_discipline_come_with_unit_and_default(sawtooth: CommandLine) -> None:
    rows = {row["name"]: row for row in sawtooth("list", "disciplines", "--json").json["disciplines"]}
    red = {entry["name"]: entry for entry in rows["red"]["parameters"]}
    assert (red["min"]["unit"], red["min"]["default"]) == ("packets", 25.0)
    assert (red["spacing"]["choices"], red["spacing"]["default"]) == (["wait", "uniform", "none"], "wait")
    assert [entry["name"] for entry in rows["rio"]["parameters"]] == ["rule", "average_updates", *red]


@pytest.mark.parametrize("kind", list(KINDS))
def test_one_kind_for_people(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(["list", kind]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.startswith(kind)
    for row in KINDS[kind][0]():
        assert f"\n{row['name']} " in out


def test_sources_are_shown(sawtooth: CommandLine) -> None:
    ended = sawtooth("list", "metrics")
    (line,) = [line for line in ended.out.splitlines() if line.startswith("jain ")]
    assert line.rstrip().endswith("Jain84 eq. 1")


def test_people_are_told_which_way_is_better_and_over_what_time(sawtooth: CommandLine) -> None:
    """docs/metrics.md said so; the table had neither."""
    lines = {line.split()[0]: line for line in sawtooth("list", "metrics").out.splitlines() if line.split()}
    assert " higher  [warm-up, duration) " in lines["jain"]
    assert " lower   [warm-up, duration) " in lines["fairness"]
    assert " lower   [0, duration), warm-up included " in lines["completion"]
    assert "er   " not in lines["mean_window"]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_with_an_example(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code([command, "--help"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert f"Example: sawtooth {command}" in out
    assert "--json" in out


def test_the_front_page_names_every_command(sawtooth: CommandLine) -> None:
    ended = sawtooth("--help")
    assert ended.code == 0
    assert all(f"\n  {command} " in ended.out for command in COMMANDS)


def test_nothing_at_all_is_answered_by_the_first_three_commands(sawtooth: CommandLine) -> None:
    ended = sawtooth()
    assert (ended.code, ended.err) == (0, "")
    first = [line.split()[:2] for line in ended.out.splitlines() if line.startswith("  sawtooth ")]
    assert first == [["sawtooth", "demo"], ["sawtooth", "examples"], ["sawtooth", "run"]]
    assert len(ended.out.splitlines()) <= 16


def test_version(sawtooth: CommandLine) -> None:
    ended = sawtooth("--version")
    version = _native.version()
    assert ended.code == 0
    assert ended.out == f"sawtooth {version['version']} (engine {version['engine']}, {version['profile']})\n"

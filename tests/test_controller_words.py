"""What the numbers of a controller mean, in words: in the words of the engine, and in every echo of a run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import CommandLine

from sawtooth.cli.demo import show
from sawtooth.cli.reproduce import _print
from sawtooth.papers.reproduce import reproduce
from sawtooth.scenario.controller_words import meaning, meanings
from sawtooth.scenario.described import describe

KEEPS, REMOVES = (
    "fraction of the window that a decrease keeps",
    "fraction of the window that a decrease removes",
)


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("aimd(1, 0.8)", f"a = 1, packets added per round; b = 0.8, {KEEPS}"),
        ("AIMD( 1,0.8 )", f"a = 1, packets added per round; b = 0.8, {KEEPS}"),
        ("tcp", f"a = 1, packets added per round; b = 0.5, {REMOVES}"),
        ("gaimd(0.3, b=0.2)", f"a = 0.3, packets added per round; b = 0.2, {REMOVES}"),
        ("cubic", f"beta = 0.7, {KEEPS}"),
        ("cubic(c=0.5)", f"c = 0.5, steepness of the cubic function; beta = 0.7, {KEEPS}"),
        ("bbr", ""),
        ("maimd", "linear(1, 1.1, 0, 0.8): multiplicative and additive increase, multiplicative decrease"),
        ("of-a-plug-in(3)", ""),
    ],
)
def test_numbers_are_told_with_what_they_mean(written: str, words: str) -> None:
    assert meaning(written) == words


def test_a_table_of_numbers_is_told_as_well() -> None:
    law: dict[str, Any] = {"kind": "linear", "a_i": 1, "b_d": 0.8}
    assert "b_d = 0.8, factor of the decrease" in meaning(law)


def test_whoever_has_a_fraction_says_whether_a_decrease_keeps_it() -> None:
    found = 0
    for row in describe()["controllers"]:
        for entry in row["parameters"]:
            if entry["why"].startswith("fraction of the window that a decrease "):
                written = f"{row['name']}({', '.join(['0.5'] * len(row['parameters']))})"
                assert entry["why"].partition(";")[0] in meaning(written)
                found += 1
    assert found >= 5


def test_each_controller_is_told_once_and_one_without_words_is_left_out() -> None:
    assert list(meanings(["tcp(1, 0.5)", "bbr", "aimd(1, 0.8)", "tcp(1, 0.5)"])) == [
        "tcp(1, 0.5)",
        "aimd(1, 0.8)",
    ]


def test_a_run_echoes_what_its_numbers_mean(sawtooth: CommandLine, tmp_path: Path) -> None:
    scenario = tmp_path / "two.toml"
    scenario.write_text(
        'duration = "2 s"\nwarmup = "1 s"\nbottleneck = { rate = "8 Mbit/s", buffer = "20 packets" }\npath = { rtt = "20 ms" }\n'
        '[[flows]]\ncontrol = "aimd(1, 0.8)"\n[[flows]]\ncontrol = "tcp(1, 0.2)"\n'
    )
    shown = sawtooth("run", str(scenario)).out
    assert f"aimd(1, 0.8): a = 1, packets added per round; b = 0.8, {KEEPS}\n" in shown
    assert f"tcp(1, 0.2): a = 1, packets added per round; b = 0.2, {REMOVES}\n" in shown
    document = sawtooth("run", str(scenario), "--json").json
    assert document["controllers"] == meanings(["aimd(1, 0.8)", "tcp(1, 0.2)"])


OWN = """
[scenario]
duration = "3 s"
warmup = "1 s"
bottleneck = { rate = "4 Mbit/s", buffer = "20 packets" }
path = { rtt = "20 ms" }
flows = [{ count = 2 }]

[[algorithm]]
label = "gentle"
control = "aimd(1, 0.8)"

[matrix]
settings = ["sack/drop-tail"]
"""
OTHER = '[[algorithm]]\nlabel = "tcp"\ncontrol = "tcp(1, 0.3)"\n'
FIRST = f"aimd(1, 0.8): a = 1, packets added per round; b = 0.8, {KEEPS}"
SECOND = f"tcp(1, 0.3): a = 1, packets added per round; b = 0.3, {REMOVES}"


def test_a_comparison_and_a_replay_echo_it_too(sawtooth: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "one.toml").write_text(OWN.partition("[[algorithm]]")[0].replace("[scenario]\n", ""))
    given = ("aimd(1, 0.8)", "tcp(1, 0.3)", "--scenario", "one.toml", "--seeds", "1")
    for table in ("distance", "both"):
        shown = sawtooth("compare", *given, "--table", table)
        assert (shown.out.count(f"{FIRST}\n"), shown.out.count(f"{SECOND}\n")) == (1, 1), shown.err
    run_id = sawtooth("compare", *given, "--json").json["run_ids"][0]
    assert f"{FIRST}\n" in sawtooth("replay", run_id).out


def test_a_reproduction_its_page_and_the_demo_echo_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = tmp_path / "own.toml"
    study.write_text(OWN + OTHER)
    found = reproduce(str(study), store=tmp_path, report=tmp_path / "r.html")
    text = (tmp_path / "r.html").read_text()
    assert f"a = 1, packets added per round; b = 0.8, {KEEPS}" in text
    assert f"a = 1, packets added per round; b = 0.3, {REMOVES}" in text
    paper = replace(
        found, parts=tuple(replace(part, study=part.study.replaced(paper="p")) for part in found.parts)
    )
    _print(found, evidence=True)
    _print(paper, evidence=False)
    show(found)
    assert capsys.readouterr().out.count(f"{FIRST}\n{SECOND}\n") == 3


def test_a_study_of_one_controller_shows_its_values_and_no_claims(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = tmp_path / "own.toml"
    study.write_text(OWN)
    _print(reproduce(str(study), store=tmp_path, report=False), evidence=True)
    shown = capsys.readouterr().out
    assert "raw values" in shown
    assert "queueing delay (ms)" in shown
    assert f"{FIRST}\n" in shown
    assert "distance" not in shown
    assert "claim" not in shown

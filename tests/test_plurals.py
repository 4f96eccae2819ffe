"""Sentences count as a person does: one seed, several seeds, one claim that fails; what is not there is not explained."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.conftest import SCENARIO, CommandLine
from tests.test_display import PAIR

import sawtooth as st
from sawtooth.claims.logic import Verdict, fact
from sawtooth.plurals import did, number_of, verb
from sawtooth.report.answers import size_sentence
from sawtooth.report.tables import leaf_text


def test_numbers_and_what_they_count() -> None:
    assert [number_of(number, "seed") for number in (0, 1, 2, 1000)] == [
        "0 seeds",
        "1 seed",
        "2 seeds",
        "1,000 seeds",
    ]
    assert number_of(2, "study") == "2 studies"
    assert [did(number, "fails") for number in (0, 1, 2)] == ["0 fail", "1 fails", "2 fail"]
    assert verb(Verdict.HOLDS, 2) == "hold"
    assert did(2, "undecided") == "2 undecided"


def test_one_run_of_a_store_is_a_run(sawtooth: CommandLine, scenario_file: Path) -> None:
    sawtooth("run", scenario_file.name, "--store", "one")
    assert sawtooth("store", "verify", "one").out.startswith("1 run looked at")
    assert sawtooth("store", "merge", "two", "one").out.startswith("1 run added")
    assert sawtooth("store", "gc", "--store", "two").out.startswith("1 run in two: 1 file before")
    assert "1 row of 1 run\n" in sawtooth("store", "export", "--store", "two", "--out", "a.csv").out


@pytest.mark.parametrize("seeds", [1, 2])
def test_a_sweep_explains_intervals_where_it_has_some(
    sawtooth: CommandLine, scenario_file: Path, seeds: int
) -> None:
    found = sawtooth("sweep", scenario_file.name, "--over", "path.rtt=20ms", "--seeds", str(seeds))
    assert found.code == 0, found.err
    assert found.out.splitlines()[0].rstrip() == f"{scenario_file.name}: mean over {number_of(seeds, 'seed')}"
    assert ("±" in found.out) == (seeds > 1)
    assert f"of {number_of(seeds, 'run')} simulated" in found.err


def test_nothing_is_called_decided_where_one_seed_decides_nothing(
    sawtooth: CommandLine, scenario_file: Path
) -> None:
    found = sawtooth("compare", *PAIR, "--scenario", scenario_file.name, "--seeds", "1")
    assert found.code == 0, found.err
    assert "Decided:" not in found.out
    assert "To be decided, one must be ahead of every other" in found.out


def test_a_network_without_cross_traffic_is_called_so() -> None:
    said = size_sentence(st.compare(PAIR, scenario=SCENARIO, seeds=1))
    assert said.startswith("This rests on 2 runs: ")
    assert said.endswith(", without cross traffic, 1 seed.")


def test_names_that_speak_against_a_fact_are_listed_as_in_a_sentence() -> None:
    found = fact("no environment offers less than 1 Mbit/s", False, these_do=["rw-low", "rd-low"])
    assert leaf_text(found, 2) == "no environment offers less than 1 Mbit/s (these do: rw-low, rd-low)"
    assert (
        leaf_text(fact("it is so", True, ratio=0.5, windows=[1, 2]))
        == "it is so (ratio = 0.5, windows = [1, 2])"
    )

"""Verdicts show themselves as other results do: few lines at a prompt, a table in a notebook. No public function returns a wall of text."""

from __future__ import annotations

import inspect
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import clean_environment
from tests.conftest import SCENARIO
from tests.test_display import PAIR, html
from tests.test_plugins import LAW
from tests.test_shard import STUDY

import sawtooth as st
from sawtooth.html_table import ROWS

LONGEST = 1000
ELSEWHERE = {"overlay": "tests/test_overlay.py, which has its runs"}


def test_the_mathematics_of_a_paper() -> None:
    found = st.mathematics("lahanas2003")
    head, counts = repr(found).splitlines()
    assert head == "<Mathematics of lahanas2003/mathematics"
    assert counts.startswith(f" {len(found.judged)} claims: ")
    assert len(html(found).findall(".//tbody/tr")) == ROWS
    assert f"and {len(found.judged) - ROWS} more rows" in found._repr_html_()


def test_the_check_of_a_controller() -> None:
    found = st.check_controller("aimd(1, 0.7)")
    size = len(found.rules)
    assert repr(found).startswith(f"<Conformance of aimd(1, 0.7): {size} rules: ")
    assert [row[0].text for row in html(found).findall(".//tbody/tr")] == [rule.id for rule in found.rules]
    first, *others = found.rules
    broken = replace(found, rules=(replace(first, result="broken"), *others))
    assert repr(broken).endswith(f"\n breaks {first.id}>")


def test_a_replay() -> None:
    run = st.run(SCENARIO)
    found = st.replay(run.run_id)
    assert repr(found) == f"<Replay of run {run.run_id}: the same results, bit for bit>"
    rows = html(found).findall(".//tbody/tr")
    assert [cell.text for cell in rows[0]] == ["digest", run.digest, run.digest]
    assert "OTHER results" in repr(replace(found, run=replace(run, digest="0")))


def test_a_scenario() -> None:
    scenario = st.load_scenario(Path("examples/two-way-aqm.toml").resolve())
    assert repr(scenario).startswith("<Scenario two-way-aqm.toml: ")
    assert ".data has its tables>" in repr(scenario)


def loaded(law: Path) -> str:
    """How what loading gives shows itself, in a process of its own: no other test sees this law."""
    code = f"import sawtooth as st; print(repr(st.load_plugin({law.name!r})), end='')"
    words = [sys.executable, "-c", code]
    done = subprocess.run(
        words, capture_output=True, text=True, check=True, cwd=law.parent, env=clean_environment()
    )
    return done.stdout


def results(folder: Path) -> dict[str, Any]:
    """What each public function returns, by its name."""
    scenario, study, law = folder / "network.toml", folder / "study.toml", folder / "mine.py"
    scenario.write_text(SCENARIO)
    study.write_text(STUDY)
    law.write_text(LAW)
    run = st.run(SCENARIO)
    return {
        "check_controller": st.check_controller("aimd(1, 0.7)"),
        "cluster": st.cluster(),
        "compare": st.compare(PAIR, scenario=SCENARIO, seeds=1),
        "controller": st.controller,
        "load_plugin": loaded(law),
        "load_scenario": st.load_scenario(scenario),
        "mathematics": st.mathematics("lahanas2003"),
        "plugin_costs": st.plugin_costs(),
        "replay": st.replay(run.run_id),
        "reproduce": st.reproduce(str(study), report=False),
        "run": run,
        "run_many": st.run_many([], None),
        "sweep": st.sweep(SCENARIO, {"path.rtt": ["20 ms"]}, seeds=1),
    }


def test_nothing_that_a_function_returns_fills_the_screen(tmp_path: Path) -> None:
    found = results(tmp_path)
    functions = {name for name in st.__all__ if inspect.isfunction(getattr(st, name))}
    assert functions == found.keys() | ELSEWHERE.keys()
    assert {name: len(repr(result)) for name, result in found.items() if len(repr(result)) >= LONGEST} == {}


@pytest.mark.parametrize(("seeds", "said"), [(1, "1 run, 1 seed>"), (2, "2 runs, 2 seeds>")])
def test_a_sweep_counts_as_a_person_does(seeds: int, said: str) -> None:
    assert repr(st.sweep(SCENARIO, {"path.rtt": ["20 ms"]}, seeds=seeds)).endswith(said)

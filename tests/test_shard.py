"""`--shard i/n`: every run is made by one part, and what the parts made is all that the whole needs."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import SCENARIO, CommandLine

from sawtooth.errors import InputError
from sawtooth.papers.formulas.command import OVERLAY
from sawtooth.papers.further import Request
from sawtooth.papers.reproduce import jobs_of
from sawtooth.run.run import run_id_of
from sawtooth.run.shard import Shard, run_shard
from sawtooth.run.store import Store
from sawtooth.scenario.resolve import resolve
from sawtooth.scenario.scenario import parse_scenario

SHORT = ["--duration", "3 s", "--warmup", "1 s", "--seeds", "2"]
STUDY = """
name = "steps"
title = "Two decreases"

[scenario]
duration = "3 s"
warmup = "1 s"
[scenario.bottleneck]
rate = "8 Mbit/s"
delay = "5 ms"
buffer = "12 packets"
[scenario.path]
rtt = "30 ms"
[[scenario.flows]]
count = 2
start = "uniform 0..0.2 s"

[[algorithm]]
label = "half"
control = "aimd(1, 0.5)"
[[algorithm]]
label = "less"
control = "aimd(1, 0.8)"

[matrix]
settings = ["sack/drop-tail"]
environments = ["sq-high"]
seeds = 2

[[claim]]
id = "less-is-more"
claim = "goodput(less) > goodput(half)"
"""
COMMANDS = {
    "sweep": ["sweep", "s.toml", "--over", "path.rtt=30ms,60ms", "--seeds", "3"],
    "compare": ["compare", "aimd(1, 0.5)", "aimd(1, 0.8)", "--environment", "sq-high", *SHORT],
    "reproduce": ["reproduce", "study.toml"],
}


@pytest.mark.parametrize("text", ["", "0/2", "3/2", "1", "1/0", "a/b", "1/2/3", "-1/2", "01/2", "1.0/2"])
def test_a_part_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="i/n with 1 ≤ i ≤ n"):
        Shard.parse(text)


def test_a_run_is_of_the_part_that_its_id_says() -> None:
    assert [Shard.parse(f"{part}/3").has("0a") for part in (1, 2, 3)] == [False, True, False], "10 mod 3 = 1"
    ids = [f"{number:024x}" for number in range(90, 130)]
    for run_id in ids:
        assert [part for part in range(1, 8) if Shard(part, 7).has(run_id)] == [int(run_id, 16) % 7 + 1]


@pytest.mark.parametrize(
    "command",
    [pytest.param(name, marks=[pytest.mark.long] if name == "reproduce" else []) for name in COMMANDS],
)
def test_parts_are_made_merged_and_judged_as_the_whole(
    command: str, sawtooth: CommandLine, scenario_file: Path, tmp_path: Path
) -> None:
    (tmp_path / "study.toml").write_text(STUDY)
    words = COMMANDS[command]
    whole = sawtooth(*words, "--store", "whole", "--json").json
    parts = [
        sawtooth(*words, "--shard", f"{part}/3", "--store", f"p{part}", "--json").json for part in (1, 2, 3)
    ]
    total = parts[0]["runs_total"]
    assert {part["runs_total"] for part in parts} == {total}
    assert sum(part["runs_mine"] for part in parts) == total == len(Store(tmp_path / "whole").ids())
    for number, part in enumerate(parts, start=1):
        assert part["shard"] == f"{number}/3"
        assert part["runs_done"] == part["executed"] == part["runs_mine"]
        assert all(Shard(number, 3).has(run_id) for run_id in Store(tmp_path / f"p{number}").ids())
    again = sawtooth(*words, "--shard", "1/3", "--store", "p1", "--json").json
    assert (again["executed"], again["runs_done"]) == (0, parts[0]["runs_mine"])
    assert sawtooth("store", "merge", "all", "p1", "p2", "p3").code == 0
    merged = sawtooth(*words, "--store", "all", "--json").json
    assert merged["executed"] == 0
    assert told(merged) == told(whole)


def told(document: Any) -> Any:
    """A document without what differs between making runs and finding them."""
    if isinstance(document, dict):
        return {
            key: told(value) for key, value in document.items() if key not in ("executed", "wall_s", "report")
        }
    return [told(value) for value in document] if isinstance(document, list) else document


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([*COMMANDS["sweep"], "--shard", "4/3"], "--shard"),
        ([*COMMANDS["sweep"], "--shard", "1/3", "--out", "t.csv"], "--out"),
        ([*COMMANDS["compare"], "--shard", "1/3", "--plot", "f.svg"], "--plot"),
        ([*COMMANDS["compare"], "--shard", "1/3", "--csv"], "--csv: expected"),
        (["reproduce", "akella2002", "--shard", "1/3", "--sensitivity"], "--sensitivity"),
        (["reproduce", "akella2002", "--shard", "1/3", "--reconstruct"], "--reconstruct"),
        (["reproduce", "akella2002/fig4", "--shard", "1/3", "--report", "r.html"], "--report"),
        (["reproduce", "reddy2012/mathematics", "--shard", "1/3"], "--shard"),
        (["reproduce", "reddy2012/sliding-window", "--shard", "1/3"], "--shard"),
    ],
)
def test_what_wants_the_whole_is_refused(
    words: list[str], said: str, sawtooth: CommandLine, scenario_file: Path, tmp_path: Path
) -> None:
    done = sawtooth(*words)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert not (tmp_path / ".sawtooth").exists()


def test_parts_of_a_paper_hold_what_it_borrows() -> None:
    """The runs beside a paper's studies are among those of the whole paper alone."""
    figure = {run_id_of(job) for jobs in jobs_of("floyd2000", seeds=2, quick=True)[-1:] for job in jobs}
    assert figure
    alone = {run_id_of(job) for job in OVERLAY.jobs(Request(seeds=2, quick=True))}
    assert figure <= alone


def test_a_part_of_nothing_is_a_store(tmp_path: Path) -> None:
    """So that merging all parts needs no look at which of them are empty."""
    job = resolve(parse_scenario(SCENARIO), 1)
    part = next(Shard(number, 2) for number in (1, 2) if not Shard(number, 2).has(run_id_of(job)))
    found = run_shard([[job, job], [job]], part, Store(tmp_path / "empty"))
    assert (found.total, found.mine, found.done) == (1, 0, 0)
    other = Shard(3 - part.number, 2)
    found = run_shard([[job, job], [job]], other, Store(tmp_path / "full"))
    assert (found.total, found.mine, found.done, found.executed) == (1, 1, 1, 1)
    from sawtooth.run.merge import merge

    merged = merge(Store(tmp_path / "all"), [Store(tmp_path / "empty"), Store(tmp_path / "full")])
    assert merged.added == 1
    shutil.rmtree(tmp_path / "all")

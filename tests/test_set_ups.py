"""The configurations beside each other: what turns, what turns it, which rows are nearer, and what is run."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from tests.fits import fits

from sawtooth.claims.logic import Finding, Verdict
from sawtooth.claims.table import Judged
from sawtooth.experiment.reproduction import Reproduction
from sawtooth.experiment.variation import SIMULATED
from sawtooth.papers import PAPERS
from sawtooth.papers.akella2002.reconstruction.rows import FIGURE, SAME, BlockKey, PrintedRow
from sawtooth.papers.akella2002.set_ups import page
from sawtooth.papers.akella2002.set_ups.perform import Fit, SetUps, turns, verdicts
from sawtooth.papers.akella2002.set_ups.plan import BASE, FEW_SEEDS, alone, plans
from sawtooth.papers.configurations import configurations
from sawtooth.papers.further import Request
from sawtooth.plain import json_value
from sawtooth.report.computed import contents

HOLDS, FAILS, OPEN = Verdict.HOLDS, Verdict.FAILS, Verdict.UNDECIDED
CLAIMS = [claim for claim in PAPERS["akella2002"].claims if claim.kind == SIMULATED][:4]
FIRST, SECOND = configurations("akella2002")


def result(*verdicts: Verdict, printed: Verdict | None = None) -> Reproduction:
    judged = [
        Judged(claim, verdict, Finding("x", verdict), None, (), (), 3, printed)
        for claim, verdict in zip(CLAIMS, verdicts, strict=False)
    ]
    return Reproduction("akella2002", (), judged)


def fit(setting: str, first: float, second: float, printed: float) -> Fit:
    values = [dict.fromkeys(SAME, 0.0) | {"D_goodput": value} for value in (printed, first, second)]
    row = PrintedRow(BlockKey(setting, FIGURE), "AIMD", values[0])
    return Fit(row, values[1], values[2])


def test_a_claim_turns_and_the_value_that_does_it_alone_is_named() -> None:
    base = result(HOLDS, HOLDS, FAILS, OPEN)
    other = result(FAILS, HOLDS, HOLDS, FAILS)
    single = {
        "path.rtt": result(FAILS, FAILS, FAILS, OPEN),
        "tcp.initial_rto": result(HOLDS, HOLDS, FAILS, FAILS),
    }
    found = list(turns(base, other, verdicts(base), single))
    assert [(turn.claim.id, turn.hard, turn.by) for turn in found] == [
        (CLAIMS[0].id, True, ("path.rtt",)),
        (CLAIMS[2].id, True, ()),
        (CLAIMS[3].id, False, ("tcp.initial_rto",)),
    ]


def test_a_value_turns_nothing_that_its_seeds_alone_leave_open() -> None:
    """Few seeds leave the first claim open under the first set-up too; the second is decided by them, until the value comes."""
    base, few, other = result(HOLDS, HOLDS), result(OPEN, HOLDS), result(OPEN, OPEN)
    single = {"path.rtt": result(OPEN, OPEN)}
    assert [turn.by for turn in turns(base, other, verdicts(few), single)] == [(), ("path.rtt",)]


def test_a_claim_of_which_the_runs_say_nothing_does_not_turn() -> None:
    base, other = result(HOLDS), result(FAILS)
    silent = replace(base, judged=[replace(base.judged[0], finding=None)])
    assert list(turns(silent, other, {}, {})) == []
    assert list(turns(base, replace(other, judged=[]), {}, {})) == []


def test_what_is_run_is_both_set_ups_and_every_value_alone() -> None:
    quick = plans(Request(quick=True, seeds=1))
    tried = [value for value in SECOND.value if value.quick]
    assert [name for name, _ in quick] == ["chosen", "faithful", BASE, *(value.key for value in tried)]
    assert {len(studies) for _, studies in quick} == {1}
    full = plans(Request())
    assert [len(studies) for _, studies in full] == [2, 2, 1, *(1 for _ in SECOND.value)]
    assert [len(studies[0].seeds) for _, studies in full] == [
        32,
        32,
        FEW_SEEDS,
        *(FEW_SEEDS for _ in SECOND.value),
    ]
    few = plans(Request(seeds=3))
    assert {len(study.seeds) for _, studies in few for study in studies} == {3}
    for (name, (study, *_)), value in zip(quick[3:], tried, strict=True):
        assert study.value_of(name) == value.value
        others = {key: study.value_of(key) for key in SECOND.values if key != name}
        assert others == {key: quick[0][1][0].value_of(key) for key in others}
    assert alone(FIRST, SECOND.value[0]).values == {SECOND.value[0].key: SECOND.value[0].value}


def test_values_that_act_in_some_cells_alone_share_the_runs_of_the_others() -> None:
    """RED's thresholds make no run behind drop-tail or DRR anew."""
    found = dict(plans(Request(quick=True, seeds=1)))
    scenarios = [
        [json.dumps(planned.scenario, sort_keys=True) for planned in found[name][0].plan()]
        for name in ("chosen", "bottleneck.queue.min", "path.rtt")
    ]
    chosen, red, rtt = scenarios
    same = sum(one == other for one, other in zip(chosen, red, strict=True))
    probes = sum(probe.runs for probe in found["chosen"][0].probe)
    assert same - probes == (len(chosen) - probes) // 2
    assert sum(one == other for one, other in zip(chosen, rtt, strict=True)) == probes


def set_ups(fits: list[Fit], first: Reproduction, second: Reproduction) -> SetUps:
    study = SimpleNamespace(
        seeds=("1", "2"),
        matrix=SimpleNamespace(settings=["reno/droptail"]),
        value_of=lambda key: "60 s" if key == "duration" else "taken",
    )
    part = cast(Any, SimpleNamespace(study=study))
    both = replace(first, parts=(part,)), replace(second, parts=(part,))
    base = verdicts(first)
    found = list(turns(first, second, base, {}))
    return SetUps(FIRST, SECOND, both, found, fits, Request(quick=True), base, runs=12)


def test_the_page_says_what_came_out() -> None:
    found = set_ups(
        [fit("reno/droptail", 1.0, 0.2, 0.1), fit("sack/red", 0.1, 0.9, 0.1)],
        result(HOLDS, HOLDS, FAILS, printed=FAILS),
        result(FAILS, HOLDS, OPEN, printed=FAILS),
    )
    sentences = page.finding(found)
    assert (
        "Of 3 claims that these runs judge, 1 turn between `chosen` and `faithful`, and 1 more"
        in sentences[0]
    )
    assert "1 of the 3 that the paper's own tables decide" in sentences[1]
    assert "nearer in 1 of 2 rows" in sentences[3]
    assert "0 are turned by a single value that was tried; the other 1 by none" in sentences[4]
    made = page.blocks(found)
    assert (
        "2 seeds of 60 s in 1 settings, without the appendix: 12 runs. Not tried alone: `tcp.initial_rto`"
        in made["configurations made"]
    )
    long = replace(found, order=Request())
    cast(Any, long.study).seeds = tuple(map(str, range(32)))
    assert "Values alone are tried in the figures with 5 of these seeds." in page.made_from(long)
    assert (
        made["configurations command"] == "```sh\nsawtooth reproduce akella2002/configurations --quick\n```"
    )
    assert f"| `{CLAIMS[0].id}` | holds | fails | fails | {page.SEVERAL} |" in made["configurations claims"]
    assert "1.00, 0.20 (0.10)" in made["configurations scores"]
    assert page.fit_rows(found)[1][3] == "0 of 1"
    assert page.misfit(found, 0) == pytest.approx(np.log(1.1 / 0.2) / len(SAME) / 2)
    places = contents(
        (Path(__file__).parents[1] / "docs" / "akella2002-configurations.md").read_text("utf-8")
    )
    assert {name for name in places if name.startswith("configurations ")} == set(made)
    assert fits(json_value(found.to_json())) == "configurations"


def test_nothing_that_turns_is_said_too() -> None:
    same = result(HOLDS, FAILS)
    found = set_ups([fit("reno/droptail", 0.1, 0.1, 0.1)], same, same)
    assert page.blocks(found)["configurations claims"] == "None."
    assert found.to_json()["configurations"][0]["verdicts"] == {"holds": 1, "fails": 1, "undecided": 0}

"""The ablation of a configuration: which values a verdict needs, which hide a turn, what is run, and what is said of it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.fits import fits

from sawtooth.claims.logic import Finding, Verdict
from sawtooth.claims.multiplicity import RULE
from sawtooth.claims.table import Judged
from sawtooth.experiment.reproduction import Reproduction
from sawtooth.experiment.study import Study
from sawtooth.experiment.variation import SIMULATED
from sawtooth.papers import PAPERS
from sawtooth.papers.akella2002.set_ups import ablation_page as page
from sawtooth.papers.akella2002.set_ups.ablation import Ablation, ablated
from sawtooth.papers.akella2002.set_ups.plan import FEW_SEEDS, ablation_plans, plans, without
from sawtooth.papers.configurations import Configuration, configurations
from sawtooth.papers.further import Request
from sawtooth.papers.studies import load_study
from sawtooth.plain import json_value
from sawtooth.report.computed import contents

HOLDS, FAILS, OPEN = Verdict.HOLDS, Verdict.FAILS, Verdict.UNDECIDED
CLAIMS = [claim for claim in PAPERS["akella2002"].claims if claim.kind == SIMULATED][:6]
FIRST, SECOND = configurations("akella2002")
RTT, HALF, RIO = "path.rtt", "tcp.timeout_threshold", "environment.average_updates"


def result(*verdicts: Verdict) -> Reproduction:
    judged = [
        Judged(claim, verdict, Finding("x", verdict), None, (), (), 3, FAILS)
        for claim, verdict in zip(CLAIMS, verdicts, strict=False)
    ]
    return Reproduction("akella2002", (), judged)


def example(order: Request) -> Ablation:
    """Six claims: one needs the round trip, one needs nothing, one is decided by the second alone, one stays, the round trip hides the turn
    of one, and one is decided by the first alone."""
    first = result(HOLDS, FAILS, OPEN, HOLDS, HOLDS, FAILS)
    second = result(FAILS, HOLDS, HOLDS, HOLDS, HOLDS, OPEN)
    single = {
        RTT: result(HOLDS, HOLDS, OPEN, HOLDS, FAILS, OPEN),
        HALF: result(OPEN, HOLDS, HOLDS, OPEN, HOLDS, FAILS),
        RIO: second,
    }
    study = SimpleNamespace(seeds=("1", "2"), value_of=lambda key: "60 s" if key == "duration" else "taken")
    misfits = {FIRST.name: 0.7, SECOND.name: 0.5, RTT: 0.8, HALF: 0.45, RIO: 0.5}
    claims = list(ablated(first, second, single))
    return Ablation(FIRST, SECOND, list(single), cast(Any, study), claims, misfits, order, runs=12)


def without_of(found: Ablation) -> Mapping[str, Mapping[str, Verdict]]:
    return {entry.claim.id: entry.without for entry in found.claims}


def test_a_claim_needs_the_values_without_which_it_has_another_verdict() -> None:
    found = example(Request())
    assert [entry.claim for entry in found.turning] == CLAIMS[:2]
    assert [entry.claim for entry in found.needy] == CLAIMS[:1]
    assert without_of(found)[CLAIMS[0].id] == {RTT: HOLDS, HALF: OPEN}
    assert without_of(found)[CLAIMS[1].id] == {}
    assert [entry.claim for entry in found.need(HALF)] == CLAIMS[:1]
    assert found.need(RIO) == []


def test_a_claim_is_in_one_table_at_most() -> None:
    """Decided alike and open without a value is in none: nothing turns there."""
    found = example(Request())
    assert [entry.claim for entry in found.claims if entry.loosens] == [CLAIMS[2], CLAIMS[5]]
    assert [entry.claim for entry in found.undone] == [CLAIMS[5]]
    assert [entry.claim for entry in found.claims if entry.hidden] == [CLAIMS[4]]
    assert without_of(found)[CLAIMS[3].id] == {HALF: OPEN}
    kinds = [[entry.turns, entry.loosens, entry.hidden].count(True) for entry in found.claims]
    assert kinds == [1, 1, 1, 0, 1, 1]


def test_a_claim_of_which_the_runs_say_nothing_is_left_out() -> None:
    first, second = result(HOLDS, HOLDS), result(FAILS)
    silent = replace(first, judged=[replace(first.judged[0], finding=None), first.judged[1]])
    assert list(ablated(silent, second, {})) == []
    assert [entry.without for entry in ablated(first, second, {RTT: result()})] == [{}]


def test_what_is_run_is_both_set_ups_and_the_second_without_each_value() -> None:
    full, quick = dict(ablation_plans(Request())), dict(ablation_plans(Request(quick=True, seeds=1)))
    assert list(full) == [FIRST.name, SECOND.name, *(value.key for value in SECOND.value)]
    assert list(quick)[2:] == [value.key for value in SECOND.value if value.quick]
    assert {len(studies) for studies in full.values()} == {1}
    assert {len(study.seeds) for studies in full.values() for study in studies} == {FEW_SEEDS}
    taken = {name: {key: study.value_of(key) for key in SECOND.values} for name, (study,) in full.items()}
    assert taken[SECOND.name] == SECOND.values
    for value in SECOND.value:
        assert taken[value.key] == SECOND.values | {value.key: taken[FIRST.name][value.key]}
        assert value.key not in without(SECOND, value).values


def test_its_runs_are_those_of_the_comparison_except_the_values_taken_back() -> None:
    """So whoever has run the comparison simulates nothing of the two set-ups again."""

    def scenarios(planned: list[Any]) -> set[str]:
        return {
            json.dumps(run.scenario, sort_keys=True) for _, studies in planned for run in studies[0].plan()
        }

    order = Request(quick=True, seeds=1)
    compared, own = plans(order), ablation_plans(order)
    assert scenarios(own[:2]) <= scenarios(compared)
    assert scenarios(own[2:]) - scenarios(compared)


def test_the_page_says_what_came_out() -> None:
    found = example(Request(quick=True, seeds=2))
    turned, needed, by_value, again, near = page.finding(found)
    assert turned == "Of 6 claims that these runs judge, 2 turn between `chosen` and `faithful`."
    assert "Of these 2 verdicts 1 needs a value of `faithful`" in needed
    assert needed.endswith("Of the other 1 any single value can be taken back.")
    all_need = replace(found, claims=found.needy)
    assert page.finding(all_need)[1].startswith("Each of these verdicts needs a value of `faithful`: without")
    assert by_value == f"Values by how many need them: `{RTT}` 1, `{HALF}` 1; by none: `{RIO}`."
    assert again == (
        "`faithful` leaves 1 claim undecided that `chosen` decides. So many of these are decided after one value is taken back: "
        f"`{HALF}` 1."
    )
    assert "between 0.45 (`tcp.timeout_threshold`) and 0.80 (`path.rtt`)" in near
    made = page.blocks(found)
    assert (
        made["ablation command"].splitlines()[1] == "sawtooth reproduce akella2002/ablation --quick --seeds 2"
    )
    assert "2 seeds of 60 s in the figures" in made["ablation made"]
    assert f"12 runs, judged by the checks of rule {RULE}." in made["ablation made"]
    assert "Not taken back: `path.send_jitter`" in made["ablation made"]
    turned = f"| `{CLAIMS[0].id}` | holds | fails | fails | holds: {RTT}; undecided: {HALF} |"
    assert turned in made["ablation claims"]
    assert f"| `{CLAIMS[1].id}` | fails | holds | fails | none |" in made["ablation claims"]
    assert f"| `{CLAIMS[2].id}` | undecided | holds | fails | undecided: {RTT} |" in made["ablation loosened"]
    assert f"| `{CLAIMS[4].id}` | holds | holds | fails | fails: {RTT} |" in made["ablation hidden"]
    assert f"| `{HALF}` | half | taken | 0 | 1 | 0.45 |" in made["ablation values"]
    places = contents(
        (Path(__file__).parents[1] / "docs" / "akella2002-configurations.md").read_text("utf-8")
    )
    assert set(made) == {name for name in places if name.startswith("ablation ")}
    assert fits(json_value(found.to_json())) == "ablation"


def test_the_sentences_of_the_page_are_those_of_its_tables() -> None:
    text = (Path(__file__).parents[1] / "docs" / "akella2002-configurations.md").read_text("utf-8")
    assert (
        "Three values count most for the claims that turn: the round trip, the timeout and RED's upper threshold."
        in text
    )
    assert "Only the round trip and the timeout bring `faithful` nearer to the printed numbers." in text
    assert "Without any other value the misfit stays within 0.01." in text
    assert (
        "Most claims that `chosen` decides and `faithful` leaves open are decided once the jitter is back."
        in text
    )
    places = contents(text)
    rows = [
        [cell.strip(" `") for cell in line.split("|")[1:-1]]
        for line in places["ablation values"].splitlines()[2:]
    ]
    needed = {key: int(back) + int(loose) for key, _, _, back, loose, _ in rows}
    most = sorted(needed.values(), reverse=True)
    assert {key for key in needed if needed[key] >= most[2]} == {RTT, HALF, "bottleneck.queue.max"}
    said = places["ablation finding"]
    (own,) = re.findall(r"([0-9.]+) under `faithful`", said)
    misfits = {key: float(misfit) for key, *_, misfit in rows}
    nearer = {key for key in misfits if misfits[key] > float(own) + 0.0101}
    assert nearer == {RTT, HALF}
    assert all(abs(misfits[key] - float(own)) < 0.0101 for key in misfits.keys() - nearer)
    undone, again = re.findall(r"leaves (\d+) claims undecided .*: `path.send_jitter` (\d+),", said)[0]
    assert int(again) > int(undone) / 2


def test_nothing_that_needs_a_value_is_said_too() -> None:
    found = replace(example(Request()), claims=[])
    assert page.most_needed(found) == []
    assert len(page.finding(found)) == 2
    assert page.blocks(found)["ablation claims"] == "None."
    assert found.to_json()["values"][0]["needed_by"] == []


def test_short_runs_go_all_the_way_to_a_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through the command's own way, with Figure 4 in runs of seconds: each value taken back is run, and the report names them all."""
    from sawtooth.papers.akella2002.set_ups import plan
    from sawtooth.papers.akella2002.set_ups.command import ABLATION

    def short(order: Request, set_up: Configuration) -> list[Study]:
        study = load_study("akella2002/fig4").seeded(1).varied("duration", "6 s").varied("warmup", "1 s")
        return set_up.applied([study])

    monkeypatch.setattr(plan, "studies_of", short)
    made = ABLATION.reproduce(Request(store=tmp_path, quick=True))
    assert made.runs == made.executed == len({job.run_id for job in ABLATION.jobs(Request(quick=True))})
    assert made.report is not None
    text = made.report.read_text("utf-8")
    assert all(key in text for key in made.keys)
    red = [made.misfits[key] for key in made.keys if key.startswith("bottleneck.queue")]
    assert red == [made.misfits[SECOND.name]] * len(red)
    assert made.misfits[RTT] != made.misfits[SECOND.name]
    again = ABLATION.reproduce(Request(store=tmp_path, quick=True))
    assert again.executed == 0
    assert again.to_json()["claims"] == made.to_json()["claims"]

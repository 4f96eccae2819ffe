"""The test cases of BBR's draft: which hold and which do not, what a trace says, and how they are shown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.conftest import CommandLine
from tests.fits import fits

from sawtooth.claims.logic import Verdict
from sawtooth.errors import InputError
from sawtooth.experiment.typed import Typed
from sawtooth.papers.bbr_draft.case_files import cases
from sawtooth.papers.bbr_draft.checks import DRAFT
from sawtooth.papers.bbr_draft.google import GOOGLE
from sawtooth.papers.bbr_draft.page import blocks, where, write_cases
from sawtooth.papers.bbr_draft.perform import Cases, first_failure, judge, perform, states
from sawtooth.papers.bbr_draft.trace import CaseTrace
from sawtooth.report.computed import contents
from sawtooth.scenario.resolve import resolve
from sawtooth.scenario.scenario import load_scenario

DOCS = Path(__file__).resolve().parents[1] / "docs"
FAILING = {
    "04-drain-time": "with 10 % less bandwidth DRAIN empties the queue before three rounds",
    "06-up-loss-application-limited": "the pseudo-code leaves inflight_longterm alone where samples are application-limited",
    "33-shallow": "STARTUP loses more packets than Google's simulator sees",
}
"""Cases that fail, and why: told as they are."""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cases")


@pytest.fixture(scope="module")
def found(store: Path) -> Cases:
    return perform(store)


def test_the_cases_that_hold_and_those_that_do_not(found: Cases) -> None:
    failing = {outcome.case.name for outcome in found.outcomes if outcome.verdict is Verdict.FAILS}
    assert failing == set(FAILING)
    undecided = {outcome.case.name for outcome in found.outcomes if outcome.verdict is Verdict.UNDECIDED}
    assert not undecided


def test_there_are_the_twenty_two_cases_of_the_draft() -> None:
    numbers = {case.number for case in cases() if case.source == "draft"}
    assert numbers == set(range(1, 23))


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_a_case_has_its_check_and_a_reason_for_every_tolerance(case: object) -> None:
    assert case.check in {**DRAFT, **GOOGLE}  # type: ignore[attr-defined]
    assert all(case.reasons.values())  # type: ignore[attr-defined]


def test_a_step_that_no_trace_shows_has_its_test() -> None:
    rows = [row for case in cases() for row in case.unseen]
    assert {case.number for case in cases() if case.unseen} >= {1, 2, 5, 11, 12, 13, 18, 19}
    for row in rows:
        file, name = where(row)
        assert f"fn {name}()" in (DOCS.parent / file).read_text(encoding="utf-8"), row


def test_every_expectation_has_its_verdict_and_numbers(found: Cases) -> None:
    for outcome in found.outcomes:
        if outcome.finding is not None:
            assert [part.text for part in outcome.finding.operands] == list(outcome.case.expects)
            assert all(part.numbers for part in outcome.finding.operands)


def test_a_wrong_controller_fails() -> None:
    """A BBR that leaves STARTUP late, probes for too short, drains slowly or starts too fast meets none of these cases."""
    from sawtooth.run.api import job_of, scenario_of
    from sawtooth.run.run import execute

    for name, spec in (
        ("01-startup-plateau", "bbr(full_bw_rounds=9)"),
        ("03-drain-inflight", "bbr(drain_pacing_gain=0.8)"),
        ("05-up-plateau", "bbr(full_bw_rounds=2)"),
        ("12-startup-aggregation", "bbr(startup_pacing_gain=5)"),
    ):
        case = next(case for case in cases() if case.name == name)
        run = execute(job_of(scenario_of(case.scenario, {"flows.control": spec})))
        finding, reason = judge(case, run)
        assert reason is None
        assert finding is not None
        assert finding.verdict is Verdict.FAILS, name


def test_a_probe_that_goes_on_later_than_the_tolerance_fails(found: Cases) -> None:
    """The acknowledgement that tells of the duplicate takes half a round trip."""
    outcome = next(outcome for outcome in found.outcomes if outcome.case.number == 19)
    assert outcome.run is not None
    finding, _ = judge(replace(outcome.case, tolerance={"rounds": 0.4}), outcome.run)
    assert finding is not None
    missed = [part.text for part in finding.operands if part.verdict is Verdict.FAILS]
    assert missed == ["the probe goes on"]


def test_rounds_are_round_trips(found: Cases) -> None:
    """In PROBE_CRUISE with a queue of q a round lasts q behind the propagation: it is the round trip that the flow reports."""
    outcome = next(outcome for outcome in found.outcomes if outcome.case.name == "05-up-plateau")
    assert outcome.run is not None
    trace = CaseTrace(outcome.run, states())
    cruise = next(stay for stay in trace.of("probe_bw_cruise") if stay.length > 1.5)
    in_flight = trace.within("in_flight_bytes", cruise.begin + 1.0, cruise.end)
    lasts = float(in_flight.mean()) * 8 / 10e6
    rounds = trace.rounds(cruise.begin + 1.0, cruise.end)
    assert (cruise.length - 1.0) / rounds == pytest.approx(lasts, rel=0.05)


def test_the_page_shows_what_fails_with_its_trace(found: Cases, tmp_path: Path) -> None:
    path = tmp_path / "cases.html"
    write_cases(found, path, Typed(store="st4"))
    page = path.read_text(encoding="utf-8")
    assert "sawtooth reproduce bbr-draft --store st4</code>" in page
    for name in FAILING:
        assert f'id="{name}"' in page
        assert path.with_name(f"cases_{name}.svg").is_file()
    failing = [outcome for outcome in found.outcomes if outcome.case.name in FAILING]
    assert all(first_failure(outcome) for outcome in failing)


def test_the_page_of_the_documentation_is_what_is_found(found: Cases) -> None:
    page = contents((DOCS / "bbr-draft.md").read_text(encoding="utf-8"))
    assert {name: text.strip("\n") for name, text in page.items()} == blocks(found)
    for outcome in found.outcomes:
        if outcome.case.name in FAILING:
            assert first_failure(outcome) in page["bbr-draft failing"]


def test_the_command_prints_what_the_schema_says(found: Cases, store: Path, sawtooth: CommandLine) -> None:
    done = sawtooth("reproduce", "bbr-draft", "--store", store, "--no-report", "--json")
    assert done.code == 0, done.err
    assert fits(done.json) == "bbr-draft"
    assert len(done.json["cases"]) == len(found.outcomes)


def test_the_command_refuses_seeds_and_is_listed(sawtooth: CommandLine, tmp_path: Path) -> None:
    listed = sawtooth("list", "studies", "--json")
    assert "bbr-draft" in listed.out
    refused = sawtooth("reproduce", "bbr-draft", "--seeds", "2")
    assert refused.code == 2


def test_every_case_is_a_scenario_that_can_be_run() -> None:
    for case in cases():
        loaded = load_scenario(DOCS.parent / "studies" / "bbr" / f"{case.name}.toml")
        assert resolve(loaded).engine["flows"], case.name


def test_a_study_is_no_scenario_to_run(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text('[scenario]\nbottleneck = { rate = "1 Mbit/s" }\n')
    with pytest.raises(InputError, match=r"scenario\.flows: .*`sawtooth reproduce`"):
        load_scenario(tmp_path / "study.toml")

"""Open values of the runs that judge claims about random loss: what turns is found, the runs stay those of the study, the command."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.conftest import CommandLine
from tests.fits import fits
from tools.turns import turns

from sawtooth.claims.logic import Verdict
from sawtooth.errors import InputError
from sawtooth.experiment.study import OpenParameter
from sawtooth.experiment.variation import Sensitivity, effective
from sawtooth.papers import PAPERS
from sawtooth.papers.formulas.lending import FLOYD
from sawtooth.papers.formulas.overlay import jobs
from sawtooth.papers.formulas.sensitivity import sensitivity
from sawtooth.papers.formulas.study import OverlayStudy, load_overlay
from sawtooth.plain import json_value
from sawtooth.report.computed import contents
from sawtooth.report.sensitivity import answer, update_page, write_sensitivity
from sawtooth.run.run import run_id_of
from sawtooth.run.store import Store

BOUND, BETTER = "floyd-2-eq1-upper-bound", "floyd-3.1-stochastic-better"


def slow_link() -> OverlayStudy:
    """Few losses over a link that is never full, or one so slow that the rate stays below every formula."""
    whole = load_overlay()
    link = OpenParameter(key="bottleneck.rate", value="1 Gbit/s", plausible=["300 kbit/s"])
    first = OpenParameter(key="flows.start", value="0 s", plausible=["1 s"])
    changes = {
        "probabilities": [0.001, 0.01],
        "epochs": 300,
        "parameter": [*whole.loss.parameter, link, first],
    }
    return whole.model_copy(update={"seeds": 4, "loss": whole.loss.model_copy(update=changes)})


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Where its runs are."""
    return Store(tmp_path_factory.mktemp("varied"))


@pytest.fixture(scope="module")
def varied(store: Store) -> Sensitivity:
    """The small study at a slow link and at another start."""
    return sensitivity(store=store, keys=["bottleneck.rate", "flows.start"], study=slow_link())


def test_a_slow_link_turns_what_a_later_start_does_not(varied: Sensitivity) -> None:
    before = {item.claim.id: effective(item) for item in varied.base.judged}
    assert (set(before), before[BOUND]) == ({BOUND, BETTER}, Verdict.FAILS)
    link, start = varied.variations
    assert [(turn.claim, turn.varied) for turn in link.turns if turn.hard] == [(BOUND, Verdict.HOLDS)]
    assert (start.turned, BOUND in start.unchanged) == (0, True)
    assert set(varied.unstable) == {BOUND}
    assert (varied.seeds, varied.length) == (4, "300 losses")


def test_only_runs_that_the_claims_look_at_are_made(varied: Sensitivity, store: Store) -> None:
    assert varied.executed == 3 * 2 * 4  # values, rates of loss, seeds
    seen: list[tuple[int, int, int]] = []
    again = sensitivity(
        store=store,
        keys=["bottleneck.rate", "flows.start"],
        study=slow_link(),
        progress=lambda *where: seen.append(where),
    )
    assert (again.executed, again.variations) == (0, varied.variations)
    assert seen[-1] == (24, 24, 24)


def test_every_value_is_accepted_and_is_another_run_than_those_behind_the_verdicts_of_the_paper() -> None:
    study = load_overlay().seeded(1)
    taken = {run_id_of(job) for job in FLOYD.jobs(1)}
    assert {run_id_of(job) for job in jobs(study, FLOYD.wanted)} == taken
    for entry in study.loss.parameter:
        assert entry.plausible, entry.key
        for value in entry.plausible:
            other = {run_id_of(job) for job in jobs(study.with_entry(entry, value), FLOYD.wanted)}
            assert len(other) == len(study.loss.probabilities)
            assert not other & taken, (entry.key, value)


def test_its_document_and_what_the_classes_of_claims_take_of_it(varied: Sensitivity) -> None:
    document = json_value(varied.to_json())
    assert fits(document) == "sensitivity"
    assert document["settings"] == document["environments"] == []
    kept = turns(document)
    assert f'claim = "{BOUND}"' in kept
    assert 'parameter = "bottleneck.rate"' in kept
    assert varied.left_out  # so nothing is said to be the same at every value
    assert f'open = [\n    "{BETTER}"\n]' in kept


def test_its_report_and_its_places_on_the_page_of_the_paper(varied: Sensitivity, tmp_path: Path) -> None:
    path = tmp_path / "floyd2000.md"
    path.write_text(
        "<!-- results: sensitivity claims -->\n<!-- end -->\n"
        "<!-- results: mathematics sensitivity claims -->\n<!-- end -->\n"
    )
    update_page(path, varied, PAPERS)
    filled = contents(path.read_text())
    assert BOUND in filled["mathematics sensitivity claims"]
    assert filled["sensitivity claims"] == ""
    write_sensitivity(varied, tmp_path / "s.html")
    report = (tmp_path / "s.html").read_text()
    assert ("Verdicts that turn" in report, "Orders that turn" in report) == (True, False)
    assert "over 4 seeds of 300 losses" in " ".join(answer(varied))


def test_a_key_that_is_not_open_is_named(store: Store) -> None:
    with pytest.raises(InputError, match=r"--parameter = \"tcp.pacing\".*tcp.min_rto"):
        sensitivity(store=store, keys=["tcp.pacing"])


def test_the_command(sawtooth: CommandLine) -> None:
    line = ("reproduce", "mathematics", "--sensitivity", "--quick", "--seeds", "2")
    found = sawtooth(*line, "--parameter", "tcp.initial_rto", "--json", timeout=300)
    assert found.code == 0, found.err
    document = found.json
    assert (document["study"], document["seeds"]) == ("mathematics", 2)
    assert [(entry["key"], entry["value"]) for entry in document["variations"]] == [
        ("tcp.initial_rto", "3 s")
    ]
    assert (
        document["command"]
        == "sawtooth reproduce mathematics --sensitivity --quick --seeds 2 --parameter tcp.initial_rto"
    )
    for option in ("--screen", "--fresh"):
        refused = sawtooth(*line, option)
        assert (refused.code, option in refused.err) == (2, True)

"""Sensitivity: what turns is counted as such, paired by seed; tallies keep numbers and are never mixed up; the command."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from tests.browser import Browser, faults
from tests.fits import fits

from sawtooth.claims.logic import Verdict
from sawtooth.claims.table import Judged
from sawtooth.cli import exit_code
from sawtooth.errors import InputError
from sawtooth.experiment.perform import StudyJobs, perform
from sawtooth.experiment.sensitivity import variations
from sawtooth.experiment.sensitivity import vary as vary_claims
from sawtooth.experiment.study import (
    Algorithm,
    Matrix,
    OpenParameter,
    Probe,
    QuickStudy,
    Setting,
    Study,
    Vary,
)
from sawtooth.experiment.variation import (
    PROMOTED,
    SCREENED,
    Sensitivity,
    Turn,
    Variation,
    mean_shift,
    shift_of,
)
from sawtooth.papers import PAPERS
from sawtooth.papers.reproduce import chosen_studies
from sawtooth.papers.sensitivity import command_line, sensitivity
from sawtooth.papers.studies import load_study
from sawtooth.plain import json_value
from sawtooth.report.computed import contents
from sawtooth.report.sensitivity import (
    answer,
    blocks,
    page,
    sensitivity_figure,
    shift_text,
    update_page,
    write_sensitivity,
)
from sawtooth.run.run import run_id_of
from sawtooth.run.store import Store
from sawtooth.run.tally import Tally, ids_in, metrics_version
from sawtooth.scenario.overrides import parse_override


def small_study() -> Study:
    """A gentle and a greedy law over a small link. More jitter moves little, a deep buffer turns loss round for nobody."""

    def parameter(key: str, value: object, plausible: list[object], **other: object) -> OpenParameter:
        return OpenParameter(key=key, value=value, plausible=plausible, stated="", reason="", **other)  # type: ignore[arg-type]

    return Study(
        name="akella2002/small",
        title="small",
        paper="akella2002",
        scenario={
            "bottleneck": {"rate": "8 Mbit/s", "delay": "2 ms", "buffer": "20 packets"},
            "flows": [{"count": 2, "start": "uniform 0..0.2 s"}],
        },
        parameter=[
            parameter("duration", "4 s", ["4 s", "6 s"]),
            parameter("warmup", "1 s", []),
            parameter("path.rtt", "20 ms", ["400 ms"]),
            parameter("flows.ack", "40 B", ["41 B"]),
            parameter("environment.floor", "0 kbit/s", ["1 kbit/s"], only=["sq-high"]),
        ],
        algorithm=[
            Algorithm(label="slow", control="aimd(1, 0.5)"),
            Algorithm(label="fast", control="aimd(16, 0.9)"),
        ],
        matrix=Matrix(
            settings=[Setting(recovery="sack", router="droptail")], environments=["cons-high"], seeds=3
        ),
        routers={"droptail": {"kind": "drop-tail"}},
        quick=QuickStudy(seeds=3, duration="3 s", warmup="1 s"),
    )


def vary(
    name: str,
    studies: list[Study],
    plain: list[Study],
    home: Store,
    keys: Sequence[str] = (),
    screen: bool = False,
) -> Sensitivity:
    """A sensitivity study with the claims of 2002."""
    return vary_claims(name, studies, plain, PAPERS["akella2002"].claims, home, keys, screen=screen)


def test_every_other_plausible_value_is_varied_once() -> None:
    study = small_study()
    found = [(entry.key, value) for entry, value in variations([study.shortened()], [study])]
    assert found == [
        ("duration", "4 s"),  # plausible, and the study's own length
        ("duration", "6 s"),
        ("path.rtt", "400 ms"),
        ("flows.ack", "41 B"),
        ("environment.floor", "1 kbit/s"),
    ]


def test_an_order_that_turns_is_seen_and_what_acts_nowhere_costs_nothing(tmp_path: Path) -> None:
    study = small_study()
    store = Store(tmp_path)
    found = vary("akella2002/small", [study.shortened()], [study], store)
    rows = {(entry.key, entry.value): entry for entry in found.variations}
    idle = rows["environment.floor", "1 kbit/s"]  # of an environment that is not run
    assert (idle.turned, idle.loosened, len(idle.exchanges), idle.shift) == (0, 0, 0, 0.0)
    shifts = [rows[key].shift for key in (("path.rtt", "400 ms"), ("flows.ack", "41 B"))]
    assert shifts[0] is not None
    assert shifts[1] is not None
    assert shifts[0] > shifts[1]
    # On a long path only the greedy law fills the link: it goes from behind in fairness or loss to ahead in goodput.
    turned = {(x.score, x.metric) for x in rows["path.rtt", "400 ms"].exchanges}
    base = found.base.parts[0].own[0].scores
    for score, metric in turned:
        assert score in ("D", "C")
        assert base.of("slow", metric) is not None
    assert found.ranked[0].key in ("path.rtt", "duration")
    cells = 2 * 3
    assert found.executed == cells * 5  # base and four variations; the idle one is known
    again = vary("akella2002/small", [study.shortened()], [study], store)
    assert again.executed == 0
    assert again.to_json() | {"executed": 0, "wall_s": 0} == found.to_json() | {"executed": 0, "wall_s": 0}
    assert fits(json_value(found.to_json())) == "sensitivity"


def test_only_a_change_between_holds_and_fails_is_a_turn() -> None:
    held, failed, open_ = Verdict.HOLDS, Verdict.FAILS, Verdict.UNDECIDED
    assert Turn("x", held, failed).hard
    assert Turn("x", failed, held).hard
    assert not Turn("x", held, open_).hard


def test_a_key_without_another_value_is_refused(tmp_path: Path) -> None:
    study = small_study()
    with pytest.raises(InputError, match="path"):
        vary("akella2002/small", [study], [study], Store(tmp_path), ["warmup"])
    with pytest.raises(InputError, match="--parameter"):
        sensitivity("akella2002/fig4", store=tmp_path, keys=["path.colour"])


# --- tallies ----------------------------------------------------------------------------------------------------------------


def test_a_tally_gives_the_numbers_of_the_runs_and_makes_each_once(tmp_path: Path) -> None:
    study = small_study()
    whole = perform(study, Store(tmp_path / "whole"))
    jobs = StudyJobs(study)
    tally = Tally(Store(tmp_path / "light"))
    outcomes = tally.outcomes(jobs)
    block = whole.results.blocks["sack/droptail"]
    for outcome, job in zip(outcomes, jobs, strict=True):
        assert outcome.run_id == run_id_of(job)
    goodputs = [outcome.values[0] for outcome in outcomes]
    assert goodputs == block.values["goodput"].ravel().tolist()
    assert tally.executed == len(outcomes)
    later = Tally(Store(tmp_path / "light"))
    np.testing.assert_array_equal([o.values for o in later.outcomes(jobs)], [o.values for o in outcomes])
    assert later.executed == 0
    (file,) = (tmp_path / "light").glob(f"tallies/{metrics_version()}/*/*.parquet")
    file.write_bytes(b"damaged")
    mended = Tally(Store(tmp_path / "light"))
    np.testing.assert_array_equal([o.values for o in mended.outcomes(jobs)], [o.values for o in outcomes])
    assert mended.executed == len(outcomes)


def test_runs_that_other_blocks_have_are_not_made_again(tmp_path: Path) -> None:
    jobs = list(StudyJobs(small_study()))
    store = Store(tmp_path)
    first = Tally(store).outcomes(jobs[:4])
    part = Tally(store)
    assert [o.run_id for o in part.outcomes(jobs[1:3])] == [o.run_id for o in first[1:3]]
    assert part.executed == 0
    more = Tally(store)
    outcomes = more.outcomes([*jobs[2:], *jobs[:1]])
    assert more.executed == len(jobs) - 4
    np.testing.assert_array_equal([outcomes[-1].values], [first[0].values])
    np.testing.assert_array_equal([o.values for o in outcomes[:2]], [o.values for o in first[2:]])
    # The block that was completed is written whole, so that it is found at once.
    sizes = [len(ids_in(file)) for file in tmp_path.glob(f"tallies/{metrics_version()}/*/*.parquet")]
    assert sorted(sizes) == sorted([4, len(jobs) - 1])
    for file in tmp_path.glob("tallies/*/*/*.parquet"):
        file.write_bytes(b"damaged")
    mended = Tally(store)
    np.testing.assert_array_equal([o.values for o in mended.outcomes(jobs[:4])], [o.values for o in first])
    assert mended.executed == 4


# --- command ----------------------------------------------------------------------------------------------------------------


def test_the_command_writes_table_json_and_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    study = small_study()
    found = vary("akella2002/small", [study.shortened()], [study], Store(tmp_path))
    monkeypatch.setattr("sawtooth.papers.sensitivity.sensitivity", lambda *_, **__: found)
    report = tmp_path / "report.html"
    arguments = ["reproduce", "akella2002/fig4", "--sensitivity", "--report", str(report), "--store", "s4"]
    assert exit_code(arguments) == 0
    printed = capfd.readouterr().out
    assert "path.rtt" in printed
    assert ("No verdict turns." in printed) is not bool(found.unstable)
    assert ("Verdicts that turn" in report.read_text()) is bool(found.unstable)
    assert " --store s4</code>" in report.read_text()
    assert report.with_suffix(".svg").is_file()
    assert report.with_suffix(".pdf").is_file()
    assert exit_code([*arguments, "--json"]) == 0
    document = json.loads(capfd.readouterr().out)
    assert document["report"] == str(report)
    assert {row["key"] for row in document["variations"]} >= {"path.rtt", "duration"}


def test_a_study_of_probes_alone_has_no_scores_and_the_seeds_of_its_probes(tmp_path: Path) -> None:
    pair = Vary(
        name="law", key="flows[0].control", values=["aimd(1, 0.5)", "aimd(16, 0.9)"], labels=["slow", "fast"]
    )
    probe = Probe(name="pair", why="", scenario={}, vary=[pair], seeds=5, base=True)
    study = small_study().replaced(matrix=Matrix(settings=[], environments=[]), probe=[probe])
    found = vary("akella2002/small", [study.shortened()], [study], Store(tmp_path), ["path.rtt", "flows.ack"])
    assert found.page == "5 seeds of 4 s"
    assert (
        answer(found)[-1]
        == "This rests on 2 values of 2 open parameters, one at a time, over 3 seeds of 3 s."
    )
    assert [axes.get_title("left") for axes in sensitivity_figure(found).axes] == ["verdicts"]
    heads = blocks(found)["akella2002/small sensitivity parameters"].splitlines()[0]
    assert heads == "| parameter | where | taken | value | verdicts turned (loosened) | unchanged |"
    write_sensitivity(found, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "What each value moves" in page
    assert "Orders that turn" not in page
    assert "Shift" not in page


@pytest.mark.long
def test_its_page_in_a_browser(tmp_path: Path, browser: Browser) -> None:
    study = small_study()
    found = vary("akella2002/small", [study.shortened()], [study], Store(tmp_path))
    write_sensitivity(found, tmp_path / "report.html")
    assert faults(browser, tmp_path / "report.html") == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["akella2002/mathematics", "--sensitivity"], "--sensitivity"),
        (["akella2002/fig4", "--parameter", "path.rtt"], "--parameter"),
        (["akella2002/fig4", "--no-screen"], "--screen"),
        (["akella2002/fig4", "--beside", "akella2002/fig5"], "--beside"),
        (["akella2002", "--sensitivity", "--beside", "akella2002/fig5"], "only for a part of akella2002"),
        (["akella2002/fig4", "--sensitivity", "--beside", "akella2002/fig4"], "akella2002/small-buffers"),
        (["akella2002/fig4", "--sensitivity", "--beside", "akella2002/fig5"], "akella2002/small-buffers"),
        (["akella2002/fig4", "--sensitivity", "--beside", "floyd2000/shares"], "another part of akella2002"),
        (["mathematics", "--sensitivity", "--beside", "akella2002/fig4"], "--beside"),
        (["akella2002/fig4", "--sensitivity", "--fresh"], "--fresh"),
        (["akella2002/fig4", "--combinations", "4"], "--combinations"),
        (["akella2002", "--reconstruct", "--quick"], "--quick"),
        (["akella2002", "--reconstruct", "--budget", "soon"], "--budget"),
    ],
)
def test_options_that_mean_nothing_together_are_refused(
    arguments: list[str], message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(["reproduce", *arguments]) == 2
    assert message in capfd.readouterr().err


def test_a_claim_that_compares_parts_is_judged_where_they_stand_beside_each_other(tmp_path: Path) -> None:
    """Whether fifty flows order the four as ten do: that needs both, and claims of the others are not judged."""
    claim, store = "akella-4-n-flows", Store(tmp_path)
    short: dict[str, object] = {"duration": "3 s", "warmup": "1 s"}
    others = ["akella2002/flows-10", "akella2002/flows-20"]

    def found(beside: Sequence[str]) -> Sensitivity:
        return sensitivity(
            "akella2002/flows-50", 1, store, ["tcp.timeout_threshold"], short, screen=False, beside=beside
        )

    alone, together = found([]), found(others)
    assert claim not in alone.to_json()["complete_claims"]
    assert together.to_json()["complete_claims"] == [claim]
    assert [part.study.name for part in together.base.parts] == ["akella2002/flows-50", *others]
    assert together.executed == 2 * alone.executed
    assert together.command.endswith(" --beside akella2002/flows-10 --beside akella2002/flows-20")


@pytest.mark.long
def test_small_buffers_are_compared_with_whole_ones_where_these_stand_beside_them(tmp_path: Path) -> None:
    found = sensitivity(
        "akella2002/small-buffers",
        1,
        tmp_path,
        ["tcp.timeout_threshold"],
        {"duration": "3 s", "warmup": "1 s"},
        screen=False,
        beside=[f"akella2002/fig{number}" for number in (4, 5, 6, 7)],
    )
    complete = found.to_json()["complete_claims"]
    assert {"akella-4.2.3-fairness-unchanged", "akella-4.2.3-mi-deteriorate"} <= set(complete)
    assert set(complete) == set(found.to_json()["base_verdicts"])


def test_a_first_look_leaves_out_what_moves_nothing_and_judges_the_rest_as_before(tmp_path: Path) -> None:
    study = small_study()
    keys = ["path.rtt", "flows.ack"]
    everything = vary("akella2002/small", [study.shortened()], [study], Store(tmp_path / "all"), keys)
    store = Store(tmp_path / "screened")
    screened = vary("akella2002/small", [study.shortened()], [study], store, keys, screen=True)
    long, byte = (
        next(entry for entry in screened.variations if entry.key == key) for key in ("path.rtt", "flows.ack")
    )
    assert long.move is not None
    assert byte.move is not None
    assert long.move >= PROMOTED > byte.move
    assert long.judged
    assert not byte.judged
    assert (byte.turns, byte.exchanges) == ((), ())
    same = next(entry for entry in everything.variations if entry.key == "path.rtt")
    assert replace(long, move=None) == same
    cells, seeds, values = 2, 3, 2
    assert everything.executed == cells * seeds * (1 + values)
    assert screened.executed == everything.executed - cells * (
        seeds - SCREENED
    )  # one value is left at a look
    again = vary("akella2002/small", [study.shortened()], [study], store, keys, screen=True)
    assert again.executed == 0
    assert again.to_json()["variations"] == screened.to_json()["variations"]
    after = vary("akella2002/small", [study.shortened()], [study], store, keys)
    assert after.executed == cells * (seeds - SCREENED)  # what screening has run is not repeated
    assert after.to_json()["variations"] == everything.to_json()["variations"]


def test_a_first_look_needs_seeds_to_compare_with(tmp_path: Path) -> None:
    study = small_study().shortened().seeded(1)
    with pytest.raises(InputError, match="two seeds"):
        vary("akella2002/small", [study], [study], Store(tmp_path), screen=True)


def test_the_command_is_that_which_was_typed() -> None:
    base = {"duration": "40 s", "tcp.reno_recover_test": False}
    text = command_line("akella2002/fig4", 3, ["path.rtt", "tcp.min_rto"], base, None)
    words = shlex.split(text)
    assert words[:6] == ["sawtooth", "reproduce", "akella2002/fig4", "--sensitivity", "--seeds", "3"]
    assert words[-4:] == ["--parameter", "path.rtt", "--parameter", "tcp.min_rto"]
    assert dict(parse_override(words[place + 1]) for place, w in enumerate(words) if w == "--set") == base
    assert command_line("akella2002", None, [], {}, False).endswith("--sensitivity --no-screen")


def test_places_of_a_page_belong_to_the_paper_or_to_its_part(tmp_path: Path) -> None:
    study = small_study()
    found = vary(
        "akella2002/small", [study.shortened()], [study], Store(tmp_path), ["flows.ack"], screen=True
    )
    found = replace(found, command="sawtooth reproduce akella2002/small --sensitivity --parameter flows.ack")
    part, whole = blocks(found), blocks(replace(found, name="akella2002"))
    assert set(part) == {f"akella2002/small {name}" for name in whole}
    assert f"```sh\n{found.command}\n```" == whole["sensitivity command"]
    assert found.to_json()["left_out"] == ["duration", "path.rtt", "environment.floor"]
    assert "1 of 4 open parameters was varied; the others were not tried." in whole["sensitivity counts"]
    assert "not judged" in whole["sensitivity counts"]
    assert "| `flows.ack` | all | 40 B | 41 B | – | – | – |" in whole["sensitivity parameters"]
    page = tmp_path / "page.md"
    places = ("akella2002/fig4 scores", "sensitivity command", "reddy2012 sensitivity command")
    page.write_text("".join(f"<!-- results: {name} -->\nold\n<!-- end -->\n" for name in places), "utf-8")
    update_page(page, replace(found, name="reddy2012"), PAPERS)
    filled = contents(page.read_text("utf-8"))
    assert filled["sensitivity command"].strip() == "old", "the page is of another paper"
    assert found.command in filled["reddy2012 sensitivity command"]
    update_page(page, replace(found, name="akella2002"), PAPERS)
    assert found.command in contents(page.read_text("utf-8"))["sensitivity command"]


def test_every_open_parameter_of_the_paper_is_varied() -> None:
    """The list of issue 4.6, and that a buffer follows the round trip that is varied."""
    study = load_study("akella2002/fig12")
    keys = {entry.key for entry in study.parameter if any(value != entry.value for value in entry.plausible)}
    assert keys >= {
        "path.rtt",
        "duration",
        "bottleneck.queue.min",
        "bottleneck.queue.max",
        "bottleneck.queue.spacing",
        "environment.average_updates",
        "environment.interval",
        "environment.interarrival",
        "tcp.min_rto",
        "tcp.timer_tick",
        "tcp.window_arithmetic",
        "tcp.reno_recover_test",
        "tcp.slow_start_exit",
        "flows.packet",
        "bottleneck.buffer",
        "environment.cross_load",
        "environment.floor",
        "environment.packets_shape",
    }
    (rtt,) = [entry for entry in study.parameter if entry.key == "path.rtt"]
    assert {"40 ms", "60 ms", "120 ms"} <= set(rtt.plausible)
    assert all(entry.reason and entry.stated for entry in study.parameter)

    def buffer(chosen: Study) -> int:
        job = StudyJobs(chosen, list(islice(chosen.plan(), 1)))[0]
        return int(job.echo["bottleneck"]["buffer_packets"])

    assert buffer(study) == 1500  # 100 Mbit/s x 120 ms / 8000 bit
    assert buffer(study.varied("bottleneck.buffer", "1 bdp")) == 1375  # of the mean, 110 ms
    assert buffer(study.varied("bottleneck.buffer", "0.5 bdp")) == 688  # half of it, rounded half to even
    assert buffer(study.varied("path.rtt", "40 ms")) == round(1.0909 * 500)


def test_a_value_that_the_scenario_refuses_is_left_out_and_named(tmp_path: Path) -> None:
    study = small_study()
    longer = [
        entry.model_copy(update={"plausible": ["2 s", "9 s"]}) if entry.key == "warmup" else entry
        for entry in study.parameter
    ]
    study = study.replaced(parameter=longer)
    found = vary("akella2002/small", [study.shortened()], [study], Store(tmp_path), ["warmup"])
    assert [(entry.key, entry.value) for entry in found.variations] == [("warmup", "2 s")]
    ((key, value, why),) = found.refused
    assert (key, value) == ("warmup", "9 s")
    assert "before the end of the run" in why
    assert found.to_json()["refused"][0]["why"] == why
    assert "warmup = 9 s" in blocks(found)["akella2002/small sensitivity counts"]


def test_a_page_names_the_strongest_values_that_turn_a_claim_and_counts_the_others(tmp_path: Path) -> None:
    study = small_study()
    found = vary("akella2002/small", [study], [study], Store(tmp_path), ["flows.ack"])
    turn = Turn("akella-x", Verdict.HOLDS, Verdict.FAILS)
    turning = [Variation("path.rtt", "", "110 ms", f"{time} ms", [turn], [], 0.0) for time in range(6)]
    for rows, ending in ((turning, "`path.rtt = 3 ms` and 2 more |"), (turning[:4], "`path.rtt = 3 ms` |")):
        text = blocks(replace(found, variations=rows))["akella2002/small sensitivity claims"]
        assert text.splitlines()[-1].endswith(ending)


def test_a_claim_that_is_undecided_is_shown_where_it_is_decided(tmp_path: Path) -> None:
    study = small_study()
    found = vary("akella2002/small", [study], [study], Store(tmp_path), ["flows.ack"])
    claims = [entry for entry in PAPERS["akella2002"].claims if entry.kind == "simulation"][:2]
    judged = [Judged(entry, Verdict.UNDECIDED, None, None, (), (), 3, None) for entry in claims]
    undecided, loosened = (entry.id for entry in claims)
    verdicts = {20: Verdict.HOLDS, 40: Verdict.FAILS, 60: Verdict.HOLDS}
    rows = [
        Variation(
            "path.rtt",
            "",
            "110 ms",
            f"{time} ms",
            [Turn(undecided, Verdict.UNDECIDED, verdict), Turn(loosened, Verdict.HOLDS, Verdict.UNDECIDED)],
            [],
            1.0 / time,
        )
        for time, verdict in verdicts.items()
    ]
    decided = replace(found, base=replace(found.base, judged=judged), variations=rows)
    assert not decided.unstable
    assert decided.to_json()["decided_elsewhere"] == {
        undecided: {"holds": ["path.rtt = 20 ms", "path.rtt = 60 ms"], "fails": ["path.rtt = 40 ms"]}
    }
    assert blocks(decided)["akella2002/small sensitivity undecided"].splitlines()[2:] == [
        f"| `{undecided}` | `path.rtt = 20 ms`, `path.rtt = 60 ms` | `path.rtt = 40 ms` |"
    ]
    assert "undecided" in [section.name for section in page(decided).sections]
    assert "undecided" not in [section.name for section in page(replace(found, variations=[])).sections]


def test_claims_of_which_only_a_part_was_run_are_not_complete(tmp_path: Path) -> None:
    study = small_study()
    found = vary("akella2002/small", [study], [study], Store(tmp_path), ["flows.ack"])
    whole, part = [entry for entry in PAPERS["akella2002"].claims if entry.kind == "simulation"][:2]
    judged = [
        Judged(entry, Verdict.UNDECIDED, None, reason, ("reno/droptail",), ("cons-low",), 3, None)
        for entry, reason in ((whole, None), (part, "it also covers sack/red"))
    ]
    document = replace(found, base=replace(found.base, judged=judged)).to_json()
    assert list(document["base_verdicts"]) == [whole.id, part.id]
    assert document["complete_claims"] == [whole.id]


def test_a_parameter_of_routers_that_a_study_has_not_is_not_varied() -> None:
    (study,) = chosen_studies("akella2002/fig4", quick=True)
    keys = {entry.key for entry, _ in variations([study], [study])}
    assert "tcp.min_rto" in keys
    assert not [key for key in keys if key.startswith("bottleneck.queue.")]
    (study,) = chosen_studies("akella2002/fig6", quick=True)
    assert "bottleneck.queue.spacing" in {entry.key for entry, _ in variations([study], [study])}


def test_only_what_is_decided_twice_is_unchanged_and_an_undefined_score_has_no_shift(tmp_path: Path) -> None:
    study = small_study()
    found = vary("akella2002/small", [study], [study], Store(tmp_path), ["path.rtt", "flows.ack"])
    assert found.page == ""
    for entry in found.variations:
        kept, opened = set(entry.unchanged), set(entry.opened)
        turned = {turn.claim for turn in entry.turns if turn.hard}
        assert not kept & opened
        assert kept | turned <= set(found.decided)
    assert set(found.robust) <= set(found.decided)
    block = found.base.parts[0].own[0]
    values = {**block.values, "goodput": np.full_like(block.values["goodput"], np.nan)}
    undefined = replace(block, values=values)
    assert shift_of(block, undefined, "goodput") is None
    assert shift_of(block, undefined, "loss") == 0.0
    assert (mean_shift([None, None]), mean_shift([None, 0.5]), mean_shift([])) == (None, 0.5, 0.0)
    assert shift_text(None) == "undefined"


def test_a_study_is_varied_over_its_own_seeds_unless_a_look_is_asked_for() -> None:
    base = {"duration": "40 s"}
    assert "--quick" not in command_line("akella2002/fig4", None, [], base, None)
    assert "--sensitivity --quick" in command_line("akella2002/fig4", None, [], base, None, True)

"""Verdicts on fresh seeds and on as many as it takes: `reproduce --confirm`, `--until-decided`, and `compare --until-decided`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import CommandLine
from tests.fits import fits

from sawtooth.claims.logic import Finding, Verdict, both, fact, inequality
from sawtooth.errors import InputError
from sawtooth.experiment.anytime import STUDENT_SEQUENCE
from sawtooth.experiment.reproduction import Reproduction
from sawtooth.experiment.stopping import BATCH, FIRST
from sawtooth.papers import PAPERS
from sawtooth.papers.compare import compare_until_decided
from sawtooth.papers.fresh_seeds import (
    FRESH,
    Confirmation,
    Confirmed,
    SecondLook,
    chosen,
    confirm,
    until_decided,
)
from sawtooth.papers.fresh_seeds_page import seeds_text, sentence, update_page
from sawtooth.papers.markdown import update
from sawtooth.papers.published import Published, published
from sawtooth.papers.reproduce import reproduce, written_decided
from sawtooth.report import computed
from sawtooth.run.used import watching
from sawtooth.scenario.described import describe

STUDY = """
name = "small"
title = "Two windows on one link"
algorithm = [{ label = "gentle", control = "aimd(1, 0.8)" }, { label = "half", control = "aimd(1, 0.5)" }]

[scenario]
duration = "5 s"
warmup = "1 s"
bottleneck = { rate = "4 Mbit/s", buffer = "20 packets" }
path = { rtt = "40 ms", send_jitter = "2 ms" }
flows = [{ count = 2 }]

[matrix]
settings = [{ recovery = "sack", router = "drop-tail" }]
environments = ["cons-low"]
seeds = 3



[[claim]]
id = "delay"
claim = "delay(gentle) > delay(half)"

[[claim]]
id = "same"
claim = "goodput(gentle) < 0.0001"

[[claim]]
id = "open"
claim = "goodput(gentle) > goodput(gentle) by 0.00001 %"
"""

SMALLEST = ("reproduce", "lahanas2003/two-step", "--seeds", "2", "--confirm")
"""A study of a paper that takes a second."""
PAGE = """# A page

<!-- results: {} confirmation -->
<!-- end -->

<!-- results: claims -->
elsewhere
<!-- end -->
"""


def replaced(found: Reproduction, verdicts: Mapping[str, Verdict]) -> Reproduction:
    """With other verdicts, by claim."""
    return replace(found, judged=[replace(item, verdict=verdicts[item.claim.id]) for item in found.judged])


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study of a second: one claim that holds, one that fails."""
    path = tmp_path_factory.mktemp("deciding") / "small.toml"
    path.write_text(STUDY, encoding="utf-8")
    return path


def test_fresh_seeds_are_others_of_the_same_number(study: Path) -> None:
    (old,), (new,) = (chosen(str(study), None, False, None, first) for first in (1, FRESH))
    assert old.seeds == ("1", "2", "3")
    assert new.seeds == tuple(str(FRESH + n) for n in range(3))
    assert new.runs == old.runs


def test_probes_take_fresh_and_further_seeds_too() -> None:
    (study,) = chosen("floyd2000/shares", None, False, None, 1)
    moved = study.starting_at(50)
    seeds = [sorted({int(run.seed) for run in moved.probed(probe)}) for probe in moved.probe]
    assert all(
        found == list(range(50, 50 + probe.seeds)) for found, probe in zip(seeds, study.probe, strict=True)
    )
    assert {probe.seeds for probe in study.extended(25).probe} == {25}


def test_verdicts_then_and_now(study: Path, tmp_path: Path) -> None:
    found = confirm(str(study), store=tmp_path)
    outcomes = {row.then.claim.id: row.outcome for row in found.rows}
    assert outcomes["same"] is SecondLook.CONFIRMED
    assert (found.then.executed, found.now.executed) == (6, 6)
    assert fits(found.to_json()) == "confirmation"
    again = confirm(str(study), store=tmp_path)
    assert again.to_json() == found.to_json() | {"executed": 0}


def test_seeds_that_were_seen_confirm_nothing(study: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a seed beyond the 3 of"):
        confirm(str(study), store=tmp_path, first=3)


def test_seeds_are_added_until_every_claim_is_decided_or_there_are_enough(
    study: Path, tmp_path: Path
) -> None:
    most = FIRST + 2 * BATCH
    found = until_decided(str(study), store=tmp_path, most=most)
    assert found.stopping is not None
    verdicts = {item.claim.id: item for item in found.judged}
    assert verdicts["same"].verdict is Verdict.FAILS
    assert found.stopping.decided_at["same"] == FIRST
    assert set(found.stopping.decided_at) | set(found.stopping.open) == {"delay", "same", "open"}
    assert found.stopping.looks == (3 if found.stopping.open else found.stopping.looks)
    assert found.executed == 2 * len(found.parts[0].results.seeds)
    same = verdicts["same"].finding
    assert same is not None
    assert same.interval is not None
    assert same.interval.method == STUDENT_SEQUENCE
    fits(found.to_json())


def test_the_first_look_is_at_the_seeds_that_are_asked_for(study: Path, tmp_path: Path) -> None:
    found = until_decided(str(study), seeds=6, store=tmp_path, most=6)
    assert found.stopping is not None
    assert (found.stopping.looks, len(found.parts[0].results.seeds)) == (1, 6)
    with pytest.raises(InputError, match="--max-seeds"):
        until_decided(str(study), seeds=6, store=tmp_path, most=5)


def test_a_comparison_goes_on_until_it_is_decided_who_leads(tmp_path: Path) -> None:
    given: dict[str, Any] = {"environments": ["none"], "duration": "6 s", "warmup": "2 s", "store": tmp_path}
    network = {"bottleneck": {"rate": "4 Mbit/s"}, "flows": [{"count": 2}]}
    found = compare_until_decided(
        ["aimd(1, 0.8)", "aimd(1, 0.5)"], scenario=network, most=FIRST + BATCH, **given
    )
    assert found.stopping is not None
    assert found.stopping.decided_at["sack/droptail delay"] == FIRST
    lead = next(lead for lead in found.leads if lead.metric == "delay")
    assert lead.ahead is not None
    assert (lead.leader, lead.ahead.method) == ("aimd(1, 0.5)", STUDENT_SEQUENCE)
    fits(found.to_json())


class Heard:
    """Notes what is said of runs and stages."""

    def __init__(self) -> None:
        self.runs: list[tuple[int, int]] = []
        self.stages: list[tuple[str, int, int]] = []

    def __call__(self, done: int, total: int, stored: int) -> None:
        self.runs.append((done, total))

    def stage(self, name: str, done: int, total: int) -> None:
        self.stages.append((name, done, total))


def test_the_most_that_it_may_take_is_said_from_the_beginning(study: Path, tmp_path: Path) -> None:
    heard = Heard()
    most = FIRST + BATCH
    until_decided(str(study), store=tmp_path, most=most, progress=heard, stages=heard.stage)
    assert {total for _, total in heard.runs} == {2 * most}
    done = [done for done, _ in heard.runs]
    assert done == sorted(done)
    assert heard.stages[0] == ("judging", 0, 3)
    heard = Heard()
    confirm(str(study), store=tmp_path, progress=heard, stages=heard.stage)
    assert heard.stages.count(("judging", 3, 3)) == 2


def test_a_comparison_says_the_most_that_it_may_take(tmp_path: Path) -> None:
    heard = Heard()
    network = {"bottleneck": {"rate": "4 Mbit/s"}, "flows": [{"count": 2}]}
    given: dict[str, Any] = {"environments": ["none"], "duration": "6 s", "warmup": "2 s", "store": tmp_path}
    laws = ["aimd(1, 0.8)", "aimd(1, 0.5)"]
    compare_until_decided(laws, scenario=network, seeds=3, most=4, progress=heard, **given)
    assert {total for _, total in heard.runs} == {8}


def test_the_report_has_a_command_that_makes_it_again(study: Path, tmp_path: Path) -> None:
    given: dict[str, Any] = {"seeds": 3, "most": 4, "first": 7, "store": tmp_path, "plugins": ["mine.py"]}
    found = until_decided(str(study), **given)
    further = f"--until-decided --max-seeds 4 --seeds-from 7 --plugin mine.py --store {tmp_path}"
    assert found.command == f"sawtooth reproduce {study} --seeds 3 {further}"
    assert found.title == "small"
    page = written_decided(found, str(tmp_path), tmp_path / "r.html").report
    assert page is not None
    text = page.read_text()
    assert f'data-replay=" --plugin mine.py --store {tmp_path}"' in text
    assert f"sawtooth store show RUNID --store {tmp_path}</code>" in text


MINE = """
import sawtooth as st

@st.controller
class Mine:
    \"\"\"a window that stays\"\"\"

    name = "mine"

    def __init__(self, numbers, settings):
        pass

    def on_ack(self, ack):
        pass

    def on_congestion(self, signal):
        pass

    def window(self):
        return 4.0
"""


def test_the_page_of_a_comparison_has_the_whole_command(
    sawtooth: CommandLine, scenario_file: Path, tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    given = "compare mine tcp --scenario s.toml --seeds 2 --until-decided --max-seeds 3"
    further = "--plugin mine.py --store st4"
    done = sawtooth(*given.split(), *further.split(), "--report", "r.html", "--table", "raw")
    assert done.code == 0, done.err
    text = (tmp_path / "r.html").read_text()
    assert f">sawtooth {given} {further}</code>" in text
    assert f"<code>sawtooth replay RUNID {further}</code>" in text
    assert "<code>sawtooth store show RUNID --store st4</code>" in text


def test_the_commands(sawtooth: CommandLine, study: Path, tmp_path: Path) -> None:
    store = ("--store", str(tmp_path))
    found = sawtooth("reproduce", str(study), "--confirm", *store)
    assert found.code == 0
    assert "confirmed" in found.out
    document = sawtooth("reproduce", str(study), "--confirm", "--json", *store).json
    assert document["counts"]["contradicted"] == 0
    found = sawtooth("reproduce", str(study), "--until-decided", "--max-seeds", "15", "--json", *store)
    assert (found.code, found.json["until_decided"]["max_seeds"]) == (0, 15)
    assert Path(found.json["report"]).is_file()


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (("--max-seeds", "9"), "only beside --until-decided"),
        (("--seeds-from", "9"), "only beside --confirm"),
        (("--confirm", "--until-decided"), "one of --confirm and --until-decided"),
        (("--confirm", "--fresh"), "no such option beside --confirm"),
        (("--until-decided", "--shard", "1/2"), "no such option beside --shard"),
    ],
)
def test_what_means_nothing_together_is_refused(
    sawtooth: CommandLine, study: Path, arguments: tuple[str, ...], wanted: str
) -> None:
    found = sawtooth("reproduce", str(study), *arguments)
    assert found.code == 2
    assert wanted in found.err


def test_a_page_says_what_became_of_the_verdicts(study: Path, tmp_path: Path) -> None:
    found = replace(confirm(str(study), store=tmp_path), name="small")
    assert isinstance(found.then, Reproduction)
    page = tmp_path / "page.md"
    page.write_text(PAGE.format("small"), encoding="utf-8")
    ids = [row.then.claim.id for row in found.rows]
    then, now = found.then, found.now
    first = replaced(then, dict(zip(ids, (Verdict.HOLDS, Verdict.FAILS, Verdict.UNDECIDED), strict=True)))
    for verdicts, counts, rows in (
        (
            (Verdict.FAILS, Verdict.UNDECIDED, Verdict.HOLDS),
            (
                "0 of 2 decided verdicts are confirmed, 1 is not confirmed and 1 is contradicted. "
                "Of the undecided, 0 stay open and 1 is newly decided"
            ),
            [f"| `{ids[0]}` | holds | fails |", f"| `{ids[1]}` | fails | undecided |"],
        ),
        (
            (Verdict.HOLDS, Verdict.FAILS, Verdict.UNDECIDED),
            (
                "2 of 2 decided verdicts are confirmed, 0 are not confirmed and 0 are contradicted. "
                "Of the undecided, 1 stays open and 0 are newly decided"
            ),
            [],
        ),
    ):
        again = replaced(now, dict(zip(ids, verdicts, strict=True)))
        update_page(page, replace(found, then=first, now=again))
        text = computed.contents(page.read_text(encoding="utf-8"))["small confirmation"]
        assert text.startswith(f"On 3 fresh seeds (10,001 to 10,003) {counts}.\n")
        assert f"```sh\nsawtooth reproduce {study} --confirm\n```" in text
        assert [line for line in text.splitlines() if line.startswith("| `")] == rows
        assert ("| claim | verdict | on fresh seeds |" in text) == bool(rows)


def test_what_no_seed_can_change_is_not_confirmed(study: Path, tmp_path: Path) -> None:
    found = replace(confirm(str(study), store=tmp_path), name="small")
    first = found.then.judged[0]

    def look(then: Finding, now: Finding) -> SecondLook:
        old, new = (replace(first, finding=entry, verdict=entry.verdict) for entry in (then, now))
        return Confirmed(old, new).outcome

    def counted(timeouts: int, run_id: str = "a") -> Finding:
        return both("", [fact("no timeout", timeouts == 0, timeouts=timeouts, run_id=run_id)])

    by_chance = inequality("more than 0", [1.0, 1.5, 1.2], ">")
    assert look(counted(0), counted(0, "b")) is SecondLook.SEEDLESS
    assert look(counted(2), counted(3, "b")) is SecondLook.CONFIRMED, "the seed changed its number"
    assert look(counted(0), counted(1)) is SecondLook.CONTRADICTED
    assert look(by_chance, by_chance) is SecondLook.CONFIRMED
    mixed = both("", [counted(0), by_chance])
    assert look(mixed, mixed) is SecondLook.CONFIRMED, "a part of it has an interval"
    assert look(fact("", True), fact("", True)) is SecondLook.CONFIRMED, "without numbers nobody knows"

    assert isinstance(found.then, Reproduction)
    then, now = (
        replace(side, judged=[replace(first, finding=counted(0), verdict=Verdict.HOLDS), *rest])
        for side, rest in ((found.then, found.then.judged[1:2]), (found.now, found.now.judged[1:2]))
    )
    some = sentence(replace(found, then=then, now=now))
    assert "1 of 1 decided verdict is confirmed, 0 are not confirmed and 0 are contradicted. " in some
    assert (
        f"1 does not depend on the seed and is counted apart: `{first.claim.id}`. None was undecided." in some
    )
    then, now = (replace(side, judged=side.judged[:1]) for side in (then, now))
    assert "no decided verdict could change. 1 does not depend" in sentence(
        replace(found, then=then, now=now)
    )


def test_a_probe_that_draws_nothing_is_independent_of_its_seed(tmp_path: Path) -> None:
    found = confirm("floyd2000/tfrc", quick=True, store=tmp_path)
    assert found.counts()[SecondLook.SEEDLESS] == len(found.rows) == 3


def test_seeds_that_differ_among_the_runs_are_named(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = confirm(str(study), seeds=1, store=tmp_path, first=20)
    assert found.seeds == (1, 1)
    assert seeds_text(found) == "1 fresh seed (20)"
    assert found.command == f"sawtooth reproduce {study} --seeds 1 --confirm --seeds-from 20"
    several = replace(found, first=FRESH)
    monkeypatch.setattr(Confirmation, "seeds", (6, 12))
    assert seeds_text(several) == "6 to 12 fresh seeds (10,001 to 10,012)"


@pytest.mark.long
def test_a_whole_paper_takes_fresh_seeds_for_what_it_borrows(tmp_path: Path) -> None:
    heard: list[tuple[int, int]] = []

    def progress(done: int, total: int, _: int) -> None:
        heard.append((done, total))

    found = confirm("floyd2000", seeds=1, quick=True, store=tmp_path, progress=progress)
    assert isinstance(found.then, Reproduction)
    assert found.then.borrowed is not None
    assert found.now.borrowed is not None
    assert not set(found.then.borrowed.run_ids) & set(found.now.borrowed.run_ids)
    borrowed = {item.claim.id for item in found.now.borrowed.judged}
    assert borrowed <= {row.then.claim.id for row in found.rows}
    assert heard[-1] == (found.then.executed + found.now.executed,) * 2


def test_the_command_fills_its_place_and_says_what_it_rests_on(sawtooth: CommandLine, tmp_path: Path) -> None:
    (tmp_path / computed.FILE).write_text("", encoding="utf-8")
    page = tmp_path / "page.md"
    page.write_text(PAGE.format("lahanas2003/two-step"), encoding="utf-8")
    done = sawtooth(*SMALLEST, "--markdown", page, "--store", tmp_path / "store")
    assert done.code == 0, done.err
    text = page.read_text(encoding="utf-8")
    assert "On 2 fresh seeds (10,001 to 10,002) " in text
    assert ". None was undecided.\n" in text
    assert "\nsawtooth reproduce lahanas2003/two-step --seeds 2 --confirm\n" in text
    assert text.endswith("elsewhere\n<!-- end -->\n")
    now = describe()["behaviour"]
    left = list(computed.faults(tmp_path / computed.FILE, [page], now))
    assert [fault.block for fault in left] == ["claims"]
    moved = {name: number + 1 for name, number in now.items()}
    stale = [fault.block for fault in computed.faults(tmp_path / computed.FILE, [page], moved) if fault.stale]
    assert stale == ["lahanas2003/two-step confirmation"]


@pytest.mark.parametrize(
    ("options", "text", "said"),
    [
        (("--confirm",), PAGE.format("lahanas2003/gain"), "NAME one of lahanas2003/two-step confirmation"),
        (("--confirm",), "no place\n", "expected a block"),
        (("--confirm", "--quick"), PAGE.format("lahanas2003/two-step"), "as it stands"),
        (("--until-decided",), PAGE.format("lahanas2003/two-step"), "no such option beside --until-decided"),
    ],
)
def test_a_page_that_fresh_seeds_cannot_fill_is_refused_before_any_run(
    sawtooth: CommandLine,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, ...],
    text: str,
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)  # a message shortens a long path
    Path("page.md").write_text(text, encoding="utf-8")
    found = sawtooth("reproduce", "lahanas2003/two-step", *options, "--markdown", "page.md", "--store", "st")
    assert found.code == 2
    assert said in found.err
    assert not Path("st").exists()


def test_a_file_of_the_users_own_fills_no_page(sawtooth: CommandLine, study: Path, tmp_path: Path) -> None:
    found = sawtooth("reproduce", str(study), "--confirm", "--markdown", tmp_path / "page.md")
    assert found.code == 2
    assert "no such option for a study file" in found.err


QUICKEST = "floyd2000/transients"
"""A study of a paper with two claims, of which its runs alone decide one; five seconds for both looks."""
ITS_PAGE = f"""# A page

<!-- results: {QUICKEST} confirmation -->
<!-- end -->

<!-- results: {QUICKEST} verdicts -->
<!-- end -->

<!-- results: claims -->
<!-- end -->
"""
DECIDED = "floyd-5.1-tfrc-like-eighth"


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a page that a study has filled, and its runs."""
    folder = tmp_path_factory.mktemp("told")
    (folder / computed.FILE).write_text('["another.md"]\n"claims" = "00000000 core=0"\n', encoding="utf-8")
    page = folder / "page.md"
    page.write_text(ITS_PAGE, encoding="utf-8")
    with watching():
        update(page, reproduce(QUICKEST, store=folder / "store", report=False))
    return folder


def test_a_page_stands_for_the_seeds_of_the_study(told: Path) -> None:
    page = told / "page.md"
    both_run = confirm(QUICKEST, store=told / "store")
    found = confirm(QUICKEST, store=told / "store", page=page)
    (row,) = found.rows
    assert (row.then.claim.id, row.then.seeds, row.outcome) == (DECIDED, 10, SecondLook.CONFIRMED)
    same = next(other for other in both_run.rows if other.then.claim.id == DECIDED)
    assert (row.then.verdict, row.now.verdict) == (same.then.verdict, same.now.verdict)
    assert found.left_out == []
    document = found.to_json()
    assert fits(document) == "confirmation"
    assert document["page"] == str(page)
    assert found.command == f"sawtooth reproduce {QUICKEST} --confirm --verdicts {page}"


def test_beside_a_page_fresh_seeds_alone_are_run(told: Path, tmp_path: Path) -> None:
    heard = Heard()
    found = confirm(QUICKEST, store=tmp_path, page=told / "page.md", progress=heard)
    assert found.to_json()["executed"] == found.now.executed == 110
    assert {total for _, total in heard.runs} == {110}


def test_a_verdict_by_a_check_that_has_changed_is_left_out(told: Path) -> None:
    paper = PAPERS["floyd2000"]
    later = tuple(
        entry.model_copy(update={"since": 99}) if entry.id == DECIDED else entry for entry in paper.claims
    )
    assert published(told / "page.md", paper.name, paper.claims).judged[0].claim.id == DECIDED
    with pytest.raises(
        InputError, match="verdicts on claims of floyd2000 about runs, by their checks of today"
    ):
        published(told / "page.md", paper.name, later)
    found = confirm(QUICKEST, store=told / "store", page=told / "page.md")
    assert isinstance(found.then, Published)
    facts = both("", [fact("no timeout", True, timeouts=0)])
    alone = [replace(item, finding=facts) for item in found.now.judged if item.claim.id == DECIDED]
    assert f". 1 rests on facts alone and is counted apart: `{DECIDED}`. None was undecided." in sentence(
        replace(found, now=replace(found.now, judged=alone))
    )
    nothing = replace(found, then=replace(found.then, judged=[]))
    assert (nothing.rows, nothing.left_out) == ([], [DECIDED])
    assert sentence(nothing).endswith(
        f" 1 is left out, since no verdict by the check of today stands on the page: `{DECIDED}`."
    )


def test_no_page_stands_for_a_file_of_the_users_own(study: Path, told: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such option for a study file"):
        confirm(str(study), store=tmp_path, page=told / "page.md")


def test_a_page_that_another_engine_made_is_no_witness(told: Path, tmp_path: Path) -> None:
    page, lines = tmp_path / "page.md", tmp_path / computed.FILE
    page.write_text((told / "page.md").read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(InputError, match="nothing says what it rests on"):
        published(page, "floyd2000", PAPERS["floyd2000"].claims)
    made = (told / computed.FILE).read_text(encoding="utf-8")
    lines.write_text(made.replace("core=", "core=9"), encoding="utf-8")
    with pytest.raises(InputError, match="behaviour has changed: core"):
        published(page, "floyd2000", PAPERS["floyd2000"].claims)
    lines.write_text(made, encoding="utf-8")
    page.write_text(page.read_text(encoding="utf-8").replace("| holds |", "| fails |"), encoding="utf-8")
    with pytest.raises(InputError, match="its text is not what was computed"):
        published(page, "floyd2000", PAPERS["floyd2000"].claims)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--verdicts", "page.md"), "only beside --confirm"),
        (("--confirm", "--verdicts", "page.md", "--seeds", "3"), "no such option beside --verdicts"),
        (("--confirm", "--verdicts", "page.md", "--quick"), "no such option beside --verdicts"),
        (("--confirm", "--verdicts", "none.md"), "a readable page (No such file or directory)"),
        (("--confirm", "--verdicts", "plain.md"), "NAME one of claims"),
    ],
)
def test_what_cannot_stand_for_the_seeds_of_a_study_is_refused(
    sawtooth: CommandLine,
    told: Path,
    tmp_path: Path,
    options: tuple[str, ...],
    said: str,
) -> None:
    (told / "plain.md").write_text("no table\n", encoding="utf-8")
    words = [told / word if word.endswith(".md") else word for word in options]
    found = sawtooth("reproduce", QUICKEST, *words, "--store", tmp_path / "another")
    assert found.code == 2
    assert said in found.err
    assert not (tmp_path / "another").exists()


def test_the_command_takes_verdicts_from_a_page(sawtooth: CommandLine, told: Path) -> None:
    page, given = told / "page.md", ("--confirm", "--verdicts", told / "page.md", "--store", told / "store")
    done = sawtooth("reproduce", QUICKEST, *given, "--markdown", page)
    assert done.code == 0, done.err
    assert f"then: as {page} has it" in " ".join(done.out.split())
    text = computed.contents(page.read_text(encoding="utf-8"))[f"{QUICKEST} confirmation"]
    assert "1 of 1 decided verdict is confirmed" in text
    assert f"--confirm --verdicts {page}\n" in text

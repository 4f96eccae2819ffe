"""Verdicts on fresh seeds and on as many as it takes: `reproduce --confirm`, `--until-decided`, and `compare --until-decided`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.conftest import CommandLine
from tests.fits import fits

from sawtooth.claims.logic import Verdict
from sawtooth.errors import InputError
from sawtooth.experiment.anytime import STUDENT_SEQUENCE
from sawtooth.experiment.stopping import BATCH, FIRST
from sawtooth.papers.compare import compare_until_decided
from sawtooth.papers.fresh_seeds import FRESH, SecondLook, chosen, confirm, until_decided
from sawtooth.papers.reproduce import written_decided

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

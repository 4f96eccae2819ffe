"""docs/studies.md, followed: its blocks are added to one file as it says, and each command is run where it stands."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from tests.browser import Browser, faults
from tests.conftest import CommandLine

from sawtooth.experiment.own_study import read_own

ROOT = Path(__file__).resolve().parents[1]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGE = (ROOT / "docs" / "studies.md").read_text(encoding="utf-8")


@pytest.mark.long
def test_the_guide_can_be_followed(
    sawtooth: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    study, said = tmp_path / "gain.toml", []
    for language, text in FENCE.findall(PAGE):
        if language == "toml":
            with open(study, "a", encoding="utf-8") as file:
                file.write(text + "\n")
        elif language == "sh":
            for line in text.splitlines():
                done = sawtooth(*shlex.split(line)[1:], timeout=120)
                assert done.code == 0, done.err
                said.append(done)
    first, judged, swept = said
    assert "40 of 40 runs simulated" in first.err
    assert "claims" not in first.out
    assert "simulated" not in judged.err  # as the page says: the verdicts are new, the runs are not
    claims = read_own(study).claims
    assert len(claims) == PAGE.count("[[claim]]\nid")
    assert all(f"\n{entry.id}: " in judged.out for entry in claims)
    assert "delay(aimd(1, 0.8), sack/drop-tail), ms = " in judged.out  # numbers with their unit
    assert "5 claims: " in judged.out
    assert len((tmp_path / "sweep.csv").read_text().splitlines()) == 1 + 2 * 2 * 3
    assert "12 of 12 runs simulated" in swept.err


def test_the_file_to_start_from_runs_as_it_stands(
    sawtooth: CommandLine, tmp_path: Path, browser: Browser
) -> None:
    made = sawtooth("new", "study", "mine.toml")
    assert made.code == 0
    command = made.out.partition("run it: ")[2].split()[1:]
    assert command == ["reproduce", "mine.toml", "--quick"]
    written = (tmp_path / "mine.toml").read_text()
    assert "sawtooth reproduce mine.toml" in written
    document = sawtooth(*command, "--json").json
    own = read_own(tmp_path / "mine.toml")
    assert [entry["id"] for entry in document["claims"]] == [entry.id for entry in own.claims]
    assert document["runs"] == document["executed"] == own.study.shortened().runs
    assert faults(browser, tmp_path / document["report"]) == []


def test_a_file_that_exists_is_left_alone(sawtooth: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text("mine")
    refused = sawtooth("new", "study")
    assert refused.code == 2
    assert 'FILE.toml = "study.toml"' in refused.err
    assert (tmp_path / "study.toml").read_text() == "mine"
    assert sawtooth("new", "study", "study.csv").code == 2


def test_an_empty_environment_is_refused_where_the_scenario_has_none(
    sawtooth: CommandLine, tmp_path: Path
) -> None:
    """It ended with a KeyError, exit 70."""
    assert sawtooth("new", "study", "mine.toml").code == 0
    path = tmp_path / "mine.toml"
    text = path.read_text().partition("[[claim]]")[0]
    text = re.sub(r"(?m)^environments = .*$", 'environments = ["calm"]', text)
    path.write_text(text + "\n[environments.calm]\n")
    refused = sawtooth("reproduce", "mine.toml", "--quick")
    assert refused.code == 2, refused.err
    assert 'mine.toml: environments.calm = "{}": expected a table such as { kind = "sq-high" }' in refused.err

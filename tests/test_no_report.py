"""`--no-report` writes no report, whatever is reproduced; and what judges and draws says so while it does."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest
from tests.conftest import CommandLine

from sawtooth import progress as shown
from sawtooth.experiment.typed import Typed
from sawtooth.papers.catalogue import further
from sawtooth.papers.further import Request

STUDY = """
name = "mine"
title = "Mine"

[scenario]
duration = "4 s"
warmup = "1 s"
bottleneck = { rate = "8 Mbit/s", buffer = "20 packets" }
path = { rtt = "30 ms" }

[[scenario.flows]]
count = 2

[[algorithm]]
label = "AIMD"
control = "aimd(1, 0.5)"

[[algorithm]]
label = "CUBIC"
control = "cubic"

[matrix]
settings = [{ recovery = "sack", router = "droptail" }]
environments = ["cons-low"]
seeds = 2
"""


@pytest.mark.parametrize(
    "name",
    ["reddy2012/mathematics", pytest.param("reddy2012/sliding-window", marks=pytest.mark.long), "mine.toml"],
)
def test_no_report_is_written(name: str, sawtooth: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(STUDY)
    quick = ["--quick"] if "sliding" in name else []
    ended = sawtooth("reproduce", name, *quick, "--store", "s", "--no-report", "--json")
    assert ended.code == 0, ended.err
    assert ended.json["report"] is None
    assert not list(tmp_path.rglob("*.html"))
    shown = sawtooth("reproduce", name, *quick, "--store", "s", "--no-report")
    assert (shown.code, "report:" in shown.err) == (0, False)
    assert not list(tmp_path.rglob("*.html"))


@pytest.mark.parametrize("beside", [["--report", "x.html"], ["--shard", "1/2"]])
def test_no_report_and_what_contradicts_it(beside: list[str], sawtooth: CommandLine) -> None:
    ended = sawtooth("reproduce", "akella2002/fig4", "--quick", "--no-report", *beside)
    assert ended.code == 2
    assert "no such option beside --" in ended.err


def test_a_report_is_a_page(sawtooth: CommandLine) -> None:
    ended = sawtooth("reproduce", "akella2002/fig4", "--quick", "--report", "x.txt")
    assert (ended.code, ended.out) == (2, "")
    assert 'reproduce: --report = "x.txt": expected a file name that ends in .html' in ended.err


class Heard:
    """A bar that notes the stages."""

    def __init__(self) -> None:
        self.stages: list[tuple[str, int, int]] = []

    def __call__(self, done: int, total: int, stored: int) -> None:
        pass

    def stage(self, name: str, done: int, total: int) -> None:
        self.stages.append((name, done, total))

    def workers(self, count: int) -> None:
        pass


def test_judging_and_drawing_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bar = Heard()
    monkeypatch.setattr(shown, "_shown", [bar])
    found = further("reddy2012/sliding-window")
    assert found is not None
    found.reproduce(Request(store=tmp_path, report=tmp_path / "r.html", quick=True))
    assert bar.stages == [("judging", 0, 1), ("judging", 1, 1), ("drawing", 0, 1), ("drawing", 1, 1)]


@dataclass(frozen=True)
class Written:
    """What a further study gives, as far as its report matters."""

    report: Path | None = None


@pytest.mark.parametrize(
    ("asked", "file"), [(None, "reports/x.html"), (Path("y.html"), "y.html"), (False, None)]
)
def test_a_report_goes_where_it_was_asked_for(
    asked: Path | Literal[False] | None, file: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The two configurations of 2002 wrote a report beside ``--no-report``."""
    monkeypatch.chdir(tmp_path)
    written: list[Path] = []
    order = Request(store=Path(), report=asked)
    assert order.typed == Typed(store=".")
    made = order.reported(Written(), "x", lambda found, path, typed: written.append(path))
    assert written == ([] if file is None else [Path(file)])
    assert made.report == (None if file is None else Path(file))

"""`sawtooth examples` and what `sawtooth demo` says before and after its runs."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import CommandLine
from tests.stock import ROOT

from sawtooth.cli.demo import introduction
from sawtooth.papers import DEMO
from sawtooth.papers.reproduce import chosen_studies

SOURCES = sorted([*(ROOT / "examples").glob("*.toml"), *(ROOT / "examples").glob("*.ipynb")])


def test_every_example_is_copied_and_named_with_what_it_shows(sawtooth: CommandLine, tmp_path: Path) -> None:
    ended = sawtooth("examples")
    assert ended.code == 0
    assert [line.split()[0] for line in ended.out.splitlines()] == [
        f"examples/{path.name}" for path in SOURCES
    ]
    assert all(len(line.split()) > 4 for line in ended.out.splitlines())
    for path in SOURCES:
        assert (tmp_path / "examples" / path.name).read_bytes() == path.read_bytes()


def test_copies_that_are_as_they_were_may_be_copied_again(sawtooth: CommandLine) -> None:
    assert sawtooth("examples", "mine").code == 0
    assert sawtooth("examples", "mine").code == 0


def test_a_changed_copy_is_left_alone_and_so_are_the_others(sawtooth: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples" / "one-flow.toml").write_text("mine")
    ended = sawtooth("examples")
    assert (ended.code, ended.out) == (2, "")
    assert "one-flow.toml" in ended.err
    assert [path.name for path in (tmp_path / "examples").iterdir()] == ["one-flow.toml"]


def test_a_place_that_is_no_directory_is_refused(sawtooth: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "examples").write_text("a file")
    ended = sawtooth("examples")
    assert ended.code == 2
    assert len(ended.err.splitlines()) <= 3
    assert "Traceback" not in ended.err


def test_the_demo_says_what_it_will_do() -> None:
    (study,) = chosen_studies(DEMO, quick=True)
    said = introduction(study)
    assert f"{study.runs} runs" in said
    assert all(entry.control in said for entry in study.algorithm)
    assert f"{len(study.matrix.environments)} environments" in said

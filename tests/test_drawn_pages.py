"""Pages of a paper that are drawn already stay; what they are made of is told by a hash that is the same in every process."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.conftest import clean_environment
from tests.test_reproduce import small

from sawtooth.experiment.comparison import Comparison
from sawtooth.papers.reproduce import perform_parts
from sawtooth.report import pages, write
from sawtooth.report.drawn import DrawnPages, made_of
from sawtooth.report.fingerprint import fingerprint
from sawtooth.run.store import Store


@dataclass(frozen=True)
class Value:
    """Something with parts."""

    name: str
    numbers: tuple[float, ...]


def test_equal_values_have_one_fingerprint_and_others_another() -> None:
    table = pa.table({"a": [1, 2]})
    values = [
        None,
        0,
        False,
        0.0,
        "0",
        ["0"],
        ("0",),
        {"a": 1, "b": 2},
        {"b": 2, "a": 1},
        {"a", "b"},
        np.array([1, 2]),
        np.array([1.0, 2.0]),
        np.array([[1, 2]]),
        table,
        table.rename_columns(["b"]),
        Path("a"),
        Value("a", (1.0,)),
        Value("a", (1.0, 2.0)),
        partial(max, 1),
        partial(max, 2),
        Value,
        Value("a", ()).__repr__,
        cache(test_equal_values_have_one_fingerprint_and_others_another),
        test_equal_values_have_one_fingerprint_and_others_another,
    ]
    prints = [fingerprint(value) for value in values]
    assert len(set(prints)) == len(values)
    assert fingerprint(Value("a", (1.0,))) == fingerprint(Value("a", tuple(float(digit) for digit in "1")))
    assert fingerprint({"b", "a"}) == fingerprint({"a", "b"})
    with pytest.raises(TypeError, match=r"builtins\.object has no known parts"):
        fingerprint([object()])


def test_a_fingerprint_is_the_same_in_every_process() -> None:
    code = "from sawtooth.report.fingerprint import fingerprint; print(fingerprint({*'abcdefgh'}))"
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=clean_environment() | {"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert found == {fingerprint(set("hgfedcba")) + "\n"}


def test_a_page_that_stands_there_as_it_would_be_drawn_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    studies = [small("reddy2012", True).seeded(1), small("a/1", False).seeded(1)]
    store = Store(tmp_path / "store")
    path, notes = tmp_path / "pages" / "reddy2012.html", tmp_path / "notes"
    drawn: list[str] = []

    def counted(comparison: Comparison, target: Path, _: tuple[str, str] | None) -> list[Path]:
        """A page in no time; that a page drawn twice has the same bytes is a test of reports."""
        drawn.append(target.name)
        files = [target, target.with_name(f"{target.stem}_figure.svg")]
        target.parent.mkdir(exist_ok=True)
        for file in files:
            file.write_text(comparison.study.name)
        return files

    monkeypatch.setattr(write, "write_report", counted)

    def written() -> tuple[list[str], dict[str, bytes]]:
        drawn.clear()
        found = perform_parts("reddy2012", studies, store)  # first simulated, then read
        pages.write_reproduction(found, path, notes=notes)
        return sorted(drawn), {file.name: file.read_bytes() for file in path.parent.iterdir()}

    both = ["reddy2012_1.html", "reddy2012_figures.html"]
    names, first = written()
    assert names == both
    assert written() == ([], first)
    (figure,) = path.parent.glob("reddy2012_1_*.svg")
    figure.write_text("changed")
    assert written() == (both[:1], first)
    figure.unlink()
    assert written() == (both[:1], first)
    monkeypatch.setattr("sawtooth.report.drawn.program", lambda: "another version")
    assert written() == (both, first)
    for note in notes.iterdir():
        note.write_text("{")
    assert written() == (both, first)


def test_a_page_with_other_numbers_or_of_another_paper_is_another(tmp_path: Path) -> None:
    (part,) = perform_parts("reddy2012", [small("reddy2012", True).seeded(1)], Store(tmp_path)).parts
    page = write.PlannedPage(part, tmp_path / "page.html")
    again = replace(page, comparison=replace(part, executed=3, wall_s=9.0))
    assert made_of(again) == made_of(page)
    others = [
        replace(page, up=("up.html", "paper")),
        replace(page, comparison=replace(part, quick=not part.quick)),
        replace(page, comparison=replace(part, command="another command")),
    ]
    assert len({made_of(other) for other in (page, *others)}) == 4
    assert not DrawnPages(None).has(page)

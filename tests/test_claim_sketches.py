"""`sawtooth claims`: every claim stands beside what judges it, and the inequalities are those of the check itself."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest

from sawtooth.papers import PAPERS
from sawtooth.papers.sketches import sketches

if TYPE_CHECKING:
    from tests.conftest import CommandLine

    from sawtooth.claims.sketch import Sketch


@cache
def of(paper: str) -> dict[str, Sketch]:
    """Every claim of a paper, by its id; made once for all tests, and not while they are collected."""
    return {entry.claim.id: entry for entry in sketches(PAPERS[paper])}


def test_every_claim_is_sketched_once_and_in_order() -> None:
    assert list(of("akella2002")) == [claim.id for claim in PAPERS["akella2002"].claims]


def test_an_inequality_names_its_cells_and_its_bound() -> None:
    sketch = of("akella2002")["akella-abs-aiad-always-among-best"]
    bound = sketch.tolerances["goodput_among_best"].value
    settings = sketch.claim.settings
    wanted = {
        f"D_goodput(AIAD) - D_goodput({other}), {setting} <= {bound:g}"
        for other in ("AIMD", "MIMD", "MIAD")
        for setting in settings
    }
    assert set(sketch.inequalities) == wanted
    assert {f"D of goodput: AIAD, {setting}" for setting in settings} <= set(sketch.cells)


def test_a_claim_on_runs_says_at_least_what_it_reads() -> None:
    for entry in of("akella2002").values():
        if entry.claim.kind == "simulation" and entry.claim.check is not None:
            assert entry.words, entry.claim.id
            assert entry.cells or entry.probes or entry.inequalities, entry.claim.id


@pytest.mark.parametrize("paper", ["akella2002", "floyd2000", "lahanas2003", "reddy2012"])
def test_every_check_writes_down_its_inequalities(paper: str) -> None:
    empty = [entry.claim.id for entry in of(paper).values() if entry.claim.check and not entry.inequalities]
    assert not empty


def test_an_inequality_on_a_probe_names_its_runs() -> None:
    (entry,) = sketches(PAPERS["lahanas2003"], ["lahanas-fig8-fairness"])
    assert entry.probes == ("stationary",)
    assert "Jain's index of FC less AIMD, 2 flows > 0" in entry.inequalities
    cell = "jain 0..60 s: stationary, router droptail, buffer one way, flows 2, algorithm"
    assert {f"{cell} FC", f"{cell} AIMD"} <= set(entry.cells)


def test_an_inequality_on_runs_of_the_mathematics_names_them() -> None:
    (entry,) = sketches(PAPERS["floyd2000"], ["floyd-2-eq1-upper-bound"])
    assert entry.probes == ("random-loss",)
    assert all(inequality.endswith("<= 1") for inequality in entry.inequalities)
    assert "event rate: random-loss, p 0.01, control tcp(1, 0.5)" in entry.cells


def test_a_claim_of_mathematics_shows_what_it_computes() -> None:
    (entry,) = sketches(PAPERS["floyd2000"], ["floyd-1-def-aimd-ab"])
    assert entry.inequalities == ("40 packets become 40.2", "and 35 on a loss event")
    assert not entry.cells


def test_the_command_shows_one_claim_whole(sawtooth: CommandLine) -> None:
    text = sawtooth("claims", "akella2002", "akella-abs-aiad-always-among-best", "--all").out
    entry = of("akella2002")["akella-abs-aiad-always-among-best"]
    assert entry.claim.statement in text
    assert all(inequality in text for inequality in entry.inequalities)
    assert "more" not in text


@pytest.mark.parametrize(
    ("words", "named"), [(("akella2003",), "akella2002"), (("reddy2012", "nothing"), "nothing")]
)
def test_an_unknown_name_is_refused(words: tuple[str, ...], named: str, sawtooth: CommandLine) -> None:
    found = sawtooth("claims", *words)
    assert found.code == 2
    assert named in found.err

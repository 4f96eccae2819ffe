"""`sawtooth claims`: every claim stands beside what judges it, and the inequalities are those of the check itself."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING, Final

import pytest

from sawtooth.claims.condensed import condensed
from sawtooth.claims.logic import at_least, both, either, fact, inequality, opposite
from sawtooth.claims.sketch import sketch
from sawtooth.papers import PAPERS
from sawtooth.papers.sketches import sketches

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import CommandLine

    from sawtooth.claims.logic import Finding
    from sawtooth.claims.sketch import Sketch
    from sawtooth.claims.view import View

PAPERS_WITH_CLAIMS: Final = ("akella2002", "floyd2000", "lahanas2003", "reddy2012")


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


@pytest.mark.parametrize("paper", PAPERS_WITH_CLAIMS)
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
    assert entry.inequalities == (
        "40 packets become 40.2: |ours/40.2 - 1| <= 1e-09",
        "and 35 on a loss event: |ours/35 - 1| <= 1e-09",
    )
    assert not entry.cells


@pytest.mark.parametrize("paper", PAPERS_WITH_CLAIMS)
def test_every_line_of_every_claim_has_a_relation(paper: str) -> None:
    without = [
        (entry.claim.id, line)
        for entry in of(paper).values()
        for line in entry.inequalities
        if not re.search(r"[<>=]|exactly", line)
    ]
    assert not without


@pytest.mark.parametrize("paper", PAPERS_WITH_CLAIMS)
def test_every_fact_of_a_definition_or_an_analysis_says_what_decides_it(paper: str) -> None:
    judged = PAPERS[paper].judge_mathematics()
    assert len(judged) == sum(claim.kind != "simulation" for claim in PAPERS[paper].claims if claim.check)
    for entry in judged:
        assert entry.finding is not None
        for leaf in entry.finding.leaves():
            assert leaf.judged is not None, (entry.claim.id, leaf.text)
            assert re.search(r"[<>=]|exactly", leaf.judged), (entry.claim.id, leaf.judged)


@pytest.mark.parametrize("paper", PAPERS_WITH_CLAIMS)
def test_a_sentence_names_only_bounds_that_stand_below_it(paper: str) -> None:
    for entry in of(paper).values():
        if entry.claim.check is not None:
            named = re.findall(r"``(\w+)``", entry.claim.function.__doc__ or "")
            assert set(named) <= set(entry.bounds), entry.claim.id


def test_a_word_with_a_number_of_the_check_itself_is_shown_with_its_meaning(sawtooth: CommandLine) -> None:
    (entry,) = sketches(PAPERS["floyd2000"], ["floyd-3.1-stochastic-better"])
    value, meaning = entry.bounds["considerably"]
    assert f"less {value:g} times that of equation 8 < 0" in entry.inequalities[0]
    assert "considerably" in entry.words
    text = sawtooth("claims", "floyd2000", "floyd-3.1-stochastic-better").out
    assert f"bound     considerably = {value:g}: {meaning}" in text


def test_what_the_paper_prints_is_told_from_what_is_worked_out(sawtooth: CommandLine) -> None:
    text = sawtooth("claims", "floyd2000", "floyd-3.2-exact-a-range").out
    assert "the paper prints a at p = 0.001 and 0.5: (0.197, 0.192)" in text
    assert "worked out, not printed: a at p = 0.001 and 0.5: (0.2, 0.2)" in text
    found = json.loads(sawtooth("claims", "lahanas2003", "lahanas-4.2.2-fcplus-C", "--json").out)
    (claim,) = found["claims"]
    assert (claim["printed_numbers"], claim["worked_out_numbers"]) == ({}, {"C": 2.0})


def sketched(check: Callable[[View], Finding], monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """The inequalities of a claim whose check is this."""
    claim = next(claim for claim in PAPERS["floyd2000"].claims if claim.kind == "analysis")
    monkeypatch.setattr(type(claim.source), "check", lambda *_: check)
    return sketch(claim, None, lambda _: None).inequalities


def test_alternatives_and_what_must_not_hold_are_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    few, many = (inequality(f"share of {name}", [1.0, 2.0], ">", 0.5) for name in ("few", "many"))

    def check(_: View) -> Finding:
        return both(
            "",
            [
                at_least("", 2, [few, many, inequality("loss", [1.0, 2.0], "<=")]),
                either("", [few, both("", [many, fact("sum", True, judged="= 3")])]),
                opposite("", few),
                opposite("", both("", [few, many])),
            ],
        )

    assert sketched(check, monkeypatch) == (
        "at least 2 of 3: share of [few or many] > 0.5; loss <= 0",
        "one of 2: share of few > 0.5; (share of many > 0.5 and sum: = 3)",
        "share of few <= 0.5",
        "not all of (share of {few | many} > 0.5)",
    )


def test_a_line_that_stands_in_two_statements_names_them(monkeypatch: pytest.MonkeyPatch) -> None:
    found = sketched(
        lambda _: both("", [both(name, [fact("the form", True, judged="= 1")]) for name in ("a", "b")]),
        monkeypatch,
    )
    assert found == ("a: the form: = 1", "b: the form: = 1")


def test_lists_are_condensed_without_loss() -> None:
    lines = [f"{law} in {setting}, loss > 0" for law in ("A", "B") for setting in ("x", "y", "z")]
    assert condensed(lines) == ["{A | B} in {x | y | z}, loss > 0"]
    assert condensed(lines[:-1]) == ["{A | B} in {x | y}, loss > 0", "A in z, loss > 0"]
    assert condensed(lines[:2], alternatives=True) == ["A in [x or y], loss > 0"]


def test_two_bounds_of_one_quantity_are_one_line() -> None:
    assert condensed(["x, at least >= 0.8", "x, at most <= 1.2"]) == ["0.8 <= x <= 1.2"]
    assert condensed(["x > 0", "y <= 2", "x <= 1"]) == ["0 < x <= 1", "y <= 2"]
    assert condensed(["x >= 0", "y <= 1"]) == ["x >= 0", "y <= 1"]


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

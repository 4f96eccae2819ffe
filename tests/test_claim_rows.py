"""The table of claims on the pages: rows say by which rule they were judged, and the pages what is older than the checks of today."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sawtooth.claims.claim import Claim
from sawtooth.claims.logic import Verdict, fact
from sawtooth.claims.multiplicity import RULE
from sawtooth.claims.table import Judged
from sawtooth.papers.register import claim, claims
from sawtooth.report.claim_rows import ROW, ClaimRow, renewed, rule_of, stated

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGES = ("akella2002", "floyd2000", "lahanas2003")


def table(page: str) -> str:
    """The table of claims of a page with what stands below it."""
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    found = re.search(r"<!-- results: claims -->\n(.*?)\n<!-- end -->", text, re.DOTALL)
    assert found is not None
    return found[1]


@pytest.mark.parametrize("page", PAGES)
def test_what_stands_below_the_table_of_a_page_is_true_of_it(page: str) -> None:
    text = table(page)
    assert renewed(text, [], "nothing/new", claims()) == text


@pytest.mark.parametrize("page", PAGES)
def test_a_verdict_without_runs_is_that_of_today(page: str) -> None:
    from sawtooth.claims.table import judge_alone

    rows = {match["id"]: match["verdict"] for match in ROW.finditer(table(page))}
    for entry in claims():
        if entry.id in rows and entry.kind != "simulation" and entry.since > 1:
            assert rows[entry.id] == judge_alone(entry).verdict.value, entry.id


def judged(entry: Claim, verdict: Verdict) -> Judged:
    """A claim judged over four seeds."""
    return Judged(entry, verdict, fact("", verdict is Verdict.HOLDS), None, (), (), 4, None)


def test_a_row_that_is_judged_anew_leaves_the_list_of_older_ones() -> None:
    old, other = claim("akella-4.1.1-aimd-fairer-aiad"), claim("akella-4.1.1-mi-poor")
    assert (old.since, other.since) == (2, 1)
    rows = [
        f"| `{entry.id}` | holds |  |  | `akella2002`, 32 seeds | {entry.statement} |"
        for entry in (old, other)
    ]
    before = renewed("\n".join(rows), [], "nothing/new", claims())
    assert "2 of these verdicts were taken by an earlier rule" in before
    assert f"1 of them by a check that has changed since: `{old.id}`." in before
    after = renewed(before, [judged(old, Verdict.FAILS)], "akella2002/fig4", claims())
    assert f"`akella2002/fig4`, 4 seeds, rule {RULE}" in after
    assert "1 of these verdicts was taken by an earlier rule ([what changed](deciding.md#rules))." in after
    both = renewed(after, [judged(other, Verdict.HOLDS)], "akella2002/fig4", claims())
    assert "earlier rule" not in both
    assert renewed(both, [], "nothing/new", claims()) == both


def test_a_verdict_by_the_second_rule_stands_unless_its_check_has_changed() -> None:
    old, other = claim("akella-6-reno-drr-ai"), claim("akella-4.1.1-mi-poor")
    assert (old.since, other.since) == (3, 1)
    rows = [
        f"| `{entry.id}` | holds |  |  | `akella2002`, 32 seeds, rule 2 | {entry.statement} |"
        for entry in (old, other)
    ]
    found = renewed("\n".join(rows), [], "nothing/new", claims())
    assert "1 of these verdicts was taken by an earlier rule" in found
    assert f"1 of them by a check that has changed since: `{old.id}`." in found


def test_the_rule_of_a_row() -> None:
    assert rule_of("`akella2002`, 32 seeds") == 1
    assert rule_of("`akella2002`, 32 seeds, rule 2 ") == 2


def test_no_claim_is_newer_than_the_rule() -> None:
    assert {entry.since for entry in claims()} == set(range(1, RULE + 1))


def test_what_rows_state_has_verdict_seeds_and_rule() -> None:
    table = "\n".join(
        [
            "| `a` | holds |  |  | `p/one`, 32 seeds, rule 6 | One. |",
            "| `b` | fails |  | fails | `p/two`, 1 seed | Two. |",
            "| `c` | holds |  |  | `p/mathematics` | Three. |",
        ]
    )
    assert stated(table) == {
        "a": ClaimRow(Verdict.HOLDS, 32, 6),
        "b": ClaimRow(Verdict.FAILS, 1, 1),
        "c": ClaimRow(Verdict.HOLDS, 0, 1),
    }

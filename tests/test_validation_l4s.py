"""Prague beside classic flows, held to measurements of real kernels, by the rule of `validation.l4s`.

Source: [Sarpkaya25], validation/data/l4s_pam2025.csv.
"""

from __future__ import annotations

import re
from typing import Final

import pytest
from validation import l4s
from validation.__main__ import L4S, PAGE
from validation.l4s import METRICS, WANTED, Cell

FEW: Final = (
    "Codel 4 BDP, cubic",
    "Codel_drop 1 BDP, cubic+ecn",
    "DualPI2 4 BDP, cubic",
    "DualPI2 8 BDP, bbr-3",
    "FIFO 1 BDP, cubic",
    "FIFO 1 BDP, bbr-3",
    "FQ_Codel 8 BDP, bbr-1",
    "FQ_Codel_L4S 1 BDP, cubic",
    "pie_drop 0.5 BDP, bbr-1",
)
"""One or two behind each router; all of them agree."""


def _wrong(cells: list[Cell]) -> list[str]:
    return [
        f"{cell.name}: {metric} {cell.ours[metric]:.3f} for {cell.theirs[metric]:.3f}"
        for cell in cells
        for metric in METRICS
        if not cell.agrees(metric)
    ]


@pytest.fixture(scope="module")
def few() -> list[Cell]:
    """Cells behind each router."""
    return l4s.measure(only=FEW)


@pytest.mark.long
def test_shares_and_round_trips_are_those_of_real_kernels(few: list[Cell]) -> None:
    assert sorted(cell.name for cell in few) == sorted(FEW)
    assert not _wrong(few)


@pytest.mark.long
def test_the_page_has_these_cells(few: list[Cell]) -> None:
    page = L4S.read_text(encoding="utf-8")
    rows = l4s.cells_table(few).splitlines()[2:]
    assert not [row for row in rows if row not in page], "python -m validation"


def _stated(block: str) -> str:
    pages = [page.read_text(encoding="utf-8") for page in (PAGE, L4S)]
    stated: list[list[str]] = [
        re.findall(rf"<!-- results: {block} -->(.*?)<!-- end -->", page) for page in pages
    ]
    assert all(stated)
    verdicts = {text for texts in stated for text in texts}
    assert len(verdicts) == 1
    return verdicts.pop()


def test_the_page_and_the_summary_agree() -> None:
    counts = [int(number) for number in re.findall(r"\d+", _stated("l4s verdict"))]
    for agreeing, all_of_them in zip(counts[::2], counts[1::2], strict=True):
        assert agreeing >= WANTED * all_of_them


def test_the_pages_say_that_the_default_misses_the_criterion() -> None:
    # Known: the default answers a loss otherwise than the Prague that was measured.
    assert _stated("l4s by default verdict").startswith("missed by default: ")


def test_a_verdict_says_how_many_cells_were_wanted_where_too_few_agree() -> None:
    theirs = {"share": 0.5, "prague_ms": 20.0, "classic_ms": 20.0}
    good = Cell("good", "cubic", theirs, theirs)
    bad = Cell("bad", "cubic", theirs, {**theirs, "share": 1.0})
    assert l4s.meets([good] * 4 + [bad])
    assert l4s.agreement([good] * 4 + [bad]) == "4 of 5 in share, 10 of 10 in round-trip time"
    assert not l4s.meets([good] * 3 + [bad] * 2)
    assert l4s.agreement([good] * 3 + [bad] * 2) == "3 of 5 in share (4 wanted), 10 of 10 in round-trip time"
    found = {l4s.BY_DEFAULT.name: ([good, bad], [bad, bad])}
    assert (
        l4s.default_agreement(found)
        == "missed by default: 0 of 2 in share (2 wanted), 4 of 4 in round-trip time"
    )
    rows = l4s.default_table(found).splitlines()[2:]
    assert [row.split(" | ")[3] for row in rows] == ["0.50", "**1.00**"]
    assert l4s.default_causes(found) == "1 of 2 (behind bad)"


def test_the_rule_can_fail() -> None:
    theirs = {"share": 0.5, "prague_ms": 20.0, "classic_ms": 20.0}
    near = Cell("near", "cubic", theirs, {"share": 0.59, "prague_ms": 17.1, "classic_ms": 22.9})
    far = Cell("far", "cubic", theirs, {"share": 0.61, "prague_ms": 16.9, "classic_ms": 23.1})
    assert not _wrong([near])
    assert len(_wrong([far])) == 3


@pytest.mark.long(60)
def test_four_of_five_cells_agree_and_the_page_says_how_many() -> None:
    cells = l4s.measure()
    assert len(cells) == 51
    for metric in METRICS:
        assert l4s.agreeing(cells, metric) >= WANTED * len(cells)
    page = L4S.read_text(encoding="utf-8")
    assert l4s.agreement(cells) in page
    assert l4s.cells_table(cells) in page
    assert l4s.apart_table(cells) in page
    by_default = {l4s.BY_DEFAULT.name: (cells, l4s.measure(l4s.BY_DEFAULT))}
    assert l4s.default_agreement(by_default) in page
    assert l4s.default_table(by_default) in page

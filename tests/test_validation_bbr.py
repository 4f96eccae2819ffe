"""BBR version 1 beside recordings of Linux, by the rule of `validation.bbr`.

Source: Linux 6.18, validation/data/linux_bbr.csv; [Ware19] §4.
"""

from __future__ import annotations

import re

import pytest
from validation import bbr
from validation.__main__ import BBR, PAGE
from validation.bbr import Row


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    """Every quantity that was recorded."""
    return bbr.measure()


def test_the_cycle_the_probes_and_the_shares_are_those_of_linux(rows: list[Row]) -> None:
    assert len(rows) == 12
    assert not [f"{row.what}: {row.ours} for {row.linux}" for row in rows if not row.agrees]


def test_the_rule_can_fail() -> None:
    assert Row("share", (0.4, 0.5), (0.5,), 0.05).agrees
    assert not Row("share", (0.4, 0.5), (0.51,), 0.05).agrees
    assert Row("length", (30.0, 40.0), (50.0,), 10.0).agrees
    assert not Row("length", (30.0, 40.0), (51.0,), 10.0).agrees


@pytest.mark.parametrize(("buffer", "share"), [(2, 0.78), (8, 0.55), (32, 0.44)])
def test_the_formula_gives_what_its_paper_says(buffer: int, share: float) -> None:
    assert bbr.ware(buffer) == pytest.approx(share, abs=0.006)


def test_the_pages_have_the_numbers(rows: list[Row]) -> None:
    stated = re.search(
        r"<!-- results: linux bbr verdict -->(.*?)<!-- end -->", PAGE.read_text(encoding="utf-8")
    )
    assert stated
    assert stated[1] == bbr.agreement(rows), "python -m validation"
    assert bbr.rows_table(rows) in BBR.read_text(encoding="utf-8")

"""Short flows as cross traffic and unequal round-trip times, beside ns-2: the bounds that docs/validation.md states."""

from __future__ import annotations

from pathlib import Path

import pytest
from validation import rtts, web
from validation.runs import table

QUICK = {("sack", "aimd(1, 0.8)", "droptail")}
"""What `make test` simulates; `make test-long` takes CELLS."""
CELLS = QUICK | {
    ("reno", "mimd(1.125, 0.8)", "droptail"),
    ("sack", "mimd(1.125, 0.8)", "red"),
    ("reno", "aimd(1, 0.8)", "drr"),
}
"""One of each kind; the page has all twelve."""


@pytest.mark.parametrize("chosen", [QUICK, pytest.param(CELLS, marks=pytest.mark.long)])
def test_cells_with_short_flows_agree_with_ns2(chosen: set[tuple[str, str, str]]) -> None:
    cells = web.measure(chosen)
    assert len(cells) == len(chosen)
    for metric in web.JUDGED:
        wrong = [cell for cell in cells if not cell.agrees(metric)]
        assert not wrong, (metric, wrong)
    assert not any(cell.drops_in_profile for cell in cells), (
        "short flows are in profile, or have a queue of their own"
    )


@pytest.mark.long
def test_each_short_flow_takes_as_long_as_in_ns2() -> None:
    found = web.flows()
    assert len(found.completions) > 2200
    assert found.within > 0.98
    assert abs(found.median_ratio - 1) < 0.01


@pytest.mark.long
def test_goodput_falls_with_the_round_trip_time_as_in_ns2() -> None:
    cases = rtts.measure("aimd(1, 0.8)")
    assert len(cases) == 2
    assert rtts.agreeing(cases) == 2, [(case.exponent, case.ns2_exponent) for case in cases]


def test_the_page_says_that_all_agree() -> None:
    page = (Path(__file__).resolve().parents[1] / "docs" / "validation.md").read_text(encoding="utf-8")
    rows = len(table("ns2_web_cells"))
    assert f"{rows} of {rows} in goodput, {rows} of {rows} in loss, {rows} of {rows} in delay" in page
    assert "4 of 4 exponents" in page

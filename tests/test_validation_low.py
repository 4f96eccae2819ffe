"""Reno at two packets a round trip beside ns-2, and how ns-2's packets are counted."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from validation import low, ns2_low
from validation.low import PartGoodputs
from validation.runs import table

PAGE = Path(__file__).resolve().parents[1] / "docs" / "validation.md"


def test_the_table_has_every_second_of_twelve_seeds() -> None:
    rows = table("ns2_low")
    assert len(rows) == 12 * 60
    assert [(row["seed"], row["second"]) for row in rows[:61]] == [
        *(("1", str(second)) for second in range(60)),
        ("2", "0"),
    ]


def test_every_part_agrees() -> None:
    assert [(part.begin_s, part.end_s) for part in low.measure(4) if not part.agrees] == []


def test_the_rule_can_fail() -> None:
    theirs = [1.0, 1.01, 0.99]
    assert PartGoodputs(0, 5, [1.02, 1.03, 1.01], theirs, theirs).agrees
    assert not PartGoodputs(0, 5, [0.9, 0.91, 0.89], theirs, theirs).agrees
    assert low.agreement([PartGoodputs(0, 5, [0.9, 0.91, 0.89], theirs, theirs)]) == "0 of 1 in goodput"


def test_what_the_schedule_leaves() -> None:
    """A megabit a second for each of ten flows in the first second, 100 kbit/s at the floor."""
    assert low.available_packets(0, 1) == pytest.approx(10 * 1e6 / 8000)
    assert low.available_packets(9, 9.5) == pytest.approx(10 * 0.5 * 1e5 / 8000)


def test_a_gap_holds_acknowledgements_back_and_a_repetition_counts_once() -> None:
    def line(at: float, number: int, event: str = "r", size: int = 1000) -> str:
        return f"{event} {at} 0 1 tcp {size} ------- 3 2.0 1.0 {number} 7"

    packets = [line(0.1, 0, size=40), line(0.2, 1), line(0.3, 3), line(0.4, 3), line(0.5, 4, event="d")]
    later = [line(1.1, 2), line(1.2, 3), line(1.3, 4)]
    found = ns2_low._read([*packets, *later])
    assert found[:2] == [(2, 1), (2, 3)]
    assert sum(arrived for arrived, _ in found) == sum(acknowledged for _, acknowledged in found) == 4


def test_the_page_says_how_many_agree() -> None:
    stated = re.search(
        r"<!-- results: low verdict -->(\d) of \1 in goodput<!-- end -->", PAGE.read_text("utf-8")
    )
    assert stated is not None

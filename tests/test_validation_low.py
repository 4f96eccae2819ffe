"""Reno at two packets a round trip beside ns-2, and how ns-2's packets are counted."""

from __future__ import annotations

from pathlib import Path

import pytest
from validation import low, ns2_low, ns2_ticks, ticks
from validation.low import PartGoodputs
from validation.runs import table

PAGE = Path(__file__).resolve().parents[1] / "docs" / "validation.md"


def test_the_table_has_every_second_of_every_seed_of_every_set_up() -> None:
    found = [(row["law"], row["jitter_us"], row["seed"], row["second"]) for row in table("ns2_low")]
    assert found == [
        (law, str(jitter_us), str(seed), str(second))
        for law, jitter_us in ns2_low.SETUPS
        for seed in range(1, ns2_low.SEEDS + 1)
        for second in range(ns2_low.SECONDS)
    ]


def test_ticks_that_are_counted_agree_where_round_trips_that_are_rounded_up_do_not() -> None:
    """AIMD(1, 0.8) with jitter, over what the other cells count."""
    *_, whole = low.measure_setup("aimd(1, 0.8)", 80)
    assert whole.agrees
    assert not whole.agrees_rounded


@pytest.mark.long
def test_with_ticks_counted_every_law_agrees_in_every_part() -> None:
    assert [part.law for part in low.measure() if not part.agrees] == []


def part(ours: list[float], rounded: list[float]) -> PartGoodputs:
    """A part of which ns-2 has about 1."""
    theirs = [1.0, 1.01, 0.99]
    return PartGoodputs("aimd(1, 0.8)", 80, 0, 5, ours, rounded, theirs, theirs)


def test_the_rule_can_fail() -> None:
    near, far = [1.02, 1.03, 1.01], [0.9, 0.91, 0.89]
    assert part(near, far).agrees
    assert not part(far, near).agrees
    assert low.agreement([part(far, near)]) == "0 of 1 in goodput"
    assert low.rounded_agreement([part(far, near), part(near, far)]) == "1 of 2"
    assert "| **0.900 ± 0.006** | 1.020 ± 0.006 |" in low.parts_table([part(far, near)])


def test_every_sample_of_ns2_is_counted_by_one_clock_of_its_sender() -> None:
    senders = ticks.samples()
    total = sum(map(len, senders))
    assert total > 5 * len(senders)
    assert sum(map(ticks.counted, senders)) == total
    assert sum(map(ticks.rounded_up, senders)) < total
    assert sum(map(ticks.nearest, senders)) < total


def test_no_phase_of_a_clock_gives_samples_that_are_rounded_up() -> None:
    """Nor does rounding give those that are counted."""
    times = [(sent, sent + 11_400) for sent in range(5, 20_000, 730)]
    up = [(sent, acked, 12) for sent, acked in times]
    assert ticks.rounded_up(up) == len(up) > ticks.counted(up)
    clock = [(sent, acked, (acked + 300) // 1000 - (sent + 300) // 1000) for sent, acked in times]
    assert ticks.counted(clock) == len(clock) > max(ticks.rounded_up(clock), ticks.nearest(clock))


def test_traced_variables_are_read_as_samples() -> None:
    """A sample that equals the one before is not traced; packets sent while one is timed are not timed."""

    def line(at: float, variable: str, value: float | int) -> str:
        return f"{at:.5f}  3  0  1  1  {variable} {value}"

    lines = [line(0.1, "maxseq_", 0), line(0.22, "ack_", 0), line(0.22, "rtt_", 0.12)]
    later = [line(0.22, "maxseq_", 1), line(0.23, "maxseq_", 2), line(0.34, "ack_", 1), line(0.35, "ack_", 2)]
    assert ns2_ticks._read([*lines, *later]) == [(1, 10_000, 22_000, 12), (1, 22_000, 34_000, 12)]


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
    """As many as its table has in plain print; and over what the other cells count, every set-up."""
    text = PAGE.read_text("utf-8")
    shown = [
        [cell.strip() for cell in line.split("|")[3:5]]
        for line in text.partition("<!-- results: low -->\n")[2].partition("<!-- end -->")[0].splitlines()[2:]
    ]
    agreeing = [part for part, ours in shown if not ours.startswith("**")]
    assert f"<!-- results: low verdict -->{len(agreeing)} of {len(shown)} in goodput<!-- end -->" in text
    assert agreeing.count("5 to 60 s") == len(ns2_low.SETUPS)

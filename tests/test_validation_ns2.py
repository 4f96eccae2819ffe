"""Agreement with ns-2: 28 cells of ten flows behind drop-tail, 20 each behind DRR, RED and RED
that marks by the rule of `validation.cells`, and a flow alone.

Source: ns-2 2.35, validation/data. The drop-tail grid takes some twelve seconds of processor time, over all cores:
`make test-long` simulates it, `make test` the single cells, with one setting changed, and the flow alone.
"""

from __future__ import annotations

import re

import pytest
from validation import cells, figures, page, windows
from validation.__main__ import PAGE
from validation.cells import JUDGED, WANTED, Cell, Statistic
from validation.runs import TIMEOUT, table

from sawtooth.report.figures import standalone


@pytest.fixture(scope="module")
def grid() -> list[Cell]:
    """Every cell, as the engine is."""
    return cells.measure()


@pytest.mark.long
def test_the_grid_is_whole(grid: list[Cell]) -> None:
    assert len(grid) == len({(cell.recovery, cell.control, cell.environment) for cell in grid}) == 28
    assert {cell.recovery for cell in grid} == {"reno", "sack"}


@pytest.mark.long
@pytest.mark.parametrize("metric", JUDGED)
def test_enough_cells_agree(grid: list[Cell], metric: str) -> None:
    wrong = [
        f"{cell.recovery} {cell.control} {cell.environment}: {cell.difference(metric):+.4f}"
        for cell in grid
        if not cell.agrees(metric)
    ]
    assert cells.agreeing(grid, metric) >= WANTED[metric] * len(grid), wrong


@pytest.mark.long
@pytest.mark.parametrize("recovery", ["reno", "sack"])
def test_goodput_is_not_biased(grid: list[Cell], recovery: str) -> None:
    assert abs(cells.bias(grid, recovery)) <= cells.BIAS_MAX


@pytest.mark.long
def test_the_page_says_how_many_cells_agree(grid: list[Cell]) -> None:
    stated = re.findall(r"(\d+) of 28 in (\w+)", PAGE.read_text(encoding="utf-8"))
    assert stated == [(str(cells.agreeing(grid, metric)), metric) for metric in JUDGED], (
        "python -m validation"
    )


@pytest.mark.long
def test_the_same_cells_draw_the_same_figure(grid: list[Cell]) -> None:
    first, second = (standalone(figures.ns2_cells(grid), "t") for _ in range(2))
    assert first == second
    assert first.count("<svg") == 1


@pytest.mark.long
@pytest.mark.parametrize("router", ["drr", "red", "ecn"])
def test_every_cell_behind_other_routers_agrees(router: str) -> None:
    found = cells.measure(router=router)
    assert len(found) == 20
    wrong = [
        f"{cell.recovery} {cell.control} {cell.environment}, {metric}: {cell.difference(metric):+.4f}"
        for cell in found
        for metric in JUDGED
        if not cell.agrees(metric)
    ]
    assert wrong == []
    text = PAGE.read_text(encoding="utf-8").partition(f"<!-- results: {router} verdict -->")[2]
    assert text.startswith(page.ns2_agreement(found)), "python -m validation"


@pytest.mark.long
@pytest.mark.parametrize(
    ("variant", "cell", "disagrees"),
    [
        # what the agreement rests on: docs/validation.md
        ('sack_pipe = "conservative"', ("sack", "mimd(1.125, 0.8)", "cons-high"), {"goodput"}),
        ('sack_pipe = "conservative"', ("sack", "aimd(1, 0.8)", "cons-high"), set()),
        ('spacing = "uniform"', ("sack", "aimd(1, 0.8)", "cons-low"), {"delay"}),
    ],
)
def test_one_change_at_a_time_behind_red(variant: str, cell: cells.Name, disagrees: set[str]) -> None:
    (found,) = cells.measure(cells.RED_VARIANTS[variant], only={cell}, router="red")
    assert {metric for metric in JUDGED if not found.agrees(metric)} == disagrees


@pytest.mark.long
def test_behind_drr_sack_that_skips_what_has_arrived_does_better_than_ns2() -> None:
    name = ("sack", "mimd(1.125, 0.8)", "sq-high")
    (found,) = cells.measure(cells.DRR_VARIANTS['sack_timeout = "skip"'], only={name}, router="drr")
    assert found.difference("goodput") > found.tolerance("goodput")


@pytest.mark.parametrize(
    ("metric", "ours", "ns2", "agrees"),
    [
        # noise = 2·sqrt((0.03² + 0.04²)/5) = 0.0447
        ("goodput", Statistic(0.50, 0.03), Statistic(0.56, 0.04), True),
        ("goodput", Statistic(0.50, 0.03), Statistic(0.57, 0.04), False),
        ("goodput", Statistic(0.58, 0.0), Statistic(0.56, 0.0), True),
        ("loss", Statistic(2.49, 0.0), Statistic(2.0, 0.0), True),
        ("loss", Statistic(2.51, 0.0), Statistic(2.0, 0.0), False),
        ("loss", Statistic(0.29, 0.0), Statistic(0.0, 0.0), True),
        ("loss", Statistic(0.31, 0.0), Statistic(0.0, 0.0), False),
        ("delay", Statistic(54.9, 0.0), Statistic(50.0, 0.0), True),
        ("delay", Statistic(55.1, 0.0), Statistic(50.0, 0.0), False),
        ("delay", Statistic(6.9, 0.0), Statistic(5.0, 0.0), True),
    ],
)
def test_the_rule(metric: str, ours: Statistic, ns2: Statistic, agrees: bool) -> None:
    cell = Cell("sack", "aimd(1, 0.8)", "sq-high", {metric: ns2}, {metric: ours})
    assert cell.agrees(metric) is agrees


@pytest.mark.parametrize(
    ("variant", "cell", "disagrees"),
    [
        # what the agreement rests on: docs/validation.md
        ('timeout_threshold = "law"', ("reno", "aiad(1, 3)", "cons-high"), {"goodput", "loss", "delay"}),
        ('timeout_threshold = "law"', ("reno", "aiad(1, 3)", "sq-high"), {"goodput", "loss", "delay"}),
        ('sack_pipe = "rfc6675"', ("sack", "miad(1.125, 3)", "cons-high"), {"goodput", "delay"}),
        ('sack_pipe = "rfc6675"', ("reno", "miad(1.125, 3)", "cons-high"), set()),
        ("as it is", ("sack", "miad(1.125, 3)", "cons-high"), {"goodput"}),
        ('sack_timeout = "skip"', ("sack", "miad(1.125, 3)", "cons-high"), set()),
        ('timer_tick = "0 s"', ("sack", "mimd(1.125, 0.8)", "cons-high"), set()),
        ('send_jitter = "0 s"', ("sack", "miad(1.125, 3)", "cons-high"), {"goodput", "loss", "delay"}),
    ],
)
def test_one_change_at_a_time(variant: str, cell: cells.Name, disagrees: set[str]) -> None:
    (found,) = cells.measure(cells.VARIANTS[variant], only={cell})
    assert {metric for metric in JUDGED if not found.agrees(metric)} == disagrees


@pytest.mark.long
def test_without_jitter_the_seed_decides_nothing() -> None:
    (found,) = cells.measure(
        cells.VARIANTS['send_jitter = "0 s"'], only={("sack", "aimd(1, 0.8)", "sq-high")}
    )
    assert [found.ours[metric].sd for metric in JUDGED] == [0.0, 0.0, 0.0]


@pytest.fixture(scope="module")
def laws() -> list[windows.Law]:
    """Every law that ns-2 lists, under SACK and Reno."""
    return windows.measure()


@pytest.mark.long
def test_every_decrease_is_within_two_packets(laws: list[windows.Law]) -> None:
    assert len(laws) == 16
    assert sum(len(law.decreases) for law in laws) == len(table("ns2_decreases")) == 75
    apart = {(law.recovery, law.control): law.difference for law in laws}
    assert max(apart.values()) <= windows.WITHIN_PACKETS, apart


@pytest.mark.long
def test_decreases_come_when_and_as_often_as_in_ns2(laws: list[windows.Law]) -> None:
    for law in laws:
        # One recovery from slow start may take a round trip more over the full queue, 240 ms; then MIMD misses up to two decreases.
        assert law.later_s <= 0.32, law
        assert law.ns2_count - 2 <= law.count <= law.ns2_count, law


@pytest.mark.long
def test_a_timeout_comes_where_ns2_has_one(laws: list[windows.Law]) -> None:
    for law in laws:
        for decrease in law.decreases:
            assert (decrease.event == TIMEOUT) == (decrease.ns2_after == 1.0), law


@pytest.mark.long
def test_the_first_decrease_halves_whatever_the_law(laws: list[windows.Law]) -> None:
    assert {(law.decreases[0].before, law.decreases[0].after) for law in laws} == {(1201.0, 600.5)}


@pytest.mark.long
def test_a_window_of_acknowledgements_adds_what_it_adds_in_ns2(laws: list[windows.Law]) -> None:
    compared = [law for law in laws if law.growth and law.ns2_growth]
    assert len(compared) == 15
    for law in compared:
        assert law.growth is not None
        assert law.ns2_growth is not None
        (start, later), (ns2_start, ns2_later) = law.growth, law.ns2_growth
        assert start == pytest.approx(ns2_start, abs=0.2)
        assert later - start == pytest.approx(ns2_later - ns2_start, rel=2e-3), law


def test_a_page_is_filled_block_by_block() -> None:
    text = "a <!-- results: x -->old<!-- end --> b\n<!-- results: y -->\nold\n<!-- end -->\n"
    filled = page.filled(text, {"x": "1", "y": "2"})
    assert filled == "a <!-- results: x -->1<!-- end --> b\n<!-- results: y -->\n2\n<!-- end -->\n"
    with pytest.raises(KeyError, match="y"):
        page.filled(text, {"x": "1"})

"""Agreement with ns-2 where two kinds of flows share a queue under RED, TFRC among them, by the rule of `validation.mixes`.

Source: ns-2 2.35, validation/data/ns2_mixes.csv. Four of our seeds here; the page takes twelve.
"""

from __future__ import annotations

import re
from collections import Counter

import pytest
from validation import mixes, ns2_cuts, ns2_others, page, whole, whole_cuts
from validation.__main__ import PAGE
from validation.mixes import JUDGED, Mix
from validation.runs import table


@pytest.fixture(scope="module")
def cells() -> list[Mix]:
    """Every cell, over few seeds."""
    return mixes.mixes(seeds=4)


def test_the_cells_are_those_of_the_file(cells: list[Mix]) -> None:
    assert len({cell.name for cell in cells}) == len(cells) == 6
    assert sum(cell.name[1].startswith("tfrc") for cell in cells) == 2


@pytest.mark.parametrize("quantity", JUDGED)
def test_every_cell_agrees(cells: list[Mix], quantity: str) -> None:
    wrong = [f"{cell.name}: {cell.means(quantity)}" for cell in cells if not cell.agrees(quantity)]
    assert not wrong


def test_the_rule_can_fail() -> None:
    cell = Mix(
        ("a", "b", "4"),
        {"ratio": [1.0, 1.0], "cov1_first": [0.2, 0.4]},
        {"ratio": [1.2], "cov1_first": [0.39]},
    )
    assert not cell.agrees("ratio")
    assert cell.agrees("cov1_first")
    assert not Mix(cell.name, cell.ns2, {"cov1_first": [0.5]}).agrees("cov1_first")


def test_the_page_says_how_many_agree() -> None:
    text = PAGE.read_text(encoding="utf-8")
    stated = re.search(r"<!-- results: mixes verdict -->(.*?)<!-- end -->", text)
    assert stated
    assert stated[1].startswith("6 of 6 in ratio"), "python -m validation"
    rows = re.search(r"<!-- results: mixes -->\n(.*?)<!-- end -->", text, re.DOTALL)
    assert rows
    assert rows[1].count("\n| `") == 6


def test_the_table_shows_ours_beside_theirs(cells: list[Mix]) -> None:
    table = page.mixes(cells)
    assert table.count("\n") == 1 + len(cells)
    assert "**" not in table


@pytest.fixture(scope="module")
def wholes() -> list[Mix]:
    """Windows in whole packets under a coarse clock."""
    return whole.cells("100 ms")


@pytest.mark.long
def test_windows_cut_in_whole_packets_share_as_in_ns2(wholes: list[Mix]) -> None:
    assert [cell.name[1:] for cell in wholes] == [
        (second, n) for second in ("tcp(0.2, 0.125)", "tcp(0.4, 0.125)") for n in ("4", "16", "64")
    ]
    assert whole.furthest(wholes) <= whole.RATIO_SHARE
    assert all(cell.agrees("drop_rate") for cell in wholes)


def test_the_page_says_how_far_whole_windows_are_from_ns2() -> None:
    stated = re.search(
        r"<!-- results: whole verdict -->12 of 12 in ratio.*ratios within ([\d.]+) %<!-- end -->",
        PAGE.read_text(encoding="utf-8"),
    )
    assert stated, "python -m validation"
    assert float(stated[1]) <= 100 * whole.RATIO_SHARE


def test_the_page_says_how_far_other_mixes_are_from_ns2() -> None:
    stated = re.search(
        r"<!-- results: whole others verdict -->(\d+) of \1 in ratio.*ratios within ([\d.]+) %<!-- end -->",
        PAGE.read_text(encoding="utf-8"),
    )
    assert stated is not None
    assert int(stated[1]) == len(ns2_others.CELLS)
    assert float(stated[2]) <= 100 * whole.RATIO_SHARE


def test_the_other_mixes_are_those_that_the_script_measures() -> None:
    rows = table("ns2_others")
    cells = dict.fromkeys((row["queue"], row["first"], row["second"], int(row["n"])) for row in rows)
    assert list(cells) == [(ns2_others.QUEUES[queue], *rest) for queue, *rest in ns2_others.CELLS]
    assert len(rows) == len(cells) * ns2_others.SEEDS


def test_a_whole_window_is_cut_as_in_ns2() -> None:
    kinds = {kind.why: kind for kind in whole_cuts.measure()}
    assert all(
        kinds[why].windows > 30 and kinds[why].agreeing == kinds[why].windows for why in whole_cuts.JUDGED
    )


def test_a_window_that_is_cut_otherwise_is_found() -> None:
    law = "tcp(0.2, 0.125)"
    ns2 = {(law, "loss"): {8: Counter({(7, 7): 3}), 9: Counter({(7, 7): 1})}}
    real = {(law, "loss"): {8: Counter({(7, 7): 2}), 9: Counter({(8, 8): 1}), 10: Counter({(8, 8): 1})}}
    loss = whole_cuts.compared(ns2, real)[0]
    assert (loss.windows, loss.agreeing, loss.ns2, loss.ours) == (2, 1, 4, 3)
    assert whole_cuts.agreement([loss]) == "1 of 2 windows"


def test_the_cuts_in_a_trace_of_ns2() -> None:
    def line(at: float, variable: str, value: float) -> str:
        return f"{at} 3 0 4 0 {variable} {value}"

    trace = [
        *(line(0.0, "cwnd_", 2.0), line(0.0, "ssthresh_", 1000000)),
        *(line(1.0, "cwnd_", 9.0), line(2.0, "ssthresh_", 4), line(2.0, "cwnd_", 4.0)),
        *(line(3.0, "cwnd_", 8.9), line(4.0, "ssthresh_", 7), line(4.0, "cwnd_", 7.0)),
        *(line(5.0, "nrexmit_", 1), line(5.0, "ssthresh_", 3), line(5.0, "cwnd_", 1.0)),
        *(line(7.0, "nrexmit_", 2), line(7.0, "ssthresh_", 2)),
    ]
    assert list(ns2_cuts.cuts(trace)) == [
        ("slow start", 9, 4, 4),
        ("loss", 8, 7, 7),
        ("timeout", 7, 1, 3),
        ("again", 1, 1, 2),
    ]

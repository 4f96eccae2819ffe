"""A flow alone, and a flow that comes later: the tables of docs/bbr.md and docs/scalable.md, by example."""

from __future__ import annotations

import pytest
from validation import alone, latecomers
from validation.__main__ import BBR, SCALABLE


def test_what_probe_rtt_leaves_follows_from_its_rules() -> None:
    # Half of 300 ms without a packet, then half of a BDP for 300 ms, in each 5 s; a round trip and four packets, in each 10 s.
    assert alone.left_by_probe_rtt("bbr", 300) == pytest.approx(1 - (0.15 + 0.15) / (5 + 0.15 + 0.3))
    assert alone.left_by_probe_rtt("bbr-1", 300) == pytest.approx(1 - (0.3 + 0.3) / (10 + 0.3 + 0.3))
    assert alone.left_by_probe_rtt("bbr", 100) == pytest.approx(1 - (0.05 + 0.1) / (5 + 0.05 + 0.2))


def test_a_share_below_the_bound_is_bold_and_not_counted() -> None:
    cells = [alone.Cell("bbr", 10, 300, 0.94), alone.Cell("bbr", 100, 300, 0.96)]
    assert alone.agreement(cells) == "`bbr` 1 of 2"
    assert "| `bbr` | 300 ms | **0.940** | 0.960 |" in alone.shares_table(cells)
    assert alone.Cell("prague", 1, 30, 0.9).marks_part
    assert not alone.Cell("prague", 10, 30, 0.9).marks_part


def test_bbr_at_300_ms_carries_what_probe_rtt_leaves_and_the_page_says_so() -> None:
    (cell,) = alone.measure(["bbr"], [10], [300])
    assert not cell.filled
    assert cell.share == pytest.approx(alone.left_by_probe_rtt("bbr", 300), rel=0.02)
    assert alone.probing_table([cell]).splitlines()[-1] in BBR.read_text(encoding="utf-8")


def test_prague_over_a_long_path_fills_it_when_its_law_has_grown_to_it() -> None:
    (cell,) = alone.measure(["prague"], [10], [300])
    (found,) = alone.fillings([cell])
    # From what the first cuts left, a packet in each round trip of 300 ms.
    assert found.by_law_s == pytest.approx((375 - found.left) * 0.3, abs=alone.FIRST_S)
    assert found.found_s == pytest.approx(found.by_law_s, rel=0.1)
    assert alone.filling_table([found]).splitlines()[-1] in SCALABLE.read_text(encoding="utf-8")


def test_a_later_flow_of_a_cell_is_what_the_page_says() -> None:
    cells = latecomers.measure([((10, 40), 1)])
    assert [cell.after_s for cell in cells] == list(latecomers.AFTER_S)
    assert latecomers.table(cells).splitlines()[-1] in BBR.read_text(encoding="utf-8")


def test_a_seed_outside_makes_a_cell_bold() -> None:
    cells = [
        latecomers.Cell(10, 40, 1, after_s, shares)
        for after_s, shares in zip(latecomers.AFTER_S, [(0.79, 1.0), (0.81, 1.19)], strict=True)
    ]
    assert latecomers.agreement(cells) == (
        "After 60 s 1 of 2 runs are within 20 %, and 0 of 1 cells with every seed. "
        "After 240 s 2 of 2 runs are within 20 %, and 1 of 1 cells with every seed"
    )
    assert latecomers.table(cells).endswith("| **0.90 (0.79 to 1.00)** | 1.00 (0.81 to 1.19) |")

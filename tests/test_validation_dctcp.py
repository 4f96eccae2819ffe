"""Agreement with ns-3 where DCTCP flows share a router that marks by a step, by the rule of `validation.scalable`.

Source: ns-3 3.44, validation/data/ns3_dctcp.csv.
"""

from __future__ import annotations

import re

import pytest
from validation import scalable
from validation.__main__ import SCALABLE
from validation.cells import Statistic
from validation.scalable import BOUNDS, Cell


@pytest.fixture(scope="module")
def cells() -> list[Cell]:
    """Every cell."""
    return scalable.measure()


@pytest.mark.parametrize("metric", BOUNDS)
def test_every_cell_agrees(cells: list[Cell], metric: str) -> None:
    assert len(cells) == 4
    wrong = [
        f"{cell.name}: {cell.ours[metric]} for {cell.ns3[metric]}"
        for cell in cells
        if not cell.agrees(metric)
    ]
    assert not wrong


def test_the_rule_can_fail() -> None:
    ns3 = {"delay_ms": Statistic(10.0, 0.0)}
    assert Cell("a", 3, ns3, {"delay_ms": Statistic(10.5, 0.0)}).agrees("delay_ms")
    assert not Cell("a", 3, ns3, {"delay_ms": Statistic(10.6, 0.0)}).agrees("delay_ms")


def test_the_page_has_the_cells(cells: list[Cell]) -> None:
    text = SCALABLE.read_text(encoding="utf-8")
    stated = re.search(r"<!-- results: ns3 dctcp verdict -->(.*?)<!-- end -->", text)
    assert stated
    assert stated[1] == scalable.agreement(cells), "python -m validation"

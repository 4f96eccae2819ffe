"""Agreement of RAP with ns-2's own, by the rules of `validation.mixes` and `validation.rap`, and of the transients.

Source: ns-2 2.35, validation/data/ns2_rap.csv and ns2_rap_response.csv. Four of our seeds here; the page takes twelve.
"""

from __future__ import annotations

import pytest
from validation import mixes, page, rap
from validation.mixes import JUDGED, SQUARE, Mix
from validation.rap import Regular


@pytest.fixture(scope="module")
def cells() -> list[Mix]:
    """Every mix, over few seeds."""
    return rap.cells(seeds=4)


@pytest.mark.long
@pytest.mark.parametrize("quantity", JUDGED)
def test_every_mix_agrees(cells: list[Mix], quantity: str) -> None:
    assert len(cells) == 9
    wrong = [f"{cell.name}: {cell.means(quantity)}" for cell in cells if not cell.agrees(quantity)]
    assert not wrong


@pytest.mark.long
def test_the_measuring_script_agrees_with_the_other_measurement(cells: list[Mix]) -> None:
    (theirs,) = [cell for cell in mixes.mixes(seeds=1) if cell.name == cells[0].name]
    for quantity in JUDGED:
        (_, first), (_, second) = cells[0].means(quantity), theirs.means(quantity)
        assert first == pytest.approx(second, rel=0.1), quantity


def test_regular_losses_give_the_same_number_of_packets() -> None:
    found = rap.regular()
    assert len(found) == 16
    assert [cell for cell in found if not cell.agrees] == []
    rare = [cell for cell in found if cell.timeouts == 0]
    assert len(rare) >= 10
    for cell in rare:
        assert cell.ours == pytest.approx(cell.ns2, rel=1e-3), cell
    assert "**" not in page.rap_regular(found)


def test_the_bound_of_regular_losses_can_fail() -> None:
    assert not Regular("rap", 50, 1030, 1000, 0).agrees


@pytest.mark.long
def test_transients_agree() -> None:
    found = mixes.squares(seeds=4)
    wrong = [f"{cell.name} {q}: {cell.means(q)}" for cell in found for q in SQUARE if not cell.agrees(q)]
    assert not wrong
    assert page.squares_agreement(found).startswith("6 of 6 in times")


def test_the_rule_of_transients_can_fail() -> None:
    ns2 = {"time_to_halve": [0.6, 0.6], "use_5s_after": [0.90, 0.92], "drop_rate_5s": [1.6, 1.7]}
    slow = Mix(("tcp",), ns2, {"time_to_halve": [0.9], "use_5s_after": [0.94], "drop_rate_5s": [2.1]})
    assert not any(slow.agrees(quantity) for quantity in ns2)
    near = Mix(("tcp",), ns2, {"time_to_halve": [0.7], "use_5s_after": [0.925], "drop_rate_5s": [1.9]})
    assert all(near.agrees(quantity) for quantity in ns2)

"""Facts that write down what decides them: each can hold and can fail, and shows the bound that it is held to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sawtooth.claims.agreement import agree, bounded, close, exactly, rounded, same
from sawtooth.claims.logic import Verdict
from sawtooth.claims.words import Word

if TYPE_CHECKING:
    from sawtooth.claims.logic import Finding

H, F = Verdict.HOLDS, Verdict.FAILS
FAR = Word("far", 2.0, "above this")


@pytest.mark.parametrize(
    ("found", "verdict", "judged"),
    [
        (agree("", 1.1, 1.0, within=0.2), H, "|ours - 1| <= 0.2"),
        (agree("", 1.3, 1.0, within=0.2), F, "|ours - 1| <= 0.2"),
        (agree("", [1.0, 2.0], [1.0, 2.0]), H, "largest relative difference <= 1e-09"),
        (agree("", [1.0, 2.0], [1.0, 2.1]), F, "largest relative difference <= 1e-09"),
        (rounded("", 0.4330, 0.43, 2), H, "|ours - 0.43| < 0.01"),
        (rounded("", 0.4430, 0.43, 2), F, "|ours - 0.43| < 0.01"),
        (same("", 4.0, 4.0), H, "|ours/4 - 1| <= 1e-09"),
        (same("", 4.001, 4.0), F, "|ours/4 - 1| <= 1e-09"),
        (same("", [0.0, 1e-13], 0.0), H, "|ours| <= 1e-12"),
        (same("", [0.0, 1e-11], 0.0), F, "|ours| <= 1e-12"),
        (close("", 0.75, 0.5, 0.3), H, "|ours - 0.5| < 0.3"),
        (close("", 0.75, 0.5, 0.25), F, "|ours - 0.5| < 0.25"),
        (exactly("", [8, 5, 5], [8, 5, 5]), H, "exactly [8, 5, 5]"),
        (exactly("", [8, 5, 4], [8, 5, 5]), F, "exactly [8, 5, 5]"),
        (bounded("", "gap", 1.0, "<=", 1.0), H, "gap <= 1"),
        (bounded("", "gap", 1.0, "<", 1.0), F, "gap < 1"),
        (bounded("", "gap", [1.0, 3.0], ">", 0.5), H, "gap > 0.5 in each of 2 cases"),
        (bounded("", "gap", [1.0, 3.0], ">=", 2.0), F, "gap >= 2 in each of 2 cases"),
        (bounded("", "gap", [float("nan"), 3.0], ">", 2.0), F, "gap > 2 in each of 2 cases"),
    ],
)
def test_a_fact_is_held_to_the_bound_that_it_shows(found: Finding, verdict: Verdict, judged: str) -> None:
    assert (found.verdict, found.judged) == (verdict, judged)
    assert found.to_json()["judged"] == judged
    assert found.words == ()


def test_a_bound_that_is_a_word_comes_with_it() -> None:
    assert bounded("", "ratio", 3.0, ">", FAR).words == (FAR,)
    assert bounded("", "ratio", 3.0, ">", FAR).judged == "ratio > 2"
    assert agree("", 2.9, 1.0, within=FAR).words == (FAR,)

"""What a page says that it would take to decide: one seed is told apart from a mean that lies on the bound."""

from __future__ import annotations

import numpy as np
import pytest

from sawtooth.claims.logic import Finding, both, inequality
from sawtooth.claims.orders import order_agrees
from sawtooth.report.tables import leaf_text, seeds_text

ALONE = "one seed cannot decide it"
NEVER = "more seeds are not expected to decide"


def order(*per_seed: list[float]) -> Finding:
    return order_agrees("", ["x", "y"], np.array(per_seed), [1.0, 2.0], 0.9)


@pytest.mark.parametrize(
    ("finding", "words"),
    [
        (inequality("a > b", [3.0], ">"), ALONE),
        (inequality("a > b", [3.0, -3.0], ">"), NEVER),
        (inequality("a > b", [3.0, 2.0], ">"), "about 3 seeds would decide"),
        (both("", [inequality("a > b", [3.0], ">"), inequality("c > d", [3.0, -3.0], ">")]), ALONE),
        (both("", [inequality("a > b", [3.0, -3.0], ">")]), NEVER),
        (order([1.0], [2.0]), ALONE),
        (order([1.0, 2.0], [2.0, 1.0]), NEVER),
    ],
)
def test_what_it_would_take_to_decide(finding: Finding, words: str) -> None:
    assert seeds_text(finding) == words
    assert leaf_text(finding).endswith(f"; {words}")

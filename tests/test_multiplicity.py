"""Claims of several parts: the tails of a statement by hand, and how often a true claim of many parts is said to fail."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import pairwise

import numpy as np
import pytest

from sawtooth.claims.logic import Verdict, adjusted, at_least, both, either, fact, inequality, opposite
from sawtooth.claims.multiplicity import TAIL, Sure, at_least_of, holm
from sawtooth.claims.orders import order_agrees
from sawtooth.experiment.intervals import interval, tails

H, F, U = Verdict.HOLDS, Verdict.FAILS, Verdict.UNDECIDED


def test_holm_by_hand() -> None:
    # Sorted 0.01, 0.02, 0.03, 0.5: times 4, 3, 2, 1, and never less than the one before.
    assert holm([0.03, 0.5, 0.01, 0.02]) == pytest.approx([0.06, 0.5, 0.04, 0.06])
    assert holm([]) == []


def test_all_one_and_some_of_three_by_hand() -> None:
    parts = [Sure(0.001, 0.9), Sure(0.02, 0.5), Sure(0.3, 0.004)]
    assert at_least_of(parts, 3) == Sure(0.3, pytest.approx(0.012), 3)  # type: ignore[arg-type]
    assert at_least_of(parts, 1) == Sure(pytest.approx(0.003), 0.9, 3)  # type: ignore[arg-type]
    # two of three: (3 - 2 + 1) x second smallest; fails if two fail: 2 x second smallest
    assert at_least_of(parts, 2) == Sure(pytest.approx(0.04), pytest.approx(1.0), 3)  # type: ignore[arg-type]


def test_facts_are_not_counted() -> None:
    part = inequality("x", [-1.0, -1.2, -0.9], ">")
    assert part.tails.fails < TAIL
    crowd = [fact(str(number), True) for number in range(50)]
    assert both("", [part, *crowd]).tails == part.tails
    assert both("", [part, fact("", False)]).verdict is F
    assert either("", [part, fact("", True)]).tails == Sure(0.0, 1.0, 0)
    assert both("", [part, inequality("one seed", [5.0], ">")]).verdict is F
    assert both("", [inequality("one seed", [5.0], ">"), *crowd]).verdict is U


def test_conjunctions_within_conjunctions_are_one() -> None:
    parts = [inequality(str(n), np.array([-1.0, -2.0, -3.0]) - n, ">") for n in range(4)]
    nested = both("", [both("", parts[:3]), parts[3]])
    assert nested.tails == both("", parts).tails
    assert opposite("", nested).tails == nested.tails.opposite
    assert [round(tail / part.tails.fails) for part, tail in adjusted(nested)][-1] == 4


def test_one_part_that_fails_alone_leaves_a_claim_of_many_open() -> None:
    weak = inequality("weak", [-1.0, -1.5, -0.7, -1.6], ">")
    assert weak.verdict is F
    firm = [inequality(str(n), [5.0, 6.0, 5.5, 6.2], ">") for n in range(40)]
    found = both("all", [weak, *firm])
    assert found.verdict is U
    assert found.seeds is not None
    assert found.seeds > 4
    assert both("two", [weak, firm[0]]).verdict is F  # twice its tail is still below 2.5 %
    assert both("all", firm).verdict is H  # each by itself: nothing to correct


@pytest.mark.parametrize(("n", "bound"), [(5, 0.3), (30, -0.1), (25, 0.8)])
def test_tails_go_with_the_intervals(n: int, bound: float) -> None:
    random = np.random.RandomState(n)
    for _ in range(60):
        values = random.exponential(size=n) - 0.7
        found, sides = interval(values), tails(values, bound)
        assert found.low is not None
        assert found.high is not None
        assert (sides.above <= TAIL) == (found.low > bound)
        assert (sides.below <= TAIL) == (found.high < bound)


def test_tails_beyond_the_last_resample_go_on_falling() -> None:
    values = np.random.RandomState(1).exponential(size=30)
    far = [tails(values, bound).above for bound in np.linspace(0.5, -3.0, 30)]
    assert all(a > b > 0.0 for a, b in pairwise(far))


def shares_decided(parts: int, trials: int = 1500, seeds: int = 8) -> Mapping[tuple[str, Verdict], float]:
    """How often a claim of so many parts, each exactly on its bound, is said to hold or to fail, by the way its parts are joined."""
    random = np.random.RandomState(parts)
    found: Counter[tuple[str, Verdict]] = Counter()
    for _ in range(trials):
        values = random.normal(size=(parts, seeds)) + random.normal(size=seeds)  # parts share their seeds
        each = [inequality("", row, ">=") for row in values]
        joined = {"and": both("", each), "or": either("", each), "half": at_least("", parts // 2, each)}
        found.update((how, whole.verdict) for how, whole in joined.items())
    return {case: count / trials for case, count in found.items()}


@pytest.mark.parametrize("parts", [2, pytest.param(12, marks=pytest.mark.long)])
def test_a_claim_of_many_parts_is_decided_by_luck_no_more_often_than_one(parts: int) -> None:
    found = shares_decided(parts)
    assert {case[0] for case in found} == {"and", "or", "half"}
    for case in (("and", F), ("or", H), ("half", F), ("half", H)):
        assert found.get(case, 0.0) <= 0.035, case  # 2.5 % and three standard errors of 1,500 trials


def test_without_the_correction_one_of_twelve_fails_often() -> None:
    random = np.random.RandomState(12)
    wrong = 0
    for _ in range(400):
        values = random.normal(size=(12, 8))
        wrong += any(inequality("", row, ">=").verdict is F for row in values)
    assert wrong / 400 > 0.15  # 1 - 0.975^12 = 0.26 for independent parts


def test_pairs_of_an_order_are_decided_together() -> None:
    # Four things alike: whichever order comes out is luck, and one that is published is neither met nor missed.
    random = np.random.RandomState(4)
    names = ("a", "b", "c", "d")
    decided = sum(
        order_agrees("", names, random.normal(size=(4, 8)), [1, 2, 3, 4], 0.8).verdict is not U
        for _ in range(300)
    )
    assert decided / 300 <= 0.05
    clear = np.arange(4)[:, None] + 0.01 * random.normal(size=(4, 8))
    assert order_agrees("", names, clear, [1, 2, 3, 4], 0.8).tails.holds < TAIL
    assert order_agrees("", names, clear, [4, 3, 2, 1], 0.8).tails.fails < TAIL

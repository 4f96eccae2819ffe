"""Intervals: the t value by hand, coverage by simulation, the degenerate cases, and the number of seeds that would decide."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sawtooth.experiment.intervals import (
    BOOTSTRAP_FROM,
    BOOTSTRAP_T,
    EXACT,
    NONE,
    PAIRED_T,
    PAIRED_T_TIES,
    SEEDS_MAX,
    interval,
    seeds_to_decide,
    student_t,
    tails,
)

Draw = Callable[[np.random.RandomState, int], NDArray[np.float64]]


def normal(random: np.random.RandomState, n: int) -> NDArray[np.float64]:
    """Mean 0."""
    return np.asarray(random.normal(size=n))


def exponential(random: np.random.RandomState, n: int) -> NDArray[np.float64]:
    """Mean 1."""
    return np.asarray(random.exponential(size=n))


def test_paired_t_of_five_values_by_hand() -> None:
    # Mean 3, sd sqrt(10/4) = 1.5811, standard error 0.70711; t(4, 0.975) = 2.77645 from the printed tables: 1.96324.
    found = interval([1, 2, 3, 4, 5])
    assert found.method == PAIRED_T
    assert found.mean == 3.0
    assert found.low == pytest.approx(3 - 1.96324, abs=1e-5)
    assert found.high == pytest.approx(3 + 1.96324, abs=1e-5)
    assert found.half_width == pytest.approx(1.96324, abs=1e-5)


@pytest.mark.parametrize(("n", "printed"), [(2, 12.706), (3, 4.303), (5, 2.776), (10, 2.262), (20, 2.093)])
def test_quantiles_are_those_of_the_tables(n: int, printed: float) -> None:
    assert student_t(n) == pytest.approx(printed, abs=5e-4)


@pytest.mark.parametrize(
    ("draw", "mean", "n", "low", "high"),
    [
        (normal, 0.0, 5, 0.935, 0.965),
        (exponential, 1.0, BOOTSTRAP_FROM, 0.93, 0.97),
        (exponential, 1.0, 5, 0.84, 0.91),  # skewed and few: the head of the module says 0.87
    ],
)
def test_coverage(draw: Draw, mean: float, n: int, low: float, high: float) -> None:
    random = np.random.RandomState(7)
    trials = 1000
    hits = 0
    for _ in range(trials):
        found = interval(draw(random, n))
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= mean <= found.high
    assert low <= hits / trials <= high


def test_from_twenty_seeds_on_the_interval_follows_the_skew_of_the_values() -> None:
    values = exponential(np.random.RandomState(3), BOOTSTRAP_FROM)
    found = interval(values)
    assert found.method == BOOTSTRAP_T
    assert found == interval(values)
    assert found.low is not None
    assert found.high is not None
    assert found.high - found.mean > 1.2 * (found.mean - found.low)
    assert interval(values[:-1]).method == PAIRED_T


def test_one_value_has_no_interval() -> None:
    found = interval([4.0])
    assert (found.mean, found.low, found.high, found.half_width, found.method) == (
        4.0,
        None,
        None,
        None,
        NONE,
    )


def test_an_undefined_value_leaves_the_mean_undefined() -> None:
    found = interval([1.0, math.nan])
    assert math.isnan(found.mean)
    assert found.low is None


@pytest.mark.parametrize("n", [2, 5, 40])
def test_equal_values_are_a_point(n: int) -> None:
    found = interval([0.3] * n)
    assert (found.low, found.high, found.method) == (found.mean, found.mean, EXACT)


def test_mostly_equal_values_fall_back_to_t_and_say_so() -> None:
    found = interval([0.0] * 19 + [1.0])
    assert found.method == PAIRED_T_TIES
    assert found.low is not None
    assert found.low < 0.05 < (found.high or 0.0)


@pytest.mark.parametrize("value", [0.1, 1 / 3, 1e9 + 0.1])
@pytest.mark.parametrize("n", [20, 21, 24, 30, 33])
def test_a_resample_of_equal_values_has_no_spread_of_rounding(value: float, n: int) -> None:
    """The mean of twenty times 0.1 is not 0.1, and a mean over such a spread would be 10¹⁵ of them away."""
    values = np.array([value] * (n - 1) + [value + 0.7])
    found = interval(values)
    assert found.method == PAIRED_T_TIES
    assert found.half_width == pytest.approx(student_t(n) * values.std(ddof=1) / math.sqrt(n), rel=1e-6)
    sure = tails(values, value)
    assert 0.0 < sure.above < sure.below < 1.0


@pytest.mark.parametrize("values", [[], [[1.0, 2.0]]])
def test_anything_but_one_value_per_seed_is_refused(values: list[object]) -> None:
    with pytest.raises(ValueError, match="one value per seed"):
        interval(np.asarray(values, dtype=np.float64))


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30), st.floats(-1e3, 1e3), st.floats(0.1, 10))
def test_the_interval_moves_and_stretches_with_the_values(
    values: list[float], shift: float, scale: float
) -> None:
    base = interval(values)
    moved = interval([scale * value + shift for value in values])
    if EXACT in (base.method, moved.method) or base.method != moved.method:
        return  # spread that rounding swallows
    size = max(1.0, *(abs(value) for value in values)) * scale + abs(shift)
    assert moved.mean == pytest.approx(scale * base.mean + shift, abs=1e-9 * size)
    assert moved.low == pytest.approx(scale * (base.low or 0.0) + shift, abs=1e-6 * size)


def test_seeds_to_decide_is_the_least_number_that_does() -> None:
    values = [0.1, -0.2, 0.4, 0.2, -0.1]
    found = seeds_to_decide(values, 0.0)
    assert found is not None
    deviation, distance = float(np.std(values, ddof=1)), abs(float(np.mean(values)))
    half = [student_t(n) * deviation / math.sqrt(n) for n in (found - 1, found)]
    assert half[1] < distance <= half[0]


def test_seeds_to_decide_where_no_number_would() -> None:
    assert seeds_to_decide([-1.0, 1.0], 0.0) is None
    assert seeds_to_decide([1.0], 0.0) is None
    assert seeds_to_decide([0.5, 0.5], 0.5) is None
    assert seeds_to_decide([1e-6, 1.0, -1.0], 0.0) is None  # more than SEEDS_MAX


def test_seeds_to_decide_without_spread_and_far_from_the_bound() -> None:
    assert seeds_to_decide([1.0, 1.0], 0.5) == 2
    assert (seeds_to_decide([10.0, 10.1, 9.9], 0.0) or SEEDS_MAX) <= 3

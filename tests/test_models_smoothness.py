"""Smoothness, responsiveness and aggressiveness, and the arithmetic of TFRC's average loss interval.

Source: [Floyd00] §2, §5.1 and §7; [BansalBalakrishnan01]; RFC 5348 §5.4.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy as sp

from sawtooth.errors import InputError
from sawtooth.models import padhye, smoothness, tfrc_average


def test_responsiveness_of_aimd() -> None:
    assert smoothness.smoothness(0.125) == 0.875
    assert smoothness.responsiveness(0.5) == pytest.approx(1)
    assert (1 - 0.125) ** smoothness.responsiveness(0.125) == pytest.approx(0.5)
    assert smoothness.responsiveness(0.0) == math.inf
    b = np.array([0.1, 0.3, 0.9])
    np.testing.assert_allclose(smoothness.removed_at_responsiveness(smoothness.responsiveness(b)), b)
    assert smoothness.aggressiveness(0.2) == 0.2


def test_aimd_is_a_binomial_control() -> None:
    for b in (0.125, 0.5):
        assert smoothness.binomial_increased(20.0, 0, 0.3) == pytest.approx(20.3)
        assert smoothness.binomial_decreased(20.0, 1, b) == pytest.approx((1 - b) * 20)
        assert smoothness.binomial_smoothness(20.0, 1, b) == pytest.approx(1 - b)
        assert smoothness.binomial_responsiveness(20.0, 1, b) == pytest.approx(smoothness.responsiveness(b))
    assert smoothness.binomial_aggressiveness(16.0, 0.5, 1.0) == pytest.approx(0.25)  # SQRT at 16 packets
    assert smoothness.binomial_decreased(16.0, 0.5, 0.6) == pytest.approx(16 - 2.4)


@pytest.mark.parametrize("power", ["0", "1/2", "3/4"])
def test_the_halving_constant_is_the_integral(power: str) -> None:
    """dW/dt = -β W^l halves W after c/(β W^(l-1)) rounds; 1 - smoothness = β W^(l-1)."""
    l, w = sp.Rational(power), sp.symbols("w", positive=True)  # noqa: E741 - the paper's letter
    wanted = sp.integrate(w**-l, (w, sp.Rational(1, 2), 1))
    assert smoothness.halving_constant(float(l)) == pytest.approx(float(wanted))
    window, rest = 1e4, 1e-3
    rounds = smoothness.binomial_responsiveness(window, float(l), rest * window ** (1 - float(l)))
    assert rounds * rest == pytest.approx(float(wanted), rel=2e-3)


def test_the_halving_constant_joins_aimd() -> None:
    assert smoothness.halving_constant(1.0) == pytest.approx(math.log(2))
    assert smoothness.halving_constant(np.array([1 - 1e-9]))[0] == pytest.approx(math.log(2), rel=1e-6)


def test_the_weights_of_the_loss_intervals() -> None:
    np.testing.assert_allclose(tfrc_average.weights(), [1, 1, 1, 1, 0.8, 0.6, 0.4, 0.2])
    assert tfrc_average.newest_weight() == pytest.approx(1 / 6)
    assert tfrc_average.newest_weight(tfrc_average.STRONGEST_DISCOUNT) == pytest.approx(0.4)


def test_the_average_by_hand() -> None:
    closed = [10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0]
    wanted = (10 + 20 + 30 + 40 + 0.8 * 50 + 0.6 * 60 + 0.4 * 70 + 0.2 * 80) / 6
    assert tfrc_average.average_interval(closed) == pytest.approx(wanted)
    assert tfrc_average.average_interval([*closed, 9e9]) == pytest.approx(wanted)  # a ninth counts no more
    # an open interval that is short lowers nothing; one that is long counts as the newest, the oldest dropping out
    assert tfrc_average.average_interval(closed, 1.0) == pytest.approx(wanted)
    with_open = (500 + 10 + 20 + 30 + 0.8 * 40 + 0.6 * 50 + 0.4 * 60 + 0.2 * 70) / 6
    assert tfrc_average.average_interval(closed, 500.0) == pytest.approx(with_open)
    discounted = (500 + 0.3 * (6 * with_open - 500)) / (1 + 0.3 * 5)
    assert tfrc_average.average_interval(closed, 500.0, 0.3) == pytest.approx(discounted)
    assert tfrc_average.loss_event_rate([100.0] * 8) == pytest.approx(0.01)
    assert tfrc_average.average_interval([100.0, 100.0]) == pytest.approx(100)


def test_losses_within_a_round_trip_are_one_event() -> None:
    times = [0.0, 0.05, 0.1, 0.15, 0.24, 1.0]
    # 0.05 and 0.1 belong to the event of 0.0; 0.15 begins one, to which 0.24 belongs
    assert tfrc_average.loss_events(times, 0.1) == [0.0, 0.15, 1.0]
    assert tfrc_average.loss_events([], 0.1) == []


def test_the_increase_of_tfrc_rises_to_its_limit() -> None:
    a, w, c = sp.symbols("A w c", positive=True)
    step = c * (sp.sqrt(a + w * c * sp.sqrt(a)) - sp.sqrt(a))
    assert sp.simplify(sp.limit(step, a, sp.oo) - c**2 * w / 2) == 0
    averages = np.geomspace(10, 1e8, 50)
    for weight in (1 / 6, 0.4):
        steps = tfrc_average.increase(averages, weight)
        assert (np.diff(steps) > 0).all()
        assert steps[-1] == pytest.approx(tfrc_average.increase_limit(weight), rel=1e-4)
        assert (steps < tfrc_average.increase_limit(weight)).all()
    assert tfrc_average.increase_limit(1 / 6) == pytest.approx(0.125)
    assert tfrc_average.increase_limit(0.4, 1.2) == pytest.approx(0.288)


def test_the_increase_is_that_of_the_average_itself() -> None:
    """The formula against the average computed from intervals, one round trip without loss at a time."""
    interval = 10_000.0
    rate = tfrc_average.square_root_rate(interval)
    # the open interval has just reached the average; a round trip later it is longer by the packets of that round trip
    later = tfrc_average.square_root_rate(
        tfrc_average.average_interval([interval] * 8, open_interval=interval + rate)
    )
    assert later - rate == pytest.approx(float(tfrc_average.increase(interval, 1 / 6)), rel=1e-9)


def test_tfrc_halves_its_rate_in_five_round_trips() -> None:
    """After five, the old intervals have 0.6 + 0.4 + 0.2 of 6 weights: a fifth, and the rate its root; after four a third."""
    assert tfrc_average.rounds_to_halve(10_000) == 5
    assert tfrc_average.rounds_to_halve(1e7) == 5

    def with_timeouts(average: float) -> float:
        return float(padhye.tfrc(1 / average, 1.0, 4.0))

    assert tfrc_average.rounds_to_halve(10_000, with_timeouts) == 5


WRONG: tuple[tuple[Callable[[], Any], str], ...] = (
    (lambda: smoothness.smoothness(1.0), "b = 1.0"),
    (lambda: smoothness.removed_at_responsiveness(0), "rounds = 0.0"),
    (lambda: smoothness.binomial_decreased(4.0, 0, 5.0), "window = 4.0"),
    (lambda: smoothness.binomial_increased(0.0, 1, 1.0), "window = 0.0"),
    (lambda: smoothness.halving_constant(2.0), "l = 2.0"),
    (lambda: tfrc_average.weights(7), "intervals = 7"),
    (lambda: tfrc_average.average_interval([]), "closed = 0"),
    (lambda: tfrc_average.average_interval([1.0], 2.0, 1.5), "discount = 1.5"),
    (lambda: tfrc_average.loss_events([0.0], 0.0), "rtt = 0.0"),
    (lambda: tfrc_average.rounds_to_halve(0.1), "interval = 0.1"),
)


@pytest.mark.parametrize(("call", "named"), WRONG, ids=[named for _, named in WRONG])
def test_wrong_input_is_named(call: Callable[[], Any], named: str) -> None:
    with pytest.raises(InputError) as caught:
        call()
    assert named in str(caught.value)

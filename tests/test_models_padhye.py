"""The stochastic response function of TCP: its derivation again by computer algebra, its sums term by term, its limits.

Source: [Padhye98] §2; [Floyd00] equation 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy as sp

from sawtooth.errors import InputError
from sawtooth.models import padhye


@pytest.mark.parametrize("d", [1, 2])
def test_the_mean_window_solves_its_equations(d: int) -> None:
    """W = 2X/d and (1 - p)/p + W = X/2 (W/2 + W - 1) + W/2, for the packets of a period between losses."""
    p, w = sp.symbols("p W", positive=True)
    x = sp.Rational(d, 2) * w
    period = sp.Eq((1 - p) / p + w, x / 2 * (w / 2 + w - 1) + w / 2)
    for loss in (sp.Rational(1, 10), sp.Rational(1, 1000)):
        (positive,) = [root for root in sp.solve(period.subs(p, loss), w) if root > 0]
        assert padhye.window_at_loss(float(loss), d) == pytest.approx(float(positive))


@pytest.mark.parametrize("p", [0.003, 0.1, 0.6])
@pytest.mark.parametrize("w", [4, 7, 30])
def test_the_timeout_probability_is_its_sum(p: float, w: int) -> None:
    """Term by term: the last round gets k < w packets through, the round after it m of these k; fewer than 3 means a timeout."""

    def rounds(k: int) -> float:
        return (1 - p) ** k * p / (1 - (1 - p) ** w)

    def next_round(n: int, m: int) -> float:
        return (1 - p) ** m * p if m < n else (1 - p) ** n

    wanted = sum(rounds(k) for k in range(3))
    wanted += sum(rounds(k) * sum(next_round(k, m) for m in range(3)) for k in range(3, w))
    assert padhye.timeout_probability(p, w) == pytest.approx(wanted)


def test_the_timeout_probability_at_its_ends() -> None:
    assert padhye.timeout_probability(0.01, 3) == padhye.timeout_probability(0.01, 1) == 1
    # 3/w for small p: [Padhye98]'s own approximation
    assert padhye.timeout_probability(1e-9, 1000) == pytest.approx(3 / 1000, rel=0.01)


def test_the_sequence_of_timeouts_has_its_mean_length() -> None:
    """k timeouts in a row with probability p^(k-1) (1 - p) last (2^k - 1) T0 up to k = 6, then 64 T0 more each."""
    for p in (0.05, 0.4):
        length = [2**k - 1 if k <= 6 else 63 + 64 * (k - 6) for k in range(1, 2000)]
        mean = sum(p ** (k - 1) * (1 - p) * length[k - 1] for k in range(1, 2000))
        assert padhye.backoff(p) / (1 - p) == pytest.approx(mean)


def test_all_forms_meet_the_square_root_where_losses_are_rare() -> None:
    for form in (padhye.full, padhye.approximate, padhye.tfrc):
        assert form(1e-10, 0.1, 0.2) * 0.1 * math.sqrt(1e-10) == pytest.approx(math.sqrt(1.5), rel=1e-4)
    # one acknowledgement for two packets: sqrt(3/4)
    assert padhye.full(1e-10, 0.1, 0.2, 2) * 0.1 * 1e-5 == pytest.approx(math.sqrt(0.75), rel=1e-4)
    assert padhye.approximate(1e-10, 0.1, 0.2, 2) * 0.1 * 1e-5 == pytest.approx(math.sqrt(0.75), rel=1e-4)


def test_the_form_of_tfrc_parts_from_the_approximation_above_8_27() -> None:
    p = np.array([0.01, 0.1, 8 / 27])
    np.testing.assert_allclose(padhye.tfrc(p, 0.1, 0.4), padhye.approximate(p, 0.1, 0.4), rtol=1e-12)
    assert padhye.tfrc(0.31, 0.1, 0.4) < padhye.approximate(0.31, 0.1, 0.4)
    assert padhye.tfrc(0.01, 0.1, 0.4, 1000) == pytest.approx(1000 * padhye.tfrc(0.01, 0.1, 0.4))
    # by hand at p = 6/100: sqrt(2p/3) = 0.2, 3 sqrt(3p/8) = 0.45
    wanted = 1 / (0.1 * 0.2 + 0.4 * 0.45 * 0.06 * (1 + 32 * 0.0036))
    assert padhye.tfrc(0.06, 0.1, 0.4) == pytest.approx(wanted)


def test_the_window_of_the_receiver_limits_the_rate() -> None:
    small = padhye.full(1e-6, 0.1, 0.2, window_max=10)
    assert small == pytest.approx(10 / 0.1, rel=1e-3)
    assert padhye.approximate(1e-6, 0.1, 0.2, window_max=10) == pytest.approx(100)
    unlimited = padhye.full(0.05, 0.1, 0.2)
    assert padhye.full(0.05, 0.1, 0.2, window_max=1e6) == unlimited
    assert padhye.full(0.05, 0.1, 0.2, window_max=3) < unlimited


def test_rates_fall_with_loss_round_trip_and_timer() -> None:
    p = np.geomspace(1e-6, 0.9, 300)
    for form in (padhye.full, padhye.approximate, padhye.tfrc):
        rates = form(p, 0.1, 0.2)
        assert rates.shape == p.shape
        assert (np.diff(rates) < 0).all()
        assert (form(p, 0.2, 0.2) < rates).all()
        assert (form(p, 0.1, 0.4) < rates).all()
        assert form(0.1, 0.1, 0.2) == form(np.array([[0.1]]), 0.1, 0.2)[0, 0]


WRONG: tuple[tuple[Callable[[], Any], str], ...] = (
    (lambda: padhye.full(1.0, 0.1, 0.2), "p = 1.0"),
    (lambda: padhye.tfrc(0.1, -1, 0.2), "rtt = -1.0"),
    (lambda: padhye.approximate(0.1, 0.1, math.nan), 'rto = "nan"'),
    (lambda: padhye.full(0.1, 0.1, 0.2, per_ack=0), "per_ack = 0.0"),
    (lambda: padhye.full(0.1, 0.1, 0.2, window_max=0), "window_max = 0.0"),
    (lambda: padhye.approximate(0.1, 0.1, 0.2, window_max=-1), "window_max = -1.0"),
)


@pytest.mark.parametrize(("call", "named"), WRONG, ids=[named for _, named in WRONG])
def test_wrong_input_is_named(call: Callable[[], Any], named: str) -> None:
    with pytest.raises(InputError) as caught:
        call()
    assert named in str(caught.value)

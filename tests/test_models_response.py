"""The deterministic response function: derived again by computer algebra, and against a sawtooth followed packet by packet.

Source: [Floyd00] §3.1 and appendix A; [Mathis97] for random losses.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp

from sawtooth.errors import InputError
from sawtooth.models import compatibility, random_loss, response
from sawtooth.models.whole_packets import whole_packets

LAWS = ((1.0, 0.5), (0.2, 0.125), (0.4, 0.125), (1.0, 0.125), (3 / 7, 0.25), (2.0, 0.9))

A, B, P, W, S = sp.symbols("a b p W S", positive=True)


def drop_rate_of_epoch() -> Any:
    """p of one epoch: one packet of (bW/a + 1) rounds with (1 - b/2) W packets each."""
    return 1 / ((B * W / A + 1) * (1 - B / 2) * W)


def test_equation_4_is_one_drop_per_epoch() -> None:
    printed = 2 * A / (B * (2 - B) * W**2 + A * (2 - B) * W)
    assert sp.simplify(drop_rate_of_epoch() - printed) == 0


def test_the_rate_in_an_epoch_is_the_mean_of_its_windows() -> None:
    # n rounds from (1 - b)W to W in steps of a: n = bW/a + 1
    n, step = sp.symbols("n step", positive=True)
    windows = sp.summation((1 - B) * W + A * step, (step, 0, n - 1)) / n
    assert sp.simplify(windows.subs(n, B * W / A + 1) - (1 - B / 2) * W) == 0


def test_the_exact_window_and_rate_solve_the_epoch_and_are_the_printed_ones() -> None:
    root = sp.sqrt(P * (B - 2) * A * (P * B * A - 8 * B - 2 * P * A))
    window = (-2 * P * A + P * B * A + root) / (2 * P * B * (2 - B))
    rate = (-2 * P * A + P * B * A + root) / (4 * P * B)
    quadratic = sp.expand(P * (B * (2 - B) * W**2 + A * (2 - B) * W) - 2 * A)
    assert sp.simplify(quadratic.subs(W, window)) == 0
    assert sp.simplify(rate - (2 - B) / 2 * window) == 0
    # the code's form, free of cancellation, is the same expression: both are the positive root of 1/p = S + k S²
    k = 2 * B / (A * (2 - B))
    assert sp.simplify((S + k * S**2 - 1 / P).subs(S, rate)) == 0
    ours = 2 / (P + sp.sqrt(P**2 + 4 * k * P))
    assert sp.simplify((S + k * S**2 - 1 / P).subs(S, ours)) == 0


def test_the_code_is_the_printed_expression() -> None:
    root = sp.sqrt(P * (B - 2) * A * (P * B * A - 8 * B - 2 * P * A))
    printed = sp.lambdify((A, B, P), (-2 * P * A + P * B * A + root) / (4 * P * B))
    for a, b in LAWS:
        for p in (0.5, 0.1, 1e-2, 1e-3):
            assert response.rate(a, b, p) == pytest.approx(printed(a, b, p))
            assert response.window(a, b, p) == pytest.approx(printed(a, b, p) / (1 - b / 2))


def test_the_approximation_is_the_limit_of_the_exact_form() -> None:
    k = 2 * B / (A * (2 - B))
    exact = 2 / (P + sp.sqrt(P**2 + 4 * k * P))
    assert sp.simplify(sp.limit(exact * sp.sqrt(P), P, 0, "+") - 1 / sp.sqrt(k)) == 0
    assert response.approximate_rate(1, 0.5, 0.01) == pytest.approx(math.sqrt(1.5) / 0.1)
    for a, b in LAWS:
        assert response.rate(a, b, 1e-12) == pytest.approx(response.approximate_rate(a, b, 1e-12), rel=1e-5)
        assert response.approximate_window(a, b, 0.01) == pytest.approx(
            math.sqrt(2 * a / (b * (2 - b) * 0.01))
        )


def test_equation_9_is_exact() -> None:
    """Equal response functions at every p, not only approximately: [Floyd00] §3.2 gives 0.197 to 0.192 where it is 0.2."""
    k = 2 * B / (A * (2 - B))
    (increase,) = sp.solve(sp.Eq(k, sp.Rational(2, 3)), A)
    assert sp.simplify(increase - 3 * B / (2 - B)) == 0
    for b in (0.05, 0.125, 0.25, 0.5, 0.75):
        a = compatibility.compatible_increase(b)
        for p in (1e-4, 0.01, 0.1, 0.5):
            assert response.rate(a, b, p) == pytest.approx(response.rate(1, 0.5, p), rel=1e-12)
        assert compatibility.compatible_decrease(a) == pytest.approx(b)


def brute_force(a: Fraction, b: Fraction, peak: Fraction) -> tuple[Fraction, Fraction]:
    """(rate, drop rate) of the deterministic sawtooth, round by round in exact fractions over ten epochs: no formula."""
    window, rounds, packets, drops = (1 - b) * peak, 0, Fraction(0), 0
    while drops < 10:
        rounds += 1
        packets += window
        if window >= peak:
            drops += 1
            window = (1 - b) * window
        else:
            window += a
    return packets / rounds, drops / packets


@pytest.mark.parametrize(
    ("a", "b", "peak"),
    [
        ("1", "1/2", "8"),
        ("1", "1/2", "100"),
        ("1/5", "1/8", "40"),
        ("2/5", "1/8", "16"),
        ("3/7", "1/4", "12"),
    ],
)
def test_a_sawtooth_followed_round_by_round_has_the_exact_response(a: str, b: str, peak: str) -> None:
    law = float(Fraction(a)), float(Fraction(b))
    rounds = Fraction(b) * Fraction(peak) / Fraction(a)
    assert rounds.denominator == 1, "the model needs a whole number of increases"
    rate, loss = brute_force(Fraction(a), Fraction(b), Fraction(peak))
    assert response.rate(*law, float(loss)) == pytest.approx(float(rate), rel=1e-12)
    assert response.window(*law, float(loss)) == pytest.approx(float(Fraction(peak)), rel=1e-12)
    assert response.drop_rate(*law, float(rate)) == pytest.approx(float(loss), rel=1e-12)
    assert response.drop_rate_at_window(*law, float(Fraction(peak))) == pytest.approx(float(loss), rel=1e-12)
    assert response.epoch(*law, float(Fraction(peak))) == pytest.approx(float(rounds) + 1)
    assert response.mean_rate(law[1], float(Fraction(peak))) == pytest.approx(float(rate))


@pytest.mark.parametrize(("a", "b"), LAWS)
def test_drop_rate_inverts_rate_down_to_tiny_losses(a: float, b: float) -> None:
    p = np.geomspace(1e-12, 0.99, 200)
    np.testing.assert_allclose(response.drop_rate(a, b, response.rate(a, b, p)), p, rtol=1e-12)
    np.testing.assert_allclose(
        response.approximate_drop_rate(a, b, response.approximate_rate(a, b, p)), p, rtol=1e-12
    )


def test_numbers_at_the_ends_of_the_range_stay_numbers() -> None:
    for p in (1e-300, 1e-100, 1 - 1e-15):
        rate = float(response.rate(1, 0.5, p))
        assert math.isfinite(rate)
        assert rate > 0
    assert response.drop_rate(1, 0.5, 1e150) == pytest.approx(1.5e-300)


def test_without_a_decrease_there_is_one_drop_in_a_window() -> None:
    # 1/p = (0 + 1) W: the sawtooth is flat, and the approximation, which leaves that term out, is infinite
    assert response.rate(1, 0.0, 0.01) == 100
    assert response.window(1, 0.0, 0.01) == 100
    assert response.approximate_rate(1, 0.0, 0.01) == math.inf


def test_per_second_divides_by_the_round_trip() -> None:
    found = response.response(1, 0.5, 0.01, 0.1)
    assert (found.T_exact, found.T_approx) == pytest.approx((found.S_exact / 0.1, found.S_approx / 0.1))
    assert pytest.approx(found.S_exact) == 0.75 * found.W


FUNCTIONS: tuple[tuple[Callable[..., Any], tuple[float, ...]], ...] = (
    (response.curvature, (1, 0.5)),
    (response.rate, (1, 0.5, 0.01)),
    (response.window, (1, 0.5, 0.01)),
    (response.approximate_rate, (1, 0.5, 0.01)),
    (response.approximate_window, (1, 0.5, 0.01)),
    (response.drop_rate, (1, 0.5, 12)),
    (response.approximate_drop_rate, (1, 0.5, 12)),
    (response.drop_rate_at_window, (1, 0.5, 12)),
    (response.epoch, (1, 0.5, 12)),
    (response.mean_rate, (0.5, 12)),
    (response.per_second, (12, 0.1)),
    (compatibility.compatible_increase, (0.125,)),
    (compatibility.compatible_decrease, (0.2,)),
    (compatibility.throughput_ratio, (1, 0.125)),
    (compatibility.exact_throughput_ratio, (1, 0.125, 0.01)),
    (compatibility.drop_rate_ratio, (1, 0.125)),
    (compatibility.exact_drop_rate_ratio, (1, 0.125, 12)),
    (compatibility.increase_of_many, (3, 0.5)),
    (random_loss.regular_constant, (1, 0.5)),
    (random_loss.random_constant, (1, 0.5)),
    (random_loss.random_rate, (1, 0.5, 0.01)),
)


@pytest.mark.parametrize(("function", "arguments"), FUNCTIONS, ids=lambda x: getattr(x, "__name__", ""))
def test_scalars_and_arrays_agree(function: Callable[..., Any], arguments: tuple[float, ...]) -> None:
    alone = function(*arguments)
    assert isinstance(alone, float)  # a NumPy float64 is one
    for place in range(len(arguments)):
        given = [np.full((2, 3), x) if i == place else x for i, x in enumerate(arguments)]
        found = function(*given)
        assert found.shape == (2, 3)
        assert (found == alone).all()


WRONG: tuple[tuple[Callable[[], Any], str], ...] = (
    (lambda: response.rate(1, 0.5, 0.0), "p = 0.0"),
    (lambda: response.rate(1, 0.5, 1.0), "p = 1.0"),
    (lambda: response.rate(1, 0.5, [0.1, math.nan]), 'p = "nan"'),
    (lambda: response.rate(1, 1.0, 0.1), "b = 1.0"),
    (lambda: response.rate(1, -0.1, 0.1), "b = -0.1"),
    (lambda: response.rate(0, 0.5, 0.1), "a = 0.0"),
    (lambda: response.rate(math.inf, 0.5, 0.1), 'a = "inf"'),
    (lambda: response.per_second(1, 0), "rtt = 0.0"),
    (lambda: response.drop_rate(1, 0.5, 0.1), "rate = 0.1"),
    (lambda: response.drop_rate(1, 0.5, -1), "rate = -1.0"),
    (lambda: compatibility.compatible_increase(0), "b = 0.0"),
    (lambda: compatibility.compatible_decrease(3), "a = 3.0"),
    (lambda: whole_packets(1, 0.5, 3), "n = 3"),
)


@pytest.mark.parametrize(("call", "named"), WRONG, ids=[named for _, named in WRONG])
def test_wrong_input_is_named(call: Callable[[], Any], named: str) -> None:
    with pytest.raises(InputError) as caught:
        call()
    assert named in str(caught.value)
    assert "expected" in str(caught.value)


def test_ratios_to_tcp() -> None:
    ratio = sp.sqrt((2 - B) * A / (3 * B))
    for a, b in LAWS:
        wanted = float(ratio.subs({A: a, B: b}))
        assert compatibility.throughput_ratio(a, b) == pytest.approx(wanted)
        assert compatibility.drop_rate_ratio(a, b) == pytest.approx(wanted**2)
        # the exact ratios start there and fade towards 1 as losses grow
        exact = compatibility.exact_throughput_ratio(a, b, np.array([1e-12, 1e-3, 1e-2, 0.1]))
        assert exact[0] == pytest.approx(wanted, rel=1e-5)
        assert (np.diff(np.abs(np.log(exact))) <= 1e-12).all()
        drops = compatibility.exact_drop_rate_ratio(a, b, np.array([1e12, 1e3, 1e2, 10.0]))
        assert drops[0] == pytest.approx(wanted**2, rel=1e-5)
        assert (np.diff(np.abs(np.log(drops))) <= 1e-12).all()
    assert compatibility.increase_of_many(7, 0.5) == pytest.approx(49)
    as_three = compatibility.increase_of_many(3, 0.125)
    assert compatibility.throughput_ratio(as_three, 0.125) == pytest.approx(3)


def test_the_constants_of_regular_and_random_losses() -> None:
    assert random_loss.regular_constant(1, 0.5) == pytest.approx(math.sqrt(1.5))
    # [Mathis97] gives 1.22 and 1.31, to two digits
    assert random_loss.random_constant(1, 0.5) == pytest.approx(1.31, abs=0.005)


@pytest.mark.parametrize(("a", "b"), [(1.0, 0.5), (0.2, 0.125)])
def test_the_constant_of_random_losses_is_the_mean_of_its_process(a: float, b: float) -> None:
    p, count = 1e-6, 200_000
    gaps = np.random.Generator(np.random.PCG64(7)).exponential(1 / p, count)
    packets = rounds = 0.0
    window = math.sqrt(1 / p)
    for gap in gaps:  # between losses w² grows by 2a per packet, and a packet takes 1/w of a round trip
        peak = math.sqrt(window * window + 2 * a * gap)
        packets, rounds = packets + gap, rounds + (peak - window) / a
        window = (1 - b) * peak
    assert packets / rounds == pytest.approx(float(random_loss.random_rate(a, b, p)), rel=0.01)


@pytest.mark.long
def test_whole_packets_approach_the_response_function() -> None:
    gaps = [1 - whole_packets(1, 0.5, n) / float(response.rate(1, 0.5, 1 / n)) for n in (100, 1000, 10_000)]
    assert gaps == sorted(gaps, reverse=True)
    assert 0 < gaps[-1] < 0.015

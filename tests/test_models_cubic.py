"""The response function of CUBIC: against RFC 9438's tables, against a cycle added up step by step, and against the law itself."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from sawtooth.errors import InputError
from sawtooth.models import cubic

TABLES = {
    # RFC 9438 §5.1, Tables 1 and 2: average windows of CUBIC by round trip and C, for p of 1e-2, 1e-3, ...
    (0.1, 0.04): (12, 38, 120, 593, 3332, 18740, 105383),
    (0.1, 0.4): (12, 38, 187, 1054, 5926, 33325, 187400),
    (0.1, 4.0): (12, 59, 333, 1874, 10538, 59261, 333250),
    (0.01, 0.04): (12, 38, 120, 379, 1200, 3795, 18740),
    (0.01, 0.4): (12, 38, 120, 379, 1200, 5926, 33325),
    (0.01, 4.0): (12, 38, 120, 379, 1874, 10538, 59261),
}


@pytest.mark.parametrize(("rtt", "c"), TABLES)
def test_the_tables_of_the_rfc(rtt: float, c: float) -> None:
    for index, printed in enumerate(TABLES[rtt, c]):
        p = 10.0 ** -(index + 2)
        alone = float(cubic.cubic_rate(p, rtt, c))
        reno = 1.2 / math.sqrt(p)  # RFC 3649, from which the tables take Reno's column
        # The tables cut windows off (37.9 is 38 and 187.4 is 187): one unit of the last place, and 1.054 has four digits.
        assert printed == pytest.approx(max(alone, reno), rel=1e-4, abs=1)
        assert float(cubic.approximate_rate(p, rtt, c)) == pytest.approx(printed, rel=0.03, abs=1)


def test_figure_8_is_figure_6_with_the_default_numbers() -> None:
    assert float(cubic.cubic_rate(1e-4, 1.0)) * 1e-4**0.75 == pytest.approx(1.054, abs=5e-4)


@pytest.mark.parametrize("beta", [0.3, 0.5, 0.7, 0.9])
def test_the_friendly_window_is_that_of_reno_for_every_beta(beta: float) -> None:
    assert float(cubic.friendly_rate(0.01, beta)) == pytest.approx(math.sqrt(150))


def brute_force(peak: float, rtt: float, c: float, beta: float, steps: int = 200_000) -> tuple[float, float]:
    """(packets, seconds) of a cycle up to this window, in small steps of time."""
    k = ((1 - beta) * peak / c) ** (1 / 3)
    t = np.linspace(0, k, steps)
    line = beta * peak + 3 * (1 - beta) / (1 + beta) * t / rtt
    larger = np.maximum(c * (t - k) ** 3 + peak, line)
    until = int(np.argmax(larger >= peak * (1 - 1e-12)))
    return float(np.trapezoid(larger[: until + 1], t[: until + 1]) / rtt), float(t[until])


@pytest.mark.parametrize("p", [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7])
@pytest.mark.parametrize(("rtt", "c", "beta"), [(0.1, 0.4, 0.7), (0.01, 0.4, 0.7), (0.05, 4, 0.5)])
def test_a_cycle_carries_the_packets_of_one_drop(p: float, rtt: float, c: float, beta: float) -> None:
    packets, seconds = brute_force(float(cubic.window(p, rtt, c, beta)), rtt, c, beta)
    assert packets == pytest.approx(1 / p, rel=1e-3)
    assert float(cubic.rate(p, rtt, c, beta)) == pytest.approx(packets * rtt / seconds, rel=1e-4)


def test_the_approximation_is_exact_where_one_curve_decides_and_lower_in_between() -> None:
    p = np.geomspace(1e-9, 0.1, 200)
    share = cubic.rate(p, 0.1) / cubic.approximate_rate(p, 0.1)
    assert np.all(share >= 1 - 1e-9)
    assert np.max(share) == pytest.approx(1.04, abs=0.003)
    assert share[0] == pytest.approx(1)
    assert share[-1] == pytest.approx(1)
    # As the law alone has it at 10 ms and one drop in a million (crates/cc/tests/cubic_tables.rs).
    assert float(cubic.rate(1e-6, 0.01)) == pytest.approx(1260, rel=0.005)


def test_the_law_in_the_synchronous_model_follows_the_cubic_function() -> None:
    """One flow that loses at W packets: rounds of 100 ms from beta W back to W."""
    from sawtooth.models.synchronous import rounds

    peak = 5000.0
    found = rounds("cubic(fast_convergence=0, friendly=0)", [peak], peak, 2000)
    congested = np.flatnonzero(found.congested)
    spans = np.diff(congested)
    k = ((1 - 0.7) * peak / 0.4) ** (1 / 3)
    # The window reaches its plateau asymptotically flat: a round more until the capacity is reached.
    assert spans == pytest.approx(k / 0.1, abs=2)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("p", (0.0, 0.1)),
        ("p", (1.0, 0.1)),
        ("rtt", (0.01, 0.0)),
        ("c", (0.01, 0.1, 0.0)),
        ("beta", (0.01, 0.1, 0.4, 1.0)),
    ],
)
def test_what_lies_outside_is_named(name: str, arguments: tuple[float, ...]) -> None:
    with pytest.raises(InputError, match=rf"{name} = "):
        cubic.rate(*arguments)


def test_scalars_and_arrays_agree() -> None:
    p = np.array([1e-2, 1e-4, 1e-6])
    assert np.allclose(cubic.rate(p, 0.1), [float(cubic.rate(float(x), 0.1)) for x in p])
    document = json.dumps(vars(cubic.response(1e-4, 0.1)))
    assert "S_exact" in document

"""AIMD-FC in closed form and as pseudocode: fixed points against the iteration, theorems on random integers, bad input."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sawtooth.errors import InputError
from sawtooth.models import fair_queueing, loss_proportional, sliding_window, synchronous
from sawtooth.models import fast_convergence as fc


def test_the_numbers_of_the_paper() -> None:
    assert [float(fc.minimum(0.5, f)) for f in (0.0, 0.5)] == pytest.approx([2 / 3, 7 / 9])
    assert [float(fc.efficiency(0.5, f)) for f in (0.0, 0.5)] == pytest.approx([5 / 6, 8 / 9])
    assert float(fc.aimd_efficiency()) == 0.75
    constants = [float(fc.constant(low)) for low in (1 / 2, 2 / 3, 7 / 9)]
    assert constants == pytest.approx([math.sqrt(3 / 2), math.sqrt(5 / 2), 2.0])
    assert [float(fc.compatible_increase(low)) for low in (1 / 2, 2 / 3, 7 / 9)] == pytest.approx(
        [1, 0.6, 0.375]
    )
    assert fc.cycles_needed([1, 2, 3, 8, 9]).tolist() == [1, 2, 3, 4, 5]


@given(st.floats(0.05, 0.95), st.floats(0, 0.5))
def test_fixed_points_solve_their_equations(b: float, f: float) -> None:
    dw, k = float(fc.decrease_window(b)), float(fc.growth(b, f))
    assert dw == pytest.approx(1 - (1 - b) * dw)
    assert k == pytest.approx(1 - dw - f * k)
    assert float(fc.minimum(b, f)) == pytest.approx(dw + float(fc.added(b, f)))


def test_the_pseudocode_settles_there() -> None:
    for b, f in ((0.25, 0.0), (0.5, 0.0), (0.5, 0.5), (0.5, 0.2), (0.8, 0.1)):
        scheme: fc.Scheme = "AIMD-FC" if f == 0.0 else "AIMD-FC+"
        found = fc.system(scheme, [900.0], 9000.0, 200, b=b, f=f).windows[-1, 0] / 9000
        assert found == pytest.approx(float(fc.minimum(b, f)), abs=3e-4)


@given(st.integers(1, 2000), st.integers(1, 2000), st.integers(1, 3000), st.sampled_from(fc.SCHEMES))
def test_theorem_1_and_lemma_3_hold_for_any_integers(
    x1: int, more: int, room: int, scheme: fc.Scheme
) -> None:
    x2 = x1 + more
    n = int(fc.cycles_needed(x2))
    found = fc.system(scheme, [float(x1), float(x2)], float(x1 + x2 + room), n)
    assert found.gap[-1] <= 0.5
    assert np.ptp(found.decrease_windows[-1]) == pytest.approx(more / 2**n)


@given(st.integers(1, 2000), st.integers(1, 2000), st.integers(1, 3000))
def test_theorem_2_holds_above_16(x1: int, more: int, room: int) -> None:
    x2, capacity = x1 + more, float(2 * x1 + more + room)
    n = int(fc.cycles_needed(x2))
    p, q, r = (int(fc.system(s, [float(x1), float(x2)], capacity, n).steps.sum()) for s in fc.SCHEMES)
    assert r <= q <= p
    if capacity > 16:
        assert q < p - (n - 1)


@given(
    st.lists(st.integers(2, 400), min_size=1, max_size=6),
    st.integers(1, 2000),
    st.sampled_from(
        [0.5, 1.0, 2.0]
    ),  # every window is then exact in binary, and no step is decided by rounding
    st.sampled_from(["AIMD", "AIMD-FC", "AIMD-FC+"]),
)
def test_the_controller_follows_the_pseudocode(
    windows: list[int], room: int, a: float, scheme: fc.Scheme
) -> None:
    starts = [window + 2 * a for window in windows]  # below 2 a the controller falls back to AIMD
    capacity = sum(starts) + room
    text = f"{scheme.lower()}({a!r}, 0.5)"
    written = fc.system(scheme, starts, capacity, 8, a=a)
    ran = synchronous.rounds(text, starts, capacity, 8)
    if (written.decrease_windows >= 2 * a).all() and (written.windows >= 1).all():
        assert ran.after_decreases() == pytest.approx(written.windows[1:], rel=1e-9)
        assert ran.growth_rounds.tolist() == written.steps.tolist()


def test_whole_windows_stay_whole() -> None:
    found = fc.system("AIMD-FC+", [3.0, 40.0], 101.0, 9, whole=True).windows
    assert (found == np.floor(found)).all()


@pytest.mark.parametrize(
    ("call", "part"),
    [
        (lambda: fc.minimum(1.0), r"b = 1.0: expected a number in \[0, 1\)"),
        (lambda: fc.minimum(float("nan")), "b"),
        (lambda: fc.growth(0.5, 0.6), r"f = 0.6"),
        (lambda: fc.constant(1.0), "low"),
        (lambda: fc.system("AIMD", [0.0, 1.0], 10.0, 1), "starts"),
        (lambda: fc.system("AIMD", [1.0], -1.0, 1), "capacity"),
        (lambda: fc.cycles_needed(0.5), "largest"),
        (lambda: fc.pairs(3), "largest"),
        (lambda: fair_queueing.max_min([-1.0], 1.0), "demands"),
        (lambda: fair_queueing.sources_needed(10.0, 11.0, 1), "at most the capacity"),
        (lambda: sliding_window.efficiency(1.0, 4), "p"),
        (lambda: sliding_window.go_back_n(0, 4, ()), "frames"),
        (lambda: loss_proportional.loss_ratio(0.0, 1.0), "load"),
    ],
)
def test_bad_input(call: Any, part: str) -> None:
    with pytest.raises(InputError, match=part):
        call()


@given(st.lists(st.floats(0, 50), min_size=1, max_size=8), st.floats(0.5, 200))
def test_max_min_shares(demands: list[float], capacity: float) -> None:
    shares = fair_queueing.max_min(demands, capacity)
    assert shares.sum() == pytest.approx(min(sum(demands), capacity))
    assert (shares <= np.asarray(demands) + 1e-9).all()
    held_back = shares < np.asarray(demands) - 1e-9
    if held_back.any():  # whoever wants more has as much as anybody
        assert shares[held_back].min() >= shares.max() - 1e-9

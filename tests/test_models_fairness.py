"""Steady states of the linear family: the cycle map against the iteration it sums up, conditions, and the command."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sawtooth.errors import InputError
from sawtooth.models import fairness
from sawtooth.models.fairness_map import observed

if TYPE_CHECKING:
    from tests.conftest import CommandLine

TCP = (1.0, 1.0, 0.0, 0.5)
AIMAD = (1.0, 1.0, -1.0, 0.9)
additive = st.floats(-5, 5)
rising = st.floats(0.5, 1.5)
falling = st.floats(0, 1)


@given(additive, rising, additive, falling, st.integers(0, 6), st.integers(0, 6), st.floats(-50, 50))
def test_a_cycle_is_its_steps(
    a_i: float, b_i: float, a_d: float, b_d: float, k_i: int, k_d: int, w: float
) -> None:
    found = fairness.cycle(a_i, b_i, a_d, b_d, k_i, k_d)
    stepped = w
    for _ in range(k_i):
        stepped = a_i + b_i * stepped
    for _ in range(k_d):
        stepped = a_d + b_d * stepped
    assert float(found.alpha + found.beta * w) == pytest.approx(stepped, rel=1e-9, abs=1e-6)
    word = fairness.word_map("I" * k_i + "D" * k_d, a_i, b_i, a_d, b_d)
    assert float(word.alpha) == pytest.approx(float(found.alpha), rel=1e-9, abs=1e-9)
    assert float(word.beta) == pytest.approx(float(found.beta))


def test_arrays_broadcast() -> None:
    found = fairness.cycle(1.0, 1.0, 0.0, np.array([0.5, 0.8]), k_i=10)
    assert found.steady_window.tolist() == pytest.approx([10.0, 0.8 * 10 / 0.2])  # b a k / (1 - b)
    assert fairness.verdict(1.0, np.array([[1.0], [1.1]]), 0.0, np.array([0.5, 0.8, 1.0])).shape == (2, 3)


@pytest.mark.parametrize(
    ("numbers", "verdict", "sufficient"),
    [
        (TCP, "converges", True),
        (AIMAD, "converges", False),
        ((1.0, 1.1, 0.0, 0.8), "converges", True),
        ((1.0, 1.0, -3.0, 1.0), "neutral", False),
        ((0.0, 1.125, 0.0, 0.8), "neutral", False),
        ((0.0, 1.125, -3.0, 1.0), "diverges", False),
        ((1.0, 1.0, 0.0, 1.0), "no cycle", False),
        ((0.0, 1.0, 0.0, 0.5), "no cycle", False),
        ((2.0, 1.0, 1.0, 0.0), "converges", False),
    ],
)
def test_the_schemes_of_the_paper(
    numbers: tuple[float, float, float, float], verdict: str, sufficient: bool
) -> None:
    assert str(fairness.verdict(*numbers)) == verdict
    assert bool(fairness.chiu_jain(*numbers)) is sufficient


def test_the_criterion_is_what_two_flows_do() -> None:
    tried = wrong = 0
    for a_i, a_d, b_i, b_d in itertools.product(
        (-1, 0, 1, 3), (2, 0, -1, -3), (1.02, 1.09, 1.16, 1.3), (0.45, 0.65, 0.85, 0.95)
    ):
        seen, _ = observed(a_i, b_i, a_d, b_d)
        tried += 1
        wrong += seen.value != str(fairness.verdict(a_i, b_i, a_d, b_d))
    assert (tried, wrong) == (256, 0)


@given(st.floats(0.2, 3), st.floats(1.02, 1.4), st.floats(-3, 3), st.floats(0.4, 0.95))
def test_the_sign_of_alpha_does_not_depend_on_the_word(
    a_i: float, b_i: float, a_d: float, b_d: float
) -> None:
    fixed = a_d / (1 - b_d)  # measured from the fixed point of the decrease
    sign = np.sign(float(fairness.criterion(a_i, b_i, a_d, b_d)))
    for word in ("ID", "IID", "IDD", "IIIDDID"):
        found = fairness.word_map(word, a_i, b_i, a_d, b_d)
        shifted = float(found.alpha + found.beta * fixed) - fixed
        assert abs(shifted) < 1e-9 or np.sign(shifted) == sign


def test_where_both_maps_fix_one_window_the_place_is_kept() -> None:
    a_i, b_i, b_d = 1.0, 1.1, 0.75
    a_d = -a_i * (1 - b_d) / (b_i - 1)
    assert str(fairness.verdict(a_i, b_i, a_d, b_d)) == "neutral"
    assert float(fairness.criterion(a_i, b_i, a_d, b_d)) == pytest.approx(0, abs=1e-12)
    seen, moved = observed(a_i, b_i, a_d, b_d, capacity=3000.0, windows=(600.0, 1800.0))
    fixed = -a_i / (b_i - 1)
    assert abs(moved) < 0.02 + 2 * abs(fixed) / 3000
    assert seen.value == "neutral"


@pytest.mark.parametrize("numbers", [(1.0, 1.0, 0.0, 1.0), (0.0, 1.0, 0.0, 0.5), (1.0, 1.0, 50.0, 0.99)])
def test_no_cycle_is_seen(numbers: tuple[float, float, float, float]) -> None:
    assert observed(*numbers)[0] is fairness.Fairness.NO_CYCLE


def test_the_miad_fixed_point_repels() -> None:
    found = fairness.cycle(0.0, 1.125, -3.0, 1.0)
    assert float(found.steady_window) == pytest.approx(24.0)
    assert not found.attracts


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ((float("nan"), 1.0, 0.0, 0.5), "a_i"),
        ((1.0, 1.0, 0.0, 1.5), r"b_d = 1.5: expected a number in \[0, 1\]"),
        ((1.0, 0.0, 0.0, 0.5), "b_i"),
        ((1.0, 1.0, "x", 0.5), "a_d"),
    ],
)
def test_bad_numbers(arguments: tuple[float, float, float, float], part: str) -> None:
    with pytest.raises(InputError, match=part):
        fairness.cycle(*arguments)


def test_a_cycle_has_whole_steps() -> None:
    with pytest.raises(InputError, match="k_i"):
        fairness.cycle(*TCP, k_i=-1)
    with pytest.raises(InputError, match="k_d"):
        fairness.cycle(*TCP, k_d=1.5)  # type: ignore[arg-type]


def fairness_line(numbers: tuple[float, float, float, float], *more: str) -> list[str]:
    names = ("--a-i", "--b-i", "--a-d", "--b-d")
    given = [part for name, value in zip(names, numbers, strict=True) for part in (name, str(value))]
    return ["model", "fairness", *given, *more]


def test_the_command(sawtooth: CommandLine, tmp_path: Path) -> None:
    document = sawtooth(*fairness_line(TCP, "--json")).json
    assert document["alpha"] == 0.5
    assert document["beta"] == 0.5
    assert document["steady_window"] == 1.0
    assert document["verdict"] == "converges"
    neutral = sawtooth(*fairness_line((0.0, 1.125, 0.0, 0.8), "--json")).json
    assert neutral["steady_window"] is None
    assert "diverges" in sawtooth(*fairness_line((0.0, 1.125, -3.0, 1.0), "--plot", "map.png")).out
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("numbers", "more", "part"),
    [
        ((1.0, 1.0, 0.0, 1.5), (), "b_d = 1.5"),
        ((float("inf"), 1.0, 0.0, 0.5), (), "a_i"),
        (TCP, ("--k-i", "-1"), "k_i = -1"),
    ],
)
def test_the_command_refuses(
    sawtooth: CommandLine, numbers: tuple[float, float, float, float], more: tuple[str, ...], part: str
) -> None:
    failed = sawtooth(*fairness_line(numbers, *more))
    assert failed.code == 2
    assert part in failed.err
    assert failed.out == ""

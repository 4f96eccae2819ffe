"""The synchronous model: what the papers work out by hand, the same controllers acknowledged one by one, the command, bad input."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sawtooth import _native
from sawtooth.errors import InputError
from sawtooth.models import fairness
from sawtooth.models.synchronous import converge, rounds

if TYPE_CHECKING:
    from tests.conftest import CommandLine


def test_cycles_by_hand() -> None:
    found = rounds("aimd(1, 0.5)", [2, 3], 20, 3)
    assert found.growth_rounds.tolist() == [8, 5, 5]
    assert found.after_decreases().tolist() == [[5.0, 5.5], [5.0, 5.25], [5.0, 5.125]]
    assert found.before_decreases()[0].tolist() == [10.0, 11.0]
    assert found.cycle_load(0).tolist() == [5.0, 7.0, 9.0, 11.0, 13.0, 15.0, 17.0, 19.0, 21.0]
    assert rounds("aimd-fc(1, 0.5)", [2, 3], 20, 3).growth_rounds.tolist() == [8, 1, 5]


@pytest.mark.parametrize(
    ("controller", "low", "mean"),
    [
        ("aimd(1, 0.5)", 1 / 2, 3 / 4),
        ("aimd-fc(1, 0.5)", 2 / 3, 5 / 6),
        ("aimd-fc+(1, 0.5)", 7 / 9, 8 / 9),
        ("aimd(1, 0.8)", 0.8, 0.9),
        ("aimd-fc(1, 0.75)", 1 / 1.25, (1 + 1 / 1.25) / 2),
    ],
)
@pytest.mark.parametrize(("capacity", "flows"), [(900, 1), (900, 10), (9000, 1)])
def test_where_each_settles(controller: str, low: float, mean: float, capacity: int, flows: int) -> None:
    start = np.linspace(2, 2.5 * capacity / flows / 4, flows).tolist()
    found = rounds(controller, start, capacity, 100)
    step = 1.5 * flows / capacity  # the load moves in steps of one packet a flow
    assert found.load[found.decreases[-1] + 1] / capacity == pytest.approx(low, abs=step)
    assert found.efficiency() == pytest.approx(mean, abs=step)
    assert found.smoothness() == pytest.approx(1 - low, abs=step)


@pytest.mark.parametrize(
    ("controller", "steps"),
    [
        # Two flows from W/16 and W/2 to a gap of one packet, W = 32, 64, 128, 256: computed independently beforehand.
        ("aimd(1, 0.5)", (35, 83, 194, 447)),
        ("gaimd(0.31, 0.125)", (167, 383, 898, 2026)),
        ("sqrt", (150, 553, 1929, 6518)),
        ("iiad", (588, 3071, 15136, 71909)),
    ],
)
def test_steps_to_a_gap_of_one_packet(controller: str, steps: tuple[int, ...]) -> None:
    found = [converge(controller, [w / 16, w / 2], w, 1200).steps for w in (32, 64, 128, 256)]
    assert tuple(found) == steps


@settings(max_examples=60, deadline=None)
@given(st.floats(0.5, 3.0), st.floats(1.0, 1.3), st.floats(0.3, 0.95), st.floats(2, 40), st.floats(41, 90))
def test_the_gap_follows_the_affine_map(a: float, m: float, b: float, small: float, large: float) -> None:
    found = rounds(f"linear({a}, {m}, 0, {b})", [small, large], 200, 6)
    gap = large - small
    for growth, windows in zip(found.growth_rounds, found.after_decreases(), strict=True):
        gap *= float(fairness.cycle(a, m, 0.0, b, int(growth), 1).beta)
        if windows.min() > 1.0:  # no window stands on the floor of one packet
            assert windows[1] - windows[0] == pytest.approx(gap, rel=1e-9)


def test_four_schemes_from_unequal_windows() -> None:
    ratio = {}
    for controller in ("aimd(1, 0.8)", "aiad(1, 3)", "mimd(1.125, 0.8)", "miad(1.125, 3)"):
        last = rounds(controller, [20, 80], 300, 60).windows[-1]
        ratio[controller[:4]] = last[0] / last[1]
    assert ratio["aimd"] > 0.99
    assert 0.1 < ratio["aiad"] < 0.9
    assert ratio["mimd"] == pytest.approx(0.25)
    assert ratio["miad"] < 0.01


def test_single_acknowledgements_come_close() -> None:
    whole = rounds("aimd(1, 0.5)", [10, 70], 200, 10)
    acks = rounds("aimd(1, 0.5)", [10, 70], 200, 10, acks=True)
    assert acks.efficiency() == pytest.approx(whole.efficiency(), abs=0.02)
    assert acks.gap[-1] == pytest.approx(whole.gap[-1], abs=1.5)


def test_every_controller_of_the_table_runs_unless_it_has_a_rate_or_a_model() -> None:
    for entry in _native.describe()["controllers"]:
        numbers = [p["default"] if p["default"] is not None else 1.1 for p in entry["parameters"]]
        text = f"{entry['name']}({', '.join(str(min(n, p['max'])) for n, p in zip(numbers, entry['parameters'], strict=True))})"
        if entry["name"] in ("aimd", "mimd", "aimd-fc", "aimd-fc+"):
            text = f"{entry['name']}(1.1, 0.5)"
        if entry["rate_based"]:
            with pytest.raises(InputError, match="a controller with a window"):
                rounds(text, [5, 50], 100, 5)
            continue
        if not entry["properties"]["conduct"]:
            with pytest.raises(InputError, match="a law of the window"):
                rounds(text, [5, 50], 100, 5)
            continue
        assert rounds(text, [5, 50], 100, 5).decreases.size == 5


def test_flows_may_differ() -> None:
    found = rounds(["aimd(1, 0.5)", "aimd(2, 0.5)"], [30, 30], 120, 50)
    last = found.after_decreases()[-1]
    assert last[1] / last[0] == pytest.approx(2.0, rel=0.05)


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"windows": [0.5, 3]}, r"windows = 0.5: expected a number in \[1, inf\)"),
        ({"windows": [float("nan"), 3]}, "windows"),
        ({"capacity": 0}, "capacity = 0.0"),
        ({"capacity": float("inf")}, "capacity"),
        ({"cycles": 0}, "cycles = 0"),
        ({"controllers": "aimd(1"}, "aimd"),
        ({"controllers": "qubic"}, "expected one of aimd"),
        ({"controllers": ["aimd(1, 0.5)"]}, "controllers"),
        ({"controllers": "aimd(0, 0.5)"}, "comes back to the capacity"),
        ({"cycles": 500}, "cycles = 500: expected at most"),
    ],
)
def test_bad_input(changes: dict[str, Any], part: str) -> None:
    given: dict[str, Any] = {"controllers": "aimd(1, 0.5)", "windows": [3, 40], "capacity": 100, "cycles": 2}
    with pytest.raises(InputError, match=part):
        rounds(**(given | changes), rounds_most=1000)


def test_the_command(sawtooth: CommandLine, tmp_path: Path) -> None:
    line = ("model", "converge", "aimd(1, 0.5)", "--windows", "3,40", "--capacity", "100")
    document = sawtooth(*line, "--cycles", "10", "--json", "--plot", "v.svg").json
    assert document["converges"] is True
    assert document["cycles"] == 6  # 37 / 2^6 is the first gap of at most one packet
    assert document["efficiency"] == pytest.approx(0.75, abs=0.01)
    assert document["windows"][0] == [3.0, 40.0]
    assert len(document["windows"][document["steps"]]) == 2
    assert (tmp_path / "v.svg").read_text().startswith("<?xml")
    short = sawtooth(*line, "--cycles", "3", "--json").json
    assert short["converges"] is False
    assert short["cycles"] == 3
    assert "yes" in sawtooth(*line).out


@pytest.mark.parametrize(
    ("more", "part"),
    [
        (("--windows", "3,x"), "--windows"),
        (("--windows", "0"), "windows = 0.0"),
        (("--capacity", "nan"), "capacity"),
        (("--cycles", "0"), "cycles = 0"),
        (("--plot", "v.bmp"), "--plot"),
    ],
)
def test_the_command_refuses(sawtooth: CommandLine, more: tuple[str, ...], part: str) -> None:
    line = ["model", "converge", "aimd(1, 0.5)", "--windows", "3,40", "--capacity", "100", *more]
    failed = sawtooth(*line)
    assert failed.code == 2
    assert part in failed.err
    assert failed.out == ""

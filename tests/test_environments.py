"""Environments: exact schedules of those without chance, laws and streams of those with it, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sawtooth import _native
from sawtooth.errors import InputError
from sawtooth.scenario.environments import ENVIRONMENTS, Environment, lookup, schedule_of
from sawtooth.scenario.environments.sets import SETS
from sawtooth.scenario.schedule import Schedule, write_schedule

S = 1_000_000_000
M = 1_000_000
RANDOM = ["rw-low", "rw-high", "rd-low", "rd-high", "rw-additive", "rw-multiplicative"]


def draw(
    table: Any, *, seed: str = "1", duration: int = 220 * S, capacity: int = 100 * M, flows: int = 10
) -> Schedule:
    """The schedule under the conditions of the Akella studies, unless told otherwise."""
    environment = Environment.parse(table)
    return schedule_of(environment, seed=seed, duration_ns=duration, capacity_bps=capacity, flows=flows)


def uniforms(name: str, count: int, seed: str = "1") -> list[float]:
    return _native.uniforms(seed, f"environment/{name}", count)


def clip(rate: float, floor: int = 70_000, ceiling: int = 10 * M) -> int:
    return min(max(round(rate), floor), ceiling)


def test_those_of_the_paper_come_first_and_in_its_order() -> None:
    assert SETS["akella2002"]() == (
        "cons-low",
        "cons-high",
        "sq-low",
        "sq-high",
        "rw-low",
        "rw-high",
        "rd-low",
        "rd-high",
        "rw-additive",
        "rw-multiplicative",
        "real-cons-low",
        "real-cons-high",
        "real-sq",
    )
    assert [lookup(name).number for name in SETS["akella2002"]()] == list(range(1, 14))
    general = [
        "constant",
        "square",
        "saw-tooth",
        "step",
        "random",
        "walk",
        "constrained",
        "short-flows",
        "file",
    ]
    assert [entry.name for entry in ENVIRONMENTS] == [*SETS["akella2002"](), *general]


def test_names_and_aliases_are_unique() -> None:
    names = [name for entry in ENVIRONMENTS for name in (entry.name, *entry.aliases)]
    assert len(names) == len(set(names))
    assert lookup("sawtooth") is lookup("saw-tooth")


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("cons-low", Schedule.constant(1 * M)),
        ("cons-high", Schedule.constant(10 * M)),
        ({"kind": "constant", "rate": "3 Mbit/s"}, Schedule.constant(3 * M)),
        ("sq-low", Schedule(tuple(range(0, 220 * S, 5 * S)), (10 * M, 5 * M) * 22)),
        ("sq-high", Schedule(tuple(range(0, 220 * S, 5 * S)), (10 * M, 1 * M) * 22)),
        (
            {"kind": "sq-high", "interval": "50 s"},
            Schedule((0, 50 * S, 100 * S, 150 * S, 200 * S), (10 * M, M, 10 * M, M, 10 * M)),
        ),
        ({"kind": "sq-high", "period": "200 s"}, Schedule((0, 100 * S, 200 * S), (10 * M, M, 10 * M))),
        (
            {"kind": "square", "high": "2 Mbit/s", "low": 0, "period": "120 s"},
            Schedule((0, 60 * S, 120 * S, 180 * S), (2 * M, 0, 2 * M, 0)),
        ),
        (
            {
                "kind": "square",
                "high": "2 Mbit/s",
                "low": "1 Mbit/s",
                "period": "120 s",
                "floor": "1.5 Mbit/s",
            },
            Schedule((0, 60 * S, 120 * S, 180 * S), (2 * M, 1_500_000, 2 * M, 1_500_000)),
        ),
        (
            {"kind": "saw-tooth", "high": "4 Mbit/s", "low": "1 Mbit/s", "period": "160 s", "step": "40 s"},
            Schedule((0, 40 * S, 80 * S, 120 * S, 160 * S, 200 * S), (M, 2 * M, 3 * M, 4 * M, M, 2 * M)),
        ),
        (
            {"kind": "step", "first": "10 Mbit/s", "then": "2 Mbit/s", "at": "30 s"},
            Schedule((0, 30 * S), (10 * M, 2 * M)),
        ),
        (
            {"kind": "step", "first": "10 Mbit/s", "then": 0, "at": "30 s", "until": "40 s"},
            Schedule((0, 30 * S, 40 * S), (10 * M, 0, 10 * M)),
        ),
        # A level above C/n = 10 Mbit/s is moved there.
        ({"kind": "constant", "rate": "1 Gbit/s"}, Schedule.constant(10 * M)),
    ],
)
def test_exact_schedules(table: Any, expected: Schedule) -> None:
    assert draw(table) == expected


def test_a_saw_tooth_has_twenty_stairs_unless_told_and_the_mean_of_its_ramp() -> None:
    schedule = draw(
        {"kind": "saw-tooth", "high": "9 Mbit/s", "low": "1 Mbit/s", "period": "20 s"}, duration=40 * S
    )
    assert schedule.times_ns == tuple(range(0, 40 * S, S))
    assert schedule.rates_bps[:20] == schedule.rates_bps[20:]
    assert (schedule.rates_bps[0], schedule.rates_bps[19]) == (M, 9 * M)
    assert abs(schedule.time_mean(0, 20 * S) - 5 * M) < 1


@pytest.mark.parametrize(("name", "high"), [("rd-low", M), ("rd-high", 10 * M)])
def test_random_levels_are_independent_draws(name: str, high: int) -> None:
    expected = tuple(clip(high * u) for u in uniforms(name, 44))
    assert draw(name) == Schedule(tuple(range(0, 220 * S, 5 * S)), expected)


@pytest.mark.parametrize(("name", "start"), [("rw-low", M), ("rw-high", 10 * M)])
def test_a_walk_moves_by_at_most_half_of_its_start(name: str, start: int) -> None:
    expected = [start]
    for u in uniforms(name, 43):
        expected.append(clip(expected[-1] + 0.5 * start * (2 * u - 1)))
    assert draw(name).rates_bps == tuple(expected)


@pytest.mark.parametrize(
    ("name", "mu", "delta"), [("rw-additive", 1.0, 0.25 * M), ("rw-multiplicative", 5 / 3, 0.0)]
)
def test_a_constrained_level_falls_freely_and_rises_within_its_bound(
    name: str, mu: float, delta: float
) -> None:
    expected = [M]
    for u in uniforms(name, 43):
        expected.append(clip(u * (mu * expected[-1] + delta)))
    schedule = draw(name)
    assert schedule.rates_bps == tuple(expected)
    assert len(set(expected)) > 10


def test_the_general_families_take_their_numbers_and_their_own_stream() -> None:
    random = draw({"kind": "random", "high": "4 Mbit/s", "low": "2 Mbit/s", "interval": "110 s"})
    assert random.rates_bps == tuple(round(2 * M + 2 * M * u) for u in uniforms("random", 2))
    walk = draw({"kind": "walk", "start": "4 Mbit/s", "delta": "1 Mbit/s", "interval": "110 s"})
    assert walk.rates_bps == (4 * M, round(4 * M + M * (2 * uniforms("walk", 1)[0] - 1)))
    constrained = draw({"kind": "constrained", "start": "4 Mbit/s", "interval": "110 s"})
    assert constrained.rates_bps == (4 * M, clip(4 * M * uniforms("constrained", 1)[0]))


@pytest.mark.parametrize("name", RANDOM)
def test_a_seed_fixes_the_schedule_and_another_changes_it(name: str) -> None:
    assert draw(name, seed="1") == draw(name, seed="1")
    assert draw(name, seed="1") != draw(name, seed="2")


@pytest.mark.parametrize("name", RANDOM)
def test_a_longer_run_only_adds_levels(name: str) -> None:
    assert draw(name, duration=400 * S).until(220 * S) == draw(name)


def test_environments_of_one_law_draw_from_streams_of_their_own() -> None:
    low, high = draw("rd-low").rates_bps, draw("rd-high").rates_bps
    assert [10 * rate for rate in low] != list(high)


@pytest.mark.parametrize("name", [entry.name for entry in ENVIRONMENTS if entry.number is not None])
@pytest.mark.parametrize("flows", [1, 3, 10, 100])
def test_levels_stay_between_floor_and_fair_share(name: str, flows: int) -> None:
    floor = Environment.parse(name).parameters.floor
    schedule = draw(name, flows=flows, duration=2000 * S)
    assert all(floor <= rate <= 100 * M // flows for rate in schedule.rates_bps)
    assert floor == (70_000 if name in RANDOM or name.startswith("real-") else 0)


def test_a_file_is_found_beside_the_scenario(tmp_path: Path) -> None:
    written = Schedule((0, 5 * S, 300 * S), (20 * M, 0, M))
    write_schedule(written, tmp_path / "own.csv")
    environment = Environment.parse({"file": "own.csv"})
    assert environment.name == "file"
    schedule = schedule_of(
        environment, seed="1", duration_ns=220 * S, capacity_bps=100 * M, flows=10, directory=tmp_path
    )
    assert schedule == Schedule((0, 5 * S), (10 * M, 0))  # clipped to C/n, cut at the end of the run


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({}, "kind: expected this key, which is required, or file"),
        (7, 'expected a table such as { kind = "sq-high" }'),
        ({"kind": "wave"}, "one of cons-low, cons-high, sq-low"),
        ({"kind": 3}, "kind = 3: expected one of cons-low"),
        (
            {"kind": "constant"},
            "rate: expected this key, which is required: Available bandwidth per test flow",
        ),
        (
            {"kind": "constant", "rate": "1 Mbit/s", "period": "5 s"},
            'period = "5 s": expected one of the keys floor, cross_load, cross_rate, rate',
        ),
        (
            {"kind": "cons-low", "interval": "5 s"},
            'interval = "5 s": expected one of the keys floor, cross_load, cross_rate, rate',
        ),
        (
            {"kind": "constant", "rate": "-1 Mbit/s"},
            'rate = "-1 Mbit/s": expected a rate such as "100 Mbit/s"',
        ),
        ({"kind": "constant", "rate": 0}, "rate = 0: expected a rate"),
        ({"kind": "square", "high": "1 Mbit/s", "low": "1 kbit/s"}, "period: expected period, or interval"),
        (
            {"kind": "square", "high": "1 Mbit/s", "low": "1 kbit/s", "period": "1 s", "interval": "1 s"},
            "period or interval, not both",
        ),
        (
            {"kind": "sq-high", "low": "11 Mbit/s"},
            'low = "11 Mbit/s": expected a rate of at most high, 10 Mbit/s',
        ),
        ({"kind": "sq-high", "period": "0 s"}, 'period = "0 s": expected a time such as "20 ms"'),
        ({"kind": "sq-high", "period": "-5 s"}, 'period = "-5 s": expected a time such as "20 ms"'),
        ({"kind": "sq-high", "period": "5"}, 'period = "5": expected a time such as "20 ms"'),
        (
            {"kind": "sq-high", "period": "10 us"},
            'period = "10 us": expected a time that changes at most 1000000 times',
        ),
        ({"kind": "rd-high", "interval": "1 us"}, 'interval = "1 us": expected a time that changes at most'),
        ({"kind": "rd-high", "low": "20 Mbit/s"}, 'low = "20 Mbit/s": expected a rate of at most high'),
        (
            {"kind": "saw-tooth", "high": "1 Mbit/s", "low": "1 kbit/s", "period": "10 s", "step": "3 s"},
            'step = "3 s": expected a time that divides the period 10 s into 2 or more stairs',
        ),
        (
            {"kind": "step", "first": 0, "then": 0, "at": "1 s"},
            "expected a rate above zero, since first is zero",
        ),
        (
            {"kind": "step", "first": "1 bit/s", "then": 0, "at": "500 s"},
            'at = "500 s": expected a time before the end of the run, 220 s',
        ),
        (
            {"kind": "step", "first": "1 bit/s", "then": 0, "at": "5 s", "until": "5 s"},
            'until = "5 s": expected a time after at, 5 s',
        ),
        ({"kind": "rw-multiplicative", "mu": 0}, "mu = 0.0: expected a number above 0"),
        ({"kind": "rw-multiplicative", "mu": "5/3"}, 'mu = "5/3": expected a number'),
        (
            {"kind": "cons-low", "floor": "11 Mbit/s"},
            'floor = "11 Mbit/s": expected at most the fair share 10 Mbit/s',
        ),
        ({"kind": "sq-high", "cross_load": 0}, "cross_load = 0: expected a positive number"),
        (
            {"kind": "sq-high", "cross_load": 2, "cross_rate": "1 Mbit/s"},
            'cross_rate = "1 Mbit/s": expected cross_load or cross_rate, not both',
        ),
        ({"file": "nothing.csv"}, 'file = "nothing.csv": expected a CSV file; there is none at nothing.csv'),
        ({"kind": "file"}, "file: expected this key, which is required"),
    ],
)
def test_refused(table: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        draw(table)
    assert message in str(caught.value)
    assert len(str(caught.value).splitlines()) <= 3


@pytest.mark.parametrize("entry", ENVIRONMENTS, ids=lambda entry: entry.name)
def test_what_an_entry_says_of_itself_is_so(entry: Any) -> None:
    rows = {row["name"]: row for row in entry.parameters()}
    assert all(row["what"] for row in rows.values())
    required = {name for name, row in rows.items() if row["required"]}
    if not required:  # then its name alone is enough, and it means the defaults in the table
        named = Environment.parse(entry.name)
        defaults = {name: row["default"] for name, row in rows.items() if row["default"] is not None}
        assert Environment.parse({"kind": entry.name, **defaults}).parameters == named.parameters
        assert Environment.parse(named.text()) == named
    else:
        with pytest.raises(InputError):
            Environment.parse({"kind": entry.name})

"""Overrides: KEY=VALUE put at its place, values read as TOML or text, and keys that lead nowhere."""

from __future__ import annotations

from typing import Any

import pytest

from sawtooth.errors import InputError
from sawtooth.papers.reproduce import command_words
from sawtooth.scenario.overrides import apply_overrides, parse_override
from sawtooth.scenario.scenario import parse_scenario, with_overrides, with_values

BASE: dict[str, Any] = {
    "bottleneck": {"rate": "10 Mbit/s"},
    "environment": {"kind": "square", "high": "10 Mbit/s", "low": "1 Mbit/s", "period": "10 s"},
    "flows": [{"count": 2, "control": "aimd(1, 0.5)"}, {"control": "aimd(1, 0.8)"}],
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bottleneck.rate=10 Mbit/s", ("bottleneck.rate", "10 Mbit/s")),
        (" a.b = c d ", ("a.b", "c d")),
        ("flows[0].control=aimd(1, 0.5)", ("flows[0].control", "aimd(1, 0.5)")),
        ("flows[0].count=3", ("flows[0].count", 3)),
        ("path.rtt_spread=0.05", ("path.rtt_spread", 0.05)),
        ("record.windows=true", ("record.windows", True)),
        ('path.rtt=["1 ms", "2 ms"]', ("path.rtt", ["1 ms", "2 ms"])),
        ('bottleneck.queue={ kind = "drop-tail" }', ("bottleneck.queue", {"kind": "drop-tail"})),
        ("seed=2026-01-01", ("seed", "2026-01-01")),  # a date of TOML is no value of ours
        ("a=x=y", ("a", "x=y")),
        ('duration="60 s"', ("duration", "60 s")),
    ],
)
def test_reading(text: str, expected: tuple[str, Any]) -> None:
    assert parse_override(text) == expected


@pytest.mark.parametrize("text", ["", "duration", "=5 s", "duration=", " = "])
def test_no_key_or_no_value(text: str) -> None:
    with pytest.raises(InputError, match=r"--set: .* expected KEY=VALUE such as"):
        parse_override(text)


@pytest.mark.parametrize(
    ("values", "key", "expected"),
    [
        ({"bottleneck.rate": "1 Mbit/s"}, "bottleneck", {"rate": "1 Mbit/s"}),
        ({"bottleneck.trace": "t"}, "bottleneck", {"trace": "t"}),
        ({"path.rtt": "1 ms"}, "path", {"rtt": "1 ms"}),
        ({"environment": "sq-high"}, "environment", "sq-high"),
        (
            {"environment": "sq-high", "environment.period": "4 s"},
            "environment",
            {"kind": "sq-high", "period": "4 s"},
        ),
        ({"environment.period": "4 s"}, "environment", {**BASE["environment"], "period": "4 s"}),
        (
            {"environment.rate": "5 Mbit/s", "environment.kind": "constant"},
            "environment",
            {"kind": "constant", "rate": "5 Mbit/s"},
        ),
        ({"environment.kind": "square"}, "environment", BASE["environment"]),
        ({"environment.file": "a.csv"}, "environment", {"file": "a.csv"}),
        ({"flows.recovery": "reno"}, "flows", [{**group, "recovery": "reno"} for group in BASE["flows"]]),
        ({"flows[1].count": 4}, "flows", [BASE["flows"][0], {**BASE["flows"][1], "count": 4}]),
        ({"flows[1]": {"control": "x"}}, "flows", [BASE["flows"][0], {"control": "x"}]),
        ({"flows": [{"control": "x"}]}, "flows", [{"control": "x"}]),
    ],
)
def test_placing(values: dict[str, Any], key: str, expected: Any) -> None:
    before = repr(BASE)
    assert apply_overrides(BASE, values)[key] == expected
    assert repr(BASE) == before


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {"flows[2].count": 3},
            "--set: flows[2].count = 3: expected an index below 2, the number of entries",
        ),
        ({"bottleneck[0].rate": 3}, "--set: bottleneck[0].rate = 3: expected a key without index"),
        (
            {"bottleneck.rate.x": 3},
            "--set: bottleneck.rate.x = 3: expected a key of a table; bottleneck.rate is none",
        ),
        (
            {"flows[0].control.b": 3},
            "--set: flows[0].control.b = 3: expected a key of a table; flows[0].control is none",
        ),
        ({"a..b": 3}, "--set: a..b = 3: expected a dotted key such as bottleneck.rate or flows[0].control"),
        ({"9": 3}, "--set: 9 = 3: expected a dotted key such as bottleneck.rate or flows[0].control"),
    ],
)
def test_keys_that_lead_nowhere(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        apply_overrides(BASE, values)
    assert str(caught.value) == message


def test_an_overridden_scenario_is_checked_as_a_whole() -> None:
    scenario = parse_scenario(BASE, "s.toml")
    changed = with_overrides(
        scenario, ["bottleneck.rate=1 Gbit/s", "flows[1].control=aimd(2, 0.5)", "seed=7"]
    )
    assert (changed.bottleneck.rate, changed.seed) == (10**9, "7")
    assert [group.control.engine["a_i"] for group in changed.flows] == [1.0, 2.0]
    assert scenario.bottleneck.rate == 10**7
    assert with_overrides(changed, ["seed=8"]).bottleneck.rate == 10**9  # overrides add up
    with pytest.raises(InputError, match=r'bottleneck\.rate = "1 MB": expected a rate'):
        with_overrides(scenario, ["bottleneck.rate=1 MB"])
    with pytest.raises(InputError, match=r"bottleneck\.ratte"):
        with_overrides(scenario, ["bottleneck.ratte=1 Mbit/s"])


def test_values_are_given_as_python_has_them() -> None:
    changed = with_values(
        parse_scenario(BASE), {"environment": {"kind": "sq-low"}, "path.rtt": ["50 ms"] * 3}
    )
    assert changed.environment is not None
    assert changed.environment.name == "sq-low"
    assert changed.path.rtt == (50_000_000,) * 3


@pytest.mark.parametrize(
    "value", [True, False, 3, 0.05, "30 ms", "aimd(1, 0.5)", ["30 ms", "10 ms"], [1, 2.5]]
)
def test_a_value_reads_back_as_it_is_printed(value: object) -> None:
    """Commands on reports print `--set KEY=VALUE`, which a reader types again."""
    words = command_words("akella2002/fig4", None, False, {"some.key": value})
    assert parse_override(words[-1]) == ("some.key", value)

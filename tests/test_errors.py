"""The text of an input error: where, key, value, accepted, and never more than three lines."""

from __future__ import annotations

import pickle

import pytest

from sawtooth.errors import MISSING, InputError, dotted, join_key, show, unknown_key


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (
            InputError("s.toml", "flows[2].control.b_d", 1.5, "0 ≤ b_d ≤ 1"),
            "s.toml: flows[2].control.b_d = 1.5: expected 0 ≤ b_d ≤ 1",
        ),
        (
            InputError("s.toml", "bottleneck.rate", "5 MB", "a rate"),
            's.toml: bottleneck.rate = "5 MB": expected a rate',
        ),
        (
            InputError("f.csv", "line 7", "1,2,3", "two numbers"),
            'f.csv: line 7 = "1,2,3": expected two numbers',
        ),
        (
            InputError("s.toml", "flows", MISSING, "at least one group"),
            "s.toml: flows: expected at least one group",
        ),
        (InputError("f.csv", None, MISSING, "a readable file"), "f.csv: expected a readable file"),
        (InputError("--set", None, "x", "KEY=VALUE"), '--set: "x": expected KEY=VALUE'),
        (InputError("", "kind", "x", "y", "did you mean z?"), 'kind = "x": expected y\n  did you mean z?'),
        (
            InputError("", "--router", "dropptail", "one of droptail, red"),
            '--router = "dropptail": expected one of droptail, red\n  did you mean droptail?',
        ),
        (
            InputError("", "--router", "blue", "one of droptail, red"),
            '--router = "blue": expected one of droptail, red',
        ),
        (InputError("s.toml", "path.drop", True, "text"), "s.toml: path.drop = true: expected text"),
        (
            InputError("sawtooth compare", None, "--csv --json", "one of --csv and --json"),
            'sawtooth compare: "--csv --json": expected one of --csv and --json',  # meant neither of them
        ),
        (
            InputError("", "a", "reed", "one of red or pie"),
            'a = "reed": expected one of red or pie\n  did you mean red?',
        ),
    ],
)
def test_text(error: InputError, expected: str) -> None:
    assert str(error) == expected


def test_a_long_or_many_lined_value_stays_on_one_line() -> None:
    error = InputError("s.toml", "key", "a\nb" * 100, "one\nline", "and\nanother")
    lines = str(error).splitlines()
    assert len(lines) == 2
    assert lines[0].endswith("…: expected one line")
    assert len(show("a\nb" * 100)) == 80


def test_an_error_survives_pickling_and_is_a_value_error() -> None:
    error = InputError("s.toml", "flows", MISSING, "at least one group", "hint")
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error)
    assert again.value is MISSING
    assert isinstance(again, ValueError)


def test_an_unknown_key_names_the_close_one_and_all_accepted() -> None:
    error = unknown_key("ratte", "5", ["rate", "delay"])
    assert error.key == "ratte"
    assert error.hint == "did you mean rate?"
    assert "rate, delay" in error.accepted
    assert unknown_key("zzz", 1, ["rate"]).hint is None


@pytest.mark.parametrize(
    ("prefix", "key", "expected"),
    [
        ("flows[2]", "control", "flows[2].control"),
        ("path.rtt", "[1]", "path.rtt[1]"),
        ("a", None, "a"),
        ("", "b", "b"),
        ("", None, None),
    ],
)
def test_keys_are_joined(prefix: str, key: str | None, expected: str | None) -> None:
    assert join_key(prefix, key) == expected


def test_a_location_becomes_a_dotted_key() -> None:
    assert dotted(("flows", 2, "control", "b_d")) == "flows[2].control.b_d"
    assert dotted(()) == ""

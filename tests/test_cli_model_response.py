"""`sawtooth model response` and its neighbours through the real entry point: documents, plots, and what is refused."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from tests.conftest import CommandLine


def test_the_document_of_response(sawtooth: CommandLine) -> None:
    found = sawtooth("model", "response", "--a", "1", "--b", "0.5", "--p", "0.01", "--rtt", "0.05", "--json")
    assert found.code == 0, found.err
    document = found.json
    exact = math.sqrt(3) / 4 * math.sqrt(3 * 0.01 + 8) / math.sqrt(0.01) - 0.75
    assert document["S_exact"] == pytest.approx(exact)
    assert document["S_approx"] == pytest.approx(math.sqrt(1.5) / 0.1)
    assert document["W"] == pytest.approx(exact / 0.75)
    assert document["T_exact"] == pytest.approx(exact / 0.05)
    assert document["T_approx"] == pytest.approx(math.sqrt(1.5) / 0.1 / 0.05)
    assert set(document) == {"format", "S_approx", "S_exact", "W", "T_approx", "T_exact", "rtt_s"}
    assert document["rtt_s"] == 0.05


def test_without_a_round_trip_the_one_taken_is_named(sawtooth: CommandLine) -> None:
    document = sawtooth("model", "response", "--a", "1", "--b", "0.5", "--p", "0.01", "--json").json
    assert document["T_exact"] == pytest.approx(document["S_exact"] / document["rtt_s"])


def test_without_a_decrease_the_approximation_is_null(sawtooth: CommandLine) -> None:
    document = sawtooth("model", "response", "--a", "1", "--b", "0", "--p", "0.01", "--json").json
    assert (document["S_exact"], document["S_approx"], document["T_approx"]) == (100, None, None)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("p", "0"),
        ("p", "1"),
        ("p", "-0.1"),
        ("p", "nan"),
        ("p", "inf"),
        ("b", "1"),
        ("b", "-0.5"),
        ("b", "nan"),
        ("a", "0"),
        ("a", "inf"),
        ("rtt", "0"),
        ("rtt", "nan"),
    ],
)
def test_bad_input_names_key_value_and_what_is_accepted(sawtooth: CommandLine, key: str, value: str) -> None:
    given = {"a": "1", "b": "0.5", "p": "0.01", "rtt": "0.1", key: value}
    options = [part for name, text in given.items() for part in (f"--{name}", text)]
    found = sawtooth("model", "response", *options, "--json")
    assert (found.code, found.out) == (2, "")
    assert len(found.err.splitlines()) <= 3
    assert f"{key} = " in found.err
    assert value.removesuffix(".0") in found.err
    assert "expected" in found.err


@pytest.mark.parametrize("ending", ["svg", "pdf", "png"])
def test_a_plot(sawtooth: CommandLine, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"r.{ending}"
    found = sawtooth("model", "response", "--a", "1", "--b", "0.5", "--p", "0.01", "--plot", str(path))
    assert found.code == 0, found.err
    assert "11.52" in found.out
    begins = {"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}
    assert path.read_bytes().startswith(begins[ending])


def test_plots_of_compatible_and_smoothness(sawtooth: CommandLine, tmp_path: Path) -> None:
    for words in (("compatible", "--b", "0.125"), ("smoothness", "--a", "0.2", "--b", "0.125")):
        path = tmp_path / f"{words[0]}.svg"
        found = sawtooth("model", *words, "--plot", str(path), "--json")
        assert found.code == 0, found.err
        assert found.json
        assert path.read_bytes().startswith(b"<?xml")


def test_a_plot_of_another_kind_is_refused(sawtooth: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "r.gif"
    found = sawtooth("model", "response", "--a", "1", "--b", "0.5", "--p", "0.01", "--plot", str(path))
    assert found.code == 2
    assert ".svg" in found.err


def test_drop_rate_inverts_response(sawtooth: CommandLine) -> None:
    law = ("--a", "1", "--b", "0.125")
    rate = sawtooth("model", "response", *law, "--p", "0.02", "--json").json["S_exact"]
    found = sawtooth("model", "drop-rate", *law, "--rate", repr(rate), "--json").json
    assert found["p_exact"] == pytest.approx(0.02)
    assert found["p_approx"] == pytest.approx(1.875 / (0.25 * rate**2))
    assert found["ratio_approx"] == pytest.approx(5)
    assert found["ratio_exact"] < 5
    assert sawtooth("model", "drop-rate", *law, "--rate", "0.2").code == 2


def test_compatible(sawtooth: CommandLine) -> None:
    found = sawtooth("model", "compatible", "--b", "0.125", "--json").json
    assert found["compatible_a"] == found["a"] == pytest.approx(0.2)
    assert found["throughput_ratio"] == pytest.approx(1)
    assert found["throughput_ratio_exact"] is None
    other = sawtooth("model", "compatible", "--b", "0.125", "--a", "1", "--p", "0.04", "--json").json
    assert other["throughput_ratio"] == pytest.approx(math.sqrt(5))
    assert other["throughput_ratio_exact"] == pytest.approx(1.93, abs=0.005)
    assert other["drop_rate_ratio"] == pytest.approx(5)
    assert sawtooth("model", "compatible", "--b", "0").code == 2


def test_smoothness(sawtooth: CommandLine) -> None:
    found = sawtooth("model", "smoothness", "--a", "0.2", "--b", "0.125", "--json").json
    assert found["smoothness"] == pytest.approx(0.875)
    assert found["responsiveness"] == pytest.approx(math.log(0.5) / math.log(0.875))
    assert found["aggressiveness"] == pytest.approx(0.2)
    iiad = sawtooth(
        *("model", "smoothness", "--a", "1", "--b", "1", "--k", "1", "--l", "0", "--window", "20", "--json")
    ).json
    assert (iiad["smoothness"], iiad["responsiveness"], iiad["aggressiveness"]) == pytest.approx(
        (0.95, 10, 0.05)
    )
    assert sawtooth("model", "smoothness", "--a", "1", "--b", "1").code == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--a", "1", "--b", "1"), "model: b = 1.0: expected a decrease that leaves something"),
        (("--a", "1", "--b", "1e-9"), "model: b = 1e-09: expected a decrease that halves"),
        (("--a", "0", "--b", "0.5"), "model: a = 0.0: expected"),
        (("--a", "1", "--b", "0.5", "--window", "0"), "model: window = 0.0: expected"),
    ],
)
def test_smoothness_names_the_option_that_was_given(
    sawtooth: CommandLine, words: tuple[str, ...], said: str
) -> None:
    """The model has the letters of the paper, and a window where none was given."""
    found = sawtooth("model", "smoothness", *words)
    assert (found.code, found.err.startswith(said)) == (2, True)


def test_the_response_of_cubic(sawtooth: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "cubic.svg"
    found = sawtooth("model", "response", "--law", "cubic", "--p", "1e-4", "--plot", str(path), "--json")
    assert found.code == 0, found.err
    # RFC 9438 §5.1, Table 1: 187 packets at 100 ms; W is 1/0.925 of it (appendix B).
    assert found.json["S_exact"] == pytest.approx(187, abs=0.5)
    assert found.json["W"] == pytest.approx(found.json["S_exact"] / 0.925)
    assert path.read_bytes().startswith(b"<?xml")
    other = sawtooth("model", "response", "--law", "cubic", "--c", "4", "--beta", "0.5", "--p", "1e-6").out
    assert "CUBIC(4, 0.5)" in other


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("--law", "cubic", "--a", "1"), "a = 1"),
        (("--law", "cubic", "--beta", "1"), "beta = 1"),
        (("--law", "cubic", "--c", "0"), "c = 0"),
        (("--a", "1", "--b", "0.5", "--beta", "0.7"), "beta = 0.7"),
        (("--b", "0.5"), "--a"),
        (("--a", "1"), "--b"),
        (
            (
                "--law",
                "reno",
            ),
            "cubic",
        ),
    ],
)
def test_options_of_another_law_are_refused(
    sawtooth: CommandLine, words: tuple[str, ...], named: str
) -> None:
    found = sawtooth("model", "response", *words, "--p", "0.01")
    assert (found.code, found.out) == (2, "")
    assert named in found.err


@pytest.mark.parametrize("name", ["response", "drop-rate", "compatible", "smoothness"])
def test_every_command_has_help_with_an_example_that_works(sawtooth: CommandLine, name: str) -> None:
    text = sawtooth("model", name, "--help").out
    (line,) = [part for part in text.splitlines() if "Example:" in part]
    words = line.partition("Example: sawtooth ")[2].split()
    assert sawtooth(*words).code == 0

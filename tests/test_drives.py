"""Generated traces of cellular links: reproducible, as their parameters say, and like the recordings to which they were fitted."""

from __future__ import annotations

import json
from dataclasses import replace
from math import exp, sqrt
from pathlib import Path

import pytest
from tests.conftest import CommandLine
from validation import drives as validation

import sawtooth as st
from sawtooth import InputError
from sawtooth.scenario.drives import (
    DRIVES,
    SETTINGS,
    _batch,
    _poisson,
    changed,
    drive_of,
    exponential,
    generated,
    make,
)
from sawtooth.scenario.trace import Trace, format_trace, read_trace
from sawtooth.scenario.trace_statistics import STATISTICS, statistics

S = 1_000_000_000


def test_a_trace_depends_on_name_seed_and_length_alone() -> None:
    drive = DRIVES["lte-driving-down"]
    first = make(drive, name="x", seed="1", duration_ns=5 * S)
    assert make(drive, name="x", seed="1", duration_ns=5 * S) == first
    assert make(drive, name="x", seed="2", duration_ns=5 * S) != first
    assert make(drive, name="y", seed="1", duration_ns=5 * S) != first
    assert first.period_ms == 5_000


def test_a_trace_is_the_same_on_every_machine() -> None:
    """A fingerprint: the draws are pinned, and so is the arithmetic on them."""
    times = make(DRIVES["lte-driving-up"], name="lte-driving-up", seed="1", duration_ns=2 * S).times_ms
    assert (len(times), sum(times)) == PINNED


PINNED = (153, 168_131)


def test_the_exponential_function_is_one() -> None:
    for x in (-60.0, -3.0, -0.1, 0.0, 1e-9, 0.7, 5.0, 30.0):
        assert exponential(x) == pytest.approx(exp(x), rel=1e-11)


def test_counts_are_poisson_and_batches_geometric() -> None:
    places = [(index + 0.5) / 20_000 for index in range(20_000)]
    for mean in (0.0, 0.3, 4.0, 40.0):
        counts = [_poisson(mean, place) for place in places]
        found = sum(counts) / len(counts)
        spread = sum((count - found) ** 2 for count in counts) / len(counts)
        assert found == pytest.approx(mean, abs=0.01)
        assert spread == pytest.approx(mean, rel=0.02, abs=0.01)
    sizes = [_batch(place, 1 - 1 / 1.4) for place in places]
    assert sum(sizes) / len(sizes) == pytest.approx(1.4, rel=0.01)


def test_a_link_without_chance_but_deliveries_is_a_poisson_process() -> None:
    """No walk, no outage, no batches: the variance of the count in a bin is its mean; mean rate and share of empty bins follow."""
    drive = replace(
        DRIVES["lte-driving-down"], mean_bps=2_400_000, slow=0.0, fast=0.0, outage_share=0.0, batch=1.0
    )
    trace = make(drive, name="poisson", seed="1", duration_ns=300 * S)
    found = statistics(trace)
    assert found["mean_bps"] == pytest.approx(2_400_000, rel=4 / sqrt(60_000))
    assert found["variation_100ms"] == pytest.approx(1 / sqrt(20), rel=0.06)
    assert abs(found["autocorrelation_100ms"]) < 4 / sqrt(3_000)
    assert found["share_without_100ms"] == 0.0


@pytest.mark.long
def test_walk_and_outages_have_the_moments_that_their_parameters_say() -> None:
    """exp(S) of a Gaussian S with deviation s has a variation of sqrt(exp(s²) − 1), its autocorrelation at t is
    (exp(s² e^(−t/τ)) − 1) / (exp(s²) − 1); with outages of share o the variance of the rate is (1 + v²)/(1 − o) − 1."""
    plain = replace(
        DRIVES["lte-driving-down"],
        mean_bps=30_000_000,
        slow=0.5,
        slow_time_ns=2 * S,
        fast=0.0,
        outage_share=0.0,
        batch=1.0,
    )
    found = statistics(make(plain, name="walk", seed="1", duration_ns=1_500 * S))
    assert found["mean_bps"] == pytest.approx(30e6, rel=0.08)
    assert found["variation_100ms"] == pytest.approx(sqrt(exp(0.25) - 1), rel=0.1)
    expected = (exp(0.25 * exp(-0.5)) - 1) / (exp(0.25) - 1)
    assert found["autocorrelation_100ms"] == pytest.approx(expected, abs=0.08)
    out = replace(plain, slow=0.0, outage_share=0.2, outage_length_ns=2 * S)
    found = statistics(make(out, name="out", seed="1", duration_ns=1_500 * S))
    assert found["mean_bps"] == pytest.approx(30e6, rel=0.08)
    assert found["share_without_100ms"] == pytest.approx(0.2, abs=0.05)
    assert found["variation_100ms"] == pytest.approx(sqrt(1 / 0.8 - 1), rel=0.15)


APART = {("lte-driving-up", "rate_p25_bps"): "our slow seconds are slower: 0.8 beside 1.1 Mbit/s"}
"""What is outside its tolerance, as docs/validation.md says."""


@pytest.mark.long
def test_generated_traces_are_like_the_recordings() -> None:
    """By the tolerances of validation/drives.py."""
    found = validation.measure()
    assert {(row.drive, row.statistic) for row in found if row.agrees is False} == set(APART)
    assert len(found) == len(DRIVES) * len(STATISTICS)


def test_the_comparison_can_fail() -> None:
    flat = validation.Compared("d", "variation_1s", 0.1, 0.0, 0.64, 5e6)
    assert flat.agrees is False
    assert validation.Compared("d", "variation_1s", 0.6, 0.0, 0.64, 5e6).agrees is True
    assert validation.Compared("d", "gap_longest_ms", 1, 0.0, 900, 5e6).agrees is None


def test_statistics_of_a_trace_that_one_can_count() -> None:
    # Two packets in every tenth millisecond of each second's first half: 100 in a second, none for half a second.
    times = [1000 * second + 10 * index for second in range(10) for index in range(50) for _ in range(2)]
    found = statistics(Trace((*times, 10_000)))
    assert found["mean_bps"] == pytest.approx(1_001 * 12_000 / 10, abs=1)
    assert (found["gap_p50_ms"], found["gap_longest_ms"]) == (10, 510)
    assert found["share_without_100ms"] == pytest.approx(0.51)
    assert found["share_without_1s"] == 0
    assert found["variation_1s"] == 0
    assert found["variation_100ms"] == pytest.approx(1.0)
    assert found["autocorrelation_100ms"] == pytest.approx(1.0)


def test_the_seed_of_a_drive_is_judged_as_that_of_a_run() -> None:
    link = {"trace": "lte-driving-up(-1)"}
    with pytest.raises(
        InputError, match=r'bottleneck\.trace = "lte-driving-up\(-1\)": expected a seed: text of'
    ):
        st.run({"bottleneck": link, "flows": [{"control": "cubic"}]}, store=False)


def test_names_of_drives() -> None:
    assert drive_of("lte-driving-up") == ("lte-driving-up", "1")
    assert drive_of("lte-driving-up(7)") == ("lte-driving-up", "7")
    assert drive_of("lte-driving-up(7") is None
    assert drive_of("no-driving-up") is None
    assert generated("lte-driving-up", "7") != generated("lte-driving-up", "1")


@pytest.mark.parametrize("key", SETTINGS)
def test_every_parameter_acts(key: str) -> None:
    other = {"mean": "3 Mbit/s", "slow": 0.3, "slow_time": "1 s", "fast": 0.1, "fast_time": "400 ms"}
    other |= {"outage_share": 0.3, "outage_length": "2 s", "batch": 2.0}
    drive = DRIVES["lte-driving-up"]
    plain = make(drive, name="x", seed="1", duration_ns=20 * S)
    assert make(changed(drive, {key: other[key]}, "--set"), name="x", seed="1", duration_ns=20 * S) != plain


def test_the_command_writes_a_trace_and_says_what_it_is_like(sawtooth: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "up.trace"
    done = sawtooth(
        "trace", "lte-driving-up", "--seed", "7", "--duration", "4 s", "--out", str(path), "--json"
    )
    assert done.code == 0
    document = json.loads(done.out)
    expected = make(DRIVES["lte-driving-up"], name="lte-driving-up", seed="7", duration_ns=4 * S)
    assert path.read_text() == format_trace(expected)
    assert document["opportunities"] == len(expected.times_ms)
    assert document["model"]["parameters"]["mean"] == "1.91 Mbit/s"
    again = json.loads(sawtooth("trace", str(path), "--json").out)
    assert again["statistics"] == document["statistics"]
    assert again["model"] is None
    assert read_trace(path) == expected
    shown = sawtooth("trace", "evdo-driving-down", "--duration", "5 s", "--set", "mean=1 Mbit/s")
    assert shown.code == 0
    assert "mean rate" in shown.out


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (
            ["week.trace"],
            'week.trace: line 1 = "604800001": expected a last time of at most 604800000 ms (a week)',
        ),
        (["no-such"], 'sawtooth trace: NAME = "no-such": expected a trace file, or one of lte-driving-down'),
        (["cellular.trace", "--seed", "2"], "--seed"),
        (["lte-driving-up", "--duration", "1 ms"], '--duration = "1 ms": expected 1 s to 1 h'),
        (["lte-driving-up", "--set", "mean=1 bit/s"], "mean"),
        (["lte-driving-up", "--set", "slope=1"], "slope"),
    ],
)
def test_mistakes_of_the_command(
    sawtooth: CommandLine, tmp_path: Path, arguments: list[str], error: str
) -> None:
    (tmp_path / "week.trace").write_text("604800001\n")
    done = sawtooth("trace", *arguments)
    assert done.code == 2
    assert error in done.err


def test_an_unknown_trace_names_what_there_is() -> None:
    from sawtooth.run.api import scenario_of
    from sawtooth.scenario.resolve import resolve

    tables = {"bottleneck": {"trace": "lte-drivin"}, "flows": [{"control": "cubic"}]}
    with pytest.raises(InputError, match=r"lte-driving-down, .*lte-driving-down\(7\)"):
        resolve(scenario_of(tables))

"""Traces: counting with repetition, the edge cases of the format, wrong files, and the shipped traces made again."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sawtooth.errors import InputError
from sawtooth.scenario.trace import (
    SHIPPED,
    Cellular,
    Trace,
    format_trace,
    generate,
    parse_trace,
    read_trace,
    shipped_text,
    write_trace,
)

MS = 1_000_000


@st.composite
def traces(draw: st.DrawFn) -> Trace:
    times = sorted(draw(st.lists(st.integers(0, 40), min_size=1, max_size=20)))
    return Trace((*times, draw(st.integers(max(times[-1], 1), 50))))


@given(traces(), st.integers(0, 90), st.integers(0, 90))
def test_opportunities_are_counted_as_if_written_out(trace: Trace, a: int, b: int) -> None:
    start, end = sorted((a, b))
    written_out = [k * trace.period_ms + t for k in range(92) for t in trace.times_ms]
    assert trace.opportunities(start * MS, end * MS) == sum(start <= t < end for t in written_out)
    assert trace.opportunities(start * MS, end * MS, once=True) == sum(
        start <= t < end for t in trace.times_ms
    )


@given(traces())
def test_a_trace_survives_its_file(trace: Trace) -> None:
    assert parse_trace(format_trace(trace), "t") == trace


@given(traces(), st.integers(1, 5))
def test_every_period_after_the_first_carries_every_line(trace: Trace, period: int) -> None:
    start = period * trace.period_ms * MS + 1
    assert trace.opportunities(start, start + trace.period_ms * MS) == len(trace.times_ms)


def test_a_file_of_one_line_is_a_constant_link() -> None:
    constant = parse_trace("1\n", "t")
    assert constant.mean_bps == 12_000_000
    assert constant.available_bps(0, 1_000 * MS) == 11_988_000.0  # nothing at time 0 itself
    assert constant.available_bps(5 * MS, 1_005 * MS) == 12_000_000.0


def test_an_opportunity_at_time_0_falls_together_with_the_last_of_the_period_before() -> None:
    trace = parse_trace("0\n4\n10\n", "t")
    assert trace.period_ms == 10
    assert trace.opportunities(0, 10 * MS) == 2  # 0 and 4
    assert trace.opportunities(10 * MS, 11 * MS) == 2  # 10, and 0 again
    assert trace.opportunities(10 * MS, 20 * MS) == 3
    assert trace.opportunities(10 * MS, 20 * MS, once=True) == 1
    assert trace.mean_bps == 3 * 1500 * 8 * 100


@pytest.mark.parametrize("text", ["1\n2\n2\n", "1\r\n2\r\n2\r\n", "1\n2\n2", " 1\n2 \n2\n\n", "01\n2\n2\n"])
def test_spellings(text: str) -> None:
    assert parse_trace(text, "t") == Trace((1, 2, 2))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "t: expected one time in milliseconds per line; the file is empty"),
        ("\n \n", "t: expected one time in milliseconds per line; the file is empty"),
        ("1\nx\n", 't: line 2 = "x": expected one time in whole milliseconds, 0 or more'),
        ("1\n\n2\n", 't: line 2 = "": expected one time in whole milliseconds, 0 or more'),
        ("1\n2.5\n", 't: line 2 = "2.5": expected one time in whole milliseconds, 0 or more'),
        ("-1\n", 't: line 1 = "-1": expected one time in whole milliseconds, 0 or more'),
        ("1 2\n", 't: line 1 = "1 2": expected one time in whole milliseconds, 0 or more'),
        ("²\n", 't: line 1 = "²": expected one time in whole milliseconds, 0 or more'),
        ("5\n4\n", 't: line 2 = "4": expected a time of 5 ms or later, as in the line above'),
        ("0\n0\n", 't: line 2 = "0": expected a last time above 0 ms, because the trace repeats after it'),
        (
            "99999999999999999999\n",
            't: line 1 = "99999999999999999999": expected a time of at most 9223372036853 ms',
        ),
    ],
)
def test_a_wrong_file(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_trace(text, "t")
    assert str(caught.value) == message


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "three.trace"
    write_trace(Trace((1, 2, 2)), path)
    assert path.read_bytes() == b"1\n2\n2\n"
    assert read_trace(path) == Trace((1, 2, 2))


@pytest.mark.parametrize("name", list(SHIPPED))
def test_a_shipped_trace_is_what_its_code_makes(name: str) -> None:
    assert shipped_text(name) == format_trace(SHIPPED[name]())


def test_the_shipped_traces_are_what_their_names_say() -> None:
    shipped = {name: parse_trace(shipped_text(name), name) for name in SHIPPED}
    gaps = {name: max((b - a for a, b in pairwise(t.times_ms)), default=0) for name, t in shipped.items()}
    assert shipped["constant-12mbit.trace"].mean_bps == 12_000_000
    assert 4e6 < shipped["cellular.trace"].mean_bps < 9e6
    assert gaps["cellular.trace"] < 100
    assert 1_000 < gaps["outage.trace"] < 5_000


def test_a_generated_rate_stays_in_its_range() -> None:
    link = Cellular(seed="7", duration_ms=60_000, low_bps=6_000_000, high_bps=6_000_000, turn=0.0)
    # Binomial with 8 slots in each of 60 000 ms and p = 1/16: 30 000 expected, standard deviation 168.
    assert abs(len(generate(link).times_ms) - 30_000) < 5 * 168
    assert generate(link) == generate(link)
    assert generate(Cellular(seed="8")) != generate(Cellular(seed="9"))


def test_outages_take_their_share_of_the_time() -> None:
    steady = Cellular(seed="3", duration_ms=100_000, low_bps=6_000_000, high_bps=6_000_000, turn=0.0)
    broken = generate(
        Cellular(
            seed="3",
            duration_ms=100_000,
            low_bps=6_000_000,
            high_bps=6_000_000,
            turn=0.0,
            outage_every_ms=1_000,
            outage_length_ms=1_000,
        )
    )
    # Both states last 1 s in the mean, so about half of the opportunities remain (100 alternations: ± 0.1).
    assert 0.3 < len(broken.times_ms) / len(generate(steady).times_ms) < 0.7

"""Schedules: exact means, the file format there and back, and every way a file can be wrong."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sawtooth.errors import InputError
from sawtooth.scenario.schedule import (
    HEADER,
    Schedule,
    format_schedule,
    parse_schedule,
    read_schedule,
    write_schedule,
)

SQUARE = Schedule((0, 5_000_000_000, 10_000_000_000), (10_000_000, 1_000_000, 10_000_000))


@st.composite
def schedules(draw: st.DrawFn) -> Schedule:
    gaps = draw(st.lists(st.integers(1, 10**12), max_size=30))
    times = [0]
    for gap in gaps:
        times.append(times[-1] + gap)
    rates = draw(st.lists(st.integers(0, 10**12), min_size=len(times), max_size=len(times)))
    return Schedule(tuple(times), tuple(rates))


@given(schedules())
def test_a_schedule_survives_its_file_bit_for_bit(schedule: Schedule) -> None:
    text = format_schedule(schedule)
    again = parse_schedule(text, "s.csv")
    assert again == schedule
    assert format_schedule(again) == text


@given(schedules(), st.integers(0, 10**13), st.integers(1, 10**13))
def test_the_mean_is_the_integral_over_the_window(schedule: Schedule, start: int, width: int) -> None:
    edges = sorted({start, start + width, *(t for t in schedule.times_ns if start < t < start + width)})
    integral = sum((b - a) * schedule.at(a) for a, b in pairwise(edges))
    assert schedule.time_mean(start, start + width) == float(Fraction(integral, width))


@given(schedules(), st.integers(0, 10**14))
def test_the_level_at_a_time_is_the_last_that_began(schedule: Schedule, time: int) -> None:
    begun = [rate for t, rate in zip(schedule.times_ns, schedule.rates_bps, strict=True) if t <= time]
    assert schedule.at(time) == begun[-1]


@given(schedules())
def test_changes_are_the_same_function_without_repeats(schedule: Schedule) -> None:
    changes = schedule.changes()
    assert all(changes.at(time) == schedule.at(time) for time in schedule.times_ns)
    assert all(a != b for a, b in pairwise(changes.rates_bps))


@given(schedules(), st.integers(0, 10**12), st.integers(0, 10**12))
def test_clipping_moves_levels_and_no_times(schedule: Schedule, a: int, b: int) -> None:
    floor, ceiling = sorted((a, b))
    clipped = schedule.clip(floor, ceiling)
    assert clipped.times_ns == schedule.times_ns
    for before, after in zip(schedule.rates_bps, clipped.rates_bps, strict=True):
        assert after == min(max(before, floor), ceiling)


def test_means_of_a_square_wave() -> None:
    assert SQUARE.time_mean(0, 10_000_000_000) == 5_500_000.0
    assert SQUARE.time_mean(5_000_000_000, 10_000_000_000) == 1_000_000.0
    assert SQUARE.time_mean(4_000_000_000, 6_000_000_000) == 5_500_000.0
    assert SQUARE.time_mean(20_000_000_000, 30_000_000_000) == 10_000_000.0  # the last level holds


def test_until_keeps_what_starts_before() -> None:
    assert SQUARE.until(5_000_000_000) == Schedule((0,), (10_000_000,))
    assert SQUARE.until(5_000_000_001).times_ns == (0, 5_000_000_000)


def test_the_text_is_plain_decimals() -> None:
    schedule = Schedule((0, 1, 100_000_000, 60_000_000_000), (0, 7, 1_000_000, 5))
    assert format_schedule(schedule) == f"{HEADER}\n0,0\n0.000000001,7\n0.1,1000000\n60,5\n"


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "square.csv"
    write_schedule(SQUARE, path)
    assert path.read_bytes() == b"time_s,available_bps_per_flow\n0,10000000\n5,1000000\n10,10000000\n"
    assert read_schedule(path) == SQUARE
    assert Schedule.from_dict(SQUARE.to_dict()) == SQUARE


@pytest.mark.parametrize(
    "text",
    [
        f"{HEADER}\n0,10000000\n5,1000000\n",
        f"{HEADER}\r\n0,10000000\r\n5,1000000\r\n",
        f"{HEADER}\n0,1e7\n5.0,1e6\n\n  \n",
        " time_s , available_bps_per_flow \n 0 , 10000000.2 \n 5 , 999999.5 \n",  # whole bit/s, half to even
    ],
)
def test_spellings(text: str) -> None:
    assert parse_schedule(text, "s.csv") == Schedule((0, 5_000_000_000), (10_000_000, 1_000_000))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", f"s.csv: expected the header {HEADER} and at least one row; the file is empty"),
        ("\n\n", f"s.csv: expected the header {HEADER} and at least one row; the file is empty"),
        ("0,1000\n1,2000\n", f's.csv: line 1 = "0,1000": expected the header {HEADER}'),
        ("time,rate\n0,1000\n", f's.csv: line 1 = "time,rate": expected the header {HEADER}'),
        (f"{HEADER}\n", "s.csv: line 2: expected at least one row below the header, the first with time 0"),
        (f"{HEADER}\n0,1000\n5\n", f's.csv: line 3 = "5": expected two numbers as in the header {HEADER}'),
        (f"{HEADER}\n0,1000\n5,\n", f's.csv: line 3 = "5,": expected two numbers as in the header {HEADER}'),
        (f"{HEADER}\n0,1000\n\n5,1\n", f's.csv: line 3 = "": expected two numbers as in the header {HEADER}'),
        (
            f"{HEADER}\n0,1000,3\n",
            f's.csv: line 2 = "0,1000,3": expected two numbers as in the header {HEADER}',
        ),
        (
            f"{HEADER}\n0,1000\n5,20",
            's.csv: line 3 = "5,20": expected a complete row that ends in a newline; the file may have been cut off here',
        ),
        (
            f"{HEADER}\n0,fast\n",
            "s.csv: line 2 = \"0,fast\": expected a rate in bit/s, a decimal number instead of 'fast'",
        ),
        (
            f"{HEADER}\n0,nan\n",
            "s.csv: line 2 = \"0,nan\": expected a rate in bit/s, a decimal number instead of 'nan'",
        ),
        (
            f"{HEADER}\nx,1\n",
            "s.csv: line 2 = \"x,1\": expected a time in seconds, a decimal number instead of 'x'",
        ),
        (f"{HEADER}\n0,-1\n", 's.csv: line 2 = "0,-1": expected a rate in bit/s that is not negative'),
        (f"{HEADER}\n-1,1\n", 's.csv: line 2 = "-1,1": expected a time in seconds that is not negative'),
        (
            f"{HEADER}\n0,1e99\n",
            's.csv: line 2 = "0,1e99": expected a rate in bit/s of at most 9223372036854775807',
        ),
        (f"{HEADER}\n1,1000\n", 's.csv: line 2 = "1,1000": expected time 0 in the first row'),
        (
            f"{HEADER}\n0,1\n5,2\n5,3\n",
            's.csv: line 4 = "5,3": expected a time after 5 s, the one in the row above',
        ),
        (
            f"{HEADER}\n0,1\n5,2\n4.5,3\n",
            's.csv: line 4 = "4.5,3": expected a time after 5 s, the one in the row above',
        ),
        (  # two times that differ by less than the resolution
            f"{HEADER}\n0,1\n0.0000000001,2\n",
            's.csv: line 3 = "0.0000000001,2": expected a time after 0 s, the one in the row above',
        ),
    ],
)
def test_a_wrong_file(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_schedule(text, "s.csv")
    assert str(caught.value) == message


def test_a_file_that_is_not_there_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"expected a readable file \(no such file or directory"):
        read_schedule(tmp_path / "nothing.csv")
    with pytest.raises(InputError, match=r"expected a readable file \(is a directory"):
        read_schedule(tmp_path)
    (tmp_path / "binary.csv").write_bytes(b"time_s\xff\n")
    with pytest.raises(InputError, match="byte 6: expected UTF-8 text"):
        read_schedule(tmp_path / "binary.csv")


def test_a_byte_order_mark_is_no_part_of_the_header(tmp_path: Path) -> None:
    path = tmp_path / "excel.csv"
    path.write_bytes(b"\xef\xbb\xbf" + format_schedule(SQUARE).encode())
    assert read_schedule(path) == SQUARE

"""Units: every accepted spelling, exact results, round trips, and what is refused with which words."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sawtooth.scenario import units

QUANTITIES = st.integers(min_value=0, max_value=units.LARGEST)

PARSERS: dict[str, Callable[..., int]] = {
    "time": units.parse_time,
    "rate": units.parse_rate,
    "size": units.parse_size,
}


@pytest.mark.parametrize(
    ("what", "text", "expected"),
    [
        ("time", "20 ms", 20_000_000),
        ("time", "20ms", 20_000_000),
        ("time", " 20  ms ", 20_000_000),
        ("time", "0.1 s", 100_000_000),
        ("time", "1.1 s", 1_100_000_000),
        ("time", ".5 s", 500_000_000),
        ("time", "5. s", 5_000_000_000),
        ("time", "80 us", 80_000),
        ("time", "80 µs", 80_000),  # U+00B5, the sign on keyboards
        ("time", "80 \u03bcs", 80_000),  # U+03BC, the Greek letter
        ("time", "7 ns", 7),
        ("time", "2 min", 120_000_000_000),
        ("time", "1e3 s", 1_000_000_000_000),
        ("time", "0", 0),
        ("time", 0, 0),
        ("time", 0.0, 0),
        ("time", "0 ms", 0),
        ("time", "0.30000000000000004 s", 300_000_000),  # what a program prints for 0.1 + 0.2
        ("time", "1.5 ns", 2),  # half to even
        ("time", "2.5 ns", 2),
        ("rate", "100 Mbit/s", 100_000_000),
        ("rate", "100 Mbps", 100_000_000),
        ("rate", "100 Mb/s", 100_000_000),
        ("rate", "0.07 Mbit/s", 70_000),
        ("rate", "1 Gbit/s", 1_000_000_000),
        ("rate", "1.5 Gbps", 1_500_000_000),
        ("rate", "9 kbit/s", 9_000),
        ("rate", "8 kbps", 8_000),
        ("rate", "300 bit/s", 300),
        ("rate", "300 bps", 300),
        ("size", "1000 B", 1000),
        ("size", "1.5 kB", 1500),
        ("size", "1.5 MB", 1_500_000),
        ("size", "1 KiB", 1024),
        ("size", "0.5 MiB", 524_288),
    ],
)
def test_accepted(what: str, text: object, expected: int) -> None:
    assert PARSERS[what](text) == expected


@pytest.mark.parametrize(
    ("what", "text", "words"),
    [
        ("time", "20", units.TIME_ACCEPTED),
        ("time", 20, units.TIME_ACCEPTED),
        ("time", True, units.TIME_ACCEPTED),
        ("time", None, units.TIME_ACCEPTED),
        ("time", "", units.TIME_ACCEPTED),
        ("time", "ms", units.TIME_ACCEPTED),
        ("time", "20 Mbit/s", units.TIME_ACCEPTED),
        ("time", "20 MS", units.TIME_ACCEPTED),
        ("time", "20 ms 5", units.TIME_ACCEPTED),
        ("time", "1 500 ms", units.TIME_ACCEPTED),
        ("time", "nan s", units.TIME_ACCEPTED),
        ("time", "inf s", units.TIME_ACCEPTED),
        ("time", "٣ s", units.TIME_ACCEPTED),  # digits that are not 0 to 9
        ("time", "-5 ms", "not negative"),
        ("time", "0.4 ns", "not finer than 1 ns"),
        ("time", "1e30 s", "of at most 9223372036854775807 ns"),
        ("time", "1e9999 s", "between 1 and"),
        ("time", "1e-9999 s", "between 1 and"),
        ("rate", "100", units.RATE_ACCEPTED),
        ("rate", "100 MB/s", units.RATE_ACCEPTED),
        ("rate", "100 Mbit", units.RATE_ACCEPTED),
        ("rate", "100 mbit/s", units.RATE_ACCEPTED),
        ("rate", "-1 Mbit/s", "not negative"),
        ("size", "1500", units.SIZE_ACCEPTED),
        ("size", "12 kbit", units.SIZE_ACCEPTED),
        ("size", "1.5 B", "in whole bytes"),
    ],
)
def test_refused(what: str, text: object, words: str) -> None:
    with pytest.raises(ValueError, match=r"^a ") as caught:
        PARSERS[what](text)
    assert words in str(caught.value)


@pytest.mark.parametrize("what", ["time", "rate", "size"])
@pytest.mark.parametrize("zero", ["0", 0])
def test_zero_is_refused_where_it_makes_no_sense(what: str, zero: object) -> None:
    with pytest.raises(ValueError, match="above zero"):
        PARSERS[what](zero, positive=True)


@given(QUANTITIES)
def test_text_of_a_time_reads_as_the_same_time(value: int) -> None:
    assert units.parse_time(units.format_time(value)) == value


@given(QUANTITIES)
def test_text_of_a_rate_reads_as_the_same_rate(value: int) -> None:
    assert units.parse_rate(units.format_rate(value)) == value


@given(QUANTITIES)
def test_text_of_a_size_reads_as_the_same_size(value: int) -> None:
    assert units.parse_size(units.format_size(value)) == value


@given(st.integers(0, 10**12), st.integers(0, 9))
def test_decimals_are_exact_and_shortest(numerator: int, digits: int) -> None:
    text = units.decimal_text(numerator, 10**digits)
    whole, _, rest = text.partition(".")
    assert int(whole + rest.ljust(digits, "0")) == numerator
    assert "." not in text or not text.endswith(("0", "."))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (20_000_000, "20 ms"),
        (1_500_000_000, "1.5 s"),
        (0, "0 s"),
        (999, "999 ns"),
        (123_333_333, "123.333333 ms"),
    ],
)
def test_times_for_people(value: int, expected: str) -> None:
    assert units.format_time(value) == expected


@pytest.mark.parametrize(
    ("text", "packets"),
    [
        ("1 bdp", 1500),  # 100 Mbit/s · 120 ms / 8000 bit
        ("0.1 bdp", 150),
        ("0.00001 bdp", 1),  # never less than a packet
        ("1500 packets", 1500),
        ("1 packet", 1),
        ("120 ms", 1500),
        ("1.5 MB", None),
    ],
)
def test_buffer_in_packets(text: str, packets: int | None) -> None:
    buffer = units.parse_buffer(text)
    assert buffer.packets(rate_bps=100_000_000, rtt_ns=120_000_000, packet_bytes=1000) == packets
    assert units.parse_buffer(str(buffer)) == buffer


def test_buffer_of_a_bdp_is_rounded_half_to_even() -> None:
    half = units.parse_buffer("2.5 bdp")
    assert half.packets(rate_bps=8_000, rtt_ns=1_000_000_000, packet_bytes=1000) == 2


@pytest.mark.parametrize(
    "text",
    [
        "1500",
        "bdp",
        "0 bdp",
        "-1 bdp",
        "0 packets",
        "1.5 packets",
        "100 Mbit/s",
        "1 BDP",
        1500,
        None,
        "1e99 bdp",
        "1e30 packets",
    ],
)
def test_buffer_refused(text: object) -> None:
    with pytest.raises(ValueError, match=r'^a buffer such as "1 bdp"'):
        units.parse_buffer(text)


@pytest.mark.parametrize(
    ("text", "depth"),
    [("20 packets", {"packets": 20}), ("1 packets", {"packets": 1}), ("1 ms", {"ns": 1_000_000})],
)
def test_a_depth_is_in_packets_or_in_time(text: str, depth: dict[str, int]) -> None:
    assert units.parse_depth(text) == depth
    assert units.format_depth(depth) == text


def test_a_volume_is_one_that_64_bits_hold() -> None:
    assert units.parse_volume(f"{2**63 - 1} packets").amount == 2**63 - 1
    with pytest.raises(ValueError, match=r"^a volume such as .*, of at most 9223372036854775807 packets$"):
        units.parse_volume(f"{2**63} packets")


@pytest.mark.parametrize("text", ["20", "1.5 packets", "0 packets", "1e19 packets", "1 kB", "0 ms", None])
def test_what_is_no_depth_is_refused(text: object) -> None:
    with pytest.raises(ValueError, match=r"^a (depth|time)"):
        units.parse_depth(text)

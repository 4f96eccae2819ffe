"""Units: text such as `100 Mbit/s` to whole ns, bit/s and bytes, and back without loss.

Times are integer nanoseconds, rates integer bit/s, sizes integer bytes, everywhere in the package. Numbers are
read as decimals, never as binary floats, so `0.1 s` is exactly 100 000 000 ns. A time or rate finer than the
resolution is rounded to it (half to even); a positive value that would become 0 is refused, as are fractions of
a byte. k, M, G are powers of ten; Ki, Mi powers of two (bytes only). `MB/s` is refused: bits or bytes per second
must not be a guess. Errors are `ValueError`s whose text fits behind "expected".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Final, Literal

TIMES: Final[Mapping[str, int]] = {
    "ns": 1,
    "us": 10**3,
    "µs": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "min": 60 * 10**9,
}
"""Nanoseconds per unit."""

RATES: Final[Mapping[str, int]] = {
    "bit/s": 1,
    "kbit/s": 10**3,
    "Mbit/s": 10**6,
    "Gbit/s": 10**9,
    "bps": 1,
    "kbps": 10**3,
    "Mbps": 10**6,
    "Gbps": 10**9,
    "b/s": 1,
    "kb/s": 10**3,
    "Mb/s": 10**6,
    "Gb/s": 10**9,
}
"""Bits per second per unit."""

SIZES: Final[Mapping[str, int]] = {"B": 1, "kB": 10**3, "MB": 10**6, "KiB": 2**10, "MiB": 2**20}
"""Bytes per unit."""

LARGEST: Final = 2**63 - 1
"""Largest value the engine's 64-bit integers hold, in any unit."""

TIME_ACCEPTED: Final = 'a time such as "20 ms" (ns, us, ms, s, min)'
AGES: Final[Mapping[str, int]] = {**TIMES, "h": 3600 * 10**9, "d": 86_400 * 10**9}
AGE_ACCEPTED: Final = 'an age such as "30 d" (s, min, h, d)'
RATE_ACCEPTED: Final = 'a rate such as "100 Mbit/s" (bit/s, kbit/s, Mbit/s, Gbit/s)'
SIZE_ACCEPTED: Final = 'a size such as "1000 B" (B, kB, MB, KiB, MiB)'
DEPTH_ACCEPTED: Final = 'a depth such as "20 packets" or "1 ms"'
VOLUME_ACCEPTED: Final = 'a volume such as "10 packets" or "64 kB"'
BUFFER_ACCEPTED: Final = 'a buffer such as "1 bdp", "1500 packets", "120 ms" or "1.5 MB"'

_QUANTITY = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?)\s*([^\d\s.].*)?", re.ASCII)


def parse_time(value: object, *, positive: bool = False) -> int:
    """Nanoseconds of a text such as `20 ms`; a bare 0 needs no unit. Raises ValueError."""
    return (
        _time_of(value, positive)
        if isinstance(value, str)
        else _parse(value, TIMES, TIME_ACCEPTED, positive=positive)
    )


@lru_cache(maxsize=4096)
def _time_of(text: str, positive: bool) -> int:
    """A scenario says the same times again and again: its defaults, for every flow."""
    return _parse(text, TIMES, TIME_ACCEPTED, positive=positive)


def parse_age(value: object) -> float:
    """Seconds of a text such as `30 d`; a bare 0 needs no unit. Raises ValueError."""
    return _parse(value, AGES, AGE_ACCEPTED, positive=False) / 1e9


def parse_rate(value: object, *, positive: bool = False) -> int:
    """Bit/s of a text such as `100 Mbit/s`; a bare 0 needs no unit. Raises ValueError."""
    return _parse(value, RATES, RATE_ACCEPTED, positive=positive)


def parse_size(value: object, *, positive: bool = False) -> int:
    """Bytes of a text such as `1.5 MB`; must be whole bytes; a bare 0 needs no unit. Raises ValueError."""
    return _parse(value, SIZES, SIZE_ACCEPTED, positive=positive, whole=True)


def format_time(nanoseconds: int) -> str:
    """Shortest exact text: `parse_time(format_time(t)) == t`."""
    if nanoseconds == 0:
        return "0 s"
    return _format(nanoseconds, (("s", 10**9), ("ms", 10**6), ("us", 10**3), ("ns", 1)))


def format_rate(bits_per_second: int) -> str:
    """Shortest exact text: `parse_rate(format_rate(r)) == r`."""
    return _format(bits_per_second, (("Gbit/s", 10**9), ("Mbit/s", 10**6), ("kbit/s", 10**3), ("bit/s", 1)))


def format_size(size: int) -> str:
    """Shortest exact text: `parse_size(format_size(b)) == b`."""
    return _format(size, (("MB", 10**6), ("kB", 10**3), ("B", 1)))


def decimal_text(numerator: int, denominator: int) -> str:
    """`numerator / denominator` as a plain decimal, exact, without trailing zeros.

    `denominator` is a power of ten; the result never has an exponent.
    """
    sign, (whole, rest) = ("-" if numerator < 0 else ""), divmod(abs(numerator), denominator)
    digits = str(rest).rjust(len(str(denominator)) - 1, "0").rstrip("0") if rest else ""
    return f"{sign}{whole}.{digits}" if digits else f"{sign}{whole}"


BufferUnit = Literal["bdp", "packets", "time", "bytes"]


@dataclass(frozen=True)
class Buffer:
    """A buffer size as the user gave it; `time` amounts are in ns, the others in their own unit."""

    amount: Fraction
    unit: BufferUnit

    def packets(self, *, rate_bps: int, rtt_ns: int, packet_bytes: int) -> int | None:
        """Whole packets (half to even, at least 1), or None for a buffer in bytes.

        `bdp` counts `rate_bps` times `rtt_ns`, a time counts `rate_bps` times itself, both in packets of
        `packet_bytes` on the wire.
        """
        if self.unit == "bytes":
            return None
        if self.unit == "packets":
            return int(self.amount)
        span = self.amount * rtt_ns if self.unit == "bdp" else self.amount
        return max(1, round(span * rate_bps / (8 * 10**9) / packet_bytes))

    def __str__(self) -> str:
        if self.unit == "time":
            return format_time(int(self.amount))
        if self.unit == "bytes":
            return format_size(int(self.amount))
        if self.unit == "packets":
            return f"{self.amount} packets"
        return f"{_exact(self.amount)} bdp"


def parse_volume(value: object) -> Buffer:
    """A volume of data, `10 packets` or `64 kB`; must be above zero. Raises ValueError."""
    number, unit = _split(value, VOLUME_ACCEPTED)
    if unit in ("packets", "packet"):
        return Buffer(_whole_packets(number, VOLUME_ACCEPTED), "packets")
    if unit in SIZES:
        return Buffer(Fraction(parse_size(value, positive=True)), "bytes")
    raise ValueError(VOLUME_ACCEPTED)


def parse_depth(value: object) -> dict[str, int]:
    """A depth of a queue, `20 packets` or `1 ms`, as the engine has it: `{"packets": 20}` or `{"ns": 1000000}`. Raises ValueError."""
    number, unit = _split(value, DEPTH_ACCEPTED)
    if unit in ("packets", "packet"):
        return {"packets": int(_whole_packets(number, DEPTH_ACCEPTED))}
    if unit in TIMES or unit == "μs":
        return {"ns": parse_time(value, positive=True)}
    raise ValueError(DEPTH_ACCEPTED)


def format_depth(depth: Mapping[str, int]) -> str:
    """The inverse of `parse_depth`."""
    return f"{depth['packets']} packets" if "packets" in depth else format_time(depth["ns"])


def parse_buffer(value: object) -> Buffer:
    """A `Buffer` of `1 bdp`, `1500 packets`, `120 ms` or `1.5 MB`; must be above zero. Raises ValueError."""
    if isinstance(value, Buffer):
        return value
    number, unit = _split(value, BUFFER_ACCEPTED)
    if number <= 0:
        raise ValueError(f"{BUFFER_ACCEPTED}, above zero")
    if unit == "bdp":
        return Buffer(_bounded(number, BUFFER_ACCEPTED), "bdp")
    if unit in ("packets", "packet"):
        return Buffer(_whole_packets(number, BUFFER_ACCEPTED), "packets")
    if unit in TIMES or unit == "μs":
        return Buffer(Fraction(parse_time(value, positive=True)), "time")
    if unit in SIZES:
        return Buffer(Fraction(parse_size(value, positive=True)), "bytes")
    raise ValueError(BUFFER_ACCEPTED)


def _parse(
    value: object, units: Mapping[str, int], accepted: str, *, positive: bool, whole: bool = False
) -> int:
    number, unit = _split(value, accepted)
    if number < 0:
        raise ValueError(f"{accepted}, {'above zero' if positive else 'not negative'}")
    if number == 0 and positive:
        raise ValueError(f"{accepted}, above zero")
    if number == 0 and not unit:
        return 0
    if unit not in units:
        raise ValueError(accepted)
    exact = _bounded(number, accepted) * units[unit]
    if exact > LARGEST:
        raise ValueError(f"{accepted}, of at most {LARGEST} {next(iter(units))}")
    if whole and exact.denominator != 1:
        raise ValueError(f"{accepted}, in whole bytes")
    rounded = round(exact)
    if exact > 0 and rounded == 0:
        raise ValueError(f"{accepted}, not finer than 1 {next(iter(units))}")
    return rounded


def _split(value: object, accepted: str) -> tuple[Decimal, str]:
    """The number and the unit of a quantity; the unit of a bare 0 is empty."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and value == 0:
        return Decimal(0), ""
    match = _QUANTITY.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        raise ValueError(accepted)
    return Decimal(match[1]), (match[2] or "").replace("μ", "µ")


def _bounded(number: Decimal, accepted: str) -> Fraction:
    """`number` exactly, refused when its exponent alone shows that no 64-bit integer can follow."""
    if number and not -40 <= number.adjusted() <= 40:
        raise ValueError(f"{accepted}, between 1 and {LARGEST} of the smallest unit")
    return Fraction(number)


def _whole_packets(number: Decimal, accepted: str) -> Fraction:
    """A number of packets, refused unless the engine's integers hold it."""
    if number <= 0 or number != number.to_integral_value():
        raise ValueError(f"{accepted}, in whole packets above zero")
    exact = _bounded(number, accepted)
    if exact > LARGEST:
        raise ValueError(f"{accepted}, of at most {LARGEST} packets")
    return exact


def _format(value: int, units: tuple[tuple[str, int], ...]) -> str:
    assert value >= 0, "quantities are never negative"
    name, scale = next((item for item in units if value >= item[1]), units[-1])
    return f"{decimal_text(value, scale)} {name}"


def _exact(amount: Fraction) -> str:
    """A decimal fraction (all that `parse_buffer` makes) as text."""
    scale = 1
    while scale % amount.denominator:
        scale *= 10
    return decimal_text(amount.numerator * (scale // amount.denominator), scale)

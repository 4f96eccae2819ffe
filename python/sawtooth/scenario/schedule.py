"""Schedules: available bandwidth per test flow as a piecewise-constant function of time.

A level starts at its time and holds until the next one; the last holds for ever. Times are integer nanoseconds,
levels integer bit/s per test flow, so a schedule is the same on every machine and survives its own file format
bit for bit: CSV with the header `time_s,available_bps_per_flow`, times in decimal seconds from 0, rates in bit/s.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import compress
from operator import lt, mul, ne, sub
from pathlib import Path
from typing import Any, Final

from sawtooth.errors import MISSING, InputError
from sawtooth.scenario.units import LARGEST, decimal_text

HEADER: Final = "time_s,available_bps_per_flow"
"""First line of a schedule file."""

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,2})?", re.ASCII)


@dataclass(frozen=True)
class Schedule:
    """`rates_bps[i]` is available to each test flow from `times_ns[i]` on.

    The two tuples have the same length, at least 1; times start at 0 and increase strictly; rates are not negative.
    """

    times_ns: tuple[int, ...]
    rates_bps: tuple[int, ...]

    def __post_init__(self) -> None:
        assert len(self.times_ns) == len(self.rates_bps), "one rate per time"
        assert self.times_ns[:1] == (0,), "a schedule starts at 0"
        assert all(map(lt, self.times_ns, self.times_ns[1:])), "times increase strictly"
        assert min(self.rates_bps) >= 0, "rates are not negative"

    @classmethod
    def constant(cls, rate_bps: int) -> Schedule:
        """One level for ever."""
        return cls((0,), (rate_bps,))

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Schedule:
        """The inverse of `to_dict`."""
        return cls(tuple(data["times_ns"]), tuple(data["rates_bps"]))

    def to_dict(self) -> dict[str, Any]:
        """Plain lists `times_ns` and `rates_bps`."""
        return {"times_ns": list(self.times_ns), "rates_bps": list(self.rates_bps)}

    def at(self, time_ns: int) -> int:
        """The level at `time_ns` (bit/s per test flow)."""
        assert time_ns >= 0, "a schedule starts at 0"
        return self.rates_bps[bisect_right(self.times_ns, time_ns) - 1]

    def time_mean(self, start_ns: int, end_ns: int) -> float:
        """Mean level over [start, end) in bit/s per test flow, weighted by time (summed as integers)."""
        assert 0 <= start_ns < end_ns, "the window of a mean is not empty"
        first, after = bisect_right(self.times_ns, start_ns) - 1, bisect_left(self.times_ns, end_ns)
        edges = (start_ns, *self.times_ns[first + 1 : after], end_ns)
        total: int = sum(map(mul, self.rates_bps[first:after], map(sub, edges[1:], edges)))
        return total / (end_ns - start_ns)  # of whole numbers: rounded once

    def shared(self, flows: int) -> Schedule:
        """Every level in so many equal parts, each to the nearest bit/s."""
        return Schedule(self.times_ns, tuple(round(rate / flows) for rate in self.rates_bps))

    def clip(self, floor_bps: int, ceiling_bps: int) -> Schedule:
        """Every level moved into [floor, ceiling]; times stay."""
        assert 0 <= floor_bps <= ceiling_bps, "a floor is not above its ceiling"
        if floor_bps <= min(self.rates_bps) and max(self.rates_bps) <= ceiling_bps:
            return self
        return Schedule(self.times_ns, tuple(min(max(r, floor_bps), ceiling_bps) for r in self.rates_bps))

    def until(self, end_ns: int) -> Schedule:
        """Only the levels that start before `end_ns`."""
        assert end_ns > 0, "a schedule keeps at least its first level"
        kept = sum(1 for time in self.times_ns if time < end_ns)
        return Schedule(self.times_ns[:kept], self.rates_bps[:kept])

    def changes(self) -> Schedule:
        """The same function of time without levels that repeat the one before."""
        changed = (True, *map(ne, self.rates_bps, self.rates_bps[1:]))
        if all(changed):
            return self
        return Schedule(tuple(compress(self.times_ns, changed)), tuple(compress(self.rates_bps, changed)))


def format_schedule(schedule: Schedule) -> str:
    """The CSV text of `schedule`; `parse_schedule` returns exactly the same schedule."""
    rows = zip(schedule.times_ns, schedule.rates_bps, strict=True)
    return "".join([f"{HEADER}\n", *(f"{decimal_text(time, 10**9)},{rate}\n" for time, rate in rows)])


def write_schedule(schedule: Schedule, path: str | Path) -> None:
    """Write `schedule` to a CSV file, whole or not at all. Raises OSError."""
    from sawtooth.atomic import write_bytes_atomic  # of no use to most who read schedules

    write_bytes_atomic(Path(path), format_schedule(schedule).encode())


def read_schedule(path: str | Path) -> Schedule:
    """The schedule in a CSV file; raises InputError that names the file and the line."""
    return parse_schedule(read_text(Path(path)), str(path))


def parse_schedule(text: str, where: str) -> Schedule:
    """The schedule in a CSV text; `where` names it in errors.

    Strict, because a wrong rate is worse than a stopped run: a file cut off in its last row (which then lacks its
    newline) is refused. Times finer than 1 ns and rates finer than 1 bit/s are rounded (half to even).
    """
    lines = text.splitlines()
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines:
        raise InputError(where, None, MISSING, f"the header {HEADER} and at least one row; the file is empty")
    if [cell.strip() for cell in lines[0].split(",")] != HEADER.split(","):
        raise InputError(where, "line 1", lines[0], f"the header {HEADER}")
    if len(lines) == 1:
        raise InputError(where, "line 2", MISSING, "at least one row below the header, the first with time 0")
    if not set("\n\r") & set(text[len(text.rstrip()) :]):
        complete = "a complete row that ends in a newline; the file may have been cut off here"
        raise InputError(where, f"line {len(lines)}", lines[-1], complete)
    times: list[int] = []
    rates: list[int] = []
    for number, line in enumerate(lines[1:], start=2):
        time, rate = _row(line, where, number)
        if not times and time != 0:
            raise InputError(where, f"line {number}", line, "time 0 in the first row")
        if times and time <= times[-1]:
            before = decimal_text(times[-1], 10**9)
            raise InputError(
                where, f"line {number}", line, f"a time after {before} s, the one in the row above"
            )
        times.append(time)
        rates.append(rate)
    return Schedule(tuple(times), tuple(rates))


def read_text(path: Path) -> str:
    """The text of an input file (UTF-8, with or without a byte order mark); raises InputError."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(str(path), None, MISSING, f"a readable file ({reason.lower()})") from None
    except UnicodeDecodeError as error:
        raise InputError(str(path), f"byte {error.start}", MISSING, "UTF-8 text") from None


def _row(line: str, where: str, number: int) -> tuple[int, int]:
    """Time (ns) and rate (bit/s) of one row."""
    cells = [cell.strip() for cell in line.split(",")]
    if len(cells) != 2 or not all(cells):
        raise InputError(where, f"line {number}", line, f"two numbers as in the header {HEADER}")
    scales = (("time in seconds", 10**9), ("rate in bit/s", 1))
    values: list[int] = []
    for cell, (what, scale) in zip(cells, scales, strict=True):
        if not _NUMBER.fullmatch(cell):
            raise InputError(where, f"line {number}", line, f"a {what}, a decimal number instead of {cell!r}")
        if cell.startswith("-") and Decimal(cell) != 0:
            raise InputError(where, f"line {number}", line, f"a {what} that is not negative")
        value = Fraction(Decimal(cell)) * scale
        if value > LARGEST:
            raise InputError(where, f"line {number}", line, f"a {what} of at most {LARGEST // scale}")
        values.append(round(value))
    return values[0], values[1]

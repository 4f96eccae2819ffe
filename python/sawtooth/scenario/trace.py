"""Traces of delivery opportunities in mahimahi's format: reader, writer and generator.

Source: [Netravali15], its `mm-link` and traces/README. One integer per line, a time in ms from the start; each line lets the
link deliver up to 1500 bytes at that time; a time repeated k times means k opportunities; an unused opportunity
is lost; the trace repeats at its end unless it is used once.

Two cases the format leaves open, decided as mm-link does: the period is the last time in the file, so the
opportunity at time t comes again at t + period, t + 2 periods, …; and a file may start at time 0, whose
opportunity then falls on the same millisecond as the last line of the period before, and both count. So every
period but the first (which alone has the opportunities at time 0) carries as many opportunities as there are lines.

The recorded traces of [Winstein13] that come with mahimahi are under the GPL, so the package ships its own: `SHIPPED`
lists what each is made of, and `generate` makes them again, bit for bit. Draws come from the engine's named streams
(ChaCha, pinned), and only `+ - *` and comparisons act on them, so every machine produces the same files.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import Final

from sawtooth import _native
from sawtooth.errors import MISSING, InputError
from sawtooth.scenario.schedule import read_text

OPPORTUNITY_BYTES: Final = 1500
"""Bytes that one line delivers."""

LARGEST_MS: Final = 2**63 // 10**6 - 1
"""Latest time in a trace that still fits the engine's nanoseconds."""


@dataclass(frozen=True)
class Trace:
    """Delivery opportunities at `times_ms`, in order, repeating after the last of them (which is above 0)."""

    times_ms: tuple[int, ...]

    def __post_init__(self) -> None:
        assert min(self.times_ms, default=-1) >= 0, "a trace has an opportunity, and none before 0"
        assert all(a <= b for a, b in pairwise(self.times_ms)), "times do not decrease"
        assert self.times_ms[-1] > 0, "the period is above 0"

    @property
    def period_ms(self) -> int:
        """The trace repeats after this time."""
        return self.times_ms[-1]

    @property
    def mean_bps(self) -> int:
        """Rate of one period in bit/s (whole)."""
        return round(len(self.times_ms) * OPPORTUNITY_BYTES * 8 * 1000 / self.period_ms)

    def opportunities(self, start_ns: int, end_ns: int, *, once: bool = False) -> int:
        """Number of opportunities in [start, end), with repetition unless `once`."""
        return self._before(end_ns, once) - self._before(start_ns, once)

    def available_bps(self, start_ns: int, end_ns: int, *, once: bool = False) -> float:
        """Mean rate the link offers in [start, end), in bit/s."""
        assert start_ns < end_ns, "the window of a mean is not empty"
        count = self.opportunities(start_ns, end_ns, once=once)
        return count * OPPORTUNITY_BYTES * 8 * 10**9 / (end_ns - start_ns)

    def _before(self, end_ns: int, once: bool) -> int:
        """Number of opportunities at times before `end_ns`."""
        end_ms = -(-end_ns // 10**6)
        if once or end_ms <= self.period_ms:
            return bisect_left(self.times_ms, end_ms)
        periods, rest = divmod(end_ms, self.period_ms)
        last_complete = bisect_left(self.times_ms, self.period_ms + rest)
        return (periods - 1) * len(self.times_ms) + last_complete + bisect_left(self.times_ms, rest)


def read_trace(path: str | Path) -> Trace:
    """The trace in a file; raises InputError that names the file and the line."""
    return parse_trace(read_text(Path(path)), str(path))


@lru_cache(maxsize=4)
def parse_trace(text: str, where: str) -> Trace:
    """The trace in a text; `where` names it in errors. A scenario is laid out several times, so the last few texts are remembered."""
    times: list[int] = []
    lines = text.splitlines()
    while lines and not lines[-1].strip():
        lines.pop()
    for number, line in enumerate(lines, start=1):
        digits = line.strip()
        if not (digits.isascii() and digits.isdigit()):
            raise InputError(where, f"line {number}", line, "one time in whole milliseconds, 0 or more")
        time = int(digits) if len(digits) < 20 else LARGEST_MS + 1
        if time > LARGEST_MS:
            raise InputError(where, f"line {number}", line, f"a time of at most {LARGEST_MS} ms")
        if times and time < times[-1]:
            above = f"a time of {times[-1]} ms or later, as in the line above"
            raise InputError(where, f"line {number}", line, above)
        times.append(time)
    if not times:
        raise InputError(where, None, MISSING, "one time in milliseconds per line; the file is empty")
    if times[-1] == 0:
        zero = "a last time above 0 ms, because the trace repeats after it"
        raise InputError(where, f"line {len(times)}", lines[len(times) - 1], zero)
    return Trace(tuple(times))


def format_trace(trace: Trace) -> str:
    """The text of `trace`; `parse_trace` returns exactly the same trace."""
    return "".join(f"{time}\n" for time in trace.times_ms)


def write_trace(trace: Trace, path: str | Path) -> None:
    """Write `trace` to a file, whole or not at all, or to a pipe as it is. Raises OSError."""
    from sawtooth.atomic import write_bytes_atomic  # of no use to most who read traces

    target, data = Path(path), format_trace(trace).encode()
    if target.exists() and not target.is_file():
        target.write_bytes(data)
    else:
        write_bytes_atomic(target, data)


@dataclass(frozen=True)
class Cellular:
    """A synthetic cellular link: a random walk of the rate, Poisson-like delivery, and outages.

    | parameter     | unit   | default | why                                                                       |
    |---------------|--------|---------|---------------------------------------------------------------------------|
    | seed          |        | "1"     | stream `trace/cellular`                                                   |
    | duration_ms   | ms     | 20 000  | some tens of RTTs, yet a small file                                       |
    | low, high     | bit/s  | 1, 12 M | range of the walk; LTE downlinks recorded in 2013 moved between these     |
    | step_ms       | ms     | 100     | the rate of those recordings keeps its value for about this long          |
    | turn          | 1      | 0.3     | a step multiplies the rate by U(1 − turn, 1 + turn), kept in [low, high]   |
    | outage_every  | ms     | 0       | mean time between outages; 0: none                                        |
    | outage_length | ms     | 1000    | mean length of an outage, in whole steps (geometric)                      |

    Differs from a Poisson process: each millisecond has `SLOTS` chances, so at most that many opportunities.
    """

    seed: str = "1"
    duration_ms: int = 20_000
    low_bps: int = 1_000_000
    high_bps: int = 12_000_000
    step_ms: int = 100
    turn: float = 0.3
    outage_every_ms: int = 0
    outage_length_ms: int = 1_000


SLOTS: Final = 8
"""Chances of an opportunity in one millisecond; bounds the rate of a generated trace at 96 Mbit/s."""


def generate(link: Cellular) -> Trace:
    """The trace of a synthetic cellular link; the same on every machine."""
    assert 0 < link.low_bps <= link.high_bps <= SLOTS * OPPORTUNITY_BYTES * 8 * 1000, "rates fit the slots"
    assert link.duration_ms >= link.step_ms > 0, "a trace has at least one step"
    assert link.duration_ms % link.step_ms == 0, "a trace has whole steps"
    rate = (link.low_bps + link.high_bps) / 2.0
    steps = link.duration_ms // link.step_ms
    draw = _draws(link, steps)
    times: list[int] = []
    out = False
    for step in range(steps):
        factor = 1.0 - link.turn + 2.0 * link.turn * next(draw)
        rate = min(max(rate * factor, float(link.low_bps)), float(link.high_bps))
        change = next(draw)
        if out:
            out = change * link.outage_length_ms >= link.step_ms
        else:
            out = link.outage_every_ms > 0 and change * link.outage_every_ms < link.step_ms
        chance = 0.0 if out else rate / (SLOTS * OPPORTUNITY_BYTES * 8 * 1000)
        first = step * link.step_ms + 1
        for time in range(first, first + link.step_ms):
            times.extend(time for _ in range(SLOTS) if next(draw) < chance)
    if not times or times[-1] != link.duration_ms:
        times.append(link.duration_ms)  # the last line is the period
    return Trace(tuple(times))


def _draws(link: Cellular, steps: int) -> Iterator[float]:
    count = steps * (2 + link.step_ms * SLOTS)
    return iter(_native.uniforms(link.seed, "trace/cellular", count))


def _cellular() -> Trace:
    return generate(Cellular())


def _outage() -> Trace:
    return generate(
        Cellular(low_bps=1_500_000, high_bps=6_000_000, outage_every_ms=8_000, outage_length_ms=1_500)
    )


def _constant() -> Trace:
    return Trace((1,))


SHIPPED: Final[Mapping[str, Callable[[], Trace]]] = {
    "cellular.trace": _cellular,
    "outage.trace": _outage,
    "constant-12mbit.trace": _constant,
}
"""The traces in the package and what makes them; a test compares the files."""


def shipped_text(name: str) -> str:
    """The text of a trace of the package."""
    return resources.files("sawtooth").joinpath("data", "traces", name).read_text(encoding="ascii")

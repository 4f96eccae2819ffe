"""CPU time of programs that run to their end, rounds in which programs take turns, and how several measurements are summed up."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.subjects.frame import Subject


@dataclass(frozen=True)
class Spread:
    """Median, smallest and largest of several measurements."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """The spread of at least one value."""
        return cls(statistics.median(values), min(values), max(values))

    @classmethod
    def ratio(cls, above: Sequence[float], below: Sequence[float]) -> Spread:
        """The spread of ratios formed round by round."""
        return cls.of([a / b for a, b in zip(above, below, strict=True)])

    def text(self, digits: int) -> str:
        """`median (low … high)`."""
        return f"{self.median:.{digits}f} ({self.low:.{digits}f} … {self.high:.{digits}f})"


@dataclass(frozen=True)
class Measured:
    """What rounds gave, by name of the subject: ns of CPU per forwarded packet of each round, packets forwarded and dropped in the seconds
    that count, those seconds, and peak memory (kB)."""

    ns_per_packet: Mapping[str, Sequence[float]]
    forwarded: Mapping[str, int]
    dropped: Mapping[str, int]
    seconds: Mapping[str, int]
    peak_kb: Mapping[str, int]

    def ratio(self, above: str, below: str) -> Spread:
        """How many times as much a packet costs in `above` as in `below`."""
        return Spread.ratio(self.ns_per_packet[above], self.ns_per_packet[below])

    def unequal(self, reference: str, tolerance: float) -> list[str]:
        """Who did not forward as many packets a second as `reference`: between such a ratio means nothing."""
        rates = {name: packets / self.seconds[name] for name, packets in self.forwarded.items()}
        return [name for name, rate in rates.items() if abs(rate / rates[reference] - 1) > tolerance]


def measure(subjects: Sequence[Subject], rounds: int, lead_in: int, seconds: int, what: str = "") -> Measured:
    """Every subject runs short and long in each round, and the difference counts, so neither start-up nor the lead-in does. The subjects
    take turns within a round: a machine that is slower for a while slows all of them."""
    costs: dict[str, list[float]] = {subject.name: [] for subject in subjects}
    forwarded: dict[str, int] = {}
    dropped: dict[str, int] = {}
    counted: dict[str, int] = {}
    peaks: dict[str, int] = dict.fromkeys(costs, 0)
    for index in range(rounds):
        for subject in subjects:
            name = subject.name
            first = min(lead_in, subject.seconds_max or lead_in)
            counted[name] = min(seconds, subject.seconds_max or seconds)
            short, long = subject.run(first), subject.run(first + counted[name])
            forwarded[name] = long.forwarded - short.forwarded
            dropped[name] = long.dropped - short.dropped
            peaks[name] = max(peaks[name], long.peak_kb)
            costs[name].append((long.cpu_s - short.cpu_s) * 1e9 / forwarded[name])
        print(f"{what}round {index + 1} of {rounds}", file=sys.stderr)
    return Measured(costs, forwarded, dropped, counted, peaks)

"""What a study keeps of a run beside its metrics: quantities of a part of the run, or of a group of its flows.

    >>> measure = Measure.parse("jain 15..60 s")
    >>> measure(run)

Source: [Jain84] eq. 1 for `jain`; the others are defined here. A measure is written as its name, the group of flows it is about (by
number, `of 1`) and the part of the run it is taken over; without the last it is the whole run, warm-up included.

| measure       | unit | what                                                                                       | record  |
|---------------|------|--------------------------------------------------------------------------------------------|---------|
| goodput       | 1    | wire bytes of unique packets delivered over what the bottleneck could carry                | rates   |
| jain          | 1    | Jain's index of the goodputs of the flows that were present                                | rates   |
| share of G    | 1    | mean goodput of the group's flows over that of all flows present: 1 is a fair share        | rates   |
| settling of G | s    | from the group's first start until its flows together have half a fair share in a bin      | rates   |
| synchronised  | 1    | mean over the congestion epochs of the share of the flows present that decreased           | windows |

Flows that never settle count as if they did at the end of the part.
A flow is *present* in a part of a run of which it was on for nine tenths at least. A congestion epoch begins with a decrease; decreases
within a round trip over a full queue of it (the longest of the flows) belong to it.
Bins of the rates must fit the parts: one that reaches over an end belongs to neither side.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sawtooth.fields import JsonSchema, Parsed
from sawtooth.run import Run
from sawtooth.units import format_time, parse_time

PRESENT: Final = 0.9
"""Share of a part of a run for which a flow has to be on to count in it."""
SAMPLE: Final = 0
"""Code of `event` in the record `windows` for what is no decrease."""

_FORM = re.compile(r"(\w+)(?: of (\d+))?(?: ([\d.]+)\.\.([\d.]+ ?\w+))?")


@dataclass(frozen=True)
class Part:
    """A run, a part of its time, and the flows that a measure is about (None: all test flows)."""

    run: Run
    begin_ns: int
    end_ns: int
    group: int | None

    @property
    def seconds(self) -> float:
        """Length of the part, s."""
        return (self.end_ns - self.begin_ns) / 1e9

    def rows(self) -> list[Mapping[str, Any]]:
        """The flows as resolved, in the order of ids."""
        found: list[Mapping[str, Any]] = self.run.meta["resolved"]["flows"]
        return found

    def of_group(self) -> NDArray[np.bool_]:
        """Which flows are of the group."""
        return np.array([row["test"] and self.group in (None, row["group"]) for row in self.rows()])

    def present(self) -> NDArray[np.bool_]:
        """Which test flows were on for nearly all of the part."""
        wanted = PRESENT * (self.end_ns - self.begin_ns)
        return np.array([row["test"] and self._overlap(row) >= wanted for row in self.rows()])

    def _overlap(self, row: Mapping[str, Any]) -> float:
        stop = self.end_ns if row["stop_ns"] is None else min(row["stop_ns"], self.end_ns)
        return float(stop - max(row["start_ns"], self.begin_ns))

    def record(self, name: str) -> pa.Table:
        """A recorded series. ValueError if the scenario did not ask for it."""
        if name not in self.run.records:
            raise ValueError(f"a measure needs record.{name} in its scenario")
        return self.run.records[name]

    def bins(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Ends of the bins inside the part (ns), and what each flow got in them: bit, shape (bins, flows)."""
        rates = self.record("rates")
        ends, flow = rates.column("time_ns").to_numpy(), rates.column("flow").to_numpy()
        width = int(self.run.engine["record"]["rates_ns"])
        inside = (ends - width >= self.begin_ns) & (ends <= self.end_ns)
        times = np.unique(ends[inside])
        bits = np.zeros((times.size, self.run.flows.num_rows))
        packets = rates.column("delivered_packets").to_numpy()[inside]
        bits[np.searchsorted(times, ends[inside]), flow[inside]] = packets
        sizes = self.run.flows.column("packet_bytes").to_numpy().astype(np.float64)
        return times, bits * sizes * 8.0

    def goodputs(self) -> NDArray[np.float64]:
        """What each flow got over the part, bit/s."""
        goodputs: NDArray[np.float64] = self.bins()[1].sum(axis=0) / self.seconds
        return goodputs


def goodput(part: Part) -> float:
    """Goodput of the flows together over the capacity of the bottleneck."""
    return float(part.goodputs()[part.of_group()].sum() / part.run.meta["capacity_bps"])


def jain(part: Part) -> float:
    """Jain's index of the flows present (of the group); NaN without any, or where nothing was delivered."""
    goodputs = part.goodputs()[part.present() & part.of_group()]
    squares = goodputs.size * float((goodputs**2).sum())
    return float(goodputs.sum()) ** 2 / squares if squares else float("nan")


def share(part: Part) -> float:
    """Mean goodput of the group's flows present over that of all flows present; NaN where there is none."""
    goodputs, present = part.goodputs(), part.present()
    own = goodputs[present & part.of_group()]
    return float(own.mean() / goodputs[present].mean()) if own.size else float("nan")


def settling(part: Part) -> float:
    """Time from the group's first start until a bin in which its flows have half a fair share on average, s."""
    own = part.of_group()
    start = min(row["start_ns"] for row, chosen in zip(part.rows(), own, strict=True) if chosen)
    times, bits = part.bins()
    on = np.array([row["start_ns"] for row in part.rows()])[None, :] < times[:, None]
    everyone = np.divide(bits.sum(axis=1), on.sum(axis=1), out=np.zeros(times.size), where=on.any(axis=1))
    reached = (times > start) & (bits[:, own].mean(axis=1) >= everyone / 2)
    first = times[reached][0] if reached.any() else part.end_ns
    return float(first - start) / 1e9


def synchronised(part: Part) -> float:
    """Mean share of the flows present that decrease in an epoch; NaN where nothing decreased."""
    windows, present = part.record("windows"), part.present()
    times, flows = windows.column("time_ns").to_numpy(), windows.column("flow").to_numpy()
    cut = windows.column("event").to_numpy() != SAMPLE
    cut &= (times >= part.begin_ns) & (times < part.end_ns) & present[flows]
    times, flows = times[cut], flows[cut]
    span, place, shares = _round_trip_ns(part), 0, []
    while place < times.size:
        stop = int(np.searchsorted(times, times[place] + span, side="right"))
        shares.append(np.unique(flows[place:stop]).size / int(present.sum()))
        place = stop
    return float(np.mean(shares)) if shares else float("nan")


def _round_trip_ns(part: Part) -> int:
    """The longest propagation time and a full queue at the bottleneck."""
    bottleneck = part.run.meta["resolved"]["bottleneck"]
    size = int(part.run.flows.column("packet_bytes")[0].as_py())
    packets, size_bytes = bottleneck["buffer_packets"], bottleneck["buffer_bytes"]
    full = size_bytes if packets is None else packets * size
    longest = max(row["rtt_ns"] for row in part.rows())
    return int(longest + full * 8 * 10**9 // part.run.meta["capacity_bps"])


@dataclass(frozen=True)
class Measure(Parsed):
    """A measure as a study writes it; called with a run it gives the number, NaN where it is undefined."""

    name: str
    group: int | None
    begin_ns: int
    end_ns: int | None

    FUNCTIONS: ClassVar[Mapping[str, Callable[[Part], float]]] = {
        "goodput": goodput,
        "jain": jain,
        "share": share,
        "settling": settling,
        "synchronised": synchronised,
    }
    ACCEPTED: ClassVar[str] = (
        f'one of {", ".join(FUNCTIONS)}, with a group ("share of 1") and a part of the run ("jain 15..60 s") where wanted'
    )

    @classmethod
    def parse(cls, value: object) -> Self:
        found = _FORM.fullmatch(value) if isinstance(value, str) else None
        if found is None or found[1] not in cls.FUNCTIONS:
            raise ValueError(cls.ACCEPTED)
        name, group, begin, end = found.groups()
        chosen = None if group is None else int(group)
        if end is None:
            return cls(name, chosen, 0, None)
        unit = re.sub(r"^[\d.]+ ?", "", end)
        return cls(name, chosen, parse_time(f"{begin} {unit}"), parse_time(end))

    @classmethod
    def schema(cls) -> JsonSchema:
        return {"type": "string", "description": cls.ACCEPTED}

    def text(self) -> str:
        group = "" if self.group is None else f" of {self.group}"
        return f"{self.name}{group}{self.part_text()}"

    def part_text(self) -> str:
        """The part of the run, as written; nothing for the whole."""
        if self.end_ns is None:
            return ""
        return f" {self.begin_ns / 1e9:g}..{format_time(self.end_ns)}"

    def __call__(self, run: Run) -> float:
        end = int(run.engine["duration_ns"]) if self.end_ns is None else self.end_ns
        return self.FUNCTIONS[self.name](Part(run, self.begin_ns, end, self.group))

"""What a run of one test case shows over time: the states of the first flow, and what it believed and did in them.

Source: the recorded series ``model``, which has a row whenever a state is entered and at every sample; ``packets`` for rounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from sawtooth.run.run import Run

if TYPE_CHECKING:
    from numpy.typing import NDArray

MODEL: Final = "model"
ENTERED: Final = 1
"""Code of a row that tells of a state that was entered."""
AGAIN: Final = 1
ARRIVED: Final = 2
"""Codes of packets: below, sent for the first time; sent again; arrived."""
MARGIN: Final = 0.99
"""What the pacing margin of 1 % leaves of a rate."""

Values: TypeAlias = "NDArray[np.float64]"


@dataclass(frozen=True)
class Stay:
    """A state from its entry to the next one, in seconds; the last one ends with the run."""

    state: str
    begin: float
    end: float
    following: str | None

    @property
    def length(self) -> float:
        """How long it lasted."""
        return self.end - self.begin


class CaseTrace:
    """The run of a test case."""

    def __init__(self, run: Run, names: Sequence[str]) -> None:
        self.run = run
        table = run.records[MODEL]
        first = table.filter(np.asarray(table.column("flow")) == 0)
        columns = {
            name: np.asarray(first.column(name).to_numpy(zero_copy_only=False), np.float64)
            for name in first.column_names
        }
        self._columns = {name: np.where(values < 0, np.nan, values) for name, values in columns.items()}
        self.times: Values = self._columns["time_ns"] / 1e9
        self._names = names
        self.end = run.engine["duration_ns"] / 1e9
        self.rtt = run.meta["resolved"]["flows"][0]["rtt_ns"] / 1e9
        self.packet = int(run.flows.column("packet_bytes")[0].as_py())

    def column(self, name: str) -> Values:
        """A column of the series; NaN where nothing is known."""
        return self._columns[name]

    @cached_property
    def stays(self) -> list[Stay]:
        """Every state, in order."""
        rows = np.flatnonzero(self._columns["event"] == ENTERED)
        begins = [*map(float, self.times[rows]), self.end]
        states = [self._names[int(code)] for code in self._columns["state"][rows]]
        following = [*states[1:], None]
        return [
            Stay(state, begins[place], begins[place + 1], following[place])
            for place, state in enumerate(states)
        ]

    def of(self, *states: str) -> list[Stay]:
        """The stays in these states that ended before the run did."""
        return [stay for stay in self.stays if stay.state in states and stay.following is not None]

    def within(self, name: str, begin: float, end: float) -> Values:
        """The known values of a column from one moment to another, the first included."""
        chosen = self._columns[name][(self.times >= begin) & (self.times < end)]
        return chosen[~np.isnan(chosen)]

    def at(self, name: str, time: float) -> float:
        """The value of a column at a moment: that of the last row up to it; NaN where nothing was known."""
        place = int(np.searchsorted(self.times, time, side="right")) - 1
        return float(self._columns[name][place]) if place >= 0 else float("nan")

    def entry(self, name: str, stay: Stay) -> float:
        """The value at the entry of a state."""
        return self.at(name, stay.begin)

    def last(self, name: str, stay: Stay) -> float:
        """The value when a state was left, before the next one was entered."""
        inside = self.within(name, stay.begin, stay.end)
        return float(inside[-1]) if len(inside) else float("nan")

    def bdp(self, time: float) -> float:
        """The estimated bandwidth-delay product at a moment, bytes."""
        return self.at("max_bw_bps", time) / 8 * self.at("min_rtt_ns", time) / 1e9

    def gain(self, stay: Stay) -> float:
        """The pacing gain at the entry of a state: pacing over estimate, the margin taken off."""
        return self.entry("pacing_bps", stay) / self.entry("bw_bps", stay) / MARGIN

    @cached_property
    def _packets(self) -> tuple[Values, NDArray[np.int64], dict[int, Values]]:
        """When packets were sent, which, and by packet when it arrived."""
        table = self.run.records["packets"]
        flow = np.asarray(table.column("flow")) == 0
        event = np.asarray(table.column("event"))
        times, numbers = np.asarray(table.column("time_ns")) / 1e9, np.asarray(table.column("number"))
        sent, arrived = flow & (event <= AGAIN), flow & (event == ARRIVED)
        arrivals: dict[int, list[float]] = {}
        for number, time in zip(numbers[arrived].tolist(), times[arrived].tolist(), strict=True):
            arrivals.setdefault(number, []).append(time)
        return times[sent], numbers[sent], {number: np.asarray(found) for number, found in arrivals.items()}

    def boundaries(self, begin: float, end: float) -> list[float]:
        """Where rounds end from a moment on, up to the first that ends behind another: each with the acknowledgement of a packet that
        left after the one before."""
        sent, numbers, arrivals = self._packets
        found, place = [begin], int(np.searchsorted(sent, begin))
        while place < len(sent) and found[-1] < end:
            came = arrivals.get(int(numbers[place]), np.empty(0))
            later = came[came >= sent[place]]
            if not len(later):
                place += 1
                continue
            found.append(float(later[0]) + self.rtt / 2)
            place = int(np.searchsorted(sent, found[-1]))
        return found

    def rounds(self, begin: float, end: float) -> float:
        """How many rounds lie between two moments; the last one counts by its part."""
        found = self.boundaries(begin, end)
        whole = [time for time in found if time <= end]
        rest = [time for time in found if time > end]
        part = (end - whole[-1]) / (rest[0] - whole[-1]) if whole and rest else 0.0
        return len(whole) - 1 + part

    def delivered_bps(self, begin: float, end: float) -> float:
        """Rate of delivery between two moments, bit/s, from the series ``rates``."""
        table = self.run.records["rates"]
        times = np.asarray(table.column("time_ns")) / 1e9
        chosen = (times > begin) & (times <= end) & (np.asarray(table.column("flow")) == 0)
        packets = float(np.asarray(table.column("delivered_packets"))[chosen].sum())
        width = float(np.unique(times[chosen]).size) * self.run.engine["record"]["rates_ns"] / 1e9
        return packets * self.packet * 8 / width if width else float("nan")

    @property
    def losses(self) -> int:
        """Packets of all flows that queues or links dropped."""
        return int(sum(self.run.flows.column("drops").to_pylist()))

    def sent_until(self, time: float) -> int:
        """Packets sent up to a moment, repeats among them."""
        return int((self._packets[0] <= time).sum())

    def losses_until(self, time: float) -> int:
        """Packets dropped at the bottleneck up to a moment, from the series ``congestion``."""
        table = self.run.records["congestion"]
        times = np.asarray(table.column("time_ns")) / 1e9
        return int(((times <= time) & (np.asarray(table.column("mark")) == 0)).sum())

"""A part of a run, and what the measures of a study read from it.

Source: none; `measures` and its companions compute, here is where their numbers come from. A flow is *present* in a part of a run of
which it was on for nine tenths at least. Bins of the rates must fit the parts: one that reaches over an end belongs to neither side.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from sawtooth.column_values import values_of
from sawtooth.scenario.schedule import Schedule

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa
    from numpy.typing import NDArray

    from sawtooth.measure.run_data import RunData

PRESENT: Final = 0.9
"""Share of a part of a run for which a flow has to be on to count in it."""
Known = dict[tuple[object, ...], Any]
"""What was worked out of one run for a measure and serves others, by what it depends on."""
SAMPLE: Final = 0
"""Code of `event` in the record `windows` for what is no decrease."""

ONE_FLOW: Final = 'the group of a single test flow, such as "growth of 1"'
"""What a measure of one flow needs where there are several."""


@dataclass(frozen=True)
class RunPart:
    """A run, a part of its time, and the flows that a measure is about (None: all test flows); its level and bins, where it has them."""

    run: RunData
    begin_ns: int
    end_ns: int
    group: int | None
    level: float | None = None
    bin_ns: int | None = None
    known: Known = field(default_factory=dict, compare=False, repr=False)
    """Shared by the measures of one run."""

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
        return float(self.stop_of(row) - max(row["start_ns"], self.begin_ns))

    def stop_of(self, row: Mapping[str, Any]) -> int:
        """When a flow stops within the part, ns."""
        return self.end_ns if row["stop_ns"] is None else min(row["stop_ns"], self.end_ns)

    @property
    def width_ns(self) -> int:
        """The width of the bins of `record.rates`."""
        return int(self.run.engine["record"]["rates_ns"])

    def of_one_flow(self, windows: pa.Table) -> NDArray[np.bool_]:
        """Which rows of the record `windows` lie in the part and are of the group. ValueError if these are rows of several flows."""
        times, flows = values_of(windows.column("time_ns")), values_of(windows.column("flow"))
        own = np.flatnonzero(self.of_group())
        inside = (times >= self.begin_ns) & (times < self.end_ns) & np.isin(flows, own)
        if np.unique(flows[inside]).size > 1:
            raise ValueError(ONE_FLOW)
        return inside

    def round_trip_ns(self) -> float:
        """The round trip as the first flow of the group smoothed it, ns."""
        return float(values_of(self.run.flows.column("srtt_ns"))[self.of_group().argmax()])

    def record(self, name: str) -> pa.Table:
        """A recorded series. ValueError if the scenario did not ask for it."""
        if name not in self.run.records:
            raise ValueError(f"a measure needs record.{name} in its scenario")
        return self.run.records[name]

    def bins(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Ends of the bins inside the part (ns), and what each flow got in them: bit, shape (bins, flows).

        Flows that stand in no group, such as place-holders, come after the others and are left out.
        """
        key = ("bins", self.begin_ns, self.end_ns)
        if key not in self.known:
            self.known[key] = self._bins()
        found: tuple[NDArray[np.int64], NDArray[np.float64]] = self.known[key]
        return found

    def _bins(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        rates = self.record("rates")
        ends, flow = values_of(rates.column("time_ns")), values_of(rates.column("flow"))
        count = len(self.rows())
        inside = (ends - self.width_ns >= self.begin_ns) & (ends <= self.end_ns) & (flow < count)
        times = np.unique(ends[inside])
        bits = np.zeros((times.size, count))
        packets = values_of(rates.column("delivered_packets"))[inside]
        bits[np.searchsorted(times, ends[inside]), flow[inside]] = packets
        sizes = values_of(self.run.flows.column("packet_bytes"))[:count].astype(np.float64)
        got = bits * sizes * 8.0
        times.flags.writeable = got.flags.writeable = False  # several measures read them
        return times, got

    def rates(self) -> NDArray[np.float64]:
        """Bits of the group's flows in bins of the measure's width, shape (bins, flows); what does not fill a bin at the end is left out.

        ValueError if the width is no multiple of that of the record.
        """
        self.record("rates")  # else there is no width
        if self.bin_ns is None or self.bin_ns % self.width_ns:
            raise ValueError(f"a measure of bins needs record.rates of which {self.bin_ns} ns are a multiple")
        bits, each = self.bins()[1][:, self.of_group()], self.bin_ns // self.width_ns
        whole = bits.shape[0] // each
        return np.asarray(bits[: whole * each].reshape(whole, each, -1).sum(axis=1), dtype=np.float64)

    def available_bps(self) -> float:
        """Mean bandwidth available to a test flow over the part, bit/s. ValueError behind short flows, which take what they can get."""
        if self.run.meta.get("cross") is not None:
            raise ValueError("a measure needs an environment that says beforehand what short flows leave")
        return Schedule.from_dict(self.run.meta["schedule"]).time_mean(self.begin_ns, self.end_ns)

    def goodputs(self) -> NDArray[np.float64]:
        """What each flow got over the part, bit/s."""
        goodputs: NDArray[np.float64] = self.bins()[1].sum(axis=0) / self.seconds
        return goodputs

"""What the records of a run say at one moment: windows, and packets in the order in which things happened."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from sawtooth.run.run import Run
from validation.linux_modern.cases import first_packet_ns

SENT, AGAIN, ACKNOWLEDGED = 0, 1, 4
"""Codes of events in the record `packets`."""
UNLIMITED: Final = 1e9
"""A slow-start threshold beyond this is none."""


@dataclass(frozen=True)
class Trace:
    """One run; times are s after the first packet."""

    found: Run

    @cached_property
    def events(self) -> list[tuple[float, int, int]]:
        """Time, event and number; at one moment acknowledgements come before what they let go."""
        start = first_packet_ns(self.found)
        columns = (
            self.found.records["packets"].column(name).to_pylist() for name in ("time_ns", "event", "number")
        )
        rows = [((time - start) / 1e9, event, number) for time, event, number in zip(*columns, strict=True)]
        return sorted(rows, key=lambda row: (row[0], row[1] != ACKNOWLEDGED))

    @cached_property
    def windows(self) -> list[tuple[float, float, float]]:
        """Time, window and slow-start threshold (packets), at each sample and after each decrease."""
        start = first_packet_ns(self.found)
        columns = (
            self.found.records["windows"].column(name).to_pylist()
            for name in ("time_ns", "window", "ssthresh")
        )
        return [((time - start) / 1e9, window, limit) for time, window, limit in zip(*columns, strict=True)]

    @cached_property
    def _times(self) -> list[float]:
        return [time for time, _, _ in self.windows]

    def window_at(self, time_s: float) -> float:
        """The window at that time."""
        return self.windows[max(bisect_right(self._times, time_s) - 1, 0)][1]

    def times_of(self, event: int) -> list[float]:
        """When that happened."""
        return [time for time, kind, _ in self.events if kind == event]

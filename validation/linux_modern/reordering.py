"""Late packets: which went again in vain, when, and whether the window was restored, here and in Linux.

Source: Linux 6.18, data/linux_reordering.csv and data/linux_windows.csv, three repetitions. RACK takes the first reordering for a loss, as
the third SACK says so. Whether it does so later depends on its window, which rounds with a DSACK widen. A cut for nothing is withdrawn
when the timestamp of the original comes back, when every packet that went again has been reported as a duplicate, or after F-RTO.

| compared                                              | agrees within                                              |
|-------------------------------------------------------|------------------------------------------------------------|
| sent again or not, packet by packet                   | the same                                                   |
| when, after the first SACK above it                   | a step of Linux's clock, 4 ms, beyond the repetitions      |
| window when the hole opens and after it has closed    | 2 packets beyond the repetitions; the second only in `reord_*` |
| window 1.5 round trips after the last recovery ended  | 2 packets beyond the repetitions                           |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from validation.linux_modern.cases import all_runs
from validation.linux_modern.tails import STEP_MS
from validation.linux_modern.trace import ACKNOWLEDGED, AGAIN, Trace
from validation.linux_modern.windows import WITHIN
from validation.linux_modern.windows import ours as episodes
from validation.runs import table

CLOSED_S: Final = 0.002
"""So long after the hole has closed, a sample of the window has been taken."""
LATER_S: Final = 0.090
"""One and a half round trips."""
WITHDRAWN: Final = ("undo_reno_ts1", "undo40_reno_ts1", "undo40_cubic_ts0", "undo_cubic_rto")


@dataclass(frozen=True)
class Hole:
    """A packet that is late: when it went again (ms after the hole opened), if it did, and the window before and after the hole."""

    again_ms: float | None
    before: float
    after: float


@dataclass(frozen=True)
class Late:
    """The late packets of one recording: ours, and Linux's by repetition."""

    name: str
    ours: tuple[Hole, ...]
    linux: tuple[tuple[Hole, ...], ...]
    undos: int

    @property
    def again(self) -> str:
        """Which went again: 1, or 0."""
        return _flags(self.ours)

    @property
    def linux_again(self) -> str:
        """The same of Linux, by repetition where these differ."""
        return " or ".join(dict.fromkeys(map(_flags, self.linux)))

    @property
    def difference(self) -> float:
        """How far a window lies outside the repetitions, at most, in packets."""
        found = [0.0]
        for ours, *theirs in zip(self.ours, *self.linux, strict=True):
            found.append(beyond(ours.before, [hole.before for hole in theirs]))
            if self.name not in WITHDRAWN:
                found.append(beyond(ours.after, [hole.after for hole in theirs]))
        return max(found)

    @property
    def later_ms(self) -> float:
        """How far the time of a packet that went again lies outside the repetitions, at most."""
        found = [0.0]
        for ours, *theirs in zip(self.ours, *self.linux, strict=True):
            times = [hole.again_ms for hole in theirs if hole.again_ms is not None]
            if ours.again_ms is not None and times:
                found.append(beyond(ours.again_ms, times))
        return max(found)

    @property
    def agrees(self) -> bool:
        """By the rule of this file."""
        same = all(_flags(one) == self.again for one in self.linux)
        return same and self.difference <= WITHIN and self.later_ms <= STEP_MS


@dataclass(frozen=True)
class Withdrawal:
    """The window some time after a recovery without a loss, ours and Linux's by repetition, and that before it."""

    name: str
    before: float
    ours: float
    linux: tuple[float, ...]
    undos: int

    @property
    def agrees(self) -> bool:
        """By the rule of this file."""
        return self.undos == 1 and beyond(self.ours, self.linux) <= WITHIN


def _flags(holes: Sequence[Hole]) -> str:
    return "".join("0" if hole.again_ms is None else "1" for hole in holes)


def beyond(one: float, many: Sequence[float]) -> float:
    """How far a value lies outside the range of others."""
    return max(min(many) - one, one - max(many), 0.0)


def late() -> list[Late]:
    """Every recording with late packets."""
    rows = table("linux_reordering")
    by_name = all_runs()
    found = []
    for name in dict.fromkeys(row["recording"] for row in rows):
        own = [row for row in rows if row["recording"] == name]
        linux = tuple(
            tuple(_hole(row) for row in own if row["repetition"] == repetition)
            for repetition in dict.fromkeys(row["repetition"] for row in own)
        )
        ordinals = [int(row["ordinal"]) for row in own if row["repetition"] == own[0]["repetition"]]
        run = by_name[name]
        ours = tuple(holes(Trace(run), ordinals))
        found.append(Late(name, ours, linux, run.flows.to_pylist()[0]["undos"]))
    return found


def _hole(row: dict[str, str]) -> Hole:
    again = float(row["again_after_ms"]) if row["again"] == "1" else None
    return Hole(again, float(row["before"]), float(row["after"]))


def holes(trace: Trace, ordinals: Sequence[int]) -> list[Hole]:
    """The holes that the packets with these numbers on the wire leave when they are late."""
    sent = [number for _, event, number in trace.events if event < ACKNOWLEDGED and event <= AGAIN]
    return [_opened(trace, sent[ordinal - 1]) for ordinal in ordinals]


def _opened(trace: Trace, number: int) -> Hole:
    acks = [(time, una) for time, event, una in trace.events if event == ACKNOWLEDGED and una >= number]
    _, opened, *_ = [time for time, una in acks if una == number]
    closed = next(time for time, una in acks if una > number)
    again = [time for time, event, which in trace.events if event == AGAIN and which == number]
    again_ms = 1e3 * (again[0] - opened) if again else None
    return Hole(again_ms, trace.window_at(opened), trace.window_at(closed + CLOSED_S))


def withdrawals() -> list[Withdrawal]:
    """Every recording with one cut for nothing: the window later."""
    rows = table("linux_windows")
    by_name = all_runs()
    found = []
    for name in WITHDRAWN:
        own = [row for row in rows if row["recording"] == name]
        last = [
            [row for row in own if row["repetition"] == r][-1]
            for r in dict.fromkeys(row["repetition"] for row in own)
        ]
        run = by_name[name]
        ended = max(float(row["left_s"]) for row in last)  # here at the same time, within a few ms
        window = Trace(run).window_at(ended + LATER_S)
        linux = tuple(float(row["later"]) for row in last)
        found.append(
            Withdrawal(name, episodes(run)[-1].before, window, linux, run.flows.to_pylist()[0]["undos"])
        )
    return found

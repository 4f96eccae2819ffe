"""Loss episodes: the window before each and the threshold that it left, here and in Linux.

Source: Linux 6.18, data/linux_windows.csv, three repetitions.

| compared                 | agrees within                                                                    |
|--------------------------|----------------------------------------------------------------------------------|
| window before, threshold | 2 packets beyond the range of the repetitions                                    |
| number of episodes       | the same, over the time that the recording lasted                                |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from sawtooth.run.run import Run
from validation.linux_modern.cases import all_runs, first_packet_ns
from validation.runs import LOSS, MARK, TIMEOUT, decreases, table

WITHIN: Final = 2.0
KINDS: Final = {LOSS: "loss", TIMEOUT: "timeout", MARK: "mark"}


@dataclass(frozen=True)
class Episode:
    """When (s after the first packet), of which kind, from which window to which threshold (packets)."""

    time_s: float
    kind: str
    before: float
    threshold: float


@dataclass(frozen=True)
class Recording:
    """The episodes of one recording: ours, and Linux's by repetition."""

    name: str
    ours: tuple[Episode, ...]
    linux: tuple[tuple[Episode, ...], ...]

    @property
    def differences(self) -> list[float]:
        """By how much each of our windows and thresholds lies outside the range of the repetitions, episode by episode, in packets."""
        found = []
        for ours, *theirs in zip_longest(self.ours, *self.linux):
            if ours is None or None in theirs:
                found.append(float("inf"))
                continue
            pairs = (
                (ours.before, [episode.before for episode in theirs]),
                (ours.threshold, [episode.threshold for episode in theirs]),
            )
            found.append(max(max(min(many) - one, one - max(many), 0.0) for one, many in pairs))
        return found

    @property
    def later_s(self) -> float:
        """The largest difference of the times of an episode, to the nearest repetition."""
        together = zip(self.ours, *self.linux, strict=False)
        apart: list[float] = [
            min(abs(ours.time_s - one.time_s) for one in theirs) for ours, *theirs in together
        ]
        return max(apart)

    @property
    def agrees(self) -> bool:
        """By the rule of this file."""
        kinds = all(tuple(e.kind for e in one) == tuple(e.kind for e in self.ours) for one in self.linux)
        return kinds and max(self.differences) <= WITHIN


def ours(found: Run) -> tuple[Episode, ...]:
    """The episodes of a run."""
    start_s = first_packet_ns(found) / 1e9
    return tuple(
        Episode(cut["time_s"] - start_s, KINDS[cut["event"]], cut["before"], cut["threshold"])
        for cut in decreases(found)
    )


def recordings(names: Sequence[str] | None = None) -> list[Recording]:
    """Every recording with episodes, or those of these names."""
    rows = table("linux_windows")
    listed = list(dict.fromkeys(row["recording"] for row in rows))
    by_name = all_runs()
    found = []
    for name in listed if names is None else names:
        own = [row for row in rows if row["recording"] == name]
        linux = tuple(
            tuple(_episode(row) for row in own if row["repetition"] == repetition)
            for repetition in dict.fromkeys(row["repetition"] for row in own)
        )
        mine = ours(by_name[name])
        if name in ENDED:
            last = min(len(one) for one in (mine, *linux))
            mine, linux = mine[:last], tuple(one[:last] for one in linux)
        found.append(Recording(name, mine, linux))
    return found


ENDED: Final = ("cubic_ecn60", "loss1_cubic")
"""Recordings that stop in the midst of a cycle."""


def _episode(row: dict[str, str]) -> Episode:
    return Episode(float(row["time_s"]), row["kind"], float(row["before"]), float(row["threshold"]))

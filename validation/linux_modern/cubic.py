"""The CUBIC function between two losses: K of each epoch and the window along it, here and in Linux.

Source: Linux 6.18, data/linux_cubic_epochs.csv (three repetitions) and data/linux_cubic_trace.csv (one, every 50 ms).

| compared                       | agrees within                                                                          |
|--------------------------------|----------------------------------------------------------------------------------------|
| K of an epoch (RFC 9438 §4.2)  | 5 % beyond the range of the repetitions, or 0.05 s where K is below 1 s; ours is that of our windows |
| window, so long after the loss | 2 packets, or 2 % where it is above 100                                                 |

Within a recovery the window is not compared: Linux shows that of proportional rate reduction, ours the one that it leads to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from validation.linux_modern.cases import all_runs
from validation.linux_modern.reordering import beyond
from validation.linux_modern.trace import Trace
from validation.linux_modern.windows import Episode
from validation.linux_modern.windows import ours as episodes
from validation.runs import table

C: Final = 0.4
BETA_PARTS: Final = 717
K_WITHIN: Final = 0.05
WITHIN: Final = 2.0
SHARE: Final = 0.02
TRACED: Final = {"cubic_a60": "1", "cubic_b150": "2", "cubic_ecn60": "1"}
"""The repetition whose windows stand in the table."""
LEAVES_S: Final = 0.2
"""A recovery is over by then."""


@dataclass(frozen=True)
class Epochs:
    """One recording: K of each epoch (s), ours and the repetitions', and windows: time, ours, Linux's."""

    name: str
    ours_k: tuple[float, ...]
    linux_k: tuple[tuple[float, ...], ...]
    windows: tuple[tuple[float, float, float], ...]

    @property
    def furthest_k(self) -> float:
        """How far a K lies outside the repetitions, at most, in s."""
        return max(beyond(ours, theirs) for ours, *theirs in zip(self.ours_k, *self.linux_k, strict=True))

    @property
    def furthest(self) -> float:
        """The largest difference of a window up to 100 packets, in packets."""
        return max(
            (abs(ours - linux) for _, ours, linux in self.windows if linux * SHARE <= WITHIN), default=0.0
        )

    @property
    def furthest_share(self) -> float:
        """The largest difference of a window above 100 packets, as a share of it."""
        return max(
            (abs(ours / linux - 1) for _, ours, linux in self.windows if linux * SHARE > WITHIN), default=0.0
        )

    @property
    def agrees(self) -> bool:
        """By the rule of this file."""
        ks = all(
            beyond(ours, theirs) <= K_WITHIN * max(1.0, min(theirs))
            for ours, *theirs in zip(self.ours_k, *self.linux_k, strict=True)
        )
        return ks and self.furthest <= WITHIN and self.furthest_share <= SHARE


def ks(found: Sequence[Episode]) -> list[float]:
    """K after each loss, from the windows before and after; the plateau is lower where the window had not come back (§4.7)."""
    plateau = 0.0
    values = []
    for episode in found:
        before = int(episode.before)
        plateau = before * (1024 + BETA_PARTS) // 2048 if before < plateau else before
        values.append((max(plateau - episode.threshold, 0.0) / C) ** (1 / 3))
    return values


def epochs() -> list[Epochs]:
    """Every recording of the function."""
    rows, traced = table("linux_cubic_epochs"), table("linux_cubic_trace")
    linux_rows = table("linux_windows")
    by_name = all_runs()
    found = []
    for name, repetition in TRACED.items():
        own = [row for row in rows if row["recording"] == name]
        numbers = list(dict.fromkeys(int(row["epoch"]) for row in own))
        repetitions = dict.fromkeys(row["repetition"] for row in own)
        linux = tuple(tuple(float(row["k_s"]) for row in own if row["repetition"] == r) for r in repetitions)
        mine = episodes(by_name[name])
        values = ks(mine)
        times = [
            float(row["time_s"])
            for row in linux_rows
            if (row["recording"], row["repetition"]) == (name, repetition)
        ]
        windows = [(float(row["time_s"]), float(row["window"])) for row in traced if row["recording"] == name]
        along = _along(Trace(by_name[name]), [episode.time_s for episode in mine], times, windows)
        found.append(Epochs(name, tuple(values[number - 1] for number in numbers), linux, tuple(along)))
    return found


def _along(
    trace: Trace, ours: Sequence[float], linux: Sequence[float], windows: Sequence[tuple[float, float]]
) -> list[tuple[float, float, float]]:
    """Windows at the same time after the same loss, up to the next loss of either side."""
    last = windows[-1][0]
    ends = zip(pairwise([*ours, float("inf")]), pairwise([*linux, last]), strict=False)
    found = []
    for (our_begin, our_end), (begin, end) in ends:
        length = min(our_end - our_begin, end - begin)
        for time, window in windows:
            if LEAVES_S <= time - begin < length:
                found.append((time, trace.window_at(our_begin + time - begin), window))
    return found

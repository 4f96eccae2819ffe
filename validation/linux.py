"""One sender beside a recorded sender of Linux: the sequence of window before → threshold after, loss episode by loss episode.

Source: Linux 6.18, data/linux_episodes.csv; TCP Reno and the linear laws as kernel controllers.

Packets are lost by their number on the wire (`drop = "list(…)"`), so both sides lose the same ones as long as they send the same. What
Linux does otherwise: windows are whole packets; proportional rate reduction (RFC 6937) shapes the window inside recovery; the minimum RTO
is added to the round trip instead of bounding the sum; tail loss probes and RACK find losses without three duplicates.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from validation.runs import LOSS, MARK, TIMEOUT, decreases, job, runs, table

DROPS: Final = (100, 900, 2000, 2001, 2002, 3500, 3502, 5000, 5200)
SILENCE: Final = (100, *range(2000, 2085))
"""Of the packets 2000 to 2100 that the router was to drop, those that Linux came to send."""
MARKS: Final = (*range(130, 151), *range(152, 328))
"""The packets of the first episode that the router marked."""
EVENTS: Final = {"loss": LOSS, "timeout": TIMEOUT, "ecn": MARK}

RECORDINGS: Final[Mapping[str, Mapping[str, Any]]] = {
    "drops-sack": {"bottleneck.drop": DROPS},
    "drops-delayed-ack": {"bottleneck.drop": DROPS, "tcp.delayed_ack": True},
    "drops-newreno": {"bottleneck.drop": DROPS, "flows[0].recovery": "newreno"},
    "timeouts": {"bottleneck.drop": SILENCE},
    "marks": {"bottleneck.mark": MARKS, "tcp.ecn": True},
}
LAWS: Final = ("aimd(1, 0.8)", "aimd(1, 0.5)", "aiad(1, 3)", "mimd(1.05, 0.8)", "miad(1.05, 3)")
SETTLED_S: Final = 20.0
"""The laws are compared from here on."""


@dataclass(frozen=True)
class Episode:
    """One loss episode: when (s), the window on entry and the slow-start threshold set, in packets."""

    time_s: float
    before: float
    after: float


@dataclass(frozen=True)
class Recording:
    """Episodes of one kind, in order, Linux's and ours."""

    name: str
    kind: str
    linux: tuple[Episode, ...]
    ours: tuple[Episode, ...]

    @property
    def pairs(self) -> list[tuple[Episode, Episode]]:
        """(ours, Linux's) as far as both go. Repeated timeouts show different things, so of these there is only the first."""
        pairs = list(zip(self.ours, self.linux, strict=False))
        return pairs[:1] if self.kind == "timeout" else pairs

    @property
    def difference(self) -> float:
        """The largest difference of a window or threshold, in packets."""
        return max(max(abs(a.before - b.before), abs(a.after - b.after)) for a, b in self.pairs)

    @property
    def gaps_s(self) -> tuple[list[float], list[float]]:
        """Times between consecutive episodes, ours and Linux's, s."""
        return _gaps(self.ours), _gaps(self.linux)


def recordings() -> list[Recording]:
    """The recordings with losses or marks at known packets."""
    results = runs(
        job("linux_drops", {key: listed(value) for key, value in case.items()})
        for case in RECORDINGS.values()
    )
    found = []
    for name, run in zip(RECORDINGS, results, strict=True):
        rows = [row for row in table("linux_episodes") if row["recording"] == name]
        kind = rows[-1]["kind"]
        ours = [cut for cut in decreases(run) if cut["event"] == EVENTS[kind]]
        found.append(
            Recording(
                name,
                kind,
                tuple(_episode(row) for row in rows if row["kind"] == kind),
                tuple(Episode(cut["time_s"], cut["before"], cut["threshold"]) for cut in ours),
            )
        )
    return found


@dataclass(frozen=True)
class Law:
    """One law over a short queue, settled: mean window before, mean window removed, mean time between decreases; and Linux's."""

    control: str
    before: float
    removed: float
    period_s: float
    linux_before: float
    linux_removed: float
    linux_period_s: float


def laws() -> list[Law]:
    """Every law that was recorded."""
    found = []
    for control, run in zip(
        LAWS, runs(job("linux_fifo", {"flows[0].control": law}) for law in LAWS), strict=True
    ):
        linux = [_episode(row) for row in table("linux_episodes") if row["recording"] == control]
        ours = [
            Episode(cut["time_s"], cut["before"], cut["threshold"])
            for cut in decreases(run)
            if cut["time_s"] >= SETTLED_S
        ]
        found.append(Law(control, *_settled(ours), *_settled(linux)))
    return found


def _settled(episodes: list[Episode]) -> tuple[float, float, float]:
    return (
        statistics.fmean(episode.before for episode in episodes),
        statistics.fmean(episode.before - episode.after for episode in episodes),
        (episodes[-1].time_s - episodes[0].time_s) / (len(episodes) - 1),
    )


def _gaps(episodes: tuple[Episode, ...]) -> list[float]:
    return [later.time_s - earlier.time_s for earlier, later in pairwise(episodes)]


def _episode(row: dict[str, str]) -> Episode:
    return Episode(float(row["time_s"]), float(row["before"]), float(row["after"]))


def listed(value: Any) -> Any:
    """Packet numbers as an impairment of the scenario file; other values as they are."""
    return f"list({', '.join(map(str, value))})" if isinstance(value, tuple) else value

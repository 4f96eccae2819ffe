"""CUBIC beside Reno over a buffer of one bandwidth-delay product: the share of CUBIC, here and in Linux.

Source: Linux 6.18, data/linux_coexistence.csv, three repetitions. The mean over ten seeds agrees within 0.05 of the mean of the
repetitions, from 0, 10 and 30 s on to 60 s.

Who loses a packet when the queue is full is a matter of phases, so the share depends on how regularly packets leave. It is judged at a
jitter of 1 ms, since the recorded hosts sent some packets later than that, and shown at others.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import Final

from validation.runs import job, runs, table

WITHIN: Final = 0.05
SEEDS: Final = 10
JITTER: Final = "1 ms"
JITTERS: Final = ("100 us", "500 us", "1 ms", "2 ms")
"""How late packets may leave: shown."""


@dataclass(frozen=True)
class Share:
    """The share of CUBIC from some time on: by seed, and Linux's by repetition."""

    from_s: int
    ours: tuple[float, ...]
    linux: tuple[float, ...]

    @property
    def difference(self) -> float:
        """Between the means."""
        return statistics.fmean(self.ours) - statistics.fmean(self.linux)

    @property
    def agrees(self) -> bool:
        """By the rule of this file."""
        return abs(self.difference) <= WITHIN


def shares(jitter: str = JITTER, seeds: int = SEEDS) -> list[Share]:
    """From every time on, with packets that leave up to so much late."""
    rows = table("linux_coexistence")
    found = []
    for begin in dict.fromkeys(int(row["from_s"]) for row in rows):
        values = {"warmup": f"{begin} s", "path.send_jitter": jitter}
        ours = []
        for run in runs(job("linux_coexistence", values, seed) for seed in range(1, seeds + 1)):
            cubic, reno = (flow["delivered_unique"] for flow in run.flows.to_pylist())
            ours.append(cubic / (cubic + reno))
        linux = tuple(float(row["share"]) for row in rows if int(row["from_s"]) == begin)
        found.append(Share(begin, tuple(ours), linux))
    return found

"""The end of slow start: when HyStart ends it, and at which window, here and in Linux.

Source: Linux 6.18, data/linux_hystart.csv, three repetitions. Window and time agree within 10 % of the mean of the repetitions.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import Final

from sawtooth.run.run import Run
from validation.linux_modern.cases import all_runs
from validation.linux_modern.trace import UNLIMITED, Trace
from validation.runs import table

WITHIN: Final = 0.10


@dataclass(frozen=True)
class Exit:
    """When slow start ended (s) and at which window (packets): ours, and Linux's by repetition."""

    name: str
    ours: tuple[float, float]
    linux: tuple[tuple[float, float], ...]

    @property
    def agrees(self) -> bool:
        """By the rule of this file."""
        means = [statistics.fmean(values) for values in zip(*self.linux, strict=True)]
        return all(abs(one / mean - 1) <= WITHIN for one, mean in zip(self.ours, means, strict=True))


def exits() -> list[Exit]:
    """Every recorded slow start."""
    rows = table("linux_hystart")
    by_name = all_runs()
    found = []
    for name in dict.fromkeys(row["recording"] for row in rows):
        linux = tuple(
            (float(row["exit_s"]), float(row["window"])) for row in rows if row["recording"] == name
        )
        found.append(Exit(name, ended(by_name[name]), linux))
    return found


def ended(run: Run) -> tuple[float, float]:
    """When the slow-start threshold was first set, and to what."""
    return next(
        (time, limit) for time, _, limit in Trace(run).windows if limit is not None and limit < UNLIMITED
    )

"""Proportional rate reduction: how many packets each acknowledgement of a recovery lets go, here and in Linux.

Source: Linux 6.18, data/linux_prr.csv; three repetitions, equal. What is sent must be equal, acknowledgement by acknowledgement, and so
must what of it is sent again. Where the sender is paced, a packet may leave after the next acknowledgement; there the last one, after which
the recording ends, is not judged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from validation.linux_modern.cases import all_runs
from validation.linux_modern.trace import ACKNOWLEDGED, AGAIN, SENT, Trace
from validation.linux_modern.windows import ours as episodes
from validation.runs import table

EPISODE: Final = 1
"""The second loss: the first is that of slow start."""
PACED: Final = ("paced_reno",)


@dataclass(frozen=True)
class Recovery:
    """One recovery: what each acknowledgement let go, ours and Linux's, and how much of it was sent again."""

    name: str
    ours: tuple[int, ...]
    linux: tuple[int, ...]
    ours_again: tuple[int, ...]
    linux_again: tuple[int, ...]

    @property
    def different(self) -> int:
        """Acknowledgements at which something else was sent."""
        ours = list(zip(self.ours, self.ours_again, strict=True))
        linux = list(zip(self.linux, self.linux_again, strict=True))
        judged = len(linux) - (self.name in PACED)
        return sum(a != b for a, b in zip(ours[:judged], linux[:judged], strict=True))

    @property
    def agrees(self) -> bool:
        """By the rule of this file."""
        return self.different == 0


def recoveries() -> list[Recovery]:
    """Every recorded recovery."""
    by_name = all_runs()
    found = []
    for row in table("linux_prr"):
        linux, linux_again = counts(row["sent"]), counts(row["again"])
        run = by_name[row["recording"]]
        ours, again = let_go(Trace(run), episodes(run)[EPISODE].time_s, len(linux))
        found.append(Recovery(row["recording"], ours, linux, again, linux_again))
    return found


def counts(text: str) -> tuple[int, ...]:
    """Counts as the recordings abbreviate them: `1x3 0` is 1 1 1 0."""
    pairs = ([*part.split("x"), "1"][:2] for part in text.split())
    return tuple(int(value) for value, times in pairs for _ in range(int(times)))


def abbreviated(values: Sequence[int]) -> str:
    """The other way round."""
    same = ((value, len(list(equal))) for value, equal in groupby(values))
    return " ".join(f"{value}x{times}" if times > 1 else f"{value}" for value, times in same)


def folded(text: str) -> str:
    """Abbreviated counts with repetitions folded: `1 0 1 0 1 0 2` is (1 0)x3 2. Of several ways to fold, that which covers most."""
    parts = text.split()
    found: list[str] = []
    while parts:
        period, times = max(
            ((period, _times(parts, period)) for period in range(1, len(parts) // 2 + 1)),
            key=lambda way: (way[0] * way[1] if way[1] > 1 else 0, -way[0]),
            default=(1, 1),
        )
        if times < 2:
            period, times = 1, 1
        one = " ".join(parts[:period])
        found.append(f"({one})x{times}" if times > 1 else one)
        parts = parts[period * times :]
    return " ".join(found)


def _times(parts: Sequence[str], period: int) -> int:
    """How often the first ``period`` parts come one after another."""
    times = 1
    while parts[times * period : (times + 1) * period] == parts[:period]:
        times += 1
    return times


def let_go(trace: Trace, begin_s: float, acks: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """What each of so many acknowledgements from then on lets go, and how much of it goes again."""
    sent: list[int] = []
    again: list[int] = []
    for time_s, event, _ in trace.events:
        if time_s < begin_s - 1e-9:
            continue
        if event == ACKNOWLEDGED:
            if len(sent) == acks:
                break
            sent.append(0)
            again.append(0)
        elif event in (SENT, AGAIN) and sent:
            sent[-1] += 1
            again[-1] += event == AGAIN
    return tuple(sent), tuple(again)

"""Mixes with SACK where windows are cut in whole packets, as in ns-2 of 2000 to 2002, against ns-2 itself.

Source: ns-2 2.35 with `precisionReduce_ false`, data/ns2_whole.csv (twelve seeds, by ns2_whole.py). ns-2 takes the fraction off the window
before a decrease, and off the product after it. Both clocks of the time are run, with ticks of 100 ms and of 10 ms.

Other mixes of the same kind are in data/ns2_others.csv (twelve seeds, by ns2_others.py): other numbers of flows and laws, and drop-tail
queues, before which packets leave up to 80 us late on both sides. Without that identical flows fall into phase, and how decides.

SACK counts what is in flight as Sack1 does (`sack_pipe = "counted"`), since up to 12 % of the packets are lost at 64 flows of each kind.
The mixes agree by the rule of `mixes`, but a ratio only within 8 %.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from validation import mixes
from validation.mixes import JUDGED, Mix
from validation.rap import SACK1

TICKS: Final = ("100 ms", "10 ms")
SHOWN: Final = (*JUDGED, "roughness_first", "roughness_second", "delay")
QUEUES: Final[Mapping[str, Mapping[str, Any]]] = {
    "red": {},
    "droptail": {"bottleneck.queue": {"kind": "drop-tail"}, "path.send_jitter": "80 us"},
}
"""What the other mixes change of the scenario."""
RATIO_SHARE: Final = 0.08
"""How far a ratio may be from ns-2's: what an independent check of mixes asks for."""


def cells(tick: str, seeds: int = mixes.SEEDS) -> list[Mix]:
    """Every mix under a clock of that tick."""
    changes = {"tcp.window_arithmetic": "integer", "tcp.timer_tick": tick, **SACK1}
    return mixes.mixes(seeds, "ns2_whole", SHOWN, changes, {"tick": tick})


def others(queue: str, seeds: int = mixes.SEEDS) -> list[Mix]:
    """Every other mix behind that queue, under a clock of 100 ms."""
    changes = {"tcp.window_arithmetic": "integer", "tcp.timer_tick": TICKS[0], **SACK1, **QUEUES[queue]}
    return mixes.mixes(seeds, "ns2_others", SHOWN, changes, {"queue": queue})


def furthest(found: Sequence[Mix]) -> float:
    """The largest difference of a ratio from ns-2's, as a share of ns-2's."""
    means = [cell.means("ratio") for cell in found]
    return max(abs(ours / ns2 - 1) for ours, ns2 in means)

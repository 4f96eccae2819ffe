"""Go-Back-N: the largest window that is safe, and what a bad frame costs.

Source: [Reddy12] §1, which names the limits and the behaviour without a formula. The receiver keeps one frame: after a bad one it discards
what follows and stays silent; the sender runs through its window, times out and resends from the bad frame.

| parameter | unit   | default | why                                                           |
|-----------|--------|---------|---------------------------------------------------------------|
| window    | frames | given   | N, what may be outstanding                                    |
| receiver  | frames | given   | what the receiver can process                                 |
| space     | 1      | given   | how many sequence numbers there are; they count modulo this   |

Differs from the paper: a round trip is as long as the window, so each bad frame costs N transmissions, which gives the efficiency
(1 - p)/(1 - p + N p) for frames that are bad independently with probability p.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sawtooth.models.inputs import Numbers, count, within

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import ArrayLike


@dataclass(frozen=True)
class Transfer:
    """``sent``: the frame of each transmission, in order; ``delivered``: the frames that the receiver passed on."""

    sent: tuple[int, ...]
    delivered: tuple[int, ...]


def go_back_n(frames: int, window: int, bad: Collection[int]) -> Transfer:
    """Transfer ``frames`` frames where the transmissions numbered in ``bad`` (from 0) arrive damaged."""
    count("frames", frames), count("window", window)
    sent: list[int] = []
    delivered: list[int] = []
    while len(delivered) < frames:
        frame = len(delivered)
        if len(sent) not in bad:
            sent.append(frame)
            delivered.append(frame)
        else:  # the rest of the window goes out and is discarded before the timer says so
            sent.extend(range(frame, min(frame + window, frames)))
    return Transfer(tuple(sent), tuple(delivered))


def ambiguous(window: int, space: int) -> bool:
    """Whether a resent frame can be taken for a new one: all acknowledgements of a whole window are lost, and the number that the receiver
    expects next is one of those that come again."""
    count("window", window), count("space", space)
    return window % space in {number % space for number in range(window)}


def largest_window(receiver: int, space: int) -> int:
    """The largest safe window, frames: at most what the receiver can process, and fewer than there are sequence numbers."""
    return min(count("receiver", receiver), count("space", space, 2) - 1)


def efficiency(p: ArrayLike, window: ArrayLike) -> Numbers:
    """Share of transmissions that are delivered, (1 - p)/(1 - p + N p), for frames bad with probability ``p``."""
    p, n = within("p", p, "[0, 1)"), within("window", window, "[1, inf)")
    return np.asarray((1.0 - p) / (1.0 - p + n * p))

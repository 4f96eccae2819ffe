"""The average loss interval of TFRC as arithmetic: weights, history discounting, and the rise and fall of the rate that come of them.

Source: [FloydHandley00] §3 (weights, discounting) and its appendices on increase and response, RFC 5348 §5.4 for the weights;
[Floyd00] §2 and §5.1 for what they are said to give (0.14 and 0.28 packets per round trip, five round trips to halve).

A *loss event* is one or more packets lost within a round trip; a *loss interval* is the packets from one loss event to the next. The loss
event rate p is 1 over the weighted average of the last eight intervals; the open one, since the last loss event, counts if that raises
the average. A rate T = c sqrt(A) packets per round trip at average interval A then grows as follows while nothing is lost. The open
interval grows by T each round trip and has the share w of the weights, so A grows by w T and T by c (sqrt(A + w T) - sqrt(A)), which
rises towards c² w / 2 as A grows. The response function of equation 1 has the same limit, its timeouts vanishing with p.

| parameter | unit    | default                        | why                                                              |
|-----------|---------|--------------------------------|------------------------------------------------------------------|
| weights   | 1       | 1, 1, 1, 1, 0.8, 0.6, 0.4, 0.2 | [FloydHandley00] §3, RFC 5348 §5.4, newest first                  |
| constant  | 1       | sqrt(3/2)                      | c of deterministic losses; [FloydHandley00] rounds it to 1.2      |
| discount  | 1       | 1                              | factor on the closed intervals' weights; 1 is no discounting      |

The newest interval has w = 1/6 of the weights; discounting the others to 0.3 of theirs gives it w = 0.4, the most that
[FloydHandley00] allows.

Deviations: this is arithmetic on a rate that is constant within a round trip; no packets, feedback delays or round-trip estimates.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from sawtooth.models.inputs import Numbers, satisfying, within

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike

INTERVALS: Final = 8
"""Loss intervals averaged, [FloydHandley00] §3."""
CONSTANT: Final = math.sqrt(1.5)
"""Packets per round trip times sqrt(p) of deterministic losses, [Floyd00] eq. 8."""
STRONGEST_DISCOUNT: Final = 0.3
"""Gives the newest interval 0.4 of the weights, [FloydHandley00] appendix on the increase."""


def weights(intervals: int = INTERVALS) -> Numbers:
    """Weights of the last ``intervals`` loss intervals, newest first: 1 for the newer half, then falling evenly (RFC 5348 §5.4)."""
    satisfying(
        "intervals", intervals, intervals >= 2 and intervals % 2 == 0, "an even number of intervals from 2"
    )
    half = intervals // 2
    places = np.arange(intervals)
    return np.where(places < half, 1.0, 1 - (places - half + 1) / (half + 1))


def loss_events(times: Sequence[float], rtt: float) -> list[float]:
    """Times at which loss events begin: a loss within one round trip of the beginning of an event is part of it ([Floyd00] §2).

    ``times`` of lost packets in s, in order; ``rtt`` in s.
    """
    within("rtt", rtt, "(0, inf)")
    begun: list[float] = []
    for time in times:
        if not begun or time - begun[-1] > rtt:
            begun.append(time)
    return begun


def average_interval(closed: Sequence[float], open_interval: float = 0.0, discount: float = 1.0) -> float:
    """The weighted average loss interval in packets, newest of ``closed`` first; the open interval counts if it raises the average.

    ``discount`` multiplies the weights of the closed intervals where the open one is averaged in. At least one closed interval.
    """
    satisfying("closed", len(closed), len(closed) > 0, "at least one closed loss interval")
    within("discount", discount, "[0, 1]")
    kept = np.asarray(closed[:INTERVALS], dtype=np.float64)
    without = float(np.average(kept, weights=weights()[: len(kept)]))
    shifted = np.concatenate([[open_interval], kept[: INTERVALS - 1]])
    share = weights()[: len(shifted)].copy()
    share[1:] *= discount
    return max(without, float(np.average(shifted, weights=share)))


def loss_event_rate(closed: Sequence[float], open_interval: float = 0.0, discount: float = 1.0) -> float:
    """p, loss events per packet: 1 over the average loss interval ([Floyd00] §2)."""
    return 1 / average_interval(closed, open_interval, discount)


def newest_weight(discount: float = 1.0) -> float:
    """w: the share of the weights that the newest of eight intervals has when the others are multiplied by ``discount``."""
    within("discount", discount, "[0, 1]")
    shares = weights()
    return float(shares[0] / (shares[0] + discount * shares[1:].sum()))


def increase_limit(weight: ArrayLike, constant: ArrayLike = CONSTANT) -> Numbers:
    """c² w / 2: the largest rise in packets per round trip and round trip without loss, reached as the average interval grows."""
    return np.asarray(within("constant", constant, "(0, inf)") ** 2 * within("weight", weight, "[0, 1]") / 2)[
        ()
    ]


def increase(average: ArrayLike, weight: ArrayLike, constant: ArrayLike = CONSTANT) -> Numbers:
    """c (sqrt(A + w c sqrt(A)) - sqrt(A)): rise of the rate in one round trip at average interval A packets, nothing being lost."""
    packets, share = within("average", average, "(0, inf)"), within("weight", weight, "[0, 1]")
    c = within("constant", constant, "(0, inf)")
    grown = share * c * np.sqrt(packets)
    # sqrt(A + g) - sqrt(A) as g / (sqrt(A + g) + sqrt(A)): no digits are lost at large A
    return np.asarray(c * grown / (np.sqrt(packets + grown) + np.sqrt(packets)))[()]


def square_root_rate(interval: float) -> float:
    """Packets per round trip at an average loss interval in packets: sqrt(3/2) sqrt(A) ([Floyd00] eq. 8)."""
    return CONSTANT * math.sqrt(interval)


def rounds_to_halve(interval: float, response: Callable[[float], float] = square_root_rate) -> int:
    """Round trips of sustained congestion, a loss event in each, until the rate is half of that at steady ``interval`` packets.

    Each round trip closes an interval of as many packets as the rate then sends. Ends, since every closed interval is shorter than
    the steady one; InputError where the rate at ``interval`` is below one packet per round trip.
    """
    within("interval", interval, "(0, inf)")
    start = response(interval)
    satisfying(
        "interval", interval, start >= 1, "an interval at which at least one packet per round trip is sent"
    )
    history, now, rounds = [interval] * INTERVALS, start, 0
    while now > start / 2 and rounds < 10 * INTERVALS:
        history = [now, *history[: INTERVALS - 1]]
        now = response(average_interval(history))
        rounds += 1
    satisfying("interval", interval, now <= start / 2, "an interval long against a round trip's packets")
    return rounds

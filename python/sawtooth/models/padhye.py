"""The stochastic response function of TCP with timeouts: the full model, its approximation, and the form that TFRC uses.

Source: [Padhye98] §2.1 to §2.4 (losses by triple duplicates, by timeouts, and the limit of the receiver's window) and its closing
approximation; [Floyd00] equation 1 for TFRC's form, which has no min(1, ·) and so penalises more above p = 8/27.

Rounds. A round loses the rest of its packets after its first loss, and rounds are independent. In congestion avoidance the window
grows by one packet in d rounds and is halved at the end of a period of X rounds, which carries Y packets:

    W = 2X/d,    Y = (1 - p)/p + W,    Y = X/2 (W/2 + W - 1) + W/2

whence W, the mean window at a loss indication. The indication is a timeout with probability Q(W): fewer than three packets of the last
round, or of the round after it, arrive. A sequence of timeouts doubles the timer up to 64 times and lasts T0 f(p)/(1 - p).

| parameter  | unit    | default  | why                                                                             |
|------------|---------|----------|---------------------------------------------------------------------------------|
| p          | 1       | none     | loss *events* per packet sent, above 0 and below 1                               |
| rtt        | s       | none     | mean round trip                                                                  |
| rto        | s       | none     | T0, the first timeout; TFRC takes 4 round trips [FloydHandley00]                 |
| per_ack    | packets | 1        | d: packets that one acknowledgement covers; 2 with delayed acknowledgements       |
| window_max | packets | infinity | the receiver's limit                                                              |

Rates are in packets per second as *sent*, retransmissions included. Functions take scalars or arrays and broadcast them.

Deviations: per_ack defaults to 1, as the receivers of this laboratory answer every packet; the paper measures with 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from sawtooth.models.inputs import Numbers, satisfying, within

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

DOUBLINGS: Final = 6
"""A timer doubles this often and then stays at 64 T0 ([Padhye98] §2.2, RFC 6298 §5.5)."""


def window_at_loss(p: ArrayLike, per_ack: float = 1.0) -> Numbers:
    """E[W], packets: the mean unlimited window at a loss indication ([Padhye98] §2.1)."""
    loss, d = within("p", p, "(0, 1)"), within("per_ack", per_ack, "(0, inf)")
    middle = (2 + d) / (3 * d)
    return np.asarray(middle + np.sqrt(8 * (1 - loss) / (3 * d * loss) + middle**2))[()]


def timeout_probability(p: ArrayLike, window: ArrayLike) -> Numbers:
    """Q(w): probability that a loss indication in a window of w packets is a timeout ([Padhye98] §2.2); 1 up to w = 3."""
    loss, packets = within("p", p, "(0, 1)"), within("window", window, "(0, inf)")
    q = 1 - loss
    # 1 - q^n as -expm1(n log q): the difference of two numbers near 1 would lose its digits at small p.
    log_q = np.log1p(-loss)
    beyond = np.maximum(packets - 3, 0.0)
    share = -np.expm1(3 * log_q) * (1 + q**3 * -np.expm1(beyond * log_q)) / -np.expm1(packets * log_q)
    return np.asarray(np.where(packets <= 3, 1.0, np.minimum(1.0, share)))[()]


def backoff(p: ArrayLike) -> Numbers:
    """f(p) = 1 + p + 2p² + 4p³ + ... + 32p⁶: a sequence of timeouts lasts T0 f(p)/(1 - p) on average ([Padhye98] §2.2)."""
    loss = within("p", p, "(0, 1)")
    powers = [2.0**n * loss ** (n + 1) for n in range(DOUBLINGS)]
    return np.asarray(1 + np.sum(powers, axis=0))[()]


def full(
    p: ArrayLike, rtt: ArrayLike, rto: ArrayLike, per_ack: float = 1.0, window_max: float = np.inf
) -> Numbers:
    """B(p), packets per second: the full model, with timeouts and the limit of the window ([Padhye98] §2.3)."""
    loss = within("p", p, "(0, 1)")
    trip, first = within("rtt", rtt, "(0, inf)"), within("rto", rto, "(0, inf)")
    unlimited, limit = window_at_loss(loss, per_ack), _limit(window_max)
    free = np.asarray(unlimited < limit)
    packets = np.where(free, unlimited, limit)
    between = (1 - loss) / loss
    rounds = np.where(free, per_ack / 2 * packets + 1, per_ack / 8 * packets + between / packets + 2)
    timeout = timeout_probability(loss, packets)
    sent = between + packets + timeout / (1 - loss)
    return np.asarray(sent / (trip * rounds + timeout * first * backoff(loss) / (1 - loss)))[()]


def approximate(
    p: ArrayLike, rtt: ArrayLike, rto: ArrayLike, per_ack: float = 1.0, window_max: float = np.inf
) -> Numbers:
    """B(p), packets per second: the approximation that closes [Padhye98] §2.4, with min(1, 3 sqrt(3dp/8))."""
    loss, d = within("p", p, "(0, 1)"), within("per_ack", per_ack, "(0, inf)")
    trip, first = within("rtt", rtt, "(0, inf)"), within("rto", rto, "(0, inf)")
    timeouts = np.minimum(1.0, 3 * np.sqrt(3 * d * loss / 8))
    seconds = trip * np.sqrt(2 * d * loss / 3) + first * timeouts * loss * (1 + 32 * loss**2)
    return np.asarray(np.minimum(_limit(window_max) / trip, 1 / seconds))[()]


def tfrc(p: ArrayLike, rtt: ArrayLike, rto: ArrayLike, packet_bytes: ArrayLike = 1.0) -> Numbers:
    """T of [Floyd00] eq. 1: bytes per second with ``packet_bytes`` given, packets per second without. No min(1, ·)."""
    loss = within("p", p, "(0, 1)")
    trip, first = within("rtt", rtt, "(0, inf)"), within("rto", rto, "(0, inf)")
    seconds = trip * np.sqrt(2 * loss / 3) + first * 3 * np.sqrt(3 * loss / 8) * loss * (1 + 32 * loss**2)
    return np.asarray(within("packet_bytes", packet_bytes, "(0, inf)") / seconds)[()]


def _limit(window_max: float) -> Numbers:
    """The receiver's limit in packets, infinity being none."""
    return satisfying("window_max", window_max, window_max > 0, "packets above 0")

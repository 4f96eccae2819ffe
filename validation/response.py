"""Closed forms of AIMD under loss: the rate a law gets where every n-th packet is lost, or each packet with probability p.

Source: [Floyd00] §3.1, equations 2 to 4 and appendix A, for regular losses; [Mathis97] for the square root.

AIMD(a, b) adds a packets per round trip and *removes* the fraction b on a loss: `tcp(a, b)` here. Rates are in packets per round trip.

*Regular losses.* Between two losses the window climbs from (1 − b)W to W, so the rounds count bW/a + 1 with both ends, and carry
(1 − b/2)W packets on average. One packet of them is lost: 1/p = (bW/a + 1)·(1 − b/2)·W, a quadratic in W.

*Random losses.* While nothing is lost each packet adds a/w, so Y = p·w²/2a grows by p per packet: by 1 in the mean distance between
losses, and a loss multiplies it by β = (1 − b)². Seen by a packet, Y is E0 + β·E1 + β²·E2 + …, the E independent and exponential with
mean 1. Time passes by 1/w per packet, so the rate is 1/E[1/w] = sqrt(2a/p)/E[Y^(−1/2)], where
E[Y^(−1/2)] = ∫ s^(−1/2)·Π 1/(1 + βᵏs) ds / sqrt(π). For AIMD(1, 1/2) that is 1.310/sqrt(p), where regular losses give 1.225/sqrt(p).

*Whole packets.* Both forms take the window for a real number that acts at once. A sender has a whole number of packets in flight, and the
acknowledgements of a round are those of the packets sent a round earlier. `whole_packets` follows the packets one by one and knows
no network: it says how much of a difference between equation 4 and a simulator is due to that alone.
"""

from __future__ import annotations

from collections import deque
from math import floor, inf, pi, sqrt

from scipy.integrate import quad


def peak_window(a: float, b: float, p: float) -> float:
    """W of equation 4, in packets: the window at which a packet is lost."""
    linear = a * (2 - b)
    square = b * (2 - b)
    return (-linear + sqrt(linear**2 + 8 * a * square / p)) / (2 * square)


def regular(a: float, b: float, p: float) -> float:
    """Packets per round trip when every (1/p)-th packet is lost: equations 2 and 4."""
    return (1 - b / 2) * peak_window(a, b, p)


def epoch(a: float, b: float, p: float) -> float:
    """Round trips from one loss to the next."""
    return b / a * peak_window(a, b, p) + 1


def random(a: float, b: float, p: float) -> float:
    """Packets per round trip when each packet is lost with probability p, for p small."""
    beta = (1 - b) ** 2

    def integrand(root: float) -> float:  # s = root², so that the integrand is bounded at 0
        product, term = 2.0, root * root
        while term > 1e-17:
            product /= 1 + term
            term *= beta
        return product

    mean = quad(integrand, 0, inf, limit=500)[0] / sqrt(pi)
    return float(sqrt(2 * a / p) / mean)


def whole_packets(a: float, b: float, n: int, epochs: int = 120, lead_in: int = 40) -> float:
    """Packets per round trip when packets are whole, packet by packet; `epochs` losses are counted after the first `lead_in`.

    A packet sent in round r is acknowledged in round r + 1, in the order of sending. The third duplicate cuts the window and
    sends the hole again; until that is acknowledged the window stands still.
    """
    window = max(2.0, (1 - b) * peak_window(a, b, 1 / n))
    flight: deque[tuple[int, int]] = deque()  # (number, round) of the packets that will arrive
    arrived: set[int] = set()
    sent = next_new = first_missing = duplicates = 0
    recovered_at: int | None = None
    cuts: list[tuple[int, int]] = []  # (round, packets sent until then)

    def send(number: int, now: int) -> None:
        nonlocal sent
        sent += 1
        if sent % n:
            flight.append((number, now))

    now = 0
    while len(cuts) <= lead_in + epochs:
        while next_new - first_missing - len(arrived) < floor(window):
            send(next_new, now)
            next_new += 1
        number, sent_in = flight.popleft()
        now = sent_in + 1
        arrived.add(number)
        if number == first_missing:
            while first_missing in arrived:
                arrived.remove(first_missing)
                first_missing += 1
            duplicates = 0
            if recovered_at is None:
                window += a / window
            elif first_missing >= recovered_at:
                recovered_at = None
        else:
            duplicates += 1
            if duplicates == 3 and recovered_at is None:
                window = max(1.0, (1 - b) * window)
                recovered_at = next_new
                cuts.append((now, sent))
                send(first_missing, now)
    (begin, sent_before), (end, sent_after) = cuts[lead_in], cuts[-1]
    return (sent_after - sent_before) / (end - begin)

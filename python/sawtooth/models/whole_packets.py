"""AIMD in whole packets without a network: what of a gap between a response function and a simulator is due to whole packets alone.

Source: the model of [Floyd00] §3.1 with a sender's packets counted one by one; fast retransmit as in RFC 5681 §3.2.

Equation 4 takes the window for a real number that acts at once. A sender has a whole number of packets in flight, half a packet less than
its window on average; the acknowledgements of a round are those of the packets sent one round earlier; and a round of recovery, in which
the window does not grow, is spent at the lowest window. All three are of the order of one packet in the window, hence of sqrt(p).

| parameter | unit          | default | why                                                          |
|-----------|---------------|---------|--------------------------------------------------------------|
| a         | packets/round | none    | increase per round trip                                      |
| b         | 1             | none    | fraction removed by a decrease                               |
| n         | packets       | none    | every n-th packet sent is lost                               |
| epochs    | losses        | 120     | counted after the lead-in: a cycle repeats after a few of them |
| lead_in   | losses        | 40      | forgets the first window                                     |

Deviations: where nothing is in flight any more, since windows are too small for three duplicates or what was sent again was lost as well,
the hole is sent again in the next round: a timer that waits for nothing and cuts nothing. So timers cost nothing here, and what they cost
in a network comes on top.
"""

from __future__ import annotations

from collections import deque
from math import floor

from sawtooth.models.inputs import count, within
from sawtooth.models.response import window as peak_window

SMALLEST_PERIOD = 4
"""Below this there may be nothing but holes."""


def whole_packets(a: float, b: float, n: int, epochs: int = 120, lead_in: int = 40) -> float:
    """Packets per round trip when packets are whole and every n-th is lost, packet by packet.

    A packet sent in round r is acknowledged in round r + 1, in the order of sending. The third duplicate cuts the window and
    sends the hole again; until that is acknowledged the window stands still.
    """
    within("a", a, "(0, inf)")
    within("b", b, "[0, 1)")
    count("n", n, SMALLEST_PERIOD)
    window = max(2.0, (1 - b) * float(peak_window(a, b, 1 / n)))
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
        if not flight:
            now += 1
            send(first_missing, now)
            continue
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

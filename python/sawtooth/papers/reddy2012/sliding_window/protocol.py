"""Go-Back-N over a link of fixed delay, frame by frame: a sender with a window and a timer, a receiver of one frame.

Source: [Reddy12] section 1. Time is counted in slots, the time to send one frame. A frame that arrives damaged or out of turn is
dropped without a word; a good one in turn is delivered and acknowledged; acknowledgements are cumulative and never lost. The timer
belongs to the oldest frame that is not acknowledged; when it ends the sender goes back to that frame.

| parameter  | unit   | default    | why                                                                                     |
|------------|--------|------------|-----------------------------------------------------------------------------------------|
| window     | frames | given      | N, what may be outstanding                                                              |
| round_trip | slots  | given      | from the begin of a frame to its acknowledgement                                        |
| timeout    | slots  | round_trip | the shortest that resends nothing in vain: an acknowledgement due in a slot is seen first |

Differs from the paper: nothing is said there about the timer or about lost acknowledgements.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from sawtooth.models.inputs import count


@dataclass(frozen=True)
class Counts:
    """A transfer of ``slots`` slots: frames sent, repeats included, and frames delivered, each once and in order."""

    slots: int
    sent: int
    delivered: int

    @property
    def efficiency(self) -> float:
        """Share of the link's time that carried what was delivered."""
        return self.delivered / self.slots


def transfer(window: int, round_trip: int, damaged: Sequence[bool], timeout: int | None = None) -> Counts:
    """One transfer of greedy data over ``len(damaged)`` slots; what is sent in slot k arrives damaged if ``damaged[k]``."""
    count("window", window), count("round_trip", round_trip)
    patience = round_trip if timeout is None else count("timeout", timeout)
    oldest = following = expected = sent = 0
    sent_at: list[int] = []
    acknowledgements: deque[tuple[int, int]] = deque()
    for slot, bad in enumerate(damaged):
        while acknowledgements and acknowledgements[0][0] <= slot:
            oldest = max(oldest, acknowledgements.popleft()[1])
        following = max(following, oldest)
        if oldest < following and slot - sent_at[oldest] >= patience:
            following = oldest
        if following - oldest >= window:
            continue
        if following == len(sent_at):
            sent_at.append(slot)
        else:
            sent_at[following] = slot
        sent += 1
        if not bad and following <= expected:
            expected += following == expected
            acknowledgements.append((slot + round_trip, expected))
        following += 1
    return Counts(len(damaged), sent, expected)

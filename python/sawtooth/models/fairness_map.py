"""The four-parameter family as a map: where the criterion says that flows become equal, and what the synchronous model shows there.

Source: [Akella02] §5.1 extended: the paper asks which kinds of control are fair, the map shows the whole family. The criterion is that of
``sawtooth.models.fairness``; the model runs two flows with the controllers of the packet simulator.

| parameter | unit    | default    | why                                                                       |
|-----------|---------|------------|---------------------------------------------------------------------------|
| capacity  | packets | 300        | large against the additive parts, so that windows stay off their floor |
| windows   | packets | 60, 180    | unequal, and far from the floor of one packet                             |
| cycles    | 1       | 200        | the imbalance then moves by far more than one per cent off the boundary   |
"""

from __future__ import annotations

import math
from typing import Final

from sawtooth.errors import InputError
from sawtooth.models.fairness import Fairness
from sawtooth.models.synchronous import rounds

CAPACITY: Final = 300.0
WINDOWS: Final = (60.0, 180.0)
CYCLES: Final = 200
MOVED: Final = 0.01
"""Change of the logarithm of the imbalance that counts as movement."""


def observed(
    a_i: float,
    b_i: float,
    a_d: float,
    b_d: float,
    capacity: float = CAPACITY,
    windows: tuple[float, float] = WINDOWS,
    cycles: int = CYCLES,
) -> tuple[Fairness, float]:
    """What two flows do in the synchronous model, and the change of ln((w2 - w1)/(w1 + w2)) over the cycles; -inf once they are equal.

    The imbalance is measured just after decreases, the first and the last. NO_CYCLE where the load stays away from the capacity or never
    leaves it.
    """
    text = f"linear({a_i!r}, {b_i!r}, {a_d!r}, {b_d!r})"
    try:
        found = rounds(text, windows, capacity, cycles, rounds_most=200 * cycles)
    except InputError as error:
        if error.key not in ("controller", "cycles") or "round" not in error.accepted:
            raise  # a mistake in the input
        return Fairness.NO_CYCLE, math.nan
    after = found.after_decreases()
    if not found.growth_rounds[len(found.growth_rounds) // 2 :].any():
        return Fairness.NO_CYCLE, math.nan  # decreases for ever: they do not bring the load down
    imbalance = (after[:, 1] - after[:, 0]) / after.sum(axis=1)
    if imbalance[-1] <= 0.0:
        return Fairness.CONVERGES, -math.inf
    moved = math.log(imbalance[-1] / imbalance[0])
    if abs(moved) <= MOVED:
        return Fairness.NEUTRAL, moved
    return (Fairness.CONVERGES if moved < 0 else Fairness.DIVERGES), moved

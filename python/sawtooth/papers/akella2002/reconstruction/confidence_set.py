"""Which of several candidates may be the best: the model confidence set.

Every candidate has a loss in every unit, here the mean misfit of a combination of values over the rows of a printed table. The set begins
with all candidates. As long as a bootstrap over units rejects that those left lose alike, the one that loses most, in units of its
spread, is dropped. The p-value of a candidate is the largest that was met until it was dropped; the one that is left has 1. Candidates of
p < 5 % are ruled out: with a confidence of 95 % the best is among the others.

| parameter | unit | default | why                                    |
|-----------|------|---------|----------------------------------------|
| level     | 1    | 0.05    | as everywhere here                     |
| draws     | 1    | 2000    | a p-value of 5 % is known to half a point |

Source: [HansenLundeNason11] section 3.1.2 with the statistic T_max, whole units drawn again (no unit depends on its neighbours). Deviation:
a bootstrap over n units sees too little spread, by the factor sqrt((n - 1) / n); with as few as eight units this counts, so it is made up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[np.float64]"
LEVEL: Final = 0.05
DRAWS: Final = 2000
NO_SPREAD: Final = 1e-12
"""Below this, candidates that do not differ have no spread."""


def confidence_set(losses: Array, seed: int, draws: int = DRAWS) -> Array:
    """The p-value of every candidate. ``losses`` has the shape (candidates, units), with at least one candidate and two units."""
    count, units = losses.shape
    if count < 1 or units < 2:
        raise ValueError(
            f"confidence_set: expected losses of a candidate in two units or more, found a shape of {losses.shape}"
        )
    generator = np.random.Generator(np.random.PCG64(seed))
    counts = generator.multinomial(units, np.full(units, 1.0 / units), size=draws) / units
    means, drawn = losses.mean(axis=1), losses @ counts.T
    left = np.ones(count, dtype=np.bool_)
    found, largest = np.ones(count), 0.0
    while left.sum() > 1:
        here = np.flatnonzero(left)
        excess = means[here] - means[here].mean()
        moved = drawn[here] - drawn[here].mean(axis=0) - excess[:, None]
        spread = np.sqrt((moved**2).mean(axis=1))
        if spread.max() < NO_SPREAD:  # they lose alike in every unit, or by the same amount in each
            ties = excess <= excess.min() + NO_SPREAD
            found[here[~ties]] = largest
            return found
        spread = np.maximum(spread, NO_SPREAD)
        statistic = excess / (spread * np.sqrt(units / (units - 1)))
        worst = int(np.argmax(statistic))
        p = float(((moved / spread[:, None]).max(axis=0) >= statistic[worst]).mean())
        largest = max(largest, p)
        found[here[worst]] = largest
        left[here[worst]] = False
    return found

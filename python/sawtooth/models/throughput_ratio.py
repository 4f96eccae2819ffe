"""The throughput ratio: how a flow's rate changes from one interval to the next, and its histogram.

Source: [Floyd00] §5.2, Figures 10 and 11. The ratio of interval i is T_i / T_(i-1): 1 is a steady rate, below 1 a fall.

| parameter | unit | default | why                                      |
|-----------|------|---------|------------------------------------------|
| rates     | any  | none    | rates of adjacent intervals, in order    |
| bins      | 1    | 20      | [Floyd00] §5.2: 20 bins from 0 to 2      |
| highest   | 1    | 2       | the same                                 |

Deviations: the paper does not say what becomes of an interval without a packet. Where T_(i-1) is 0 there is no ratio, and it is left out;
a ratio of 2 or more is in no bin but counts among all, so a histogram may add up to less than 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sawtooth.models.inputs import Numbers, count, within

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

BINS = 20
HIGHEST = 2.0


def throughput_ratios(rates: ArrayLike) -> Numbers:
    """T_i / T_(i-1) of adjacent intervals, those with T_(i-1) = 0 left out ([Floyd00] §5.2)."""
    values = np.atleast_1d(within("rates", rates, "[0, inf)"))
    before, after = values[:-1], values[1:]
    return np.asarray(after[before > 0] / before[before > 0])


def histogram(ratios: ArrayLike, bins: int = BINS, highest: float = HIGHEST) -> Numbers:
    """Share of the ratios in each of ``bins`` equal bins from 0 to ``highest``, lower ends included ([Floyd00] §5.2, Figure 10)."""
    values = np.atleast_1d(within("ratios", ratios, "[0, inf)"))
    count("bins", bins)
    # The place of the bin rather than its edges: 0.1 times a whole number is not always the decimal that is meant.
    places = np.floor(np.round(values / float(within("highest", highest, "(0, inf)")) * bins, 9)).astype(
        np.int64
    )
    found = np.bincount(places[places < bins], minlength=bins)
    return np.asarray(found / max(1, values.size), dtype=np.float64)

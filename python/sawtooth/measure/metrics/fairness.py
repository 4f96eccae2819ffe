"""How evenly the test flows share: spread of goodput, and Jain's index.

`fairness` = (g_max − g_min) / g_avg over the test flows: 0 when all are equal, n when one of n takes everything; *lower* is fairer.
`jain` = (Σ g)² / (n Σ g²): 1 when all are equal, 1/n when one takes everything; higher is fairer.

Sources: [Akella02] §3; [Jain84] eq. 1. Both are undefined when nothing was delivered.
"""

from __future__ import annotations

from sawtooth.measure.metrics.frame import NAN, Measured, Metric, mean, ratio, total


def fairness(measured: Measured) -> float:
    """(g_max − g_min) / g_avg, dimensionless, in [0, n]."""
    goodputs = measured.test_goodputs_bps
    return ratio(goodputs.max() - goodputs.min(), mean(goodputs)) if goodputs.size else NAN


def jain(measured: Measured) -> float:
    """Jain's index of the goodputs, dimensionless, in [1/n, 1]."""
    goodputs = measured.test_goodputs_bps
    return ratio(total(goodputs) ** 2, goodputs.size * total(goodputs**2)) if goodputs.size else NAN


FAIRNESS = Metric(
    name="fairness",
    unit="1",
    higher_is_better=False,
    what="(g_max − g_min) / g_avg over the goodputs of the test flows",
    source="Akella02 §3",
    function=fairness,
)
JAIN = Metric(
    name="jain",
    unit="1",
    higher_is_better=True,
    what="Jain's index (Σ g)² / (n Σ g²) over the goodputs of the test flows",
    source="Jain84 eq. 1",
    function=jain,
)

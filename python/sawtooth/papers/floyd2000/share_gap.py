"""Why TCP(1/5, 1/8) gets less than TCP: the gap between model and measurement shared out among properties of the simulator of the time.

Source: [Shapley53] for the shares; the runs are those of the probe ``factors`` of ``studies/gap.toml``, every combination of

| factor                | without             | with, as in the simulator of 2000        |
|-----------------------|---------------------|------------------------------------------|
| whole windows         | real numbers        | cut to whole packets on each decrease     |
| halving timeouts      | the law's decrease  | a timeout halves the threshold            |
| minimum timeout       | 200 ms              | 1 s                                       |
| no limited transmit   | limited transmit    | none                                      |

The deterministic model has none of them and gives equal shares. What a factor explains is the mean, over all orders in which the
factors can be added, of what it changes in the ratio of the throughputs; so the parts add up to the whole difference exactly, seed by
seed. What is left to the printed 0.7 is unexplained.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import factorial
from typing import TYPE_CHECKING, Final

import numpy as np

from sawtooth.experiment.curves import Curve, CurvePoint, select, values
from sawtooth.experiment.figure_specs import CurveSpec
from sawtooth.experiment.intervals import interval
from sawtooth.experiment.matrix import ProbeRun
from sawtooth.experiment.plan import Label

if TYPE_CHECKING:
    from numpy.typing import NDArray

STUDY: Final = "floyd2000/gap"
PROBE: Final = "factors"
RATIO: Final = "ratio of 1"
PRINTED: Final = 0.7
FACTORS: Final[Mapping[str, tuple[str, Label, Label]]] = {
    "whole windows": ("windows", "real", "integer"),
    "halving timeouts": ("threshold", "law", "half"),
    "minimum timeout": ("timers", "200 ms", "1 s"),
    "no limited transmit": ("early", "limited transmit", "without"),
}
"""Dimension of the probe, its label without the factor and with it."""


def at(runs: Sequence[ProbeRun], present: frozenset[str]) -> NDArray[np.float64]:
    """The ratio with these factors, one value per seed."""
    wanted = {dimension: on if name in present else off for name, (dimension, off, on) in FACTORS.items()}
    return values(select(runs, wanted), RATIO)


def contributions(runs: Sequence[ProbeRun]) -> dict[str, NDArray[np.float64]]:
    """What each factor changes in the ratio, one value per seed; together the difference between all factors and none."""
    names, found = tuple(FACTORS), {}
    for name in names:
        others = [other for other in names if other != name]
        total = np.zeros_like(at(runs, frozenset()))
        for size in range(len(names)):
            weight = factorial(size) * factorial(len(names) - size - 1) / factorial(len(names))
            for chosen in combinations(others, size):
                before = frozenset(chosen)
                total = total + weight * (at(runs, before | {name}) - at(runs, before))
        found[name] = total
    return found


def curves(probes: Mapping[str, Sequence[ProbeRun]]) -> list[Curve]:
    """One figure: the ratio without any factor, what each changes, the ratio with all, and what is left to the printed one."""
    runs = probes[PROBE]
    none, everything = at(runs, frozenset()), at(runs, frozenset(FACTORS))
    steps = {
        "none of them": none,
        **contributions(runs),
        "all of them": everything,
        "unexplained": PRINTED - everything,
    }
    spec = CurveSpec(
        name="parts",
        title="The gap of Figure 2 as a sum of parts: 48 flows of each kind, 60 Mbit/s",
        probe=PROBE,
        value=RATIO,
        x="step",
        series="part",
        x_label="factor",
        y_label="throughput of TCP(1/5,1/8) over that of TCP, and changes in it",
        printed="about 0.7",
    )
    ids = tuple(run.run_id for run in runs)
    return [
        Curve(spec, [CurvePoint("ratio", name, interval(found), None, ids) for name, found in steps.items()])
    ]

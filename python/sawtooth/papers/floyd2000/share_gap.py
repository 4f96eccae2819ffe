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

The paper prints the ratio at drop rates of 2 to 3 %. The same number of flows loses more with some of the factors than with others, so each
combination is run with several numbers of flows. Its ratio at a drop rate lies on the line through the two numbers of flows whose drop
rates are nearest on either side, or the two nearest beyond the ends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import factorial
from typing import TYPE_CHECKING, Final

import numpy as np

from sawtooth.experiment.curves import Curve, CurvePoint, labels, select, values
from sawtooth.experiment.figure_specs import CurveSpec
from sawtooth.experiment.intervals import interval
from sawtooth.experiment.matrix import ProbeRun
from sawtooth.experiment.plan import Label

if TYPE_CHECKING:
    from numpy.typing import NDArray

STUDY: Final = "floyd2000/gap"
PROBE: Final = "factors"
RATIO, LOSS = "ratio of 1", "loss"
PRINTED: Final = 0.7
DROP_RATES: Final = (2.0, 2.5, 3.0)
"""Those at which the paper prints the ratio: both ends and the middle, per cent of packets."""
FACTORS: Final[Mapping[str, tuple[str, Label, Label]]] = {
    "whole windows": ("windows", "real", "integer"),
    "halving timeouts": ("threshold", "law", "half"),
    "minimum timeout": ("timers", "200 ms", "1 s"),
    "no limited transmit": ("early", "limited transmit", "without"),
}
"""Dimension of the probe, its label without the factor and with it."""


def at(runs: Sequence[ProbeRun], present: frozenset[str], drop_rate: float) -> NDArray[np.float64]:
    """The ratio with these factors at a drop rate in per cent, one value per seed."""
    wanted = {dimension: on if name in present else off for name, (dimension, off, on) in FACTORS.items()}
    chosen = [select(runs, {**wanted, "n": n}) for n in labels(runs, "n")]
    losses = np.stack([values(own, LOSS) for own in chosen], axis=1)
    ratios = np.stack([values(own, RATIO) for own in chosen], axis=1)
    return np.array([_on_the_line(x, y, drop_rate) for x, y in zip(losses, ratios, strict=True)])


def _on_the_line(x: NDArray[np.float64], y: NDArray[np.float64], wanted: float) -> float:
    """y at ``wanted`` on the line through the neighbours of it among x, or through the first or last two."""
    order = np.argsort(x)
    x, y = x[order], y[order]
    right = int(np.clip(np.searchsorted(x, wanted), 1, len(x) - 1))
    left = right - 1
    return float(y[left] + (wanted - x[left]) / (x[right] - x[left]) * (y[right] - y[left]))


def contributions(runs: Sequence[ProbeRun], drop_rate: float) -> dict[str, NDArray[np.float64]]:
    """What each factor changes in the ratio at a drop rate, one value per seed; together the difference between all factors and none."""
    names, found = tuple(FACTORS), {}
    for name in names:
        others = [other for other in names if other != name]
        total = np.zeros_like(at(runs, frozenset(), drop_rate))
        for size in range(len(names)):
            weight = factorial(size) * factorial(len(names) - size - 1) / factorial(len(names))
            for chosen in combinations(others, size):
                before = frozenset(chosen)
                change = at(runs, before | {name}, drop_rate) - at(runs, before, drop_rate)
                total = total + weight * change
        found[name] = total
    return found


def curves(probes: Mapping[str, Sequence[ProbeRun]]) -> list[Curve]:
    """One figure: the ratio without any factor, what each changes, the ratio with all, and what is left to the printed one, each at the
    drop rates of the paper."""
    runs = probes[PROBE]
    spec = CurveSpec(
        name="parts",
        title="The gap of Figure 2 as a sum of parts, at the drop rates that are printed, 60 Mbit/s",
        probe=PROBE,
        value=RATIO,
        x="step",
        series="part",
        x_label="factor",
        y_label="throughput of TCP(1/5,1/8) over that of TCP, and changes in it",
        printed="about 0.7",
    )
    ids = tuple(run.run_id for run in runs)
    points = [
        CurvePoint(f"at {drop_rate:g} % drops", name, interval(found), None, ids)
        for drop_rate in DROP_RATES
        for name, found in _steps(runs, drop_rate).items()
    ]
    return [Curve(spec, points)]


def _steps(runs: Sequence[ProbeRun], drop_rate: float) -> dict[str, NDArray[np.float64]]:
    everything = at(runs, frozenset(FACTORS), drop_rate)
    return {
        "none of them": at(runs, frozenset(), drop_rate),
        **contributions(runs, drop_rate),
        "all of them": everything,
        "unexplained": PRINTED - everything,
    }

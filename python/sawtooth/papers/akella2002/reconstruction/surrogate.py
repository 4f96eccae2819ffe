"""The model of the misfit: every row has its own level, and a factor at another level adds the same to all rows that it acts on.

    misfit[row, combination] = m[row] + Σ_f b[f, level of f in the combination] · (f acts in the setting of the row) + noise

b = 0 for the value taken. The effects are fitted by ridge regression [HoerlKennard70] after the row means are taken out, so that rows that
happened to be run with good combinations favour nobody; the penalty is chosen by leaving out whole combinations in turn. The best
combination is then the best level of each factor.

Uncertainty: the pigeonhole bootstrap [Owen07], which draws rows and combinations again and fits anew. The share of draws that pick a level
says how sure the choice is; the spread of b, fitted with the lightest penalty, is its interval. The gain on the rows of the other half is
that of a fit to those alone.

| parameter | unit | default               | why                                        |
|-----------|------|-----------------------|--------------------------------------------|
| penalties | 1    | 0.3 to 300, 7 of them | of the order of the runs that see a level  |
| folds     | 1    | 8                     | combinations left out together             |
| draws     | 1    | 300                   | 95 % intervals to a percentile             |

The model has no interactions: ``cross_validated`` says which share of the differences between combinations it predicts, unseen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from sawtooth.papers.akella2002.reconstruction.factors import Factor

PENALTIES: Final = tuple(float(x) for x in np.geomspace(0.3, 300.0, 7))
FOLDS: Final = 8
DRAWS: Final = 300

Array = NDArray[np.float64]
Places = NDArray[np.int64]


@dataclass(frozen=True)
class Observations:
    """Misfits: one entry per row and combination that was run. ``row`` and ``combination`` are numbers from 0."""

    row: Places
    combination: Places
    misfit: Array
    levels: Places
    """Level of each factor in each combination: shape (combinations, factors)."""
    acts: NDArray[np.bool_]
    """Whether a factor acts on a row: shape (rows, factors)."""

    def of(self, rows: NDArray[np.bool_]) -> Observations:
        """Only those of some rows."""
        kept = rows[self.row]
        return Observations(self.row[kept], self.combination[kept], self.misfit[kept], self.levels, self.acts)


@dataclass(frozen=True)
class Effects:
    """What each level of each factor adds to the misfit: ``means[f][l]``, level 0 being 0; ``draws`` the same per bootstrap draw."""

    factors: tuple[Factor, ...]
    means: tuple[Array, ...]
    draws: tuple[Array, ...]
    """Shape (draws, levels) each."""
    penalty: float
    cross_validated: float

    @property
    def best(self) -> tuple[int, ...]:
        """The best level of each factor."""
        return tuple(int(np.argmin(values)) for values in self.means)

    def chosen_share(self, factor: int) -> Array:
        """The share of draws in which each level of a factor is the best."""
        best = np.argmin(self.draws[factor], axis=1)
        return np.bincount(best, minlength=len(self.means[factor])) / len(best)

    def interval(self, factor: int, level: int) -> tuple[float, float]:
        """95 % of the draws of an effect."""
        low, high = np.percentile(self.draws[factor][:, level], (2.5, 97.5))
        return float(low), float(high)

    def predicted(self, levels: Sequence[int]) -> float:
        """What a combination adds to the misfit of a row on which every factor acts."""
        return float(sum(values[level] for values, level in zip(self.means, levels, strict=True)))

    def predicted_draws(self, levels: Sequence[int]) -> Array:
        """The same per draw."""
        return np.asarray(
            sum(values[:, level] for values, level in zip(self.draws, levels, strict=True)), dtype=np.float64
        )


def fit(observed: Observations, factors: Sequence[Factor], seed: int, draws: int = DRAWS) -> Effects:
    """Fit the effects and their bootstrap. ValueError without observations of two combinations."""
    if len(np.unique(observed.combination)) < 2:
        raise ValueError("fit: expected misfits of at least two combinations")
    columns = [
        (place, level) for place, factor in enumerate(factors) for level in range(1, len(factor.levels))
    ]
    design = np.stack(
        [
            (observed.levels[observed.combination, place] == level) & observed.acts[observed.row, place]
            for place, level in columns
        ],
        axis=1,
    ).astype(np.float64)
    generator = np.random.Generator(np.random.PCG64(seed))
    penalty, explained = _penalty(observed, design, generator)
    ones = np.ones(len(observed.misfit))
    mean = _solve(observed, design, ones, penalty)
    # Few combinations get a heavy penalty, and shrunk draws would feign certainty: the draws get the lightest.
    again = np.stack(
        [_solve(observed, design, _weights(observed, generator), min(PENALTIES)) for _ in range(draws)]
    )
    return Effects(
        tuple(factors),
        tuple(_spread(columns, place, len(f.levels), mean[None])[0] for place, f in enumerate(factors)),
        tuple(_spread(columns, place, len(f.levels), again) for place, f in enumerate(factors)),
        penalty,
        explained,
    )


def _spread(columns: Sequence[tuple[int, int]], factor: int, levels: int, values: Array) -> Array:
    """Coefficients of one factor by level, the value taken first: shape (draws, levels)."""
    found = np.zeros((len(values), levels))
    for column, (place, level) in enumerate(columns):
        if place == factor:
            found[:, level] = values[:, column]
    return found


def _centred(observed: Observations, values: Array, weights: Array) -> Array:
    """Values less the weighted mean of their row; the last axis of ``values`` may hold several columns."""
    table = values.reshape(len(values), -1)
    rows = len(observed.acts)
    total = np.bincount(observed.row, weights, rows)
    total[total == 0.0] = 1.0
    found = np.empty_like(table)
    for column in range(table.shape[1]):
        means = np.bincount(observed.row, weights * table[:, column], rows) / total
        found[:, column] = table[:, column] - means[observed.row]
    return found.reshape(values.shape)


def _solve(observed: Observations, design: Array, weights: Array, penalty: float) -> Array:
    x = _centred(observed, design, weights)
    y = _centred(observed, observed.misfit, weights)
    gram = (x * weights[:, None]).T @ x + penalty * np.eye(x.shape[1])
    return np.asarray(np.linalg.solve(gram, (x * weights[:, None]).T @ y), dtype=np.float64)


def _weights(observed: Observations, generator: np.random.Generator) -> Array:
    """How often each observation is drawn when rows and combinations are drawn with replacement."""
    rows = np.unique(observed.row)
    combinations = np.unique(observed.combination)
    row = np.zeros(int(rows.max()) + 1)
    np.add.at(row, generator.choice(rows, len(rows)), 1.0)
    combination = np.zeros(int(combinations.max()) + 1)
    np.add.at(combination, generator.choice(combinations, len(combinations)), 1.0)
    return np.asarray(row[observed.row] * combination[observed.combination], dtype=np.float64)


def _penalty(observed: Observations, design: Array, generator: np.random.Generator) -> tuple[float, float]:
    """The penalty that predicts combinations left out best, and the share of their differences that it explains then."""
    names = generator.permutation(np.unique(observed.combination))
    folds = np.array_split(names, min(FOLDS, len(names)))
    errors = dict.fromkeys(PENALTIES, 0.0)
    nothing = 0.0
    for fold in folds:
        out = np.isin(observed.combination, fold)
        inside = (~out).astype(np.float64)
        x = _centred(observed, design, inside)
        seen = _centred(observed, observed.misfit, inside)
        for combination in fold:
            mine = observed.combination == combination
            nothing += float(seen[mine].mean()) ** 2
        for penalty in PENALTIES:
            found = _solve(observed, design, inside, penalty)
            left = seen - x @ found
            for combination in fold:
                errors[penalty] += float(left[observed.combination == combination].mean()) ** 2
    best = min(errors, key=lambda penalty: errors[penalty])
    return best, 1.0 - errors[best] / nothing if nothing > 0.0 else 0.0

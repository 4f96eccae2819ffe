"""The model of the misfit: every row has its own level, and what a combination adds to it is the same for all rows that it acts on.

    misfit[row, combination] = m[row] + Σ_f b[f, level of f] + Σ_f a[f] · x[f, level of f] + Σ_k c[k] · z[k, combination] + noise

b and a count only where f acts in the setting of the row, and are 0 at the value taken. x is log2 of a level over the value taken, for
factors of three numbers or more: what is one effect, as that of short round trips, is one number a, and b what a level has beyond it. z
are the columns of round trip, packet and buffer together (``shapes``). All coefficients are fitted by ridge regression [HoerlKennard70]
after the row means are taken out, so that rows that happened to be run with good combinations favour nobody; the penalty is chosen by
leaving out whole combinations in turn. The best combination is the best level of each factor, those in ``shapes`` chosen together.

Uncertainty: the pigeonhole bootstrap [Owen07], which draws whole printed tables and combinations again and fits anew: rows of one table
are scored against each other and share their runs, so they are no independent rows. The share of draws that pick a level says how sure
the choice is; the spread of an effect, fitted with the lightest penalty, is its interval.

A factor is *identifiable* if one level is best in CREDIBLE of the draws, and in most draws of the fit to the settings left out; *weakly* if
so many draws need several levels, but not all of them, or the other settings do not confirm it; else *not identifiable*. Levels between
which a draw cannot tell, having seen neither, share it: what was not run is not known. And while the model predicts nothing of combinations
left out, every factor is *not identifiable*, however alike the draws are: with fewer combinations than parameters any of them explains all.

| parameter | unit | default               | why                                        |
|-----------|------|-----------------------|--------------------------------------------|
| penalties | 1    | 0.3 to 300, 7 of them | of the order of the runs that see a level  |
| folds     | 1    | 8                     | combinations left out together             |
| draws     | 1    | 300                   | 95 % intervals to a percentile             |
| credible  | 1    | 0.95                  | as everywhere here                         |

``cross_validated`` says which share of the differences between combinations it predicts, unseen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import product
from math import log2
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sawtooth.papers.akella2002.reconstruction.factors import Factor

PENALTIES: Final = tuple(float(x) for x in np.geomspace(0.3, 300.0, 7))
FOLDS: Final = 8
DRAWS: Final = 300
CREDIBLE: Final = 0.95
TIED: Final = 1e-9
"""Difference of misfits up to which two levels are equally good: rounding."""
POOLED: Final = 3
"""Numbers that a factor must have for a common effect of them: of two, the effect is that of the one level."""

Array: TypeAlias = "NDArray[np.float64]"
Places: TypeAlias = "NDArray[np.int64]"


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
    table: Places
    """The printed table of each row, as a number."""
    shapes: Array
    """The columns of round trip, packet and buffer of each combination: shape (combinations, columns)."""

    def of(self, rows: NDArray[np.bool_]) -> Observations:
        """Only those of some rows."""
        kept = rows[self.row]
        return replace(self, row=self.row[kept], combination=self.combination[kept], misfit=self.misfit[kept])


class Identified(StrEnum):
    """What a sweep says of an open parameter."""

    IDENTIFIABLE = "identifiable"
    WEAKLY = "weakly identifiable"
    NOT = "not identifiable"


ShapesOf = Callable[[Sequence[int]], Array]
"""The columns of round trip, packet and buffer of a combination of levels."""


@dataclass(frozen=True)
class Effects:
    """What each level of each factor adds to the misfit: ``means[f][l]``, level 0 being 0; ``draws`` the same per bootstrap draw."""

    factors: tuple[Factor, ...]
    means: tuple[Array, ...]
    draws: tuple[Array, ...]
    """Shape (draws, levels) each."""
    penalty: float
    cross_validated: float
    shape_means: Array
    """What the columns of round trip, packet and buffer add, by column."""
    shape_draws: Array
    """Shape (draws, columns)."""
    shapes_of: ShapesOf
    together: tuple[int, ...]
    """The factors that these columns know, whose levels are chosen together."""
    common: tuple[int, ...] = ()
    """The factors whose numbers have an effect in common."""
    common_means: Array = field(default_factory=lambda: np.zeros(0))
    """What a doubling of each of them adds."""
    common_draws: Array = field(default_factory=lambda: np.zeros((0, 0)))
    """Shape (draws, factors in common)."""

    @property
    def coefficients(self) -> int:
        """Numbers that the fit chooses: a level other than the first each, a common effect each, a column of sizes each."""
        return sum(len(values) - 1 for values in self.means) + len(self.common) + len(self.shape_means)

    @property
    def best(self) -> tuple[int, ...]:
        """The best level of each factor."""
        return self._best(self.means, self.shape_means)

    def best_of(self, draw: int) -> tuple[int, ...]:
        """The best levels in a draw."""
        return self._best([values[draw] for values in self.draws], self.shape_draws[draw])

    def _best(self, effects: Sequence[Array], shapes: Array) -> tuple[int, ...]:
        levels = [int(np.argmin(values)) for values in effects]
        choices = product(*(range(len(effects[place])) for place in self.together))

        def cost(choice: Iterable[int]) -> float:
            tried = list(levels)
            for place, level in zip(self.together, choice, strict=True):
                tried[place] = level
            own = sum(effects[place][tried[place]] for place in self.together)
            return float(own + self.shapes_of(tried) @ shapes)

        for place, level in zip(self.together, min(choices, key=cost), strict=True):
            levels[place] = level
        return tuple(levels)

    def shares(self) -> list[Array]:
        """Of each factor, the share of draws in which each level is the best; levels that are equally good in a draw share it."""
        found = [_least(values) for values in self.draws]
        choices = np.array(list(product(*(range(len(self.means[place])) for place in self.together))))
        if self.together:
            levels = np.zeros((len(choices), len(self.means)), np.int64)
            levels[:, list(self.together)] = choices
            own = sum(self.draws[place][:, levels[:, place]] for place in self.together)
            sizes = np.stack([self.shapes_of([int(level) for level in one]) for one in levels])
            best = _least(own + self.shape_draws @ sizes.T)
            for place in self.together:
                found[place] = np.bincount(levels[:, place], best, len(self.means[place])).astype(np.float64)
        return found

    def interval(self, factor: int, level: int) -> tuple[float, float]:
        """95 % of the draws of an effect."""
        return _interval(self.draws[factor][:, level])

    def common_interval(self, place: int) -> tuple[float, float]:
        """95 % of the draws of what the numbers of a factor have in common."""
        return _interval(self.common_draws[:, place])

    def shape_interval(self, place: int) -> tuple[float, float]:
        """95 % of the draws of what a column of sizes adds."""
        return _interval(self.shape_draws[:, place])

    def predicted(self, levels: Sequence[int]) -> float:
        """What a combination adds to the misfit of a row on which every factor acts."""
        own = sum(values[level] for values, level in zip(self.means, levels, strict=True))
        return float(own + self.shapes_of(levels) @ self.shape_means)

    def predicted_draws(self, levels: Sequence[int]) -> Array:
        """The same per draw."""
        own = sum(values[:, level] for values, level in zip(self.draws, levels, strict=True))
        return np.asarray(own + self.shape_draws @ self.shapes_of(levels), dtype=np.float64)


def _least(values: Array) -> Array:
    """The share of draws in which each column is the least. Shape of ``values``: (draws, columns)."""
    least = values <= values.min(axis=1, keepdims=True) + TIED
    return np.asarray((least / least.sum(axis=1, keepdims=True)).mean(axis=0), dtype=np.float64)


def _interval(draws: Array) -> tuple[float, float]:
    low, high = np.percentile(draws, (2.5, 97.5))
    return float(low), float(high)


def credible(shares: Array) -> list[int]:
    """The fewest levels that are best in CREDIBLE of the draws, the likeliest first."""
    order = [int(level) for level in np.argsort(-shares, kind="stable")]
    count = int(np.searchsorted(np.cumsum(shares[order]), CREDIBLE - 1e-9)) + 1
    return order[:count]


def standings(fitted: Effects, held_out: Effects) -> list[Identified]:
    """What a sweep says of each factor: by the fit to half of the settings, and whether the other settings confirm it."""
    if fitted.cross_validated <= 0.0:
        return [Identified.NOT] * len(fitted.means)
    found = []
    for own, other in zip(fitted.shares(), held_out.shares(), strict=True):
        levels = credible(own)
        if len(levels) == 1 and other[levels[0]] > 0.5:
            found.append(Identified.IDENTIFIABLE)
        else:
            found.append(Identified.WEAKLY if len(levels) < len(own) else Identified.NOT)
    return found


def pooled(levels: Sequence[Any]) -> Array | None:
    """log2 of each level over the first, where all are positive numbers of one unit; None where they are not, or too few."""
    parts = [re.fullmatch(r"([0-9.]+)\s*(\D*)", str(level)) for level in levels]
    if len(levels) < POOLED or any(isinstance(level, bool) for level in levels) or None in parts:
        return None
    units = {part[2] for part in parts if part is not None}
    numbers = [float(part[1]) for part in parts if part is not None]
    if len(units) != 1 or min(numbers) <= 0.0:
        return None
    return np.array([log2(number / numbers[0]) for number in numbers])


@dataclass(frozen=True)
class _Columns:
    """The columns of a fit: levels one by one, what is common to the numbers of a factor, and what sizes do together."""

    factors: tuple[Factor, ...]
    levels: list[tuple[int, int]]
    common: list[tuple[int, Array]]
    shapes: int

    @classmethod
    def of(cls, factors: Sequence[Factor], shapes: int) -> _Columns:
        levels = [(place, level) for place, f in enumerate(factors) for level in range(1, len(f.levels))]
        common = [(place, x) for place, f in enumerate(factors) if (x := pooled(f.levels)) is not None]
        return cls(tuple(factors), levels, common, shapes)

    def design(self, observed: Observations) -> Array:
        """The value of every column for every observation."""
        at, acts = observed.levels[observed.combination], observed.acts[observed.row]
        single = [(at[:, place] == level) & acts[:, place] for place, level in self.levels]
        common = [x[at[:, place]] * acts[:, place] for place, x in self.common]
        together = observed.shapes[observed.combination]
        return np.column_stack(
            [*single, *common, *(together[:, column] for column in range(self.shapes))]
        ).astype(np.float64)

    def spread(self, values: Array) -> tuple[Array, ...]:
        """Coefficients as what each level of each factor adds: shape (draws, levels) each."""
        found = [np.zeros((len(values), len(factor.levels))) for factor in self.factors]
        for column, (place, level) in enumerate(self.levels):
            found[place][:, level] += values[:, column]
        for column, (place, x) in enumerate(self.common, len(self.levels)):
            found[place] += values[:, [column]] * x
        return tuple(found)

    def shared(self, values: Array) -> Array:
        """Coefficients of what the numbers of a factor have in common: shape (draws, factors that have it)."""
        return values[:, len(self.levels) : len(self.levels) + len(self.common)]

    def together(self, values: Array) -> Array:
        """Coefficients of the sizes: shape (draws, columns)."""
        return values[:, len(self.levels) + len(self.common) :]


def fit(
    observed: Observations,
    factors: Sequence[Factor],
    seed: int,
    draws: int = DRAWS,
    shapes_of: ShapesOf | None = None,
    together: Sequence[int] = (),
) -> Effects:
    """Fit the effects and their bootstrap. ValueError without observations of two combinations."""
    if len(np.unique(observed.combination)) < 2:
        raise ValueError("fit: expected misfits of at least two combinations")
    columns = _Columns.of(factors, observed.shapes.shape[1])
    design = columns.design(observed)
    generator = np.random.Generator(np.random.PCG64(seed))
    penalty, explained = _penalty(observed, design, generator)
    mean = _solve(observed, design, np.ones(len(observed.misfit)), penalty)[None]
    # Few combinations get a heavy penalty, and shrunk draws would feign certainty: the draws get the lightest.
    again = np.stack(
        [_solve(observed, design, _weights(observed, generator), min(PENALTIES)) for _ in range(draws)]
    )
    return Effects(
        tuple(factors),
        tuple(values[0] for values in columns.spread(mean)),
        columns.spread(again),
        penalty,
        explained,
        columns.together(mean)[0],
        columns.together(again),
        shapes_of or (lambda _: np.zeros(observed.shapes.shape[1])),
        tuple(together),
        tuple(place for place, _ in columns.common),
        columns.shared(mean)[0],
        columns.shared(again),
    )


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
    """How often each observation is drawn when tables and combinations are drawn with replacement."""
    of_table = observed.table[observed.row]
    drawn = (
        _times(of_table, generator)[of_table] * _times(observed.combination, generator)[observed.combination]
    )
    return np.asarray(drawn, dtype=np.float64)


def _times(numbers: Places, generator: np.random.Generator) -> Array:
    """How often each number that occurs is drawn, by number."""
    present = np.unique(numbers)
    found = np.zeros(int(present.max()) + 1)
    np.add.at(found, generator.choice(present, len(present)), 1.0)
    return found


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

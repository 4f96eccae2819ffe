"""An emulator of our numbers: what a combination of open values would give in the printed tables, without running it.

``weigh`` finds the variances, ``fit`` the emulator, and ``Emulator.numbers`` gives ln(number + e) of combinations.

An *output* is one number of one printed row. Its logarithm under a combination is a level of its own plus a sum of effects, one for each
level of each factor that acts on it. A factor of three numbers or more has a slope over their logarithm besides, so that what is one
effect, as that of short round trips, is one number. Round trip, packet and buffer have products too (``sizes``).

The effects are random [Henderson75]: outputs that share a column, and more so those that share a router, a recovery, an algorithm, a table
or a row, have similar ones. So a table that few combinations were run on borrows from its kin. How large the effects of each factor are,
how much kin have in common and how much is noise (of a combination in a table, of a single number) are the variances of the greatest
likelihood, found for each column by the MM algorithm for variance components [Zhou19]. What is predicted is the best linear unbiased
predictor. What else the effects may be, given the runs, is drawn by conditional simulation [JournelHuijbregts78]: a draw that knows
nothing, corrected by the prediction from what it misses. Nothing here knows what was printed.

| parameter | unit | default | why                                                                                                     |
|-----------|------|---------|---------------------------------------------------------------------------------------------------------|
| rounds    | 1    | 12      | of the MM algorithm: twice as many move predictions of made-up data by 1 to 4 % of their spread         |
| own level | 1    | 25      | variance of an output's own level: larger than any, so that it is free                                  |
| pooled    | 1    | 3       | numbers that a factor must have for a slope: of two, it is that of the one level                        |

Source: the papers named above; numbers of a computer's experiment as a random process, [Sacks89].
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import log2
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

ROUNDS: Final = 12
OWN_LEVEL: Final = 25.0
POOLED: Final = 3
LEAST: Final = 1e-9
"""The least variance: one at zero would never come back."""

Array: TypeAlias = "NDArray[np.float64]"
Places: TypeAlias = "NDArray[np.int64]"
Mask: TypeAlias = "NDArray[np.bool_]"


@dataclass(frozen=True)
class Outputs:
    """The numbers of the printed rows."""

    column: Places
    table: Places
    kin: Places
    """What each is of every kind that outputs may share (router, recovery, …): shape (outputs, kinds)."""
    acts: Mask
    """Whether a factor acts on it: shape (outputs, factors)."""


@dataclass(frozen=True)
class Observed:
    """What was run: an entry for each output and combination. ``value`` is ln(number + e)."""

    output: Places
    combination: Places
    value: Array
    design: Array
    """The features of each combination: shape (combinations, features)."""

    def of(self, kept: Mask) -> Observed:
        """Some of the entries."""
        return replace(
            self, output=self.output[kept], combination=self.combination[kept], value=self.value[kept]
        )


@dataclass(frozen=True)
class Features:
    """What a combination is in numbers: for each factor its levels and perhaps a slope, then the products of sizes."""

    outputs: Outputs
    levels: tuple[Array, ...]
    """For each factor what a level is: shape (levels, its features)."""
    factor: Places
    """The factor of each feature; the products of sizes have the number after the last one."""
    sizes: Array
    """The scale of each product of sizes."""

    @classmethod
    def over(cls, outputs: Outputs, levels: Sequence[Sequence[Any]], sizes: Array) -> Features:
        """Those of factors with these ``levels``, and of the products ``sizes`` of all combinations, which are scaled to be alike."""
        own = tuple(map(_features, levels))
        products = sizes.shape[1]
        spread = sizes.std(axis=0) * np.sqrt(max(products, 1))
        spread[spread == 0.0] = 1.0
        counts = [*(each.shape[1] for each in own), products]
        return cls(outputs, own, np.repeat(np.arange(len(counts)), counts), spread)

    def of(self, levels: Places, sizes: Array) -> Array:
        """The features of combinations: shape (combinations, features)."""
        own = [each[levels[:, place]] for place, each in enumerate(self.levels)]
        return np.concatenate([*own, sizes / self.sizes], axis=1)

    @property
    def mask(self) -> Array:
        """Which features act on which output: shape (outputs, features)."""
        acts = np.column_stack([self.outputs.acts, np.ones(len(self.outputs.acts), dtype=np.bool_)])
        return np.asarray(acts[:, self.factor], dtype=np.float64)


def _features(levels: Sequence[Any]) -> Array:
    count = len(levels)
    own = (np.eye(count) - 1.0 / count) * np.sqrt(count / (count - 1))
    x = pooled(levels)
    if x is None:
        return np.asarray(own, dtype=np.float64)
    slope = (x - x.mean()) / x.std()
    return np.asarray(np.column_stack([own, slope]) * np.sqrt(0.5), dtype=np.float64)


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
class Variances:
    """Of one column: of the effects of each factor and of the sizes, of what kin have in common (their sum is 1), and of noise (of a
    combination in a table, of a number)."""

    factors: Array
    kin: Array
    noise: Array
    spread: float = 0.0
    """Root mean square of the errors for combinations left out, each in turn."""


class _Covariance:
    """The parts of the covariance of the entries of one column."""

    def __init__(self, observed: Observed, features: Features) -> None:
        outputs, who, at = features.outputs, observed.output, observed.combination
        self.features, self.observed = features, observed
        self.rows = observed.design[at] * features.mask[who]
        self.kin = [_same(np.zeros(len(who))), *(_same(kind[who]) for kind in outputs.kin.T)]
        self.own = OWN_LEVEL * _same(who)
        self.noise = [_same(at) * _same(outputs.table[who]), np.eye(len(who))]

    def effects(self, factors: Array) -> Array:
        """Of the effects of all factors, were all outputs the same."""
        return (self.rows * factors[self.features.factor]) @ self.rows.T

    def kinship(self, kin: Array) -> Array:
        """How similar the effects on two entries are."""
        return _sum(kin, self.kin)

    def total(self, found: Variances) -> Array:
        """Of the entries."""
        effects = self.kinship(found.kin) * self.effects(found.factors)
        return self.own + effects + _sum(found.noise, self.noise)


def _same(numbers: NDArray[Any]) -> Array:
    return np.asarray(numbers[:, None] == numbers, dtype=np.float64)


def _sum(weights: Array, parts: Sequence[Array]) -> Array:
    found, weighed = np.zeros_like(parts[0]), np.empty_like(parts[0])
    for weight, part in zip(weights, parts, strict=True):
        found += np.multiply(part, weight, out=weighed)
    return found


def _inverse(covariance: Array) -> Array:
    """By Cholesky's factors, which is faster than for a general matrix. LinAlgError for what is no covariance."""
    from scipy.linalg.lapack import dpotrf, dpotri  # slow to load

    factor, failed = dpotrf(covariance)
    if failed:
        raise np.linalg.LinAlgError("the covariance is not positive definite")
    upper = np.triu(dpotri(factor, overwrite_c=True)[0])
    return np.asarray(upper + np.triu(upper, 1).T, dtype=np.float64)


def weigh(observed: Observed, features: Features, rounds: int = ROUNDS) -> dict[int, Variances]:
    """The variances of each column."""
    column = features.outputs.column[observed.output]
    return {int(each): _weigh(observed.of(column == each), features, rounds) for each in np.unique(column)}


def _weigh(observed: Observed, features: Features, rounds: int) -> Variances:
    parts = _Covariance(observed, features)
    factors, kinds = int(features.factor.max()) + 1, len(parts.kin)
    scale = max(float(np.var(_centred(observed))), LEAST)
    found = Variances(
        np.full(factors, 0.5 * scale / factors), np.full(kinds, 1.0 / kinds), np.full(2, 0.25 * scale)
    )
    for number in range(rounds):
        inverse = _inverse(parts.total(found))
        alpha = inverse @ (observed.value - observed.value.mean())

        noise = [
            _better(v, alpha @ part @ alpha, np.vdot(inverse, part))
            for v, part in zip(found.noise, parts.noise, strict=True)
        ]
        weights, kin = found.factors, found.kin
        if number % 2:
            effects = parts.effects(weights)
            left, right = inverse * effects, np.outer(alpha, alpha) * effects
            kin = np.array(
                [
                    _better(v, np.vdot(right, part), np.vdot(left, part))
                    for v, part in zip(kin, parts.kin, strict=True)
                ]
            )
            weights, kin = weights * kin.sum(), kin / kin.sum()
        else:
            similar = parts.kinship(kin)
            moved = alpha[:, None] * parts.rows
            gain = np.bincount(features.factor, (moved * (similar @ moved)).sum(axis=0))
            cost = np.bincount(features.factor, (parts.rows * ((inverse * similar) @ parts.rows)).sum(axis=0))
            weights = np.array([_better(*each) for each in zip(weights, gain, cost, strict=True)])
        found = Variances(weights, kin, np.array(noise))
    return replace(found, spread=_left_out(observed, parts.total(found)))


def _left_out(observed: Observed, total: Array) -> float:
    """The spread about predictions of combinations that are left out in turn, by inverting the covariance once."""
    inverse = _inverse(total)
    alpha = inverse @ (observed.value - observed.value.mean())
    squares = 0.0
    for each in np.unique(observed.combination):
        entries = np.flatnonzero(observed.combination == each)
        errors = np.linalg.solve(inverse[np.ix_(entries, entries)], alpha[entries])
        squares += float((errors**2).sum())
    return max(float(np.sqrt(squares / len(observed.value))), LEAST)


def _better(variance: float, gain: float, cost: float) -> float:
    """The step of the MM algorithm: what the entries ask for over what the covariance has."""
    return max(variance * float(np.sqrt(max(gain, 0.0) / max(cost, LEAST))), LEAST)


def _centred(observed: Observed) -> Array:
    """Values less the mean of their output."""
    counts = np.bincount(observed.output)
    means = np.bincount(observed.output, observed.value) / np.maximum(counts, 1)
    return np.asarray(observed.value - means[observed.output], dtype=np.float64)


@dataclass(frozen=True)
class Emulator:
    """What combinations give, by their features."""

    level: Array
    """Of each output: what all combinations have in common."""
    effects: Array
    """Of each output: what a feature adds. Shape (outputs, features)."""
    spread: Array
    """Of each output: the root mean square of its errors for combinations that were left out."""

    def numbers(self, design: Array) -> Array:
        """ln(number + e) of combinations with these features: shape (combinations, outputs)."""
        return np.asarray(self.level + design @ self.effects.T, dtype=np.float64)


def fit(observed: Observed, features: Features, variances: Mapping[int, Variances]) -> Emulator:
    """What is predicted, given the variances."""
    return Predictor(observed, features, variances).mean()


class Predictor:
    """What the runs say of all combinations: the best prediction, and draws of what else may be."""

    def __init__(self, observed: Observed, features: Features, variances: Mapping[int, Variances]) -> None:
        column = features.outputs.column[observed.output]
        self._features = features
        self._columns = [
            _Column(each, observed.of(column == each), features, found) for each, found in variances.items()
        ]

    def mean(self) -> Emulator:
        """The best linear unbiased predictor."""
        return self._all([column.predicted(column.entries.value) for column in self._columns], False)

    def draw(self, generator: np.random.Generator) -> Emulator:
        """What the effects may be, given the runs."""
        found = []
        for column in self._columns:
            level, effects, seen = column.unconditioned(generator)
            more_level, more_effects = column.predicted(column.entries.value - seen)
            found.append((level + more_level, effects + more_effects))
        return self._all(found, True)

    def _all(self, parts: Sequence[tuple[Array, Array]], drawn: bool) -> Emulator:
        count, features = self._features.mask.shape
        found = Emulator(np.zeros(count), np.zeros((count, features)), np.zeros(count))
        for column, (level, effects) in zip(self._columns, parts, strict=True):
            found.level[column.here], found.effects[column.here] = level, effects
            found.spread[column.here] = column.noise if drawn else column.variances.spread
        return found


class _Column:
    """The entries of one column with their covariance, solved once."""

    def __init__(self, number: int, entries: Observed, features: Features, variances: Variances) -> None:
        from scipy.linalg import cho_factor  # slow to load

        outputs, who = features.outputs, entries.output
        self.entries, self.features, self.variances = entries, features, variances
        self.here = np.flatnonzero(outputs.column == number)
        parts = _Covariance(entries, features)
        self.rows, self.solved = parts.rows, cho_factor(parts.total(variances))
        self.size = variances.factors[features.factor] * features.mask[self.here]
        shared = [kind[self.here][:, None] == kind[who] for kind in self.kinds]
        self.kin = _sum(variances.kin, [np.asarray(each, dtype=np.float64) for each in shared])
        self.noise = max(float(np.sqrt(variances.noise.sum())), LEAST)

    @property
    def kinds(self) -> list[Places]:
        """The column, and what else outputs may share."""
        kin = self.features.outputs.kin
        return [np.zeros(len(kin), np.int64), *kin.T]

    def predicted(self, values: Array) -> tuple[Array, Array]:
        """Level and effects of each output here, had the entries these values."""
        from scipy.linalg import cho_solve  # slow to load

        middle = float(values.mean())
        alpha: Array = cho_solve(self.solved, values - middle)
        pulls = np.bincount(self.entries.output, alpha, len(self.features.mask))
        effects: Array = (self.kin * alpha) @ self.rows * self.size
        level = np.asarray(middle + OWN_LEVEL * pulls[self.here], dtype=np.float64)
        return level, effects

    def unconditioned(self, generator: np.random.Generator) -> tuple[Array, Array, Array]:
        """Level and effects of each output here that know nothing of the values, and what they would have given for the entries."""
        outputs, variances = self.features.outputs, self.variances
        who, at = self.entries.output, self.entries.combination

        def shared(numbers: Places, *shape: int) -> Array:
            """A normal number, or several, for each of these that differs."""
            return generator.standard_normal((int(numbers.max()) + 1, *shape))[numbers]

        effects = np.zeros_like(self.size)
        for weight, kind in zip(variances.kin, self.kinds, strict=True):
            effects += np.sqrt(weight) * shared(kind[self.here], effects.shape[1])
        effects *= np.sqrt(self.size)
        level = np.sqrt(OWN_LEVEL) * generator.standard_normal(len(self.here))
        _, together = np.unique(np.stack([at, outputs.table[who]]), axis=1, return_inverse=True)
        noise = np.sqrt(variances.noise) @ np.stack([shared(together), shared(np.arange(len(who)))])
        place = np.searchsorted(self.here, who)
        return level, effects, level[place] + (effects[place] * self.entries.design[at]).sum(axis=1) + noise

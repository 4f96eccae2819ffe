"""What the printed numbers say of the open values, by an emulator of ours: effects on the misfit, the best values, and how sure they are.

The misfit of a row is what ``rows`` says, here as the emulator expects it: of a number whose logarithm is normal about what is predicted,
with the spread of its errors. So a number that it cannot predict has some misfit under any combination. The *best* combination has the
least mean misfit over the rows of half of the settings; it is found by changing one value, or round trip, packet and buffer, for as long
as that helps, from the values taken and from the best of what was run. The *effect* of a value is what it adds to the mean misfit, beside
the value taken, with all other values as in BASES of the combinations that were run.

Uncertainty: each draw takes another emulator, from what it may be given the runs, and draws whole printed tables again, since their rows
are scored against each other. A value is *best in a draw* if it is in its best combination; values that differ by less than TIED share it.

What such a sweep could tell is tried on *made-up printings*: numbers of another draw of the emulator, with its noise, under one of the
combinations that were run.

A factor is *identifiable* if one value is best in CREDIBLE of the draws, and in most draws of the settings left out; *weakly* if so many
draws need several values, but not all of them, or the other settings do not confirm it; else *not identifiable*. While the emulator
predicts nothing of the misfit of combinations left out, with variances that have not seen them either, every factor is *not identifiable*.

| parameter | unit    | default | why                                                        |
|-----------|---------|---------|------------------------------------------------------------|
| folds     | 1       | 4       | combinations left out together                             |
| draws     | 1       | 100     | credible to two percent                                    |
| printings | 1       | 10      | made up, with 40 draws each: some hundred parameters to be told |
| bases     | 1       | 48      | combinations over which an effect is averaged              |
| tied      | misfit  | 0.001   | the last digit that a page shows                           |
| credible  | 1       | 0.95    | as everywhere here                                         |

Source: calibration of a computer's model by an emulator [KennedyOHagan01], with the misfit of this study in place of a likelihood.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from functools import cached_property
from itertools import product
from typing import Final

import numpy as np

from sawtooth.papers.akella2002.reconstruction.emulator import (
    Array,
    Emulator,
    Features,
    Mask,
    Observed,
    Places,
    Predictor,
    fit,
    weigh,
)

FOLDS: Final = 4
DRAWS: Final = 100
PRINTINGS: Final = 10
PLANTED_DRAWS: Final = 40
BASES: Final = 48
TIED: Final = 1e-3
CREDIBLE: Final = 0.95
ROUNDING: Final = 1e-12
"""Squared differences of logarithms that are none."""

DesignOf = Callable[[Places], Array]
"""The features of combinations of levels."""
Possible = Callable[[Sequence[int]], bool]
"""Whether the scenarios of a combination of levels are accepted."""


@dataclass(frozen=True)
class Printed:
    """What was printed: ln(number + e) of each output, the row of each output, the table of each row."""

    value: Array
    row: Places
    table: Places

    def weights(self, rows: Array) -> Array:
        """Of each output in the mean over rows that count so much each."""
        columns = np.bincount(self.row, minlength=len(rows))
        return np.asarray((rows / rows.sum() / np.maximum(columns, 1))[self.row], dtype=np.float64)

    def gaps(self, emulator: Emulator, design: Array) -> Array:
        """The expected |ln((ours + e) / (printed + e))| of combinations: shape (combinations, outputs)."""
        from scipy.special import erf  # slow to load

        gap, spread = emulator.numbers(design) - self.value, emulator.spread
        normed = gap / (spread * np.sqrt(2.0))
        return np.asarray(
            spread * np.sqrt(2.0 / np.pi) * np.exp(-(normed**2)) + gap * erf(normed), dtype=np.float64
        )


class Identified(StrEnum):
    """What a sweep says of an open parameter."""

    IDENTIFIABLE = "identifiable"
    WEAKLY = "weakly identifiable"
    NOT = "not identifiable"


@dataclass(frozen=True)
class Effects:
    """What half of the settings say. ``means[f][l]`` is what a level adds to the misfit, level 0 being 0; ``draws`` the same per draw."""

    means: tuple[Array, ...]
    draws: tuple[Array, ...]
    """Shape (draws, levels) each."""
    shares: tuple[Array, ...]
    """Of each factor, in which share of the draws each level is best."""
    together: Array
    """What each combination of the levels of round trip, packet and buffer adds, in the order of ``itertools.product``."""
    together_draws: Array
    """Shape (draws, combinations of these)."""
    best: tuple[int, ...]
    """The best combination of the half that fits."""
    gain: float
    """How much less misfit it has here than the values taken."""
    gains: Array
    """The same per draw."""
    bests: tuple[tuple[int, ...], ...]
    """The best combination of each draw."""
    cross_validated: float
    """Which share of the squared differences between the misfits of combinations the emulator predicts, unseen."""
    numbers: float
    """The same of the numbers themselves."""

    def interval(self, factor: int, level: int) -> tuple[float, float]:
        """95 % of the draws of an effect."""
        return interval(self.draws[factor][:, level])

    def slope(self, factor: int, x: Array) -> tuple[float, tuple[float, float]]:
        """What a doubling adds, and 95 % of the draws of it: the line through the levels of a factor over their logarithm ``x``."""
        centred = (x - x.mean()) / float(((x - x.mean()) ** 2).sum())
        return float(self.means[factor] @ centred), interval(self.draws[factor] @ centred)


def interval(draws: Array) -> tuple[float, float]:
    """What holds 95 % of them."""
    low, high = np.percentile(draws, (2.5, 97.5))
    return float(low), float(high)


def credible(shares: Array) -> list[int]:
    """The fewest levels that are best in CREDIBLE of the draws, the likeliest first."""
    order = [int(level) for level in np.argsort(-shares, kind="stable")]
    count = int(np.searchsorted(np.cumsum(shares[order]), CREDIBLE - 1e-9)) + 1
    return order[:count]


def standings(fitted: Effects, others: Effects) -> list[Identified]:
    """What a sweep says of each factor: by half of the settings, and whether the other settings confirm it."""
    if fitted.cross_validated <= 0.0:
        return [Identified.NOT] * len(fitted.means)
    return [standing(*shares) for shares in zip(fitted.shares, others.shares, strict=True)]


def standing(own: Array, other: Array) -> Identified:
    """The same of one factor, by the shares of its levels in both halves."""
    levels = credible(own)
    if len(levels) == 1 and other[levels[0]] > 0.5:
        return Identified.IDENTIFIABLE
    return Identified.WEAKLY if len(levels) < len(own) else Identified.NOT


@dataclass(frozen=True)
class Planted:
    """What a sweep says where the values are known: of so many made-up printings, parameters each, how many are called identifiable, how
    many of these rightly, and of how many the value is among those that are not ruled out."""

    printings: int
    parameters: int
    identifiable: int
    right: int
    within: int

    def to_json(self) -> dict[str, int]:
        """Plain data."""
        return asdict(self)


@dataclass(frozen=True)
class Calibration:
    """What all halves and draws share."""

    observed: Observed
    features: Features
    printed: Printed
    training: Mask
    """Which rows fit."""
    levels: Places
    """Of the combinations that were run: shape (combinations, factors)."""
    sizes: tuple[int, ...]
    """The factors of round trip, packet and buffer, as far as they are factors."""
    design_of: DesignOf
    possible: Possible

    @property
    def counts(self) -> list[int]:
        """Levels of each factor."""
        return [len(each) for each in self.features.levels]

    @property
    def halves(self) -> tuple[Array, Array]:
        """How much each row counts in either half."""
        return self.training.astype(np.float64), (~self.training).astype(np.float64)

    @cached_property
    def predictor(self) -> Predictor:
        """What all that was run says of our numbers."""
        return Predictor(self.observed, self.features, weigh(self.observed, self.features))

    def run(self, seed: int, draws: int = DRAWS) -> tuple[Effects, Effects]:
        """What either half of the settings says. ValueError without numbers of two combinations."""
        if len(np.unique(self.observed.combination)) < 2:
            raise ValueError("calibrate: expected numbers of at least two combinations")
        generator = np.random.Generator(np.random.PCG64(seed))
        predicted = self._left_out(generator)
        views = [_View(self, self.predictor.mean(), half) for half in self.halves]
        best = views[0].best()
        drawn = [
            [_Drawn.of(view, best) for view in pair] for pair in self._draws(self.predictor, generator, draws)
        ]
        return (
            _effects(views[0], best, [pair[0] for pair in drawn], predicted),
            _effects(views[1], best, [pair[1] for pair in drawn], predicted),
        )

    def plant(self, seed: int, printings: int = PRINTINGS, draws: int = PLANTED_DRAWS) -> Planted:
        """What the same runs would say of tables that our simulator printed, under combinations that are known."""
        generator = np.random.Generator(np.random.PCG64(seed))
        told = right = within = 0
        for _ in range(printings):
            truth = self.levels[int(generator.integers(len(self.levels)))]
            emulator = self.predictor.draw(generator)
            numbers = emulator.numbers(self.design_of(truth[None]))[0]
            noise = emulator.spread * generator.standard_normal(len(numbers))
            other = replace(self, printed=replace(self.printed, value=numbers + noise))
            shares = [
                [view.shares(view.best()) for view in pair]
                for pair in other._draws(self.predictor, generator, draws)
            ]
            for factor, level in enumerate(truth):
                own, rest = (np.mean([pair[half][factor] for pair in shares], axis=0) for half in (0, 1))
                says, levels = standing(own, rest), credible(own)
                within += int(level in levels)
                if says is Identified.IDENTIFIABLE:
                    told, right = told + 1, right + int(levels[0] == level)
        return Planted(printings, len(self.counts), told, right, within)

    def _draws(
        self, predictor: Predictor, generator: np.random.Generator, draws: int
    ) -> Iterator[list[_View]]:
        """Both halves, with another emulator and tables drawn again; without a table of either half all is drawn anew."""
        tables = np.unique(self.printed.table)
        while draws:
            drawn = np.zeros(int(tables.max()) + 1)
            np.add.at(drawn, generator.choice(tables, len(tables)), 1.0)
            halves = [drawn[self.printed.table] * half for half in self.halves]
            if not all(half.any() for half in halves):
                continue
            emulator = predictor.draw(generator)
            yield [_View(self, emulator, half) for half in halves]
            draws -= 1

    def _left_out(self, generator: np.random.Generator) -> tuple[float, float]:
        """The share of squared differences between combinations that is predicted of those left out: of misfits, of numbers."""
        observed, printed = self.observed, self.printed
        names = generator.permutation(np.unique(observed.combination))
        left, misfits = np.zeros((2, 2)), np.abs(observed.value - printed.value[observed.output])
        for fold in np.array_split(names, min(FOLDS, len(names))):
            out = np.isin(observed.combination, fold)
            inside, outside = observed.of(~out), observed.of(out)
            emulator = fit(inside, self.features, weigh(inside, self.features))
            entry = (np.searchsorted(fold_ := np.unique(fold), outside.combination), outside.output)
            design = observed.design[fold_]
            pairs = [
                (outside.value, emulator.numbers(design)[entry], inside.value),
                (misfits[out], printed.gaps(emulator, design)[entry], misfits[~out]),
            ]
            for place, (found, told, known) in enumerate(pairs):
                usual = _means(known, inside.output, len(printed.value))[outside.output]
                for column, guess in enumerate((told, usual)):
                    errors = found - guess
                    if place:  # of the mean over what was run of a combination
                        errors = _means(errors, entry[0], len(fold_))
                    left[place, column] += float((errors**2).sum())
        shares = [float(1.0 - told / usual) if usual > ROUNDING else 0.0 for told, usual in left]
        return shares[1], shares[0]


def _means(values: Array, groups: Places, count: int) -> Array:
    """The mean of each group; that of all where it has none."""
    counts = np.bincount(groups, minlength=count)
    sums = np.bincount(groups, values, count)
    return np.where(counts > 0, sums / np.maximum(counts, 1), values.mean())


@dataclass(frozen=True)
class _View:
    """An emulator, and how much each printed row counts."""

    shared: Calibration
    emulator: Emulator
    rows: Array

    def misfits(self, levels: Places) -> Array:
        """The mean misfit of combinations: shape (combinations,)."""
        gaps = self.shared.printed.gaps(self.emulator, self.shared.design_of(levels))
        return np.asarray(gaps @ self.shared.printed.weights(self.rows), dtype=np.float64)

    def effects(self) -> tuple[Array, ...]:
        """What each level of each factor adds to the misfit beside level 0, in the mean over combinations that were run."""
        return tuple(
            self._effect((factor,), np.arange(count)[:, None])
            for factor, count in enumerate(self.shared.counts)
        )

    def together(self) -> Array:
        """The same of all levels of round trip, packet and buffer with each other."""
        factors = self.shared.sizes
        if not factors:
            return np.zeros(0)
        return self._effect(
            factors, np.array(list(product(*(range(self.shared.counts[f]) for f in factors))))
        )

    def _effect(self, factors: tuple[int, ...], values: Places) -> Array:
        """What the ``values`` of some factors add beside the first of them. Shape of ``values``: (values, factors)."""
        bases = self.shared.levels[:BASES]
        changed = np.repeat(bases, len(values), axis=0)
        changed[:, list(factors)] = np.tile(values, (len(bases), 1))
        misfits = self.misfits(changed).reshape(len(bases), len(values))
        return np.asarray((misfits - misfits[:, [0]]).mean(axis=0), dtype=np.float64)

    def best(self) -> tuple[int, ...]:
        """The best combination that is possible."""
        run = self.shared.levels[int(np.argmin(self.misfits(self.shared.levels)))]
        starts = [start for start in (np.zeros_like(run), run) if self._possible(start)]
        found = [self._improved(start) for start in starts]
        return tuple(int(level) for level in min(found, key=lambda each: each[1])[0])

    def _improved(self, levels: Places) -> tuple[Places, float]:
        """Where the steps that help most lead, and the misfit there."""
        least = float(self.misfits(levels[None])[0])
        while True:
            tried = self._beside(levels)
            misfits = self.misfits(tried)
            for place in np.argsort(misfits, kind="stable"):
                if misfits[place] >= least - ROUNDING:
                    return levels, least
                if self._possible(tried[place]):
                    levels, least = tried[place], float(misfits[place])
                    break

    def _beside(self, levels: Places) -> Places:
        """The combinations that differ in one factor, and those that differ in round trip, packet and buffer."""
        groups = [(factor,) for factor in range(len(levels))] + [self.shared.sizes]
        found = []
        for group in groups:
            values = np.array(
                list(product(*(range(self.shared.counts[factor]) for factor in group))), np.int64
            )
            changed = np.repeat(levels[None], len(values), axis=0)
            changed[:, list(group)] = values
            found.append(changed)
        return np.concatenate(found)

    def _possible(self, levels: Places) -> bool:
        return self.shared.possible([int(level) for level in levels])

    def shares(self, best: tuple[int, ...]) -> tuple[Array, ...]:
        """Of each factor, which levels are as good as the best one; they share it."""
        misfits = self.misfits(self._beside(np.array(best)))
        found = []
        for level, own in zip(best, np.split(misfits, np.cumsum(self.shared.counts))[:-1], strict=True):
            tied = np.abs(own - own[level]) <= TIED  # what has less is not possible
            found.append(tied / tied.sum())
        return tuple(found)


@dataclass(frozen=True)
class _Drawn:
    """What one draw says."""

    effects: tuple[Array, ...]
    together: Array
    best: tuple[int, ...]
    shares: tuple[Array, ...]
    gain: float

    @classmethod
    def of(cls, view: _View, chosen: tuple[int, ...]) -> _Drawn:
        best = view.best()
        return cls(view.effects(), view.together(), best, view.shares(best), _gain(view, chosen))


def _gain(view: _View, chosen: tuple[int, ...]) -> float:
    """How much less misfit a combination has than the values taken."""
    taken, other = view.misfits(np.array([[0] * len(chosen), chosen]))
    return float(taken - other)


def _effects(
    view: _View, best: tuple[int, ...], drawn: Sequence[_Drawn], predicted: tuple[float, float]
) -> Effects:
    columns = range(len(best))
    return Effects(
        view.effects(),
        tuple(np.stack([draw.effects[f] for draw in drawn]) for f in columns),
        tuple(np.mean([draw.shares[f] for draw in drawn], axis=0) for f in columns),
        view.together(),
        np.stack([draw.together for draw in drawn]),
        best,
        _gain(view, best),
        np.array([draw.gain for draw in drawn]),
        tuple(draw.best for draw in drawn),
        *predicted,
    )

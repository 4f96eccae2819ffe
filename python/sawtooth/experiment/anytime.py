"""Intervals that may be looked at after every batch of seeds: confidence sequences, which hold at all numbers of seeds at once.

Source: Ville's inequality for martingales of likelihood ratios [Ville39]. Student's t with an effect size that is normal a priori, which
needs no variance: [Lai76], [WangRamdas25]; in closed form the Bayes factor of [Rouder09]. Bounded values: the predictable plug-in
empirical-Bernstein sequence of [WaudbySmithRamdas24] theorem 2, which is that of [HowardRamdas21] with weights chosen from the past.

A fixed interval is right 95 times in a hundred if the number of seeds was fixed beforehand. Who adds seeds until it leaves the bound out
stops at the first luck. An interval here covers the mean at *every* number of seeds, 95 times in a hundred, so one may stop at any.
Against a bound b, with t Student's statistic of n values, evidence is a number E that exceeds 1/a at some n with probability a at most:

    E = (1 + n g)^(-1/2) * ((1 + t^2/(n-1)) / (1 + t^2/((n-1)(1 + n g))))^(n/2)                       Student's t
    E = exp(sum l_i (x_i - b) - sum (x_i - m_i)^2 (-log(1 - l_i) - l_i)),  x scaled to 0..1           bounded

m_i and l_i are an estimated mean and a weight that use values before x_i alone.

| parameter | unit | default | why                                                                                                |
|-----------|------|---------|----------------------------------------------------------------------------------------------------|
| EFFECT    | 1    | 3       | g, variance of the effect size (mean over sd) a priori: narrowest at some ten to thirty seeds         |
| WEIGHT    | 1    | 0.75    | largest l, of [WaudbySmithRamdas24] (1/2 or 3/4)                                                     |
| ALIKE     | 1    | 36      | equal values from which they count as certain: had one seed in ten another, 2.3 % would be all alike  |

| values                                       | interval            | why                                                   |
|----------------------------------------------|---------------------|-------------------------------------------------------|
| whose range is known by definition (rho)     | empirical Bernstein | right for any distribution in the range; wide at first |
| any other (differences of scores, of rates)  | Student's t         | exact for normal values, measured for skewed ones     |
| equal to the last bit, fewer than ALIKE      | all numbers         | a seed with another value may come (a timeout, a drop) |
| equal to the last bit, ALIKE or more         | a point             | as for fixed seeds: it does not depend on the seed    |

What stops wrongly is measured by ``tools.deciding_page`` and shown in docs/deciding.md.

Deviations: E of Student's t is exact for normal values alone. That equal values are certain from ALIKE on is a convention: it bounds how
often an event of one seed in ten goes unseen, not how often a rarer one does. The values of a bounded sequence are taken in the order of
their seeds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final

import numpy as np

from sawtooth.experiment.intervals import (
    EXACT,
    LEVEL,
    NONE,
    SEEDS_MAX,
    Interval,
    Tails,
    effect_of,
    no_spread,
    seeds_for,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

EFFECT: Final = 3.0
WEIGHT: Final = 0.75
ALIKE: Final = 36
STUDENT_SEQUENCE: Final = "Student-t confidence sequence"
BOUNDED_SEQUENCE: Final = "empirical-Bernstein confidence sequence"

Range = tuple[float, float]

_AT_ANY_TIME: ContextVar[bool] = ContextVar("at_any_time", default=False)


@contextmanager
def at_any_time(on: bool = True) -> Iterator[None]:
    """Verdicts inside are taken by confidence sequences, so that one may look after every batch of seeds; not if ``on`` is false."""
    token = _AT_ANY_TIME.set(on)
    try:
        yield
    finally:
        _AT_ANY_TIME.reset(token)


def is_at_any_time() -> bool:
    """Whether verdicts are taken by confidence sequences here."""
    return _AT_ANY_TIME.get()


def sequence(values: ArrayLike, level: float = LEVEL, between: Range | None = None) -> Interval:
    """The interval at this number of seeds of the confidence sequence of the mean; ``between`` is the range of the values, if it is known.

    Infinite ends say that so few values exclude nothing.
    """
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 1 or x.size == 0:
        raise ValueError(f"sequence: expected one value per seed, got an array of shape {x.shape}")
    n = int(x.size)
    if not bool(np.isfinite(x).all()):
        return Interval(float("nan"), None, None, n, NONE)
    mean = math.fsum(x.tolist()) / n
    if between is not None:
        low, high = _bounded_ends(x, between, (1.0 - level) / 2.0)
        return Interval(mean, low, high, n, BOUNDED_SEQUENCE)
    if n == 1:
        return Interval(mean, None, None, n, NONE)
    if no_spread(x) and n < ALIKE:
        return Interval(mean, -math.inf, math.inf, n, STUDENT_SEQUENCE)
    if no_spread(x):
        return Interval(mean, mean, mean, n, EXACT)
    half = student_reach(n, level) * float(x.std(ddof=1)) / math.sqrt(n)
    return Interval(mean, mean - half, mean + half, n, STUDENT_SEQUENCE)


def sequence_tails(values: ArrayLike, bound: float, between: Range | None = None) -> Tails:
    """How surely the mean lies above and below ``bound``, whenever one looks: the tails that the sequence of intervals goes with."""
    x = np.asarray(values, dtype=np.float64)
    n = int(x.size)
    if not bool(np.isfinite(x).all()) or (n == 1 and between is None):
        return Tails(1.0, 1.0)
    if between is not None:
        y, b = _scaled(x, between), _scaled(np.array([bound]), between)[0]
        weights, costs = bets(y)
        above, below = (float((costs - sign * weights * (y - b)).sum()) for sign in (1.0, -1.0))
        return Tails(math.exp(min(0.0, above)), math.exp(min(0.0, below)))
    distance = math.fsum(x.tolist()) / n - bound
    if no_spread(x):
        return Tails.certain(distance) if n >= ALIKE else Tails(1.0, 1.0)
    t = distance / (float(x.std(ddof=1)) / math.sqrt(n))
    tail = min(1.0, math.exp(-student_evidence(n, t)) / 2.0)
    return Tails(tail, 1.0) if t > 0.0 else Tails(1.0, tail)


def student_evidence(n: int, t: float) -> float:
    """The logarithm of E for Student's statistic of ``n`` values."""
    spread, squared = 1.0 + n * EFFECT, t * t / (n - 1)
    return (n * (math.log1p(squared) - math.log1p(squared / spread)) - math.log(spread)) / 2.0


def student_reach(n: int, level: float = LEVEL) -> float:
    """The t up to which a mean is not excluded at ``n`` values; infinite where they exclude none."""
    spread = 1.0 + n * EFFECT
    ratio = math.exp((2.0 * math.log(1.0 / (1.0 - level)) + math.log(spread)) / n)
    if ratio >= spread:
        return math.inf
    return math.sqrt((n - 1) * (ratio - 1.0) / (1.0 - ratio / spread))


def seeds_for_sequence(effect: float, level: float = LEVEL) -> int | None:
    """As ``intervals.seeds_for``, of the Student-t sequence, which is wider."""
    return seeds_for(effect, level, student_reach, ALIKE)


def seeds_for_sequence_of(values: ArrayLike, bound: float, between: Range | None = None) -> int | None:
    """Number of seeds at which the sequence is expected to leave ``bound`` out; None where none up to SEEDS_MAX would.

    Bounded values are taken over and over in their order: what the sequence makes of them has no closed form.
    """
    effect = effect_of(values, bound)
    if effect is None or effect == 0.0:
        return None
    if between is None:
        return seeds_for_sequence(effect)
    y, b = _scaled(np.asarray(values, dtype=np.float64), between), _scaled(np.array([bound]), between)[0]
    repeated = np.resize(y, SEEDS_MAX)
    weights, costs = bets(repeated)
    evidence = np.abs(np.cumsum(weights * (repeated - b))) - np.cumsum(costs)
    decided = np.flatnonzero(evidence[y.size :] > math.log(2.0 / (1.0 - LEVEL)))
    return int(decided[0]) + y.size + 1 if decided.size else None


def _scaled(x: NDArray[np.float64], between: Range) -> NDArray[np.float64]:
    low, high = between
    y = (x - low) / (high - low)
    if bool((y < -1e-9).any()) or bool((y > 1.0 + 1e-9).any()):
        raise ValueError(
            f"sequence: values from {x.min():g} to {x.max():g}, expected from {low:g} to {high:g}"
        )
    return np.asarray(y, dtype=np.float64)


def bets(y: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The weights l_i of values between 0 and 1, each from the values before it, and the terms of E's second sum, along the last axis."""
    places = np.arange(1, y.shape[-1] + 1)
    means = (0.5 + np.cumsum(y, axis=-1)) / (places + 1)
    before = np.concatenate([np.full_like(y[..., :1], 0.5), means[..., :-1]], axis=-1)
    variances = (0.25 + np.cumsum((y - means) ** 2, axis=-1)) / (places + 1)
    earlier = np.concatenate([np.full_like(y[..., :1], 0.25), variances[..., :-1]], axis=-1)
    confidence = 2.0 * math.log(2.0 / (1.0 - LEVEL))
    weights = np.minimum(np.sqrt(confidence / (earlier * places * np.log1p(places))), WEIGHT)
    return np.asarray(weights), np.asarray((y - before) ** 2 * (-np.log1p(-weights) - weights))


def _bounded_ends(x: NDArray[np.float64], between: Range, tail: float) -> tuple[float, float]:
    low, high = between
    y = _scaled(x, between)
    weights, costs = bets(y)
    centre = float((weights * y).sum() / weights.sum())
    reach = (math.log(1.0 / tail) + float(costs.sum())) / float(weights.sum())
    ends = (max(0.0, centre - reach), min(1.0, centre + reach))
    return low + (high - low) * ends[0], low + (high - low) * ends[1]

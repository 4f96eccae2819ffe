"""How sure are we: two-sided 95 % intervals for a mean over seeds, and the number of seeds that would decide.

Source: Student's t [Student08]; bootstrap-t (studentised bootstrap) [EfronTibshirani93] ch. 12.5.

Every comparison of this laboratory is paired: all algorithms of a comparison see the same environment draw and
the same start times within a seed, so the difference is taken within each seed and the interval is that of the
mean of the differences. "Paired" is therefore not a flag here; it is what the caller hands in.

| seeds  | method      | why                                                                                    |
|--------|-------------|----------------------------------------------------------------------------------------|
| 1      | none        | one seed says nothing about other seeds: ``low`` and ``high`` are None                  |
| 2..19  | paired t    | too few values to resample                                                              |
| >= 20  | bootstrap-t | second-order correct for skewed quantities (loss, timeouts), which t is not             |
| any    | exact       | all values equal to the last bit: the quantity does not depend on the seed, a point     |

Coverage of the nominal 95 %, measured over 3000 draws each (tests/test_intervals.py repeats the first three):

| values      | n  | method      | coverage | plain t there |
|-------------|----|-------------|----------|---------------|
| normal      | 5  | paired t    | 0.95     |               |
| exponential | 20 | bootstrap-t | 0.95     | 0.91          |
| exponential | 5  | paired t    | 0.87     |               |
| log-normal  | 20 | bootstrap-t | 0.92     | 0.87          |

So five seeds of a very skewed quantity claim more than they know; differences of two algorithms are less skewed than either.

Deviations: where a resample has no spread (many ties, as in loss counts that are mostly zero) the studentised quantile
can be infinite; the t interval is then given and the method says so. A difference below 1e-12 of the values' size
counts as rounding, not as spread.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

LEVEL: Final = 0.95
BOOTSTRAP_FROM: Final = 20
RESAMPLES: Final = 4000
SEEDS_MAX: Final = 100_000
"""Above this many seeds a difference counts as undecidable by simulation (``seeds_to_decide`` gives None)."""

NONE: Final = "none"
EXACT: Final = "exact"
PAIRED_T: Final = "paired t"
BOOTSTRAP_T: Final = "bootstrap-t"
PAIRED_T_TIES: Final = "paired t (bootstrap-t undefined: ties)"


@dataclass(frozen=True, slots=True)
class Interval:
    """Mean of ``n`` values and its two-sided interval; ``low`` and ``high`` are None where one value is all there is."""

    mean: float
    low: float | None
    high: float | None
    n: int
    method: str

    @property
    def half_width(self) -> float | None:
        """Half the interval's length, or None without an interval."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2.0

    @property
    def reaches(self) -> tuple[float, float]:
        """How far it reaches below and above the mean; nowhere without an interval."""
        if self.low is None or self.high is None:
            return 0.0, 0.0
        return max(0.0, self.mean - self.low), max(0.0, self.high - self.mean)

    def scaled(self, factor: float) -> Interval:
        """In another unit: every number times ``factor``, which is above 0."""
        if self.low is None or self.high is None:
            return replace(self, mean=factor * self.mean)
        return replace(self, mean=factor * self.mean, low=factor * self.low, high=factor * self.high)


@dataclass(frozen=True, slots=True)
class Tails:
    """How surely a mean lies on either side of a bound: one-sided p values, small where it does. 0 and 1 are certain, 1 and 1 say nothing.

    A 95 % interval lies above the bound if and only if ``above`` is at most 2.5 %.
    """

    above: float
    below: float

    @classmethod
    def certain(cls, distance: float) -> Tails:
        """Of a quantity without spread, this far above the bound; on it, neither."""
        return cls(float(distance <= 0.0), float(distance >= 0.0))


def tails(values: ArrayLike, bound: float) -> Tails:
    """How surely the mean of ``values`` lies above and below ``bound``, by the method of ``interval``.

    Beyond the last resample the tail of the bootstrap goes on as that of Student's t, from the height that it has there.
    """
    from scipy.special import stdtr  # slow to load

    x = np.asarray(values, dtype=np.float64)
    n = int(x.size)
    if n < 2 or not bool(np.isfinite(x).all()):
        return Tails(1.0, 1.0)
    distance = math.fsum(x.tolist()) / n - bound
    if no_spread(x):
        return Tails.certain(distance)
    t = distance / (float(x.std(ddof=1)) / math.sqrt(n))
    resampled = _studentised(x.tobytes()) if n >= BOOTSTRAP_FROM else None
    if resampled is None or _quantiles(resampled, LEVEL) is None:
        return Tails(float(stdtr(n - 1, -t)), float(stdtr(n - 1, t)))
    return Tails(_beyond(resampled, t, n), _beyond(-resampled[::-1], -t, n))


def _beyond(ordered: NDArray[np.float64], t: float, n: int) -> float:
    """The share of resamples that reach ``t``."""
    from scipy.special import stdtr

    least = 1.0 / (RESAMPLES + 1)
    last = float(ordered[-1])
    if t > last:
        return least * float(stdtr(n - 1, -t)) / float(stdtr(n - 1, -last))
    reached = RESAMPLES - int(np.searchsorted(ordered, t, side="left"))
    return (reached + 1) * least


def interval(values: ArrayLike, level: float = LEVEL) -> Interval:
    """Two-sided interval of the mean of ``values`` (one per seed; differences for a paired comparison).

    A NaN among the values (an undefined metric) makes the result NaN without an interval: nothing is dropped silently.
    """
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 1 or x.size == 0:
        raise ValueError(f"interval: expected one value per seed, got an array of shape {x.shape}")
    n = int(x.size)
    if not bool(np.isfinite(x).all()):
        return Interval(float("nan"), None, None, n, NONE)
    mean = math.fsum(x.tolist()) / n
    if n == 1:
        return Interval(mean, None, None, n, NONE)
    if no_spread(x):
        return Interval(mean, mean, mean, n, EXACT)
    error = float(x.std(ddof=1)) / math.sqrt(n)
    if n >= BOOTSTRAP_FROM:
        bounds = _bootstrap_t(x, mean, error, level)
        if bounds is not None:
            return Interval(mean, bounds[0], bounds[1], n, BOOTSTRAP_T)
    half = student_t(n, level) * error
    return Interval(mean, mean - half, mean + half, n, PAIRED_T if n < BOOTSTRAP_FROM else PAIRED_T_TIES)


@cache
def student_t(n: int, level: float = LEVEL) -> float:
    """Two-sided quantile of Student's t with ``n - 1`` degrees of freedom (2.776 for five seeds at 95 %)."""
    from scipy.special import stdtrit  # a quarter of a second that `sawtooth --help` need not wait

    return float(stdtrit(n - 1, 0.5 + level / 2.0))


def seeds_to_decide(values: ArrayLike, bound: float, level: float = LEVEL) -> int | None:
    """Number of seeds at which the interval of the mean is expected to leave ``bound`` out.

    Takes the observed mean and standard deviation of the paired differences as the true ones and returns the least n >= 2
    with ``t(n-1) * sd / sqrt(n) < |mean - bound|``. It is an expectation, not a guarantee: the observed sd of five
    seeds is itself uncertain by about a third. None where no number of seeds up to SEEDS_MAX would do (the mean sits on
    the bound), or where fewer than two values are known.
    """
    effect = effect_of(values, bound)
    return None if effect is None else seeds_for(effect, level)


def effect_of(values: ArrayLike, bound: float) -> float | None:
    """How far the mean lies from ``bound`` in standard deviations of the values, infinite without any spread; None for one value."""
    x = np.asarray(values, dtype=np.float64)
    if x.size < 2 or not bool(np.isfinite(x).all()):
        return None
    distance = abs(float(x.mean()) - bound)
    if no_spread(x):
        return math.inf if distance > 0.0 else 0.0
    return distance / float(x.std(ddof=1))


def seeds_for(
    effect: float,
    level: float = LEVEL,
    reach: Callable[[int, float], float] = student_t,
    alike: int = 2,
) -> int | None:
    """The least number of seeds at which a mean so many standard deviations away is expected to be told from the bound.

    ``reach`` is the half width at n seeds in standard errors, ``alike`` the number of equal values that count as certain.
    """
    if effect == 0.0:
        return None
    if math.isinf(effect):
        return alike

    def decides(n: int) -> bool:
        return reach(n, level) / math.sqrt(n) < effect

    if not decides(SEEDS_MAX):
        return None
    low, high = 1, SEEDS_MAX  # the half width falls with n, so bisection finds the least n
    while high - low > 1:
        middle = (low + high) // 2
        if decides(middle):
            high = middle
        else:
            low = middle
    return high


def no_spread(x: NDArray[np.float64]) -> bool:
    """Whether all values are equal but for rounding."""
    span = float(x.max() - x.min())
    return span <= _rounding(x) or span == 0.0


def _rounding(x: NDArray[np.float64]) -> float:
    """By how much equal values of this size may seem to differ once they are added up."""
    return 1e-12 * max(1.0, float(np.abs(x).max()))


@lru_cache(maxsize=8)
def _resamples(n: int) -> NDArray[np.int64]:
    """Index table (n, RESAMPLES) of the bootstrap, the same for every quantity with n seeds. Sums over its first axis are twice as quick.

    RandomState, because NumPy froze its stream for good (NEP 19); a report must have the same bytes next year.
    """
    drawn = np.random.RandomState(20020501).randint(0, n, size=(RESAMPLES, n))
    return np.ascontiguousarray(drawn.T, dtype=np.int64)


def _bootstrap_t(
    x: NDArray[np.float64], mean: float, error: float, level: float
) -> tuple[float, float] | None:
    ends = _quantiles(_studentised(x.tobytes()), level)
    return None if ends is None else (mean - ends[1] * error, mean - ends[0] * error)


@lru_cache(maxsize=64)
def _studentised(raw: bytes) -> NDArray[np.float64]:
    """Student's statistic of every resample of the values, in ascending order."""
    x = np.frombuffer(raw, dtype=np.float64)
    mean = math.fsum(x.tolist()) / x.size
    deviations = x[_resamples(int(x.size))]
    means = deviations.mean(axis=0)
    deviations -= means
    deviations *= deviations
    spreads = np.sqrt(deviations.sum(axis=0) / (x.size - 1))
    shifts = means - mean
    with np.errstate(divide="ignore", invalid="ignore"):
        t = shifts / (spreads / math.sqrt(x.size))
    # The mean of equal values is not quite their value, so a resample of them has a spread: of rounding.
    return np.sort(np.where(spreads > _rounding(x), t, np.copysign(np.inf, shifts)))


def _quantiles(ordered: NDArray[np.float64], level: float) -> tuple[float, float] | None:
    """The two quantiles that an interval is made of; None where one is infinite."""
    tail = (1.0 - level) / 2.0
    # Order statistics rather than interpolation, so that infinities stay where they are.
    lower = float(ordered[math.floor(tail * (RESAMPLES - 1))])
    upper = float(ordered[math.ceil((1.0 - tail) * (RESAMPLES - 1))])
    return (lower, upper) if math.isfinite(lower) and math.isfinite(upper) else None


@dataclass(frozen=True)
class Share:
    """A share of a space: points with a property out of those that cover it, and its 95 % interval [Wilson27]."""

    count: int
    of: int

    @property
    def share(self) -> float:
        """The fraction."""
        return self.count / self.of

    @property
    def ends(self) -> tuple[float, float]:
        """Wilson's interval."""
        from scipy.stats import binomtest  # slow to load

        found = binomtest(self.count, self.of).proportion_ci(0.95, "wilson")
        return float(found.low), float(found.high)

    @property
    def percent(self) -> str:
        """In words: per cent, with the interval."""
        low, high = self.ends
        return f"{100 * self.share:.1f} % ({100 * low:.1f} to {100 * high:.1f})"

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        low, high = self.ends
        return {"patterns": self.count, "of": self.of, "share": self.share, "low": low, "high": high}

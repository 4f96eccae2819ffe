"""How far two orders agree: rank correlations with bootstrap intervals.

Source: Spearman's rho [Spearman04] and Kendall's tau-b [Kendall45], as scipy computes them; percentile bootstrap
[EfronTibshirani93] ch. 13.

A table of the appendix has nine instances, each with one printed number and one number per seed of ours. A resample draws instances
and seeds with replacement, both, because the agreement would be another one over other instances as well as over other seeds.

| parameter | unit | default | why                                                                          |
|-----------|------|---------|------------------------------------------------------------------------------|
| RESAMPLES | 1    | 2000    | the ends of a 95 % interval are then read off at the 50th value from each end |
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from sawtooth import _native

if TYPE_CHECKING:
    from numpy.typing import NDArray

RESAMPLES: Final = 2000
LEVEL: Final = 0.95

Values: TypeAlias = "NDArray[np.float64]"


@dataclass(frozen=True)
class Estimate:
    """A coefficient with its bootstrap interval; NaN where one side is all ties, no interval where too few resamples have one."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Agreement:
    """Rank correlation of ``n`` things."""

    n: int
    rho: Estimate
    tau: Estimate


def agreement(ours: Values, theirs: Values) -> Agreement:
    """Rank correlation between the means over seeds of ``ours``, shape (things, seeds), and ``theirs``, shape (things,)."""
    from scipy.stats import kendalltau, spearmanr  # takes long to load

    things, seeds = ours.shape
    if theirs.shape != (things,):
        raise ValueError(f"agreement: {things} things of ours, {theirs.shape} of theirs")
    means = ours.mean(axis=1)
    rho = tau = math.nan
    if np.ptp(means) > 0.0 and np.ptp(theirs) > 0.0:
        rho, tau = float(spearmanr(means, theirs)[0]), float(kendalltau(means, theirs)[0])
    drawn_things, drawn_seeds = _draws(things, seeds)
    x = ours[drawn_things[:, :, None], drawn_seeds[:, None, :]].mean(axis=2)
    y = theirs[drawn_things]
    return Agreement(things, _estimate(rho, spearman_rows(x, y)), _estimate(tau, kendall_rows(x, y)))


def spearman_rows(x: Values, y: Values) -> Values:
    """Spearman's rho of each row of two tables; NaN where a row is all ties."""
    from scipy.stats import rankdata

    a, b = rankdata(x, axis=1), rankdata(y, axis=1)
    a, b = a - a.mean(axis=1, keepdims=True), b - b.mean(axis=1, keepdims=True)
    scale = np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
    return _divided((a * b).sum(axis=1), scale)


def kendall_rows(x: Values, y: Values) -> Values:
    """Kendall's tau-b of each row of two tables; NaN where a row is all ties."""
    a = np.sign(x[:, :, None] - x[:, None, :])
    b = np.sign(y[:, :, None] - y[:, None, :])
    scale = np.sqrt(np.abs(a).sum(axis=(1, 2)) * np.abs(b).sum(axis=(1, 2)))
    return _divided((a * b).sum(axis=(1, 2)), scale)


def _divided(above: Values, below: Values) -> Values:
    found = np.full(above.shape, np.nan)
    np.divide(above, below, out=found, where=below > 0.0)
    return found


@lru_cache(maxsize=8)
def _draws(things: int, seeds: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which things and which seeds each resample takes, from the engine's streams: a report has the same bytes next year."""

    def drawn(name: str, count: int) -> NDArray[np.int64]:
        uniform = np.asarray(_native.uniforms("1", f"rank {name}", RESAMPLES * count))
        return (uniform.reshape(RESAMPLES, count) * count).astype(np.int64)

    return drawn("things", things), drawn("seeds", seeds)


def _estimate(value: float, resampled: Values) -> Estimate:
    known = np.sort(resampled[np.isfinite(resampled)])
    if math.isnan(value) or known.size < RESAMPLES // 2:
        return Estimate(value, None, None)
    tail = (1.0 - LEVEL) / 2.0
    last = known.size - 1
    return Estimate(value, float(known[math.floor(tail * last)]), float(known[math.ceil((1 - tail) * last)]))

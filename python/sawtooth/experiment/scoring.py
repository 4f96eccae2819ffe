"""Scores of a comparison: distance d from the best, its sum D and its maximum C over the environments.

Source: [Akella02] section 3 and Table 1, with the readings of docs/akella2002.md:

    d_a(e) = |s_best(e) - s_a(e)|      best = maximum over A where more is better, minimum where less is
    D_a    = sum over e in E of d_a(e) (Table 1 prints a mean; the printed numbers are sums)
    C_a    = max over e in E of d_a(e) (Table 1 prints the maximum over a; the text means over e)

d, D and C are formed within each seed, because all algorithms share a seed's environment draw and start times; the score
is the mean of these per-seed scores and its interval is over seeds (intervals.py). D of the metrics averaged over seeds is
kept as well. The mean D is the larger: a distance is never negative, so noise between seeds adds to it. The difference is that noise.

| parameter    | unit | default | why                                                                               |
|--------------|------|---------|-----------------------------------------------------------------------------------|
| clip_goodput | 1    | 1.0     | cross traffic that is lost leaves more than the nominal rate; [Akella02] has [0,1]  |

A score always names its set A (the algorithms) and its set E (the environments): D and C of one algorithm change with A.
Differences do not: D_a - D_b = sum over e of (s_b(e) - s_a(e)) for any A that holds both (`difference_by_identity`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from sawtooth.experiment.intervals import Interval, interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

Values: TypeAlias = "NDArray[np.float64]"

SCORED: Final = ("goodput", "fairness", "delay", "loss")
"""The four metrics of the study, in the order of the printed tables."""

HIGHER_IS_BETTER: Final[Mapping[str, bool]] = {
    "goodput": True,
    "fairness": False,
    "delay": False,
    "loss": False,
}
"""Direction of each scored metric; tests/test_scoring.py checks it against sawtooth.measure.metrics."""

CLIP_GOODPUT: Final = 1.0


def distances(values: Values, *, higher_is_better: bool) -> Values:
    """d: distance of each algorithm from the best of the set; axis 0 of ``values`` runs over the set A."""
    best = values.max(axis=0) if higher_is_better else values.min(axis=0)
    return np.asarray(np.abs(best - values), dtype=np.float64)


def prepare(metric: str, values: Values, clip_goodput: float | None = CLIP_GOODPUT) -> Values:
    """The values that are scored: goodput clipped at ``clip_goodput`` (None: not clipped), the others as they are."""
    if metric == "goodput" and clip_goodput is not None:
        return np.minimum(values, clip_goodput)
    return values


@dataclass(frozen=True)
class Score:
    """D and C of one algorithm for one metric within a set A and over a set E.

    ``D_seeds`` and ``C_seeds`` hold one value per seed (for paired comparisons); ``D_of_means`` and ``C_of_means`` are the
    scores of the seed means; ``worst`` is the environment that gives C of the seed means.
    """

    algorithm: str
    metric: str
    D: Interval
    C: Interval
    D_seeds: Values
    C_seeds: Values
    D_of_means: float
    C_of_means: float
    worst: str


@dataclass(frozen=True)
class Scores:
    """All scores of one setting: ``of(algorithm, metric)``; the sets A and E they hold for are named."""

    algorithms: tuple[str, ...]
    environments: tuple[str, ...]
    table: Mapping[tuple[str, str], Score]

    def of(self, algorithm: str, metric: str) -> Score:
        """The score of one algorithm of A for one of the four metrics."""
        return self.table[algorithm, metric]


def score(
    metric: str,
    values: Values,
    algorithms: Sequence[str],
    environments: Sequence[str],
    *,
    higher_is_better: bool | None = None,
    clip_goodput: float | None = CLIP_GOODPUT,
) -> list[Score]:
    """Scores of one metric from its values, shape (algorithms, environments, seeds).

    The set A is ``algorithms``, the set E is ``environments``. Direction from HIGHER_IS_BETTER unless given.
    """
    shape = (len(algorithms), len(environments))
    if values.ndim != 3 or values.shape[:2] != shape or values.shape[2] == 0:
        raise ValueError(
            f"score of {metric}: values of shape {values.shape}, expected (A, E, seeds) with A, E = {shape}"
        )
    direction = HIGHER_IS_BETTER[metric] if higher_is_better is None else higher_is_better
    scored = prepare(metric, values, clip_goodput)
    d = distances(scored, higher_is_better=direction)
    d_of_means = distances(scored.mean(axis=2), higher_is_better=direction)
    sums, worst = d.sum(axis=1), d.max(axis=1)
    return [
        Score(
            algorithm=name,
            metric=metric,
            D=interval(sums[a]),
            C=interval(worst[a]),
            D_seeds=sums[a],
            C_seeds=worst[a],
            D_of_means=float(d_of_means[a].sum()),
            C_of_means=float(d_of_means[a].max()),
            worst=environments[int(d_of_means[a].argmax())],
        )
        for a, name in enumerate(algorithms)
    ]


def score_all(
    values: Mapping[str, Values],
    algorithms: Sequence[str],
    environments: Sequence[str],
    *,
    clip_goodput: float | None = CLIP_GOODPUT,
) -> Scores:
    """Scores of the four metrics; ``values[metric]`` has the shape (algorithms, environments, seeds)."""
    table: dict[tuple[str, str], Score] = {}
    for metric in SCORED:
        for item in score(metric, values[metric], algorithms, environments, clip_goodput=clip_goodput):
            table[item.algorithm, metric] = item
    return Scores(tuple(algorithms), tuple(environments), table)


def ratio_scores(values: Values, *, clip_goodput: float | None = CLIP_GOODPUT) -> Values:
    """D by the ratio form of [Akella02] footnote 3 for goodput: sum over e of s_best(e)/s_a(e) - 1, shape (A, seeds).

    The paper defines d as the bare ratio; 1 is taken off so that the best algorithm scores 0 as it does with differences,
    which moves no order. A goodput of zero gives infinity, which ranks last.
    """
    scored = prepare("goodput", values, clip_goodput)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(scored > 0.0, scored.max(axis=0) / scored, np.inf) - 1.0
    return np.asarray(ratio.sum(axis=1), dtype=np.float64)


def difference_by_identity(values: Values, a: int, b: int, *, higher_is_better: bool) -> Values:
    """D_a - D_b without any best, shape (seeds): sum over e of (s_b - s_a), with the sign turned where less is better."""
    sign = 1.0 if higher_is_better else -1.0
    return np.asarray(sign * (values[b] - values[a]).sum(axis=0), dtype=np.float64)

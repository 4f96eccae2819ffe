"""What checks on runs share: differences of scores and of raw values, and bounds on either side of nothing.

Source: the score identity of [Akella02] section 3: differences of D within a setting are absolute, those between settings are not. So a
statement that compares settings is judged on raw means; where the paper words it in D, both must hold, and the printed tables,
which have no raw values, are asked for D alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from sawtooth.claims.logic import Finding, Relation, both, inequality
from sawtooth.claims.view import UnavailableError, View
from sawtooth.experiment.scoring import Values


def paired(first: Values, second: Values) -> tuple[Values, Values]:
    """Two rows of seeds, cut to the seeds that both have; seeds of one name meet the same draws in every part."""
    seeds = min(first.shape[-1], second.shape[-1])
    return first[..., :seeds], second[..., :seeds]


def minus(first: Values, second: Values) -> Values:
    """The difference in the seeds that both have."""
    a, b = paired(first, second)
    return np.asarray(a - b, dtype=np.float64)


def within(text: str, values: Values, bound: float) -> list[Finding]:
    """``values`` lie between -bound and bound."""
    return [inequality(text, values, "<=", bound), inequality(text, values, ">=", -bound)]


def between(low: float, high: float) -> tuple[tuple[Relation, float], tuple[Relation, float]]:
    """The two inequalities of "more than low, but not more than high", for statements such as "slightly more"; mirrored below zero."""
    return ((">", low), ("<=", high)) if high > 0.0 else (("<", high), (">=", low))


def gap(
    view: View, setting: str, a: str, b: str, metric: str, relation: Relation, bound: float = 0.0
) -> Finding:
    """D_metric(a) - D_metric(b) against a bound."""
    return inequality(
        f"D_{metric}({a}) - D_{metric}({b}), {setting}",
        view.D(setting, a, metric) - view.D(setting, b, metric),
        relation,
        bound,
    )


def worst_gap(
    view: View, setting: str, a: str, b: str, metric: str, relation: Relation, bound: float = 0.0
) -> Finding:
    """C_metric(a) - C_metric(b) against a bound."""
    return inequality(
        f"C_{metric}({a}) - C_{metric}({b}), {setting}",
        view.C(setting, a, metric) - view.C(setting, b, metric),
        relation,
        bound,
    )


def mean_gap(
    view: View, metric: str, a: tuple[str, str], b: tuple[str, str], relation: Relation, bound: float = 0.0
) -> Finding:
    """Mean over E of a metric in one (setting, algorithm) less that in another, against a bound."""
    one, other = view.mean(*a, metric), view.mean(*b, metric)
    return inequality(
        f"mean {metric}, {a[1]} in {a[0]} - {b[1]} in {b[0]}",
        minus(one, other),
        relation,
        bound,
        first=float(one.mean()),
        second=float(other.mean()),
    )


def below(view: View, low: str, high: str, algorithms: Sequence[str], metric: str) -> list[Finding]:
    """The mean of a metric is lower in setting ``low`` than in ``high``, for each algorithm."""
    return [mean_gap(view, metric, (low, name), (high, name), "<") for name in algorithms]


def share_of(
    view: View, metric: str, a: tuple[str, str], b: tuple[str, str], share: float, *, scores: bool
) -> Finding:
    """D (``scores``) or the mean of a metric in one (setting, algorithm) is below ``share`` of that in another."""
    of = view.D if scores else view.mean
    one, other = of(*a, metric), of(*b, metric)
    return inequality(
        f"{'D' if scores else 'mean'} of {metric}, {a[1]} in {a[0]} - {share:g} x {b[1]} in {b[0]}",
        minus(one, share * other),
        "<",
        first=float(one.mean()),
        second=float(other.mean()),
    )


def in_scores_and_raw(
    text: str, view: View, in_scores: Sequence[Finding], in_raw: Callable[[], Sequence[Finding]]
) -> Finding:
    """A statement about several settings that is worded in D: it must hold in D and in raw values.

    D is a distance to the best of its own setting, so D alone decides nothing between settings: UnavailableError for a view without raw
    values, as that of printed tables.
    """
    if not view.has_raw:
        raise UnavailableError("a comparison of D between settings, without raw values,")
    operands = [
        both("in distances to the best of each setting, as worded", in_scores),
        both("in raw values", in_raw()),
    ]
    return both(text, operands)

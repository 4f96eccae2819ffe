"""Orders of several things: which of them the seeds still allow, and whether they agree with another one.

Source: rank agreement is Spearman's rho [Spearman04]; pairs are decided together by [Holm79].

An order of k things ("ranked as published") is judged by asking which of the k! orders the paired intervals still allow: a pair
whose difference is decided fixes the order of the two, an undecided pair leaves both. The pairs are decided together: with the chance that
any of them is decided wrongly at most 5 %, whatever their number (Holm over both directions of all pairs). The claim holds if even the
worst allowed order reaches the wanted rho, fails if even the best does not. Two orders that the same runs give ("ranked alike by C and D")
are compared within each seed, like a score, and rho is judged as any number per seed: noise that moves both orders moves no rho.

Deviations: none.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from sawtooth.claims.logic import Finding, Verdict, bounded_inequality, inequality
from sawtooth.claims.multiplicity import TAIL, Sure, holm

if TYPE_CHECKING:
    from numpy.typing import NDArray

ORDERS_MAX: Final = 6
"""Most things whose orders are enumerated (6! = 720)."""


def ranks(values: Sequence[float]) -> NDArray[np.float64]:
    """Ranks from 1, ties share the mean of their places."""
    array = np.asarray(values, dtype=np.float64)
    below = (array[None, :] < array[:, None]).sum(axis=1)
    equal = (array[None, :] == array[:, None]).sum(axis=1)
    return np.asarray(below + (equal + 1) / 2.0, dtype=np.float64)


def spearman(a: Sequence[float], b: Sequence[float]) -> float:
    """Spearman's rho: Pearson's correlation of the ranks; NaN where one side is all ties."""
    return correlations([ranks(a)], [ranks(b)])[0]


def correlations(a: Sequence[NDArray[np.float64]], b: Sequence[NDArray[np.float64]]) -> list[float]:
    """Pearson's correlation of every one of ``a`` with every one of ``b``; NaN where one side is all ties."""
    x, y = np.array(a), np.array(b)
    x, y = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
    scale = np.sqrt((x * x).sum(axis=1)[:, None] * (y * y).sum(axis=1))
    products = (x[:, None, :] * y).sum(axis=2)
    found: list[float] = (
        np.divide(products, scale, out=np.full(scale.shape, np.nan), where=scale > 0.0).ravel().tolist()
    )
    return found


@dataclass(frozen=True)
class _Pair:
    """Two groups of equal things and one direction of their difference: its p value."""

    below: int
    above: int
    tail: float
    seeds: int | None
    exact: bool


class _Things:
    """What is ordered: groups of things that are known to be equal in every seed, and the differences between these."""

    def __init__(self, per_seed: NDArray[np.float64]) -> None:
        self.count = per_seed.shape[0]
        if self.count > ORDERS_MAX:
            raise ValueError(f"possible_orders: {self.count} things, at most {ORDERS_MAX} are enumerated")
        self.means = per_seed.mean(axis=1)
        self.groups: list[list[int]] = []
        for i in range(self.count):
            home = next((g for g in self.groups if _always_equal(per_seed[g[0]], per_seed[i])), None)
            if home is None:
                self.groups.append([i])
            else:
                home.append(i)
        self.pairs: list[_Pair] = []
        for i, j in itertools.combinations(range(len(self.groups)), 2):
            found = inequality("", per_seed[self.groups[i][0]] - per_seed[self.groups[j][0]], "<")
            sure, exact = found.tails, found.sure is None
            self.pairs += [
                _Pair(i, j, sure.holds, found.seeds, exact),
                _Pair(j, i, sure.fails, found.seeds, exact),
            ]

    def allowed(self, decided: Sequence[_Pair]) -> list[NDArray[np.float64]]:
        """Rank vectors of the orders that agree with the decided pairs; that of the means where none does."""
        found = []
        for order in itertools.permutations(range(len(self.groups))):
            place = {group: p for p, group in enumerate(order)}
            if all(place[pair.below] < place[pair.above] for pair in decided):
                value = [0.0] * self.count
                for group, members in enumerate(self.groups):
                    for member in members:
                        value[member] = float(place[group])
                found.append(ranks(value))
        return found or [ranks(self.means.tolist())]


def _always_equal(one: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    """Whether two things are equal in every seed, and these are enough to say so."""
    if not bool((one == other).all()):
        return False
    return one.size == 1 or inequality("", one - other, "<=").verdict is not Verdict.UNDECIDED


def _shown(pairs: Sequence[_Pair]) -> list[float]:
    """P values of the pairs, adjusted for the number of those that have any luck in them."""
    adjusted = iter(holm([pair.tail for pair in pairs if not pair.exact]))
    return [pair.tail if pair.exact else next(adjusted) for pair in pairs]


def possible_orders(per_seed: NDArray[np.float64]) -> tuple[list[NDArray[np.float64]], int | None]:
    """Rank vectors that the seeds of ``per_seed``, shape (things, seeds), still allow.

    A pair counts as decided when its difference leaves 0 out at 95 %, corrected for the number of pairs; things that are equal in every
    seed are tied in every order. Also gives the number of seeds expected to decide every undecided pair. Pairs need not be transitive, so
    it may be that no order agrees with all of them; then the order of the means is given alone.
    """
    things = _Things(per_seed)
    shown = _shown(things.pairs)
    decided = [pair for pair, tail in zip(things.pairs, shown, strict=True) if tail <= 2.0 * TAIL]
    return things.allowed(decided), _seeds(things.pairs, decided)


def _seeds(pairs: Sequence[_Pair], decided: Sequence[_Pair]) -> int | None:
    """Seeds expected to decide every pair that is open."""
    known = {frozenset((pair.below, pair.above)) for pair in decided}
    wanted = [pair.seeds for pair in pairs if frozenset((pair.below, pair.above)) not in known]
    finite = [n for n in wanted if n is not None]
    return max(finite) if finite and len(finite) == len(wanted) else None


def order_agrees(
    text: str,
    names: Sequence[str],
    ours: NDArray[np.float64],
    theirs: NDArray[np.float64] | Sequence[float],
    rho_min: float,
) -> Finding:
    """Judge Spearman's rho >= ``rho_min`` between our order of ``names`` and another one.

    ``ours`` has the shape (things, seeds); ``theirs`` is one printed number per thing, or a quantity of other runs of the same shape.
    """
    first, other = _Things(np.asarray(ours, dtype=np.float64)), np.asarray(theirs, dtype=np.float64)
    second = _Things(other) if other.ndim == 2 else None
    pairs = [*first.pairs, *(second.pairs if second else [])]
    shown = _shown(pairs)
    split = len(first.pairs)

    def rhos(level: float) -> list[float]:
        """Rho of every two orders that are allowed where pairs up to this adjusted p value count as decided."""
        decided = [tail <= level for tail in shown]
        mine = first.allowed(list(itertools.compress(first.pairs, decided[:split])))
        fixed = [ranks(other.tolist())]
        beside = second.allowed(list(itertools.compress(second.pairs, decided[split:]))) if second else fixed
        return correlations(mine, beside)

    found = rhos(2.0 * TAIL)
    verdict = _verdict(found, rho_min)
    level = next((each for each in sorted({0.0, *shown}) if _verdict(rhos(each), rho_min) is verdict), 1.0)
    decided = [pair for pair, tail in zip(pairs, shown, strict=True) if tail <= 2.0 * TAIL]
    seeds = _seeds(pairs, decided) if verdict is Verdict.UNDECIDED else None
    beside = (second.means if second else other).tolist()
    means = first.means.tolist()
    return Finding(
        text,
        verdict,
        seeds=seeds,
        sure=None if level == 0.0 else _sure(verdict, level / 2.0),
        alone=np.shape(ours)[1] == 1,
        numbers={
            "rho": spearman(means, beside),
            "rho_low": min(found),
            "rho_high": max(found),
            "rho_wanted": rho_min,
            "ours": dict(zip(names, means, strict=True)),
            "beside": dict(zip(names, beside, strict=True)),
        },
    )


def _verdict(rhos: Sequence[float], rho_min: float) -> Verdict:
    slack = 1e-9
    if any(math.isnan(rho) for rho in rhos) or max(rhos) < rho_min - slack:
        return Verdict.FAILS
    return Verdict.HOLDS if min(rhos) >= rho_min - slack else Verdict.UNDECIDED


def _sure(verdict: Verdict, tail: float) -> Sure:
    if verdict is Verdict.UNDECIDED:
        return Sure(1.0, 1.0)
    return Sure(tail, 1.0) if verdict is Verdict.HOLDS else Sure(1.0, tail)


def orders_alike(
    text: str, first: NDArray[np.float64], second: NDArray[np.float64], rho_min: float
) -> Finding:
    """Judge Spearman's rho >= ``rho_min`` between two quantities of the same runs, both of shape (things, seeds).

    Rho is formed within each seed; where both quantities are all ties there it is 1, where one is it is 0.
    """
    rhos = [_rho(a, b) for a, b in zip(first.T, second.T, strict=True)]
    return bounded_inequality(text, rhos, ">=", rho_min, (-1.0, 1.0))


def _rho(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    tied = [bool((x == x[0]).all()) for x in (a, b)]
    return float(all(tied)) if any(tied) else spearman(a.tolist(), b.tolist())

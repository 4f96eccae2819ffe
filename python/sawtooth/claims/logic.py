"""Three-valued verdicts: how a claim becomes inequalities and inequalities become holds, fails or undecided.

Source: DESIGN of the product, "Scores and intervals" and "How reproduction is judged"; the connectives are Kleene's strong
three-valued logic [Kleene52] section 64; rank agreement is Spearman's rho [Spearman04].

An inequality is judged on per-seed paired values x (one number per seed, usually a difference of two scores):

    x > b   holds if the whole 95 % interval of the mean lies above b, fails if it lies below, else undecided

A claim that joins inequalities holds if all hold, fails if one fails, else it is undecided ("and"); alternatives hold if one
holds and fail if all fail ("or"). Intervals are per inequality: no correction for several inequalities is made, because a
verdict reports each of them with its own interval.

An order of k things ("ranked as published") is judged by asking which of the k! orders the paired intervals still allow: a pair
whose difference is decided fixes the order of the two, an undecided pair leaves both. The claim holds if even the worst
allowed order reaches the wanted rho, fails if even the best does not. Two orders that the same runs give ("ranked alike by C and D")
are compared within each seed, like a score, and rho is judged as any number per seed: noise that moves both orders moves no rho.

Deviations: none of these is a significance test of the claim as a whole.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sawtooth.experiment.intervals import Interval, interval, seeds_to_decide

Relation = Literal[">", ">=", "<", "<="]


class Verdict(StrEnum):
    """What the numbers say about a statement."""

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"


def all_of(verdicts: Sequence[Verdict]) -> Verdict:
    """Kleene's "and": fails if one fails, else undecided if one is, else holds (also for no verdicts at all)."""
    if Verdict.FAILS in verdicts:
        return Verdict.FAILS
    return Verdict.UNDECIDED if Verdict.UNDECIDED in verdicts else Verdict.HOLDS


def any_of(verdicts: Sequence[Verdict]) -> Verdict:
    """Kleene's "or": holds if one holds, else undecided if one is, else fails (also for no verdicts at all)."""
    if Verdict.HOLDS in verdicts:
        return Verdict.HOLDS
    return Verdict.UNDECIDED if Verdict.UNDECIDED in verdicts else Verdict.FAILS


def negated(verdict: Verdict) -> Verdict:
    """Kleene's "not"."""
    return {Verdict.HOLDS: Verdict.FAILS, Verdict.FAILS: Verdict.HOLDS}.get(verdict, verdict)


@dataclass(frozen=True)
class Finding:
    """A statement with its verdict and everything it rests on; a tree when it has parts.

    ``seeds`` is the number of seeds expected to decide what is undecided (None: decided, or no number would);
    ``numbers`` are further values shown beside it; ``instead`` is what holds in place of a statement that fails, judged as well.
    """

    text: str
    verdict: Verdict
    interval: Interval | None = None
    relation: Relation | None = None
    bound: float | None = None
    seeds: int | None = None
    joined: Literal["and", "or", "not"] | None = None
    parts: tuple[Finding, ...] = ()
    numbers: Mapping[str, object] = field(default_factory=dict)
    instead: Finding | None = None

    def leaves(self) -> Iterator[Finding]:
        """The inequalities, orders and facts at the ends of the tree, in order."""
        if not self.parts:
            yield self
        for part in self.parts:
            yield from part.leaves()

    def to_json(self) -> dict[str, object]:
        """Plain data for ``--json`` and the report; keys that say nothing are left out."""
        document: dict[str, object] = {"text": self.text, "verdict": self.verdict.value}
        if self.interval is not None:
            document |= {"mean": self.interval.mean, "low": self.interval.low, "high": self.interval.high}
            document |= {"n": self.interval.n, "method": self.interval.method}
        if self.relation is not None:
            document |= {"relation": self.relation, "bound": self.bound}
        if self.verdict is Verdict.UNDECIDED:
            document["seeds_to_decide"] = self.seeds
        if self.numbers:
            document["numbers"] = dict(self.numbers)
        if self.parts:
            document |= {"joined": self.joined, "parts": [part.to_json() for part in self.parts]}
        if self.instead is not None:
            document["instead"] = self.instead.to_json()
        return document


def inequality(
    text: str, values: ArrayLike, relation: Relation, bound: float = 0.0, **numbers: object
) -> Finding:
    """Judge ``mean(values) relation bound`` on one value per seed."""
    found = interval(values)
    verdict = _judge(found, relation, bound)
    seeds = seeds_to_decide(values, bound) if verdict is Verdict.UNDECIDED else None
    return Finding(text, verdict, found, relation, bound, seeds, numbers=numbers)


def _judge(found: Interval, relation: Relation, bound: float) -> Verdict:
    if found.low is None or found.high is None:
        return Verdict.UNDECIDED
    if relation in ("<", "<="):  # the same as the mirrored inequality on mirrored numbers
        low, high, bound = -found.high, -found.low, -bound
    else:
        low, high = found.low, found.high
    if relation in (">", "<"):
        holds, fails = low > bound, high <= bound if low == high else high < bound
    else:
        holds, fails = low >= bound, high < bound
    return Verdict.HOLDS if holds else Verdict.FAILS if fails else Verdict.UNDECIDED


def fact(text: str, true: bool, **numbers: object) -> Finding:
    """A statement that needs no statistics: a definition, a count, a closed form. Never undecided."""
    return Finding(text, Verdict.HOLDS if true else Verdict.FAILS, numbers=numbers)


def both(text: str, parts: Sequence[Finding], **numbers: object) -> Finding:
    """All parts must hold."""
    return _joined(text, parts, "and", all_of, numbers)


def either(text: str, parts: Sequence[Finding], **numbers: object) -> Finding:
    """At least one part must hold."""
    return _joined(text, parts, "or", any_of, numbers)


def opposite(text: str, part: Finding) -> Finding:
    """The part must not hold."""
    return Finding(text, negated(part.verdict), seeds=part.seeds, joined="not", parts=(part,))


def corrected(found: Finding, instead: Finding) -> Finding:
    """A finding with the statement that holds in its place; it changes no verdict."""
    return replace(found, instead=instead)


def at_least(text: str, count: int, parts: Sequence[Finding], **numbers: object) -> Finding:
    """At least ``count`` of the parts must hold."""
    sure = sum(part.verdict is Verdict.HOLDS for part in parts)
    possible = sum(part.verdict is not Verdict.FAILS for part in parts)
    verdict = Verdict.HOLDS if sure >= count else Verdict.FAILS if possible < count else Verdict.UNDECIDED
    seeds = _seeds(parts) if verdict is Verdict.UNDECIDED else None
    return Finding(
        text, verdict, seeds=seeds, joined="and", parts=tuple(parts), numbers={"wanted": count, **numbers}
    )


def _joined(
    text: str,
    parts: Sequence[Finding],
    how: Literal["and", "or"],
    rule: Callable[[Sequence[Verdict]], Verdict],
    numbers: Mapping[str, object],
) -> Finding:
    verdict = rule([part.verdict for part in parts])
    seeds = _seeds(parts) if verdict is Verdict.UNDECIDED else None
    return Finding(text, verdict, seeds=seeds, joined=how, parts=tuple(parts), numbers=numbers)


def _seeds(parts: Sequence[Finding]) -> int | None:
    """Seeds that would decide every undecided part: the largest of theirs, None if one of them has none."""
    wanted = [part.seeds for part in parts if part.verdict is Verdict.UNDECIDED]
    known = [n for n in wanted if n is not None]
    return max(known) if known and len(known) == len(wanted) else None


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
    x, y = ranks(a), ranks(b)
    x, y = x - x.mean(), y - y.mean()
    scale = math.sqrt(float((x * x).sum() * (y * y).sum()))
    return float((x * y).sum()) / scale if scale > 0.0 else math.nan


def possible_orders(per_seed: NDArray[np.float64]) -> tuple[list[NDArray[np.float64]], int | None]:
    """Rank vectors that the paired intervals of ``per_seed``, shape (things, seeds), still allow.

    A pair counts as decided when the interval of its difference leaves 0 out; things that are equal in every seed are tied in
    every order. Also gives the number of seeds expected to decide every undecided pair. Intervals of pairs need not
    be transitive, so it may be that no order agrees with all of them; then the order of the means is given alone.
    """
    things = per_seed.shape[0]
    if things > ORDERS_MAX:
        raise ValueError(f"possible_orders: {things} things, at most {ORDERS_MAX} are enumerated")
    groups: list[list[int]] = []
    for i in range(things):
        home = next((g for g in groups if bool((per_seed[g[0]] == per_seed[i]).all())), None)
        if home is None:
            groups.append([i])
        else:
            home.append(i)
    below: set[tuple[int, int]] = set()
    wanted: list[int | None] = []
    for i, j in itertools.combinations(range(len(groups)), 2):
        difference = per_seed[groups[i][0]] - per_seed[groups[j][0]]
        decided = inequality("", difference, "<")
        if decided.verdict is Verdict.HOLDS:
            below.add((i, j))
        elif decided.verdict is Verdict.FAILS:
            below.add((j, i))
        else:
            wanted.append(decided.seeds)
    allowed = []
    for order in itertools.permutations(range(len(groups))):
        place = {group: p for p, group in enumerate(order)}
        if all(place[i] < place[j] for i, j in below):
            value = [0.0] * things
            for group, members in enumerate(groups):
                for member in members:
                    value[member] = float(place[group])
            allowed.append(ranks(value))
    known = [n for n in wanted if n is not None]
    seeds = max(known) if known and len(known) == len(wanted) else None
    return allowed or [ranks(per_seed.mean(axis=1).tolist())], seeds


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
    first, seeds = possible_orders(np.asarray(ours, dtype=np.float64))
    other = np.asarray(theirs, dtype=np.float64)
    if other.ndim == 2:
        second, more = possible_orders(other)
        seeds = max(seeds, more) if seeds is not None and more is not None else seeds or more
        beside = other.mean(axis=1).tolist()
    else:
        second, beside = [ranks(other.tolist())], other.tolist()
    rhos = [spearman(a.tolist(), b.tolist()) for a in first for b in second]
    worst, best = min(rhos), max(rhos)
    slack = 1e-9
    verdict = Verdict.UNDECIDED
    if any(math.isnan(rho) for rho in rhos) or best < rho_min - slack:
        verdict = Verdict.FAILS
    elif worst >= rho_min - slack:
        verdict = Verdict.HOLDS
    means = np.asarray(ours, dtype=np.float64).mean(axis=1).tolist()
    return Finding(
        text,
        verdict,
        seeds=seeds if verdict is Verdict.UNDECIDED else None,
        numbers={
            "rho": spearman(means, beside),
            "rho_low": worst,
            "rho_high": best,
            "rho_wanted": rho_min,
            "ours": dict(zip(names, means, strict=True)),
            "beside": dict(zip(names, beside, strict=True)),
        },
    )


def orders_alike(
    text: str, first: NDArray[np.float64], second: NDArray[np.float64], rho_min: float
) -> Finding:
    """Judge Spearman's rho >= ``rho_min`` between two quantities of the same runs, both of shape (things, seeds).

    Rho is formed within each seed; where both quantities are all ties there it is 1, where one is it is 0.
    """
    return inequality(text, [_rho(a, b) for a, b in zip(first.T, second.T, strict=True)], ">=", rho_min)


def _rho(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    tied = [bool((x == x[0]).all()) for x in (a, b)]
    return float(all(tied)) if any(tied) else spearman(a.tolist(), b.tolist())

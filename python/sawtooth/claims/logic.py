"""Three-valued verdicts: how a claim becomes inequalities and inequalities become holds, fails or undecided.

Source: DESIGN of the product, "Scores and intervals" and "How reproduction is judged"; the connectives are Kleene's strong
three-valued logic [Kleene52] section 64; rank agreement is Spearman's rho [Spearman04].

An inequality is judged on per-seed paired values x (one number per seed, usually a difference of two scores):

    x > b   holds if the whole 95 % interval of the mean lies above b, fails if it lies below, else undecided

A claim that joins inequalities holds if all hold, each at 95 % ("and"): an intersection-union test, which needs no correction. It fails if
one operand fails after Holm's correction for the number of operands, since among many true ones one fails by luck; alternatives ("or") the
other way round (``multiplicity``). An operand alone is shown with its own 95 % interval, so it may *fail* where the claim is *undecided*.

Equality ("about the same") is two inequalities, one on either side of nothing, both of which must hold: two one-sided tests
[Schuirmann87]. Orders of several things are in ``orders``.

Where seeds are added until claims are decided, intervals are confidence sequences (``anytime``), and nothing else changes.

Deviations: claims are not corrected for one another: of a hundred true ones two or three may be said to fail.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

from sawtooth.claims.multiplicity import TAIL, Sure, at_least_of, holm
from sawtooth.experiment.anytime import (
    Range,
    is_at_any_time,
    seeds_for_sequence,
    seeds_for_sequence_of,
    sequence,
    sequence_tails,
)
from sawtooth.experiment.intervals import (
    EXACT,
    Interval,
    Tails,
    effect_of,
    interval,
    seeds_for,
    seeds_to_decide,
    tails,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from sawtooth.claims.words import Word

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


def negated(verdict: Verdict) -> Verdict:
    """Kleene's "not"."""
    return {Verdict.HOLDS: Verdict.FAILS, Verdict.FAILS: Verdict.HOLDS}.get(verdict, verdict)


@dataclass(frozen=True)
class Finding:
    """A statement with its verdict and everything it rests on; a tree when it has operands.

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
    operands: tuple[Finding, ...] = ()
    numbers: Mapping[str, object] = field(default_factory=dict)
    instead: Finding | None = None
    sure: Sure | None = None
    """The tails of a statement with statistics behind it; None for a fact."""
    effect: float | None = None
    """Of an inequality, how many standard deviations the mean lies from the bound."""
    alone: bool = False
    """Whether it rests on a single seed, which has no interval."""
    judged: str | None = None
    """Of a fact, the inequality or equality that decides it, as ``sawtooth claims`` shows it: ``largest relative difference <= 0.15``."""
    words: tuple[Word, ...] = ()
    """Words in it with numbers that no study states."""

    @property
    def tails(self) -> Sure:
        """The tails of its verdict: those of a fact say that it is certain, or that nothing is known."""
        if self.sure is not None:
            return self.sure
        return Sure(float(self.verdict is not Verdict.HOLDS), float(self.verdict is not Verdict.FAILS), 0)

    def leaves(self) -> Iterator[Finding]:
        """The inequalities, orders and facts at the ends of the tree, in order."""
        if not self.operands:
            yield self
        for operand in self.operands:
            yield from operand.leaves()

    def to_json(self) -> dict[str, object]:
        """Plain data for ``--json`` and the report; keys that say nothing are left out."""
        document: dict[str, object] = {"text": self.text, "verdict": self.verdict.value}
        if self.interval is not None:
            document |= {"mean": self.interval.mean, "low": self.interval.low, "high": self.interval.high}
            document |= {"n": self.interval.n, "method": self.interval.method}
        if self.relation is not None:
            document |= {"relation": self.relation, "bound": self.bound}
        if self.judged is not None:
            document["judged"] = self.judged
        if self.verdict is Verdict.UNDECIDED:
            document["seeds_to_decide"] = self.seeds
        if self.sure is not None:
            document |= {"p_holds": self.sure.holds, "p_fails": self.sure.fails, "tests": self.sure.tests}
        if self.numbers:
            document["numbers"] = dict(self.numbers)
        if self.operands:
            document |= {"joined": self.joined, "parts": [operand.to_json() for operand in self.operands]}
        if self.instead is not None:
            document["instead"] = self.instead.to_json()
        return document


def inequality(
    text: str, values: ArrayLike, relation: Relation, bound: float = 0.0, **numbers: object
) -> Finding:
    """Judge ``mean(values) relation bound`` on one value per seed."""
    return replace(bounded_inequality(text, values, relation, bound, None), numbers=numbers)


def bounded_inequality(
    text: str, values: ArrayLike, relation: Relation, bound: float, between: Range | None
) -> Finding:
    """The same of values that cannot leave the range ``between``, where there is one."""
    if is_at_any_time():
        found, sides = sequence(values, between=between), sequence_tails(values, bound, between)
    else:
        found, sides = interval(values), tails(values, bound)
    verdict = _judge(found, relation, bound)
    seeds = None
    if verdict is Verdict.UNDECIDED:
        seeds = (
            seeds_for_sequence_of(values, bound, between)
            if is_at_any_time()
            else seeds_to_decide(values, bound)
        )
    sure = _sure(found, relation, sides, verdict)
    effect = effect_of(values, bound)
    alone = found.n == 1
    return Finding(text, verdict, found, relation, bound, seeds, sure=sure, effect=effect, alone=alone)


def _sure(found: Interval, relation: Relation, sides: Tails, verdict: Verdict) -> Sure | None:
    """The tails of an inequality, on the side of TAIL on which its interval puts it; None where there is no spread."""
    if found.low is None or found.method == EXACT:
        return None
    above, below = (
        max(tail, TAIL * (1 + 1e-9)) if verdict is not wanted else min(tail, TAIL)
        for tail, wanted in zip(
            (sides.above, sides.below) if relation in (">", ">=") else (sides.below, sides.above),
            (Verdict.HOLDS, Verdict.FAILS),
            strict=True,
        )
    )
    return Sure(above, below)


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


def fact(text: str, true: bool, *, judged: str | None = None, **numbers: object) -> Finding:
    """A statement that needs no statistics: a definition, a count, a closed form. Never undecided.

    ``judged`` is what decides ``true``, written as a relation; ``agreement`` has facts that write it themselves.
    """
    return Finding(text, Verdict.HOLDS if true else Verdict.FAILS, numbers=numbers, judged=judged)


def with_words(found: Finding, *words: Word) -> Finding:
    """A finding with the words that its numbers stand for; it changes no verdict."""
    return replace(found, words=words)


def both(text: str, operands: Sequence[Finding], **numbers: object) -> Finding:
    """All operands must hold."""
    return _joined(text, operands, "and", len(_terms(operands, "and")), numbers)


def either(text: str, operands: Sequence[Finding], **numbers: object) -> Finding:
    """At least one operand must hold."""
    return _joined(text, operands, "or", 1, numbers)


def opposite(text: str, operand: Finding) -> Finding:
    """The operand must not hold."""
    sure = None if operand.sure is None else operand.sure.opposite
    return Finding(
        text, negated(operand.verdict), seeds=operand.seeds, joined="not", operands=(operand,), sure=sure
    )


def corrected(found: Finding, instead: Finding) -> Finding:
    """A finding with the statement that holds in its place; it changes no verdict."""
    return replace(found, instead=instead)


def at_least(text: str, count: int, operands: Sequence[Finding], **numbers: object) -> Finding:
    """At least ``count`` of the operands must hold."""
    return _joined(text, operands, "and", count, {"wanted": count, **numbers})


def _joined(
    text: str,
    operands: Sequence[Finding],
    how: Literal["and", "or"],
    count: int,
    numbers: Mapping[str, object],
) -> Finding:
    """The finding of "at least ``count`` of the operands": all of them, one of them, or a number between."""
    terms = operands if "wanted" in numbers else _terms(operands, how)
    sure = at_least_of([term.tails for term in terms], count)
    verdict = (
        Verdict.HOLDS if sure.holds <= TAIL else Verdict.FAILS if sure.fails <= TAIL else Verdict.UNDECIDED
    )
    seeds = _seeds(terms, how) if verdict is Verdict.UNDECIDED else None
    certain = sure.tests == 0 and verdict is not Verdict.UNDECIDED
    kept = None if certain or not any(term.sure is not None for term in terms) else sure
    return Finding(
        text, verdict, seeds=seeds, joined=how, operands=tuple(operands), numbers=numbers, sure=kept
    )


def _terms(operands: Sequence[Finding], how: Literal["and", "or"]) -> list[Finding]:
    """The operands, and in place of one that is joined alike its own: all of all of them are all."""
    found = []
    for operand in operands:
        alike = operand.joined == how and "wanted" not in operand.numbers
        found += _terms(operand.operands, how) if alike else [operand]
    return found


def _seeds(operands: Sequence[Finding], how: Literal["and", "or"]) -> int | None:
    """Seeds that would decide every undecided operand: the largest of theirs, None if one of them has none.

    Where every operand is decided, only the correction for their number keeps the whole open: the seeds, at the corrected level, of the
    operand that decides it most clearly.
    """
    wanted = [operand.seeds for operand in operands if operand.verdict is Verdict.UNDECIDED]
    if not wanted:
        deciding = Verdict.FAILS if how == "and" else Verdict.HOLDS
        effects = [
            operand.effect
            for operand in operands
            if operand.effect is not None and operand.verdict is deciding
        ]
        of_effect = seeds_for_sequence if is_at_any_time() else seeds_for
        return of_effect(max(effects), 1.0 - 2.0 * TAIL / len(operands)) if effects else None
    known = [n for n in wanted if n is not None]
    return max(known) if len(known) == len(wanted) else None


def adjusted(found: Finding) -> list[tuple[Finding, float]]:
    """The operands of a conjunction beside the p values of their failing, adjusted by Holm for their number; certain ones are left out."""
    operands = [operand for operand in _terms([found], "and") if operand.sure is not None]
    return list(zip(operands, holm([operand.tails.fails for operand in operands]), strict=True))

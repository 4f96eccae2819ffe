"""How sure a statement is that joins others, its operands: their p values, joined so that many cannot decide by luck what few could not.

Source: [Holm79]; conjunctions that must all be shown are intersection-union tests [Berger82]; "at least k of n" is the partial
conjunction of [BenjaminiHeller08], formula (6) in the form of Bonferroni, of which "all" and "one of" are the ends.

Every operand has two tails: a p value against "it does not hold" and one against "it does not fail". A statement is decided where a tail is
at most TAIL.

| statement  | holds                                | fails                                |
|------------|--------------------------------------|--------------------------------------|
| all of n   | the largest tail                     | n times the smallest tail            |
| one of n   | n times the smallest tail            | the largest tail                     |
| at least k | (n - k + 1) times the k-th smallest  | k times the (n - k + 1)-th smallest  |

Where every operand must be shown nothing is corrected: none can be shown by the luck of another. Where one is enough, among n operands
one comes by luck up to n times as often, and the factor is the first step of Holm's.

Operands without statistics (a definition, a count, values that no seed moves) are right or wrong, not lucky: they are not counted among n.
These rules need no independence: operands share their seeds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

RULE: Final = 6
"""The rule by which verdicts are taken, which stands beside each on a page. The first decided each operand of a claim, and each pair of an
order, at 95 % by itself; the second corrects for their number, and checks ask for the qualifiers of their sentences; the third to the
sixth differ in some checks alone, those with ``since`` 3 to 6. docs/deciding.md."""
CORRECTED: Final = 2
"""The first rule that corrects for the number of operands: by an earlier one every verdict was taken otherwise than today."""
TAIL: Final = 0.025
"""A verdict is taken where its p value is at most this: one side of a 95 % interval."""


@dataclass(frozen=True)
class Sure:
    """The two tails of a statement; ``tests`` is the number of operands with statistics behind them, 0 for one that needs none."""

    holds: float
    fails: float
    tests: int = 1

    @property
    def opposite(self) -> Sure:
        """Of its negation."""
        return Sure(self.fails, self.holds, self.tests)


def at_least_of(operands: Sequence[Sure], count: int) -> Sure:
    """Of "at least ``count`` of the operands hold"."""
    exact = [operand for operand in operands if operand.tests == 0]
    tested = [operand for operand in operands if operand.tests > 0]
    wanted = count - sum(operand.holds == 0.0 for operand in exact)
    open_ = sum(operand.holds > 0.0 and operand.fails > 0.0 for operand in exact)  # of one seed, or of none
    tests = sum(operand.tests for operand in tested)
    if wanted <= 0:
        return Sure(0.0, 1.0, 0)
    if wanted > len(tested) + open_:
        return Sure(1.0, 0.0, 0)
    return Sure(
        _partial([operand.holds for operand in tested], wanted),
        _partial([operand.fails for operand in tested], len(tested) + open_ - wanted + 1),
        tests,
    )


def _partial(tails: Sequence[float], count: int) -> float:
    """The p value of "at least ``count`` of these are shown"; 1 where there are fewer."""
    if count > len(tails):
        return 1.0
    return min(1.0, (len(tails) - count + 1) * sorted(tails)[count - 1])


def holm(tails: Sequence[float]) -> list[float]:
    """Adjusted p values: with those at most a taken for shown, the chance that any of them is wrongly so is at most a."""
    order = sorted(range(len(tails)), key=lambda place: tails[place])
    adjusted, largest = [1.0] * len(tails), 0.0
    for step, place in enumerate(order):
        largest = max(largest, min(1.0, (len(tails) - step) * tails[place]))
        adjusted[place] = largest
    return adjusted

"""What a search looks for: who wins, who loses, which claims hold; and how far a pattern is from it.

A goal is judged by the same three-valued logic as any claim (``claims.logic``): "AIMD wins" is the conjunction of its goodput being
above that of every other, and a claim is its own check, put to the runs under one pattern. For the search each finding is taken apart
into its ends, and every end gives a margin: by how much the inequality holds, negative where it does not. Margins of different kinds
(fractions of goodput, counts of timeouts) become comparable when divided by their spread over the searched space.

Source: none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sawtooth.claims.claim import Claim
from sawtooth.claims.logic import Finding, Verdict, both, inequality
from sawtooth.claims.view import RunView, View
from sawtooth.experiment.matrix import Results
from sawtooth.experiment.scoring import Values
from sawtooth.experiment.study import Tolerance

if TYPE_CHECKING:
    from numpy.typing import NDArray

Margins: TypeAlias = "NDArray[np.float64]"


class PatternView(RunView):
    """What a check sees of the runs under one pattern: whatever name it gives the pattern it asks for, it is this one.

    Those ``beside`` it, with which a claim compares it, answer to their own names.
    """

    def __init__(
        self,
        results: Results,
        name: str,
        tolerances: Mapping[str, Tolerance],
        beside: Results | None = None,
    ) -> None:
        super().__init__(results, tuple(results.blocks), tolerances)
        self._name = name
        self._beside = None if beside is None else RunView(beside, tuple(beside.blocks), tolerances)

    def pattern(self, name: str, algorithm: str, metric: str) -> Values:
        """Values of a metric under this pattern, or under one beside it: one per seed."""
        if self._beside is not None and name in self._beside.environments:
            return self._beside.pattern(name, algorithm, metric)
        return super().pattern(self._name, algorithm, metric)

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Everyone who is compared."""
        return self._results.blocks[self.setting].algorithms


@dataclass(frozen=True)
class Goal:
    """Who is to win or lose in goodput, and claims that are to hold, all at once."""

    winner: str | None = None
    loser: str | None = None
    claims: tuple[Claim, ...] = ()

    @property
    def text(self) -> str:
        """In words."""
        parts = [f"{self.winner} first in goodput"] if self.winner else []
        parts += [f"{self.loser} last in goodput"] if self.loser else []
        if self.claims:
            parts.append(f"{len(self.claims)} claim{'s' * (len(self.claims) > 1)}")
        return ", ".join(parts)

    @property
    def beside(self) -> tuple[str, ...]:
        """Environments of the study with which a claim compares its pattern."""
        return tuple(dict.fromkeys(entry.against for entry in self.claims if entry.against is not None))

    def findings(self, view: PatternView) -> list[Finding]:
        """One finding per part of the goal."""
        found = []
        if self.winner is not None:
            found.append(extreme(view, "pattern", self.winner, view.algorithms, first=True))
        if self.loser is not None:
            found.append(extreme(view, "pattern", self.loser, view.algorithms, first=False))
        return [*found, *(entry.function(view) for entry in self.claims)]


def extreme(view: View, pattern: str, chosen: str, algorithms: Sequence[str], *, first: bool) -> Finding:
    """Goodput of one algorithm above (or below) that of every other, under one pattern."""
    relation, word = (">", "first") if first else ("<", "last")
    own = view.pattern(pattern, chosen, "goodput")
    return both(
        f"{chosen} comes {word} in goodput",
        [
            inequality(
                f"goodput({chosen}) - goodput({other})",
                own - view.pattern(pattern, other, "goodput"),
                relation,  # type: ignore[arg-type]
            )
            for other in algorithms
            if other != chosen
        ],
    )


def margins(findings: Sequence[Finding]) -> Margins:
    """The margins of all ends, in their order; findings of the same goal give vectors of the same length."""
    return np.array([value for finding in findings for value in _margins(finding)])


def _margins(finding: Finding) -> list[float]:
    if finding.joined == "or":  # as good as the best of them
        return [max(min(_margins(each)) for each in finding.operands)]
    if finding.joined == "not":
        return [-min(_margins(each)) for each in finding.operands]
    if finding.operands:
        return [value for each in finding.operands for value in _margins(each)]
    if finding.interval is None or finding.bound is None or not np.isfinite(finding.interval.mean):
        return [1.0 if finding.verdict is Verdict.HOLDS else -1.0]
    gap = finding.interval.mean - finding.bound
    if finding.relation in ("<", "<="):
        gap = -gap
    if gap == 0.0:
        return [0.0 if finding.relation in (">=", "<=") else -TOUCHING]
    return [gap]


TOUCHING = 1e-12
"""Margin of a strict inequality that is an equality."""


def scales(table: Margins) -> Margins:
    """The spread of each margin over the patterns (rows) of a table; 1 where all are alike."""
    spread = table.std(axis=0)
    return np.asarray(np.where(spread > 0.0, spread, 1.0))


def rank(table: Margins, scale: Margins) -> list[int]:
    """Rows of a table of margins, best first: least sum of what is missing, then widest smallest margin."""
    scaled = table / scale
    missing = np.minimum(scaled, 0.0).sum(axis=1)
    slack = scaled.min(axis=1)
    return [int(row) for row in np.lexsort((-slack, -missing))]


def met(table: Margins) -> NDArray[np.bool_]:
    """Rows whose every margin is on its side."""
    return np.asarray((table >= 0.0).all(axis=1))

"""The verdict on a claim that is written as data: its clauses as inequalities over the seeds of a view.

Source: none; the language is that of ``statement``, the verdicts are those of ``logic``.

A clause is judged in every setting of the claim that its quantities leave open, all of which must hold. A metric is the mean over the
environments of the claim, as the cells show it (goodput is not clipped), or is judged in each of them (``each``). Both sides share the
draws of a seed, so their difference is taken within each seed. ``a > b by 5 %`` is a - b - 0.05 |b| > 0, ``a < b by 5 %`` is
a - b + 0.05 |b| < 0, and "about" lies between the two.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from sawtooth.claims.logic import Finding, Relation, both, inequality
from sawtooth.claims.source import ClaimSource
from sawtooth.claims.statement import Clause, Quantity
from sawtooth.claims.view import UnavailableError, View
from sawtooth.experiment.scoring import Values


@dataclass(frozen=True)
class StatedClaim:
    """The clauses of a claim, the environments it speaks of (none: all), and whether it must hold in each of them."""

    text: str
    clauses: tuple[Clause, ...]
    environments: tuple[str, ...] = ()
    each: bool = False

    def __call__(self, view: View) -> Finding:
        """The finding: one inequality, or all of them joined."""
        found = [each for clause in self.clauses for each in self._findings(clause, view)]
        return found[0] if len(found) == 1 else both(self.text, found)

    def _findings(self, clause: Clause, view: View) -> list[Finding]:
        """A clause in every setting and environment that it leaves open."""
        ranges = any(side.setting is None for side in clause.quantities)
        settings = view.settings if ranges else ("",)
        environments = self.environments or view.environments
        found = []
        for setting in settings:
            for chosen in [(name,) for name in environments] if self.each else [environments]:
                named = [setting] if len(settings) > 1 else []
                named += chosen if self.each else []
                found.append(_judged(clause, view, setting, chosen, named))
        return found


@dataclass(frozen=True)
class StatedSource(ClaimSource):
    """The claims of a study file, by id: where a paper has a package of checks, each of these is its own."""

    stated: Mapping[str, StatedClaim] = field(default_factory=dict)

    @property
    def paper(self) -> str:
        """The file."""
        return self.checks

    def check(self, text: str) -> Callable[[View], Finding]:
        """The claim of that id. LookupError otherwise."""
        return self.stated[text]


def _judged(
    clause: Clause, view: View, setting: str, environments: Sequence[str], named: Sequence[str]
) -> Finding:
    where = f" ({', '.join(named)})" if named else ""

    def value(side: Quantity) -> Values:
        return _values(side, view, side.setting or setting, side.environments or environments)

    left = value(clause.left)
    right = value(clause.right) if isinstance(clause.right, Quantity) else clause.right
    if clause.relation != "about":
        return _inequality(clause, left, right, clause.relation, where)
    within = f"{100 * clause.margin:g} %" if clause.relative else f"{clause.margin:g}"
    ends: tuple[Relation, Relation] = ("<=", ">=")
    both_ways = [_inequality(clause, left, right, relation, where) for relation in ends]
    return both(f"{clause.left.text} about {_text(clause.right)}, within {within}{where}", both_ways)


def _inequality(
    clause: Clause, left: Values, right: Values | float, relation: Relation, where: str
) -> Finding:
    """``left relation right``, with the margin in the way of the relation; for "about", against it."""
    against = clause.relation == "about"
    way = 1.0 if (relation in (">", ">=")) != against else -1.0
    first, second = clause.left.text, _text(clause.right)
    where += _unit(clause.left)
    if isinstance(right, float):
        margin = clause.margin * abs(right) if clause.relative else clause.margin
        return inequality(first + where, left, relation, right + way * margin)
    numbers = {first: float(left.mean()), second: float(right.mean())}
    if not (clause.relative and clause.margin):
        return inequality(
            f"{first} - {second}{where}", left - right, relation, way * clause.margin, **numbers
        )
    share = f"{'-' if way > 0 else '+'} {100 * clause.margin:g} % of the latter"
    moved = left - right - way * clause.margin * np.abs(right)
    return inequality(f"{first} - {second} {share}{where}", moved, relation, 0.0, **numbers)


def _unit(side: Quantity) -> str:
    """The unit of the numbers of a quantity, behind a comma; nothing of a share or a count."""
    return f", {side.unit}" if side.unit else ""


def _text(side: Quantity | float) -> str:
    return side.text if isinstance(side, Quantity) else f"{side:g}"


def _values(quantity: Quantity, view: View, setting: str, environments: Sequence[str]) -> Values:
    """One value per seed. UnavailableError where one is undefined or was not run."""
    if quantity.score:
        score = view.D if quantity.score == "D" else view.C
        values = score(setting, quantity.label, quantity.metric)
    else:
        missing = [name for name in environments if name not in view.environments]
        if missing:
            raise UnavailableError(f"environment {', '.join(missing)}")
        rows = [view.environments.index(name) for name in environments]
        values = view.raw(setting, quantity.label, quantity.metric)[rows].mean(axis=0)
    if not bool(np.isfinite(values).all()):
        raise UnavailableError(f"a defined value of {quantity.metric} of {quantity.label} in {setting}")
    return np.asarray(values, dtype=np.float64)

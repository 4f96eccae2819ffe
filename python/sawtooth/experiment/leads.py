"""Who leads in what: for each metric of a setting the best algorithm, by how much, and whether that is decided.

An algorithm leads in a metric if its mean over the environments is the best of its set A. The lead is decided if it is ahead of every
other at 95 %: differences are taken within each seed, since all algorithms of a seed meet the same environment and start times. Values are
those that are scored, so goodput is clipped at 1.

Where one may look at any time (``anytime``), a tie is known no sooner than that other equal values are: from ALIKE seeds on.

Source: none; the verdicts are those of ``claims.logic``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from sawtooth.claims.logic import Finding, Verdict, both, inequality
from sawtooth.experiment.anytime import ALIKE, is_at_any_time
from sawtooth.experiment.intervals import Interval
from sawtooth.experiment.matrix import SettingBlock, scored_mean
from sawtooth.experiment.scoring import HIGHER_IS_BETTER, SCORED, Values

WORDS: Final = {
    "goodput": ("the highest goodput", 100.0, "% of the available bandwidth"),
    "fairness": ("the fairest shares", 1.0, "in spread / mean"),
    "delay": ("the shortest queueing delay", 1.0, "ms"),
    "loss": ("the least loss", 1.0, "% of packets"),
}
"""By metric: what its leader has, what a difference is multiplied by, and its unit."""
NAMED: Final = 4
"""Most algorithms that a sentence lists; ``--json`` names all."""
CLIPPED: Final = " Goodput above the available bandwidth counts as all of it."


@dataclass(frozen=True)
class Lead:
    """Who leads a metric of a setting, and how far ahead of the second it is (never negative).

    ``tied`` are the others that it is not ahead of at 95 %; ``leader`` is None where a value is undefined, or all are alike in every seed.
    ``equals`` are those of ``tied`` that have the leader's value in every seed; ``second`` and ``finding`` are then about the others.
    """

    setting: str
    metric: str
    leader: str | None
    second: str | None
    ahead: Interval | None
    finding: Finding | None
    tied: tuple[str, ...]
    alike: bool = False
    clipped: bool = False
    """Whether some run's goodput was above the available bandwidth, of which a score counts no more than all."""
    equals: tuple[str, ...] = ()
    enough: bool = True
    """Whether there are seeds enough to say of equal values that they always are."""

    @property
    def decided(self) -> bool:
        """Whether the leader is ahead of every other at 95 %."""
        return not self.equals and self._ahead_of_the_rest

    @property
    def _ahead_of_the_rest(self) -> bool:
        """Whether it is ahead at 95 % of every other that differs from it in some seed."""
        return self.finding is not None and self.finding.verdict is Verdict.HOLDS

    @property
    def conclusive(self) -> bool:
        """Whether more seeds would change nothing: it is decided, or there is nobody to decide between."""
        if self.alike or self.equals:
            return self.enough and (self.alike or self._ahead_of_the_rest)
        return self._ahead_of_the_rest or self.leader is None

    @property
    def text(self) -> str:
        """In a sentence, and one more where raw values say more than what is scored."""
        return f"{self._said()}{CLIPPED if self.clipped else ''}"

    def _said(self) -> str:
        what, scale, unit = WORDS[self.metric]
        if self.alike:
            return f"All tie for {what}: every seed gives them the same value{self._so_far()}."
        if self.leader is None or self.ahead is None:
            return f"Who has {what} cannot be said: a value is undefined."
        by = measured(self.ahead, scale)
        if self.equals:
            best = f"{_listed((self.leader, *self.equals), 'and')} tie for {what}, {by} {unit} ahead of {self.second}"
            return f"{best}{self._so_far()}." if self._ahead_of_the_rest else f"{best}, but {self._why()}."
        if self.decided:
            return f"{self.leader} has {what}, {by} {unit} ahead of {self.second}: decided."
        return f"It is undecided who has {what}: {self.leader} is {by} {unit} ahead of {self.second}, but {self._why()}."

    def _so_far(self) -> str:
        """What keeps a tie from being decided."""
        return "" if self.enough else f"; {ALIKE} seeds would decide that they tie"

    def _why(self) -> str:
        """What keeps the lead undecided, and what would decide it."""
        assert self.ahead is not None and self.finding is not None, "a lead that is undecided has numbers"
        if self.ahead.n == 1:
            return "one seed cannot decide it"
        reach = f"{_listed([name for name in self.tied if name not in self.equals])} may be as good"
        seeds = self.finding.seeds
        return reach if seeds is None else f"{reach}; about {seeds} seeds would decide it"

    def to_json(self) -> dict[str, Any]:
        """The row of ``--json``."""
        recovery, _, router = self.setting.partition("/")
        ahead = self.ahead
        return {
            "recovery": recovery,
            "router": router,
            "metric": self.metric,
            "leader": self.leader,
            "second": self.second,
            "ahead": None if ahead is None else ahead.mean,
            "ahead_low": None if ahead is None else ahead.low,
            "ahead_high": None if ahead is None else ahead.high,
            "decided": self.decided,
            "tied": list(self.tied),
            "seeds_to_decide": None if self.finding is None or self.equals else self.finding.seeds,
            "text": self.text,
        }


def leads(block: SettingBlock) -> list[Lead]:
    """One per metric and set A of a setting; none for an algorithm alone."""
    return [_lead(block, metric, names) for names in block.sets if len(names) > 1 for metric in SCORED]


def _lead(block: SettingBlock, metric: str, names: Sequence[str]) -> Lead:
    sign = 1.0 if HIGHER_IS_BETTER[metric] else -1.0
    values: dict[str, Values] = {name: sign * scored_mean(block, name, metric) for name in names}
    if not all(bool(np.isfinite(own).all()) for own in values.values()):
        return Lead(block.setting, metric, None, None, None, None, ())
    clipped = metric == "goodput" and any(bool((block.of(name, metric) > 1.0).any()) for name in names)
    first = values[names[0]]
    enough = not is_at_any_time() or first.size >= ALIKE
    if all(bool(np.array_equal(own, first)) for own in values.values()):
        return Lead(
            block.setting,
            metric,
            None,
            None,
            None,
            None,
            tuple(names),
            alike=True,
            clipped=clipped,
            enough=enough,
        )
    order = sorted(names, key=lambda name: -float(values[name].mean()))
    leader = order[0]
    equals = tuple(other for other in order[1:] if bool(np.array_equal(values[other], values[leader])))
    leads_over = {
        other: inequality(f"{leader} is ahead of {other}", values[leader] - values[other], ">")
        for other in order[1:]
        if other not in equals
    }
    second = next(iter(leads_over))
    tied = tuple(other for other, operand in leads_over.items() if operand.verdict is not Verdict.HOLDS)
    return Lead(
        block.setting,
        metric,
        leader,
        second,
        leads_over[second].interval,
        both(f"{leader} leads in {metric}", list(leads_over.values())),
        (*equals, *tied),
        clipped=clipped,
        equals=equals,
        enough=enough,
    )


def measured(found: Interval, scale: float) -> str:
    """A value with its interval, as sentences have it: ``3.1 [2.9, 3.3]``."""
    shown = f"{scale * found.mean:.3g}"
    if found.low is None or found.high is None:
        return shown
    return f"{shown} [{scale * found.low:.3g}, {scale * found.high:.3g}]"


def _listed(names: Sequence[str], last: str = "or") -> str:
    if len(names) > NAMED:
        names = [*names[: NAMED - 1], f"{len(names) - NAMED + 1} others"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {last} {names[-1]}"

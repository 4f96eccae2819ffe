"""Factors: the open parameters of a study, each with the value taken and the other plausible ones as its levels; and combinations of them.

Source: combinations are the points of a scrambled Sobol sequence [Sobol67], so that any first part of the list covers all levels and all
pairs of levels evenly; the very first combination is that of the study's own values. A combination that the scenario refuses (a bottleneck
longer than the round trip) is passed over.

Run length, warm-up and what is recorded are no factors: the sweep has a length of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from sawtooth.experiment.study import OpenParameter, Study

FURTHER: Final[Mapping[str, tuple[Any, ...]]] = {
    "path.rtt": ("20 ms", "30 ms"),
    "bottleneck.delay": ("5 ms",),
}
"""Levels beyond the plausible values, by key: round trips at which the trend towards shorter ones must end, and a link for them."""
NO_FACTORS: Final = ("duration", "warmup", "record.")
"""Keys, or beginnings of keys, that are no factors."""
SAID: Final = 2
"""Routers and environments that the short name of a factor lists."""


@dataclass(frozen=True)
class Factor:
    """One open parameter: ``levels[0]`` is the value taken."""

    entry: OpenParameter
    levels: tuple[Any, ...]

    @property
    def name(self) -> str:
        """Its key, with the cells it is limited to where there are several of that key."""
        where = self._where
        return f"{self.entry.key} ({', '.join(where)})" if where else self.entry.key

    @property
    def short(self) -> str:
        """The same for a cell of a table: of more than SAID cells the first and how many more."""
        where = self._where
        if len(where) <= SAID:
            return self.name
        return f"{self.entry.key} ({where[0]} and {len(where) - 1} more)"

    @property
    def _where(self) -> list[str]:
        return [*(self.entry.routers or []), *(self.entry.only or [])]

    def applies(self, setting: str) -> bool:
        """Whether it acts in a setting."""
        router = setting.partition("/")[2]
        return self.entry.routers is None or router in self.entry.routers


@dataclass(frozen=True)
class Combination:
    """One level per factor, by number; 0 is the value taken."""

    number: int
    levels: tuple[int, ...]

    def apply(self, study: Study, factors: Sequence[Factor]) -> Study:
        """The study with these values."""
        for factor, level in zip(factors, self.levels, strict=True):
            if level:
                study = study.with_entry(factor.entry, factor.levels[level])
        return study

    def changed(self, factors: Sequence[Factor]) -> dict[str, Any]:
        """The values that differ from those taken, by name of the factor."""
        return {
            factor.name: factor.levels[level]
            for factor, level in zip(factors, self.levels, strict=True)
            if level
        }


def factors_of(study: Study, further_levels: bool = True) -> tuple[Factor, ...]:
    """The open parameters of a study that have another plausible value, with ``FURTHER`` levels if wanted."""
    found = []
    for entry in study.parameter:
        if entry.key.startswith(NO_FACTORS):
            continue
        levels: list[Any] = [entry.value]
        further = FURTHER.get(entry.key, ()) if further_levels else ()
        levels += [value for value in (*entry.plausible, *further) if value not in levels]
        if len(levels) > 1:
            found.append(Factor(entry, tuple(levels)))
    return tuple(found)


def combinations(
    factors: Sequence[Factor], count: int, seed: int, possible: Callable[[Combination], bool]
) -> Iterator[Combination]:
    """The value taken everywhere, then ``count - 1`` points of the Sobol sequence that are ``possible``; numbered in that order."""
    from scipy.stats import qmc  # slow to load

    yield Combination(0, (0,) * len(factors))
    sequence = qmc.Sobol(len(factors), rng=seed)
    number = 1
    while number < count:
        for point in sequence.random(64):
            levels = tuple(
                min(int(place * len(factor.levels)), len(factor.levels) - 1)
                for factor, place in zip(factors, point, strict=True)
            )
            chosen = Combination(number, levels)
            if possible(chosen):
                yield chosen
                number += 1
                if number == count:
                    return

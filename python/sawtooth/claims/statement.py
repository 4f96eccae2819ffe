"""Claims written as data: the small language of ``claim = "goodput(aimd(1, 0.8)) > goodput(aimd(1, 0.5)) by 5 %"``.

Source: none; docs/studies.md explains it to users.

    claim    = clause { "and" clause }
    clause   = quantity relation (quantity | number [ unit ]) [ ("by" | "within") number unit ]
    relation = "<" | "<=" | ">" | ">=" | "about"
    quantity = metric "(" controller { "," selector } ")"  |  ("D" | "C") "(" metric "," controller { "," selector } ")"
    selector = setting (``sack/red``) | environment (``sq-high``)

``by`` belongs to an inequality, ``within`` to "about". Its unit is ``%`` (of the right side), or that of the metric; ``points`` are those
of a metric in %, hundredths of one that is a fraction.

| constant | value | why                                             |
|----------|-------|-------------------------------------------------|
| ABOUT    | 5 %   | "about" without "within", stated in every verdict |
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, cast

from sawtooth.claims.logic import Relation
from sawtooth.errors import InputError
from sawtooth.experiment.scoring import SCORED

ABOUT: Final = 0.05
"""What "about" means where the claim does not say: within this share of the right side."""
SCORES: Final = ("D", "C")
RELATIONS: Final = ("<=", ">=", "<", ">", "about")
WORDS: Final = ("about", "by", "within", "and")

_NAME = re.compile(r"\s*([A-Za-z_]\w*)\s*\(")
_RELATION = re.compile(r"\s*(<=|>=|<|>|about\b)")
_NUMBER = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?)\s*(%|[A-Za-zµμ]+(?:/[A-Za-z]+)?)?")
_MARGIN = re.compile(r"\s*(by|within)\b")
_AND = re.compile(r"\s*and\b")


@dataclass(frozen=True)
class Unit:
    """The unit of a metric: how numbers that stand for its values, and for differences of them, may be written; each with its factor."""

    name: str
    values: Mapping[str, float]
    differences: Mapping[str, float]
    shown: str = ""
    """What stands behind a value; nothing behind a share."""


@dataclass(frozen=True)
class Vocabulary:
    """What a claim may name: the metrics with their units, and the controllers, settings and environments of the study.

    ``label`` gives the label of a controller as written; None for one that the study does not have.
    """

    metrics: Mapping[str, Unit]
    labels: Sequence[str]
    label: Callable[[str], str | None]
    settings: Sequence[str]
    environments: Sequence[str]


@dataclass(frozen=True)
class Quantity:
    """A metric of a controller, or its score (``D``, ``C``) in it; without a setting and environments it takes those of the claim."""

    text: str
    metric: str
    label: str
    score: Literal["", "D", "C"] = ""
    setting: str | None = None
    environments: tuple[str, ...] = ()
    unit: str = ""
    """The unit of its values, as it is shown."""


@dataclass(frozen=True)
class Clause:
    """``left relation right``. A number is in the unit of the metric; ``margin`` is a share of the right side if it is ``relative``."""

    text: str
    left: Quantity
    relation: Relation | Literal["about"]
    right: Quantity | float
    margin: float = 0.0
    relative: bool = False

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        """What it speaks of: its sides that are no numbers."""
        return (self.left, self.right) if isinstance(self.right, Quantity) else (self.left,)


def parse(text: str, vocabulary: Vocabulary) -> tuple[Clause, ...]:
    """The clauses of a claim, all of which must hold. InputError says what is wrong and what is accepted."""
    return _Reader(text, vocabulary).clauses()


class _Reader:
    """One text and how far it is read."""

    def __init__(self, text: str, vocabulary: Vocabulary) -> None:
        self._text = text
        self._words = vocabulary
        self._at = 0

    def clauses(self) -> tuple[Clause, ...]:
        """All of them."""
        found = [self._clause()]
        while self._taken(_AND) is not None:
            found.append(self._clause())
        if self._rest():
            raise self._error(f"the end, or one of by, within and and, instead of {self._rest()!r}")
        return tuple(found)

    def _clause(self) -> Clause:
        begun = self._at
        left = self._side()
        if not isinstance(left, Quantity):
            raise self._error(f"a metric of a controller such as {self._example()} on the left of a relation")
        said = self._taken(_RELATION)
        if said is None:
            raise self._error(f"a relation ({', '.join(RELATIONS)}) after {self._read(begun)!r}")
        relation = cast("Relation | Literal['about']", said[1])
        right = self._side()
        unit = self._unit(left, right)
        margin, relative = self._margin(relation, unit)
        moved = right if isinstance(right, Quantity) else self._scaled(right, unit)
        return Clause(self._read(begun), left, relation, moved, margin, relative)

    def _side(self) -> Quantity | tuple[float, str]:
        """A quantity, or a number with its unit as written."""
        if (name := self._taken(_NAME)) is not None:
            return self._quantity(name)
        number = self._number()
        if number is None:
            place = f" instead of {self._rest()!r}" if self._rest() else ""
            raise self._error(f"a metric of a controller such as {self._example()}, or a number{place}")
        return number

    def _quantity(self, name: re.Match[str]) -> Quantity:
        begun = name.start(1)
        given = self._arguments(name[1])
        score = cast("Literal['', 'D', 'C']", name[1] if name[1] in SCORES else "")
        metric = name[1]
        if score:
            metric, *given = given
            if metric not in SCORED:
                raise self._error(
                    f"{name[1]} of one of {', '.join(SCORED)}, such as {self._example(name[1])}"
                )
        elif metric not in self._words.metrics:
            known = ", ".join([*SCORES, *self._words.metrics])
            raise self._error(f"one of {known} instead of {metric!r}")
        written, *selectors = given or [""]
        label = self._words.label(written)
        if label is None:
            raise self._error(
                f"a controller of the study ({', '.join(self._words.labels)}) instead of {written!r}"
            )
        setting, environments = self._selected(selectors)
        if score and environments:
            raise self._error(f"{score} without an environment, as it is over all of them")
        unit = self._words.metrics[metric].shown
        return Quantity(
            self._text[begun : self._at].strip(), metric, label, score, setting, environments, unit
        )

    def _selected(self, selectors: Sequence[str]) -> tuple[str | None, tuple[str, ...]]:
        """The setting and the environments that a quantity names."""
        settings = [name for name in selectors if name in self._words.settings]
        environments = [name for name in selectors if name in self._words.environments]
        for name in selectors:
            if name not in (*settings, *environments):
                known = f"a setting ({', '.join(self._words.settings)}) or an environment ({', '.join(self._words.environments)})"
                raise self._error(f"{known} of the study instead of {name!r}")
        if len(settings) > 1 or len(set(environments)) < len(environments):
            raise self._error(f"one setting, and each environment once, instead of {', '.join(selectors)}")
        return next(iter(settings), None), tuple(environments)

    def _arguments(self, name: str) -> list[str]:
        """The texts between the parentheses of a quantity, split at commas outside other brackets."""
        found, depth, begun = [], 0, self._at
        for place in range(self._at, len(self._text)):
            letter = self._text[place]
            closes = letter == ")" and depth == 0
            if closes or (letter == "," and depth == 0):
                found.append(self._text[begun:place].strip())
                begun = place + 1
            if closes:
                self._at = begun
                return found
            depth += (letter in "([{") - (letter in ")]}")
        raise self._error(f"a closing parenthesis after {name}(…")

    def _number(self) -> tuple[float, str] | None:
        """A number and its unit; a word of the language is none."""
        found = self._taken(_NUMBER)
        if found is None:
            return None
        unit = (found[2] or "").replace("μ", "µ")
        if unit in WORDS:
            self._at = found.start(2)
            unit = ""
        return float(found[1]), unit

    def _unit(self, *sides: Quantity | tuple[float, str]) -> Unit:
        """The unit that both sides have."""
        units = [self._words.metrics[side.metric] for side in sides if isinstance(side, Quantity)]
        if units[0].name != units[-1].name:
            raise self._error(f"two sides of one unit instead of {units[0].name!r} and {units[-1].name!r}")
        return units[0]

    def _scaled(self, number: tuple[float, str], unit: Unit) -> float:
        amount, written = number
        if written not in unit.values:
            raise self._error(
                f"a value of the metric's unit ({_accepted(unit.values)}) instead of {amount:g} {written}".rstrip()
            )
        return amount * unit.values[written]

    def _margin(self, relation: str, unit: Unit) -> tuple[float, bool]:
        """The number behind "by" or "within", and whether it is a share of the right side."""
        word = self._taken(_MARGIN)
        if word is None:
            return (ABOUT, True) if relation == "about" else (0.0, False)
        wanted = "within" if relation == "about" else "by"
        if word[1] != wanted:
            raise self._error(f"{wanted!r} after {relation!r} instead of {word[1]!r}")
        number = self._number()
        written = f"{wanted} {self._text[word.end() : self._at].strip()}"
        if number is None or number[0] < 0:
            raise self._error(f"a number from 0 after {wanted!r}, such as {wanted} 5 %")
        if number[1] == "%":
            return number[0] / 100, True
        if number[1] not in unit.differences:
            units = _accepted(unit.differences)
            raise self._error(
                f"{wanted} N % (of the right side) or N of the metric's unit ({units}) instead of {written!r}"
            )
        return number[0] * unit.differences[number[1]], False

    def _taken(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """What stands here if it is of the pattern; it is read then."""
        found = pattern.match(self._text, self._at)
        if found is not None:
            self._at = found.end()
        return found

    def _read(self, begun: int) -> str:
        return self._text[begun : self._at].strip()

    def _rest(self) -> str:
        return self._text[self._at :].strip()

    def _example(self, score: str = "") -> str:
        label = self._words.labels[0]
        return f"{score}(goodput, {label})" if score else f"goodput({label})"

    def _error(self, accepted: str) -> InputError:
        return InputError("", "claim", self._text, accepted)


def _accepted(spellings: Mapping[str, float]) -> str:
    return ", ".join(name or "a bare number" for name in spellings)

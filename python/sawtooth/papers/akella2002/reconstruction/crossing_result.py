"""What a crossing says: which combinations may be nearest to print, which values none of these has, and how well it could tell at all.

Losses are mean misfits by printed table: of the rows of a table, and of the columns of a row, each counts alike (``rows``). Source: as
``crossing``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from sawtooth.documents import document
from sawtooth.experiment.exhibit import TextTable
from sawtooth.papers.akella2002.reconstruction.calibration import Identified
from sawtooth.papers.akella2002.reconstruction.confidence_set import LEVEL, Array, confidence_set
from sawtooth.papers.akella2002.reconstruction.crossed_values import CrossedValue, LeftOut, MadeUp
from sawtooth.papers.akella2002.reconstruction.factors import Factor
from sawtooth.papers.akella2002.reconstruction.result import Gain, by_tables
from sawtooth.papers.akella2002.reconstruction.rows import SAME, BlockKey, PrintedRow
from sawtooth.plain import written
from sawtooth.plurals import number_of, verb

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sawtooth.claims.table import Judged
    from sawtooth.papers.akella2002.reconstruction.sweep import Tried

CROSSED: Final = tuple(f"crossing {name}" for name in ("command", "summary", "values", "nearest", "left out"))
"""The places of a Markdown page that a crossing fills, by name."""
PRINTINGS: Final = 200
PLANTED_DRAWS: Final = 500
"""Bootstrap draws for each made-up printing."""


@dataclass(frozen=True)
class OpenCrossing:
    """The whole result. ``places`` are the factors that were crossed, ``tried`` the combinations, the values taken first."""

    name: str
    factors: tuple[Factor, ...]
    places: tuple[int, ...]
    rows: Sequence[PrintedRow]
    tried: Sequence[Tried]
    conditions: Mapping[str, Any]
    seed: int
    executed: int = 0
    wall_s: float = 0.0
    report: Path | None = None

    @property
    def judged(self) -> Sequence[Judged]:
        """No claim speaks of it."""
        return ()

    @cached_property
    def tables_run(self) -> list[BlockKey]:
        """The printed tables, in the order of the columns of ``losses``."""
        return sorted({row.block for row in self.rows})

    @cached_property
    def _outputs(self) -> list[tuple[int, str]]:
        """Row and column of every printed number for which all combinations have one of their own, table by table."""
        return [
            (place, column)
            for table in self.tables_run
            for place, row in enumerate(self.rows)
            if row.block == table
            for column in row.values
            if all(np.isfinite(entry.numbers[place][column]) for entry in self.tried)
        ]

    @cached_property
    def _ours(self) -> Array:
        """ln(number + e): shape (combinations, outputs)."""
        return np.array(
            [
                [np.log(entry.numbers[place][column] + SAME[column]) for place, column in self._outputs]
                for entry in self.tried
            ]
        )

    @cached_property
    def _printed(self) -> Array:
        """The same of what is printed."""
        return np.array(
            [np.log(self.rows[place].values[column] + SAME[column]) for place, column in self._outputs]
        )

    @cached_property
    def _table(self) -> NDArray[np.int64]:
        """Of every output the table."""
        order = {table: place for place, table in enumerate(self.tables_run)}
        return np.array([order[self.rows[place].block] for place, _ in self._outputs], np.int64)

    @cached_property
    def _weights(self) -> Array:
        """How much every output counts in the mean misfit of every table: shape (outputs, tables)."""
        row = np.array([place for place, _ in self._outputs])
        columns = np.bincount(row, minlength=len(self.rows))
        rows = np.array([len(set(row[self._table == table])) for table in range(len(self.tables_run))])
        share = 1.0 / (columns[row] * rows[self._table])
        return np.asarray((self._table[:, None] == np.arange(len(rows))) * share[:, None], dtype=np.float64)

    def _losses(self, printed: Array) -> Array:
        return np.asarray(np.abs(self._ours - printed) @ self._weights, dtype=np.float64)

    @cached_property
    def losses(self) -> Array:
        """The mean misfit of every combination in every table: shape (combinations, tables)."""
        return self._losses(self._printed)

    @cached_property
    def means(self) -> Array:
        """The mean misfit of every combination over the tables."""
        return np.asarray(self.losses.mean(axis=1), dtype=np.float64)

    @cached_property
    def p_values(self) -> Array:
        """Of every combination; below LEVEL it is not among those that may be nearest to print."""
        return self._p(self.losses)

    @cached_property
    def p_by_settings(self) -> Array:
        """The same with whole settings drawn again, since the tables of one may share their errors; all 1 with a single setting."""
        return self._p(self.losses_by_setting)

    @cached_property
    def settings(self) -> list[str]:
        """The settings, in the order of ``losses_by_setting``."""
        return list(dict.fromkeys(table.setting for table in self.tables_run))

    @cached_property
    def losses_by_setting(self) -> Array:
        """The mean misfit of every combination over the tables of every setting: shape (combinations, settings)."""
        own = np.array([[table.setting == setting for setting in self.settings] for table in self.tables_run])
        return np.asarray(self.losses @ (own / own.sum(axis=0)), dtype=np.float64)

    @cached_property
    def _levels(self) -> NDArray[np.int64]:
        """The levels of the crossed factors: shape (combinations, crossed factors)."""
        return np.array(
            [[entry.combination.levels[place] for place in self.places] for entry in self.tried], np.int64
        )

    @property
    def left(self) -> int:
        """How many combinations may be nearest to print."""
        return int((self.p_values >= LEVEL).sum())

    @property
    def nearest(self) -> int:
        """The combination of least mean misfit."""
        return int(np.argmin(self.means))

    @cached_property
    def values(self) -> list[CrossedValue]:
        """Every value of every crossed parameter."""
        return list(self._values())

    def _values(self) -> Iterator[CrossedValue]:
        for column, place in enumerate(self.places):
            factor, means = self.factors[place], self._main_effect(column)
            for level in range(len(factor.levels)):
                here = self._levels[:, column] == level
                if not here.any():
                    yield CrossedValue(factor, level, 0, 0, *[np.nan] * 6)
                    continue
                left = int((self.p_values[here] >= LEVEL).sum())
                numbers = (
                    float(self.means[here].min()),
                    float(self.p_values[here].max()),
                    float(self.p_by_settings[here].max()),
                    *means.get(level, (np.nan,) * 3),
                )
                yield CrossedValue(factor, level, int(here.sum()), left, *numbers)

    def _main_effect(self, column: int) -> dict[int, tuple[float, float, float]]:
        """Of every level of a crossed factor the mean misfit over the others and its p-values, with tables and with whole settings drawn
        again; over what was run with all of its levels."""
        own, others = self._levels[:, column], np.delete(self._levels, column, axis=1)
        levels = sorted(set(map(int, own)))
        groups: dict[tuple[int, ...], list[int]] = {}
        for number, other in enumerate(others):
            groups.setdefault(tuple(map(int, other)), []).append(number)
        whole = [number for group in groups.values() if len(group) == len(levels) for number in group]
        if not whole:
            return {}
        members = [[number for number in whole if own[number] == level] for level in levels]
        tables, settings = (
            np.stack([losses[each].mean(axis=0) for each in members])
            for losses in (self.losses, self.losses_by_setting)
        )
        p, p_by_settings = self._p(tables), self._p(settings)
        return {
            level: (float(tables[n].mean()), float(p[n]), float(p_by_settings[n]))
            for n, level in enumerate(levels)
        }

    def alone(self, place: int) -> list[tuple[CrossedValue, bool]]:
        """The values of a crossed parameter that are ruled out with the others as taken, and whether they are so with whole settings drawn
        again."""
        column = self.places.index(place)
        taken = np.flatnonzero((np.delete(self._levels, column, axis=1) == 0).all(axis=1))
        if len(taken) < 2:
            return []
        p, by_settings = (self._p(losses[taken]) for losses in (self.losses, self.losses_by_setting))
        levels = self._levels[taken, column]
        found = {int(level): (each, other) for level, each, other in zip(levels, p, by_settings, strict=True)}
        return [
            (value, bool(found[value.level][1] < LEVEL))
            for value in self.of(place)
            if value.level in found and found[value.level][0] < LEVEL
        ]

    def _p(self, losses: Array) -> Array:
        """p-values by drawing units again; all 1 with a single unit."""
        return confidence_set(losses, self.seed) if losses.shape[1] > 1 else np.ones(len(losses))

    def of(self, place: int) -> list[CrossedValue]:
        """The values of one of the crossed parameters that were run."""
        return [value for value in self.values if value.factor is self.factors[place] and value.run]

    def standing(self, place: int) -> Identified:
        """What the crossing says of a parameter."""
        values = self.of(place)
        left = [value for value in values if not value.ruled_out]
        if len(values) > 1 and len(left) == 1:
            return Identified.IDENTIFIABLE
        return (
            Identified.WEAKLY if any(value.ruled_out or value.farther for value in values) else Identified.NOT
        )

    @cached_property
    def left_out(self) -> list[LeftOut]:
        """Every setting left out in turn: chosen in the others, judged in it."""
        losses = self.losses_by_setting
        found = []
        for place, setting in enumerate(self.settings if len(self.settings) > 1 else []):
            chosen = int(np.argmin(np.delete(losses, place, axis=1).mean(axis=1)))
            own = float(losses[chosen, place]), float(losses[0, place])
            found.append(LeftOut(setting, self.tried[chosen].combination, *own))
        return found

    @cached_property
    def gain_left_out(self) -> Gain | None:
        """How much less misfit than the values taken, in settings that did not choose; None of a single setting."""
        return by_tables([[each.taken - each.misfit] for each in self.left_out], self.seed)

    @cached_property
    def planted(self) -> MadeUp:
        """What the same runs say of made-up printings."""
        generator = np.random.Generator(np.random.PCG64(self.seed))
        errors = self._printed - self._ours[self.nearest]
        kept = values = out = wrong = 0
        for number in range(PRINTINGS):
            truth = int(generator.integers(len(self.tried)))
            p = confidence_set(
                self._losses(self._ours[truth] + self._errors(errors, generator)), number, PLANTED_DRAWS
            )
            kept += int(p[truth] >= LEVEL)
            for column in range(len(self.places)):
                levels = self._levels[:, column]
                left = set(levels[p >= LEVEL])
                others = set(levels) - {levels[truth]}
                values, out = values + len(others), out + len(others - left)
                wrong += int(levels[truth] not in left)
        return MadeUp(PRINTINGS, kept, values, out, PRINTINGS * len(self.places), wrong)

    def _errors(self, errors: Array, generator: np.random.Generator) -> Array:
        """Errors of a made-up printing: in every table those of some table of as many numbers, with one sign for all."""
        sizes = np.bincount(self._table)
        found = np.empty_like(errors)
        for table, size in enumerate(sizes):
            source = int(generator.choice(np.flatnonzero(sizes == size)))
            sign = 1.0 if generator.integers(2) else -1.0
            found[self._table == table] = sign * errors[self._table == source]
        return found

    def values_of(self, number: int) -> dict[str, Any]:
        """The values of a combination, of all crossed parameters, by name."""
        levels = self.tried[number].combination.levels
        return {self.factors[place].name: self.factors[place].levels[levels[place]] for place in self.places}

    def in_words(self, number: int) -> str:
        """The same in a line."""
        return ", ".join(f"{name} = {written(value)}" for name, value in self.values_of(number).items())

    def _parameter(self, place: int) -> dict[str, Any]:
        """What the document says of a crossed parameter."""
        factor = self.factors[place]
        alone = [
            {"value": factor.levels[value.level], "by_settings": sure} for value, sure in self.alone(place)
        ]
        return {
            "parameter": factor.name,
            "standing": self.standing(place).value,
            "ruled_out_alone": alone,
        }

    def _combination(self, number: int) -> dict[str, Any]:
        """What the document says of a combination."""
        losses = zip(self.tables_run, self.losses[number], strict=True)
        return {
            "values": self.values_of(number),
            "misfit": float(self.means[number]),
            "p": float(self.p_values[number]),
            "p_by_settings": float(self.p_by_settings[number]),
            "misfits": {f"{table.setting} {table.family}": float(loss) for table, loss in losses},
        }

    def to_json(self) -> dict[str, Any]:
        """The document of ``--json``."""
        gain = self.gain_left_out
        return document(
            "crossing",
            {
                "study": self.name,
                "conditions": dict(self.conditions),
                "parameters": [self._parameter(place) for place in self.places],
                "values": [value.to_json() for value in self.values],
                "combinations": [self._combination(number) for number in range(len(self.tried))],
                "left": self.left,
                "left_out": [
                    {
                        "setting": each.setting,
                        "values": each.chosen.changed(self.factors),
                        "misfit": each.misfit,
                        "misfit_taken": each.taken,
                    }
                    for each in self.left_out
                ],
                "gain_left_out": None if gain is None else gain.to_json(),
                "planted": asdict(self.planted),
                "executed": self.executed,
                "wall_s": self.wall_s,
                "report": None if self.report is None else str(self.report),
            },
        )

    def tables(self) -> list[TextTable]:
        """What was found, and every value."""
        return [
            TextTable("", (), [[sentence] for sentence in sentences(self)]),
            TextTable("every value", VALUE_HEADS, value_rows(self)),
            TextTable("nearest to print", NEAREST_HEADS, nearest_rows(self)),
        ]


NEAREST_MOST: Final = 10
"""Combinations in the table of those nearest to print."""
VALUE_HEADS: Final = (
    "parameter",
    "value",
    "may be nearest",
    "least misfit",
    "p",
    "p, whole settings",
    "mean misfit",
    "p of the mean",
    "so it is",
)
NEAREST_HEADS: Final = ("values", "mean misfit", "p", "p, whole settings")


def value_rows(found: OpenCrossing) -> list[list[str]]:
    """A row for every value of every crossed parameter."""
    rows = []
    for value in found.values:
        given = (value.least, value.p, value.p_by_settings, value.mean, value.p_mean)
        numbers = [f"{each:.3f}" if np.isfinite(each) else "" for each in given]
        text = f"{value.text} (taken)" if value.level == 0 else value.text
        share = f"{value.left} of {value.run}" if value.run else ""
        rows.append([value.factor.short, text, share, *numbers, _says(value, found)])
    return rows


def _says(value: CrossedValue, found: OpenCrossing) -> str:
    """What the crossing says of a value. One without a combination is not possible, unless a budget ended before all were run."""
    if not value.run:
        return "not possible" if len(found.tried) == int(found.conditions["asked"]) else "not run"
    if value.ruled_out:
        return "ruled out"
    return "farther on average" if value.farther else "left"


def nearest_rows(found: OpenCrossing) -> list[list[str]]:
    """The combinations of least mean misfit, and the values taken."""
    order = [int(place) for place in np.argsort(found.means, kind="stable")]
    shown = order[:NEAREST_MOST] if 0 in order[:NEAREST_MOST] else [*order[:NEAREST_MOST], 0]
    return [
        [
            found.in_words(place) + (" (taken)" if place == 0 else ""),
            f"{found.means[place]:.3f}",
            f"{found.p_values[place]:.3f}",
            f"{found.p_by_settings[place]:.3f}",
        ]
        for place in shown
    ]


def finding(found: OpenCrossing) -> str:
    """What the crossing says of its parameters, in one sentence or two."""
    standings = {found.factors[place].name: found.standing(place) for place in found.places}
    told = {name for name, standing in standings.items() if standing is Identified.IDENTIFIABLE}
    sure = [
        value.name
        for value in found.values
        if value.factor.name in told and value.run and not value.ruled_out
    ]
    rest = [value for value in found.values if value.factor.name not in told]
    out = [value.name for value in rest if value.ruled_out]
    farther = [value.name for value in rest if value.farther and not value.ruled_out]
    opened = [name for name, standing in standings.items() if standing is Identified.NOT]
    says = []
    if sure:
        says.append(f"identify {', '.join(sure)}")
    if out:
        says.append(f"rule out {', '.join(out)}")
    if not says:
        says.append("rule out no value")
    text = f"With all other parameters as taken, the printed tables {' and '.join(says)}"
    if opened:
        text += f", and leave {', '.join(opened)} open"
    if farther:
        text += f". On average over the other crossed values, {_listed(farther)} farther from them than another value"
    return f"{text}."


def sentences(found: OpenCrossing) -> list[str]:
    """The result in words, every number computed."""
    has, best = found.conditions, found.nearest
    asked, tables = (
        number_of(int(has["asked"]), "combination"),
        number_of(len(found.tables_run), "printed table"),
    )
    length = f"{number_of(int(has['seeds']), 'seed')} of {has['duration']}"
    among = "among" if found.p_values[0] >= LEVEL else "not among"
    lines = [
        finding(found),
        (
            f"{len(found.tried)} of {asked} of {number_of(len(found.places), 'parameter')} were run for {tables}, with {length} in "
            f"{number_of(int(has['environments']), 'environment')}: {int(has['runs']):,} runs."
        ),
        _standings(found),
        (
            f"{found.left} of these {len(found.tried)} may be nearest to print, at a confidence of 95 %; the values taken are {among} "
            f"them. The nearest ({found.in_words(best)}) has a mean misfit of {found.means[best]:.3f}, a factor of "
            f"{np.exp(found.means[best]):.2f}; the values taken have {found.means[0]:.3f}."
        ),
    ]
    if len(found.settings) > 1:
        lines.append(_by_settings(found))
    if len(found.places) > 1:
        lines.append(_alone(found))
    if found.gain_left_out is not None:
        lines.append(_left_out(found, found.gain_left_out))
    return [*lines, _planted(found.planted)]


def _listed(names: Sequence[str]) -> str:
    """The subject of a sentence and its verb."""
    return f"{', '.join(names)} {verb('is', len(names))}"


def _standings(found: OpenCrossing) -> str:
    """Which parameters are identifiable, weakly or not."""
    by = {
        says: [found.factors[place].name for place in found.places if found.standing(place) is says]
        for says in Identified
    }
    text = "; ".join(f"{says.value}: {', '.join(names) or 'none'}" for says, names in by.items())
    return f"{text[0].upper()}{text[1:]}."


def _by_settings(found: OpenCrossing) -> str:
    """What is left of it if the tables of a setting share their errors."""
    left = int((found.p_by_settings >= LEVEL).sum())
    among = "among" if found.p_by_settings[0] >= LEVEL else "not among"
    out = [value for value in found.values if value.ruled_out]
    farther = [value for value in found.values if value.farther and not value.ruled_out]
    still = [value.name for value in out if value.p_by_settings < LEVEL]
    still += [f"{value.name} farther on average" for value in farther if value.p_mean_by_settings < LEVEL]
    lost = [value.name for value in out if value.p_by_settings >= LEVEL]
    lost += [f"{value.name} farther on average" for value in farther if value.p_mean_by_settings >= LEVEL]
    return (
        f"The tables of a setting may share their errors. With whole settings drawn again {left} may be nearest, the values taken {among} "
        f"them. Ruled out all the same: {', '.join(still) or 'none'}. No longer certain: {', '.join(lost) or 'none'}."
    )


def _alone(found: OpenCrossing) -> str:
    """What each parameter says by itself."""
    out = [each for place in found.places for each in found.alone(place)]
    names = [
        f"{value.name}{'' if sure else ' (not so with whole settings drawn again)'}" for value, sure in out
    ]
    says = f"{_listed(names)} ruled out" if names else "no value is ruled out"
    return f"Varied by itself, each parameter with all others as taken: {says}."


def _left_out(found: OpenCrossing, gain: Gain) -> str:
    """What a choice is worth in settings that did not make it."""
    less = sum(each.misfit < each.taken for each in found.left_out)
    settings = number_of(len(found.left_out), "setting")
    return (
        f"Chosen without a setting, the nearest combination has {gain.text} less misfit there than the values taken; it has less in "
        f"{less} of {settings}."
    )


def _planted(made_up: MadeUp) -> str:
    """How well the crossing could tell at all."""
    return (
        f"Of {number_of(made_up.printings, 'made-up printing')} with errors as large as those of the printed tables, {made_up.kept} leave "
        f"the true combination among those that may be nearest. They rule out {made_up.ruled_out:,} of {made_up.values:,} wrong values, "
        f"and {made_up.wrong} of {made_up.parameters:,} true ones."
    )

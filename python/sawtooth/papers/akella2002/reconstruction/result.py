"""What a reconstruction says: the effect of every level, the combinations at full length, the rows that nothing explains.

Source: none. All numbers follow from the combinations that were tried, however many there are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from sawtooth.documents import format_of
from sawtooth.experiment.exhibit import TextTable
from sawtooth.papers.akella2002.reconstruction.calibration import Identified, interval, standings
from sawtooth.papers.akella2002.reconstruction.emulator import pooled
from sawtooth.papers.akella2002.reconstruction.factors import Combination, Factor
from sawtooth.papers.akella2002.reconstruction.rows import EXPLAINED, FIGURE, BlockKey, PrintedRow
from sawtooth.plain import written
from sawtooth.plurals import number_of, verb

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sawtooth.claims.table import Judged
    from sawtooth.papers.akella2002.reconstruction.calibration import Effects, Planted
    from sawtooth.papers.akella2002.reconstruction.sweep import Tried

Array: TypeAlias = "NDArray[np.float64]"
ROUND_TRIP: Final = "path.rtt"


@dataclass(frozen=True)
class Gain:
    """How much less misfit than the values taken: mean over rows and its 95 % interval; negative is more."""

    mean: float
    low: float
    high: float

    @classmethod
    def of(cls, draws: Array, mean: float) -> Gain:
        """From bootstrap draws."""
        low, high = np.percentile(draws, (2.5, 97.5))
        return cls(mean, float(low), float(high))

    @property
    def text(self) -> str:
        """The gain with its interval."""
        return with_interval(self.mean, (self.low, self.high))

    def to_json(self) -> dict[str, float]:
        """Plain data."""
        return {"mean": self.mean, "low": self.low, "high": self.high}


@dataclass(frozen=True)
class Joint:
    """What a doubling of the numbers of one parameter adds, or what values of round trip, packet and buffer add together."""

    name: str
    effect: float
    interval: tuple[float, float]
    held_out: float
    short: str
    """Its name for a cell of a table."""

    def to_json(self) -> dict[str, str | float]:
        """Plain data."""
        low, high = self.interval
        return {"name": self.name, "effect": self.effect, "low": low, "high": high, "held_out": self.held_out}


@dataclass(frozen=True)
class Finalist:
    """A combination at full length: misfits by row, and its gain over the values taken on either half of the rows (None: itself)."""

    combination: Combination
    misfits: Mapping[int, float]
    fitted: Gain | None
    held_out: Gain | None

    def mean(self, rows: NDArray[np.bool_]) -> float:
        """Mean misfit over some of the rows; not a number where none of them was run."""
        found = [misfit for row, misfit in self.misfits.items() if rows[row]]
        return float(np.mean(found)) if found else float("nan")


@dataclass(frozen=True)
class Reconstruction:
    """The whole result. ``training`` says which rows fitted the model."""

    name: str
    factors: tuple[Factor, ...]
    rows: Sequence[PrintedRow]
    training: NDArray[np.bool_]
    tried: Sequence[Tried]
    effects: Effects
    held_out: Effects
    finalists: Sequence[Finalist]
    conditions: Mapping[str, object]
    sizes_of: Sequence[int] = ()
    """The factors of round trip, packet and buffer."""
    planted: Planted | None = None
    """What the same runs say of made-up printings."""
    executed: int = 0
    wall_s: float = 0.0
    report: Path | None = None

    @property
    def judged(self) -> Sequence[Judged]:
        """No claim speaks of it."""
        return ()

    def tables(self) -> list[TextTable]:
        """What was found, the best combination, and those at full length."""
        found = [TextTable("", (), [[sentence] for sentence in (*sentences(self), design(self))])]
        best = []
        for factor, level, shares, says in zip(
            self.factors, self.best, self.shares, self.standings, strict=True
        ):
            share = f"{100 * shares[level]:.0f} %"
            best.append(
                [factor.name, written(factor.levels[0]), written(factor.levels[level]), share, says.value]
            )
        heads = ("parameter", "taken", "best", "in so many draws", "this sweep says")
        found.append(TextTable("the best combination", heads, best))
        full = []
        for entry in self.finalists:
            changed = entry.combination.changed(self.factors)
            values = ", ".join(f"{name} = {written(value)}" for name, value in changed.items()) or "none"
            fitted, other = entry.mean(self.training), entry.mean(~self.training)
            full.append([f"{fitted:.3f}", f"{other:.3f}", values])
        if full:
            columns = ("misfit, fitted half", "misfit, other half", "values changed")
            found.append(TextTable("at full length", columns, full))
        return found

    @property
    def best(self) -> tuple[int, ...]:
        """The levels of the best combination, by the fit to half of the rows."""
        return self.effects.best

    @property
    def shares(self) -> Sequence[Array]:
        """Of each factor, in which share of the draws each level is the best."""
        return self.effects.shares

    @cached_property
    def standings(self) -> list[Identified]:
        """What the sweep says of each factor."""
        return standings(self.effects, self.held_out)

    @cached_property
    def doublings(self) -> list[Joint]:
        """What a doubling adds, of each parameter with several numbers of one unit."""
        found = []
        for place, factor in enumerate(self.factors):
            x = pooled(factor.levels)
            if x is not None:
                effect, interval_ = self.effects.slope(place, x)
                other, _ = self.held_out.slope(place, x)
                found.append(
                    Joint(f"{factor.name}, doubled", effect, interval_, other, f"{factor.short}, doubled")
                )
        return found

    @cached_property
    def sizes(self) -> list[Joint]:
        """What the values of round trip, packet and buffer add together, the least misfit first."""
        factors = [self.factors[place] for place in self.sizes_of]
        choices = list(product(*(factor.levels for factor in factors)))
        order = np.argsort(self.effects.together, kind="stable")
        return [
            Joint(
                name := ", ".join(
                    f"{factor.name} = {written(value)}"
                    for factor, value in zip(factors, choices[place], strict=True)
                ),
                float(self.effects.together[place]),
                interval(self.effects.together_draws[:, place]),
                float(self.held_out.together[place]),
                name,
            )
            for place in map(int, order)
            if place
        ]

    def standing(self, wanted: Identified) -> list[int]:
        """The factors of which they say so."""
        return [place for place, found in enumerate(self.standings) if found is wanted]

    @property
    def gain_fitted(self) -> Gain:
        """Predicted gain of the best combination on the rows that chose it."""
        return Gain.of(self.effects.gains, self.effects.gain)

    @property
    def gain_held_out(self) -> Gain:
        """Predicted gain of the same combination by the fit to the other half alone."""
        return Gain.of(self.held_out.gains, self.held_out.gain)

    def smallest(self) -> dict[int, tuple[float, int]]:
        """Per row the smallest misfit of any combination, full length included, and the number of times it was run."""
        found: dict[int, list[float]] = {}
        for entry in self.tried:
            for row, numbers in entry.numbers.items():
                found.setdefault(row, []).append(self.rows[row].misfit(numbers))
        for finalist in self.finalists:
            for row, misfit in finalist.misfits.items():
                found.setdefault(row, []).append(misfit)
        return {row: (min(misfits), len(misfits)) for row, misfits in sorted(found.items())}

    def unexplained(self) -> list[tuple[PrintedRow, float, int]]:
        """Rows that no combination brings within a factor of two, the worst first."""
        found = [(self.rows[row], least, count) for row, (least, count) in self.smallest().items()]
        return sorted((entry for entry in found if entry[1] > EXPLAINED), key=lambda entry: -entry[1])

    def to_json(self) -> dict[str, Any]:
        """The document of ``--json``."""
        smallest = self.smallest()
        return {
            "format": format_of("reconstruction"),
            "study": self.name,
            "conditions": dict(self.conditions),
            "combinations": len(self.tried),
            "rows": len(self.rows),
            "rows_run": len(smallest),
            "training_rows": [row.name for row, fits in zip(self.rows, self.training, strict=True) if fits],
            "cross_validated": self.effects.cross_validated,
            "numbers_predicted": self.effects.numbers,
            "planted": None if self.planted is None else self.planted.to_json(),
            "best": Combination(-1, self.best).changed(self.factors),
            "gain_fitted": self.gain_fitted.to_json(),
            "gain_held_out": self.gain_held_out.to_json(),
            "effects": [
                {
                    "parameter": factor.name,
                    "value": factor.levels[level],
                    "taken": level == 0,
                    "effect": float(self.effects.means[place][level]),
                    "low": self.effects.interval(place, level)[0],
                    "high": self.effects.interval(place, level)[1],
                    "held_out": float(self.held_out.means[place][level]),
                    "chosen_share": float(self.shares[place][level]),
                    "standing": self.standings[place].value,
                }
                for place, factor in enumerate(self.factors)
                for level in range(len(factor.levels))
            ],
            "joint": [joint.to_json() for joint in (*self.doublings, *self.sizes)],
            "finalists": [
                {
                    "values": entry.combination.changed(self.factors),
                    "misfit_fitted": entry.mean(self.training),
                    "misfit_held_out": entry.mean(~self.training),
                    "gain_fitted": None if entry.fitted is None else entry.fitted.to_json(),
                    "gain_held_out": None if entry.held_out is None else entry.held_out.to_json(),
                    "rows": len(entry.misfits),
                }
                for entry in self.finalists
            ],
            "unexplained": [
                {"row": row.name, "printed": dict(row.values), "least_misfit": least, "runs": count}
                for row, least, count in self.unexplained()
            ],
            "smallest_misfit": {self.rows[row].name: least for row, (least, _) in smallest.items()},
            "executed": self.executed,
            "wall_s": self.wall_s,
            "report": None if self.report is None else str(self.report),
        }


def sentences(found: Reconstruction) -> list[str]:
    """The result in words, every number computed."""
    smallest, has = found.smallest(), found.conditions
    seen = found.effects.cross_validated
    swept = (
        f"{len(found.tried)} of {has['asked']} combinations of {has['factors']} open parameters were run, each for one printed table, with "
        f"{number_of(int(str(has['seeds'])), 'seed')} of {has['duration']} in "
        f"{number_of(int(str(has['environments'])), 'environment')}{_cost(found)}."
    )
    lines = [finding(found), swept, f"{_predicts(found.effects)}{_short_round_trips(found)}."]
    if seen > 0.0:
        changed = len(Combination(-1, found.best).changed(found.factors))
        lines.append(
            f"The combination of least predicted misfit changes {changed} of the values taken. Its predicted gain in misfit is "
            f"{found.gain_fitted.text} on the settings that chose it and {found.gain_held_out.text} on the others."
        )
    if found.planted is not None:
        lines.append(_planted(found.planted))
    if len(found.finalists) > 1:
        lines.append(_at_full_length(found))
    return [*lines, _unexplained(found, len(smallest))]


def _cost(found: Reconstruction) -> str:
    """How many runs that were, where all that was asked for is done."""
    done = len(found.tried) == found.conditions["asked"]
    return f": {int(str(found.conditions['runs'])):,} runs" if done else ""


def design(found: Reconstruction) -> str:
    """How often each table was run."""
    seen = [found.rows[row].block for entry in found.tried for row in list(entry.numbers)[:1]]
    return design_text(seen, {row.block for row in found.rows})


def design_text(seen: Sequence[BlockKey], tables: Collection[BlockKey]) -> str:
    """The same of combinations that were run for the tables ``seen``."""
    times = Counter(seen)
    parts = []
    for name, kind in (("figure", True), ("family of instances", False)):
        counts = [times[table] for table in tables if (table.family == FIGURE) is kind]
        if counts:
            least, most = min(counts), max(counts)
            run = f"{least} to {most}" if least < most else str(most)
            parts.append(f"the table of a {name} with {run} of them ({len(counts)} tables)")
    return f"Each of {number_of(len(seen), 'combination')} was run for one printed table: {', '.join(parts)}."


def _predicts(effects: Effects) -> str:
    """What the emulator says of combinations that it has not seen: the share of their squared differences, below zero where it is worse
    than none."""
    numbers, misfits = (
        f"{round(100 * share, 1) + 0.0:.1f} %" for share in (effects.numbers, effects.cross_validated)
    )
    text = (
        f"Of the squared differences between combinations that it has not seen, the emulator predicts {numbers} in the logarithm of our "
        f"numbers and {misfits} in the misfit"
    )
    return text if effects.cross_validated > 0.0 else f"{text}: no better than none"


def _planted(planted: Planted) -> str:
    """What such a sweep can tell at all."""
    tried = planted.printings * planted.parameters
    return (
        f"Of {number_of(planted.printings, 'made-up printing')} under known values the same runs call {planted.identifiable} of {tried} "
        f"parameters identifiable, {planted.right} of them rightly; {planted.within} values are among those not ruled out."
    )


def _unexplained(found: Reconstruction, rows: int) -> str:
    """How many rows no combination explains, and how few of them tried."""
    missed = found.unexplained()
    text = f"For {len(missed)} of the {rows} printed rows that were run, no combination that ran them comes within a factor of two"
    if not missed:
        return f"{text}."
    fewest = min(count for _, _, count in missed)
    few = sum(count == fewest for _, _, count in missed)
    return f"{text}; {few} of these {len(missed)} {verb('was', few)} run by {number_of(fewest, 'combination')} only."


def _short_round_trips(found: Reconstruction) -> str:
    """What all round trips that were tried say together."""
    for entry in found.doublings:
        if entry.name == f"{ROUND_TRIP}, doubled":
            low, high = entry.interval
            halved = with_interval(-entry.effect, (-high, -low))
            return f"; half the round trip changes it by {halved}, on the other settings by {signed(-entry.held_out)}"
    return ""


def finding(found: Reconstruction) -> str:
    """What the sweep says of the open parameters, in one sentence."""
    if found.effects.cross_validated <= 0.0:
        return (
            f"{len(found.tried)} combinations cannot tell the values of {len(found.factors)} open parameters: what a combination that was "
            "not seen misses cannot be predicted."
        )
    sure = [
        f"{found.factors[place].name} = {written(found.factors[place].levels[found.best[place]])}"
        for place in found.standing(Identified.IDENTIFIABLE)
    ]
    weak = [found.factors[place].name for place in found.standing(Identified.WEAKLY)]
    known = f"{len(sure)} ({', '.join(sure)})" if sure else "none"
    some = f"{len(weak)} weakly ({', '.join(weak)})" if weak else "none weakly"
    return (
        f"Of {len(found.factors)} open parameters {len(found.tried)} combinations identify {known}, {some}, and leave "
        f"{len(found.standing(Identified.NOT))} open."
    )


def _at_full_length(found: Reconstruction) -> str:
    taken, *others = found.finalists
    first = min(others, key=lambda entry: entry.mean(found.training))
    best = (
        "the other combination"
        if len(others) == 1
        else f"the best of {len(others)} others on the fitted settings"
    )
    gains = [gain.text if gain is not None else "unknown" for gain in (first.fitted, first.held_out)]
    fits = found.training
    return (
        f"At full length ({found.conditions['full_duration']}) the values taken have a misfit of {taken.mean(fits):.3f} on the "
        f"fitted settings and {taken.mean(~fits):.3f} on the others. Against them {best} gains {gains[0]} and {gains[1]}."
    )


def signed(value: float) -> str:
    """A difference of misfits, without a minus before zero."""
    return f"{round(value, 3) + 0.0:+.3f}"


def with_interval(mean: float, interval: tuple[float, float]) -> str:
    """A difference of misfits and its 95 % interval."""
    return f"{signed(mean)} ({signed(interval[0])} to {signed(interval[1])})"


def finalists(
    tried: Sequence[Tried], rows: Sequence[PrintedRow], training: NDArray[np.bool_], seed: int
) -> list[Finalist]:
    """Combinations at full length beside the first of them, the values taken."""
    return [
        finalist(each, tried[0] if place else None, rows, training, seed) for place, each in enumerate(tried)
    ]


def finalist(
    chosen: Tried, taken: Tried | None, rows: Sequence[PrintedRow], training: NDArray[np.bool_], seed: int
) -> Finalist:
    """A combination at full length beside the values taken, row by row; intervals by drawing rows again."""
    misfits = {row: rows[row].misfit(numbers) for row, numbers in chosen.numbers.items()}
    if taken is None:
        return Finalist(chosen.combination, misfits, None, None)
    base = {row: rows[row].misfit(numbers) for row, numbers in taken.numbers.items()}
    gains = {row: base[row] - misfits[row] for row in misfits}

    def half(fits: bool) -> Gain | None:
        own = {row: gain for row, gain in gains.items() if bool(training[row]) is fits}
        return by_tables([[own[row] for row in table] for table in tables_of(list(own), rows)], seed)

    return Finalist(chosen.combination, misfits, half(True), half(False))


def tables_of(places: Sequence[int], rows: Sequence[PrintedRow]) -> list[list[int]]:
    """Rows by the printed table that they stand in."""
    found: dict[object, list[int]] = {}
    for place in places:
        found.setdefault(rows[place].block, []).append(place)
    return list(found.values())


def by_tables(gains: Sequence[Sequence[float]], seed: int, draws: int = 2000) -> Gain | None:
    """The mean gain over all rows, and its interval by drawing whole tables again; None without rows."""
    if not gains:
        return None
    generator = np.random.Generator(np.random.PCG64(seed))
    sums, counts = np.array([sum(table) for table in gains]), np.array([len(table) for table in gains])
    drawn = generator.integers(0, len(gains), (draws, len(gains)))
    return Gain.of(sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1), float(sums.sum() / counts.sum()))

"""Two configurations of [Akella02] over the same cells and seeds: which claims turn, by which value alone, and which is nearer to print.

A claim *turns* where it holds under one configuration and fails under the other; it *loosens* where one of the two is undecided. Claims are
compared on what was run. For each value that the second configuration takes otherwise, the first is also run with this value alone. A claim
is turned *by* it if it reaches the second verdict so, and does not with the same seeds under the first configuration as it is. A claim that
none turns needs several values together, or more seeds.

How far numbers are from print is the misfit of `reconstruction.rows`, row by row of the tables of Figures 4 to 11. Source: none.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sawtooth.claims.claim import Claim
from sawtooth.claims.logic import Verdict
from sawtooth.documents import format_of
from sawtooth.experiment.exhibit import TextTable
from sawtooth.experiment.perform import different, jobs_of, perform
from sawtooth.experiment.reproduction import Reproduction, conclude
from sawtooth.experiment.study import Study
from sawtooth.experiment.variation import SIMULATED, effective
from sawtooth.papers import PAPERS
from sawtooth.papers.akella2002.reconstruction.rows import FIGURE, PrintedRow, ours, printed_rows
from sawtooth.papers.akella2002.set_ups.plan import BASE, NAME, PAPER, Planned, plans, tried_values
from sawtooth.papers.configurations import Configuration, configurations
from sawtooth.papers.further import Request
from sawtooth.run.run_count import RunCount
from sawtooth.run.store import Store
from sawtooth.scenario.resolve import Resolved


@dataclass(frozen=True)
class ConfigurationTurn:
    """A claim with two verdicts: under the first configuration and the second, and on the printed tables; ``by`` the values that alone give
    the second verdict."""

    claim: Claim
    first: Verdict
    second: Verdict
    printed: Verdict | None
    by: tuple[str, ...]

    @property
    def hard(self) -> bool:
        """Whether it is decided under both."""
        return Verdict.UNDECIDED not in (self.first, self.second)

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "id": self.claim.id,
            "statement": self.claim.statement,
            "first": self.first.value,
            "second": self.second.value,
            "printed_tables": None if self.printed is None else self.printed.value,
            "turned": self.hard,
            "by": list(self.by),
        }


@dataclass(frozen=True)
class Fit:
    """A printed row of a figure beside what both configurations give."""

    row: PrintedRow
    first: Mapping[str, float]
    second: Mapping[str, float]

    @property
    def misfits(self) -> tuple[float, float]:
        """Of the first configuration and the second; 0.69 is a factor of two."""
        return self.row.misfit(self.first), self.row.misfit(self.second)


@dataclass(frozen=True)
class SetUps:
    """What came out. ``runs`` behind it, of which ``executed`` were simulated now."""

    first: Configuration
    second: Configuration
    results: tuple[Reproduction, Reproduction]
    turns: Sequence[ConfigurationTurn]
    fits: Sequence[Fit]
    order: Request
    base: Mapping[str, Verdict]
    """Verdicts under the first configuration, with the seeds of values alone."""
    runs: int = 0
    executed: int = 0
    wall_s: float = 0.0
    report: Path | None = None

    name: str = NAME
    judged: tuple[()] = ()
    """No claim is decided here: the paper's verdicts are those of its studies."""

    @property
    def study(self) -> Study:
        """The main studies, as run."""
        return self.results[0].parts[0].study

    @property
    def command(self) -> str:
        """What makes it anew."""
        return self.order.command_of(NAME)

    @property
    def hard(self) -> list[ConfigurationTurn]:
        """The claims that turn."""
        return [turn for turn in self.turns if turn.hard]

    def counts(self, result: Reproduction) -> dict[Verdict, int]:
        """How many claims hold, fail and are undecided in one of the results."""
        found = [effective(item) for item in judged_here(result)]
        return {verdict: found.count(verdict) for verdict in Verdict}

    def as_printed(self, result: Reproduction) -> tuple[int, int]:
        """Of the claims that the printed tables decide, how many have their verdict, and how many there are."""
        items = [item for item in judged_here(result) if item.printed in (Verdict.HOLDS, Verdict.FAILS)]
        return sum(effective(item) is item.printed for item in items), len(items)

    def tables(self) -> list[TextTable]:
        """The claims that turn, for the terminal."""
        rows = [
            [turn.claim.id, turn.first, turn.second, turn.printed or "", ", ".join(turn.by) or "several"]
            for turn in self.hard
        ]
        heads = ["claim", self.first.name, self.second.name, "printed tables", "turned alone by"]
        return [TextTable("claims that turn", heads, rows)]

    def to_json(self) -> dict[str, Any]:
        """The document of ``--json``."""
        return {
            "format": format_of("configurations"),
            "study": NAME,
            "command": self.command,
            "seeds": len(self.study.seeds),
            "duration": str(self.study.value_of("duration")),
            "configurations": [
                {
                    "name": entry.name,
                    "values": entry.values,
                    "verdicts": {verdict.value: n for verdict, n in self.counts(result).items()},
                    "misfit": mean(fit.misfits[place] for fit in self.fits),
                }
                for place, (entry, result) in enumerate(
                    zip((self.first, self.second), self.results, strict=True)
                )
            ],
            "claims": [turn.to_json() for turn in self.turns],
            "runs": self.runs,
            "executed": self.executed,
            "wall_s": self.wall_s,
            "report": None if self.report is None else str(self.report),
        }


def mean(values: Iterator[float]) -> float:
    """The mean of values that are there once."""
    found = list(values)
    return sum(found) / len(found)


def judged_here(result: Reproduction) -> list[Any]:
    """The claims that the runs say something about."""
    return [item for item in result.judged if item.finding is not None]


def jobs(wanted: Planned) -> list[Resolved]:
    """Every run of these; some stand in it more than once."""
    return [job for _, studies in wanted for study in studies for each in jobs_of(study) for job in each]


def run_each(order: Request, wanted: Planned) -> dict[str, Reproduction]:
    """What comes out of each, by name. Runs that the store has are not repeated."""
    count = RunCount(order.progress)
    count.expect(different(study for _, studies in wanted for study in studies))
    store, made = Store(order.store), set[str]()
    claims, results = PAPERS[PAPER].claims, {}
    for name, studies in wanted:
        found = []
        for study in studies:
            part = perform(study, store, quick=order.quick, fresh=order.fresh, spared=made, count=count)
            found.append(PAPERS[PAPER].furnished(part))
        results[name] = conclude(PAPER, found, claims, SIMULATED)
    return results


def compare(order: Request) -> SetUps:
    """Run what the store lacks and compare."""
    begun = time.monotonic()
    first, second = configurations(PAPER)
    results = run_each(order, plans(order))
    both, base = (results[first.name], results[second.name]), verdicts(results[BASE])
    return SetUps(
        first,
        second,
        both,
        list(turns(*both, base, {value.key: results[value.key] for value in tried_values(order, second)})),
        list(fits(*both)),
        order,
        base,
        runs=runs_behind(results.values()),
        executed=sum(result.executed for result in results.values()),
        wall_s=time.monotonic() - begun,
    )


def runs_behind(results: Iterable[Reproduction]) -> int:
    """How many different runs these are made from."""
    return len({run for result in results for run in result.run_ids})


def turns(
    first: Reproduction,
    second: Reproduction,
    base: Mapping[str, Verdict],
    single: Mapping[str, Reproduction],
) -> Iterator[ConfigurationTurn]:
    """The claims whose verdict is another one, those that turn first, in the order of the paper. ``base`` are the verdicts of the first
    with the seeds of ``single``."""
    after = verdicts(second)
    by_value = {key: verdicts(result) for key, result in single.items()}

    def turned_by(claim: str) -> tuple[str, ...]:
        if base.get(claim) is after[claim]:
            return ()
        return tuple(key for key, each in by_value.items() if each.get(claim) is after[claim])

    found = [
        ConfigurationTurn(
            item.claim,
            effective(item),
            after[item.claim.id],
            item.printed,
            turned_by(item.claim.id),
        )
        for item in judged_here(first)
        if item.claim.id in after and after[item.claim.id] is not effective(item)
    ]
    return iter(sorted(found, key=lambda turn: not turn.hard))


def verdicts(result: Reproduction) -> dict[str, Verdict]:
    """Of each claim that the runs say something about, the verdict on them."""
    return {item.claim.id: effective(item) for item in judged_here(result)}


def fits(first: Reproduction, second: Reproduction) -> Iterator[Fit]:
    """The printed rows of the figures beside both results."""
    for (row, own), (_, other) in zip(rows_beside(first), rows_beside(second), strict=True):
        yield Fit(row, own, other)


def rows_beside(result: Reproduction) -> Iterator[tuple[PrintedRow, Mapping[str, float]]]:
    """The printed rows of the figures, each with what a result gives."""
    blocks = {block.setting: block for block in result.parts[0].own}
    for row in printed_rows(list(blocks)):
        if row.block.family == FIGURE:
            yield row, ours(row, blocks[row.block.setting])

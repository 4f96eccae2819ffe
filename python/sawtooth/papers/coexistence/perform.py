"""All meetings run; of each victim beside each other sender its share, the harm that it takes, its delay and its retransmissions.

    >>> from sawtooth.papers.coexistence.pairs import setup
    >>> from sawtooth.papers.coexistence.perform import perform
    >>> few = setup().among(("cubic", "bbr"), ("drop-tail 1 BDP",)).shortened()
    >>> found = perform(few)
    >>> found.cell("drop-tail 1 BDP", "cubic", "bbr").share.mean  # 1 is half of the link

Source: [WareMukerjee19] §4 for harm: of goodput (alone − with)/alone, of delay (with − alone)/with. They ask that nobody harms another
more than that does to its own kind; ``beyond`` is the difference of the two, seed by seed.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from sawtooth.claims.table import Judged
from sawtooth.documents import format_of
from sawtooth.experiment.exhibit import TextTable
from sawtooth.experiment.intervals import Interval, interval
from sawtooth.papers.coexistence.pairs import Meeting, Setup
from sawtooth.progress import ProgressCallback
from sawtooth.report.tables import with_spread
from sawtooth.run.api import job_of, scenario_of
from sawtooth.run.row_json import flow_json
from sawtooth.run.run import RunSummary
from sawtooth.run.runner import run_each
from sawtooth.run.store import Store

NAME: Final = "coexistence"


@dataclass(frozen=True)
class Felt:
    """What one flow had of a run: goodput in bit/s, the 95 % quantile of its queueing delay in ms, its share of retransmissions."""

    goodput_bps: float
    delay_ms: float
    retransmitted: float


@dataclass(frozen=True)
class Cell:
    """A victim beside another sender at a router; every value over seeds."""

    router: str
    victim: str
    other: str
    share: Interval
    """Its goodput over half of what both have."""
    harm: Interval
    """Of its goodput."""
    delay_harm: Interval
    """Of the 95 % quantile of its queueing delay."""
    beyond: Interval | None
    """Harm of goodput beyond that by its own kind; None beside its own kind."""
    delay_ms: Interval
    retransmitted: Interval
    margin: float
    """Harm beyond that by its own kind from which it matters."""

    @property
    def hurts(self) -> bool:
        """Whether the other certainly does more harm than its own kind would, by more than the margin."""
        return self.beyond is not None and self.beyond.low is not None and self.beyond.low > self.margin

    @property
    def undecided(self) -> bool:
        """Whether the seeds do not say if the other does that much more harm; one seed never does."""
        if self.beyond is None:
            return False
        low, high = self.beyond.low, self.beyond.high
        return low is None or high is None or low <= self.margin < high

    def to_json(self) -> dict[str, Any]:
        """Its entry in the document."""
        numbers = {
            "share": self.share,
            "harm": self.harm,
            "delay_harm": self.delay_harm,
            "beyond_own_kind": self.beyond,
            "delay_p95_ms": self.delay_ms,
            "retransmitted": self.retransmitted,
        }
        values = {
            name: None if value is None else {"mean": value.mean, "low": value.low, "high": value.high}
            for name, value in numbers.items()
        }
        return {
            "router": self.router,
            "victim": self.victim,
            "other": self.other,
            **values,
            "hurts": self.hurts,
        }


@dataclass(frozen=True)
class Coexistence:
    """Every cell, and the report if one was written."""

    setup: Setup
    cells: Sequence[Cell]
    runs: int
    wall_s: float
    report: Path | None = None
    name: str = NAME

    @property
    def command(self) -> str:
        """What makes it again."""
        quick = " --quick" if self.setup.is_quick else ""
        return f"sawtooth reproduce {NAME}{quick} --seeds {self.setup.seeds}"

    @property
    def judged(self) -> list[Judged]:
        """It claims nothing."""
        return []

    def cell(self, router: str, victim: str, other: str) -> Cell:
        """The cell of this victim. KeyError if it was not run."""
        for cell in self.cells:
            if (cell.router, cell.victim, cell.other) == (router, victim, other):
                return cell
        raise KeyError(f"no cell {victim} beside {other} at {router}")

    def hurt(self, router: str) -> list[Cell]:
        """The cells of a router in which the other certainly does more harm than the victim's own kind, the worst first."""
        found = [cell for cell in self.cells if cell.router == router and cell.hurts]
        return sorted(found, key=lambda cell: cell.share.mean)

    def hurt_by(self, sender: str) -> int:
        """In how many cells of all routers this sender certainly does more harm than the victim's own kind."""
        return sum(cell.hurts for cell in self.cells if cell.other == sender)

    def undecided(self, router: str) -> int:
        """In how many cells of a router the seeds decide nothing."""
        return sum(cell.undecided for cell in self.cells if cell.router == router)

    def tables(self) -> list[TextTable]:
        """A table per router: the share of each sender (rows) beside each other one (columns)."""
        senders = list(self.setup.senders)
        return [
            TextTable(
                router,
                ("", *senders),
                [
                    (victim, *(with_spread(self.cell(router, victim, other).share, 2) for other in senders))
                    for victim in senders
                ],
                "share of the row beside the column; 1 is half of what both have. "
                f"Of {len(senders) * (len(senders) - 1)} pairs {len(self.hurt(router))} suffer more than beside their own kind, "
                f"{self.undecided(router)} are undecided",
            )
            for router in self.setup.routers
        ]

    def to_json(self) -> dict[str, Any]:
        """The document of ``--json``."""
        return {
            "format": format_of("coexistence"),
            "study": NAME,
            "cells": [cell.to_json() for cell in self.cells],
            "seeds": self.setup.seeds,
            "runs": self.runs,
            "margin": self.setup.margin,
            "wall_s": self.wall_s,
            "report": None if self.report is None else str(self.report),
        }


def felt(run: RunSummary) -> tuple[Felt, ...]:
    """What each flow of a run had of it."""
    rows = map(flow_json, run.flows.to_pylist())
    return tuple(
        Felt(row["goodput_bps"], row["queue_delay_ms"]["p95"], row["retransmits"] / max(row["sent"], 1))
        for row in rows
    )


def cells(setup: Setup, runs: Mapping[tuple[Meeting, int], tuple[Felt, ...]]) -> Iterator[Cell]:
    """The cells of all ordered pairs, from what was felt in each meeting by seed."""

    def of(router: str, victim: str, other: str, seed: int) -> Felt:
        order = list(setup.senders)
        group = tuple(sorted((victim, other), key=order.index))
        found = runs[Meeting(router, group), seed]
        if victim == other:
            return Felt(
                *np.mean([[flow.goodput_bps, flow.delay_ms, flow.retransmitted] for flow in found], axis=0)
            )
        return found[group.index(victim)]

    seeds = range(1, setup.seeds + 1)
    for router in setup.routers:
        for victim in setup.senders:
            alone = [runs[Meeting(router, (victim,)), seed][0] for seed in seeds]
            own = [of(router, victim, victim, seed) for seed in seeds]
            for other in setup.senders:
                with_it = [of(router, victim, other, seed) for seed in seeds]
                beside = [of(router, other, victim, seed) for seed in seeds]
                shares = [
                    2 * a.goodput_bps / (a.goodput_bps + b.goodput_bps)
                    for a, b in zip(with_it, beside, strict=True)
                ]
                harm = [1 - a.goodput_bps / b.goodput_bps for a, b in zip(with_it, alone, strict=True)]
                by_own = [1 - a.goodput_bps / b.goodput_bps for a, b in zip(own, alone, strict=True)]
                delays = [
                    1 - b.delay_ms / a.delay_ms if a.delay_ms else 0.0
                    for a, b in zip(with_it, alone, strict=True)
                ]
                yield Cell(
                    router,
                    victim,
                    other,
                    interval(shares),
                    interval(harm),
                    interval(delays),
                    None if other == victim else interval(np.subtract(harm, by_own)),
                    interval([flow.delay_ms for flow in with_it]),
                    interval([flow.retransmitted for flow in with_it]),
                    setup.margin,
                )


def perform(
    setup: Setup,
    store: Store | Path | str | None = None,
    *,
    fresh: bool = False,
    progress: ProgressCallback | None = None,
) -> Coexistence:
    """Run every meeting over the seeds."""
    begun = time.monotonic()
    home = store if isinstance(store, Store) else Store(store)
    keys = [(meeting, seed) for meeting in setup.meetings for seed in range(1, setup.seeds + 1)]
    scenarios = {meeting: scenario_of(setup.scenario_of(meeting)) for meeting in setup.meetings}
    jobs = [job_of(scenarios[meeting], seed) for meeting, seed in keys]
    runs = dict(
        zip(keys, run_each(jobs, home, felt, fresh=fresh, progress=progress, whole=False), strict=True)
    )
    return Coexistence(setup, list(cells(setup, runs)), len(jobs), time.monotonic() - begun)

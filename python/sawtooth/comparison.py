"""A comparison: the runs of a study, what they said, and the verdicts on its claims.

``perform`` makes the runs that the store lacks and evaluates; ``evaluate`` reads a store and never runs. Both give a ``Comparison``,
whose rows (``score_rows``, ``cell_rows``, ``claim_rows``) are those of ``--json``; ``scores``, ``cells`` and ``claims`` are Arrow
tables of them. Claims are judged where all parts of a paper are at hand (``reproduction``), and put in there.

Source: the JSON of ``sawtooth compare`` and ``sawtooth reproduce`` is an interface other programs rely on; keys may be added, none removed.
"""

from __future__ import annotations

import itertools
import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final, overload

import pyarrow as pa

from sawtooth import _native, gain, ratio_histograms, share_gap
from sawtooth.claims.table import Judged
from sawtooth.claims.view import Part
from sawtooth.curves import Curve, lay
from sawtooth.errors import InputError
from sawtooth.flow_shares import SharesFigure, lay_shares, shares
from sawtooth.intervals import interval
from sawtooth.matrix import Block, Outcome, ProbeRun, Results, collect
from sawtooth.metrics import METRIC_NAMES
from sawtooth.plain import json_value
from sawtooth.plan import Planned, ProbeKey
from sawtooth.progress import ProgressCallback
from sawtooth.published import ENVIRONMENTS, printed_beside
from sawtooth.resolve import Decided, Resolved, decide, resolve
from sawtooth.run import Run, RunSummary, run_id_of
from sawtooth.runner import run_each
from sawtooth.scenario import Scenario, parse_scenario
from sawtooth.scoring import SCORED
from sawtooth.store import Store
from sawtooth.strips import StripsFigure, lay_strips, recorded
from sawtooth.study import Study

Row = dict[str, Any]


CLAIM_SCHEMA = pa.schema(
    [(name, pa.string()) for name in ("id", "verdict", "on_subset", "reason", "statement", "evidence")]
)


DERIVED: Final[Mapping[str, Callable[[Mapping[str, Sequence[ProbeRun]]], list[Curve]]]] = {
    share_gap.STUDY: share_gap.curves,
    ratio_histograms.STUDY: ratio_histograms.curves,
    gain.STUDY: gain.curves,
}
"""Figures of a study that no single value of its runs gives, by the study's name."""


class MissingRunError(LookupError):
    """A run that an evaluation needs is not in the store."""


@dataclass(frozen=True)
class Comparison:
    """Results of a study with its verdicts. ``executed`` runs were simulated now, the others came from the store."""

    study: Study
    results: Results
    judged: Sequence[Judged] = ()
    quick: bool = False
    varied: Mapping[str, object] = field(default_factory=dict)
    executed: int = 0
    wall_s: float = 0.0
    report: Path | None = None

    @property
    def run_ids(self) -> list[str]:
        """Every run behind the numbers, each once."""
        return self.results.run_ids()

    @property
    def part(self) -> Part:
        """What checks of claims see of it."""
        return Part(self.results, self.study.tolerance)

    @cached_property
    def curves(self) -> list[Curve]:
        """The figures over its probes, in the order of the study, then those that are worked out of several values."""
        drawn = [lay(spec, self.results.probes[spec.probe]) for spec in self.study.curve]
        derived = DERIVED.get(self.study.name)
        return drawn if derived is None else [*drawn, *derived(self.results.probes)]

    @cached_property
    def shares(self) -> list[SharesFigure]:
        """The figures of single flows' throughputs over its probes."""
        return [lay_shares(spec, self.results.probes[spec.probe]) for spec in self.study.shares]

    @cached_property
    def strips(self) -> list[StripsFigure]:
        """The figures of single flows over time."""
        return [lay_strips(spec, self.results.probes[spec.probe]) for spec in self.study.strips]

    @property
    def engine(self) -> str:
        """Version of Sawtooth and of the engine that made the runs."""
        version = _native.version()
        return f"{version['version']} · {version['engine']}"

    @cached_property
    def algorithms(self) -> dict[str, Row]:
        """Every algorithm of the set A: its control as written and the resolved numbers."""
        return {
            entry.label: {"control": entry.control, "resolved": json.loads(_native.controller(entry.control))}
            for entry in self.study.algorithm
        }

    @cached_property
    def own(self) -> list[Block]:
        """The blocks of the study's own settings, in its order."""
        return [self.results.blocks[str(setting)] for setting in self.study.matrix.settings]

    @cached_property
    def score_rows(self) -> list[Row]:
        """One row per algorithm, setting and scored metric: D and C with intervals, and the printed ones where they exist."""
        return [row for block in self.own for row in score_rows(block)]

    @cached_property
    def cell_rows(self) -> list[Row]:
        """One row per algorithm, setting, environment and metric: mean over seeds with interval (goodput unclipped)."""
        return [row for block in self.own for row in cell_rows(block)]

    @cached_property
    def claim_rows(self) -> list[Row]:
        """One row per claim: id, verdict, evidence, statement, and what the runs cover of it."""
        return [item.to_json() for item in self.judged]

    @property
    def scores(self) -> pa.Table:
        """``score_rows`` as an Arrow table."""
        return pa.Table.from_pylist(self.score_rows)

    @property
    def cells(self) -> pa.Table:
        """``cell_rows`` as an Arrow table."""
        return pa.Table.from_pylist(self.cell_rows)

    @property
    def claims(self) -> pa.Table:
        """The claims as an Arrow table; the evidence of each is JSON text, its depth being its own."""
        return claims_table(self.judged)

    def to_json(self) -> Row:
        """The document of ``--json``."""
        matrix = self.study.matrix
        return {
            "study": self.study.name,
            "title": self.study.title,
            "changed": dict(self.study.changed),
            "seeds": len(self.results.seeds),
            "environments": list(self.results.environments),
            "curves": [curve.to_json() for curve in self.curves],
            "shares": [figure.to_json() for figure in self.shares],
            "strips": [figure.to_json() for figure in self.strips],
            "scores": self.score_rows,
            "cells": self.cell_rows,
            "claims": self.claim_rows,
            "runs": len(self.run_ids),
            "wall_s": self.wall_s,
            "executed": self.executed,
            "quick": self.quick,
            "varied": dict(self.varied),
            "algorithms": self.algorithms,
            "settings": [str(setting) for setting in matrix.settings],
            "compared_with": [str(setting) for setting in matrix.compared_with],
            "absent_environments": list(matrix.absent),
            "parameters": {entry.key: entry.value for entry in self.study.parameter},
            "run_ids": self.run_ids,
            "report": None if self.report is None else str(self.report),
        }


def claims_table(judged: Sequence[Judged]) -> pa.Table:
    """Claims with their verdicts, one row each; the evidence is JSON text, its depth being its own."""
    rows = [
        {
            "id": item.claim.id,
            "verdict": item.verdict.value,
            "on_subset": item.finding.verdict.value if item.partial and item.finding else None,
            "reason": item.reason,
            "statement": item.claim.statement,
            "evidence": json.dumps(json_value({} if item.finding is None else item.finding.to_json())),
        }
        for item in judged
    ]
    return pa.Table.from_pylist(rows, CLAIM_SCHEMA)


def score_rows(block: Block) -> list[Row]:
    """D and C of every algorithm and metric of one setting. Printed scores stand beside those over the same set A only."""
    recovery, _, router = block.setting.partition("/")
    table = printed_beside(block.setting, block.algorithms, block.environments)
    rows: list[Row] = []
    for algorithm in block.algorithms:
        for metric in SCORED:
            score = block.scores.of(algorithm, metric)
            beside = table.get(algorithm, {})
            rows.append(
                {
                    "algorithm": algorithm,
                    "recovery": recovery,
                    "router": router,
                    "metric": metric,
                    "D": score.D.mean,
                    "D_low": score.D.low,
                    "D_high": score.D.high,
                    "C": score.C.mean,
                    "C_low": score.C.low,
                    "C_high": score.C.high,
                    "published_D": beside.get(f"D_{metric}"),
                    "published_C": beside.get(f"C_{metric}"),
                    "published_environments": ENVIRONMENTS if beside else None,
                    "D_of_means": score.D_of_means,
                    "C_of_means": score.C_of_means,
                    "worst_environment": score.worst,
                    "set_A": list(block.peers(algorithm)),
                    "set_E": list(block.environments),
                }
            )
    return rows


def cell_rows(block: Block) -> list[Row]:
    """Mean and interval of every metric in every cell of one setting; None where a metric is undefined."""
    recovery, _, router = block.setting.partition("/")
    rows = []
    for a, algorithm in enumerate(block.algorithms):
        for e, environment in enumerate(block.environments):
            for metric in METRIC_NAMES:
                found = interval(block.values[metric][a, e])
                rows.append(
                    {
                        "algorithm": algorithm,
                        "recovery": recovery,
                        "router": router,
                        "environment": environment,
                        "metric": metric,
                        "mean": None if math.isnan(found.mean) else found.mean,
                        "low": found.low,
                        "high": found.high,
                    }
                )
    return rows


def perform(
    study: Study,
    store: Store,
    *,
    quick: bool = False,
    fresh: bool = False,
    threads: int | None = None,
    progress: ProgressCallback | None = None,
    spared: set[str] | None = None,
) -> Comparison:
    """Run what the store lacks of a study (everything if ``fresh``, but for the runs that are ``spared``) and evaluate it.

    InputError before the first run for what a router, an environment or a probe of it refuses.
    """
    begun = time.monotonic()
    refused = refusal(study)
    if refused is not None:
        raise refused
    plan = list(study.plan())
    outcomes: list[Outcome] = []
    before = executed = 0  # of the runs so far, how many were stored and how many simulated
    for chosen in alike(plan):
        stored = wanted = 0

        def counted(
            done: int, total: int, reused: int, past: int = len(outcomes), known: int = before
        ) -> None:
            nonlocal stored, wanted
            stored, wanted = reused, total
            if progress is not None:
                progress(past + done, len(plan), known + reused)

        jobs = Jobs(study, chosen)
        outcomes += run_each(
            jobs, store, jobs.outcome, fresh=fresh, threads=threads, progress=counted, spared=spared
        )
        before, executed = before + stored, executed + wanted - stored
    results = collect(plan, outcomes, study.families)
    return Comparison(study, results, quick=quick, executed=executed, wall_s=time.monotonic() - begun)


def evaluate(study: Study, store: Store, *, quick: bool = False) -> Comparison:
    """The same from stored runs alone. MissingRunError names the first run that is not there."""
    plan = list(study.plan())
    outcomes = []
    for chosen in alike(plan):
        jobs = Jobs(study, chosen)
        for planned, job in zip(chosen, jobs, strict=True):
            stored = jobs.stored(store, job)
            if stored is None:
                raise MissingRunError(f"{study.name}: no stored run for {planned.key}")
            outcomes.append(jobs.outcome(stored))
    return Comparison(study, collect(plan, outcomes, study.families), quick=quick)


def refusal(study: Study) -> InputError | None:
    """Why the scenarios of a study are refused, by one of each router, environment and probe; None where they are accepted."""
    routers = list({setting.router: setting for setting in study.matrix.settings}.values())
    names = study.matrix.environments
    try:
        for place, setting in enumerate(routers):
            for environment in names if place == 0 else names[:1]:
                cell = study.cell(setting, study.algorithm[0], environment)
                resolve(parse_scenario(cell, name=study.name), study.seeds[0])
        for probe in study.probe:
            first = next(study.probed(probe))
            resolve(parse_scenario(first.scenario, name=study.name), first.seed)
    except InputError as error:
        return error
    return None


def alike(plan: Sequence[Planned]) -> list[list[Planned]]:
    """A plan as cells and then probe by probe, its order: of each the same is kept."""
    kinds = itertools.groupby(plan, key=lambda planned: getattr(planned.key, "probe", None))
    return [list(chosen) for _, chosen in kinds]


PARSED_MOST: Final = 8
"""Scenarios that a plan keeps read."""


class Jobs(Sequence[Resolved]):
    """The resolved scenarios of a study's plan (or some of it), in its order, each made when it is asked for: a study of any number of
    runs holds no more than those under way. InputError for what the scenario refuses."""

    def __init__(self, study: Study, plan: Sequence[Planned] | None = None) -> None:
        self.study = study
        self.plan: list[Planned] = list(study.plan() if plan is None else plan)
        probes = {entry.name: entry for entry in study.probe}
        names = dict.fromkeys(p.key.probe for p in self.plan if isinstance(p.key, ProbeKey))
        self._measures = {measure.text(): measure for name in names for measure in probes[name].measures}
        self._flows = bool(names) and not self._measures
        self._shares = any(spec.probe in names for spec in study.shares)
        self._recorded = any(spec.probe in names for spec in study.strips)
        self._parsed: dict[int, tuple[Mapping[str, Any], Scenario, Decided]] = {}
        """The scenarios read last, by identity: one is asked for with one seed after another, and by who names and who runs the jobs."""

    def __len__(self) -> int:
        return len(self.plan)

    @overload
    def __getitem__(self, index: int) -> Resolved: ...
    @overload
    def __getitem__(self, index: slice) -> list[Resolved]: ...
    def __getitem__(self, index: int | slice) -> Resolved | list[Resolved]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        planned = self.plan[index]
        known = self._parsed.get(id(planned.scenario))
        if known is None:
            scenario = parse_scenario(planned.scenario, name=self.study.name)
            known = (planned.scenario, scenario, decide(scenario))
            while len(self._parsed) >= PARSED_MOST:
                del self._parsed[next(iter(self._parsed))]
            self._parsed[id(planned.scenario)] = known
        _, scenario, decided = known
        return resolve(scenario, planned.seed, decided)

    def stored(self, store: Store, job: Resolved) -> RunSummary | None:
        """A job's run from the store, with its records where something needs them; None if it is not there."""
        whole = self._measures or self._shares or self._recorded
        return (store.get if whole else store.summary)(run_id_of(job), job)

    def outcome(self, run: RunSummary) -> Outcome:
        """What is kept of a run of this study."""
        measures = {}
        if self._measures:
            assert isinstance(run, Run), "measures are of whole runs"
            measures = {name: measure(run) for name, measure in self._measures.items()}
        outcome = Outcome.of(run, flows=self._flows, measures=measures)
        if self._shares or self._recorded:
            assert isinstance(run, Run), "single flows are of whole runs"
            kept = recorded(run) if self._recorded else None
            return replace(outcome, shares=shares(run) if self._shares else (), recorded=kept)
        return outcome


class Held(Sequence[Resolved]):
    """Jobs that are resolved once: what was named is held until it is asked for again, to run it. For some hundreds of jobs."""

    def __init__(self, jobs: Sequence[Resolved]) -> None:
        self._jobs = jobs
        self._held: dict[int, Resolved] = {}

    def __len__(self) -> int:
        return len(self._jobs)

    @overload
    def __getitem__(self, index: int) -> Resolved: ...
    @overload
    def __getitem__(self, index: slice) -> list[Resolved]: ...
    def __getitem__(self, index: int | slice) -> Resolved | list[Resolved]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        job = self._held.pop(index, None)
        if job is None:
            job = self._jobs[index]
            self._held[index] = job
        return job

"""Perform a study: make the runs that the store lacks, and gather what they said into a ``Comparison``.

``perform`` runs and evaluates; ``evaluate`` reads a store and never runs. ``StudyJobs`` are the resolved scenarios of a plan.

Source: none.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any, Final, overload

from sawtooth.errors import InputError
from sawtooth.experiment.comparison import Comparison
from sawtooth.experiment.matrix import collect
from sawtooth.experiment.plan import Planned, ProbeKey
from sawtooth.experiment.study import Study
from sawtooth.measure.run_part import Known
from sawtooth.measure.single_flows import recorded, shares
from sawtooth.plain import canonical
from sawtooth.progress import ProgressCallback
from sawtooth.run.api import controllers_of
from sawtooth.run.outcome import Outcome
from sawtooth.run.run import Run, RunSummary, run_id_of
from sawtooth.run.run_count import RunCount
from sawtooth.run.runner import run_each
from sawtooth.run.store import Store
from sawtooth.run.used import watching
from sawtooth.scenario.resolve import Decided, Resolved, decide, resolve
from sawtooth.scenario.scenario import Scenario


class MissingRunError(LookupError):
    """A run that an evaluation needs is not in the store."""


def perform(
    study: Study,
    store: Store,
    *,
    quick: bool = False,
    fresh: bool = False,
    threads: int | None = None,
    progress: ProgressCallback | None = None,
    spared: set[str] | None = None,
    count: RunCount | None = None,
) -> Comparison:
    """Run what the store lacks of a study (everything if ``fresh``, but for the runs that are ``spared``) and evaluate it.

    ``count`` is that of the whole work of which the study is a part; without one, ``progress`` hears of the study alone. InputError before
    the first run for what a router, an environment or a probe of it refuses.
    """
    from sawtooth.experiment.recalled import keep, recall  # of no use to a command that is refused

    begun = time.monotonic()
    refused = refusal(study)
    if refused is not None:
        raise refused
    if count is None:
        count = RunCount(progress)
        count.expect(different([study]))
    plan = list(study.plan())
    outcomes: list[Outcome] = []
    executed = 0

    def noted(run_id: str, stored: bool) -> None:
        nonlocal executed
        executed += not stored
        count.add(run_id, stored)

    for chosen in alike(plan):
        jobs = StudyJobs(study, chosen)
        found = None if fresh else recall(store, jobs)
        if found is None:
            with watching() as used:
                found = run_each(
                    jobs,
                    store,
                    jobs.outcome,
                    fresh=fresh,
                    threads=threads,
                    spared=spared,
                    noted=noted,
                    whole=jobs.whole,
                )
            keep(store, jobs, found, used)
        else:
            for outcome in found:
                noted(outcome.run_id, True)
        outcomes += found
    results = collect(plan, outcomes, study.families)
    return Comparison(study, results, quick=quick, executed=executed, wall_s=time.monotonic() - begun)


def evaluate(study: Study, store: Store, *, quick: bool = False) -> Comparison:
    """The same from stored runs alone. MissingRunError names the first run that is not there."""
    plan = list(study.plan())
    outcomes = []
    for chosen in alike(plan):
        jobs = StudyJobs(study, chosen)
        for planned, job in zip(chosen, jobs, strict=True):
            stored = jobs.stored(store, job)
            if stored is None:
                raise MissingRunError(f"{study.name}: no stored run for {planned.key}")
            outcomes.append(jobs.outcome(stored))
    return Comparison(study, collect(plan, outcomes, study.families), quick=quick)


def different(studies: Iterable[Study]) -> int:
    """How many different runs studies need together. Their scenarios are told apart by what they mean, not by how they are written, and
    none is resolved."""
    meant: dict[tuple[str, str], bytes] = {}
    """By directory and text of a scenario, what it means."""
    found: set[tuple[bytes, str]] = set()
    for study in studies:
        last: Mapping[str, Any] | None = None
        for planned in study.plan():
            if planned.scenario is not last:  # one after another has the same, with other seeds
                last = planned.scenario
                written = study.directory, canonical(last)
                if written not in meant:
                    text = f"{study.directory}\n{study.read(last).model_dump_json()}"
                    meant[written] = sha256(text.encode()).digest()
            found.add((meant[written], planned.seed))
    return len(found)


def jobs_of(study: Study) -> list[StudyJobs]:
    """The runs of a study, those of one kind together. InputError for what ``perform`` refuses."""
    refused = refusal(study)
    if refused is not None:
        raise refused
    return [StudyJobs(study, chosen) for chosen in alike(list(study.plan()))]


def refusal(study: Study) -> InputError | None:
    """Why the scenarios of a study are refused, by one of each router, environment and probe; None where they are accepted."""
    routers = list({setting.router: setting for setting in study.matrix.settings}.values())
    names = study.matrix.environments
    try:
        for place, setting in enumerate(routers):
            for environment in names if place == 0 else names[:1]:
                cell = study.cell(setting, study.algorithm[0], environment)
                resolve(study.read(cell), study.seeds[0])
        for probe in study.probe:
            first = next(study.probed(probe))
            scenario = study.read(first.scenario)
            job = resolve(scenario, first.seed)
            for measure in probe.measures:
                accepted = measure.lacks(job.engine, job.meta)
                if accepted is not None:
                    return InputError(scenario.name, f"probe.{probe.name}.measures", measure.text(), accepted)
    except InputError as error:
        return error
    return None


def alike(plan: Sequence[Planned]) -> list[list[Planned]]:
    """A plan as cells and then probe by probe, its order: of each the same is kept."""
    kinds = itertools.groupby(plan, key=lambda planned: getattr(planned.key, "probe", None))
    return [list(chosen) for _, chosen in kinds]


PARSED_MOST: Final = 8
"""Scenarios that a plan keeps read."""


class StudyJobs(Sequence[Resolved]):
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
        self._parsed: dict[int, tuple[Mapping[str, Any], Scenario, Decided, list[str]]] = {}
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
            scenario = self.study.read(planned.scenario)
            known = (planned.scenario, scenario, decide(scenario), controllers_of(scenario))
            while len(self._parsed) >= PARSED_MOST:
                del self._parsed[next(iter(self._parsed))]
            self._parsed[id(planned.scenario)] = known
        _, scenario, decided, controllers = known
        job = resolve(scenario, planned.seed, decided)
        return replace(job, meta={**job.meta, "controllers": controllers})

    @property
    def metrics_alone(self) -> bool:
        """Whether `outcome` keeps nothing of a run but its metrics."""
        return bool(self.study.paper) and not (self.whole or self._flows)

    @property
    def whole(self) -> bool:
        """Whether `outcome` looks at more of a run than its counters and metrics."""
        return bool(self._measures or self._shares or self._recorded)

    def stored(self, store: Store, job: Resolved) -> RunSummary | None:
        """A job's run from the store, with its records where something needs them; None if it is not there."""
        return (store.get if self.whole else store.summary)(run_id_of(job), job)

    def outcome(self, run: RunSummary) -> Outcome:
        """What is kept of a run of this study."""
        measures = {}
        if self._measures:
            assert isinstance(run, Run), "measures are of whole runs"
            known: Known = {}
            measures = {name: measure(run, known) for name, measure in self._measures.items()}
        outcome = Outcome.of(run, flows=self._flows, delays=not self.study.paper, measures=measures)
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

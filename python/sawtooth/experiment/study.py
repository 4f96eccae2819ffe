"""A study: one figure or table of a paper as data, and the plan of runs that it stands for.

Source: the files in ``studies/`` of each paper, one TOML per study, read and checked by ``study_files``. Nothing is
decided here about their content.

A paper is several studies. Those marked ``main`` share set-up and algorithms and differ in settings alone: their cells stand in one
table (``paper.join``). Every other study is a part of its own, with its own set-up, algorithms, environments and seeds.

A study file names what the paper states in ``[scenario]`` and every parameter it leaves open in a ``[[parameter]]`` of its own:
key, value taken, plausible values, what the paper says, and the reason. The value is put under its key into the scenario,
so an open parameter stands in one place only, and a sensitivity study can vary it by name (``Study.varied``).

| table        | what                                                                                                       |
|--------------|------------------------------------------------------------------------------------------------------------|
| extends      | another file, which this one completes: tables key by key, parameters one by one                                 |
| main         | whether its settings join those of the paper's other main studies                                          |
| [scenario]   | the scenario of every run, as a user would write it, without control, recovery, queue and environment      |
| [[parameter]]| one open parameter; ``only`` limits it to some environments, ``routers`` to some routers                   |
| [changed]    | what the paper states for this study in place of the shared set-up: dotted keys and values                 |
| [[algorithm]]| label of the printed tables, control; ``family`` where scores are formed among its members only            |
| [matrix]     | settings (recovery, router), settings read for comparison, environments present and absent, seeds          |
| [routers]    | the ``queue`` table of each router name; an empty one leaves what the scenario says                        |
| [environments]| the ``environment`` table of a name in the matrix, where it is more than a ``kind``; empty as for routers |
| [search]     | how an environment of that table was found, where its numbers are not the paper's                          |
| [quick]      | seeds, duration and warm-up of ``--quick``                                                                 |
| [tolerance]  | the number meant by about, clearly, much more ..., stated once, before running                             |
| [expected]   | the printed numbers and where they stand                                                                   |
| [[probe]]    | further scenarios with keys varied over lists, for claims that speak of one flow or one event              |
| [[curve]]    | a figure over the runs of a probe: a value against one dimension, a series for each label of another       |
| [[shares]]   | a figure of the throughputs of single flows over the drop rate, from the runs of a probe (``flow_shares``)   |
| [[strips]]   | a figure of single flows over time, from what a run of a probe recorded (``strips``)                         |
| claims       | ids of claims that the study judges beyond those that speak of its cells (``claims.table.touched``)        |
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Final

from pydantic import Field

from sawtooth.errors import MISSING, InputError
from sawtooth.experiment.figure_specs import CurveSpec, SharesSpec, StripsSpec
from sawtooth.experiment.plan import CellKey, Label, Planned, ProbeKey, put
from sawtooth.measure.measures import Measure
from sawtooth.plain import copied
from sawtooth.run.run_count import RUNS_MAX
from sawtooth.scenario.fields import Strict
from sawtooth.scenario.overrides import apply_overrides
from sawtooth.scenario.scenario import Scenario, parse_scenario
from sawtooth.scenario.tcp_fields import without_settings_of_laws
from sawtooth.scenario.values import Control

MIXED: Final = "mixed"
"""As the recovery of a setting: each group of flows keeps its own."""


class Algorithm(Strict):
    """One algorithm of the set A: its label in the printed tables and its control as a user writes it."""

    label: str
    control: str
    family: str = ""


class Setting(Strict):
    """Recovery and router, by the names of the published tables (``reno``, ``droptail``)."""

    recovery: str
    router: str

    def __str__(self) -> str:
        return f"{self.recovery}/{self.router}"


class OpenParameter(Strict):
    """An open parameter. ``key`` is its dotted place in the scenario; ``plausible`` what else it could have been."""

    key: str
    value: Any
    plausible: list[Any] = Field(default_factory=list)
    stated: str = ""
    reason: str = ""
    only: list[str] | None = None
    routers: list[str] | None = None

    def same(self, other: OpenParameter) -> bool:
        """Whether both are the same parameter of the same cells."""
        return (self.key, self.only, self.routers) == (other.key, other.only, other.routers)

    def applies(self, environment: str | None, router: str | None) -> bool:
        """Whether it belongs to a cell of that environment and router; None is a scenario without one."""
        return (self.only is None or environment in self.only) and (
            self.routers is None or router in self.routers
        )


def at_value(parameters: Sequence[OpenParameter], entry: OpenParameter, value: object) -> list[OpenParameter]:
    """The same open parameters with one of them at another value; unchanged without it."""
    return [other.model_copy(update={"value": value}) if other.same(entry) else other for other in parameters]


class Tolerance(Strict):
    """A number that stands for a word. ``per_environment``: a bound on a sum over 13 environments, scaled to those present."""

    value: float
    meaning: str
    sum_over: int | None = None

    def over(self, environments: int) -> float:
        """The number for a sum over that many environments (the number itself where it bounds no sum)."""
        return self.value if self.sum_over is None else self.value * environments / self.sum_over


class Searched(Strict):
    """How an environment whose numbers are not the paper's was found: the command, and of how many patterns that covered its space how
    many met the goal. ``rule`` is that by which they were counted (``claims.multiplicity.RULE``), ``behaviour`` what the runs used, as
    ``report.computed`` writes it; `python -m tools.computed` says what has moved on since."""

    command: str
    rule: Annotated[int, Field(ge=1)] | None = None
    behaviour: str = ""
    met: Annotated[int, Field(ge=0)]
    of: Annotated[int, Field(ge=1)]


class Matrix(Strict):
    """Which runs: settings x algorithms x environments x seeds. A study of probes alone has none."""

    settings: list[Setting] = Field(default_factory=list)
    compared_with: list[Setting] = Field(default_factory=list)
    environments: list[str] = Field(default_factory=list)
    absent: list[str] = Field(default_factory=list)
    absent_reason: str = ""
    seeds: Annotated[int, Field(ge=1, le=RUNS_MAX)] = 1
    first_seed: Annotated[int, Field(ge=1)] = 1


class QuickStudy(Strict):
    """The shortened form: same cells and claims, fewer seeds, shorter runs."""

    seeds: Annotated[int, Field(ge=1, le=RUNS_MAX)]
    """Number of seeds."""
    duration: str
    """Simulated time, such as "60 s"."""
    warmup: str
    """Time before measuring begins, such as "15 s"."""


class Expected(Strict):
    """The printed numbers and where they stand: by algorithm and column, or the ``file`` in ``tables/`` of the paper that has them
    (``PAPER/file`` of another paper).

    ``lost`` says what survives where the numbers do not.
    """

    source: str
    environments: int = 13
    values: dict[str, dict[str, float]] = Field(default_factory=dict)
    file: str = ""
    lost: str = ""


class Vary(Strict):
    """A probe's dimension: the scenario key, the values it takes and their labels."""

    name: str
    key: str
    values: list[Any]
    labels: list[Label]


class Probe(Strict):
    """Further scenarios for claims that the matrix cannot answer: the product of its ``vary`` lists, over ``seeds`` seeds.

    ``base``: its scenario is put over the study's own, open parameters included; without it stands alone. Flows of its own replace the
    study's, and an open parameter of flows holds for each group that does not say otherwise. ``measures`` are kept of each run beside
    the metrics; a probe that names any keeps no table of flows.
    """

    name: str
    why: str
    scenario: dict[str, Any]
    vary: Annotated[list[Vary], Field(min_length=1)]
    seeds: Annotated[int, Field(ge=1, le=RUNS_MAX)] = 1
    first_seed: Annotated[int, Field(ge=1)] = 1
    base: bool = False
    measures: list[Measure] = Field(default_factory=list)

    @property
    def runs(self) -> int:
        """Number of runs that `plan` gives."""
        return math.prod(len(entry.values) for entry in self.vary) * self.seeds

    def choices(self) -> Iterator[dict[str, Label]]:
        """The labels of its runs, seeds aside, in the order of the lists, the last list fastest."""
        for choice in self._places():
            yield {entry.name: entry.labels[place] for entry, place in zip(self.vary, choice, strict=True)}

    def plan(self, base: Mapping[str, Any], of_flows: Mapping[str, Any]) -> Iterator[Planned]:
        """Its runs over a base scenario, in the order of ``choices``, seeds innermost. ``of_flows`` holds for each group of flows that
        does not say otherwise."""
        for choice, labels in zip(self._places(), self.choices(), strict=True):
            data = merged(copied(dict(base)), copied(self.scenario))
            for entry, place in zip(self.vary, choice, strict=True):
                put(data, entry.key, copied(entry.values[place]))
            if of_flows:
                data["flows"] = [merged(copied(of_flows), group) for group in data["flows"]]
            for seed in range(self.first_seed, self.first_seed + self.seeds):
                yield Planned(ProbeKey(self.name, tuple(labels.items()), str(seed)), str(seed), data)

    def _places(self) -> Iterator[tuple[int, ...]]:
        return itertools.product(*(range(len(entry.values)) for entry in self.vary))


class Study(Strict):
    """A checked study file."""

    name: str
    title: str
    paper: str
    main: bool = False
    figure: str = ""
    table: str = ""
    section: str = ""
    picture: str = ""
    scenario: dict[str, Any]
    parameter: list[OpenParameter] = Field(default_factory=list)
    changed: dict[str, Any] = Field(default_factory=dict)
    algorithm: list[Algorithm] = Field(default_factory=list)
    matrix: Matrix = Field(default_factory=Matrix)
    routers: dict[str, dict[str, Any]] = Field(default_factory=dict)
    environments: dict[str, dict[str, Any]] = Field(default_factory=dict)
    search: dict[str, Searched] = Field(default_factory=dict)
    quick: QuickStudy | None = None
    tolerance: dict[str, Tolerance] = Field(default_factory=dict)
    expected: Expected | None = None
    probe: list[Probe] = Field(default_factory=list)
    curve: list[CurveSpec] = Field(default_factory=list)
    shares: list[SharesSpec] = Field(default_factory=list)
    strips: list[StripsSpec] = Field(default_factory=list)
    claims: list[str] = Field(default_factory=list)
    directory: str = ""
    """Where the files that its scenarios name are looked for, empty for the working directory; made by whoever reads it, in no file."""
    joined: list[str] = Field(default_factory=list)
    """Names of the studies that stand in this one; made by paper.join, in no file."""
    short: dict[str, str] = Field(default_factory=dict)
    """By label, what printed tables call an algorithm; a comparison's, in no file."""
    overrides: dict[str, Any] = Field(default_factory=dict)
    """Values put last over every cell, by dotted key; a comparison's, in no file."""
    chosen: tuple[str, ...] = ()
    """What was chosen so that all its controllers go with its scenario, a sentence each; a comparison's, in no file."""
    source: str = ""
    """The scenario file behind it, which stands in front of errors; a comparison's, in no file."""

    @property
    def runs(self) -> int:
        """Number of runs that `plan` gives, probes included; counted without making their scenarios."""
        matrix = self.matrix
        settings = len(matrix.settings) + len(matrix.compared_with)
        cells = settings * len(self.algorithm) * len(matrix.environments)
        return cells * matrix.seeds + sum(probe.runs for probe in self.probe)

    def shortened(self) -> Study:
        """The ``--quick`` form. InputError for a study without one."""
        if self.quick is None:
            accepted = "a table [quick] with seeds, duration and warmup"
            raise InputError(self.name, "quick", MISSING, accepted)
        shorter = self.with_value("duration", self.quick.duration).with_value("warmup", self.quick.warmup)
        return shorter.seeded(self.quick.seeds)

    def seeded(self, seeds: int, first: int = 1) -> Study:
        """The same study over ``seeds`` seeds, named by numbers from ``first``; a probe keeps its own number where that is smaller."""
        return self.replaced(
            matrix=self.matrix.model_copy(update={"seeds": seeds, "first_seed": first}),
            probe=[entry.model_copy(update={"seeds": min(entry.seeds, seeds)}) for entry in self.probe],
        )

    def starting_at(self, first: int) -> Study:
        """The same study over as many seeds, those of probes too, from number ``first`` on."""
        return self.replaced(
            matrix=self.matrix.model_copy(update={"first_seed": first}),
            probe=[entry.model_copy(update={"first_seed": first}) for entry in self.probe],
        )

    def extended(self, seeds: int) -> Study:
        """The same study over ``seeds`` seeds, its probes too; one of a single seed is of one run whatever is asked."""
        return self.replaced(
            matrix=self.matrix.model_copy(update={"seeds": seeds}),
            probe=[
                entry.model_copy(update={"seeds": seeds}) if entry.seeds > 1 else entry
                for entry in self.probe
            ],
        )

    def varied(self, key: str, value: object) -> Study:
        """The same study with one open parameter at another value. KeyError if it has no such parameter."""
        if key not in [entry.key for entry in self.parameter]:
            raise KeyError(f"{self.name} has no open parameter {key!r}")
        return self.with_value(key, value)

    def with_value(self, key: str, value: object) -> Study:
        """The same study with a scenario key at another value, whether it is an open parameter or not."""
        if key not in [entry.key for entry in self.parameter]:
            scenario = copied(self.scenario)
            put(scenario, key, value)
            return self.replaced(scenario=scenario)
        changed = [
            entry.model_copy(update={"value": value}) if entry.key == key else entry
            for entry in self.parameter
        ]
        return self.replaced(parameter=changed)

    def value_of(self, key: str) -> object:
        """The value under a dotted key of the scenario or of an open parameter. KeyError where it is neither."""
        for entry in self.parameter:
            if entry.key == key:
                return entry.value
        found: Any = self.scenario
        for part in key.split("."):
            found = found[part]
        return found

    def with_entry(self, entry: OpenParameter, value: object) -> Study:
        """The same study with one entry of its open parameters at another value, whatever others have its key; unchanged without it."""
        return self.replaced(parameter=at_value(self.parameter, entry, value))

    def replaced(self, **changes: object) -> Study:
        """The same study with some tables replaced."""
        return self.model_copy(update=changes)

    @property
    def seeds(self) -> tuple[str, ...]:
        """The seeds of the matrix, as strings."""
        first = self.matrix.first_seed
        return tuple(str(number) for number in range(first, first + self.matrix.seeds))

    @property
    def families(self) -> dict[str, str]:
        """The family of each algorithm, by label; scores are formed within a family."""
        return {entry.label: entry.family for entry in self.algorithm}

    @property
    def in_families(self) -> bool:
        """Whether every algorithm is an instance of a named family, as in the appendix."""
        return bool(self.algorithm) and all(entry.family for entry in self.algorithm)

    def plan(self) -> Iterator[Planned]:
        """Every run of the study in a fixed order: cells (own settings, then those for comparison), then probes."""
        for setting in [*self.matrix.settings, *self.matrix.compared_with]:
            for algorithm in self.algorithm:
                for environment in self.matrix.environments:
                    data = self.cell(setting, algorithm, environment)
                    for seed in self.seeds:
                        yield Planned(CellKey(str(setting), algorithm.label, environment, seed), seed, data)
        for probe in self.probe:
            yield from self.probed(probe)

    def kinds(self) -> Iterator[Mapping[str, Any]]:
        """Its scenarios but for seeds, and of algorithms one that takes a recovery and one that takes none."""
        by_kind = {Control.parse(entry.control).takes_recovery: entry for entry in reversed(self.algorithm)}
        settings = [*self.matrix.settings, *self.matrix.compared_with]
        for setting, algorithm in itertools.product(settings, by_kind.values()):
            yield from (self.cell(setting, algorithm, name) for name in self.matrix.environments)
        for probe in self.seeded(1).probe:
            yield from (planned.scenario for planned in self.probed(probe))

    def probed(self, probe: Probe) -> Iterator[Planned]:
        """The runs of one of its probes."""
        if not probe.base:
            return probe.plan({}, {})
        of_flows: dict[str, Any] = {}
        for entry in self.parameter:
            table, _, key = entry.key.partition(".")
            if table == "flows" and entry.applies(None, None):
                put(of_flows, key, entry.value)
        return probe.plan(self._base(None, None), of_flows)

    def cell(self, setting: Setting, algorithm: Algorithm, environment: str) -> dict[str, Any]:
        """The scenario of one cell, as plain data in the user's format (parse_scenario checks it)."""
        data = self._base(environment, setting.router)
        if self.overrides:
            data = apply_overrides(data, self.overrides)
        for group in data["flows"]:
            if group.get("reverse"):
                continue  # no test flow
            group["control"] = algorithm.control
            control = Control.parse(algorithm.control)
            if not control.takes_recovery and not control.is_endpoint:
                group.pop("recovery", None)  # it sends nothing twice
            elif setting.recovery != MIXED:
                group["recovery"] = setting.recovery
        if self.drops_settings(Control.parse(algorithm.control)):
            without_settings_of_laws(data)
        return data

    def drops_settings(self, control: Control) -> bool:
        """Whether what a scenario says of window laws is left out beside this controller, which has a model in their place: if it is said
        for others of the study, or by nobody."""
        if not control.has_model:
            return False
        return not self.source or any(not Control.parse(each.control).has_model for each in self.algorithm)

    def read(self, tables: Mapping[str, Any]) -> Scenario:
        """The scenario that tables of its plan mean. InputError, which names the file behind the study if there is one."""
        return parse_scenario(tables, self.source or self.name, self.directory or None)

    def _base(self, environment: str | None, router: str | None) -> dict[str, Any]:
        """The scenario with environment and queue, if any, and the open parameters that apply to them."""
        data = copied(self.scenario)
        table = self.environments.get(environment, {"kind": environment}) if environment is not None else {}
        if table:
            data["environment"] = merged(data.get("environment", {}), copied(table))
        if router is not None and self.routers[router]:
            put(data, "bottleneck.queue", copied(self.routers[router]))
        for entry in self.parameter:
            if entry.applies(environment, router):
                put(data, entry.key, copied(entry.value))
        return data


def merged(shared: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """``own`` over ``shared``: tables are joined key by key, anything else is replaced."""
    result = dict(shared)
    for key, value in own.items():
        old = result.get(key)
        result[key] = merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return result

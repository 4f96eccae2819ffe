"""A study: one figure or table of a paper as data, and the plan of runs that it stands for.

Source: files in ``studies/`` (one TOML per figure; ``extends`` names a file with what several studies share). This module reads
and checks them; it decides nothing about their content.

A study file names what the paper states in ``[scenario]`` and every parameter it leaves open in a ``[[parameter]]`` of its own:
key, value taken, plausible values, what the paper says, and the reason. The value is put under its key into the scenario,
so an open parameter stands in one place only, and a sensitivity study can vary it by name (``Study.varied``).

| table        | what                                                                                                       |
|--------------|------------------------------------------------------------------------------------------------------------|
| [scenario]   | the scenario of every run, as a user would write it, without control, recovery, queue and environment      |
| [[parameter]]| one open parameter; ``only`` limits it to some environments                                                |
| [[algorithm]]| label of the printed tables, control                                                                       |
| [matrix]     | settings (recovery, router), settings read for comparison, environments present and absent, seeds          |
| [routers]    | the ``queue`` table of each router name                                                                    |
| [quick]      | seeds, duration and warm-up of ``--quick``                                                                 |
| [tolerance]  | the number meant by about, clearly, much more ..., stated once, before running                             |
| [expected]   | the printed numbers and where they stand                                                                   |
| [[probe]]    | further scenarios with keys varied over lists, for claims that speak of one flow or one event              |
| claims       | ids of the claims that the study touches                                                                   |
"""

from __future__ import annotations

import copy
import itertools
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import Field, ValidationError

from sawtooth.errors import MISSING, InputError
from sawtooth.fields import Strict, input_error
from sawtooth.plan import CellKey, Label, Planned, ProbeKey, put

STUDIES: Final = ("akella2002/fig4", "akella2002/fig5")
"""Every study, in the order of the paper. ``akella2002`` alone means all of a paper's studies."""

COMPARISON: Final = "compare.toml"
"""The file with the set-up that ``sawtooth compare`` uses where the user says nothing else."""


class Algorithm(Strict):
    """One algorithm of the set A: its label in the printed tables and its control as a user writes it."""

    label: str
    control: str


class Setting(Strict):
    """Recovery and router, by the names of the published tables (``reno``, ``droptail``)."""

    recovery: str
    router: str

    def __str__(self) -> str:
        return f"{self.recovery}/{self.router}"


class Parameter(Strict):
    """An open parameter. ``key`` is its dotted place in the scenario; ``plausible`` what else it could have been."""

    key: str
    value: Any
    plausible: list[Any]
    stated: str
    reason: str
    only: list[str] | None = None


class Tolerance(Strict):
    """A number that stands for a word. ``per_environment``: a bound on a sum over 13 environments, scaled to those present."""

    value: float
    meaning: str
    sum_over: int | None = None

    def over(self, environments: int) -> float:
        """The number for a sum over that many environments (the number itself where it bounds no sum)."""
        return self.value if self.sum_over is None else self.value * environments / self.sum_over


class Matrix(Strict):
    """Which runs: settings x algorithms x environments x seeds."""

    settings: Annotated[list[Setting], Field(min_length=1)]
    compared_with: list[Setting] = Field(default_factory=list)
    environments: Annotated[list[str], Field(min_length=1)]
    absent: list[str] = Field(default_factory=list)
    absent_reason: str = ""
    seeds: Annotated[int, Field(ge=1)]


class Quick(Strict):
    """The shortened form: same cells and claims, fewer seeds, shorter runs."""

    seeds: Annotated[int, Field(ge=1)]
    duration: str
    warmup: str


class Expected(Strict):
    """The printed numbers of the figure, by algorithm and column."""

    source: str
    environments: int
    values: dict[str, dict[str, float]]


class Vary(Strict):
    """A probe's dimension: the scenario key, the values it takes and their labels."""

    name: str
    key: str
    values: list[Any]
    labels: list[Label]


class Probe(Strict):
    """Further scenarios for claims that the matrix cannot answer: the product of its ``vary`` lists. One seed each."""

    name: str
    why: str
    scenario: dict[str, Any]
    vary: Annotated[list[Vary], Field(min_length=1)]

    def plan(self) -> Iterator[Planned]:
        """Its runs, in the order of the lists, the last list fastest."""
        for choice in itertools.product(*(range(len(entry.values)) for entry in self.vary)):
            data = copy.deepcopy(self.scenario)
            labels = []
            for entry, place in zip(self.vary, choice, strict=True):
                put(data, entry.key, entry.values[place])
                labels.append((entry.name, entry.labels[place]))
            yield Planned(ProbeKey(self.name, tuple(labels)), "1", data)


class Study(Strict):
    """A checked study file."""

    name: str
    title: str
    paper: str
    figure: str = ""
    section: str = ""
    picture: str = ""
    scenario: dict[str, Any]
    parameter: list[Parameter] = Field(default_factory=list)
    algorithm: Annotated[list[Algorithm], Field(min_length=1)]
    matrix: Matrix
    routers: dict[str, dict[str, Any]]
    quick: Quick
    tolerance: dict[str, Tolerance] = Field(default_factory=dict)
    expected: Expected | None = None
    probe: list[Probe] = Field(default_factory=list)
    claims: list[str] = Field(default_factory=list)

    @property
    def runs(self) -> int:
        """Number of runs at the default seeds, probes included."""
        return sum(1 for _ in self.plan())

    def shortened(self) -> Study:
        """The ``--quick`` form."""
        shorter = self.with_value("duration", self.quick.duration).with_value("warmup", self.quick.warmup)
        return shorter.seeded(self.quick.seeds)

    def seeded(self, seeds: int) -> Study:
        """The same study over ``seeds`` seeds (named "1", "2", ...)."""
        return self.replaced(matrix=self.matrix.model_copy(update={"seeds": seeds}))

    def varied(self, key: str, value: object) -> Study:
        """The same study with one open parameter at another value. KeyError if it has no such parameter."""
        if key not in [entry.key for entry in self.parameter]:
            raise KeyError(f"{self.name} has no open parameter {key!r}")
        return self.with_value(key, value)

    def with_value(self, key: str, value: object) -> Study:
        """The same study with a scenario key at another value, whether it is an open parameter or not."""
        if key not in [entry.key for entry in self.parameter]:
            scenario = copy.deepcopy(self.scenario)
            put(scenario, key, value)
            return self.replaced(scenario=scenario)
        changed = [
            entry.model_copy(update={"value": value}) if entry.key == key else entry
            for entry in self.parameter
        ]
        return self.replaced(parameter=changed)

    def replaced(self, **changes: object) -> Study:
        """The same study with some tables replaced."""
        return self.model_copy(update=changes)

    @property
    def seeds(self) -> tuple[str, ...]:
        """The seeds of the matrix, as strings."""
        return tuple(str(number) for number in range(1, self.matrix.seeds + 1))

    def plan(self) -> Iterator[Planned]:
        """Every run of the study in a fixed order: cells (own settings, then those for comparison), then probes."""
        for setting in [*self.matrix.settings, *self.matrix.compared_with]:
            for algorithm in self.algorithm:
                for environment in self.matrix.environments:
                    data = self.cell(setting, algorithm, environment)
                    for seed in self.seeds:
                        yield Planned(CellKey(str(setting), algorithm.label, environment, seed), seed, data)
        for probe in self.probe:
            yield from probe.plan()

    def cell(self, setting: Setting, algorithm: Algorithm, environment: str) -> dict[str, Any]:
        """The scenario of one cell, as plain data in the user's format (parse_scenario checks it)."""
        data = copy.deepcopy(self.scenario)
        put(data, "environment.kind", environment)
        for entry in self.parameter:
            if entry.only is None or environment in entry.only:
                put(data, entry.key, entry.value)
        put(data, "bottleneck.queue", copy.deepcopy(self.routers[setting.router]))
        for group in data["flows"]:
            group["control"] = algorithm.control
            group["recovery"] = setting.recovery
        return data


def join(name: str, studies: Sequence[Study]) -> Study:
    """Several studies of one paper as one: their settings, probes and claims together, each run once.

    They must agree on everything else, since their cells are to stand in one table.
    """
    first = studies[0]
    if len(studies) == 1:
        return first
    for other in studies[1:]:
        same = ("scenario", "parameter", "algorithm", "quick", "tolerance")
        differing = [key for key in same if getattr(other, key) != getattr(first, key)]
        if other.matrix.environments != first.matrix.environments or other.matrix.seeds != first.matrix.seeds:
            differing.append("matrix")
        if differing:
            raise AssertionError(f"{first.name} and {other.name} differ in {', '.join(differing)}")
    settings = list(dict.fromkeys(setting for study in studies for setting in study.matrix.settings))
    compared = dict.fromkeys(setting for study in studies for setting in study.matrix.compared_with)
    return first.replaced(
        name=name,
        title=f"{first.paper}: figures {' and '.join(study.figure for study in studies)}",
        figure="",
        section="",
        picture="",
        expected=None,
        matrix=first.matrix.model_copy(
            update={
                "settings": settings,
                "compared_with": [setting for setting in compared if setting not in settings],
            }
        ),
        probe=list({probe.name: probe for study in studies for probe in study.probe}.values()),
        claims=list(dict.fromkeys(name for study in studies for name in study.claims)),
    )


def study_names(name: str) -> tuple[str, ...]:
    """The studies that ``name`` means: one (``akella2002/fig4``) or all of a paper (``akella2002``)."""
    found = tuple(entry for entry in STUDIES if entry == name or entry.partition("/")[0] == name)
    if not found:
        papers = sorted({entry.partition("/")[0] for entry in STUDIES})
        raise InputError("reproduce", None, name, f"one of {', '.join([*papers, *STUDIES])}")
    return found


def load_study(name: str) -> Study:
    """The study of that name, from the packaged files or, in a source tree, from ``studies/``."""
    (only,) = study_names(name) if name in STUDIES else (name,)
    return read_study(studies_folder() / (only.replace("/", "_") + ".toml"))


def list_studies() -> list[dict[str, Any]]:
    """What `sawtooth list studies` shows of each: name, title, paper, figure, number of runs and of claims."""
    studies = [load_study(name) for name in STUDIES]
    return [
        {
            "name": study.name,
            "title": study.title,
            "paper": study.paper,
            "figure": study.figure,
            "runs": study.runs,
            "claims": len(study.claims),
        }
        for study in studies
    ]


def load_comparison() -> Study:
    """The set-up behind ``sawtooth compare``."""
    return read_study(studies_folder() / COMPARISON)


def read_study(path: Path | resources.abc.Traversable) -> Study:
    """Read and check one file. InputError names file, key, value and what is accepted."""
    data = read_toml(path)
    if "extends" in data:
        data = merged(read_toml(_sibling(path, str(data.pop("extends")))), data)
    try:
        study = Study.model_validate(data)
    except ValidationError as error:
        raise input_error(error, path.name) from None
    _check(path.name, study)
    return study


def merged(shared: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """``own`` over ``shared``: tables are joined key by key, anything else is replaced."""
    result = dict(shared)
    for key, value in own.items():
        old = result.get(key)
        both_tables = isinstance(old, dict) and isinstance(value, dict)
        result[key] = merged(old, value) if both_tables and isinstance(old, dict) else value
    return result


def _check(where: str, study: Study) -> None:
    """What the types cannot say."""
    labels = [entry.label for entry in study.algorithm]
    _unique(where, "algorithm.label", labels)
    _unique(where, "parameter.key", [f"{entry.key} {entry.only}" for entry in study.parameter])
    _unique(where, "matrix.environments", study.matrix.environments)
    _unique(where, "claims", study.claims)
    _unique(where, "probe.name", [entry.name for entry in study.probe])
    for setting in [*study.matrix.settings, *study.matrix.compared_with]:
        if setting.router not in study.routers:
            raise InputError(where, "matrix.settings", setting.router, f"one of {', '.join(study.routers)}")
    for number, entry in enumerate(study.parameter):
        for name in entry.only or []:
            if name not in study.matrix.environments:
                known = ", ".join(study.matrix.environments)
                raise InputError(where, f"parameter[{number}].only", name, f"one of {known}")
    if not isinstance(study.scenario.get("flows"), list):
        raise InputError(
            where, "scenario.flows", study.scenario.get("flows", MISSING), "a list of flow groups"
        )
    for probe in study.probe:
        for vary in probe.vary:
            if len(vary.labels) != len(vary.values):
                raise InputError(
                    where, f"probe.{probe.name}.{vary.name}.labels", vary.labels, "one label per value"
                )
    if study.expected is not None:
        for label in study.expected.values:
            if label not in labels:
                raise InputError(where, "expected.values", label, f"one of {', '.join(labels)}")


def _unique(where: str, key: str, names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise InputError(where, key, name, "each entry once")


def read_toml(path: Path | resources.abc.Traversable) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(str(path), None, MISSING, f"a readable file ({error.strerror})") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(path.name, None, MISSING, f"valid TOML: {error}") from error


def _sibling(path: Path | resources.abc.Traversable, name: str) -> Path | resources.abc.Traversable:
    return path.parent / name if isinstance(path, Path) else studies_folder() / name


def studies_folder() -> Path | resources.abc.Traversable:
    """Where the study files are: inside the installed package, else at the root of the source tree."""
    packaged = resources.files("sawtooth").joinpath("studies")
    if packaged.is_dir():
        return packaged
    return Path(__file__).resolve().parents[2] / "studies"

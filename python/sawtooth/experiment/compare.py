"""Compare any controllers: raw values, scores and who leads, over any network, settings, environments and seeds.

    >>> import sawtooth as st
    >>> found = st.compare(["aimd(1, 0.8)", "aimd(1, 0.5)"], scenario="examples/one-flow.toml", set={"path.rtt": "100 ms"}, seeds=2)
    >>> found.scores.select(["algorithm", "metric", "D", "C"]).slice(0, 1).to_pylist()
    [{'algorithm': 'aimd(1, 0.8)', 'metric': 'goodput', 'D': 0.0, 'C': 0.0}]
    >>> len(found.leads)  # who leads in goodput, fairness, delay and loss
    4

The network is that of the study file compare.toml, or the user's scenario, whose test flows all get the controllers in turn. The set A is
the controllers given, the set E the environments, and every score names both.

Source: none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from dataclasses import replace as changed
from pathlib import Path
from typing import Any, Final

from sawtooth import _native
from sawtooth.errors import MISSING, InputError
from sawtooth.experiment.compared_network import (
    Network,
    Source,
    left_out,
    network_of,
    refuse_contradictions,
    refuse_idle,
    values_of,
)
from sawtooth.experiment.comparison import Comparison
from sawtooth.experiment.environment_value import (
    FILE_OPTION,
    OPTION,
    EnvironmentSource,
    environment_file,
    environment_value,
)
from sawtooth.experiment.perform import perform
from sawtooth.experiment.study import Algorithm, OpenParameter, Setting, Study
from sawtooth.experiment.study_files import load_comparison
from sawtooth.plain import copied
from sawtooth.progress import ProgressCallback
from sawtooth.run.run_count import check_seeds
from sawtooth.run.store import Store
from sawtooth.scenario.environments.sets import USUAL, WITHOUT, expanded
from sawtooth.scenario.values import controller_error

RECOVERY: Final = "sack"
ROUTER: Final = "droptail"


def compare(
    controllers: Sequence[str],
    recoveries: Sequence[str] = (),
    routers: Sequence[str] = (),
    environments: Sequence[EnvironmentSource] | EnvironmentSource = (),
    seeds: int | None = None,
    store: Store | Path | str | None = None,
    fresh: bool = False,
    duration: str | None = None,
    warmup: str | None = None,
    threads: int | None = None,
    progress: ProgressCallback | None = None,
    *,
    scenario: Source | None = None,
    set: Mapping[str, Any] | Sequence[str] = (),  # noqa: A002 - the name of the option
    environment_files: Sequence[Path | str] = (),
) -> Comparison:
    """Run every controller in every setting and environment over the same seeds, and score them.

    ``scenario`` is a file, TOML text, a mapping or a loaded Scenario. Each controller in turn drives all of its test flows. Its recovery,
    queue and environment are used unless an argument replaces them. Without a scenario the network is a dumbbell of ten flows, with
    recovery sack, drop-tail queues and the thirteen environments ``"akella2002"``. ``set`` replaces values by dotted key before anything
    is checked, as a mapping or as texts ``KEY=VALUE``.

    ``environments`` are names of environments or of sets of them (``"all"``: every one that needs no number of the user's), calls such as
    ``square(high="10 Mbit/s", low="1 Mbit/s", period="10 s")``, or tables; ``"none"`` is no cross traffic. ``environment_files`` are
    schedules in CSV. Stored runs are not repeated.

        >>> import sawtooth as st
        >>> length = {"duration": "20 s", "warmup": "5 s"}
        >>> found = st.compare(["aimd(1, 0.8)", "cubic"], ["sack"], ["red"], environments=["sq-high"], seeds=2, **length)
        >>> len(found.run_ids)
        4
    """
    study = comparison_study(
        controllers,
        recoveries,
        routers,
        environments,
        seeds,
        duration,
        warmup,
        scenario=scenario,
        values=values_of(set),
        environment_files=environment_files,
    )
    home = store if isinstance(store, Store) else Store(store)
    found = perform(study, home, fresh=fresh, threads=threads, progress=progress)
    return changed(found, varied=values_of(set))


def comparison_study(
    controllers: Sequence[str],
    recoveries: Sequence[str] = (),
    routers: Sequence[str] = (),
    environments: Sequence[EnvironmentSource] | EnvironmentSource = (),
    seeds: int | None = None,
    duration: str | None = None,
    warmup: str | None = None,
    *,
    scenario: Source | None = None,
    values: Mapping[str, Any] | None = None,
    environment_files: Sequence[Path | str] = (),
) -> Study:
    """The study that a comparison stands for. InputError for an unknown name or one that stands twice, and for what the network refuses."""
    base = load_comparison()
    algorithms = labelled(controllers)
    if seeds is not None:
        check_seeds("compare", seeds)
    asked = _Asked(
        _names("--recovery", recoveries, _native.recovery),
        _unique("--router", [_router(name, base.routers) for name in routers]),
        _environments(environments, environment_files),
    )
    given = dict(values or {})
    options = {"--recovery": recoveries, "--router": routers, "--environment": asked.environments}
    refuse_contradictions(given, options | {"--duration": duration, "--warmup": warmup})
    times = {key: value for key, value in (("duration", duration), ("warmup", warmup)) if value is not None}
    source = base.scenario if scenario is None else scenario
    network = network_of(
        source,
        given | times,
        [entry.control for entry in algorithms],
        environment=not asked.environments,
        router=not asked.routers,
        recovery=asked.recoveries[0] if asked.recoveries else None,
    )
    study = _study(
        base if scenario is None else base.replaced(parameter=[]), network, asked, scenario is None
    )
    study = study.replaced(algorithm=algorithms)
    if scenario is None and not given:
        study = study.replaced(short=_short(algorithms, base.algorithm))
    if seeds is not None:
        check_seeds("compare", seeds, study.seeded(1).runs)
        study = study.seeded(seeds)
    wrote = given if scenario is None else {**network.tables, **given}
    refuse_idle(study, wrote)
    return study.replaced(chosen=(*study.chosen, *left_out(study, wrote)))


@dataclass(frozen=True)
class _Asked:
    """What the arguments vary: recoveries, routers, and environments with their tables by label."""

    recoveries: list[str]
    routers: list[str]
    environments: dict[str, dict[str, Any]]


def _study(base: Study, network: Network, asked: _Asked, usual: bool) -> Study:
    """The settings and environments of a comparison over a network; ``usual``: it is that of compare.toml."""
    own_queue = not asked.routers and not (usual and not _says(network, "bottleneck", "queue"))
    own_environment = not asked.environments and not (usual and not _says(network, "environment"))
    environments = asked.environments
    if not environments:
        usual_ones = {name: {"kind": name} for name in expanded([USUAL])}
        environments = {network.environment: {}} if own_environment else usual_ones
    routers = asked.routers or [network.router if own_queue else ROUTER]
    tables = {name: {} if own_queue else base.routers.get(name, {"kind": name}) for name in routers}
    recoveries = asked.recoveries or [network.recovery]
    matrix = base.matrix.model_copy(
        update={
            "settings": [Setting(recovery=name, router=router) for name in recoveries for router in routers],
            "environments": list(environments),
        }
    )
    return base.replaced(
        title="Comparison" if usual else f"Comparison on {Path(network.source).name}",
        scenario=network.scenario(environment=own_environment, router=own_queue),
        parameter=[_also(entry, environments) for entry in base.parameter],
        matrix=matrix,
        routers=tables,
        environments=environments,
        overrides=dict(network.values),
        chosen=(network.chosen,) if network.chosen else (),
        source="" if usual else network.source,
        directory="" if usual else network.directory,
    )


def _says(network: Network, *path: str) -> bool:
    """Whether the tables of a network have something there."""
    table: Any = network.tables
    for name in path:
        table = table.get(name) if isinstance(table, Mapping) else None
    return table is not None and (not isinstance(table, Mapping) or "kind" in table or "file" in table)


def _also(entry: OpenParameter, environments: Mapping[str, Mapping[str, Any]]) -> OpenParameter:
    """An open parameter that holds for an environment also where that is written with parameters of its own, unless it is among these."""
    if entry.only is None:
        return entry
    name = entry.key.rpartition(".")[2]
    more = [
        label
        for label, table in environments.items()
        if label not in entry.only and table.get("kind") in entry.only and name not in table
    ]
    return entry.model_copy(update={"only": [*entry.only, *more]})


def _environments(
    given: Sequence[EnvironmentSource] | EnvironmentSource, files: Sequence[Path | str]
) -> dict[str, dict[str, Any]]:
    """The tables of the environments that are asked for, by label."""
    places = [given] if isinstance(given, str | Mapping) else list(given)
    found = []
    for place in places:
        for name in expanded([place]) if isinstance(place, str) else [place]:
            found.append((WITHOUT, {}) if name == WITHOUT else environment_value(name))
    read = [environment_file(path) for path in files]
    _unique(OPTION, [label for label, _ in found])
    _unique(FILE_OPTION, [label for label, _ in read])
    return {label: copied(dict(table)) for label, table in [*found, *read]}


def labelled(controllers: Sequence[str]) -> list[Algorithm]:
    """Algorithms whose labels are what the user wrote. InputError for none, for a wrong one and for the same one twice."""
    if not controllers:
        raise InputError("compare", "CONTROLLER", MISSING, "at least one controller, such as 'aimd(1, 0.8)'")
    known: dict[str, str] = {}
    for text in controllers:
        numbers = _canonical(text)
        if numbers in known:
            accepted = (
                "each once" if known[numbers] == text else f"each once; {known[numbers]} has the same numbers"
            )
            raise InputError("compare", "CONTROLLER", text, accepted)
        known[numbers] = text
    return [Algorithm(label=text.strip(), control=text) for text in controllers]


def _short(algorithms: Sequence[Algorithm], known: Sequence[Algorithm]) -> dict[str, str]:
    """By label, the short name of those that have one in the study's file."""
    names = {_canonical(entry.control): entry.label for entry in known}
    found = {entry.label: names.get(_canonical(entry.control)) for entry in algorithms}
    return {label: name for label, name in found.items() if name is not None}


def _canonical(text: str) -> str:
    try:
        return _native.controller(text)
    except ValueError as error:
        raise controller_error(error, text).located("compare", "CONTROLLER") from None


def _names(option: str, given: Sequence[str], canonical: Any) -> list[str]:
    found = []
    for name in given:
        try:
            found.append(str(canonical(name)))
        except ValueError as error:
            raise InputError("compare", option, name, _accepted(error)) from None
    return _unique(option, found)


def _router(name: str, known: Mapping[str, Any]) -> str:
    """A router of the study, or a discipline with its defaults."""
    if name in known:
        return name
    try:
        return _native.discipline(name)
    except ValueError as error:
        names = dict.fromkeys([*known, *_accepted(error).removeprefix("one of ").split(", ")])
        raise InputError("compare", "--router", name, f"one of {', '.join(names)}") from None


def _accepted(error: ValueError) -> str:
    return str(error).rpartition("expected ")[2]


def _unique(option: str, names: list[str]) -> list[str]:
    for name in names:
        if names.count(name) > 1:
            raise InputError("compare", option, name, "each once")
    return names

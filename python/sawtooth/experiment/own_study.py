"""A study file of the user's own: what may be left out of it, what is checked before a run, and its claims.

Source: none; docs/studies.md explains it to users. It is a study file like those of the papers (``study``), with claims beside it as data,
``[[claim]]``, in the language of ``claims.statement``.

| left out                 | what holds                                                            |
|--------------------------|-----------------------------------------------------------------------|
| name, title              | the name of the file without its ending; the name                     |
| algorithm.label          | the control as written                                                |
| matrix.settings          | as texts: ``"sack/red"`` is recovery sack, router red                 |
| [routers]                | a router is the discipline of its name with its own defaults          |
| matrix.environments      | that of the scenario, or ``none``: no cross traffic                   |
| environments one by one  | a set of environments (``akella2002``) stands for its members         |
| [quick]                  | three seeds (or the study's, if fewer), as long as the study          |
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, Field, TypeAdapter, ValidationError

from sawtooth import _native
from sawtooth.claims.claim import Claim
from sawtooth.claims.stated import StatedClaim, StatedSource
from sawtooth.claims.statement import Clause, Unit, Vocabulary, parse
from sawtooth.errors import MISSING, InputError, did_you_mean
from sawtooth.experiment.environment_value import written
from sawtooth.experiment.perform import refusal
from sawtooth.experiment.study import MIXED, Setting, Study
from sawtooth.experiment.study_files import extended, read_toml, study_of
from sawtooth.measure.metrics import METRICS
from sawtooth.scenario.environments import Environment, lookup
from sawtooth.scenario.environments.sets import WITHOUT, expanded
from sawtooth.scenario.fields import Strict, input_error
from sawtooth.scenario.queue_value import Queue
from sawtooth.scenario.resolve import resolve
from sawtooth.scenario.scenario import parse_scenario
from sawtooth.scenario.units import TIMES
from sawtooth.scenario.unused_keys import unused
from sawtooth.scenario.values import Control

_OF_SETTING: Final = re.compile(r"flows\[\d+\]\.recovery")
_OF_ALGORITHM: Final = re.compile(r"flows\[\d+\]\.control\b.*")
_OF_ROUTER: Final = re.compile(r"bottleneck\.queue(\b.*)")
"""Keys of a cell that the study fills in."""
QUICK_SEEDS: Final = 3
"""Seeds of ``--quick`` where the file does not say."""


def _times(unit: str) -> dict[str, float]:
    """By the unit that somebody writes, how many of this unit it is."""
    return {name: size / TIMES[unit] for name, size in TIMES.items()}


_DIMENSIONLESS: Final = Unit("a number", {"": 1.0, "%": 0.01}, {"": 1.0, "points": 0.01})
_UNITS: Final[Mapping[str, Unit]] = {
    "1": _DIMENSIONLESS,
    "fraction of available bandwidth": _DIMENSIONLESS,
    "%": Unit("%", {"%": 1.0}, {"points": 1.0}, "%"),
    "packets": Unit("packets", {"": 1.0, "packets": 1.0}, {"": 1.0, "packets": 1.0}, "packets"),
    "count": Unit("count", {"": 1.0}, {"": 1.0}),
    **{name: Unit("time", _times(name), _times(name), name) for name in ("ms", "s")},
}
"""By unit of a metric, how values and differences of it may be written in a claim."""


def _identifier(text: str) -> str:
    if not re.fullmatch(r"[\w.-]+", text):
        raise ValueError("letters, digits, hyphens, dots and underscores alone")
    return text


class ClaimTable(Strict):
    """A ``[[claim]]``."""

    id: Annotated[str, Field(min_length=1), AfterValidator(_identifier)]
    """Its name in tables: letters, digits, hyphens, dots, underscores."""
    claim: str
    """What is claimed, such as "goodput(aimd(1, 0.8)) > goodput(aimd(1, 0.5)) by 5 %"."""
    statement: str = ""
    """The same in words."""
    settings: Annotated[list[str], Field(min_length=1)] | None = None
    """The settings in all of which it must hold; all of the study where it is left out."""
    environments: Annotated[list[str], Field(min_length=1)] | None = None
    """The environments over which a metric is averaged; all of the study where it is left out."""
    each: Literal["environment"] | None = None
    """"environment": it must hold in each of them, and not in their mean."""


@dataclass(frozen=True)
class OwnStudy:
    """A study of the user's own and its claims."""

    study: Study
    claims: tuple[Claim, ...]


def read_own(path: Path) -> OwnStudy:
    """Read and check one file. InputError, before any run, names file, key, value and what is accepted."""
    where, tables = path.name, extended(path)
    if "scenario" not in tables and {"flows", "bottleneck"} & tables.keys():
        raise InputError(where, "scenario", MISSING, "a study", f"this is a scenario: sawtooth run {where}")
    stated = _claim_tables(where, tables.pop("claim", []))
    if "claims" in tables:
        raise InputError(where, "claims", tables["claims"], "[[claim]] tables with id and claim")
    study = study_of(_completed(where, tables, path.stem), where).replaced(directory=str(path.parent))
    _check_tables(where, read_toml(path), study)
    _check(where, study)
    return OwnStudy(study, _claims(where, study, stated))


def _claim_tables(where: str, given: object) -> list[ClaimTable]:
    try:
        found = TypeAdapter(list[ClaimTable]).validate_python(given)
    except ValidationError as error:
        raise input_error(error, where).located(where, "claim") from None
    ids = [entry.id for entry in found]
    for number, name in enumerate(ids):
        if name in ids[:number]:
            raise InputError(where, f"claim[{number}].id", name, "an id that no other claim has")
    return found


def _completed(where: str, tables: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The tables with what may be left out; what is of another shape than it should be is left for the check of the study."""
    whole = {"name": name, "title": tables.get("name", name), "paper": "", "scenario": {}, **tables}
    whole["algorithm"] = algorithms = whole.get("algorithm", [])
    if _tables(algorithms):
        whole["algorithm"] = [{"label": entry.get("control"), **entry} for entry in algorithms]
    matrix = whole.get("matrix")
    if not isinstance(matrix, dict):
        return whole
    for key in ("settings", "compared_with"):
        if isinstance(matrix.get(key), list):
            matrix[key] = [_setting(where, key, entry) for entry in matrix[key]]
    settings = [*(matrix.get("settings") or []), *(matrix.get("compared_with") or [])]
    routers = whole.setdefault("routers", {})
    for entry in settings if isinstance(routers, dict) and _tables(settings) else []:
        router = entry.get("router")
        if isinstance(router, str) and router not in routers:
            routers[router] = {"kind": _known(where, "matrix.settings", router, _native.discipline, routers)}
    _complete_environments(whole, matrix)
    seeds, scenario = matrix.get("seeds", 1), whole["scenario"]
    if isinstance(seeds, int) and isinstance(scenario, dict) and {"duration", "warmup"} <= scenario.keys():
        length = {key: scenario[key] for key in ("duration", "warmup")}
        whole.setdefault("quick", {"seeds": min(QUICK_SEEDS, seeds), **length})
    return whole


def _complete_environments(whole: dict[str, Any], matrix: dict[str, Any]) -> None:
    """What stands for several environments, for the scenario's own, or for none."""
    scenario, tables = whole["scenario"], whole.setdefault("environments", {})
    own = scenario.get("environment") if isinstance(scenario, dict) else None
    if "environments" not in matrix and matrix.get("settings") and isinstance(own, dict | str | None):
        matrix["environments"] = [WITHOUT if own is None else written(own)]
        if own is not None and isinstance(tables, dict):
            tables.setdefault(matrix["environments"][0], {})
    names = matrix.get("environments")
    if not isinstance(names, list) or not all(isinstance(entry, str) for entry in names):
        return
    matrix["environments"] = expanded(names)
    if WITHOUT in names and isinstance(tables, dict):
        tables.setdefault(WITHOUT, {})


def _tables(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(entry, dict) for entry in value)


def _setting(where: str, key: str, entry: object) -> object:
    """A setting as a table; ``"sack/red"`` is recovery sack with router red."""
    if not isinstance(entry, str):
        return entry
    recovery, slash, router = entry.partition("/")
    if not slash:
        raise InputError(where, f"matrix.{key}", entry, 'RECOVERY/ROUTER, such as "sack/drop-tail"')
    return {"recovery": recovery.strip(), "router": router.strip()}


def _known(
    where: str, key: str, name: str, canonical: Any, others: Sequence[str] | Mapping[str, Any] = ()
) -> str:
    """The name as the engine spells it. InputError if it has no such name."""
    try:
        return str(canonical(name))
    except ValueError as error:
        names = [*others, str(error).rpartition("expected ")[2].removeprefix("one of ")]
        raise InputError(where, key, name, f"one of {', '.join(names)}") from None


def _check_tables(where: str, own: Mapping[str, Any], study: Study) -> None:
    """InputError for a router or an environment of the file itself, not of one that it extends, which the matrix does not name."""
    settings = [*study.matrix.settings, *study.matrix.compared_with]
    for table, what, names in (
        ("routers", "a router of matrix.settings", [setting.router for setting in settings]),
        ("environments", "an environment of matrix.environments", study.matrix.environments),
    ):
        known = ", ".join(dict.fromkeys(names)) or "there is none"
        for name in own.get(table, {}):
            if name not in names:
                hint = did_you_mean(name, names)
                raise InputError(where, f"{table}.{name}", MISSING, f"{what}: {known}", hint)


def _check_settings(where: str, study: Study) -> None:
    """InputError for an unknown recovery, and for a setting that stands there twice, perhaps by other names."""
    found: list[tuple[object, ...]] = []
    settings = [*study.matrix.settings, *study.matrix.compared_with]
    for setting in settings:
        recovery = _known(where, "matrix.settings", setting.recovery, _native.recovery)
        limited = [entry.routers is None or setting.router in entry.routers for entry in study.parameter]
        meant = (recovery, _queue(study.routers[setting.router]), limited)
        if meant in found:
            accepted = f"each setting once; {settings[found.index(meant)]} is the same"
            raise InputError(where, "matrix.settings", str(setting), accepted)
        found.append(meant)


def _queue(table: Mapping[str, Any]) -> object:
    """What the table of a router means; the table itself where it is wrong, which the check of cells says."""
    try:
        return Queue.parse(table)
    except InputError:
        return table


def _overwritten(study: Study) -> Iterator[InputError]:
    """What the scenario says of that which the matrix gives to every run."""
    if not study.algorithm:
        return
    scenario = study.scenario
    if "seed" in scenario:
        given = "no seed in a study: matrix.seeds and matrix.first_seed give them"
        yield InputError("", "seed", scenario["seed"], given)
    if any(probe.base for probe in study.probe):
        return  # whose flows and queue are those of the scenario
    by = {"control": "[[algorithm]] gives it", "recovery": "matrix.settings gives it"}
    for number, group in enumerate(scenario["flows"]):
        for key, given in by.items():
            if isinstance(group, Mapping) and key in group and not group.get("reverse"):
                yield InputError(
                    "", f"flows[{number}].{key}", group[key], f"no {key} of a test flow: {given}"
                )
    link, settings = scenario.get("bottleneck"), [*study.matrix.settings, *study.matrix.compared_with]
    if isinstance(link, Mapping) and "queue" in link and all(study.routers[e.router] for e in settings):
        given = "no queue in a study: matrix.settings and [routers] give it"
        yield InputError("", "bottleneck.queue", link["queue"], given)


def _check(where: str, study: Study) -> None:
    """What would be refused run by run, and a key of the scenario that acts in none of them."""
    for number, entry in enumerate(study.algorithm):
        try:
            Control.parse(entry.control)
        except (InputError, ValueError) as error:
            accepted = error.accepted if isinstance(error, InputError) else str(error)
            hint = error.hint if isinstance(error, InputError) else None
            raise InputError(where, f"algorithm[{number}].control", entry.control, accepted, hint) from None
    _check_settings(where, study)
    overwritten = next(_overwritten(study), None)
    if overwritten is not None:
        raise overwritten.located(where, "scenario")
    for name in study.matrix.environments:
        if name not in study.environments:
            try:
                lookup(name)
            except InputError as error:
                accepted = f"{WITHOUT}, {error.accepted}, or a table [environments.{name}]"
                raise InputError(where, "matrix.environments", name, accepted) from None
        if name == WITHOUT and not study.environments[name]:
            if "environment" in study.scenario:
                accepted = "the names of environments, since [scenario.environment] is cross traffic"
                raise InputError(where, "matrix.environments", name, accepted)
            continue
        cell = study.cell(study.matrix.settings[0], study.algorithm[0], name)
        if "environment" not in cell:
            accepted = 'a table such as { kind = "sq-high" }, or one beside [scenario.environment]'
            raise InputError(where, f"environments.{name}", "{}", accepted)
        try:
            Environment.parse(cell["environment"])
        except InputError as error:
            raise error.located(where, f"environments.{name}") from None
    _check_cells(where, study)
    refused = refusal(study) or _idle(study)
    if refused is not None:
        of_probe = (refused.key or "").startswith("probe.")  # what it measures stands beside its scenario
        raise refused.located(where, "" if of_probe else "scenario")


def _check_cells(where: str, study: Study) -> None:
    """InputError for a setting that does not go with an algorithm or is wrong by itself, by the key that the user wrote."""
    settings = [*study.matrix.settings, *study.matrix.compared_with]
    recoveries = {setting.recovery: setting for setting in reversed(settings)}
    routers = {setting.router: setting for setting in reversed(settings)}
    for number, entry in enumerate(study.algorithm):
        for setting in [*([] if number else reversed(routers.values())), *reversed(recoveries.values())]:
            try:
                resolve(study.read(study.cell(setting, entry, study.matrix.environments[0])), study.seeds[0])
            except InputError as error:
                raise _as_written(where, study, setting, number, error) from None


def _as_written(where: str, study: Study, setting: Setting, number: int, error: InputError) -> InputError:
    """What a cell refuses, at the place of the study file that it comes from."""
    key, entry = error.key or "", study.algorithm[number]
    if _OF_SETTING.fullmatch(key) and setting.recovery != MIXED:
        accepted = f'{error.accepted} (algorithm "{entry.label}")'
        return InputError(where, "matrix.settings", str(setting), accepted, error.hint)
    if _OF_ALGORITHM.fullmatch(key):
        spot = f"algorithm[{number}].control"
        return InputError(where, spot, entry.control, error.accepted, error.hint)
    of_queue = _OF_ROUTER.fullmatch(key)
    if of_queue is not None and study.routers[setting.router]:
        spot = f"routers.{setting.router}{of_queue[1]}"
        return InputError(where, spot, error.value, error.accepted, error.hint)
    return error.located(where, "scenario")


def _idle(study: Study) -> InputError | None:
    """A key that acts in no cell of the study."""
    idle: dict[str | None, InputError] | None = None
    for cell in study.kinds():
        found = {error.key: error for error in unused(parse_scenario(cell, study.name, study.directory))}
        idle = found if idle is None else {key: error for key, error in idle.items() if key in found}
    return next(iter((idle or {}).values()), None)


def _claims(where: str, study: Study, stated: Sequence[ClaimTable]) -> tuple[Claim, ...]:
    """The claims of the study, each with its clauses."""
    if stated and not study.algorithm:
        raise InputError(
            where, "claim", MISSING, "controllers ([[algorithm]]) and a [matrix] for claims to speak of"
        )
    words = vocabulary(study)
    checks: dict[str, StatedClaim] = {}
    made = []
    source = StatedSource(where, None, checks)
    for number, entry in enumerate(stated):
        try:
            checks[entry.id] = check = _check_of(entry, words)
        except InputError as error:
            raise error.located(where, f"claim[{number}]") from None
        open_ = (
            [str(setting) for setting in study.matrix.settings] if entry.settings is None else entry.settings
        )
        named = [side.setting for clause in check.clauses for side in clause.quantities]
        made.append(
            Claim(
                id=entry.id,
                paper=study.paper,
                section=where,
                kind="simulation",
                statement=entry.statement or entry.claim,
                settings=tuple(open_ if None in named else dict.fromkeys(name for name in named if name)),
                part=study.name,
                check=entry.id,
                source=source,
            )
        )
    return tuple(made)


def _check_of(entry: ClaimTable, words: Vocabulary) -> StatedClaim:
    """What judges a claim. InputError where it names what the study does not have, or what does not go together."""
    for key, given, known in (
        ("settings", entry.settings, words.settings),
        ("environments", entry.environments, words.environments),
    ):
        for name in given or ():
            if name not in known:
                raise InputError("", key, name, f"one of those of the study: {', '.join(known)}")
    clauses = parse(entry.claim, words)
    for problem in _together(entry, clauses):
        raise problem
    return StatedClaim(entry.claim, clauses, tuple(entry.environments or ()), entry.each is not None)


def _together(entry: ClaimTable, clauses: Sequence[Clause]) -> Iterator[InputError]:
    """What does not go together."""
    sides = [side for clause in clauses for side in clause.quantities]
    key = "each" if entry.each is not None else "environments"
    if entry.each is None and entry.environments is None:
        return
    value = entry.each or entry.environments
    if any(side.score for side in sides):
        yield InputError("", key, value, "no such key beside D and C, which are over all environments")
    if any(side.environments for side in sides):
        yield InputError("", key, value, "no such key in a claim that names environments itself")


def vocabulary(study: Study) -> Vocabulary:
    """What a claim on a study may name."""
    by_numbers = {_native.controller(entry.control): entry.label for entry in reversed(study.algorithm)}
    by_label = {"".join(entry.label.split()).lower(): entry.label for entry in study.algorithm}
    settings = [*study.matrix.settings, *study.matrix.compared_with]
    return Vocabulary(
        metrics={entry.name: _UNITS[entry.unit] for entry in METRICS},
        labels=[entry.label for entry in study.algorithm],
        label=partial(_label, by_numbers, by_label),
        settings=[str(setting) for setting in settings],
        environments=study.matrix.environments,
    )


def _label(by_numbers: Mapping[str, str], by_label: Mapping[str, str], written: str) -> str | None:
    """The label of the controller that a claim writes: by its label, else by its numbers."""
    known = by_label.get("".join(written.split()).lower())
    if known is not None:
        return known
    try:
        return by_numbers.get(_native.controller(written))
    except ValueError:
        return None

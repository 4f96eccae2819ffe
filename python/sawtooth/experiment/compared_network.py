"""The network of a comparison: from a scenario file and `--set`, or from compare.toml where the user names no file.

A `Network` is the scenario without what the comparison varies, and what it says about that by itself: its loss recovery, its queue and its
environment. Test flows lose their controller, which the comparison gives them; flows in reverse keep theirs.

Source: none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sawtooth.errors import MISSING, InputError
from sawtooth.experiment.environment_value import written
from sawtooth.experiment.study import MIXED, Study
from sawtooth.experiment.study_files import read_toml
from sawtooth.plain import copied
from sawtooth.scenario.environments.sets import WITHOUT
from sawtooth.scenario.fitting_recovery import USUAL, common, takes_recovery
from sawtooth.scenario.overrides import apply_overrides, parse_override, refuse_seed, takes_away
from sawtooth.scenario.scenario import Scenario, parse_scenario
from sawtooth.scenario.tcp_fields import settings_of_laws
from sawtooth.scenario.unused_keys import unused
from sawtooth.scenario.values import Control

Source = Scenario | Path | str | Mapping[str, Any]

OF_TEST_FLOWS = re.compile(r"flows(\[\d+\])?\.(control|recovery)")
RECOVERY_KEY = re.compile(r"flows(\[\d+\])?\.recovery")
WHOLE: Final[Mapping[str, str]] = {
    "--environment": "environment",
    "--router": "bottleneck.queue",
    "--duration": "duration",
    "--warmup": "warmup",
}
"""By option, the key of what it says, which no key of `--set` may take away."""


@dataclass(frozen=True)
class Network:
    """A scenario whose controllers the comparison gives. ``recovery``, ``router`` and ``environment`` name what it says itself;
    ``values`` are those of `--set` that are put over every cell."""

    tables: Mapping[str, Any]
    values: Mapping[str, Any]
    source: str
    directory: str
    recovery: str
    router: str
    environment: str
    chosen: str = ""
    """What was chosen so that all controllers go with the scenario."""

    def scenario(self, *, environment: bool, router: bool) -> dict[str, Any]:
        """Its tables, with its own environment and its own queue or without."""
        return _without(self.tables, environment, router)


def values_of(given: Mapping[str, Any] | Sequence[str]) -> dict[str, Any]:
    """Values by dotted key, from a mapping or from texts ``KEY=VALUE``."""
    return dict(given) if isinstance(given, Mapping) else dict(map(parse_override, given))


def refuse_contradictions(values: Mapping[str, Any], options: Mapping[str, object]) -> None:
    """InputError for a value that takes away what an option says, or what the comparison varies."""
    refuse_seed(values)
    for key, value in values.items():
        for option, place in WHOLE.items():
            if options.get(option) and takes_away(key, place):
                raise InputError("--set", key, value, f"this key or {option}, not both")
        found = OF_TEST_FLOWS.fullmatch(key)
        if found is not None and found[2] == "recovery" and options.get("--recovery"):
            raise InputError("--set", key, value, "this key or --recovery, not both")


def refuse_recoveries(
    controls: Sequence[str], recoveries: Sequence[str], values: Mapping[str, Any], groups: Sequence[Any]
) -> None:
    """InputError for a recovery that none of the controllers takes: of an option, or a value for test flows among ``groups``."""
    parsed = [Control.parse(control) for control in controls]
    if any(each.takes_recovery or each.is_endpoint for each in parsed):
        return
    accepted = "beside rate-based controllers alone, which have no window and send nothing twice"
    for name in recoveries:
        raise InputError("compare", "--recovery", name, f"no --recovery {accepted}")
    in_reverse = [isinstance(group, Mapping) and bool(group.get("reverse")) for group in groups]
    for key, value in values.items():
        found = RECOVERY_KEY.fullmatch(key)
        meant = in_reverse if found is None or found[1] is None else in_reverse[int(found[1][1:-1]) :][:1]
        if found is not None and not any(meant):
            raise InputError("--set", key, value, f"no recovery {accepted}")


def network_of(
    source: Source,
    values: Mapping[str, Any],
    controls: Sequence[str],
    *,
    environment: bool,
    router: bool,
    recovery: str | None = None,
) -> Network:
    """The network of a scenario with values put in before anything is checked. InputError as from `sawtooth run`.

    The first of the controllers that takes a recovery stands in for all where the network is checked; ``environment`` and ``router``:
    whether its own are kept, and checked with it. ``recovery`` is one that somebody asked for; else the test flows keep their own if
    every controller takes it.
    """
    tables, name, directory = _tables(source)
    tables = apply_overrides(tables, values)
    control = next((each for each in controls if takes_recovery(each)), controls[0])
    named = recovery is not None or any(RECOVERY_KEY.fullmatch(key) for key in values)
    said = ""
    if not isinstance(tables.get("flows"), list) or not tables["flows"]:
        raise InputError(name, "flows", tables.get("flows", MISSING), "at least one [[flows]] group")
    refuse_recoveries(controls, [] if recovery is None else [recovery], values, tables["flows"])
    for index, group in enumerate(tables["flows"]):
        if not isinstance(group, dict):
            raise InputError(name, f"flows[{index}]", group, "a table")
        if not group.get("reverse"):
            key = next((key for key in (f"flows[{index}].control", "flows.control") if key in values), None)
            if key is not None:
                raise InputError("--set", key, values[key], "the controllers to compare as arguments")
            group["control"] = control
            if not takes_recovery(control):
                group.pop("recovery", None)
            elif recovery is not None:
                group["recovery"] = recovery
            elif not named:
                group["recovery"], sentence = common(group.get("recovery", USUAL), controls)
                said = said or sentence
    scenario = parse_scenario(_without(tables, environment, router), name, directory or None)
    tested = [group.recovery for group in scenario.flows if not group.reverse]
    own = scenario.environment
    return Network(
        tables=tables,
        values={key: value for key, value in values.items() if not re.match(r"flows\b", key)},
        source=name,
        directory=str(directory),
        recovery=tested[0] if len(set(tested)) == 1 else MIXED,
        router=router_name(scenario),
        environment=WITHOUT if own is None else written(tables["environment"]),
        chosen=said,
    )


def _without(tables: Mapping[str, Any], environment: bool, router: bool) -> dict[str, Any]:
    """A copy of the tables with its own environment and its own queue, or without."""
    left: dict[str, Any] = copied(dict(tables))
    if not environment:
        left.pop("environment", None)
    if not router and isinstance(left.get("bottleneck"), dict):
        left["bottleneck"].pop("queue", None)
    return left


def router_name(scenario: Scenario) -> str:
    """The queue of the bottleneck by the names of comparisons: ``droptail``, ``ecn`` for RED that marks, else its kind."""
    queue = scenario.bottleneck.queue
    if queue.kind == "red" and queue.parameters["ecn"]:
        return "ecn"
    return {"drop-tail": "droptail"}.get(queue.kind, queue.kind)


def _tables(source: Source) -> tuple[dict[str, Any], str, str]:
    """Plain tables, the name that stands in errors, and the directory that other files are relative to."""
    if isinstance(source, Scenario):
        return copied(source.data), source.name, str(source.directory)
    if isinstance(source, Mapping):
        return copied(dict(source)), "scenario", ""
    if isinstance(source, str) and ("\n" in source or "=" in source):
        # A value in the text may lack its controller, so nothing is checked yet.
        return _toml(source), "scenario", ""
    path = Path(source)
    return read_toml(path), str(path), str(path.parent)


def _toml(text: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError("scenario", None, MISSING, f"valid TOML: {error}") from None


def refuse_idle(study: Study, given: Mapping[str, Any]) -> None:
    """InputError for a key of the user's that acts in no cell of the comparison; ``given`` are the tables and values that he wrote."""
    common: dict[str, InputError] | None = None
    for tables in study.kinds():
        try:
            found = {error.key or "": error for error in unused(study.read(tables))}
        except InputError:
            return  # which whoever runs it will be told
        common = found if common is None else {key: common[key] for key in common if key in found}
        if not common:
            return
    for key, error in (common or {}).items():
        if _wrote(given, key):
            raise error.located(study.source or study.name)


def left_out(study: Study, given: Mapping[str, Any]) -> tuple[str, ...]:
    """A sentence for each setting of the user's that does nothing beside some of the controllers. InputError for one that the cells of all
    of them leave out."""
    controls = {entry.label: Control.parse(entry.control) for entry in study.algorithm}
    tables = apply_overrides(copied(dict(study.scenario)), study.overrides)
    laws = {key: value for key, value in settings_of_laws(tables).items() if _wrote(given, key)}
    models = [label for label, control in controls.items() if study.drops_settings(control)]
    if laws and len(models) == len(controls):
        key, value = next(iter(laws.items()))
        raise InputError(study.source or study.name, key, value, "this key only beside a window law")
    said = [f"{key} is left out for {', '.join(models)}: only window laws read it" for key in laws if models]
    rates = [label for label, each in controls.items() if not (each.takes_recovery or each.is_endpoint)]
    if 0 < len(rates) < len(controls):
        said += [
            f"{key} is left out for {', '.join(rates)}: {error.accepted.removeprefix('this key ')}"
            for key, error in _idle_beside(study, rates[0]).items()
            if _wrote(given, key)
        ]
    return tuple(said)


def _idle_beside(study: Study, label: str) -> dict[str, InputError]:
    """The keys of `[tcp]` that act in no cell of one controller."""
    algorithm = next(entry for entry in study.algorithm if entry.label == label)
    found: dict[str, InputError] | None = None
    for setting in study.matrix.settings:
        for name in study.matrix.environments:
            try:
                errors = unused(study.read(study.cell(setting, algorithm, name)))
            except InputError:
                return {}  # which whoever runs it will be told
            here = {error.key: error for error in errors if error.key and error.key.startswith("tcp.")}
            found = here if found is None else {key: found[key] for key in found if key in here}
    return found or {}


def _wrote(given: Mapping[str, Any], key: str) -> bool:
    """Whether the user wrote a key, in his tables or as a dotted key."""
    spelled = (key, re.sub(r"^flows\[\d+\]", "flows", key))
    if any(
        re.match(rf"{re.escape(part)}(?![\w-])", text) for part in given for text in spelled if "." in part
    ):
        return True
    table: Any = given
    for step in re.findall(r"[\w-]+", key):
        if isinstance(table, list) and step.isdigit():
            table = table[int(step)] if int(step) < len(table) else None
        else:
            table = table.get(step, None) if isinstance(table, Mapping) else None
        if table is None:
            return False
    return True

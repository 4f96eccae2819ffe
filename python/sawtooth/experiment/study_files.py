"""Study files: how one is read, and how it completes the file that it extends.

Source: none; the tables of a file are explained in ``study``. ``extends`` is a path from the file that says it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from sawtooth.errors import MISSING, InputError
from sawtooth.experiment.figure_specs import CurveSpec, SharesSpec, StripsSpec
from sawtooth.experiment.plan import put
from sawtooth.experiment.study import Study, merged
from sawtooth.packaged import packaged
from sawtooth.plain import copied
from sawtooth.scenario.environments import ENVIRONMENTS
from sawtooth.scenario.fields import input_error

COMPARISON: Final = "compare.toml"
"""The file with the set-up that ``sawtooth compare`` uses where the user says nothing else."""

PARSED_FILES: Final = 64
"""Files whose tables are kept: more than there are in ``studies/``."""


def load_comparison() -> Study:
    """The set-up behind ``sawtooth compare``."""
    return read_study(packaged("experiment") / COMPARISON)


def read_study(path: Path) -> Study:
    """Read and check one file. InputError names file, key, value and what is accepted."""
    return study_of(extended(path), path.name)


def study_of(tables: Mapping[str, Any], where: str) -> Study:
    """The study in the tables of a file, ``where``. InputError names file, key, value and what is accepted."""
    try:
        study = Study.model_validate(tables)
    except ValidationError as error:
        raise input_error(error, where) from None
    study = _with_changes(study)
    _check(where, study)
    return study


def extended(path: Path, by: Sequence[Path] = ()) -> dict[str, Any]:
    """The tables of a file over those of the file it extends, which may extend another; ``by`` are the files that extend this one."""
    data = read_toml(path)
    if "extends" not in data:
        return data
    chain, base = [*by, path], path.parent / str(data.pop("extends"))
    if base.resolve() in [entry.resolve() for entry in chain]:
        raise InputError(path.name, "extends", base.name, "a file that does not extend this one")
    return _over(extended(base, chain), data)


def _over(shared: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """``own`` over ``shared``: tables are joined key by key, open parameters by key and environments, anything else is replaced."""
    result = merged(shared, own)
    if "parameter" in shared and "parameter" in own:
        both = [*shared["parameter"], *own["parameter"]]
        result["parameter"] = list({f"{e.get('key')} {e.get('only')}": e for e in both}.values())
    return result


def _with_changes(study: Study) -> Study:
    """The study with its ``[changed]`` keys in the scenario; what the paper states is no open parameter any more."""
    if not study.changed:
        return study
    scenario = dict(study.scenario)
    for key, value in study.changed.items():
        put(scenario, key, value)
    left = [entry for entry in study.parameter if entry.key not in study.changed]
    return study.replaced(scenario=scenario, parameter=left)


def _check(where: str, study: Study) -> None:
    """What the types cannot say."""
    labels = _labels(where, study)
    _unique(where, "parameter.key", [f"{entry.key} {entry.only}" for entry in study.parameter])
    _unique(where, "matrix.environments", study.matrix.environments)
    settings = [str(entry) for entry in study.matrix.settings]
    _unique(where, "matrix.settings", settings)
    _unique(where, "matrix.compared_with", [*settings, *map(str, study.matrix.compared_with)])
    _unique(where, "claims", study.claims)
    _unique(where, "probe.name", [entry.name for entry in study.probe])
    matrix = {
        "algorithm": labels,
        "matrix.settings": study.matrix.settings,
        "matrix.environments": study.matrix.environments,
    }
    for key, entries in matrix.items():
        if not entries and (any(matrix.values()) or not study.probe):
            raise InputError(where, key, MISSING, "at least one entry, or a study of probes alone")
    drawn: dict[str, Sequence[CurveSpec | SharesSpec | StripsSpec]] = {
        "curve": study.curve,
        "shares": study.shares,
        "strips": study.strips,
    }
    _unique(where, "curve.name", [entry.name for figures in drawn.values() for entry in figures])
    for kind, figures in drawn.items():
        for figure in figures:
            if figure.probe not in [entry.name for entry in study.probe]:
                known_probes = ", ".join(entry.name for entry in study.probe)
                raise InputError(where, f"{kind}.{figure.name}.probe", figure.probe, f"one of {known_probes}")
    for curve in study.curve:
        if curve.x == curve.series:
            accepted = "another dimension than that of the series, or part"
            raise InputError(where, f"curve.{curve.name}.x", curve.x, accepted)
    for setting in [*study.matrix.settings, *study.matrix.compared_with]:
        if setting.router not in study.routers:
            raise InputError(where, "matrix.settings", setting.router, f"one of {', '.join(study.routers)}")
    known = dict.fromkeys([*(entry.name for entry in ENVIRONMENTS), *study.environments])
    for number, entry in enumerate(study.parameter):
        for name in entry.only or []:
            if name not in known:
                raise InputError(where, f"parameter[{number}].only", name, f"one of {', '.join(known)}")
    if not isinstance(study.scenario.get("flows"), list):
        raise InputError(
            where, "scenario.flows", study.scenario.get("flows", MISSING), "a list of flow groups"
        )
    for name in study.search:
        if name not in study.environments:
            raise InputError(where, "search", name, f"one of {', '.join(study.environments)}")
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


def _labels(where: str, study: Study) -> list[str]:
    """The labels of the algorithms, each of which has one of its own."""
    labels = [entry.label for entry in study.algorithm]
    for number, label in enumerate(labels):
        if not label.strip():
            raise InputError(where, f"algorithm[{number}].label", label, "text that is not empty")
    _unique(where, "algorithm.label", labels)
    return labels


def _unique(where: str, key: str, names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise InputError(where, key, name, "each entry once")


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a TOML file. InputError if it cannot be read."""
    try:
        tables: dict[str, Any] = copied(_parsed(path.read_text(encoding="utf-8")))
        return tables
    except OSError as error:
        raise InputError(str(path), None, MISSING, f"a readable file ({error.strerror})") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(path.name, None, MISSING, f"valid TOML: {error}") from error


@lru_cache(maxsize=PARSED_FILES)
def _parsed(text: str) -> dict[str, Any]:
    """The tables of a TOML text; of the last texts they are kept, since many studies extend the same file."""
    return tomllib.loads(text)

"""Study files: which there are, how one is read, and how it completes the file that it extends.

Source: the files in ``studies/``; their tables are explained in ``study``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from sawtooth.errors import MISSING, InputError
from sawtooth.experiment.curves import CurveSpec
from sawtooth.experiment.flow_shares import SharesSpec
from sawtooth.experiment.plan import put
from sawtooth.experiment.strips import StripsSpec
from sawtooth.experiment.study import Study, merged
from sawtooth.scenario.environments import ENVIRONMENTS
from sawtooth.scenario.fields import input_error

STUDIES: Final = (
    "akella2002/fig1",
    "akella2002/fig2",
    "akella2002/fig4",
    "akella2002/fig5",
    "akella2002/fig6",
    "akella2002/fig7",
    "akella2002/fig8",
    "akella2002/fig9",
    "akella2002/fig10",
    "akella2002/fig11",
    "akella2002/fig12",
    "akella2002/appendix",
    "akella2002/ring",
    "akella2002/hybrids",
    "akella2002/loss-epochs",
    "akella2002/unequal-rtt",
    "akella2002/small-buffers",
    "akella2002/flows-10",
    "akella2002/flows-20",
    "akella2002/flows-50",
    "akella2002/sending-rate",
    "akella2002/aild",
    "akella2002/tracking",
    "akella2002/bursts",
    "reddy2012/patterns",
    "reddy2012/pair",
    "reddy2012/appendix",
    "reddy2012/fair-queueing",
    "reddy2012/hybrid",
    "lahanas2003/stationary",
    "lahanas2003/contention",
    "lahanas2003/release",
    "lahanas2003/gain",
    "lahanas2003/recovery",
    "lahanas2003/coexistence",
    "lahanas2003/two-step",
    "lahanas2003/environments",
    "floyd2000/shares",
    "floyd2000/smoothness",
    "floyd2000/gap",
    "floyd2000/tfrc",
    "floyd2000/transients",
)
"""Every study, in the order of the papers. The name of a paper (``akella2002``) means all of its studies."""

COMPARISON: Final = "compare.toml"
"""The file with the set-up that ``sawtooth compare`` uses where the user says nothing else."""


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


def load_comparison() -> Study:
    """The set-up behind ``sawtooth compare``."""
    return read_study(studies_folder() / COMPARISON)


def read_study(path: Path | resources.abc.Traversable) -> Study:
    """Read and check one file. InputError names file, key, value and what is accepted."""
    data = _extended(path)
    try:
        study = Study.model_validate(data)
    except ValidationError as error:
        raise input_error(error, path.name) from None
    study = _with_changes(study)
    _check(path.name, study)
    return study


def _extended(path: Path | resources.abc.Traversable) -> dict[str, Any]:
    """The tables of a file over those of the file it extends, which may extend another."""
    data = read_toml(path)
    if "extends" not in data:
        return data
    return _over(_extended(_sibling(path, str(data.pop("extends")))), data)


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
    labels = [entry.label for entry in study.algorithm]
    _unique(where, "algorithm.label", labels)
    _unique(where, "parameter.key", [f"{entry.key} {entry.only}" for entry in study.parameter])
    _unique(where, "matrix.environments", study.matrix.environments)
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


def _unique(where: str, key: str, names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise InputError(where, key, name, "each entry once")


def read_toml(path: Path | resources.abc.Traversable) -> dict[str, Any]:
    """The tables of a TOML file. InputError if it cannot be read."""
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
    return Path(__file__).resolve().parents[3] / "studies"

"""Compare any controllers: the scores of the study, over any settings, environments and seeds.

    >>> import sawtooth as st
    >>> found = st.compare(["aimd(1, 0.8)", "aimd(1, 0.5)"], recoveries=["sack"], environments=["sq-high"], seeds=3)
    >>> found.scores.to_pandas()

The set-up is that of the study file compare.toml; the set A is the controllers given, the set E the environments given, and every score
names both. Printed scores stand beside ours only where the set A is the four representatives of [Akella02].
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sawtooth import _native
from sawtooth.errors import MISSING, InputError
from sawtooth.experiment.comparison import Comparison
from sawtooth.experiment.perform import perform
from sawtooth.experiment.study import Algorithm, Setting, Study
from sawtooth.experiment.study_files import load_comparison
from sawtooth.progress import ProgressCallback
from sawtooth.run.store import Store
from sawtooth.scenario.environments import lookup
from sawtooth.scenario.environments.sets import SETS, USUAL, expanded


def compare(
    controllers: Sequence[str],
    recoveries: Sequence[str] = ("sack",),
    routers: Sequence[str] = ("droptail",),
    environments: Sequence[str] | str = USUAL,
    seeds: int | None = None,
    store: Store | Path | str | None = None,
    fresh: bool = False,
    duration: str | None = None,
    warmup: str | None = None,
    threads: int | None = None,
    progress: ProgressCallback | None = None,
) -> Comparison:
    """Run every controller in every setting and environment over the same seeds and score them.

    ``environments`` are names of environments or of sets of them: ``"akella2002"`` means the thirteen of that paper, ``"all"`` every
    environment that needs no number of the user's. Stored runs are not repeated.
    """
    study = comparison_study(controllers, recoveries, routers, environments, seeds, duration, warmup)
    home = store if isinstance(store, Store) else Store(store)
    return perform(study, home, fresh=fresh, threads=threads, progress=progress)


def comparison_study(
    controllers: Sequence[str],
    recoveries: Sequence[str],
    routers: Sequence[str],
    environments: Sequence[str] | str,
    seeds: int | None = None,
    duration: str | None = None,
    warmup: str | None = None,
) -> Study:
    """The study that a comparison stands for. InputError for a name that does not exist or stands twice."""
    study = load_comparison()
    algorithms = labelled(controllers, study.algorithm)
    names = _names("--recovery", recoveries, _native.recovery)
    disciplines = _unique("--router", [_router(name, study.routers) for name in routers])
    places = [environments] if isinstance(environments, str) else list(environments)
    places = _unique("--environment", [_environment(name) for name in expanded(places)])
    if seeds is not None and seeds < 1:
        raise InputError("compare", "--seeds", seeds, "a number of seeds from 1")
    matrix = study.matrix.model_copy(
        update={
            "settings": [Setting(recovery=name, router=router) for name in names for router in disciplines],
            "environments": places,
            "absent": [],
            "absent_reason": "",
            "seeds": study.matrix.seeds if seeds is None else seeds,
        }
    )
    tables = {name: study.routers.get(name, {"kind": name}) for name in disciplines}
    study = study.replaced(algorithm=algorithms, matrix=matrix, routers=tables)
    for key, value in (("duration", duration), ("warmup", warmup)):
        if value is not None:
            study = study.with_value(key, value)
    return study


def labelled(controllers: Sequence[str], known: Sequence[Algorithm]) -> list[Algorithm]:
    """Algorithms with their labels: the study's own for its representatives, else the control as written (``AIMD(1,0.5)``)."""
    if not controllers:
        raise InputError("compare", "CONTROLLER", MISSING, "at least one controller, such as 'aimd(1, 0.8)'")
    labels = {_canonical(entry.control): entry.label for entry in known}
    found = []
    for text in controllers:
        numbers = _canonical(text)
        own = re.sub(r"\s+", "", text)
        own = own.upper() if re.fullmatch(r"[\w+-]+(\(.*\))?", own) else own
        found.append(Algorithm(label=labels.get(numbers, own), control=text))
    _unique("CONTROLLER", [entry.label for entry in found])
    return found


def _canonical(text: str) -> str:
    try:
        return _native.controller(text)
    except ValueError as error:
        raise InputError("compare", "CONTROLLER", text, _accepted(error)) from None


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


def _environment(name: str) -> str:
    try:
        return lookup(name).name
    except InputError as error:
        raise InputError(
            "compare", "--environment", name, f"{', '.join(SETS)}, or {error.accepted}"
        ) from None


def _accepted(error: ValueError) -> str:
    return str(error).rpartition("expected ")[2]


def _unique(option: str, names: list[str]) -> list[str]:
    for name in names:
        if names.count(name) > 1:
            raise InputError("compare", option, name, "each once")
    return names

"""From what a user names (shape, winner, claims, controllers) to a search.

>>> from sawtooth.papers.pattern_search import find
>>> found = find("square", winner="MIMD", runs=100)
>>> found.verdict, found.found.table
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from sawtooth import _native
from sawtooth.claims.claim import Claim
from sawtooth.errors import MISSING, InputError
from sawtooth.experiment.compare import comparison_study
from sawtooth.experiment.search.goal import Goal
from sawtooth.experiment.search.search import Search, search
from sawtooth.experiment.search.space import COMMAND, Space
from sawtooth.experiment.study import Study
from sawtooth.papers.register import claims
from sawtooth.papers.studies import load_study
from sawtooth.progress import ProgressCallback
from sawtooth.run.run_count import RUNS_MAX, check_seeds
from sawtooth.run.store import Store
from sawtooth.run.used import watching
from sawtooth.scenario.overrides import WHERE, takes_away
from sawtooth.scenario.unused_keys import idle

SETUP = "akella2002/fig1"
"""The study whose set-up a search takes: flows, link and open parameters of [Akella02] §2."""
FILLED: Final[Mapping[str, str]] = {
    "flows.control": "CONTROLLER",
    "flows.recovery": "--recovery",
    "bottleneck.queue": "--router",
    "environment": "--shape and --range",
    "seed": "--seeds and --judge-seeds",
}
"""What a search fills in itself, and what says it."""


def find(
    shape: str,
    winner: str | None = None,
    loser: str | None = None,
    claim_ids: Sequence[str] = (),
    *,
    controllers: Sequence[str] = (),
    recovery: str = "sack",
    router: str = "droptail",
    ranges: Mapping[str, str] | None = None,
    runs: int = 1600,
    seeds: int = 3,
    judge_seeds: int | None = None,
    seed: int = 1,
    values: Mapping[str, object] | None = None,
    store: Store | Path | str | None = None,
    threads: int | None = None,
    progress: ProgressCallback | None = None,
) -> Search:
    """Search the patterns of a shape for one under which ``winner`` comes first, ``loser`` last in goodput, and the claims hold.

    ``controllers`` replace the four representatives; ``values`` are open parameters or other scenario keys at another value. InputError for
    names that do not exist, a goal that asks for nothing, ranges out of order and budgets that are too small.
    """
    space = Space.of(shape, ranges)
    study = setup(controllers, recovery, router, values or {})
    labels = [entry.label for entry in study.algorithm]
    chosen = [_claim(name, study) for name in claim_ids]
    goal = Goal(_label("--winner", winner, labels), _label("--loser", loser, labels), tuple(chosen))
    if not (goal.winner or goal.loser or goal.claims):
        raise InputError(COMMAND, "--winner", MISSING, "a goal: --winner, --loser or --claim")
    if goal.winner is not None and goal.winner == goal.loser:
        raise InputError(COMMAND, "--loser", loser, f"another controller than the winner {winner}")
    for option, number in (("--seeds", seeds), ("--judge-seeds", judge_seeds)):
        if number is not None:
            check_seeds(COMMAND, number, len(study.algorithm), option)
    if runs > RUNS_MAX:
        raise InputError(COMMAND, "--runs", runs, f"at most {RUNS_MAX:,} runs")
    judge = study if judge_seeds is None else study.seeded(judge_seeds)
    home = store if isinstance(store, Store) else Store(store)
    with watching() as used:
        found = search(
            study,
            space,
            goal,
            home,
            runs=runs,
            search_seeds=seeds,
            seed=seed,
            judge=judge,
            threads=threads,
            progress=progress,
        )
    return replace(found, behaviour=used)


def setup(controllers: Sequence[str], recovery: str, router: str, values: Mapping[str, object]) -> Study:
    """The set-up of the search: that of the study, in one setting, perhaps with other controllers and values."""
    study = load_study(SETUP)
    wanted = list(controllers) or [entry.control for entry in study.algorithm]
    named = comparison_study(wanted, [recovery], [router], ["none"])
    labels = {_native.controller(entry.control): entry.label for entry in study.algorithm}
    study = study.replaced(
        algorithm=[
            entry.model_copy(update={"label": labels.get(_native.controller(entry.control), entry.label)})
            for entry in named.algorithm
        ],
        matrix=study.matrix.model_copy(update={"settings": named.matrix.settings, "compared_with": []}),
        routers=named.routers,
    )
    for key, value in values.items():
        _refuse_filled(study, key, value)
    for key, value in values.items():
        study = study.with_value(key, value)
    for key, value in values.items():
        unused = idle(study.replaced(probe=[]).kinds(), key)
        if unused is not None:
            raise InputError(WHERE, key, value, f"a key that acts in the search ({key}: {unused.accepted})")
    return study


def _refuse_filled(study: Study, key: str, value: object) -> None:
    """InputError for a key of which the search, or an open parameter of its set-up, leaves nothing."""
    (setting,) = study.matrix.settings
    own = [entry for entry in study.parameter if entry.key == key]
    if any(entry.only is None and entry.applies(None, setting.router) for entry in own):
        return
    for place, by in FILLED.items():
        if takes_away(place, key) or takes_away(key, place):
            raise InputError(WHERE, key, value, f"another key: the search takes {place} from {by}")
    for entry in study.parameter:
        if takes_away(key, entry.key):
            raise InputError(WHERE, key, value, f"a single value, such as {entry.key}")


def _label(option: str, name: str | None, labels: Sequence[str]) -> str | None:
    """The label that a name means, in any spelling of case and spaces."""
    if name is None:
        return None
    for label in labels:
        if "".join(name.split()).lower() == "".join(label.split()).lower():
            return label
    raise InputError(COMMAND, option, name, f"one of {', '.join(labels)}")


def _claim(name: str, study: Study) -> Claim:
    """A claim that can be judged on one pattern alone."""
    alone = [entry for entry in claims() if entry.pattern is not None]
    for entry in alone:
        if entry.id == name:
            wanted = {"AIMD", "AIAD", "MIMD", "MIAD"} - {algorithm.label for algorithm in study.algorithm}
            if wanted and "akella" in entry.id:
                raise InputError(COMMAND, "--claim", name, "the four representatives as controllers")
            return entry
    raise InputError(COMMAND, "--claim", name, f"a claim about one pattern: {', '.join(e.id for e in alone)}")

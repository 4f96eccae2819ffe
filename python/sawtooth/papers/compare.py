"""A comparison with the printed scores that may stand beside it: those of a paper that has the same algorithms and environments.

Source: none. ``experiment.compare`` runs and scores, and knows no paper.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec

from sawtooth.errors import InputError
from sawtooth.experiment.anytime import at_any_time
from sawtooth.experiment.compare import compare as plain
from sawtooth.experiment.compare import comparison_study
from sawtooth.experiment.compared_network import values_of
from sawtooth.experiment.comparison import Comparison
from sawtooth.experiment.leads import Lead
from sawtooth.experiment.perform import different, perform
from sawtooth.experiment.stopping import BATCH, FIRST, MOST, Stopping
from sawtooth.papers import PAPERS
from sawtooth.progress import ProgressCallback
from sawtooth.run.run_count import RunCount, check_seeds
from sawtooth.run.store import Store

P = ParamSpec("P")


def with_printed(found: Comparison) -> Comparison:
    """The same with the tables of the first paper that prints scores of its algorithms over its environments."""
    for paper in PAPERS.values():
        if paper.printed:
            beside = replace(found, printed=paper.tables())
            if any(beside.beside(block) for block in found.own):
                return beside
    return found


def _beside(function: Callable[P, Comparison]) -> Callable[P, Comparison]:
    @wraps(function)
    def compared(*args: P.args, **kwargs: P.kwargs) -> Comparison:
        return with_printed(function(*args, **kwargs))

    return compared


compare = _beside(plain)


def compare_until_decided(
    controllers: list[str],
    *,
    seeds: int | None = None,
    most: int = MOST,
    store: Store | Path | str | None = None,
    fresh: bool = False,
    threads: int | None = None,
    progress: ProgressCallback | None = None,
    **asked: Any,
) -> Comparison:
    """As ``compare``, with seeds added until it is decided who leads in every metric and setting, up to ``most``.

    Who leads is judged by confidence sequences (``experiment.anytime``), so looking often costs no certainty, and the first decision
    stands. ``progress`` hears from the beginning how many runs it may take; ``asked`` is what is compared, as there. InputError for a
    greatest number of seeds that is below the first.
    """
    first = min(FIRST, most) if seeds is None else seeds
    if most < first:
        raise InputError("compare", "--max-seeds", most, f"no fewer than the {first} seeds it begins with")
    count, looks, executed, wall_s = first, 0, 0, 0.0
    decided: dict[str, tuple[Lead, int]] = {}
    home = store if isinstance(store, Store) else Store(store)
    values = values_of(asked.pop("set", ()))
    study = comparison_study(controllers, seeds=count, values=values, **asked)
    check_seeds("compare", most, study.seeded(1).runs, "--max-seeds")
    runs = RunCount(progress)
    runs.expect(different([study.seeded(most)]))
    made: set[str] = set()  # runs of an earlier look are not made again
    while True:
        found = perform(study.seeded(count), home, fresh=fresh, threads=threads, spared=made, count=runs)
        looks, executed, wall_s = looks + 1, executed + found.executed, wall_s + found.wall_s
        with at_any_time():
            leads = {_name(lead): lead for lead in found.leads}
        for name, lead in leads.items():
            if lead.conclusive:
                decided.setdefault(name, (lead, count))
        if len(decided) == len(leads) or count >= most:
            break
        count = min(count + BATCH, most)
    kept = [decided[name][0] if name in decided else lead for name, lead in leads.items()]
    at = {name: seen for name, (_, seen) in decided.items()}
    open_ = tuple(name for name in leads if name not in decided)
    stopping = Stopping(looks, most, at, open_, executed, wall_s)
    found = with_printed(replace(found, varied=values))
    return replace(found, judged_leads=kept, stopping=stopping, executed=executed, wall_s=wall_s)


def _name(lead: Lead) -> str:
    return f"{lead.setting} {lead.metric}"

"""Reproduce a figure or a whole paper: run its studies, put our numbers beside the printed ones, judge its claims.

    >>> import sawtooth as st
    >>> found = st.reproduce("akella2002/fig4", quick=True)
    >>> [(row["algorithm"], row["D"], row["published_D"]) for row in found.score_rows if row["metric"] == "goodput"]

A failing claim is a result, not an error. The report is drawn from the stored runs; see sawtooth.report.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from sawtooth.errors import InputError
from sawtooth.experiment.perform import perform
from sawtooth.experiment.study import Study
from sawtooth.papers.formulas import judge_for, runs_for_claims
from sawtooth.papers.parts import parts
from sawtooth.papers.reproduction import Reproduction, conclude
from sawtooth.progress import ProgressCallback
from sawtooth.report.pages import write_reproduction
from sawtooth.run.store import Store
from sawtooth.scenario.unused_keys import idle


def chosen_studies(
    name: str, seeds: int | None = None, quick: bool = False, varied: Mapping[str, object] | None = None
) -> list[Study]:
    """The parts of a paper that ``name`` means, shortened, reseeded and varied as asked.

    A value of ``varied`` goes to every part that has its key as an open parameter; InputError where none has, or where it acts in no run.
    """
    studies = parts(name)
    if quick:
        studies = [study.shortened() for study in studies]
    if seeds is not None:
        if seeds < 1:
            raise InputError("reproduce", "--seeds", seeds, "a number of seeds from 1")
        studies = [study.seeded(seeds) for study in studies]
    keys = dict.fromkeys(entry.key for study in studies for entry in study.parameter)
    for key, value in (varied or {}).items():
        if key not in keys:
            raise InputError("--set", key, value, f"an open parameter of {name}: {', '.join(keys)}")
        studies = [
            study.varied(key, value) if any(entry.key == key for entry in study.parameter) else study
            for study in studies
        ]
        unused = idle((cell for study in studies for cell in study.kinds()), key)
        if unused is not None:
            accepted = f"an open parameter that acts in {name} ({key}: {unused.accepted})"
            raise InputError("--set", key, value, accepted)
    return studies


def reproduce(
    name: str,
    seeds: int | None = None,
    quick: bool = False,
    store: Store | Path | str | None = None,
    fresh: bool = False,
    report: Path | str | Literal[False] | None = None,
    varied: Mapping[str, object] | None = None,
    threads: int | None = None,
    progress: ProgressCallback | None = None,
    processes: int = 1,
) -> Reproduction:
    """Run the parts of ``name`` (``akella2002/fig4``, ``akella2002``) and judge its claims; stored runs are not repeated.

    ``quick`` keeps cells and claims and takes fewer seeds and shorter runs; ``varied`` gives open parameters of the studies
    other values; ``report`` is the HTML file to write, None for ``<store>/reports/<name>.html``, False for none. Its pages are drawn by at
    most so many ``processes``; more than one needs a main module that can be imported, as `multiprocessing` does.
    """
    studies = chosen_studies(name, seeds, quick, varied)
    home = store if isinstance(store, Store) else Store(store)
    found = perform_parts(
        name, studies, home, seeds=seeds, quick=quick, fresh=fresh, threads=threads, progress=progress
    )
    found = replace(
        found, varied=varied or {}, parts=tuple(replace(part, varied=varied or {}) for part in found.parts)
    )
    if report is False:
        return found
    path = Path(report) if report is not None else report_path(home, found)
    return write_reproduction(found, path, processes)


def perform_parts(
    name: str,
    studies: Sequence[Study],
    store: Store,
    *,
    seeds: int | None = None,
    quick: bool = False,
    fresh: bool = False,
    threads: int | None = None,
    progress: ProgressCallback | None = None,
) -> Reproduction:
    """Run what the store lacks of several parts of a paper, one after another, and judge the claims of ``name`` over all of them.

    ``fresh`` repeats what is stored, once: a run that several parts share is made by the first of them. A whole paper (no ``/`` in its
    name) also gets verdicts on those of its claims that the runs of ``mathematics`` decide, over ``seeds``.
    """
    made: set[str] = set()
    counts = [study.runs for study in studies]
    beside = runs_for_claims(name, seeds, quick)
    total, past, known = sum(counts) + beside, 0, 0
    found = []
    for study, count in zip(studies, counts, strict=True):

        def counted(done: int, _: int, stored: int, past: int = past, known: int = known) -> None:
            if progress is not None:
                progress(past + done, total, known + stored)

        part = perform(study, store, quick=quick, fresh=fresh, threads=threads, progress=counted, spared=made)
        found.append(part)
        past, known = past + count, known + count - part.executed
    borrowed = None
    if beside:

        def last(done: int, _: int, stored: int, past: int = past, known: int = known) -> None:
            if progress is not None:
                progress(past + done, total, known + stored)

        borrowed = judge_for(name, store, seeds, quick, fresh, threads, last)
    return replace(conclude(name, found, borrowed=borrowed), quick=quick)


def report_path(store: Store, found: Reproduction) -> Path:
    """Where a report goes unless the user says otherwise; one of a quick or varied study does not replace that of the study."""
    names = [found.name.replace("/", "_"), *(["quick"] if found.quick else [])]
    names += [re.sub(r"[^\w.]+", "", f"{key}_{value}".lower()) for key, value in found.varied.items()]
    return store.path / "reports" / f"{'-'.join(names)}.html"

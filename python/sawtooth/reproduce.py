"""Reproduce a figure or a whole paper: run its studies, put our numbers beside the printed ones, judge its claims.

    >>> import sawtooth as st
    >>> found = st.reproduce("akella2002/fig4", quick=True)
    >>> [(row["algorithm"], row["D"], row["published_D"]) for row in found.score_rows if row["metric"] == "goodput"]

A failing claim is a result, not an error. The report is drawn from the stored runs; see sawtooth.report.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal

from sawtooth.comparison import Comparison, perform
from sawtooth.errors import InputError
from sawtooth.progress import ProgressCallback
from sawtooth.report import write_report
from sawtooth.store import Store
from sawtooth.study import Study, join, load_study, study_names


def chosen_study(
    name: str, seeds: int | None = None, quick: bool = False, varied: Mapping[str, object] | None = None
) -> Study:
    """The study (or the studies of a paper, joined) that ``name`` means, shortened, reseeded and varied as asked."""
    study = join(name, [load_study(entry) for entry in study_names(name)])
    if quick:
        study = study.shortened()
    if seeds is not None:
        if seeds < 1:
            raise InputError("reproduce", "--seeds", seeds, "a number of seeds from 1")
        study = study.seeded(seeds)
    for key, value in (varied or {}).items():
        try:
            study = study.varied(key, value)
        except KeyError:
            names = ", ".join(dict.fromkeys(entry.key for entry in study.parameter))
            raise InputError("--set", key, value, f"an open parameter of {study.name}: {names}") from None
    return study


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
) -> Comparison:
    """Run the study ``name`` (``akella2002/fig4``, ``akella2002``) and judge its claims; stored runs are not repeated.

    ``quick`` keeps cells and claims and takes fewer seeds and shorter runs; ``varied`` gives open parameters of the study
    other values; ``report`` is the HTML file to write, None for ``<store>/reports/<name>.html``, False for none.
    """
    study = chosen_study(name, seeds, quick, varied)
    home = store if isinstance(store, Store) else Store(store)
    found = replace(
        perform(study, home, quick=quick, fresh=fresh, threads=threads, progress=progress),
        varied=varied or {},
    )
    if report is False:
        return found
    path = Path(report) if report is not None else report_path(home, found)
    write_report(found, path)
    return replace(found, report=path)


def report_path(store: Store, found: Comparison) -> Path:
    """Where a report goes unless the user says otherwise; one of a quick or varied study does not replace that of the study."""
    parts = [found.study.name.replace("/", "_"), *(["quick"] if found.quick else [])]
    parts += [re.sub(r"[^\w.]+", "", f"{key}_{value}".lower()) for key, value in found.varied.items()]
    return store.path / "reports" / f"{'-'.join(parts)}.html"

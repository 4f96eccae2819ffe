"""The claims of a paper, each beside what judges it.

Source: none. Claims say which study they speak of; those of no study speak of the paper's main studies, which are one part.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache

from sawtooth.claims.sketch import Sketch, sketch
from sawtooth.errors import InputError
from sawtooth.experiment.study import Study
from sawtooth.papers.paper import Paper, load
from sawtooth.papers.studies import load_study, parts


def sketches(paper: Paper, wanted: Collection[str] | None = None) -> Iterator[Sketch]:
    """A sketch per claim, in the order of the paper; of those ``wanted``, if any are named."""
    main = next((study for study in parts(paper.name) if study.main), None) if paper.parts else None
    beside = load(paper.beside).choices() if paper.beside else {}
    for entry in paper.claims:
        if wanted and entry.id not in wanted:
            continue
        yield sketch(entry, main if entry.part is None else _study(entry.part), _study, beside)


@cache
def _study(name: str) -> Study | None:
    try:
        return load_study(name)
    except InputError:
        return None

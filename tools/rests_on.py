"""Which components of the engine the runs behind a block can have used, from the studies of its paper; nothing is run.

A command that fills a block says what its runs used. Where nobody says it (`tools.computed --adopt`), the block rests on every component
that a study of its papers uses, in any of its cells. A block that is of no paper rests on every component that there is, and so does one of
a sensitivity, whose runs take values that no study has.

Source: none.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from sawtooth.experiment.study import Study
from sawtooth.papers import PAPERS
from sawtooth.papers.formulas.overlay import jobs
from sawtooth.papers.formulas.study import load_overlay
from sawtooth.papers.studies import load_study
from sawtooth.plain import canonical
from sawtooth.run.run import behaviour_of_job
from sawtooth.scenario.resolve import resolve

OF_PAGES: Final = {
    "akella2002.md": ("akella2002", "reddy2012"),
    "floyd2000.md": ("floyd2000",),
    "lahanas2003.md": ("lahanas2003",),
}
"""By page with a table of claims, the papers whose claims it has."""
OF_TABLES: Final = ("claims", "claims in short")
"""Blocks of such a page that are of all its papers."""


def papers_of(page: str, block: str) -> tuple[str, ...]:
    """The papers on whose runs a block of a page rests; none where nothing says it. Papers of one page judge each other's claims."""
    if block == "claims in short of all":
        return tuple(paper for papers in OF_PAGES.values() for paper in papers)
    if "sensitivity" in block:
        return ()
    named = block.partition(" ")[0].partition("/")[0]
    if block in OF_TABLES:
        return OF_PAGES.get(page, ())
    return next((papers for papers in OF_PAGES.values() if named in papers), ())


def components_of(page: str, block: str, now: Mapping[str, int]) -> dict[str, int]:
    """The behaviour numbers, of those that the engine has ``now``, of what the runs behind a block can have used."""
    papers = papers_of(page, block)
    if not papers:
        return dict(now)
    used = frozenset[str]().union(_of_formulas(), *(_of_paper(paper) for paper in papers))
    return {name: number for name, number in now.items() if name in used}


@cache
def _of_paper(paper: str) -> frozenset[str]:
    return frozenset[str]().union(*(used_by(load_study(f"{paper}/{part}")) for part in PAPERS[paper].parts))


@cache
def _of_formulas() -> frozenset[str]:
    """The runs that are laid over formulas judge claims of every paper."""
    return frozenset(name for job in jobs(load_overlay()) for name in behaviour_of_job(job))


def used_by(study: Study) -> frozenset[str]:
    """The components that the cells and probes of a study use, by their names."""
    different = {canonical(planned.scenario): planned for planned in study.seeded(1).plan()}
    resolved = (resolve(study.read(planned.scenario), planned.seed) for planned in different.values())
    return frozenset(name for job in resolved for name in behaviour_of_job(job))

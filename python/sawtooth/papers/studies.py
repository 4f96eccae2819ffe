"""The studies of the papers by name, and what a name stands for: one study, or a paper for all of its studies.

Source: none. The main studies of a paper are joined into one part; a further study is a part of its own: other algorithms, another
network, other environments.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from sawtooth.errors import InputError
from sawtooth.packaged import packaged
from sawtooth.papers import PAPERS

if TYPE_CHECKING:
    from sawtooth.experiment.study import Study

STUDIES: Final = tuple(f"{paper.name}/{part}" for paper in PAPERS.values() for part in paper.parts)
"""Every study, in the order of the papers."""
BODIES: Final = {
    f"{paper.name}/body": tuple(f"{paper.name}/{part}" for part in paper.parts if part not in paper.apart)
    for paper in PAPERS.values()
    if paper.apart
}
"""By name, the studies of a paper without those that take longest."""


def study_names(name: str) -> tuple[str, ...]:
    """The studies that ``name`` means: one (``akella2002/fig4``), all of a paper (``akella2002``), or all but those that take longest
    (``akella2002/body``). InputError for another name."""
    if name in BODIES:
        return BODIES[name]
    found = tuple(entry for entry in STUDIES if entry == name or entry.partition("/")[0] == name)
    if not found:
        papers = [paper.name for paper in PAPERS.values() if paper.parts]
        raise InputError("reproduce", None, name, f"one of {', '.join([*papers, *BODIES, *STUDIES])}")
    return found


@cache
def load_study(name: str) -> Study:
    """The study of that name, read once. InputError for a name that no study has."""
    if name not in STUDIES:
        raise InputError("reproduce", None, name, f"one of {', '.join(STUDIES)}")
    from sawtooth.experiment.study_files import read_study  # names of studies need none of it

    paper, _, part = name.partition("/")
    return read_study(packaged("papers", paper, "studies") / f"{part}.toml")


def parts(name: str) -> list[Study]:
    """The parts that ``name`` (a study, or a paper for all of its studies) means: the main studies joined, then the others in order."""
    from sawtooth.experiment.join import join

    studies = [load_study(entry) for entry in study_names(name)]
    main = [study for study in studies if study.main]
    return [*([join(name, main)] if main else []), *(study for study in studies if not study.main)]


def list_studies() -> list[dict[str, Any]]:
    """What `sawtooth list studies` shows of each: name, title, paper, figure, number of runs and of claims."""
    studies = [load_study(name) for name in STUDIES]
    return [
        {
            "name": study.name,
            "title": study.title,
            "paper": study.paper,
            "figure": study.figure,
            "runs": study.runs,
            "claims": len(PAPERS[study.paper].touched(study)),
        }
        for study in studies
    ]

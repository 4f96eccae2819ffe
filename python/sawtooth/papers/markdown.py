"""Markdown pages of the papers: the places that a reproduction fills (`report.markdown`), with what the page has to know of all papers.

Source: none.
"""

from __future__ import annotations

from pathlib import Path

from sawtooth.experiment.reproduction import Reproduction
from sawtooth.papers import PAPERS
from sawtooth.papers.register import claims
from sawtooth.papers.studies import load_study, parts
from sawtooth.report import markdown


def update(path: Path, found: Reproduction) -> list[str]:
    """Fill the places of the page at ``path`` that a reproduction knows. InputError where it has none of them.

    Returns the names of the places that are of the whole paper and were left alone because ``found`` is a part of it.
    """
    return markdown.update(path, found, known(found))


def known(found: Reproduction) -> markdown.Papers:
    """What a page has to know beside the reproduction itself."""
    names = [name for part in found.parts for name in part.study.joined or [part.study.name]]
    studies = {}
    for name in names:
        study = load_study(name)
        ids = frozenset(entry.id for entry in PAPERS[study.paper].touched(study))
        studies[name] = markdown.Member(study.runs, ids)
    papers = {part.study.paper for part in found.parts if part.study.main}
    main = [study for paper in papers for study in parts(paper) if study.main]
    settings = frozenset(str(setting) for study in main for setting in study.matrix.settings)
    return markdown.Papers(frozenset(PAPERS), claims(), studies, settings)

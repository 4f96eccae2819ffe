"""Everything that can be reproduced, by name: papers, their studies, and what else they have.

Source: none.
"""

from __future__ import annotations

from typing import Any

from sawtooth.papers import PAPERS
from sawtooth.papers.further import Further
from sawtooth.papers.studies import BODIES, STUDIES, list_studies


def known_names() -> tuple[str, ...]:
    """Every name, papers first."""
    papers = (paper.name for paper in PAPERS.values() if paper.parts)
    return (*papers, *BODIES, *STUDIES, *(name for paper in PAPERS.values() for name in paper.further_names))


def further(name: str) -> Further | None:
    """What ``name`` means where it is no study of scenarios and no paper that has such; None where it is one."""
    for paper in PAPERS.values():
        if name in paper.further_names:
            return paper.load_further(name)
    return None


def rows() -> list[dict[str, Any]]:
    """What `sawtooth list studies` shows: name, title, paper, figure, number of runs and of claims; those without scenarios last."""
    others = [paper.load_further(name) for paper in PAPERS.values() for name in paper.further_names]
    return [*list_studies(), *(dict(entry.row()) for entry in others)]

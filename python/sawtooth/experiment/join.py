"""Several main studies of one paper as one study.

Source: none. The main studies of a paper (``main = true``) agree on everything but settings, so that their cells stand in one table,
and scores and claims read across settings.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sawtooth.experiment.study import Study


def join(name: str, studies: Sequence[Study]) -> Study:
    """Several main studies of one paper as one: their settings, probes and claims together, each run once.

    They must agree on everything else, since their cells are to stand in one table.
    """
    first = studies[0]
    if len(studies) == 1:
        return first
    for other in studies[1:]:
        same = (
            "scenario",
            "parameter",
            "changed",
            "algorithm",
            "routers",
            "environments",
            "quick",
            "tolerance",
        )
        differing = [key for key in same if getattr(other, key) != getattr(first, key)]
        if other.matrix.environments != first.matrix.environments or other.matrix.seeds != first.matrix.seeds:
            differing.append("matrix")
        if differing:
            raise AssertionError(f"{first.name} and {other.name} differ in {', '.join(differing)}")
    settings = list(dict.fromkeys(setting for study in studies for setting in study.matrix.settings))
    compared = dict.fromkeys(setting for study in studies for setting in study.matrix.compared_with)
    figures = [study.figure for study in studies if study.figure]
    return first.replaced(
        name=name,
        title=f"{first.paper}: figures {', '.join(figures)}",
        figure="",
        section="",
        picture="",
        expected=None,
        matrix=first.matrix.model_copy(
            update={
                "settings": settings,
                "compared_with": [setting for setting in compared if setting not in settings],
            }
        ),
        probe=list({probe.name: probe for study in studies for probe in study.probe}.values()),
        claims=list(dict.fromkeys(name for study in studies for name in study.claims)),
        joined=[study.name for study in studies],
    )

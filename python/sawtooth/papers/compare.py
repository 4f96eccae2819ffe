"""A comparison with the printed scores that may stand beside it: those of a paper that has the same algorithms and environments.

Source: none. ``experiment.compare`` runs and scores, and knows no paper.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import ParamSpec

from sawtooth.experiment.compare import compare as plain
from sawtooth.experiment.comparison import Comparison
from sawtooth.papers import PAPERS

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

"""The claims of all papers, in one list: by id, by the study that judges them, and those that need no runs.

Source: the file ``claims.toml`` beside the checks of each paper, our own words and facts.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from sawtooth.claims.table import Claim, Judged, judge_alone
from sawtooth.papers import PAPERS

if TYPE_CHECKING:
    from sawtooth.experiment.study import Study


@cache
def claims() -> tuple[Claim, ...]:
    """Every claim we carry, in the order of the papers."""
    found = []
    for paper in PAPERS.values():
        path = resources.files("sawtooth").joinpath("papers", paper.name, "claims", "claims.toml")
        for table in tomllib.loads(path.read_text(encoding="utf-8"))["claim"]:
            found.append(Claim(paper=paper.name, source=paper.source, **table))
    return tuple(found)


def claim(name: str) -> Claim:
    """The claim of that id. KeyError otherwise."""
    for entry in claims():
        if entry.id == name:
            return entry
    raise KeyError(f"no claim {name!r}")


def touched(study: Study) -> list[Claim]:
    """The claims that a study judges, in the order of the papers: those that speak of its cells, and those it names."""
    return [entry for entry in claims() if entry.id in study.claims or _speaks_of(entry, study)]


def _speaks_of(entry: Claim, study: Study) -> bool:
    """Whether a claim is about cells of a study: of its part, or of settings of the paper's main studies."""
    if entry.check is None or entry.paper != study.paper:
        return False
    if entry.part is not None:
        return entry.part == study.name
    if not study.main:
        return False
    own = {str(setting) for setting in study.matrix.settings}
    present = own | {str(setting) for setting in study.matrix.compared_with}
    among = bool(own & set(entry.settings))
    return among and (entry.quantifier != "joint" or set(entry.settings) <= present)


def judge_mathematics(paper: str) -> list[Judged]:
    """The verdicts on every definition and analysis claim of a paper, which need no runs and are never undecided.

    LookupError for a claim without a check.
    """
    return [
        judge_alone(entry)
        for entry in claims()
        if entry.paper == paper and entry.kind != "simulation" and entry.check
    ]

"""The claims of all papers, in one list.

Source: the file ``claims.toml`` beside the checks of each paper, our own words and facts.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from sawtooth.papers import PAPERS

if TYPE_CHECKING:
    from sawtooth.claims.claim import Claim


@cache
def claims() -> tuple[Claim, ...]:
    """Every claim we carry, in the order of the papers."""
    return tuple(entry for paper in PAPERS.values() for entry in paper.claims)


def claim(name: str) -> Claim:
    """The claim of that id. KeyError otherwise."""
    for entry in claims():
        if entry.id == name:
            return entry
    raise KeyError(f"no claim {name!r}")

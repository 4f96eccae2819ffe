"""Which claims a study judges.

Source: none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sawtooth.claims.claim import Claim
    from sawtooth.experiment.study import Study


def touching(study: Study, claims: Sequence[Claim]) -> list[Claim]:
    """The claims of a paper that speak of the cells of a study, and those that it names, in their order."""
    return [entry for entry in claims if entry.id in study.claims or _speaks_of(entry, study)]


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

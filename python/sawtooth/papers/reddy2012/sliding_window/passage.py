"""The claims of the sliding-window passage.

Source: ``claims/claims.toml`` of this paper.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sawtooth.papers.register import claims

if TYPE_CHECKING:
    from sawtooth.claims.claim import Claim

CHECKS: Final = "sliding_window."
"""The module of the checks that speak of this passage."""


def passage() -> list[Claim]:
    """Those whose check is of that module."""
    return [entry for entry in claims() if entry.check is not None and entry.check.startswith(CHECKS)]

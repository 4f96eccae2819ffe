"""How seeds were added until everything was decided, and how far that went.

Source: none; the intervals are those of ``anytime``.

| parameter | unit | default | why                                                                                               |
|-----------|------|---------|---------------------------------------------------------------------------------------------------|
| FIRST     | 1    | 15      | seeds of the first look: before that skewed values (exponential) decide by luck too often           |
| BATCH     | 1    | 5       | seeds added at a time                                                                               |
| MOST      | 1    | 60      | seeds at which a question is left open; docs/deciding.md shows what so many seeds decide           |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

FIRST: Final = 15
BATCH: Final = 5
MOST: Final = 60


@dataclass(frozen=True)
class Stopping:
    """``looks`` at verdicts, up to ``most`` seeds; by what was asked the number of seeds that decided it, and what is still open."""

    looks: int
    most: int
    decided_at: Mapping[str, int]
    open: tuple[str, ...]
    executed: int
    """Runs that were simulated over all looks."""
    wall_s: float

    @property
    def text(self) -> str:
        """In a sentence."""
        seeds = sorted(set(self.decided_at.values()))
        decided = f"{len(self.decided_at)} decided" + (
            f" at {seeds[0]} to {seeds[-1]} seeds" if seeds else ""
        )
        open_ = f", {len(self.open)} open at {self.most}" if self.open else ""
        return f"{self.looks} look{'s' * (self.looks != 1)} at confidence sequences: {decided}{open_}."

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "looks": self.looks,
            "max_seeds": self.most,
            "decided_at": dict(self.decided_at),
            "open": list(self.open),
        }

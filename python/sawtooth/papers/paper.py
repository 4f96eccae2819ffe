"""What a paper brings: its claims with their checks, its printed tables, and the figures of its mathematics.

Source: none. Each folder here has its ``PAPER``; ``PAPERS`` lists them in order. Functions load what they need when they are called, so
that one figure of one paper does not load the others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sawtooth.claims.source import ClaimSource, PrintedTables

if TYPE_CHECKING:
    from sawtooth.report.drawing import Drawing


@dataclass(frozen=True)
class Paper:
    """One study of the literature. ``mathematics`` is the title of the report that ``draw`` makes the figures of."""

    name: str
    mathematics: str
    draw: Callable[[], list[Drawing]]
    tables: Callable[[], PrintedTables] | None = None

    @property
    def source(self) -> ClaimSource:
        """What its claims carry."""
        return ClaimSource(f"sawtooth.papers.{self.name}.claims", self.tables)

"""What the mathematics of [Akella02] §5.1 looks like."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sawtooth.report.drawing import Drawing


def draw() -> list[Drawing]:
    """The figures, in the order of the report."""
    return []

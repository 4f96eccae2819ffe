"""What the mathematics of [Reddy12] looks like: definitions only, so there is nothing to draw beyond the study of 2002."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sawtooth.report.drawing import Drawing


def draw() -> list[Drawing]:
    """No figures."""
    return []

"""What a paper adds to the report of one of its studies: sections of the page, figures beside it, Markdown, and tables on the terminal.

Source: none. A paper hands such objects to a ``Comparison``; pages, figures and the command line show them and know no paper.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from sawtooth.claims.logic import Verdict
    from sawtooth.report.blocks import Picture, Section


@dataclass(frozen=True)
class TextTable:
    """A table for the terminal: heads (none: each row is a line of its own), rows of texts or verdicts, and a note below."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str | Verdict]]
    note: str = ""
    right: bool = False
    """Whether all columns but the first are numbers."""


class Exhibit:
    """An addition with nothing to show; one that has something says so by its own methods."""

    instead_of_scores: ClassVar[bool] = False
    """Whether it takes the place of the tables of scores, one per setting."""

    def answer(self) -> list[str]:
        """What it shows, in a sentence or two."""
        return []

    def headline(self) -> Picture | None:
        """The one picture of the page, if it has that."""
        return None

    def sections(self) -> list[Section]:
        """Further sections of the page."""
        return []

    def figures(self) -> Mapping[str, Figure]:
        """Figures that are written beside the page, by the end of their file's name."""
        return {}

    def blocks(self) -> Mapping[str, str]:
        """Markdown by the name of its place in a page."""
        return {}

    def tables(self) -> list[TextTable]:
        """Tables for the terminal."""
        return []

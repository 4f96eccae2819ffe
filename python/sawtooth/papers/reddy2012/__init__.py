"""[Reddy12]: the four linear controls compared anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sawtooth.papers.paper import Paper

if TYPE_CHECKING:
    from sawtooth.claims.source import PrintedTables
    from sawtooth.report.drawing import Drawing


def _draw() -> list[Drawing]:
    from sawtooth.papers.reddy2012.drawings import draw

    return draw()


def _tables() -> PrintedTables:
    from sawtooth.papers.akella2002.printed import tables

    return tables()


PAPER: Final = Paper(
    name="reddy2012",
    mathematics="Reddy et al. 2012: definitions",
    draw=_draw,
    tables=_tables,
)

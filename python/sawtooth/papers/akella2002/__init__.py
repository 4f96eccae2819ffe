"""[Akella02]: is AIMD the right control for today's recoveries and routers?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sawtooth.papers.paper import Paper

if TYPE_CHECKING:
    from sawtooth.claims.source import PrintedTables
    from sawtooth.report.drawing import Drawing


def _draw() -> list[Drawing]:
    from sawtooth.papers.akella2002.drawings import draw

    return draw()


def _tables() -> PrintedTables:
    from sawtooth.papers.akella2002.printed import tables

    return tables()


PAPER: Final = Paper(
    name="akella2002",
    mathematics="Akella et al. 2002: steady states and fairness",
    draw=_draw,
    tables=_tables,
)

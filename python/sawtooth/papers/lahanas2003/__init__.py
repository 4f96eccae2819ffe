"""[Lahanas03]: AIMD with fast convergence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sawtooth.papers.paper import Paper

if TYPE_CHECKING:
    from sawtooth.report.drawing import Drawing


def _draw() -> list[Drawing]:
    from sawtooth.papers.lahanas2003.drawings import draw

    return draw()


PAPER: Final = Paper(
    name="lahanas2003",
    mathematics="Lahanas and Tsaoussidis 2003: AIMD with fast convergence",
    draw=_draw,
)

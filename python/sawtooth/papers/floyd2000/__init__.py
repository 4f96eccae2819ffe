"""[Floyd00]: smooth window controls against equation-based congestion control."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sawtooth.papers.paper import Paper

if TYPE_CHECKING:
    from sawtooth.report.drawing import Drawing


def _draw() -> list[Drawing]:
    from sawtooth.papers.floyd2000.drawings import draw

    return draw()


PAPER: Final = Paper(
    name="floyd2000",
    mathematics="Floyd, Handley, Padhye 2000: response functions",
    draw=_draw,
)

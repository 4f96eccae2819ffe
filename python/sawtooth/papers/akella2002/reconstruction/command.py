"""Reconstruction as the command line asks for it.

Source: none.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sawtooth.papers.akella2002.reconstruction.reconstruct import Design, reconstruct
from sawtooth.papers.akella2002.reconstruction.result import Reconstruction
from sawtooth.papers.further import Made, Reconstructor, Request

BLOCKS: Final = tuple(
    f"reconstruction {name}"
    for name in ("command", "design", "summary", "effects", "joint", "finalists", "unexplained")
)
"""What ``page`` fills, which is not loaded before there is something to draw."""


class _Reconstructor(Reconstructor):
    """Over the tables of the figures and of the appendix."""

    blocks = BLOCKS

    def reconstruct(
        self, order: Request, combinations: int | None, finalists: int | None, budget_s: float | None
    ) -> Reconstruction:
        """Run what the store lacks, fit, and write the report."""
        from sawtooth.papers.akella2002.reconstruction.page import write_reconstruction  # loads matplotlib

        usual = Design()
        design = Design(
            combinations=combinations or usual.combinations,
            finalists=usual.finalists if finalists is None else finalists,
        )
        found = reconstruct(order.store, design, budget_s, progress=order.progress)
        return order.reported(found, f"{found.name}-reconstruction", write_reconstruction)

    def update_page(self, path: Path, made: Made) -> None:
        """Fill the places of a Markdown page, and write the figure beside it."""
        from sawtooth.papers.akella2002.reconstruction.page import update_page

        assert isinstance(made, Reconstruction)
        update_page(path, made)


RECONSTRUCTION: Final = _Reconstructor()

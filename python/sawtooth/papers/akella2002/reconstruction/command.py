"""Reconstruction as the command line asks for it.

Source: none.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from sawtooth.papers.akella2002.reconstruction.crossing import cross
from sawtooth.papers.akella2002.reconstruction.crossing_result import CROSSED, OpenCrossing
from sawtooth.papers.akella2002.reconstruction.reconstruct import Design, reconstruct
from sawtooth.papers.akella2002.reconstruction.result import Reconstruction
from sawtooth.papers.further import Made, ReconstructionExtent, Reconstructor, Request

BLOCKS: Final = tuple(
    f"reconstruction {name}"
    for name in ("command", "design", "summary", "effects", "joint", "finalists", "unexplained")
)
"""What ``page`` fills, which is not loaded before there is something to draw."""


class _Reconstructor(Reconstructor):
    """Over the tables of the figures and of the appendix."""

    def blocks(self, keys: Sequence[str]) -> Sequence[str]:
        """What the pages of either fill."""
        return CROSSED if keys else BLOCKS

    def reconstruct(self, order: Request, extent: ReconstructionExtent) -> Reconstruction | OpenCrossing:
        """Run what the store lacks, fit or compare, and write the report."""
        if extent.keys:
            # Loads matplotlib.
            from sawtooth.papers.akella2002.reconstruction.crossing_page import write_crossing

            crossing = cross(extent.keys, order.store, extent.budget_s, progress=order.progress)
            return order.reported(crossing, f"{crossing.name}-crossing", write_crossing)
        from sawtooth.papers.akella2002.reconstruction.page import write_reconstruction  # loads matplotlib

        usual = Design()
        design = Design(
            combinations=extent.combinations or usual.combinations,
            finalists=usual.finalists if extent.finalists is None else extent.finalists,
        )
        found = reconstruct(order.store, design, extent.budget_s, progress=order.progress)
        return order.reported(found, f"{found.name}-reconstruction", write_reconstruction)

    def update_page(self, path: Path, made: Made) -> None:
        """Fill the places of a Markdown page, and write the figure beside it."""
        if isinstance(made, OpenCrossing):
            from sawtooth.papers.akella2002.reconstruction.crossing_page import update_crossing

            update_crossing(path, made)
            return
        from sawtooth.papers.akella2002.reconstruction.page import update_page

        assert isinstance(made, Reconstruction)
        update_page(path, made)


RECONSTRUCTION: Final = _Reconstructor()

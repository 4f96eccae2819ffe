"""The study of pairs as the command line asks for it.

Source: none. What runs and draws is loaded when it is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final

from sawtooth.papers.further import Further, Made, Request

if TYPE_CHECKING:
    from pathlib import Path

    from sawtooth.papers.coexistence.perform import Coexistence


class _Pairs(Further):
    """The study by its name on the command line."""

    takes: ClassVar[frozenset[str]] = frozenset({"seeds", "quick", "fresh", "markdown"})

    def row(self) -> Mapping[str, Any]:
        """One study of no paper and without claims."""
        from sawtooth.papers.coexistence.pairs import setup

        found = setup()
        return {
            "name": "coexistence",
            "title": found.title,
            "paper": "",
            "figure": "",
            "runs": len(found.meetings) * found.seeds,
            "claims": 0,
        }

    def reproduce(self, order: Request) -> Coexistence:
        """Run all pairs and write the report."""
        from sawtooth.papers.coexistence.page import write_pairs
        from sawtooth.papers.coexistence.pairs import setup
        from sawtooth.papers.coexistence.perform import NAME, perform

        found = setup().shortened() if order.quick else setup()
        asked = found if order.seeds is None else found.seeded(order.seeds)
        made = perform(asked, order.store, fresh=order.fresh, progress=order.progress)
        return order.reported(made, NAME, write_pairs)

    def update_page(self, path: Path, made: Made) -> None:
        """Fill the places of a Markdown page, and write the matrix that it shows."""
        from sawtooth.papers.coexistence.page import update_page
        from sawtooth.papers.coexistence.perform import Coexistence

        assert isinstance(made, Coexistence)
        update_page(path, made)


COEXISTENCE: Final = _Pairs()

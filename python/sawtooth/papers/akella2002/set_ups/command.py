"""The configurations beside each other, as the command line asks for them.

Source: none. What runs and draws is loaded when it is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from sawtooth.papers.further import Further, Made, Request

if TYPE_CHECKING:
    from sawtooth.papers.akella2002.set_ups.perform import SetUps
    from sawtooth.scenario.resolve import Resolved


class _SetUps(Further):
    """By its name on the command line."""

    takes: ClassVar[frozenset[str]] = frozenset({"seeds", "quick", "fresh", "markdown", "shard"})
    quick_pages: ClassVar[bool] = True

    def row(self) -> Mapping[str, Any]:
        """One study; its claims are those of the figures."""
        from sawtooth.papers.akella2002.set_ups.plan import NAME, plans

        return {
            "name": NAME,
            "title": "Which claims turn in the set-up nearest to the authors' simulator",
            "paper": "akella2002",
            "figure": "",
            "runs": sum(study.runs for _, studies in plans(Request()) for study in studies),
            "claims": 0,
        }

    def jobs(self, order: Request) -> Sequence[Resolved]:
        """Every run behind it."""
        from sawtooth.papers.akella2002.set_ups.perform import jobs

        return jobs(order)

    def reproduce(self, order: Request) -> SetUps:
        """Run, compare and write the report."""
        from sawtooth.papers.akella2002.set_ups.page import write
        from sawtooth.papers.akella2002.set_ups.perform import compare
        from sawtooth.papers.akella2002.set_ups.plan import NAME

        name = NAME.replace("/", "_") + ("-quick" if order.quick else "")
        return order.reported(compare(order), name, write)

    def update_page(self, path: Path, made: Made) -> None:
        """Fill the places of a Markdown page."""
        from sawtooth.papers.akella2002.set_ups.page import update_page
        from sawtooth.papers.akella2002.set_ups.perform import SetUps

        assert isinstance(made, SetUps)
        update_page(path, made)


SET_UPS: Final = _SetUps()

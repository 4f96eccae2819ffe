"""The test cases of the draft as the command line asks for them.

Source: none. What runs and draws is loaded when it is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final

from sawtooth.papers.further import Further, Made, Request

if TYPE_CHECKING:
    from pathlib import Path

    from sawtooth.papers.bbr_draft.perform import Cases


class _BbrDraft(Further):
    """The cases by their name on the command line."""

    takes: ClassVar[frozenset[str]] = frozenset({"fresh", "markdown"})

    def row(self) -> Mapping[str, Any]:
        """One study of no paper, with a run for each case."""
        from sawtooth.papers.bbr_draft.case_files import cases

        found = len(cases())
        return {
            "name": "bbr-draft",
            "title": "BBR version 3: the test cases of the draft",
            "paper": "",
            "figure": "",
            "runs": found,
            "claims": found,
        }

    def reproduce(self, order: Request) -> Cases:
        """Run them and write the report."""
        from sawtooth.papers.bbr_draft.page import write_cases
        from sawtooth.papers.bbr_draft.perform import NAME, perform

        return order.reported(perform(order.store, order.fresh, order.progress), NAME, write_cases)

    def update_page(self, path: Path, made: Made) -> None:
        """Fill the places of a Markdown page."""
        from sawtooth.papers.bbr_draft.page import update_page
        from sawtooth.papers.bbr_draft.perform import Cases

        assert isinstance(made, Cases)
        update_page(path, made)


BBR_DRAFT: Final = _BbrDraft()

"""The verdicts that stand on a page: what its table of claims says, for those who judge them again on fresh seeds.

Source: none. A table of claims counts where the engine behaves as it did when the table was made (``report.computed``). A verdict counts
where the check of its claim has not changed since (``rule``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sawtooth.claims.claim import Claim
from sawtooth.claims.table import Judged
from sawtooth.errors import MISSING, InputError
from sawtooth.report.claim_rows import stated
from sawtooth.report.computed import contents, faults, file_of, name_of
from sawtooth.report.markdown import check_page
from sawtooth.scenario.described import describe

BLOCK = "claims"


@dataclass(frozen=True)
class Published:
    """The verdicts of a page on claims about runs, without what they rest on."""

    page: Path
    judged: Sequence[Judged]
    executed: int = 0
    """Runs that were simulated to know them."""


def published(page: Path, paper: str, claims: Sequence[Claim]) -> Published:
    """What a page says of those of the ``claims`` of a paper whose checks have not changed since.

    InputError for a page whose table of claims has none of them, and for a table that this engine would not make.
    """
    text = check_page(page, names=[BLOCK], option="--verdicts")
    why = _doubt(page)
    if why is not None:
        raise InputError(
            str(page), BLOCK, why, "a table of claims made by an engine that behaves as this one"
        )
    found = stated(contents(text)[BLOCK])
    judged = [
        Judged(entry, row.verdict, None, None, entry.settings, (), row.seeds, None)
        for entry in claims
        if entry.kind == "simulation" and (row := found.get(entry.id)) is not None and row.rule >= entry.since
    ]
    if not judged:
        accepted = f"verdicts on claims of {paper} about runs, by their checks of today"
        raise InputError(str(page), BLOCK, MISSING, accepted)
    return Published(page, judged)


def _doubt(page: Path) -> str | None:
    """Why the table of a page cannot be trusted; None where it can."""
    lines = file_of(page)
    if lines is None:
        return "nothing says what it rests on"
    found = faults(lines, [page], describe()["behaviour"])  # of the lines of other pages as well
    here = (name_of(page, lines), BLOCK)
    return next((fault.why for fault in found if (fault.page, fault.block) == here), None)

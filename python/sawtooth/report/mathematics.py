"""The report of a paper's mathematics: its figures drawn anew, and every definition and analysis claim with verdict and evidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sawtooth.claims.logic import Verdict
from sawtooth.report import figures
from sawtooth.report.blocks import Page, Picture, Section
from sawtooth.report.claims import COMPUTED_HOW, claims_section, failures, verdict_sentences
from sawtooth.report.tables import counts

if TYPE_CHECKING:
    from sawtooth.claims.table import Judged
    from sawtooth.report.drawing import Drawing


def mathematics_page(title: str, name: str, drawings: Sequence[Drawing], judged: Sequence[Judged]) -> Page:
    """The page; it rests on no runs."""
    pictures = [(entry, _picture(entry)) for entry in drawings]
    return Page(
        name=name,
        title=title,
        answer=answer(judged),
        facts={"Claims": str(len(judged)), "Runs": "none"},
        counts=counts(judged),
        picture=pictures[0][1] if pictures else None,
        failures=failures(judged),
        words=[
            ("Holds, fails", "By closed forms, exhaustive ranges and the synchronous model; never undecided.")
        ],
        sections=[
            *(Section(entry.name, entry.title, [picture]) for entry, picture in pictures[1:]),
            claims_section(judged, COMPUTED_HOW),
        ],
        command=f"sawtooth reproduce {name}",
    )


def answer(judged: Sequence[Judged]) -> list[str]:
    """How the claims came out, and for how many of those that fail something holds in their place."""
    failing = [item for item in judged if item.verdict is Verdict.FAILS]
    mended = sum(
        item.finding is not None
        and any(leaf.instead is not None for leaf in (item.finding, *item.finding.leaves()))
        for item in failing
    )
    found = verdict_sentences(judged)
    if mended:
        found.append(
            f"For {mended} of those that fail the evidence names a statement that holds in its place."
        )
    found.append(
        "All of it is computed: closed forms, exhaustive ranges of integers and the synchronous model, without a run of the network."
    )
    return found


def _picture(entry: Drawing) -> Picture:
    return Picture(figures.inline(entry.figure, entry.name, entry.title), entry.caption)

"""The page of a paper, or of a directory of studies: how the claims came out, what fails, and a card for each part with a page of its own.

Source: none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sawtooth.plurals import number_of
from sawtooth.report.answers import card_sentence, paper_answer
from sawtooth.report.blocks import Card, Page, Picture, Row, Section, Table
from sawtooth.report.claims import (
    JUDGED_HOW,
    STATED_HOW,
    claims_section,
    counted_apart,
    failures,
    of_runs,
    shown_counts,
)
from sawtooth.report.inline import joined, link
from sawtooth.report.part_page import headline, notes
from sawtooth.report.sketches import Sketches
from sawtooth.report.tables import counts
from sawtooth.report.words import INTERVAL, PRINTED, VERDICTS, runs

if TYPE_CHECKING:
    from sawtooth.experiment.comparison import Comparison
    from sawtooth.experiment.reproduction import Reproduction


def paper_page(found: Reproduction) -> Page:
    """The page; ``found.parts`` know their own pages."""
    first = found.parts[0]
    printed = any(item.printed is not None for item in found.judged)
    words = [VERDICTS, *([PRINTED] if printed else []), INTERVAL, runs(found.typed)]
    sections = [_parts(found.parts)]
    if found.judged:
        how = JUDGED_HOW if any(part.printed is not None for part in found.parts) else STATED_HOW
        sections.insert(0, claims_section(found.judged, how, folded=True))
    return Page(
        name=found.name,
        title=found.title or found.name,
        answer=paper_answer(found.parts, found.judged, len(found.run_ids)),
        facts={"Runs": f"{len(found.run_ids):,}", "Parts": str(len(found.parts)), "Engine": first.engine},
        counts=shown_counts(found.judged),
        apart=counted_apart(found.judged),
        notes=notes(first)[:2],
        picture=_picture(found.parts),
        failures=failures(found.judged),
        cards=[_card(part) for part in found.parts],
        words=words,
        sections=sections,
        command=found.command,
        typed=found.typed,
    )


def _picture(parts: Sequence[Comparison]) -> Picture | None:
    """The picture of the first part that has one; of several studies of one's own it says which it is."""
    for part in parts:
        picture = headline(part, Sketches())
        if picture is not None:
            own = len(parts) > 1 and not part.study.paper
            caption = joined([f"{part.study.title}:", picture.caption]) if own else picture.caption
            return replace(picture, caption=caption)
    return None


def _card(part: Comparison) -> Card:
    size = number_of(len(part.run_ids), "run")
    page = None if part.report is None else part.report.name
    found = shown_counts(part.judged)
    return Card(part.study.name, part.study.title, card_sentence(part), size, found, page)


def _parts(parts: Sequence[Comparison]) -> Section:
    """The parts as a table, to sort: claims on runs by verdict, then how many are algebra, if any are."""
    algebra = any(len(of_runs(part.judged)) < len(part.judged) for part in parts)
    rows = []
    for part in parts:
        name = part.study.name
        runs = of_runs(part.judged)
        own = [*counts(runs).values(), *([len(part.judged) - len(runs)] if algebra else [])]
        rows.append(
            Row(
                name if part.report is None else link(part.report.name, name),
                [part.study.title, f"{len(part.run_ids):,}", *(str(count) for count in own)],
            )
        )
    heads = ["Part", "What", "Runs", *(verdict.value for verdict in counts(())), *["algebra"] * algebra]
    return Section("sizes", "Parts by size and verdict", [Table(heads, rows, look="words")], folded=True)

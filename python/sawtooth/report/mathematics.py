"""The report of a paper's mathematics: its figures drawn anew, and every definition and analysis claim with verdict and evidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sawtooth.report import figures
from sawtooth.report.claims import COMPUTED_HOW, claims_section, summary
from sawtooth.report.elements import document, element, link, paragraph, section, text

if TYPE_CHECKING:
    from sawtooth.claims.table import Judged
    from sawtooth.report.drawing import Drawing


def page(title: str, name: str, drawings: Sequence[Drawing], judged: Sequence[Judged]) -> str:
    """The whole document."""
    links = [link(f"#{entry.name}", text(entry.title)) for entry in drawings]
    header = [
        paragraph(f"Sawtooth report · {text(name)}", "kicker"),
        element("h1", text(title)),
        summary(judged),
        element("nav", " · ".join([*links, link("#claims", "Claims")]), aria_label="Sections"),
    ]
    parts = [
        element("header", "\n".join(header)),
        *(_figure(entry) for entry in drawings),
        claims_section(judged, COMPUTED_HOW),
    ]
    return document(name, parts)


def _figure(entry: Drawing) -> str:
    drawing = figures.inline(entry.figure, entry.name, entry.title)
    return section(
        entry.name, text(entry.title), element("figure", drawing), paragraph(text(entry.caption), "muted")
    )

"""The mathematics of a paper as a study without runs: its definition and analysis claims judged, its figures drawn, one report.

    >>> import sawtooth as st
    >>> found = st.mathematics("akella2002")
    >>> [item.claim.id for item in found.judged if item.verdict == "fails"]

``sawtooth reproduce PAPER/mathematics`` prints the verdicts and writes the report.

Source: none.
"""

from __future__ import annotations

from pathlib import Path

from sawtooth.errors import InputError
from sawtooth.papers import PAPERS
from sawtooth.papers.computed import Mathematics, compute


def mathematics(paper: str, report: Path | str | None = None) -> Mathematics:
    """Judge the definition and analysis claims of ``paper`` (``akella2002``); with ``report``, draw its figures into that HTML file.

    Each figure is also written as an SVG and a PDF file beside it. InputError for a paper that is not here.
    """
    known = [entry.name for entry in PAPERS.values() if entry.mathematics]
    if paper not in known:
        raise InputError("mathematics", None, paper, f"one of {', '.join(known)}")
    return compute(PAPERS[paper], None if report is None else Path(report))

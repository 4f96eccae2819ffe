"""The mathematics of a paper as a study without runs: its definition and analysis claims judged, its figures drawn, one report.

    >>> import sawtooth as st
    >>> found = st.mathematics("akella2002")
    >>> [item.claim.id for item in found.judged if item.verdict == "fails"]

``sawtooth reproduce PAPER/mathematics`` prints the verdicts and writes the report. One file per paper says what is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sawtooth.atomic import write_bytes_atomic, write_text_atomic
from sawtooth.claims.table import Judged
from sawtooth.errors import MISSING, InputError
from sawtooth.papers import PAPERS
from sawtooth.papers.register import claims, judge_mathematics

if TYPE_CHECKING:
    pass


SUFFIX: Final = "/mathematics"


@dataclass(frozen=True)
class Mathematics:
    """The verdicts on a paper's definition and analysis claims, and the report if one was written."""

    paper: str
    judged: list[Judged]
    report: Path | None = None

    @property
    def name(self) -> str:
        """As one names it on the command line."""
        return self.paper + SUFFIX

    @property
    def claim_rows(self) -> list[dict[str, object]]:
        """One row per claim: id, verdict, evidence, statement."""
        return [item.to_json() for item in self.judged]

    def to_json(self) -> dict[str, Any]:
        """The document of ``--json``."""
        return {
            "study": self.name,
            "claims": self.claim_rows,
            "runs": 0,
            "report": None if self.report is None else str(self.report),
        }


def list_mathematics() -> list[dict[str, Any]]:
    """What `sawtooth list studies` shows of each: as ``sawtooth.experiment.study.list_studies``, with no runs."""
    return [
        {
            "name": paper + SUFFIX,
            "title": entry.mathematics,
            "paper": paper,
            "figure": "",
            "runs": 0,
            "claims": sum(item.paper == paper and item.kind != "simulation" for item in claims()),
        }
        for paper, entry in PAPERS.items()
    ]


def mathematics(paper: str, report: Path | str | None = None) -> Mathematics:
    """Judge the definition and analysis claims of ``paper`` (``akella2002``); with ``report``, draw its figures into that HTML file.

    Each figure is also written as an SVG and a PDF file beside it. InputError for a paper that is not here.
    """
    if paper not in PAPERS:
        raise InputError("mathematics", None, paper, f"one of {', '.join(PAPERS)}")
    judged = judge_mathematics(paper)
    path = None if report is None else Path(report)
    if path is not None:
        _write(paper, judged, path)
    return Mathematics(paper, judged, path)


def _write(paper: str, judged: list[Judged], path: Path) -> None:
    # Imported here: matplotlib takes long, and the command line imports this module.
    from sawtooth.report.drawing import figure_files
    from sawtooth.report.mathematics import page

    entry = PAPERS[paper]
    drawings = entry.draw()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text_atomic(path, page(entry.mathematics, paper + SUFFIX, drawings, judged))
        for drawing in drawings:
            stem = path.with_name(f"{path.stem}_{drawing.name}")
            for target, data in figure_files(stem, drawing.figure).items():
                write_bytes_atomic(target, data)
    except OSError as error:
        raise InputError(
            "report", str(path), MISSING, f"a place that can be written ({error.strerror})"
        ) from error

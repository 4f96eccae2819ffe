"""The mathematics of a paper as something to reproduce without runs: its definition and analysis claims judged, its figures drawn.

Source: none. The file ``drawings`` of a paper says what is drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol

from sawtooth.display_verdicts import judged_html, judged_text
from sawtooth.documents import format_of
from sawtooth.papers.further import Further, Made, Request
from sawtooth.progress import stage

if TYPE_CHECKING:
    from sawtooth.claims.claim import Claim
    from sawtooth.claims.table import Judged
    from sawtooth.experiment.exhibit import TextTable
    from sawtooth.report.drawing import Drawing

SUFFIX: Final = "/mathematics"


class Mathematical(Protocol):
    """What a paper with mathematics has (``paper.Paper``)."""

    @property
    def name(self) -> str: ...
    @property
    def mathematics(self) -> str: ...
    @property
    def claims(self) -> Sequence[Claim]: ...
    def judge_mathematics(self) -> list[Judged]: ...
    def draw(self) -> list[Drawing]: ...


@dataclass(frozen=True, repr=False)
class Mathematics:
    """The verdicts on a paper's definition and analysis claims, and the report if one was written."""

    paper: str
    judged: list[Judged]
    report: Path | None = None

    def __repr__(self) -> str:
        return judged_text(self, "Mathematics")

    def _repr_html_(self) -> str:
        return judged_html(self, repr(self))

    @property
    def name(self) -> str:
        """As one names it on the command line."""
        return self.paper + SUFFIX

    @property
    def claim_rows(self) -> list[dict[str, object]]:
        """One row per claim: id, verdict, evidence, statement."""
        return [item.to_json() for item in self.judged]

    def tables(self) -> list[TextTable]:
        """Nothing but the claims."""
        return []

    def to_json(self) -> dict[str, Any]:
        """The document of ``--json``."""
        return {
            "format": format_of("mathematics"),
            "study": self.name,
            "claims": self.claim_rows,
            "runs": 0,
            "report": None if self.report is None else str(self.report),
        }


def compute(paper: Mathematical, path: Path | None) -> Mathematics:
    """Judge the claims of a paper that need no runs; with ``path``, draw its figures into that HTML file."""
    with stage("judging"):
        judged = paper.judge_mathematics()
    if path is not None:
        with stage("drawing"):
            _write(paper, judged, path)
    return Mathematics(paper.name, judged, path)


def _write(paper: Mathematical, judged: list[Judged], path: Path) -> None:
    # Imported here: matplotlib takes long, and the command line imports this module.
    from sawtooth.report.drawing import figure_files
    from sawtooth.report.mathematics import mathematics_page
    from sawtooth.report.write import write_page

    drawings = paper.draw()
    files: dict[Path, bytes] = {}
    for drawing in drawings:
        files |= figure_files(path.with_name(f"{path.stem}_{drawing.name}"), drawing.figure)
    write_page(mathematics_page(paper.mathematics, paper.name + SUFFIX, drawings, judged), path, files)


@dataclass(frozen=True)
class MathematicsOf(Further):
    """The mathematics of a paper by its name on the command line."""

    takes: ClassVar[frozenset[str]] = frozenset({"markdown"})
    paper: Mathematical

    def row(self) -> Mapping[str, Any]:
        """One study without runs."""
        return {
            "name": self.paper.name + SUFFIX,
            "title": self.paper.mathematics,
            "paper": self.paper.name,
            "figure": "",
            "runs": 0,
            "claims": sum(item.kind != "simulation" for item in self.paper.claims),
        }

    def reproduce(self, order: Request) -> Mathematics:
        """Judge and draw it."""
        from sawtooth.run.store import Store

        usual = Store(order.store).path / "reports" / f"{self.paper.name}_mathematics.html"
        return compute(self.paper, order.report_path(usual))

    def update_page(self, path: Path, made: Made) -> None:
        """Renew the rows of its claims in the table of a Markdown page, and the counts of all claims there."""
        from sawtooth.papers.register import claims  # imports every paper
        from sawtooth.report.markdown import fill, rows_anew

        fill(path, {}, True, rows_anew(path, made.judged, made.name, claims()))

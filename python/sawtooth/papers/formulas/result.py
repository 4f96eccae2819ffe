"""What laying runs over formulas found, as tables and as a document.

Source: none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sawtooth import display_verdicts
from sawtooth.documents import format_of
from sawtooth.experiment.exhibit import TextTable

if TYPE_CHECKING:
    from sawtooth.claims.table import Judged
    from sawtooth.papers.formulas.points import FormulaCurve
    from sawtooth.papers.formulas.study import OverlayStudy


@dataclass(frozen=True, repr=False)
class Overlay:
    """What was found: curves with their points, verdicts on claims about random loss, and the report if one was written."""

    study: OverlayStudy
    curves: Sequence[FormulaCurve]
    judged: Sequence[Judged]
    quick: bool
    runs: int
    executed: int
    wall_s: float
    report: Path | None = None

    def __repr__(self) -> str:
        return display_verdicts.overlay_text(self)

    def _repr_html_(self) -> str:
        return display_verdicts.overlay_html(self)

    @property
    def name(self) -> str:
        """As one names it on the command line."""
        return self.study.name

    def tables(self) -> list[TextTable]:
        """Per curve where each series follows the formula, and where and why it leaves it."""
        apart = self.study.apart
        return [
            TextTable(curve.title, (), [[text] for text in curve.sentences(apart)]) for curve in self.curves
        ]

    def to_json(self) -> dict[str, Any]:
        """The document of ``--json``."""
        return {
            "format": format_of("overlay"),
            "study": self.study.name,
            "seeds": self.study.seeds,
            "tolerance": self.study.apart,
            "curves": [curve.to_json(self.study.apart) for curve in self.curves],
            "claims": [item.to_json() for item in self.judged],
            "runs": self.runs,
            "executed": self.executed,
            "wall_s": self.wall_s,
            "quick": self.quick,
            "report": None if self.report is None else str(self.report),
        }

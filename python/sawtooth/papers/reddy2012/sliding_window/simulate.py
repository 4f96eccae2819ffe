"""Go-Back-N, simulated frame by frame and laid over its formula: the sliding-window passage of the 2012 paper as a study.

    >>> from sawtooth.papers.reddy2012.sliding_window.simulate import reproduce_arq
    >>> found = reproduce_arq(quick=True)
    >>> [(point.window, point.p, point.efficiency.mean, point.formula) for point in found.points][:3]

``protocol`` is the simulation, ``study`` the file ``studies/sliding-window.toml`` and its points. ``sawtooth reproduce
reddy2012/sliding-window`` prints the points and writes a report; it takes seconds and keeps no runs.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sawtooth.claims.table import Judged, judge_alone
from sawtooth.documents import format_of
from sawtooth.experiment.exhibit import TextTable
from sawtooth.papers.reddy2012.sliding_window.passage import passage
from sawtooth.papers.reddy2012.sliding_window.study import NAME, ArqStudy, WindowPoint, load_arq, simulate
from sawtooth.progress import ProgressCallback, stage
from sawtooth.report.tables import number, spread

__all__ = ["NAME", "Arq", "reproduce_arq"]


@dataclass(frozen=True)
class Arq:
    """What was found: the points of every window and error rate, the verdicts on the passage, and the report if one was written."""

    study: ArqStudy
    points: Sequence[WindowPoint]
    judged: Sequence[Judged]
    quick: bool
    wall_s: float
    report: Path | None = None

    @property
    def apart(self) -> list[WindowPoint]:
        """Points on the formula's ground that left it."""
        bound = self.study.tolerance["apart"].value
        return [point for point in self.points if point.formula is not None and point.leaves(bound)]

    @property
    def name(self) -> str:
        """As one names it on the command line."""
        return self.study.name

    def tables(self) -> list[TextTable]:
        """Efficiency by window and error rate, the formula beside it where it speaks."""
        rows = []
        for point in self.points:
            measured = f"{number(point.efficiency.mean, 4)} {spread(point.efficiency, 4)}".rstrip()
            shown = (str(point.window), str(point.round_trip), f"{point.p:g}", measured)
            rows.append([*shown, number(point.formula, 4)])
        heads = ("window", "round trip", "p", "measured", "formula")
        note = f"{len(self.apart)} points are wholly beyond the tolerance from the formula."
        return [TextTable("frames delivered per frame time", heads, rows, note, right=True)]

    def to_json(self) -> dict[str, Any]:
        """The document of ``--json``."""
        return {
            "format": format_of("sliding-window"),
            "study": self.study.name,
            "seeds": self.study.seeds,
            "tolerance": self.study.tolerance["apart"].value,
            "points": [point.to_json() for point in self.points],
            "apart": len(self.apart),
            "claims": [item.to_json() for item in self.judged],
            "runs": 0,
            "wall_s": self.wall_s,
            "quick": self.quick,
            "report": None if self.report is None else str(self.report),
        }


def reproduce_arq(
    seeds: int | None = None,
    quick: bool = False,
    progress: ProgressCallback | None = None,
) -> Arq:
    """Simulate every point of the study and judge the claims of the passage."""
    begun = time.monotonic()
    study = load_arq()
    study = study.shortened() if quick else study
    study = study if seeds is None else study.seeded(seeds)
    points = simulate(study, progress)
    with stage("judging"):
        judged = [judge_alone(entry) for entry in passage()]
    return Arq(study, points, judged, quick, time.monotonic() - begun)

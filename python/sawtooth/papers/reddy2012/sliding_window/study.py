"""The study of Go-Back-N: which windows, error rates and round trips, and a point for each, with its interval beside the formula.

Source: ``studies/sliding-window.toml``; the formula is that of ``sawtooth.models.sliding_window``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Final

import numpy as np
from pydantic import Field, ValidationError

from sawtooth import _native
from sawtooth.experiment.intervals import Interval, interval
from sawtooth.experiment.study import Expected, Tolerance
from sawtooth.experiment.study_files import read_toml
from sawtooth.models.sliding_window import efficiency
from sawtooth.packaged import packaged
from sawtooth.papers.reddy2012.sliding_window.protocol import transfer
from sawtooth.progress import ProgressCallback
from sawtooth.run.run_count import check_seeds
from sawtooth.scenario.fields import Strict, input_error

FILE: Final = "sliding-window.toml"
NAME: Final = "reddy2012/sliding-window"
"""As one names it: ``sawtooth reproduce reddy2012/sliding-window``."""

Whole = Annotated[int, Field(ge=1)]


class QuickTransfers(Strict):
    """The shortened form: the same points, fewer seeds, shorter transfers."""

    seeds: Whole
    slots: Whole


class ArqStudy(Strict):
    """A checked file."""

    name: str
    title: str
    paper: str
    section: str
    picture: str
    windows: Annotated[list[Whole], Field(min_length=1)]
    probabilities: Annotated[list[Annotated[float, Field(ge=0, lt=1)]], Field(min_length=1)]
    slots: Whole
    seeds: Whole
    round_trips: list[Whole]
    quick: QuickTransfers
    tolerance: dict[str, Tolerance]
    expected: Expected

    def shortened(self) -> ArqStudy:
        """The ``--quick`` form."""
        return self.model_copy(update={"slots": self.quick.slots}).seeded(self.quick.seeds)

    def seeded(self, seeds: int) -> ArqStudy:
        """The same over another number of seeds."""
        check_seeds("reproduce", seeds, len(self.windows) * len(self.probabilities))
        return self.model_copy(update={"seeds": seeds})


@dataclass(frozen=True)
class WindowPoint:
    """One window, error rate and round trip: the measured efficiency, and the formula where the round trip is as long as the window."""

    window: int
    round_trip: int
    p: float
    efficiency: Interval
    repeats: Interval
    formula: float | None

    @property
    def deviation(self) -> float | None:
        """Relative deviation of the mean from the formula."""
        return None if self.formula is None else self.efficiency.mean / self.formula - 1.0

    def leaves(self, bound: float) -> bool:
        """Whether the whole interval lies beyond ``bound`` from the formula, relatively."""
        if self.formula is None or self.efficiency.low is None or self.efficiency.high is None:
            return False
        return self.efficiency.low > self.formula * (1 + bound) or self.efficiency.high < self.formula * (
            1 - bound
        )

    def to_json(self) -> dict[str, Any]:
        """The point's entry in ``--json``; ``repeats`` is the share of frames that were sent again."""
        return {
            "window": self.window,
            "round_trip": self.round_trip,
            "p": self.p,
            "efficiency": self.efficiency.mean,
            "low": self.efficiency.low,
            "high": self.efficiency.high,
            "repeats": self.repeats.mean,
            "formula": self.formula,
            "deviation": self.deviation,
        }


def load_arq() -> ArqStudy:
    """The packaged study. InputError names file, key, value and what is accepted."""
    try:
        return ArqStudy.model_validate(read_toml(packaged("papers", "reddy2012", "studies") / FILE))
    except ValidationError as error:
        raise input_error(error, FILE) from None


def cases(study: ArqStudy) -> Iterator[tuple[int, int, float]]:
    """Window, round trip and error rate of every point: first round trips as long as the window, then those of fixed length."""
    for window in study.windows:
        for p in study.probabilities:
            yield window, window, p
    for round_trip in study.round_trips:
        for window in study.windows:
            for p in study.probabilities:
                yield window, round_trip, p


def simulate(study: ArqStudy, progress: ProgressCallback | None = None) -> list[WindowPoint]:
    """Every point of the study. Errors are drawn from the engine's named streams, one per point and seed."""
    planned = list(cases(study))
    points = []
    for done, (window, round_trip, p) in enumerate(planned, 1):
        shares, repeats = [], []
        for seed in range(1, study.seeds + 1):
            stream = f"go-back-n {window} {round_trip} {p:g}"
            damaged = np.asarray(_native.uniforms(str(seed), stream, study.slots)) < p
            found = transfer(window, round_trip, damaged.tolist())
            shares.append(found.efficiency)
            repeats.append(1.0 - found.delivered / found.sent)
        formula = float(efficiency(p, window)) if window == round_trip else None
        points.append(WindowPoint(window, round_trip, p, interval(shares), interval(repeats), formula))
        if progress is not None:
            progress(done, len(planned), 0)
    return points

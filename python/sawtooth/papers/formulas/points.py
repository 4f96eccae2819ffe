"""What an overlay finds: points with intervals beside formulas, how far they are apart, and what may be the cause.

Source: none. A point is one place of one series (a law at a loss rate, a cycle of a path). Its deviation is taken within each seed,
measured over formula less one or measured less formula, and its interval is over the seeds; a point is *apart* when that interval lies
wholly beyond the study's tolerance. Causes are estimates of what each adds to the deviation, from the run's own records or from a model.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

from sawtooth.experiment.intervals import Interval, interval

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SHOWN: Final = 5e-4
"""Parts smaller than this are not named in a sentence."""

Kind = Literal["ratio", "difference"]


@dataclass(frozen=True)
class FormulaPoint:
    """One place of a series. ``formulas`` by name; ``shares`` describe the runs, ``causes`` are parts of the deviation (same unit)."""

    series: str
    x: float
    formulas: Mapping[str, float]
    measured: Interval
    deviation: Interval
    shares: Mapping[str, float]
    causes: Mapping[str, float]
    run_ids: tuple[str, ...]

    def apart(self, tolerance: float) -> bool:
        """Whether the whole interval lies beyond ``tolerance`` on one side; one value alone counts as itself."""
        low = self.deviation.mean if self.deviation.low is None else self.deviation.low
        high = self.deviation.mean if self.deviation.high is None else self.deviation.high
        return low > tolerance or high < -tolerance

    @property
    def main_cause(self) -> str | None:
        """The cause that adds most to the deviation on its own side; None where none does."""
        sign = 1.0 if self.deviation.mean > 0 else -1.0
        pulling = {name: sign * part for name, part in self.causes.items() if sign * part > 0}
        return max(pulling, key=lambda name: pulling[name]) if pulling else None

    @property
    def explained(self) -> float:
        """The sum of the causes."""
        return sum(self.causes.values())

    def to_json(self, tolerance: float) -> dict[str, Any]:
        """The point in ``--json``."""
        return {
            "series": self.series,
            "x": self.x,
            "formulas": dict(self.formulas),
            "measured": self.measured.mean,
            "measured_low": self.measured.low,
            "measured_high": self.measured.high,
            "deviation": self.deviation.mean,
            "deviation_low": self.deviation.low,
            "deviation_high": self.deviation.high,
            "apart": self.apart(tolerance),
            "shares": dict(self.shares),
            "causes": dict(self.causes),
            "main_cause": self.main_cause,
            "seeds": self.measured.n,
            "run_ids": list(self.run_ids),
        }


@dataclass(frozen=True)
class FormulaCurve:
    """The points of one figure. ``reference`` is the formula that deviations are from; ``lines`` are (x, y) of smooth curves by name."""

    name: str
    title: str
    x_label: str
    y_label: str
    reference: str
    kind: Kind
    points: Sequence[FormulaPoint]
    explained: Mapping[str, str]
    """What each share and cause is, by name."""
    logarithmic: bool = False
    lines: Mapping[str, tuple[Sequence[float], Sequence[float]]] = field(default_factory=dict)

    @property
    def series(self) -> list[str]:
        """The names of the series in order."""
        return list(dict.fromkeys(point.series for point in self.points))

    def of(self, series: str) -> list[FormulaPoint]:
        """The points of one series."""
        return [point for point in self.points if point.series == series]

    def sentences(self, tolerance: float) -> list[str]:
        """Where each series follows the reference, where it departs from it, and what was found there: one to four sentences each."""
        return [self._sentence(name, tolerance) for name in self.series]

    def _sentence(self, series: str, tolerance: float) -> str:
        points = self.of(series)
        apart = [point for point in points if point.apart(tolerance)]
        unit = self._percent(tolerance) if self.kind == "ratio" else f"{tolerance:g}"
        if not apart:
            worst = max(points, key=lambda point: abs(point.deviation.mean))
            return (
                f"{series} follows {self.reference} at every point: no interval lies wholly beyond {unit}. "
                f"The largest deviation is {self._deviation(worst)} at {self.x_label} = {worst.x:g} ({self._shares(worst)})."
            )
        places = ", ".join(f"{point.x:.3g} ({self._deviation(point)}{self._cause(point)})" for point in apart)
        together = [f"{point.x:.3g}" for point in points if point not in apart]
        text = f"{series} departs from {self.reference} at {self.x_label} = {places}"
        text += f"; it follows it at {', '.join(together)}." if together else ", which is every point."
        worst = max(apart, key=lambda point: abs(point.deviation.mean))
        text += f" At the largest deviation: {self._shares(worst)}."
        if worst.main_cause is not None:
            parts = ", ".join(
                f"{name} {self._signed(part)}" for name, part in worst.causes.items() if abs(part) >= SHOWN
            )
            text += f" Estimated causes, each taken alone: {parts}. The largest is {worst.main_cause}."
        return text

    @staticmethod
    def _cause(point: FormulaPoint) -> str:
        return "" if point.main_cause is None else f": {point.main_cause}"

    @staticmethod
    def _shares(point: FormulaPoint) -> str:
        return ", ".join(f"{name} {value:.3g}" for name, value in point.shares.items())

    def _deviation(self, point: FormulaPoint) -> str:
        found = point.deviation
        if found.low is None or found.high is None or found.low == found.high:
            return self._signed(found.mean)
        return f"{self._signed(found.mean)} [{self._signed(found.low)}, {self._signed(found.high)}]"

    def _signed(self, value: float) -> str:
        return f"{100 * value:+.1f} %" if self.kind == "ratio" else f"{value:+.3f}"

    @staticmethod
    def _percent(value: float) -> str:
        return f"{100 * value:g} %"

    def to_json(self, tolerance: float) -> dict[str, Any]:
        """The curve in ``--json``."""
        return {
            "name": self.name,
            "title": self.title,
            "x": self.x_label,
            "y": self.y_label,
            "reference": self.reference,
            "deviation": self.kind,
            "points": [point.to_json(tolerance) for point in self.points],
            "sentences": self.sentences(tolerance),
            "meaning": dict(self.explained),
        }


def mean(values: Sequence[float]) -> float:
    """The mean over the seeds."""
    return interval(values).mean

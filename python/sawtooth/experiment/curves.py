"""Curves over the runs of a probe: a value against one dimension, a series for each label of another, with intervals over seeds.

Source: none. A study describes its curves as data (``[[curve]]``); a point is the mean over the seeds of one value of the runs with two
labels, its *contrast* what the same seeds give beside the series that the others are compared with: their ratio less one, or
the difference. Seeds are paired, so the interval of a contrast is that of the paired values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from sawtooth.experiment.figure_specs import LEVEL, LEVELS, PART, CurveSpec
from sawtooth.experiment.intervals import Interval, interval
from sawtooth.experiment.matrix import ProbeRun
from sawtooth.experiment.plan import Label

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class CurvePoint:
    """One point with the runs behind it; ``contrast`` is None for the series that others stand beside, and where there is none."""

    series: Label
    x: Label
    value: Interval
    contrast: Interval | None
    run_ids: tuple[str, ...]
    at: float | None = None


@dataclass(frozen=True)
class Curve:
    """The points of one figure, series by series."""

    spec: CurveSpec
    points: Sequence[CurvePoint]

    @cached_property
    def series(self) -> list[Label]:
        """The labels of the series in order."""
        return list(dict.fromkeys(point.series for point in self.points))

    @cached_property
    def places(self) -> list[Label]:
        """The places on the x axis in order."""
        return list(dict.fromkeys(point.x for point in self.points))

    def of(self, series: Label) -> list[CurvePoint]:
        """The points of one series."""
        return [point for point in self.points if point.series == series]

    def at(self, series: Label, x: Label) -> CurvePoint:
        """One point. KeyError if there is none."""
        for point in self.points:
            if point.series == series and point.x == x:
                return point
        raise KeyError(f"{self.spec.name}: no point {series} at {x}")

    def to_json(self) -> dict[str, Any]:
        """The curve in ``--json``."""
        return {
            "name": self.spec.name,
            "title": self.spec.title,
            "value": self.spec.value,
            "x": self.spec.x,
            "contrast": None if self.spec.beside is None else f"{self.spec.contrast} to {self.spec.beside}",
            "points": [
                {
                    "series": point.series,
                    "x": point.x,
                    **({} if point.at is None else {"at": point.at}),
                    **_numbers("", point.value),
                    **({} if point.contrast is None else _numbers("contrast_", point.contrast)),
                    "seeds": point.value.n,
                    "run_ids": list(point.run_ids),
                }
                for point in self.points
            ],
        }


def _numbers(prefix: str, found: Interval) -> dict[str, float | None]:
    return {f"{prefix}mean": found.mean, f"{prefix}low": found.low, f"{prefix}high": found.high}


def lay(spec: CurveSpec, runs: Sequence[ProbeRun]) -> Curve:
    """The points of a curve from the runs of its probe. LookupError where the runs have no such dimension, label or value."""
    chosen = select(runs, spec.only)
    points = []
    for label in labels(chosen, spec.series):
        own = select(chosen, {spec.series: label})
        for x, name, among in _places(spec, chosen):
            here = select(own, among)
            if not here:
                continue
            numbers, contrast = values(here, name), None
            if spec.beside is not None and label != spec.beside:
                other = values(select(chosen, {**among, spec.series: spec.beside}), name)
                contrast = interval(numbers / other - 1.0 if spec.contrast == "ratio" else numbers - other)
            at = float(values(here, spec.at).mean()) if spec.at else None
            points.append(
                CurvePoint(label, x, interval(numbers), contrast, tuple(run.run_id for run in here), at)
            )
    return Curve(spec, points)


def _places(spec: CurveSpec, runs: Sequence[ProbeRun]) -> list[tuple[Label, str, Mapping[str, Label]]]:
    """The places on the x axis: label, name of the value there, and the labels of the runs that are meant."""
    if spec.x == LEVEL:
        split = {name: LEVELS.fullmatch(name) for name in runs[0].values}
        found = [(name, m) for name, m in split.items() if m and m[1] + (m[3] or "") == spec.value]
        return [(float(m[2]), name, {}) for name, m in found]
    if spec.x != PART:
        return [(label, spec.value, {spec.x: label}) for label in labels(runs, spec.x)]
    names = [name for name in runs[0].values if name.startswith(f"{spec.value} ") and ".." in name]
    return [(name.removeprefix(f"{spec.value} "), name, {}) for name in names]


def select(runs: Sequence[ProbeRun], wanted: Mapping[str, Label]) -> list[ProbeRun]:
    """The runs with these labels, in the order of the plan. LookupError for a dimension they do not have."""
    for name in wanted:
        if runs and name not in runs[0].labels:
            raise LookupError(f"no dimension {name!r}: {', '.join(runs[0].labels)}")
    return [run for run in runs if all(run.labels[name] == label for name, label in wanted.items())]


def labels(runs: Sequence[ProbeRun], dimension: str) -> list[Label]:
    """The labels of a dimension among the runs, in the order of the plan."""
    return list(dict.fromkeys(run.labels[dimension] for run in runs))


def values(runs: Sequence[ProbeRun], name: str) -> NDArray[np.float64]:
    """One value per seed, in the order of the seeds of the plan. LookupError for no such value, or two runs of one seed."""
    seeds = [run.seed for run in runs]
    if len(set(seeds)) != len(seeds):
        raise LookupError(f"{name}: several runs of one seed; further labels must choose among them")
    if any(name not in run.values for run in runs):
        raise LookupError(f"no value {name!r} among {', '.join(runs[0].values)}")
    return np.array([run.values[name] for run in runs], dtype=np.float64)

"""The points of a curve in words and as a Markdown table: mean and 95 % interval over seeds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sawtooth.plurals import number_of

if TYPE_CHECKING:
    from sawtooth.experiment.curves import Curve, CurvePoint
    from sawtooth.experiment.intervals import Interval


def contrast_label(curve: Curve) -> str:
    """What the contrast of a curve is, with its unit."""
    how = "beside" if curve.spec.contrast == "ratio" else "less"
    return f"{how} {curve.spec.beside}{' (%)' if curve.spec.contrast == 'ratio' else ''}"


def contrast_axis(curve: Curve) -> str:
    """The same on an axis."""
    return f"difference from {curve.spec.beside}{' (%)' if curve.spec.contrast == 'ratio' else ''}"


def contrast_scale(curve: Curve) -> float:
    """What a contrast is multiplied by where it is shown: ratios are in percent."""
    return 100.0 if curve.spec.contrast == "ratio" else 1.0


def cell(point: CurvePoint, curve: Curve) -> tuple[str, str]:
    """Value and contrast of a point in words: mean and interval; the contrast is empty where there is none."""
    contrast = "" if point.contrast is None else _shown(point.contrast, "+.3g", contrast_scale(curve))
    return _shown(point.value, ".4g"), contrast


def _shown(found: Interval, form: str, scale: float = 1.0) -> str:
    mean = format(scale * found.mean, form)
    if found.low is None or found.high is None or found.low == found.high:
        return mean
    return f"{mean} [{format(scale * found.low, form)}, {format(scale * found.high, form)}]"


def markdown_table(curve: Curve) -> str:
    """The curve as a Markdown table: a row per place, a column per series, contrasts in a second row of columns."""
    beside = (
        [name for name in curve.series if name != curve.spec.beside] if curve.spec.beside is not None else []
    )
    heads = [
        curve.spec.x if curve.spec.at else curve.spec.x_label or curve.spec.x,
        *map(str, curve.series),
        *(f"{name} {contrast_label(curve)}" for name in beside),
    ]
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for place in curve.places:
        cells = [cell(curve.at(name, place), curve)[0] for name in curve.series]
        cells += [cell(curve.at(name, place), curve)[1] for name in beside]
        lines.append("| " + " | ".join([str(place), *cells]) + " |")
    seeds = max(point.value.n for point in curve.points)
    sure = "Mean and 95 % interval over" if seeds > 1 else "Values of"
    return "\n".join([*lines, "", f"{sure} {number_of(seeds, 'seed')}."])

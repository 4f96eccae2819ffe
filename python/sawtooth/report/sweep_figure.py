"""The figure of a sweep: a panel per metric over the values of one key, a line for each combination of the other keys.

Values that are numbers of one unit (20 ms, 40 ms) stand on an axis of numbers, logarithmic where the largest is ten times the smallest;
all others stand side by side as they are written. Means over the seeds with their 95 % intervals, which the figure says.

Source: none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sawtooth.errors import InputError
from sawtooth.measure.metrics import METRICS
from sawtooth.report.drawing import MODEL_STYLE, MUTED, SERIES, canvas
from sawtooth.report.quantities import quantities
from sawtooth.report.ticks import number_ticks, word_ticks

if TYPE_CHECKING:
    from sawtooth.experiment.intervals import Interval

USUAL: Final = ("goodput", "delay", "loss")
MARKERS: Final = "osD^vPX*"
WIDTH: Final = 3.3
"""Inches of a panel."""
WORD: Final = 0.22
"""Inches of a panel for each word under it, at least."""
LETTERS: Final = 36
"""Letters that fit side by side under a panel of WIDTH."""


class Swept(Protocol):
    """What is drawn of a sweep (``sweep.CombinationSweep`` has it)."""

    @property
    def scenario(self) -> str: ...
    @property
    def over(self) -> Mapping[str, Sequence[Any]]: ...
    @property
    def seeds(self) -> Sequence[str]: ...
    def text(self, value: Any) -> str: ...
    def groups(self) -> Iterable[tuple[Mapping[str, Any], Mapping[str, Interval]]]: ...


def sweep_figure(found: Swept, metrics: Sequence[str] = (), over: str | None = None) -> Figure:
    """The panels of the ``metrics``. InputError for names that the sweep has not."""
    units = {entry.name: entry.unit for entry in METRICS}
    chosen = list(metrics) or list(USUAL)
    for name in chosen:
        if name not in units:
            raise InputError("plot", "metrics", name, "metrics, as `sawtooth list metrics` shows them")
    along = _along(found) if over is None else over
    if along not in found.over:
        raise InputError("plot", "over", along, f"one of {', '.join(found.over)}")
    places, unit = _places(found.over[along])
    lines = _lines(found, along)
    named = len(lines) > 1
    names = [_said(found, value) for value in found.over[along]]
    width = _width(names, unit)
    figure, panels = canvas(width * len(chosen), 3.4 if named else 2.9, 1, len(chosen))
    with mpl.rc_context(MODEL_STYLE):
        for axes, name in zip(panels, chosen, strict=True):
            for number, (label, means) in enumerate(lines.items()):
                own = [entry[name] for entry in means]
                _line(axes, number, places, own, label, joined=unit is not None)
            if all(entry[name].mean >= 0.0 for means in lines.values() for entry in means):
                axes.set_ylim(bottom=max(0.0, axes.get_ylim()[0]))
            axes.set_title(f"{name} ({units[name]})", fontsize=9.5)
            _axis(axes, along, names, places, unit)
        said = f"Bars: 95 % intervals over {len(found.seeds)} seeds" if len(found.seeds) > 1 else ""
        if named:
            figure.legend(
                *panels[0].get_legend_handles_labels(),
                loc="outside lower center",
                ncols=min(len(lines), 4 if max(map(len, lines)) < 20 else 2),
                fontsize=8,
                title=said or None,
                title_fontsize=7.5,
            )
        elif said:
            figure.supxlabel(said, fontsize=7.5, color=MUTED)
    return figure


def _along(found: Swept) -> str:
    """The first key whose values are numbers, else the first."""
    return next(
        (key for key, values in found.over.items() if _places(values)[1] is not None), next(iter(found.over))
    )


def _places(values: Sequence[Any]) -> tuple[list[float], str | None]:
    """Where the values stand, and their unit; None where they stand side by side."""
    return quantities(values) or ([float(place) for place in range(len(values))], None)


def _lines(found: Swept, along: str) -> dict[str, list[Mapping[str, Interval]]]:
    """The means of each combination of the other keys, in the order of the values."""
    lines: dict[str, list[Mapping[str, Interval]]] = {}
    for values, means in found.groups():
        label = ", ".join(_said(found, value) for key, value in values.items() if key != along)
        lines.setdefault(label, []).append(means)
    return lines


def _line(
    axes: Axes, number: int, places: Sequence[float], means: Sequence[Interval], label: str, *, joined: bool
) -> None:
    """Means with their intervals; a line joins places that are numbers, and no words."""
    below = [0.0 if entry.low is None else entry.mean - entry.low for entry in means]
    above = [0.0 if entry.high is None else entry.high - entry.mean for entry in means]
    order = sorted(range(len(places)), key=places.__getitem__)
    axes.errorbar(
        [places[place] for place in order],
        [means[place].mean for place in order],
        [[side[place] for place in order] for side in (below, above)],
        color=SERIES[number % len(SERIES)],
        marker=MARKERS[number % len(MARKERS)],
        markersize=4,
        linestyle="-" if joined else "none",
        linewidth=1.2,
        capsize=2,
        label=label,
    )


def _axis(axes: Axes, key: str, names: Sequence[str], places: Sequence[float], unit: str | None) -> None:
    axes.set_xlabel(f"{key} ({unit})" if unit else key)
    if unit is None:
        word_ticks(axes, names, round(LETTERS * _width(names, unit) / WIDTH))
        return
    logarithmic = min(places) > 0 and max(places) >= 10 * min(places)
    if logarithmic or len(places) <= 6:
        number_ticks(axes, places, LETTERS, logarithmic=logarithmic, size=8)


def _width(names: Sequence[str], unit: str | None) -> float:
    """Inches of a panel, wider where many words stand side by side."""
    return WIDTH if unit is not None else max(WIDTH, WORD * len(names))


def _said(found: Swept, value: Any) -> str:
    """A value in a figure: a table as its kind and its keys with their values, without the marks of JSON; a line ends behind a value."""
    if isinstance(value, Mapping):
        said = {key: _said(found, entry) for key, entry in value.items()}
        return ", ".join(
            entry if key == "kind" else f"{key}\N{NO-BREAK SPACE}{entry}" for key, entry in said.items()
        )
    if isinstance(value, list | tuple):
        return " + ".join(_said(found, entry) for entry in value)
    return found.text(value)


__all__ = ["sweep_figure"]

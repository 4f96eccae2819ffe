"""The figure of a comparison, one per setting: goodput over delay, bars of raw values, and maps of controller by environment.

| panel               | what                                                                                                    |
|---------------------|---------------------------------------------------------------------------------------------------------|
| goodput over delay  | a mark per controller (mean over the seeds), an ellipse of one standard deviation of its seeds          |
| delays              | the share of packets that waited no longer, a line per controller (mean over the seeds), with the seeds' range |
| bars                | raw values per environment, mean and 95 % interval over the seeds                                        |
| maps                | raw values as numbers, colour by the distances that D adds up; for several of both                       |

A controller has one colour and one mark throughout. Up to NEAR environments have a panel of goodput over delay and one of delays
each; of more the mean over the environments is drawn. Delays are drawn from the quantiles that a run keeps (`describe()["delay_shares"]`).

Source: ellipses over delay and throughput as in [WinsteinBalakrishnan13]; the rest is ours.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.legend_handler import HandlerTuple
from matplotlib.lines import Line2D
from matplotlib.patches import Ellipse, Patch

from sawtooth.experiment.intervals import interval
from sawtooth.experiment.plan import CellKey
from sawtooth.experiment.scoring import CLIP_GOODPUT, HIGHER_IS_BETTER, SCORED
from sawtooth.report import legends
from sawtooth.report.drawing import INK, MODEL_STYLE, MUTED
from sawtooth.report.looks import SERIES, look
from sawtooth.report.places import SMALL, name_places, slanted, wrapped
from sawtooth.report.tables import setting_title
from sawtooth.scenario.described import describe

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sawtooth.experiment.matrix import SettingBlock

NEAR: Final = 4
"""Most environments with a panel of goodput over delay each."""
WIDTH: Final = 9.6
"""Inches."""
LEAST_OF_ELLIPSE: Final = 3
"""Seeds that have an ellipse."""

TITLES: Final[Mapping[str, str]] = {
    "goodput": "Goodput (% of the available bandwidth)",
    "fairness": "Fairness spread (largest − smallest) / mean",
    "delay": "Mean queueing delay (ms)",
    "loss": "Loss (% of packets)",
}
SCALE: Final = {"goodput": 100.0}
"""What a value is multiplied by where it is shown."""

Numbers: TypeAlias = "NDArray[np.float64]"


LETTER = 0.075
"""Width of a letter of a tick label, inches."""
LINE: Final = 30
"""Characters of a name beside a map in one line."""


def comparison_figures(blocks: Iterable[SettingBlock]) -> dict[str, Figure]:
    """By setting, with a dash in place of the slash: the figure of each block of a comparison."""
    return {block.setting.replace("/", "-"): block_figure(block) for block in blocks}


def block_figure(block: SettingBlock) -> Figure:
    """The figure of one setting."""
    places, names = len(block.environments), len(block.algorithms)
    several = places > 1 and names > 1
    clouds = places if places <= NEAR else 1
    slant = slanted(block.environments)
    waits = [2.3] if block.delays else []
    first = 1 + len(waits)
    rows = [2.9, *waits, *[2.2 + 0.6 * slant] * len(SCORED)]
    if several:
        lines = max(name.count("\n") + 1 for name in _beside(block))
        rows += [0.92 + max(0.3, 0.14 * lines) * names + 0.9 * slant] * len(SCORED)
    below = legends.room(block.algorithms, WIDTH) + 0.2 * (len(block.seeds) > 1)
    with mpl.rc_context(MODEL_STYLE | {"axes.titlesize": 9.5, "axes.titlelocation": "left"}):
        figure = Figure(figsize=(WIDTH, sum(rows) + below + 0.4))
        # The layout leaves room for tick labels of axes without an image alone, so names beside the heat maps get theirs here.
        longest = max(len(line) for name in _beside(block) for line in name.splitlines()) if several else 0
        left = min(0.3, LETTER * longest / WIDTH) / 2
        figure.set_layout_engine(ConstrainedLayoutEngine(rect=(left, 0.0, 1.0 - left, 1.0)))
        figure.suptitle(setting_title(block.setting), x=0.01, ha="left", fontsize=11, fontweight="bold")
        grid = figure.add_gridspec(len(rows), clouds, height_ratios=rows)
        for place in range(clouds):
            axes = figure.add_subplot(grid[0, place])
            cloud(axes, block, place if clouds == places else None, beside=clouds)
            if place == 0:
                axes.set_ylabel("goodput (% of available)")
        for place in range(clouds if waits else 0):
            axes = figure.add_subplot(grid[1, place])
            delays(axes, block, place if clouds == places else None)
            if place == 0:
                axes.set_ylabel("packets that waited\nno longer (%)")
        for row, metric in enumerate(SCORED, first):
            _bars(figure.add_subplot(grid[row, :]), block, metric)
        for row, metric in enumerate(SCORED if several else (), first + len(SCORED)):
            _map(figure, figure.add_subplot(grid[row, :]), block, metric)
        legend(figure, block, with_bars(marks(block)), _spreads(block))
    return figure


def _values(block: SettingBlock, metric: str, algorithm: str) -> Numbers:
    """Raw values as they are shown, shape (environments, seeds)."""
    return np.asarray(SCALE.get(metric, 1.0) * block.of(algorithm, metric), dtype=np.float64)


def cloud(axes: Axes, block: SettingBlock, place: int | None, beside: int) -> None:
    """Goodput over delay in one environment, or the mean over all (None), where so many such panels fit side by side."""
    names = block.environments
    axes.set_title("mean over the environments" if place is None else wrapped(names[place], beside))
    for number, name in enumerate(block.algorithms):
        own_look = look(number)
        delay, goodput = (_values(block, metric, name) for metric in ("delay", "goodput"))
        x, y = (own.mean(axis=0) if place is None else own[place] for own in (delay, goodput))
        axes.plot(
            [x.mean()],
            [y.mean()],
            own_look.marker,
            color=own_look.colour,
            markersize=6,
            markeredgecolor="white",
            zorder=3,
        )
        shape = ellipse(x, y)
        if shape is not None:
            centre, width, height, angle = shape
            axes.add_patch(
                Ellipse(
                    centre,
                    width,
                    height,
                    angle=angle,
                    facecolor=own_look.colour,
                    edgecolor=own_look.colour,
                    alpha=0.3,
                    zorder=2,
                )
            )
    axes.margins(0.15)
    axes.autoscale_view()
    _not_too_close(axes)
    narrow = place is not None and beside > 2
    between = "\n" if narrow else "; "
    axes.set_xlabel(f"mean queueing delay (ms){between}better: up and left")
    axes.xaxis.label.set_fontsize(SMALL if block.environments[1:] and place is not None else 9)
    axes.locator_params(axis="x", nbins=3 if narrow else 5)


def delays(axes: Axes, block: SettingBlock, place: int | None) -> None:
    """The distribution of the queueing delay in one environment, or the mean over all (None)."""
    shares = np.asarray(describe()["delay_shares"], dtype=np.float64)
    names = block.environments if place is None else block.environments[place : place + 1]
    highest = 0.0
    for number, name in enumerate(block.algorithms):
        cells = [
            [block.delays.get(CellKey(block.setting, name, each, seed)) for each in names]
            for seed in block.seeds
        ]
        known = [[own for own in row if own is not None] for row in cells]
        points = np.unique(
            np.concatenate([[0.0], *(_corners(own, shares)[0] for row in known for own in row)])
        )
        lines = [np.mean([distribution(own, shares, points) for own in row], axis=0) for row in known if row]
        if not lines:
            continue
        colour, style = look(number).colour, look(number).line
        axes.fill_between(
            points, np.min(lines, axis=0), np.max(lines, axis=0), color=colour, alpha=0.2, linewidth=0.0
        )
        axes.plot(points, np.mean(lines, axis=0), color=colour, linestyle=style, linewidth=1.2)
        highest = max(highest, float(points[-1]))
    axes.set(xlim=(0.0, 1.02 * highest or 1.0), ylim=(0.0, 102.0))
    axes.set_xlabel("queueing delay (ms); better: left")
    axes.xaxis.label.set_fontsize(SMALL if block.environments[1:] and place is not None else 9)
    axes.locator_params(axis="x", nbins=5)


def distribution(quantiles: Sequence[float], shares: Numbers, points: Numbers) -> Numbers:
    """The share of packets (%) that waited no longer than each of the points, from quantiles at these shares."""
    found = np.interp(points, *_corners(quantiles, shares), left=0.0, right=1.0)
    return np.asarray(100.0 * found, dtype=np.float64)


def _corners(quantiles: Sequence[float], shares: Numbers) -> tuple[Numbers, Numbers]:
    """Where a distribution bends: just below each quantile and at it. Where several shares have one quantile, it rises there at once; below
    the least nobody waited."""
    values, first, runs = np.unique(
        np.asarray(quantiles, dtype=np.float64), return_index=True, return_counts=True
    )
    below = np.where(np.arange(values.size) == 0, 0.0, shares[first])
    reached = shares[first + runs - 1]
    places = np.column_stack([np.nextafter(values, -np.inf), values]).ravel()
    return places, np.column_stack([below, reached]).ravel()


def _not_too_close(axes: Axes) -> None:
    """Axes that show at least a percent of bandwidth and a millisecond, so that noise does not look like a difference."""
    for get, put, least in ((axes.get_xlim, axes.set_xlim, 1.0), (axes.get_ylim, axes.set_ylim, 1.0)):
        low, high = get()
        if high - low < least:
            middle = (low + high) / 2
            put(middle - least / 2, middle + least / 2)


def ellipse(x: Numbers, y: Numbers) -> tuple[tuple[float, float], float, float, float] | None:
    """Middle, width, height and angle (degrees) of the ellipse of one standard deviation of the points; None for fewer than three."""
    if x.size < LEAST_OF_ELLIPSE or not bool(np.isfinite(x).all() and np.isfinite(y).all()):
        return None
    spread, axes = np.linalg.eigh(np.cov(x, y))
    width, height = 2.0 * np.sqrt(np.maximum(spread, 0.0))
    angle = math.degrees(math.atan2(axes[1, 0], axes[0, 0]))
    return (float(x.mean()), float(y.mean())), float(width), float(height), angle


def _bars(axes: Axes, block: SettingBlock, metric: str) -> None:
    """A group per environment, a bar per controller, with intervals."""
    width = 0.8 / len(block.algorithms)
    for number, name in enumerate(block.algorithms):
        found = [interval(own) for own in _values(block, metric, name)]
        means = np.array([each.mean for each in found])
        # A share or a time is never negative, so no bar ends below the axis.
        below = np.array(
            [0.0 if each.low is None else min(each.mean, each.mean - each.low) for each in found]
        )
        above = np.array([0.0 if each.high is None else each.high - each.mean for each in found])
        middles = np.arange(len(found)) + (number - (len(block.algorithms) - 1) / 2) * width
        axes.bar(
            middles,
            means,
            width * 0.92,
            **look(number).filled,
            yerr=np.vstack([np.maximum(below, 0.0), np.maximum(above, 0.0)]),
            error_kw={"ecolor": INK, "elinewidth": 0.9, "capsize": 1.6, "capthick": 0.9},
        )
    axes.set_title(f"{TITLES[metric]}: {'more' if HIGHER_IS_BETTER[metric] else 'less'} is better")
    axes.grid(visible=False, axis="x")
    axes.set_xlim(-0.6, len(block.environments) - 0.4)
    axes.set_ylim(bottom=0)
    name_places(axes, block.environments)


def _beside(block: SettingBlock) -> list[str]:
    """The controllers' names beside a map, on several lines where they are long."""
    return ["\n".join(textwrap.wrap(name, LINE)) for name in block.algorithms]


def _map(figure: Figure, axes: Axes, block: SettingBlock, metric: str) -> None:
    """Controller by environment: the mean as a number, its distance from the best of the environment as colour, as D counts it."""
    values = np.stack([_values(block, metric, name) for name in block.algorithms]).mean(axis=2)
    apart = SCALE.get(metric, 1.0) * block.distances(metric)
    nearest = block.nearest(metric)
    most = float(np.nanmax(apart)) if bool(np.isfinite(apart).any()) else 0.0
    image = axes.imshow(apart, cmap="cividis_r", vmin=0.0, vmax=most or 1.0, aspect="auto")
    for (row, column), value in np.ndenumerate(values):
        dark = apart[row, column] > 0.55 * (most or 1.0)
        axes.text(
            column,
            row,
            _number(float(value), metric),
            ha="center",
            va="center",
            fontsize=SMALL,
            color="white" if dark else INK,
            fontweight="bold" if nearest[row, column] else "normal",
        )
    clipped = metric == "goodput" and bool((block.values[metric] > CLIP_GOODPUT).any())
    counts = "; goodput above 100 % counts as 100 %" if clipped else ""
    axes.set_title(f"{TITLES[metric]}\ndarker is further from the best (bold){counts}")
    axes.set_yticks(range(len(block.algorithms)), _beside(block), fontsize=SMALL)
    axes.grid(visible=False)
    name_places(axes, block.environments)
    bar = figure.colorbar(image, ax=axes, pad=0.01, fraction=0.03)
    bar.ax.locator_params(nbins=3)
    bar.ax.tick_params(labelsize=SMALL)
    bar.set_label("distance", fontsize=SMALL, color=MUTED)


def _number(value: float, metric: str) -> str:
    if value != value:
        return "–"
    return f"{value:.{ {'goodput': 0, 'delay': 0}.get(metric, 2) }f}" if value < 100 else f"{value:.0f}"


def _spreads(block: SettingBlock) -> str:
    """What ellipses, bands and strokes show of the seeds; nothing of one seed, which has none."""
    if len(block.seeds) < 2:
        return ""
    ellipses = (
        "Ellipses: one standard deviation of the seeds. " if len(block.seeds) >= LEAST_OF_ELLIPSE else ""
    )
    bands = "Bands of delays: from the least to the most of the seeds. " if block.delays else ""
    return f"{ellipses}{bands}Strokes on bars: 95 % interval."


def marks(block: SettingBlock) -> list[Line2D]:
    """The mark of each controller, for a legend."""
    looks = [look(number) for number in range(len(block.algorithms))]
    return [Line2D([], [], linestyle="none", marker=own.marker, color=own.colour) for own in looks]


def with_bars(points: Sequence[Line2D]) -> list[Any]:
    """The marks; beside each its bar where colours are not enough to tell bars apart."""
    if len(points) <= len(SERIES):
        return list(points)
    return [(Patch(**look(number).filled), point) for number, point in enumerate(points)]


def legend(figure: Figure, block: SettingBlock, handles: Sequence[Any], note: str = "") -> None:
    """Below the figure: the controllers, and what its ellipses, bands and strokes are."""
    legends.legend_below(
        figure,
        handles,
        block.algorithms,
        figure.get_figwidth(),
        loc="outside lower left",
        handlelength=2 if isinstance(handles[0], tuple) else 1,
        handler_map={tuple: HandlerTuple(ndivide=None)},
        fontsize=8.5,
        title=note or None,
        title_fontsize=8,
        alignment="left",
    ).get_title().set_color(MUTED)


__all__ = [
    "block_figure",
    "cloud",
    "comparison_figures",
    "delays",
    "distribution",
    "ellipse",
    "legend",
    "marks",
]

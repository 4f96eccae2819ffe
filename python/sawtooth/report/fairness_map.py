"""The map of the linear family: for each pair of additive parts a panel over the two factors, coloured by what becomes of gaps.

Source: [Akella02] §5.1 extended (``sawtooth.models.fairness``). Drawn from a criterion handed in: positive where gaps close, zero
where they keep their place, negative where one flow takes all; dots are single runs with their verdicts.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from sawtooth.report.drawing import INK, MODEL_STYLE, MUTED, SERIES, canvas

if TYPE_CHECKING:
    from numpy.typing import NDArray

CLOSES, KEEPS, TAKES = SERIES[4], SERIES[1], SERIES[3]
LEGEND: Final = (
    Patch(facecolor=CLOSES, alpha=0.55, label="converges to the fair share"),
    Patch(facecolor=KEEPS, alpha=0.55, label="neutral"),
    Patch(facecolor=TAKES, alpha=0.55, label="diverges"),
)

Criterion: TypeAlias = "Callable[[float, NDArray[Any], float, NDArray[Any]], NDArray[Any]]"
B_I: Final = np.linspace(1.0, 1.4, 81)
B_D: Final = np.linspace(0.4, 1.0, 81)

Point = tuple[str, float, float]
"""A name and its (b_I, b_D)."""


Dots = Mapping[str, Sequence[tuple[float, float]]]
"""Places (b_I, b_D) by verdict: converges, neutral, diverges."""
COLOURS: Final = {"converges": CLOSES, "neutral": KEEPS, "diverges": TAKES}


def panel(
    axes: Axes,
    criterion: Criterion,
    a_i: float,
    a_d: float,
    points: Sequence[Point],
    dots: Dots | None = None,
) -> None:
    """One slice of the family at fixed additive parts; ``points`` are named controls in it, ``dots`` runs by verdict."""
    with np.errstate(all="ignore"):
        value = np.asarray(criterion(a_i, B_I[None, :], a_d, B_D[:, None]))
    if not value.any():
        axes.set_facecolor((*mpl.colors.to_rgb(KEEPS), 0.55))
    else:
        axes.contourf(B_I, B_D, np.sign(value), levels=[-2, 0, 2], colors=[TAKES, CLOSES], alpha=0.55)
        axes.contour(B_I, B_D, value, levels=[0.0], colors=[KEEPS], linewidths=1.6)
    for verdict, places in (dots or {}).items():
        across, up = (list(values) for values in zip(*places, strict=True))
        axes.scatter(across, up, s=13, color=COLOURS[verdict], edgecolors="white", linewidths=0.5, zorder=2)
    for name, x, y in points:
        axes.plot([x], [y], "o", color=INK, markersize=4, clip_on=False, zorder=3)
        below = y > 0.93
        axes.annotate(
            name,
            (x, y),
            (6, -3 if below else 3),
            textcoords="offset points",
            va="top" if below else "bottom",
            fontsize=7.5,
        )
    axes.set(xlim=(B_I[0], B_I[-1]), ylim=(B_D[0], B_D[-1]))
    axes.set_title(f"a_I = {a_i:g}, a_D = {a_d:g}", loc="left", fontsize=8.5, color=MUTED)


def family_map(
    criterion: Criterion,
    a_i: Sequence[float],
    a_d: Sequence[float],
    named: Mapping[tuple[float, float], Sequence[Point]],
    observed: Mapping[tuple[float, float], Dots],
    noted: Mapping[tuple[float, float], str],
) -> Figure:
    """All slices: columns by a_I, rows by a_D; ``named``, ``observed`` and ``noted`` give controls to mark, runs and remarks by both."""
    with mpl.rc_context(MODEL_STYLE):
        figure, panels = canvas(
            2.5 * len(a_i), 2.1 * len(a_d) + 0.5, len(a_d), len(a_i), sharex=True, sharey=True
        )
        for axes, (down, up) in zip(panels, itertools.product(a_d, a_i), strict=True):
            here = (up, down)
            panel(axes, criterion, up, down, named.get(here, ()), observed.get(here))
            axes.annotate(
                noted.get(here, ""), (0.97, 0.05), xycoords="axes fraction", ha="right", fontsize=7.5
            )
        figure.supxlabel("b_I, factor of an increase", fontsize=9)
        figure.supylabel("b_D, factor of a decrease", fontsize=9)
        figure.legend(handles=LEGEND, loc="outside upper center", ncols=3, fontsize=8)
    return figure


def one_slice(criterion: Criterion, a_i: float, a_d: float, points: Sequence[Point]) -> Figure:
    """The slice through one control."""
    with mpl.rc_context(MODEL_STYLE):
        figure, (axes,) = canvas(5.2, 4.4)
        panel(axes, criterion, a_i, a_d, points)
        axes.set_xlabel("b_I, factor of an increase")
        axes.set_ylabel("b_D, factor of a decrease")
        figure.legend(handles=LEGEND, loc="outside lower center", ncols=3, fontsize=8)
    return figure

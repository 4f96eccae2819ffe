"""The winner map: a cell per setting, recoveries down and routers across, with a box for each of the four.

Source: the layout follows what [Akella02] section 4.3 says of Figure 12; the figure itself is lost.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse, FancyBboxPatch

from sawtooth.claims.logic import Verdict
from sawtooth.experiment.exhibit import Exhibit
from sawtooth.papers.akella2002.four import FOUR
from sawtooth.papers.akella2002.winners import Leading
from sawtooth.report import figures
from sawtooth.report.blocks import Picture, Row, Section, Table
from sawtooth.report.claims import listed
from sawtooth.report.drawing import INK, MUTED, SERIES, canvas
from sawtooth.report.inline import joined, pill
from sawtooth.report.pipe_table import pipe_table
from sawtooth.report.tables import RECOVERIES, ROUTERS, setting_title, with_spread

# Stands in the drawing, so that the SVG on its own says what it shows.
KEY: Final = (
    "Filled: leads in goodput, D and C within the study's tolerances of the best. Dashed: undecided. Empty: behind. "
    "A ring: unfair, the spread of goodputs above the tolerance. Below each cell the leaders by the printed table, judged alike."
)

FEW: Final = 2
"""Settings up to which the map is no headline."""

Map = Mapping[str, Sequence[Leading]]


class Winners(Exhibit):
    """The map of one part, where it has one."""

    def __init__(self, standings: Map) -> None:
        self.standings = standings

    @cached_property
    def drawn(self) -> Figure:
        """The map, drawn once."""
        return figure(self.standings)

    def answer(self) -> list[str]:
        """Who leads in how many settings, and how often the printed tables say so too."""
        return [winners_sentence(self.standings)] if len(self.standings) > FEW else []

    def headline(self) -> Picture | None:
        """The map."""
        return winners_picture(self.drawn) if len(self.standings) > FEW else None

    def sections(self) -> list[Section]:
        """The map and its numbers."""
        return [winners_section(self.standings, None if len(self.standings) > FEW else self.drawn)]

    def figures(self) -> Mapping[str, Figure]:
        """The map."""
        return {"winners": self.drawn}

    def blocks(self) -> Mapping[str, str]:
        """The map as a table."""
        return {"winners": markdown(self.standings)}


def winners_sentence(found: Map) -> str:
    """Who leads in how many settings, and where the printed tables agree."""
    led = {
        name: sum(
            entry.leads is Verdict.HOLDS for row in found.values() for entry in row if entry.algorithm == name
        )
        for name in FOUR
    }
    ahead = [f"{name} in {count}" for name, count in sorted(led.items(), key=lambda item: -item[1]) if count]
    alike = sum(
        {entry.algorithm for entry in row if entry.leads is Verdict.HOLDS}
        == {entry.algorithm for entry in row if entry.printed is Verdict.HOLDS}
        for row in found.values()
    )
    if not ahead:
        return f"No algorithm leads in goodput for certain in any of {len(found)} settings."
    return (
        f"Among the leaders in goodput for certain: {listed(ahead)} of {len(found)} settings; "
        f"the printed tables have the same leaders in {alike or 'none'} of them."
    )


def winners_picture(drawn: Figure) -> Picture:
    """The map on the page."""
    return Picture(figures.inline(drawn, "winner map", "Who leads in goodput in each setting"))


def winners_section(found: Map, drawn: Figure | None) -> Section:
    """The numbers of the map, and the map where it is not at the head of the page."""
    rows = [
        Row(
            setting_title(setting),
            [
                entry.algorithm,
                pill(entry.leads),
                pill(entry.printed),
                joined([pill(entry.unfair), with_spread(entry.spread, 2)]),
            ],
            verdict=entry.leads,
        )
        for setting, standings in found.items()
        for entry in standings
    ]
    heads = ["Setting", "Algorithm", "Leads in goodput", "By the printed table", "Unfair: mean spread"]
    return Section(
        "winners",
        "Who leads where",
        [*([] if drawn is None else [winners_picture(drawn)]), Table(heads, rows, look="words")],
        folded=True,
    )


def figure(found: Map) -> Figure:
    """The map."""
    recoveries = list(dict.fromkeys(setting.partition("/")[0] for setting in found))
    routers = list(dict.fromkeys(setting.partition("/")[2] for setting in found))
    key = textwrap.wrap(KEY, 40 * len(routers))
    drawn, (axes,) = canvas(1.0 + 2.1 * len(routers), 0.7 + 1.75 * len(recoveries) + 0.15 * len(key))
    axes.set_axis_off()
    axes.set(xlim=(-0.42, len(routers)), ylim=(-len(recoveries) - 0.08 * len(key), 0.22), autoscale_on=False)
    for column, router in enumerate(routers):
        axes.text(column + 0.5, 0.07, ROUTERS.get(router, router), ha="center", fontweight="bold", color=INK)
    for line, recovery in enumerate(recoveries):
        name = RECOVERIES.get(recovery, recovery)
        axes.text(-0.08, -line - 0.45, name, ha="right", va="center", fontweight="bold", color=INK)
        for column, router in enumerate(routers):
            standings = found.get(f"{recovery}/{router}")
            if standings is not None:
                _cell(axes, column, -line, standings)
    axes.text(0, -len(recoveries) + 0.02, "\n".join(key), va="top", fontsize=7, color=MUTED)
    return drawn


def _cell(axes: Axes, left: float, top: float, standings: Sequence[Leading]) -> None:
    """Four boxes, two by two, in the unit square below and right of (left, top), and a line about the printed table."""
    for place, entry in enumerate(standings):
        x, y = left + 0.06 + 0.46 * (place % 2), top - 0.38 - 0.36 * (place // 2)
        colour = SERIES[place]
        leading = entry.leads is Verdict.HOLDS
        axes.add_patch(
            FancyBboxPatch(
                (x, y),
                0.4,
                0.26,
                boxstyle="round,pad=0.015,rounding_size=0.03",
                facecolor=colour if leading else "none",
                edgecolor=colour if entry.leads is not Verdict.FAILS else MUTED,
                linestyle="--" if entry.leads is Verdict.UNDECIDED else "-",
                linewidth=1.4 if entry.leads is not Verdict.FAILS else 0.6,
                alpha=0.35 if leading else 1.0,
            )
        )
        weight = "bold" if leading else "normal"
        ink = INK if entry.leads is not Verdict.FAILS else MUTED
        axes.text(x + 0.2, y + 0.13, entry.algorithm, ha="center", va="center", color=ink, fontweight=weight)
        if entry.unfair is Verdict.HOLDS and entry.leads is not Verdict.FAILS:
            axes.add_patch(
                Ellipse((x + 0.2, y + 0.13), 0.42, 0.24, facecolor="none", edgecolor=INK, linewidth=1.1)
            )
    names = [entry.algorithm for entry in standings if entry.printed is Verdict.HOLDS]
    printed = f"printed: {', '.join(names) or 'none'}"
    axes.text(left + 0.5, top - 0.86, printed, ha="center", va="center", fontsize=7, color=MUTED)


def markdown(leading: Map) -> str:
    """The map as a table, a row per setting."""
    rows = []
    for setting, standings in leading.items():
        cells = []
        for entry in standings:
            mark = {Verdict.HOLDS: "leads", Verdict.UNDECIDED: "undecided", Verdict.FAILS: ""}[entry.leads]
            unfair = ", unfair" if mark and entry.unfair is Verdict.HOLDS else ""
            cells.append(mark + unfair + (" *(printed)*" if entry.printed is Verdict.HOLDS else ""))
        rows.append([setting, *cells])
    return pipe_table(["", *FOUR], rows)

"""Who leads where: the map of Figure 12 from computed results.

Source: [Akella02] section 4.3 and Figure 12, which is lost; its text names the leaders in goodput of each setting and says that the map
circles the unfair among them. A leader is what the study's tolerances ``goodput_leader`` and ``goodput_leader_worst_case`` make one,
judged like a claim, so that a place on the map can be undecided; it is unfair where its spread of goodputs, averaged over the
environments, exceeds the tolerance ``unfair``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sawtooth.claims.logic import Verdict, inequality
from sawtooth.claims.view import Part, PrintedView, RunView
from sawtooth.papers.akella2002.claims.abstract import leads
from sawtooth.papers.akella2002.four import FOUR
from sawtooth.papers.akella2002.printed import tables

if TYPE_CHECKING:
    from sawtooth.experiment.intervals import Interval

NEEDED: Final = frozenset({"goodput_leader", "goodput_leader_worst_case", "unfair"})
"""The tolerances without which there is no map."""


@dataclass(frozen=True)
class Leading:
    """One algorithm in one setting: whether it leads in goodput (by our runs, by the printed table), and whether it is unfair."""

    algorithm: str
    leads: Verdict
    printed: Verdict
    unfair: Verdict
    spread: Interval


def winner_map(part: Part) -> Mapping[str, tuple[Leading, ...]]:
    """The standings of the four by setting; empty where the part is not of the four, of one setting, or has no such tolerances."""
    blocks = part.results.blocks
    of_the_four = all(set(block.algorithms) == set(FOUR) for block in blocks.values())
    if not of_the_four or len(blocks) < 2 or not part.tolerances.keys() >= NEEDED:
        return {}
    view = RunView(part.results, tuple(blocks), part.tolerances)
    beside = PrintedView(tuple(blocks), part.tolerances, tables())
    found = {}
    for setting in blocks:
        standings = []
        for name in FOUR:
            unfair = inequality("", view.mean(setting, name, "fairness"), ">", view.tolerance("unfair"))
            if unfair.interval is None:
                raise AssertionError("an inequality on runs has an interval")
            ours, printed = leads(view, setting, name), leads(beside, setting, name)
            standings.append(Leading(name, ours.verdict, printed.verdict, unfair.verdict, unfair.interval))
        found[setting] = tuple(standings)
    return found

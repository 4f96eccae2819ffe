"""The scores that a paper prints, for claims and tables that stand ours beside them.

Source: none; the papers give theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class PrintedTables:
    """The scores that a paper prints: over which environments, in which parts, and the columns of each algorithm by setting."""

    environments: tuple[str, ...]
    parts: frozenset[str | None]
    """Parts whose scores are printed; None is the paper's main studies."""
    scores: Callable[[str], Mapping[str, Mapping[str, float]]]
    """From a setting (``sack/red``) to columns such as ``D_goodput`` by algorithm; empty where nothing is printed."""
    figures: Callable[[str], Mapping[str, Mapping[str, float]]]
    """The same of the figures alone, whose scores are over one set of algorithms."""

    def beside(
        self, setting: str, algorithms: Collection[str], environments: Collection[str]
    ) -> Mapping[str, Mapping[str, float]]:
        """The scores that may stand beside ours in a setting: those of the same algorithms, over environments of the paper."""
        if not set(environments) <= set(self.environments):
            return {}
        table = self.figures(setting)
        return table if set(algorithms) == set(table) else {}

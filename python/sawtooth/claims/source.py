"""Where the claims of a paper come from: the package of their checks, and the scores that the paper prints.

Source: none. A paper hands its ``ClaimSource`` to its claims, so that a claim finds its check and its printed tables, and nothing here
knows a paper. Checks are imported one file at a time, when a claim is judged.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sawtooth.claims.logic import Finding
    from sawtooth.claims.view import View


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


@dataclass(frozen=True)
class ClaimSource:
    """The package with the check modules of a paper, and what gives its printed tables (None: it prints none)."""

    checks: str
    tables: Callable[[], PrintedTables] | None = None

    @property
    def paper(self) -> str:
        """The paper, by the folder of the package."""
        return self.checks.split(".")[-2]

    def check(self, text: str) -> Callable[[View], Finding]:
        """The function that ``module.function`` names, or ``paper/module.function`` for a check of another paper. LookupError otherwise."""
        paper, _, name = text.rpartition("/")
        package = f"{self.checks.rsplit('.', 2)[0]}.{paper}.claims" if paper else self.checks
        module, _, function = name.partition(".")
        try:
            found: Callable[[View], Finding] = getattr(import_module(f"{package}.{module}"), function)
        except (ModuleNotFoundError, AttributeError) as error:
            raise LookupError(f"no check {text!r} in {package}") from error
        return found

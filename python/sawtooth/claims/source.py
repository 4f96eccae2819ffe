"""Where the claims of a paper come from: the package of their checks, and the scores that the paper prints.

Source: none. A paper hands its ``ClaimSource`` to its claims, so that a claim finds its check and its printed tables, and nothing here
knows a paper. Checks are imported one file at a time, when a claim is judged.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from sawtooth.claims.printed_tables import PrintedTables

if TYPE_CHECKING:
    from sawtooth.claims.logic import Finding
    from sawtooth.claims.view import View


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

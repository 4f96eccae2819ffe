"""One claim of a paper: what it says, which settings it speaks of, and where its check is.

Source: ``claims.toml`` of each paper, our own words and facts. This file loads no library of numbers, so that claims can be listed and
counted without one; ``table`` judges them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, Field

from sawtooth.claims.source import ClaimSource

if TYPE_CHECKING:
    from sawtooth.claims.logic import Finding
    from sawtooth.claims.view import View


class Claim(BaseModel):
    """One statement of a paper; the keys are explained at the head of papers/akella2002/claims/claims.toml."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    paper: str
    section: str
    kind: Literal["definition", "analysis", "simulation"]
    statement: str
    settings: tuple[str, ...] = ()
    part: str | None = None
    pattern: str | None = None
    against: str | None = None
    quantifier: Literal["every", "some", "most", "joint"] = "joint"
    environments: int | None = None
    check: str | None = None
    needs: tuple[str, ...] = ()
    published: Mapping[str, object] = {}
    """Numbers that the paper prints, beyond those of its tables."""
    worked_out: Mapping[str, object] = {}
    """Numbers beside it that the paper does not print: closed forms, steps counted, readings of a curve."""
    guess: str | None = None
    since: int = 1
    """The rule (``multiplicity.RULE``) from which its check is what it is now."""
    holds_with: Mapping[str, str] = {}
    """Open parameters of which another plausible value makes it hold where it failed, with that value (``turns.toml``)."""
    fails_with: Mapping[str, str] = {}
    """The same of those that make it fail where it held."""
    tried: bool = False
    """Whether its verdict was also taken at the other plausible values of the open parameters (``turns.toml``)."""
    everywhere: Literal["holds", "fails"] | None = None
    """The verdict that it has at every one of these values; None where they were not tried, or leave it undecided somewhere."""
    source: ClaimSource = Field(exclude=True, repr=False)

    @property
    def at_another_set_up(self) -> Claim:
        """The same claim where runs have other values of open parameters than the study chose. What is kept was found around the chosen
        ones: a claim that turns there rests on that parameter whatever its verdict is here, and no other value was tried around these."""
        turns = {**self.fails_with, **self.holds_with}
        return self.model_copy(
            update={"holds_with": turns, "fails_with": turns, "tried": False, "everywhere": None}
        )

    @property
    def judged_by(self) -> str:
        """Its check with the paper that has it, ``akella2002/abstract.aimd_right_choice``; empty for a claim that waits."""
        if self.check is None:
            return ""
        return self.check if "/" in self.check else f"{self.source.paper}/{self.check}"

    @property
    def function(self) -> Callable[[View], Finding]:
        """The check. LookupError for a claim that waits."""
        if self.check is None:
            raise LookupError(f"{self.id} has no check yet: it needs {', '.join(self.needs)}")
        return self.source.check(self.check)

"""The claims of a page: how many came out how, those that fail at a glance, and each with its verdict and evidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from sawtooth.claims.logic import Finding, Verdict
from sawtooth.report.blocks import Claims, Failure, Section, Words
from sawtooth.report.tables import counts, leaf_text

if TYPE_CHECKING:
    from sawtooth.claims.table import Judged

JUDGED_HOW: Final = (
    "Verdicts are computed. An inequality is judged on the differences between algorithms within each seed: it holds or fails when the "
    "95 % interval of their mean lies on one side. A claim that covers more than was run is undecided; the reason stands below it, and the "
    "column These runs has the verdict on the part that was run. The column Printed tables has the verdict of the same check on the tables "
    "in the paper, where these have the numbers."
)

STATED_HOW: Final = (
    "Verdicts are computed. An inequality is judged on the differences between algorithms within each seed: it holds or fails when the "
    "95 % interval of their mean lies on one side."
)

COMPUTED_HOW: Final = (
    "Verdicts are computed: closed forms, exhaustive ranges of integers and the synchronous model, with the numbers they rest on. Where a "
    "statement fails, the evidence shows counter-examples and, below, the statement that holds in its place, put to the same test."
)

NUMBERS: Final = 2
"""Of a fact that are shown at a glance; its evidence has all."""

VERBS: Final = {
    Verdict.HOLDS: ("holds", "hold"),
    Verdict.FAILS: ("fails", "fail"),
    Verdict.UNDECIDED: ("is undecided", "are undecided"),
}


def claims_section(judged: Sequence[Judged], how: str, folded: bool = False) -> Section:
    """The table of verdicts; ``how`` says how they come about."""
    return Section("claims", "Claims", [Words(how, "muted"), Claims(judged)], folded)


def verdict_sentences(judged: Sequence[Judged], noun: str = "claim") -> list[str]:
    """How the claims came out, and what the printed tables say of those that fail; at most two sentences."""
    if not judged:
        return []
    found = [(verdict, count) for verdict, count in counts(judged).items() if count]
    if len(found) == 1:
        verdict, count = found[0]
        every = {1: f"The only {noun}", 2: f"Both {noun}s"}.get(count, f"All {count} {noun}s")
        first = f"{every} {VERBS[verdict][count > 1]}"
    else:
        shown = [f"{count} {VERBS[verdict][count > 1]}" for verdict, count in found]
        first = f"Of {len(judged)} {noun}s {listed(shown)}"
    return [first + _waiting(judged) + ".", *_beside_printed(judged)]


def _waiting(judged: Sequence[Judged]) -> str:
    """How many of the undecided need runs that were not made."""
    undecided = [item for item in judged if item.verdict is Verdict.UNDECIDED]
    waiting = sum(item.partial for item in undecided)
    if not waiting:
        return ""
    who = (
        "it"
        if len(undecided) == 1
        else "all of these"
        if waiting == len(undecided)
        else f"{waiting} of these"
    )
    return f"; {who} also need{'s' if waiting == 1 else ''} runs that were not made here"


def _beside_printed(judged: Sequence[Judged]) -> list[str]:
    """What the paper's own tables say of the claims that fail."""
    failing = [item for item in judged if item.verdict is Verdict.FAILS]
    alike = sum(item.printed is Verdict.FAILS for item in failing)
    apart = sum(item.printed is Verdict.HOLDS for item in failing)
    if not alike and not apart:
        return []
    parts = []
    if apart:
        parts.append(
            f"{apart} hold{'s' if apart == 1 else ''} on the paper's own tables (our runs contradict these)"
        )
    if alike:
        parts.append(f"{alike} fail{'s' if alike == 1 else ''} on the paper's own tables as well")
    return [f"Of those that fail, {listed(parts)}."]


def listed(words: Sequence[str], last: str = "and") -> str:
    """Words in a sentence."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def failures(judged: Sequence[Judged]) -> list[Failure] | None:
    """The claims that fail, first those that the paper's own tables do not refute; None where nothing was claimed."""
    if not judged:
        return None
    order = {Verdict.HOLDS: 0, None: 1, Verdict.UNDECIDED: 1, Verdict.FAILS: 2}
    failing = [item for item in judged if item.verdict is Verdict.FAILS]
    return [
        Failure(
            item.claim.statement,
            f"section {item.claim.section}" if item.claim.section else item.claim.id,
            "" if item.finding is None else against(item.finding),
            f"claim-{item.claim.id}",
            item.printed,
        )
        for item in sorted(failing, key=lambda item: order[item.printed])
    ]


def against(finding: Finding) -> str:
    """What speaks most plainly against a statement: its first inequality that fails, and how many more there are."""
    if "wanted" in finding.numbers and finding.operands:
        sure = sum(each.verdict is Verdict.HOLDS for each in finding.operands)
        return f"{sure} of {len(finding.operands)} hold, at least {finding.numbers['wanted']} should"
    failing = [leaf for leaf in finding.leaves() if leaf.verdict is Verdict.FAILS]
    if not failing:  # what is denied holds
        return leaf_text(next(finding.leaves()), NUMBERS)
    more = len(failing) - 1
    shown = leaf_text(failing[0], NUMBERS)
    return f"{shown}; and {more} more {'do' if more > 1 else 'does'} not hold" if more else shown

"""The claims of a page: how those on runs came out and how sure that is, algebra apart, those that fail at a glance, and each with its
verdict and evidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from sawtooth.claims.logic import Finding, Verdict
from sawtooth.claims.standing import Standing, in_words
from sawtooth.plurals import number_of, verb
from sawtooth.report.blocks import Claims, Failure, Section, Words
from sawtooth.report.tables import SAID_BY_VERDICTS, counts, leaf_text

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


def of_runs(judged: Sequence[Judged]) -> list[Judged]:
    """The claims that rest on runs, which a page counts first."""
    return [item for item in judged if item.standing is not Standing.ALGEBRA]


def shown_counts(judged: Sequence[Judged]) -> dict[Verdict, int]:
    """How the claims on runs came out, or those of mathematics where there are no others; nothing where nothing is claimed."""
    return counts(of_runs(judged) or judged) if judged else {}


def counted_apart(judged: Sequence[Judged]) -> bool:
    """Whether there are claims on runs and others beside them, which `shown_counts` leaves out."""
    return 0 < len(of_runs(judged)) < len(judged)


def verdict_sentences(judged: Sequence[Judged]) -> list[str]:
    """How the claims on runs came out and how sure that is, then, apart from them, the claims of algebra; at most three paragraphs."""
    runs = of_runs(judged)
    algebra = [item for item in judged if item.standing is Standing.ALGEBRA]
    if not runs:
        return [f"{_all_counted(algebra, '')}."] if algebra else []
    said = [f"{_all_counted(runs, ' on runs' if algebra else '')}{_waiting(runs)}."]
    said += filter(None, [how_sure(runs)])
    if algebra:
        many = f"{number_of(len(algebra), 'claim')} {verb('is', len(algebra))} algebra"
        said.append(f"Apart from these, {many}: {listed(_counted(algebra))}.")
    return said


def how_sure(judged: Sequence[Judged]) -> str:
    """The claims on runs by class, and how often our verdict is that of the printed tables; what the verdicts say already is left out."""
    same = [item.verdict is item.printed for item in judged if item.printed is not None]
    standings = [item.standing for item in judged]
    if SAID_BY_VERDICTS.issuperset(standings):
        standings = []
    return in_words(standings, same, [item.elsewhere for item in judged] if standings else [])


def _all_counted(judged: Sequence[Judged], where: str) -> str:
    """How claims came out, as the beginning of a sentence; ``where`` tells them from others."""
    count, shown = len(judged), _counted(judged)
    if len(shown) > 1:
        return f"Of {count} claims{where} {listed(shown)}"
    every = {1: f"The only claim{where}", 2: f"Both claims{where}"}.get(count, f"All {count} claims{where}")
    return f"{every} {VERBS[judged[0].verdict][count > 1]}"


def _counted(judged: Sequence[Judged]) -> list[str]:
    """A clause for each verdict among claims."""
    return [f"{count} {VERBS[verdict][count > 1]}" for verdict, count in counts(judged).items() if count]


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


def listed(words: Sequence[str], last: str = "and") -> str:
    """Words in a sentence."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def failures(judged: Sequence[Judged]) -> list[Failure] | None:
    """The claims that fail, first those on runs that the paper's own tables do not refute, last algebra; None where nothing was claimed."""
    if not judged:
        return None
    order = {Verdict.HOLDS: 0, None: 1, Verdict.UNDECIDED: 1, Verdict.FAILS: 2}
    failing = [item for item in judged if item.verdict is Verdict.FAILS]
    apart = counted_apart(judged)

    def rank(item: Judged) -> tuple[bool, int]:
        return item.standing is Standing.ALGEBRA, order[item.printed]

    return [
        Failure(
            item.claim.statement,
            _where(item, apart),
            "" if item.finding is None else against(item.finding),
            f"claim-{item.claim.id}",
            item.printed,
        )
        for item in sorted(failing, key=rank)
    ]


def _where(item: Judged, apart: bool) -> str:
    """Where the paper says it; beside claims on runs (``apart``) also that it is algebra."""
    place = f"section {item.claim.section}" if item.claim.section else item.claim.id
    return f"{place} · algebra" if apart and item.standing is Standing.ALGEBRA else place


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

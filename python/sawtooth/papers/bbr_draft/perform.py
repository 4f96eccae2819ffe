"""All test cases run and judged.

    >>> from sawtooth.papers.bbr_draft.perform import perform
    >>> found = perform()
    >>> [case.case.name for case in found.outcomes if case.verdict == "fails"]

Source: none. A case holds if all its expectations do. One that cannot be run, or in which what it asks about never comes, says so.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sawtooth.claims.claim import Claim
from sawtooth.claims.logic import Finding, Verdict, both, fact
from sawtooth.claims.source import ClaimSource
from sawtooth.claims.table import Judged
from sawtooth.documents import format_of
from sawtooth.errors import InputError
from sawtooth.experiment.exhibit import TextTable
from sawtooth.papers.bbr_draft.case_files import Case, cases
from sawtooth.papers.bbr_draft.checks import DRAFT
from sawtooth.papers.bbr_draft.google import GOOGLE
from sawtooth.papers.bbr_draft.trace import CaseTrace
from sawtooth.plain import json_value
from sawtooth.progress import ProgressCallback, tell_stage
from sawtooth.run.api import job_of, scenario_of
from sawtooth.run.run import Run
from sawtooth.run.runner import run_many
from sawtooth.run.store import Store
from sawtooth.scenario.described import describe

NAME: Final = "bbr-draft"
TITLE: Final = "BBR version 3: the test cases of the draft"
SECTIONS: Final = {
    "draft": "draft-ietf-ccwg-bbr, BBR Example Test Cases",
    "google": "simulator tests of Google's QUIC",
}


@dataclass(frozen=True)
class CaseResult:
    """One case with its run and its verdict; ``reason`` says why there is no finding."""

    case: Case
    run: Run | None
    finding: Finding | None
    reason: str | None

    @property
    def verdict(self) -> Verdict:
        """Whether it holds."""
        return Verdict.UNDECIDED if self.finding is None else self.finding.verdict

    @property
    def judged(self) -> Judged:
        """As a claim."""
        claim = Claim(
            id=f"bbr-{self.case.name}",
            paper="bbr_draft",
            section=f"{SECTIONS[self.case.source]}, {self.case.number}",
            kind="simulation",
            statement=self.case.title,
            source=ClaimSource("sawtooth.papers.bbr_draft", None),
        )
        seeds = 0 if self.run is None else 1
        return Judged(claim, self.verdict, self.finding, self.reason, (), (), seeds, None)

    def to_json(self) -> dict[str, Any]:
        """Its entry in the document."""
        document = {
            "case": self.case.name,
            "number": self.case.number,
            "source": self.case.source,
            "title": self.case.title,
            "verdict": self.verdict.value,
            "expectations": []
            if self.finding is None
            else [
                {
                    "text": operand.text,
                    "met": operand.verdict is Verdict.HOLDS,
                    "numbers": dict(operand.numbers),
                }
                for operand in self.finding.operands
            ],
            "tolerance": dict(self.case.tolerance),
            "reason": self.reason,
            "run_id": None if self.run is None else self.run.run_id,
        }
        plain: dict[str, Any] = json_value(document)
        return plain


@dataclass(frozen=True)
class Cases:
    """Every case with its verdict, and the report if one was written."""

    outcomes: Sequence[CaseResult]
    wall_s: float
    report: Path | None = None
    name: str = NAME

    @property
    def judged(self) -> list[Judged]:
        """The verdicts as claims."""
        return [outcome.judged for outcome in self.outcomes]

    def count(self, verdict: Verdict, source: str) -> int:
        """How many numbered cases of a source have this verdict: one with several forms holds if all do, and fails if one does."""
        by_number: dict[int, list[Verdict]] = {}
        for outcome in self.outcomes:
            if outcome.case.source == source:
                by_number.setdefault(outcome.case.number, []).append(outcome.verdict)
        joined = [
            next((v for v in (Verdict.FAILS, Verdict.UNDECIDED) if v in found), Verdict.HOLDS)
            for found in by_number.values()
        ]
        return joined.count(verdict)

    def tables(self) -> list[TextTable]:
        """A row per case."""
        rows = [
            (outcome.case.name, outcome.verdict.value, outcome.case.title, first_failure(outcome))
            for outcome in self.outcomes
        ]
        note = "; ".join(
            f"{SECTIONS[source]}: {self.count(Verdict.HOLDS, source)} hold, {self.count(Verdict.FAILS, source)} fail, "
            f"{self.count(Verdict.UNDECIDED, source)} undecided"
            for source in SECTIONS
        )
        return [TextTable("test cases", ("case", "verdict", "title", "what is not met"), rows, note)]

    def to_json(self) -> dict[str, Any]:
        """The document of ``--json``."""
        return {
            "format": format_of("bbr-draft"),
            "study": NAME,
            "cases": [outcome.to_json() for outcome in self.outcomes],
            "claims": [item.to_json() for item in self.judged],
            "runs": sum(outcome.run is not None for outcome in self.outcomes),
            "wall_s": self.wall_s,
            "report": None if self.report is None else str(self.report),
        }


def first_failure(outcome: CaseResult) -> str:
    """What is not met, or why nothing could be judged; empty where all is well."""
    if outcome.finding is None:
        return outcome.reason or ""
    missed = [operand.text for operand in outcome.finding.operands if operand.verdict is not Verdict.HOLDS]
    return "; ".join(missed)


def states() -> list[str]:
    """The names of states, by their codes in the series."""
    columns = next(row["columns"] for row in describe()["series"] if row["name"] == "model")
    return list(next(column["codes"] for column in columns if column["name"] == "state"))


def judge(case: Case, run: Run) -> tuple[Finding | None, str | None]:
    """The finding on a case, or why there is none."""
    check = {**DRAFT, **GOOGLE}[case.check]
    try:
        outcomes = check(CaseTrace(run, states()), case.tolerance)
    except LookupError as error:
        return None, str(error.args[0])
    pairs = zip(case.expects, outcomes, strict=True)
    operands = [fact(text, bool(met), **numbers) for text, (met, numbers) in pairs]
    return both(case.title, operands), None


def perform(
    store: Store | Path | str | None = None,
    fresh: bool = False,
    progress: ProgressCallback | None = None,
    chosen: Callable[[Case], bool] = lambda case: True,
) -> Cases:
    """Run the chosen cases and judge them."""
    begun = time.monotonic()
    home = store if isinstance(store, Store) else Store(store)
    jobs, refused, wanted = [], {}, [case for case in cases() if chosen(case)]
    for case in wanted:
        try:
            jobs.append((case, job_of(scenario_of(case.scenario))))
        except InputError as error:
            refused[case.name] = f"it cannot be run: {error}"
    runs = run_many([job for _, job in jobs], home, fresh=fresh, light=False, progress=progress)
    made = {case.name: run for (case, _), run in zip(jobs, runs, strict=True)}
    outcomes = []
    for place, case in enumerate(wanted):
        tell_stage("judging", place, len(wanted))
        run = made.get(case.name)
        finding, reason = (None, refused.get(case.name)) if run is None else judge(case, run)
        outcomes.append(CaseResult(case, run, finding, reason))
    return Cases(outcomes, time.monotonic() - begun)

"""The claims we carry, and the verdict on each from a study's results.

Source: data/claims/*.toml, our own words and facts. A claim is a statement of a paper with the settings it speaks of and, where this
version can judge it, a check: a function from a view of the results to a finding.

Scope. A verdict is about what the claim speaks of. Where a setting or an environment is missing the verdict is *undecided* with that
reason, and ``on_subset`` says what the runs there are show. Two exceptions follow from logic: a claim about *every* setting fails
with one counter-example, and a claim about *some* setting holds with one example, provided no environment is missing. Definition and
analysis claims need no runs and are never undecided.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import ModuleType
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from sawtooth.claims import (
    abstract,
    appendix,
    floyd_compatibility,
    floyd_random_loss,
    floyd_rates,
    floyd_response,
    floyd_shares,
    floyd_smoothness,
    introduction,
    lahanas_dynamic,
    lahanas_section2,
    lahanas_section3,
    lahanas_section3_fc,
    lahanas_section4,
    lahanas_section5,
    lahanas_stationary,
    reddy,
    section2,
    section3,
    section3_3,
    section4,
    section4_1,
    section4_1_3,
    section4_2_1,
    section4_2_2,
    section4_2_3,
    section4_2_4,
    section4_3,
    section5,
    section5_2,
    section6,
    sliding_window,
    steady_states,
)
from sawtooth.claims.logic import Finding, Verdict
from sawtooth.claims.view import NoRuns, Part, PrintedView, RunView, UnavailableError, View
from sawtooth.matrix import ProbeRun, Results
from sawtooth.published import ENVIRONMENTS, environments
from sawtooth.study import Study, Tolerance

Check = Callable[[View], Finding]

PAPERS: Final = ("akella2002", "floyd2000", "lahanas2003", "reddy2012")

PRINTED: Final = (None, "akella2002/appendix", "reddy2012/appendix", "reddy2012/fair-queueing")
"""Parts whose scores are printed: the main studies and, further on, the appendix and a setting of it."""

MODULES: Final[Mapping[str, ModuleType]] = {
    "abstract": abstract,
    "introduction": introduction,
    "section2": section2,
    "section3": section3,
    "section3_3": section3_3,
    "section4": section4,
    "section4_1": section4_1,
    "section4_1_3": section4_1_3,
    "section4_2_1": section4_2_1,
    "section4_2_2": section4_2_2,
    "section4_2_3": section4_2_3,
    "section4_2_4": section4_2_4,
    "section4_3": section4_3,
    "section5": section5,
    "section5_2": section5_2,
    "section6": section6,
    "appendix": appendix,
    "lahanas_section2": lahanas_section2,
    "lahanas_section3": lahanas_section3,
    "lahanas_section3_fc": lahanas_section3_fc,
    "lahanas_section4": lahanas_section4,
    "lahanas_section5": lahanas_section5,
    "lahanas_stationary": lahanas_stationary,
    "lahanas_dynamic": lahanas_dynamic,
    "steady_states": steady_states,
    "reddy": reddy,
    "floyd_response": floyd_response,
    "floyd_random_loss": floyd_random_loss,
    "floyd_compatibility": floyd_compatibility,
    "floyd_smoothness": floyd_smoothness,
    "floyd_shares": floyd_shares,
    "floyd_rates": floyd_rates,
    "sliding_window": sliding_window,
}


class Claim(BaseModel):
    """One statement of a paper; the keys are explained at the head of data/claims/akella2002.toml."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    paper: str
    section: str
    kind: Literal["definition", "analysis", "simulation"]
    statement: str
    settings: tuple[str, ...] = ()
    part: str | None = None
    pattern: str | None = None
    quantifier: Literal["every", "some", "most", "joint"] = "joint"
    environments: int | None = None
    check: str | None = None
    needs: tuple[str, ...] = ()
    published: Mapping[str, object] = {}

    @property
    def function(self) -> Check:
        """The check. LookupError for a claim that waits."""
        if self.check is None:
            raise LookupError(f"{self.id} has no check yet: it needs {', '.join(self.needs)}")
        module, _, name = self.check.partition(".")
        function: Check = getattr(MODULES[module], name)
        return function


@dataclass(frozen=True)
class Judged:
    """A claim with its verdict.

    ``reason`` says why it is undecided for want of runs; ``finding`` rests on the settings and environments named beside it,
    which for such a claim are a part of what it speaks of; ``printed`` is the verdict of the same check on the paper's own tables.
    """

    claim: Claim
    verdict: Verdict
    finding: Finding | None
    reason: str | None
    settings: tuple[str, ...]
    environments: tuple[str, ...]
    seeds: int
    printed: Verdict | None

    @property
    def partial(self) -> bool:
        """Whether the runs cover only a part of what the claim speaks of."""
        return self.reason is not None

    def to_json(self) -> dict[str, object]:
        """The claim's entry in ``--json``: id, verdict, evidence, and what it is about."""
        evidence: dict[str, object] = {} if self.finding is None else self.finding.to_json()
        if self.claim.kind == "simulation":
            evidence |= {"settings": list(self.settings), "environments": list(self.environments)}
            evidence["seeds"] = self.seeds
        document: dict[str, object] = {
            "id": self.claim.id,
            "verdict": self.verdict.value,
            "evidence": evidence,
            "paper": self.claim.paper,
            "section": self.claim.section,
            "kind": self.claim.kind,
            "statement": self.claim.statement,
        }
        if self.reason is not None:
            document["reason"] = self.reason
        if self.partial and self.finding is not None:
            document["on_subset"] = {
                "verdict": self.finding.verdict.value,
                "settings": list(self.settings),
                "environments": list(self.environments),
            }
        if self.printed is not None:
            document["printed_tables"] = self.printed.value
        return document


@cache
def claims() -> tuple[Claim, ...]:
    """Every claim we carry, in the order of the papers."""
    found = []
    for paper in PAPERS:
        path = resources.files("sawtooth").joinpath("data", "claims", f"{paper}.toml")
        for table in tomllib.loads(path.read_text(encoding="utf-8"))["claim"]:
            found.append(Claim(paper=paper, **table))
    return tuple(found)


def claim(name: str) -> Claim:
    """The claim of that id. KeyError otherwise."""
    for entry in claims():
        if entry.id == name:
            return entry
    raise KeyError(f"no claim {name!r}")


def touched(study: Study) -> list[Claim]:
    """The claims that a study judges, in the order of the papers: those that speak of its cells, and those it names."""
    return [entry for entry in claims() if entry.id in study.claims or _speaks_of(entry, study)]


def _speaks_of(entry: Claim, study: Study) -> bool:
    """Whether a claim is about cells of a study: of its part, or of settings of the paper's main studies."""
    if entry.check is None or entry.paper != study.paper:
        return False
    if entry.part is not None:
        return entry.part == study.name
    if not study.main:
        return False
    own = {str(setting) for setting in study.matrix.settings}
    present = own | {str(setting) for setting in study.matrix.compared_with}
    among = bool(own & set(entry.settings))
    return among and (entry.quantifier != "joint" or set(entry.settings) <= present)


def judge(
    entry: Claim,
    results: Results,
    tolerances: Mapping[str, Tolerance],
    parts: Mapping[str, Part] | None = None,
) -> Judged:
    """The verdict on one claim from the results of the part that it speaks of; its check may look into other ``parts``, by name."""
    present = tuple(name for name in entry.settings if name in results.blocks)
    missing = tuple(name for name in entry.settings if name not in results.blocks)
    reasons = _environments_missing(results) if entry.environments == ENVIRONMENTS else []
    complete = not reasons
    if missing:
        reasons.append(f"it speaks also of {', '.join(missing)}, of which there are no runs here")
    finding = None
    if not (entry.quantifier == "joint" and missing) and (present or not entry.settings):
        try:
            finding = entry.function(RunView(results, present, tolerances, parts))
        except UnavailableError as error:
            reasons.append(f"{error} is not among the runs")
    verdict = Verdict.UNDECIDED if reasons or finding is None else finding.verdict
    decided_by = {"every": Verdict.FAILS, "some": Verdict.HOLDS}.get(entry.quantifier)
    if complete and finding is not None and finding.verdict is decided_by:
        verdict = finding.verdict
    if entry.kind != "simulation" and verdict is Verdict.UNDECIDED:
        raise AssertionError(f"{entry.id}: a {entry.kind} claim came out undecided")
    return Judged(
        claim=entry,
        verdict=verdict,
        finding=finding,
        reason="; ".join(reasons) or None,
        settings=present,
        environments=results.environments,
        seeds=len(results.seeds),
        printed=judge_printed(entry, tolerances),
    )


def judge_paper(entries: Sequence[Claim], main: Part | None, parts: Mapping[str, Part]) -> list[Judged]:
    """The verdicts on several claims, each once: a claim of a part from its runs, any other from those of the ``main`` studies.

    Without the part that a claim speaks of, a simulation claim is undecided for want of runs.
    """
    words = next((part.tolerances for part in parts.values()), {})
    judged = []
    for entry in entries:
        home = main if entry.part is None else parts.get(entry.part)
        if home is None and entry.part is not None:
            judged.append(_waiting(entry, f"it speaks of {entry.part}, which was not run"))
            continue
        home = home or Part(Results({}), words)
        judged.append(judge(entry, home.results, home.tolerances, parts))
    return judged


def _waiting(entry: Claim, reason: str) -> Judged:
    """A claim that no run here speaks of."""
    return Judged(entry, Verdict.UNDECIDED, None, reason, (), (), 0, None)


def judge_mathematics(paper: str) -> list[Judged]:
    """The verdicts on every definition and analysis claim of a paper, which need no runs and are never undecided.

    LookupError for a claim without a check.
    """
    return [
        judge_alone(entry)
        for entry in claims()
        if entry.paper == paper and entry.kind != "simulation" and entry.check
    ]


def judge_alone(entry: Claim) -> Judged:
    """The verdict on a claim that needs no runs."""
    finding = entry.function(NoRuns())
    if finding.verdict is Verdict.UNDECIDED:
        raise AssertionError(f"{entry.id}: a {entry.kind} claim came out undecided")
    return Judged(entry, finding.verdict, finding, None, (), (), 0, None)


def judge_on_runs(
    entry: Claim,
    probes: Mapping[str, tuple[ProbeRun, ...]],
    seeds: int,
    tolerances: Mapping[str, Tolerance],
) -> Judged:
    """The verdict on a claim whose check asks for runs of probes and nothing else; LookupError (UnavailableError) if one is missing."""
    finding = entry.function(RunView(Results({}, probes), (), tolerances))
    return Judged(entry, finding.verdict, finding, None, (), (), seeds, None)


def judge_printed(entry: Claim, tolerances: Mapping[str, Tolerance]) -> Verdict | None:
    """The verdict of the same check on the paper's printed tables; None where they cannot tell."""
    if entry.kind != "simulation" or not entry.settings or entry.part not in PRINTED:
        return None
    try:
        return entry.function(PrintedView(entry.settings, tolerances)).verdict
    except UnavailableError:
        return None


def _environments_missing(results: Results) -> list[str]:
    missing = [row for row in environments() if row.name not in results.environments]
    if not missing:
        return []
    names = ", ".join(row.name for row in missing)
    if [row.number for row in missing] == [11, 12, 13]:
        names = f"11 to 13 ({names})"
    return [f"it speaks of all {ENVIRONMENTS} environments, and {names} were not run"]

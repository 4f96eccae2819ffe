"""The verdict on each claim from a study's results.

Source: none. A claim is a statement of a paper with the settings it speaks of and, where this
version can judge it, a check: a function from a view of the results to a finding.

Scope. A verdict is about what the claim speaks of. Where a setting or an environment is missing the verdict is *undecided* with that
reason, and ``on_subset`` says what the runs there are show. Two exceptions follow from logic: a claim about *every* setting fails
with one counter-example, and a claim about *some* setting holds with one example, provided no environment is missing. Definition and
analysis claims need no runs and are never undecided.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sawtooth.claims.claim import Claim
from sawtooth.claims.logic import Finding, Verdict
from sawtooth.claims.standing import SETTLED, Elsewhere, Standing, elsewhere, parameter, standing
from sawtooth.claims.view import NoRuns, Part, PrintedView, RunView, UnavailableError
from sawtooth.experiment.anytime import at_any_time
from sawtooth.experiment.matrix import ProbeRun, Results
from sawtooth.experiment.study import Tolerance
from sawtooth.progress import StageCallback


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
    by_our_bound: bool = False
    """Whether the printed tables fail it by a number alone that we gave to one of its words."""

    @property
    def partial(self) -> bool:
        """Whether the runs cover only a part of what the claim speaks of."""
        return self.reason is not None

    @property
    def standing(self) -> Standing:
        """How sure the verdict is."""
        return standing(self.claim, self.verdict, None if self.by_our_bound else self.printed)

    @property
    def elsewhere(self) -> Elsewhere:
        """What other values of open parameters make of it."""
        return elsewhere(self.claim, self.verdict)

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
            "class": self.standing.value,
        }
        if self.standing is Standing.LOST_PARAMETER:
            document["parameter"] = parameter(self.claim, self.verdict)
        if self.standing in SETTLED:
            document["at_other_values"] = self.elsewhere.value
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
        if self.by_our_bound:
            document["printed_by_our_bound"] = True
        return document


def judge(
    entry: Claim,
    results: Results,
    tolerances: Mapping[str, Tolerance],
    parts: Mapping[str, Part] | None = None,
) -> Judged:
    """The verdict on one claim from the results of the part that it speaks of; its check may look into other ``parts``, by name."""
    present = tuple(name for name in entry.settings if name in results.blocks)
    missing = tuple(name for name in entry.settings if name not in results.blocks)
    reasons = _environments_missing(entry, results)
    complete = not reasons
    if missing:
        reasons.append(f"it also covers {', '.join(missing)}, for which there are no runs here")
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
    in_print = judge_printed(entry, tolerances)
    return Judged(
        claim=entry,
        verdict=verdict,
        finding=finding,
        reason="; ".join(reasons) or None,
        settings=present,
        environments=results.environments,
        seeds=len(results.seeds),
        printed=None if in_print is None else in_print.verdict,
        by_our_bound=in_print is not None and only_by_bounds(in_print),
    )


def judge_paper(
    entries: Sequence[Claim],
    main: Part | None,
    parts: Mapping[str, Part],
    stages: StageCallback | None = None,
) -> list[Judged]:
    """The verdicts on several claims, each once: a claim of a part from its runs, any other from those of the ``main`` studies.

    Without the part that a claim speaks of, a simulation claim is undecided for want of runs. ``stages`` hears how many are judged.
    """
    words = next((part.tolerances for part in parts.values()), {})
    judged: list[Judged] = []
    for entry in entries:
        if stages is not None:
            stages("judging", len(judged), len(entries))
        home = main if entry.part is None else parts.get(entry.part)
        if home is None and entry.part is not None:
            judged.append(_waiting(entry, f"it speaks of {entry.part}, which was not run"))
            continue
        home = home or Part(Results({}), words)
        judged.append(judge(entry, home.results, home.tolerances, parts))
    if stages is not None and entries:
        stages("judging", len(entries), len(entries))
    return judged


def _waiting(entry: Claim, reason: str) -> Judged:
    """A claim that no run here speaks of."""
    return Judged(entry, Verdict.UNDECIDED, None, reason, (), (), 0, None)


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


def only_by_bounds(found: Finding) -> bool:
    """Whether it fails, and every inequality of it that fails has a bound other than 0: a number that stands for a word. An order of two
    scores has the bound 0, which nobody chose."""
    failing = [leaf for leaf in found.leaves() if leaf.verdict is Verdict.FAILS]
    return found.verdict is Verdict.FAILS and all(leaf.bound for leaf in failing)


def judge_printed(entry: Claim, tolerances: Mapping[str, Tolerance]) -> Finding | None:
    """What the same check finds on the paper's printed tables; None where they cannot tell."""
    if entry.kind != "simulation" or not entry.settings or entry.source.tables is None:
        return None
    tables = entry.source.tables()
    if entry.part not in tables.parts:
        return None
    try:
        with at_any_time(False):  # printed numbers have no seeds
            return entry.function(PrintedView(entry.settings, tolerances, tables))
    except UnavailableError:
        return None


def _environments_missing(entry: Claim, results: Results) -> list[str]:
    """Why a claim about all environments of its paper is open where some were not run."""
    if entry.environments is None or entry.source.tables is None:
        return []
    wanted = entry.source.tables().environments
    missing = [(number, name) for number, name in enumerate(wanted, 1) if name not in results.environments]
    if entry.environments != len(wanted) or not missing:
        return []
    numbers, names = [number for number, _ in missing], ", ".join(name for _, name in missing)
    if len(missing) > 1 and numbers == list(range(numbers[0], numbers[-1] + 1)):
        names = f"{numbers[0]} to {numbers[-1]} ({names})"
    return [f"it speaks of all {len(wanted)} environments, and {names} were not run"]

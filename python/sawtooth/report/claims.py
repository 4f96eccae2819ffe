"""The claims of a report: how many came out how, and each with its verdict and evidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sawtooth.claims.logic import Finding, Verdict
from sawtooth.report.elements import (
    code,
    details,
    element,
    head,
    paragraph,
    pill,
    section,
    table,
    text,
)
from sawtooth.report.tables import counts, leaf_text, seeds_text

if TYPE_CHECKING:
    from sawtooth.claims.table import Judged

JUDGED_HOW = (
    "Verdicts are computed. An inequality is judged on per-seed paired differences: it holds or fails when its 95 % interval lies on one "
    "side. A claim about more than was run is undecided, with that reason; the second mark then says what the part that was run shows. The "
    "third is the same check put to the paper's own printed tables, where they can tell."
)

COMPUTED_HOW = (
    "Verdicts are computed: closed forms, exhaustive ranges of integers and the synchronous model, with the numbers they rest on. Where a "
    "statement fails, the evidence shows counter-examples and, below, the statement that holds in its place, put to the same test."
)


def summary(judged: Sequence[Judged]) -> str:
    """How many claims came out how."""
    entries = [
        element("li", f"{pill(verdict)} <strong>{count}</strong>")
        for verdict, count in counts(judged).items()
    ]
    if all(item.claim.kind != "simulation" for item in judged):
        entries.append(element("li", f"of {len(judged)} claims", class_="muted"))
        return element("ul", "".join(entries), class_="verdicts")
    partial = [item.finding.verdict for item in judged if item.partial and item.finding is not None]
    split = ", ".join(f"{verdict.value} {sum(v is verdict for v in partial)}" for verdict in Verdict)
    beyond = (
        f"; {len(partial)} of them need further runs. What the present runs say of these: {split}"
        if partial
        else ""
    )
    entries.append(element("li", f"of {len(judged)} claims{beyond}", class_="muted"))
    return element("ul", "".join(entries), class_="verdicts")


def claims_section(judged: Sequence[Judged], how: str) -> str:
    """The table of verdicts; ``how`` says how they come about. The columns about runs stand only where a claim has them."""
    on_runs = any(item.claim.kind == "simulation" for item in judged)
    rows = []
    for item in judged:
        part = pill(item.finding.verdict) if item.partial and item.finding is not None else ""
        printed = pill(item.printed) if item.printed is not None else ""
        cells = [_claim(item), pill(item.verdict), *([part, printed] if on_runs else [])]
        rows.append(
            element("tr", "".join(element("td", cell) for cell in cells), id=f"claim-{item.claim.id}")
        )
    heads = [head("Claim", "Verdict", *(["On the part run", "Printed tables"] if on_runs else []))]
    return section("claims", "Claims", paragraph(text(how), "muted"), table(heads, rows, kind="claims"))


def _claim(item: Judged) -> str:
    entry = item.claim
    parts = [
        paragraph(text(entry.statement), "statement"),
        paragraph(f"{code(entry.id)} · section {text(entry.section)} · {entry.kind}", "muted"),
    ]
    if item.reason and item.verdict is Verdict.UNDECIDED:
        parts.append(paragraph(f"Undecided because {text(item.reason)}.", "muted"))
    if item.printed is Verdict.FAILS:
        parts.append(
            paragraph(
                "The same check fails on the paper's own tables: the sentence contradicts them.", "muted"
            )
        )
    if item.finding is not None:
        # What refutes a theorem is the news of a page without runs.
        shown = entry.kind != "simulation" and item.verdict is Verdict.FAILS
        parts.append(details("Evidence", element("ul", _finding(item.finding), class_="evidence"), shown))
    return "".join(parts)


def _finding(finding: Finding) -> str:
    instead = "" if finding.instead is None else _instead(finding.instead)
    if not finding.parts:
        return element("li", f"{pill(finding.verdict)} {text(leaf_text(finding))}{instead}")
    how = {"and": "all of", "or": "one of", "not": "not"}[finding.joined or "and"]
    if "wanted" in finding.numbers:
        how = f"at least {finding.numbers['wanted']} of"
    if finding.verdict is Verdict.UNDECIDED:
        how += f"; {seeds_text(finding.seeds)}"
    inner = element("ul", "".join(_finding(part) for part in finding.parts))
    joined = element("span", f"({text(how)})", class_="muted")
    return element("li", f"{pill(finding.verdict)} {text(finding.text)} {joined}{inner}{instead}")


def _instead(finding: Finding) -> str:
    heading = element("span", "What holds instead:", class_="muted")
    return element("ul", element("li", heading + element("ul", _finding(finding))))

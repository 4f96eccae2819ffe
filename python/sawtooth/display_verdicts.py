"""How results show themselves that are verdicts: on the claims of a paper, on the rules for controllers, on a run made again.

As in `display`: a short text for prompts and a table for notebooks. What is shown of each is a protocol here.

Source: none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from sawtooth.html_table import html_table
from sawtooth.plurals import did, number_of

if TYPE_CHECKING:
    from sawtooth.claims.table import Judged

CLAIM_HEADS = ["claim", "verdict", "statement"]


class Claiming(Protocol):
    """What is shown of anything that judges claims and writes a report."""

    @property
    def name(self) -> str: ...
    @property
    def judged(self) -> Sequence[Judged]: ...
    @property
    def report(self) -> Path | None: ...


def judged_text(found: Claiming, kind: str, size: Sequence[str] = ()) -> str:
    """What judged them, of which size, how many of the claims hold, and where the report is."""
    head = f"<{kind} of {found.name}" + (f": {', '.join(size)}" if size else "")
    where = "" if found.report is None else f"\n report: {found.report}"
    return f"{head}\n {_verdicts([item.verdict.value for item in found.judged], 'claim')}{where}>"


def judged_html(found: Claiming, title: str) -> str:
    """Every claim with its verdict."""
    rows = [[item.claim.id, item.verdict.value, item.claim.statement] for item in found.judged]
    return html_table(title[1:-1], CLAIM_HEADS, rows, len(rows), left=3)


class Overlaid(Claiming, Protocol):
    """What is shown of runs over formulas (``papers.formulas.result.Overlay`` has it)."""

    @property
    def curves(self) -> Sequence[Any]: ...
    @property
    def study(self) -> Any: ...
    @property
    def runs(self) -> int: ...


def overlay_text(found: Overlaid) -> str:
    """How many curves and runs, how many points depart from the formulas, and how many claims hold."""
    points = [point for curve in found.curves for point in curve.points]
    apart = sum(point.apart(found.study.apart) for point in points)
    size = [
        number_of(len(found.curves), "curve"),
        number_of(found.runs, "run"),
        f"{apart:,} of {number_of(len(points), 'point')} apart from the formula",
    ]
    return judged_text(found, "Overlay", size)


def overlay_html(found: Overlaid) -> str:
    """Every curve with what was found of each of its series, and every claim with its verdict."""
    rows = [[curve.title, text] for curve in found.curves for text in curve.sentences(found.study.apart)]
    claims = judged_html(found, "<claims>") if found.judged else ""
    return html_table(overlay_text(found), ["curve", "what was found"], rows, len(rows), left=2) + claims


class Ruled(Protocol):
    """What is shown of the check of a controller (``plugins.conformance.Conformance`` has it)."""

    @property
    def controller(self) -> str: ...
    @property
    def rules(self) -> Sequence[Any]: ...


def conformance_text(found: Ruled) -> str:
    """How many rules it keeps, and which it breaks."""
    broken = [rule.id for rule in found.rules if rule.result == "broken"]
    last = f"\n breaks {', '.join(broken)}" if broken else ""
    return f"<Conformance of {found.controller}: {_verdicts([rule.result for rule in found.rules], 'rule')}{last}>"


def conformance_html(found: Ruled) -> str:
    """Every rule with its verdict."""
    rows = [[rule.id, rule.result, rule.what, rule.source, rule.said or ""] for rule in found.rules]
    heads = ["rule", "result", "what it says", "source", "what is wrong"]
    return html_table(conformance_text(found), heads, rows, len(rows), left=5)


class Replayed(Protocol):
    """What is shown of a run made again (``run.api.Replay`` has it)."""

    @property
    def run_id(self) -> str: ...
    @property
    def same(self) -> bool: ...
    @property
    def stored(self) -> Any: ...
    @property
    def run(self) -> Any: ...
    @property
    def behaviour_changed(self) -> Mapping[str, tuple[int, int]]: ...


def replay_text(found: Replayed) -> str:
    """Whether the results are the same, and what behaves otherwise now."""
    changed = ", ".join(found.behaviour_changed)
    last = f"\n behaviour changed since: {changed}" if changed else ""
    same = "the same results, bit for bit" if found.same else "OTHER results than those stored"
    return f"<Replay of run {found.run_id}: {same}{last}>"


def replay_html(found: Replayed) -> str:
    """Digest and engine, stored and now."""
    engines = [run.provenance["engine"] for run in (found.stored, found.run)]
    rows = [["digest", found.stored.digest, found.run.digest], ["engine", *engines]]
    rows += [[f"behaviour of {name}", *map(str, both)] for name, both in found.behaviour_changed.items()]
    return html_table(replay_text(found), ["", "stored", "now"], rows, len(rows), left=3)


def _verdicts(verdicts: Sequence[str], thing: str) -> str:
    """How many there are of each, in the order in which they come first."""
    if not verdicts:
        return f"no {thing}s"
    counts = ", ".join(did(verdicts.count(verdict), verdict) for verdict in dict.fromkeys(verdicts))
    return f"{number_of(len(verdicts), thing)}: {counts}"


__all__ = [
    "conformance_html",
    "conformance_text",
    "judged_html",
    "judged_text",
    "overlay_html",
    "overlay_text",
    "replay_html",
    "replay_text",
]

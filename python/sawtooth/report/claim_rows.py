"""The table of claims on a page, which a part of a paper renews row by row.

A whole paper writes its rows anew and leaves those of other papers, whose claims may rest on the same runs. A part
(``akella2002/ring``) replaces the rows of the claims that its runs decide, those that wait for nothing else, and leaves the others as they
are, but for their sentences: so a paper of many hours can be told part by part. Each row says which command judged it, over how many seeds
and by which rule (none: the first), and the count below the table is of the table as it stands. It names the rows whose check has been
changed since.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sawtooth.claims.claim import Claim
from sawtooth.claims.logic import Verdict
from sawtooth.claims.multiplicity import CORRECTED, RULE
from sawtooth.claims.standing import (
    SETTLED,
    Elsewhere,
    Standing,
    elsewhere,
    in_words,
    parameter,
    standing,
    turning_point,
)
from sawtooth.claims.table import Judged
from sawtooth.plurals import did, number_of, verb
from sawtooth.report.pipe_table import pipe_row, pipe_table

HEADS = ("claim", "verdict", "on the part run", "printed tables", "judged by", "statement")
OURS = " by our bound"
"""Beside the verdict of printed tables that fail a claim by a number alone that stands for one of its words."""
ROW = re.compile(
    r"^\| `(?P<id>[^`]+)` \| (?P<verdict>[a-z]+) \| [a-z]* ?\| (?P<printed>[a-z]*)(?P<ours> by our bound)? ?\| ?(?P<by>[^|]*)\|.*\|$",
    re.MULTILINE,
)
SHORT = re.compile(
    r"^Of the \d+ that rest on runs, .*$|(?<=\. )Of the \d+ that rest on runs, .*$", re.MULTILINE
)
WORDS_OF_CLASSES = {
    Standing.REPRODUCED: "reproduced",
    Standing.FAILS: "fails",
    Standing.LOST_PARAMETER: "rests on a lost parameter",
    Standing.TABLE_CONTRADICTS: "contradicted by the paper's own tables",
    Standing.UNDECIDED: "undecided",
}
"""Classes of claims about runs, as the folded tables below the whole one are called."""


@dataclass(frozen=True)
class ClaimRow:
    """What a row of the table says of the verdict on a claim."""

    verdict: Verdict
    seeds: int
    """0 where it rests on no runs."""
    rule: int


def stated(table: str) -> dict[str, ClaimRow]:
    """What the rows of a table say, by claim."""
    return {
        match["id"]: ClaimRow(Verdict(match["verdict"]), _seeds_of(match["by"]), rule_of(match["by"]))
        for match in ROW.finditer(table)
    }


def renewed(old: str, judged: Sequence[Judged], command: str, claims: Sequence[Claim]) -> str:
    """The table with the rows that ``command`` (a paper, or a part of one) knows better than the ``old`` one.

    ``claims`` are those of all papers, in the order of the rows.
    """
    whole = "/" not in command
    anew = {entry.id for entry in claims if whole and entry.paper == command}
    rows = {match["id"]: match[0] for match in ROW.finditer(old) if match["id"] not in anew}
    rows |= {item.claim.id: _row(item, command) for item in judged if whole or _conclusive(item)}
    order = [entry for entry in claims if entry.id in rows]
    table = "\n".join([pipe_table(HEADS, []), *(_worded(rows[entry.id], entry) for entry in order)])
    read = stated(table)
    verdicts = {name: row.verdict for name, row in read.items()}
    printed = {match["id"]: Verdict(match["printed"]) for match in ROW.finditer(table) if match["printed"]}
    by_our_bound = {match["id"] for match in ROW.finditer(table) if match["ours"]}
    in_print = {name: verdict for name, verdict in printed.items() if name not in by_our_bound}
    classes = [standing(entry, verdicts[entry.id], in_print.get(entry.id)) for entry in order]
    others = [elsewhere(entry, verdicts[entry.id]) for entry in order]
    same = [verdicts[name] is theirs for name, theirs in printed.items()]
    said = in_words(classes, same, others)
    sentences = f"{number_of(len(order), 'claim')}: {counted(list(verdicts.values()))}. {said}".rstrip()
    rules = {name: row.rule for name, row in read.items()}
    of_runs = [entry for entry in order if entry.kind == "simulation"]
    return "\n\n".join(
        [table, sentences, *_by_class(order, verdicts, classes, others), *_older(of_runs, rules)]
    )


def in_short(table: str) -> str:
    """What a renewed table says of the claims that rest on runs, for the front of its page."""
    found = SHORT.search(table)
    return found[0].strip() if found is not None else "No claim rests on runs."


def _by_class(
    order: Sequence[Claim],
    verdicts: Mapping[str, Verdict],
    classes: Sequence[Standing],
    others: Sequence[Elsewhere],
) -> list[str]:
    """The claims of each class of those about runs, folded; none where no claim rests on runs. Beside one that rests on a parameter stands
    that and the value at which it turns, beside one that reproduces or fails what other values make of it."""
    lists = []
    for wanted, word in WORDS_OF_CLASSES.items():
        heads = ["claim"]
        if wanted is Standing.LOST_PARAMETER:
            heads += ["parameter", "turns at"]
        elif wanted in SETTLED:
            heads += ["at other values"]
        rows = [
            [f"`{entry.id}`", *_beside(entry, verdicts[entry.id], found, where)]
            for entry, found, where in zip(order, classes, others, strict=True)
            if found is wanted
        ]
        if rows:
            table = pipe_table(heads, rows)
            lists.append(f"<details><summary>{word}: {len(rows)}</summary>\n\n{table}\n\n</details>")
    return lists


def _beside(entry: Claim, verdict: Verdict, found: Standing, where: Elsewhere) -> list[str]:
    """What stands beside a claim of a class."""
    if found is Standing.LOST_PARAMETER:
        return [parameter(entry, verdict) or "", turning_point(entry, verdict)]
    return [where.value] if found in SETTLED else []


def rule_of(by: str) -> int:
    """The rule that a row names."""
    found = re.search(r", rule (\d+)", by)
    return int(found[1]) if found else 1


def _seeds_of(by: str) -> int:
    """The number of seeds that a row names."""
    found = re.search(r", (\d+) seeds?\b", by)
    return int(found[1]) if found else 0


def _older(claims: Sequence[Claim], rules: Mapping[str, int]) -> list[str]:
    """What rows say that were not judged by the rule and the checks of today, in words; nothing where all were."""
    old = [entry for entry in claims if rules[entry.id] < max(CORRECTED, entry.since)]
    if not old:
        return []
    changed = [entry.id for entry in old if rules[entry.id] < entry.since]
    text = f"{len(old)} of these verdicts {verb('was', len(old))} taken by an earlier rule ([what changed](deciding.md#rules))"
    if changed:
        names = ", ".join(f"`{name}`" for name in changed)
        checks = "a check that has" if len(changed) == 1 else "checks that have"
        text += f"; {len(changed)} of them by {checks} changed since: {names}"
    return [f"{text}."]


def counted(verdicts: Sequence[Verdict]) -> str:
    """How many hold, fail and are undecided, in words."""
    return ", ".join(did(sum(v is verdict for v in verdicts), verdict.value) for verdict in Verdict)


def _conclusive(item: Judged) -> bool:
    """Whether the runs say all that can be said: no others are waited for, or they would change nothing."""
    return not item.partial or item.verdict is not Verdict.UNDECIDED


def _worded(row: str, claim: Claim) -> str:
    """The row with the claim's sentence as it is today, whoever judged it."""
    kept = row.split(" | ", len(HEADS) - 1)[:-1]
    return " | ".join([*kept, pipe_row([claim.statement]).removeprefix("| ")])


def _row(item: Judged, command: str) -> str:
    part = item.finding.verdict.value if item.partial and item.finding is not None else ""
    printed = item.printed.value if item.printed is not None else ""
    printed += OURS if item.by_our_bound else ""
    by = (
        f"`{command}`, {item.seeds} {'seed' if item.seeds == 1 else 'seeds'}, rule {RULE}"
        if item.claim.kind == "simulation" and item.seeds
        else f"`{command}`"
    )
    cells = [f"`{item.claim.id}`", item.verdict.value, part, printed, by, item.claim.statement]
    return pipe_row(cells)

"""The house rules as a test: what a reviewer would otherwise have to notice again and again.

    python -m tools.tidy [ROOT]     findings, one a line; exit 1 if there are any
    python -m tools.tidy --rules    every rule with its reason

A rule reads the text of the tree and builds nothing. Each finding says what to do instead; each rule says why it exists. A rule that
turns out wrong for a good piece of code is changed here, in a change of its own: there is no comment that switches a rule off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.tidy import citations, dead, files, layers, listed, names, studies, tables
from tools.tidy.tree import Finding, Tree


@dataclass(frozen=True)
class Rule:
    """One rule: its name (printed with each finding), the reason for it, and the check."""

    name: str
    reason: str
    check: Callable[[Tree], Iterator[Finding]]


RULES: tuple[Rule, ...] = (
    Rule(
        "banned-name", "hidden inputs (hash order, clocks, global random numbers) break replay", names.banned
    ),
    Rule(
        "table-entry",
        "what is in a table is used in studies: it needs a source, a test and a head",
        tables.entries,
    ),
    Rule("one-meaning", "a reader who meets a name knows it from elsewhere", names.meanings),
    Rule("listed", "a name that users may write and no test tries breaks unseen", listed.rows),
    Rule("head", "reviewers check code against the paper it names, not against memory", tables.heads),
    Rule("citation", "a key that leads nowhere cannot be checked", citations.keys),
    Rule("study", "a study without expected values or a row cannot be judged or found", studies.rows),
    Rule("import", "arrows point one way, or no part can be used or tested alone", layers.imports),
    Rule("dead-file", "what nothing reads is not kept true by anything", dead.unread),
    Rule("large-blob", "a clone keeps every version of every blob for ever", files.blobs),
    Rule("machine-path", "a path of one machine fails on all others", files.machine_paths),
    Rule("long-file", "a file past 400 lines usually holds two ideas; past 600 it always did", files.length),
    Rule("long-function", "a reader keeps a screen in mind, not two", files.functions),
)


def findings(root: Path) -> list[str]:
    """Every finding in the tree at `root`, as `path:line: [rule] message`, in the order of the rules."""
    tree = Tree(root)
    return [
        f"{found.path}:{found.line}: [{rule.name}] {found.message}"
        for rule in RULES
        for found in rule.check(tree)
    ]

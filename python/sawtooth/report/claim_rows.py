"""The table of claims on a page, which a part of a paper renews row by row.

A whole paper writes its rows anew and leaves those of other papers, whose claims may rest on the same runs. A part
(``akella2002/ring``) replaces the rows of the claims that its runs settle, those that wait for nothing else, and leaves the others as they
are: so a paper of many hours can be told part by part. Each row says which command judged it and over how many seeds, and the count below
the table is of the table as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sawtooth.claims.logic import Verdict
from sawtooth.claims.table import Judged
from sawtooth.papers.register import claims
from sawtooth.report.pipe_table import pipe_row, pipe_table

HEADS = ("claim", "verdict", "on the part run", "printed tables", "judged by", "statement")
ROW = re.compile(r"^\| `(?P<id>[^`]+)` \| (?P<verdict>[a-z]+) \|.*\|$", re.MULTILINE)
WORDS = {Verdict.HOLDS: "hold", Verdict.FAILS: "fail", Verdict.UNDECIDED: "undecided"}


def renewed(old: str, judged: Sequence[Judged], command: str) -> str:
    """The table with the rows that ``command`` (a paper, or a part of one) knows better than the ``old`` one."""
    whole = "/" not in command
    anew = {entry.id for entry in claims() if whole and entry.paper == command}
    rows = {match["id"]: match[0] for match in ROW.finditer(old) if match["id"] not in anew}
    rows |= {item.claim.id: _row(item, command) for item in judged if whole or _settled(item)}
    order = [entry for entry in claims() if entry.id in rows]
    table = "\n".join([pipe_table(HEADS, []), *(rows[entry.id] for entry in order)])
    verdicts = {match["id"]: Verdict(match["verdict"]) for match in ROW.finditer(table)}
    simulated = [verdicts[entry.id] for entry in order if entry.kind == "simulation"]
    undecided = simulated.count(Verdict.UNDECIDED)
    of_runs = f"Of the {len(simulated)} that rest on runs {undecided} are undecided" if simulated else ""
    share = f" ({100 * undecided / len(simulated):.1f} %)." if simulated else ""
    return f"{table}\n\n{len(order)} claims: {counted(list(verdicts.values()))}. {of_runs}{share}".rstrip()


def counted(verdicts: Sequence[Verdict]) -> str:
    """How many hold, fail and are undecided, in words."""
    return ", ".join(f"{sum(v is verdict for v in verdicts)} {word}" for verdict, word in WORDS.items())


def _settled(item: Judged) -> bool:
    """Whether the runs say all that can be said: no others are waited for, or they would change nothing."""
    return not item.partial or item.verdict is not Verdict.UNDECIDED


def _row(item: Judged, command: str) -> str:
    part = item.finding.verdict.value if item.partial and item.finding is not None else ""
    printed = item.printed.value if item.printed is not None else ""
    by = (
        f"`{command}`, {item.seeds} seeds"
        if item.claim.kind == "simulation" and item.seeds
        else f"`{command}`"
    )
    cells = [f"`{item.claim.id}`", item.verdict.value, part, printed, by, item.claim.statement]
    return pipe_row(cells)

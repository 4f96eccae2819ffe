"""The tables of a comparison as Markdown, written into marked blocks of a page, so that no result is typed by hand.

A block lies between ``<!-- results: NAME -->`` and ``<!-- end -->``; NAME is ``SETTING scores``, ``SETTING raw``,
``claims`` or ``verdicts``. Everything between the two lines is replaced; the rest of the page is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from sawtooth.atomic import write_text_atomic
from sawtooth.comparison import Comparison
from sawtooth.errors import MISSING, InputError
from sawtooth.matrix import Block
from sawtooth.report.tables import (
    COLUMNS,
    DECIMALS,
    RAW_DECIMALS,
    UNITS,
    counts,
    number,
    raw_table,
    score_table,
    with_spread,
)
from sawtooth.scoring import SCORED

BLOCK = re.compile(r"(<!-- results: (?P<name>[^>]+?) -->\n).*?(<!-- end -->)", re.DOTALL)


def update(path: Path, comparison: Comparison) -> None:
    """Replace every block of the page at ``path`` that this comparison can fill. InputError where the page has none of them."""
    try:
        page = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError("--markdown", None, str(path), f"a readable page ({error.strerror})") from error
    known = blocks(comparison)
    filled = 0

    def fill(match: re.Match[str]) -> str:
        nonlocal filled
        content = known.get(match["name"])
        if content is None:
            return match[0]
        filled += 1
        return f"{match[1]}{content}\n{match[3]}"

    page = BLOCK.sub(fill, page)
    if not filled:
        names = ", ".join(known)
        raise InputError(
            str(path), None, MISSING, f"a block <!-- results: NAME --> … <!-- end -->, NAME one of {names}"
        )
    write_text_atomic(path, page)


def blocks(comparison: Comparison) -> dict[str, str]:
    """The content of every block by name."""
    found = {}
    for block in comparison.own:
        found[f"{block.setting} scores"] = _scores(block)
        found[f"{block.setting} raw"] = "\n\n".join(_raw(block, metric) for metric in SCORED)
    if comparison.judged:
        found["claims"] = _claims(comparison)
        found["verdicts"] = _verdicts(comparison)
    return found


def _scores(block: Block) -> str:
    heads = ["", *(f"{score} {metric}" for metric, score in COLUMNS)]
    rows = []
    for name, cells in score_table(block):
        ours = [with_spread(cell.ours, DECIMALS[cell.metric]) for cell in cells]
        rows.append([name, *(f"**{t}**" if c.best else t for t, c in zip(ours, cells, strict=True))])
        if any(cell.printed is not None for cell in cells):
            rows.append(["*printed (13)*", *(f"*{number(c.printed, DECIMALS[c.metric])}*" for c in cells)])
    return _table(heads, rows)


def _raw(block: Block, metric: str) -> str:
    rows = [
        [environment, *(with_spread(cell.ours, RAW_DECIMALS[metric]) for cell in cells)]
        for environment, cells in raw_table(block, metric)
    ]
    return _table([f"{metric} ({UNITS[metric]})", *block.algorithms], rows)


def _claims(comparison: Comparison) -> str:
    rows = []
    for item in comparison.judged:
        part = item.finding.verdict.value if item.partial and item.finding is not None else ""
        printed = item.printed.value if item.printed is not None else ""
        rows.append([f"`{item.claim.id}`", item.verdict.value, part, printed, item.claim.statement])
    return _table(["claim", "verdict", "on the part run", "printed tables", "statement"], rows)


def _verdicts(comparison: Comparison) -> str:
    totals = ", ".join(f"{count} {verdict.value}" for verdict, count in counts(comparison.judged).items())
    return f"{len(comparison.judged)} claims: {totals}."


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)

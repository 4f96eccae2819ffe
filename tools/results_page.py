"""Fills the marked places of docs/results.md: `python -m tools.results_page`.

What recorded series hold comes from the engine's description of them, what the keys of JSON documents mean from their schemas.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sawtooth.documents import FORMATS, format_of, keys, schema
from sawtooth.scenario.described import describe

PAGE = Path(__file__).resolve().parents[1] / "docs" / "results.md"
PLACE = re.compile(r"(<!-- made: (\w+) -->\n).*?(<!-- end of \2 -->)", re.DOTALL)


def filled(page: str) -> str:
    """The page with what is made in its places. KeyError for a place that nothing is made for."""
    made = {"series": series, "formats": formats, "documents": documents}
    return PLACE.sub(lambda found: f"{found[1]}\n{made[found[2]]()}\n\n{found[3]}", page)


def table(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """A table in Markdown."""
    lines = [heads, tuple("---" for _ in heads), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def series() -> str:
    """Every recorded series: the key of `[record]` that asks for it, and its columns."""
    described: list[Any] = list(describe()["series"])
    values = {"flag": "true", "interval": '"100 ms"'}
    asked = []
    for row in described:
        also = f", or `{row['also']}`" if row["also"] else ""
        asked.append((f"`{row['name']}`", f"`{row['key']} = {values[row['kind']]}`{also}", row["summary"]))
    parts = [table(("series", "key of `[record]`", "what it has"), asked)]
    for row in described:
        columns = [(f"`{each['name']}`", each["unit"] or "–", meaning(each)) for each in row["columns"]]
        parts.append(f"### `{row['name']}`\n\n" + table(("column", "unit", "meaning"), columns))
    return "\n\n".join(parts)


def meaning(column: Any) -> str:
    """What a column holds, with its codes."""
    codes = column.get("codes", ())
    listed = "; ".join(f"{code} = {what}" for code, what in enumerate(codes))
    return f"{column['meaning']}: {listed}" if codes else str(column["meaning"])


def formats() -> str:
    """The kinds of documents, and what prints each."""
    rows = [(f"`{format_of(kind)}`", schema(kind)["description"]) for kind in FORMATS]
    return table(("`format`", "printed by"), rows)


def documents() -> str:
    """Every key of every document; what several share stands once, at the end."""
    shared: dict[str, Any] = {}
    parts = []
    for kind in FORMATS:
        found = schema(kind)
        shared |= {name: each for name, each in found.get("$defs", {}).items() if name not in FORMATS}
        parts.append(section(kind, found))
    parts += [section(name, shared[name]) for name in sorted(shared)]
    return "\n\n".join(parts)


def section(name: str, found: dict[str, Any]) -> str:
    """The keys of a document or of what documents share."""
    rows = [(f"`{path}`", kind, text) for path, kind, text in keys(found)]
    return f"### {name}\n\n{found.get('description', '')}\n\n" + table(("key", "type", "meaning"), rows)


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")

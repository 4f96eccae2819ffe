"""A table of HTML for notebooks, without any style of its own but for numbers at the right.

Source: none.

| parameter | unit | default | why                                        |
|-----------|------|---------|--------------------------------------------|
| ROWS      | rows | 24      | a table on a screen; the rest is counted   |
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

ROWS: Final = 24


def html_table(
    title: str, heads: Sequence[str], rows: Sequence[Sequence[object]], count: int, *, left: int
) -> str:
    """The first of ``count`` rows below a title; so many columns stand at the ``left``."""

    def cells(row: Sequence[object], tag: str) -> str:
        return "".join(
            f'<{tag} style="text-align: {"left" if place < left else "right"}">{escape(str(cell))}</{tag}>'
            for place, cell in enumerate(row)
        )

    shown = rows[:ROWS]
    body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in shown)
    more = f"<p>and {count - len(shown):,} more rows</p>" if count > len(shown) else ""
    caption = escape(title.strip("<>")).replace("\n", "<br>")
    return f"<table><caption>{caption}</caption><thead><tr>{cells(heads, 'th')}</tr></thead><tbody>{body}</tbody></table>{more}"


__all__ = ["ROWS", "html_table"]

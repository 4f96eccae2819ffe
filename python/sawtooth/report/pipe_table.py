"""A table of a Markdown page."""

from __future__ import annotations

from collections.abc import Sequence


def pipe_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Heads and rows between pipes, a line each; a pipe within a cell is escaped."""
    return "\n".join(pipe_row(line) for line in [heads, ["---"] * len(heads), *rows])


def pipe_row(cells: Sequence[str]) -> str:
    """One line of it."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

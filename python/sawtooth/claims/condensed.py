"""Long lists of inequalities and of cells in few lines, of which nothing is left out.

Source: none. Lines that differ in one word only become one line with these words in braces, again and again: so every word in one pair
of braces stands with every word in another. Two bounds of one quantity become one line first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

Row = tuple[tuple[str, ...], ...]
"""A line word by word, each with its alternatives."""

_LOW: Final = re.compile(r"(?P<stem>.*?)(?:, at least)? >(?P<same>=?) (?P<bound>\S+)")
_HIGH: Final = re.compile(r"(?P<stem>.*?)(?:, at most)? <(?P<same>=?) (?P<bound>\S+)")
_WORD: Final = re.compile(r"(?:\{[^{}]*\}|\[[^\[\]]*\]|\S)+")
MARKS: Final = ",:;"
"""What may stand behind a word and is no part of it."""


def condensed(lines: Sequence[str], *, alternatives: bool = False) -> list[str]:
    """The lines with those that are alike made one, in the order of the first of each. Of ``alternatives`` the words that differ are in
    brackets, with "or"."""
    rows: list[Row] = [tuple((word,) for word in _WORD.findall(line)) for line in _two_sided(lines)]
    merged = _merged(rows)
    while len(merged) < len(rows):
        rows, merged = merged, _merged(merged)
    return [" ".join(_shown(words, alternatives=alternatives) for words in row) for row in merged]


def _two_sided(lines: Sequence[str]) -> list[str]:
    """``x, at least >= a`` and ``x, at most <= b`` as ``a <= x <= b``."""
    low, high = ({f["stem"]: f for line in lines if (f := side.fullmatch(line))} for side in (_LOW, _HIGH))
    shown = []
    for line in lines:
        found = _LOW.fullmatch(line) or _HIGH.fullmatch(line)
        least, most = (low.get(found["stem"]), high.get(found["stem"])) if found else (None, None)
        if least and most:
            line = f"{least['bound']} <{least['same']} {least['stem']} <{most['same']} {most['bound']}"
        shown.append(line)
    return list(dict.fromkeys(shown))


def _merged(rows: list[Row]) -> list[Row]:
    """One pass over the places of words: rows that are alike but for one place become one."""
    for place in range(max(map(len, rows), default=0)):
        groups: dict[tuple[Row, Row | None], dict[str, None]] = {}
        for row in rows:
            beside = (row[:place], row[place + 1 :] if place < len(row) else None)
            words = row[place] if place < len(row) else ()
            groups.setdefault(beside, {}).update(dict.fromkeys(words))
        rows = [
            before if after is None else (*before, tuple(words), *after)
            for (before, after), words in groups.items()
        ]
    return rows


def _shown(words: tuple[str, ...], *, alternatives: bool) -> str:
    if len(words) == 1:
        return words[0]
    marks = {word[-1:] for word in words}
    mark = marks.pop() if len(marks) == 1 and marks <= set(MARKS) else ""
    kept = [word.removesuffix(mark) for word in words]
    return (f"[{' or '.join(kept)}]" if alternatives else f"{{{' | '.join(kept)}}}") + mark

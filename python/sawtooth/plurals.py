"""A number and what it counts, as a person writes them: `1 seed`, `2 seeds`, `1 holds`, `2 hold`.

Source: none.
"""

from __future__ import annotations

from typing import Final

PLURALS: Final = {
    "study": "studies",
    "loss": "losses",
    "holds": "hold",
    "fails": "fail",
    "reproduces": "reproduce",
    "rests": "rest",
    "is": "are",
    "was": "were",
    "does": "do",
    "exchanges": "exchange",
    "stays": "stay",
    "turns": "turn",
    "needs": "need",
}
"""Words whose plural is not made with an s. Verbs that are not here, and participles (`undecided`), stay as they are."""


def number_of(number: int, thing: str) -> str:
    """A number of things."""
    return f"{number:,} {thing if number == 1 else PLURALS.get(thing, f'{thing}s')}"


def verb(word: str, number: int) -> str:
    """The form of a verb behind a number of subjects."""
    return word if number == 1 else PLURALS.get(word, word)


def did(number: int, word: str) -> str:
    """A number of subjects and what they do."""
    return f"{number:,} {verb(word, number)}"


__all__ = ["did", "number_of", "verb"]

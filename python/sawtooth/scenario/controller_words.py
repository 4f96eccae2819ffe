"""What the numbers of a controller mean: whether its ``b`` is the fraction of the window that a decrease keeps, or the one that it removes.

    >>> meaning("aimd(1, 0.8)")
    'a = 1, packets added per round; b = 0.8, fraction of the window that a decrease keeps'
    >>> meaning("tcp")
    'a = 1, packets added per round; b = 0.5, fraction of the window that a decrease removes'

Source: the words are those of the engine's description of its constructors. Said are the numbers that somebody wrote, and of the others
those of a constructor that has FEW, and those of a decrease.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from sawtooth.scenario.described import describe

if TYPE_CHECKING:
    from sawtooth._native import _Controller

FEW: Final = 3
"""Parameters of a constructor that are all told."""
OF_A_DECREASE: Final = re.compile(r"\b(a|the) decrease\b")


def meanings(controllers: Iterable[Any]) -> dict[str, str]:
    """By controller as it was written, in their order and each once, what its numbers mean, where there is something to say."""
    found = {str(written): meaning(written) for written in controllers}
    return {written: words for written, words in found.items() if words}


def meaning(written: str | Mapping[str, Any]) -> str:
    """What the numbers of one controller mean; of a form without numbers, its summary; nothing for one that is not described."""
    name, values, named = _parts(written)
    row = _row(name)
    if row is None:
        return ""
    if not row["parameters"]:
        return row["summary"]
    given = {entry["name"]: value for entry, value in zip(row["parameters"], values, strict=False)} | named
    told = []
    for entry in row["parameters"]:
        words = entry["why"].partition(";")[0]
        value = given.get(entry["name"], entry["default"])
        if value is not None and (
            entry["name"] in given or len(row["parameters"]) <= FEW or OF_A_DECREASE.search(words)
        ):
            told.append(f"{entry['name']} = {value if isinstance(value, str) else f'{value:g}'}, {words}")
    return "; ".join(told)


def _row(name: str) -> _Controller | None:
    same = name.lower()
    return next((row for row in describe()["controllers"] if same in (row["name"], *row["aliases"])), None)


def _parts(written: str | Mapping[str, Any]) -> tuple[str, list[str], dict[str, Any]]:
    """Name, numbers by place and numbers by name of a controller that the engine accepts."""
    if isinstance(written, Mapping):
        return (
            str(written.get("kind", "")),
            [],
            {key: value for key, value in written.items() if key != "kind"},
        )
    name, _, rest = written.partition("(")
    pieces = [piece.strip() for piece in rest.rstrip(") ").split(",") if piece.strip()]
    pairs = [piece.partition("=") for piece in pieces]
    by_name = {key.strip(): value.strip() for key, sign, value in pairs if sign}
    return name.strip(), [key for key, sign, _ in pairs if not sign], by_name

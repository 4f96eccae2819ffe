"""The test cases as files: `cases/<name>.toml`.

Source: the appendix "BBR Example Test Cases" of draft-ietf-ccwg-bbr at commit 4ce5e87, in our own words. Several files may have one
number: forms of one case, all of which it asks for.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from sawtooth.packaged import packaged

FOLDER: Final = ("papers", "bbr_draft", "cases")


@dataclass(frozen=True)
class Accepted:
    """What a case takes in place of what its text asks for."""

    text: str
    accepted: str
    why: str


@dataclass(frozen=True)
class Unseen:
    """A step of a case that no trace shows, and the test of the engine that sees it: a file, a colon and a name."""

    what: str
    test: str


@dataclass(frozen=True)
class Case:
    """One test case: its scenario, what must come of it, and how far from that it may be."""

    name: str
    number: int
    title: str
    source: str
    """``draft`` or ``google``."""
    check: str
    expects: tuple[str, ...]
    tolerance: Mapping[str, float]
    reasons: Mapping[str, str]
    """Why each tolerance is what it is."""
    accepts: tuple[Accepted, ...]
    unseen: tuple[Unseen, ...]
    scenario: Mapping[str, Any]
    note: str
    """What the file says at its head about a form of a case; empty for most."""


@cache
def cases() -> tuple[Case, ...]:
    """All of them, in the order of their numbers."""
    folder = packaged(*FOLDER)
    files = sorted(
        (entry for entry in folder.iterdir() if entry.name.endswith(".toml")), key=lambda e: e.name
    )
    return tuple(
        _case(entry.name.removesuffix(".toml"), entry.read_text(encoding="utf-8")) for entry in files
    )


def _case(name: str, text: str) -> Case:
    data = tomllib.loads(text)
    head = [line.removeprefix("#").strip() for line in text.splitlines() if line.startswith("#")]
    tolerances = data["tolerance"]
    return Case(
        name=name,
        number=data["number"],
        title=data["title"],
        source=data["source"],
        check=data["check"],
        expects=tuple(data["expects"]),
        tolerance={key: table["value"] for key, table in tolerances.items()},
        reasons={key: table["why"] for key, table in tolerances.items()},
        accepts=tuple(Accepted(**row) for row in data.get("accepts", ())),
        unseen=tuple(Unseen(**row) for row in data.get("unseen", ())),
        scenario=data["scenario"],
        note=" ".join(head),
    )

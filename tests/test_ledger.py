"""The ledger of digests (`crates/sim/tests/ledger.txt`) against its history: no row ever had two digests under the same behaviour numbers.

The Rust test that writes the ledger refuses a digest that moved without a behaviour number; this one finds a row rewritten by hand.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LEDGER = "crates/sim/tests/ledger.txt"


def rows(text: str) -> Iterator[tuple[tuple[str, str], str]]:
    """((name, behaviour numbers), digest) of each row."""
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, digest, behaviour = line.split()
            yield (name, behaviour), digest


def rewritten(versions: Iterable[str]) -> list[str]:
    """Names of the rows that have two digests under the same behaviour numbers in these versions of the ledger."""
    known: dict[tuple[str, str], str] = {}
    found: dict[str, None] = {}
    for text in versions:
        for key, digest in rows(text):
            if known.setdefault(key, digest) != digest:
                found[key[0]] = None
    return list(found)


def git(*words: str) -> str | None:
    """What git prints; None outside a checkout."""
    if shutil.which("git") is None:
        return None
    done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


def test_no_row_of_the_ledger_was_ever_rewritten() -> None:
    now = (ROOT / LEDGER).read_text(encoding="utf-8")
    commits = git("log", "--format=%H", "--", LEDGER)
    if commits is None:
        pytest.skip("NOT RUN: no git history here to hold the ledger against")
    earlier = (git("show", f"{commit}:{LEDGER}") for commit in commits.split())
    found = rewritten([now, *(text for text in earlier if text is not None)])
    assert not found, f"{len(found)} rows have another digest under the same behaviour numbers: {found[:5]}"


def test_a_rewritten_row_is_found_and_a_new_number_is_none() -> None:
    assert rewritten(["a 11 core=1\nb 22 core=1\n", "# head\na 33 core=1\nb 22 core=1\n"]) == ["a"]
    assert rewritten(["a 11 core=1\n", "a 33 core=2\n"]) == []

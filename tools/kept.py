"""What files of data keep of runs that no test makes again, and whether the engine or the checks have moved on since.

Such are ``[[varied]]`` of a paper's ``turns.toml`` (from ``tools.turns``) and ``[search]`` of a study (from ``sawtooth environment
search``). Each says the ``rule`` by which its verdicts were taken and the ``behaviour`` numbers of what its runs used. It is stale where a
number has moved on, or where the check of one of its claims was changed by a later rule; unknown where it does not say.

Source: none.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sawtooth.papers.register import claims
from sawtooth.report.computed import UntrustedBlock, moved_on, numbers_of

LISTS = ("holds", "fails", "open", "turning")
"""Where a table of ``turns.toml`` names its claims."""


@dataclass(frozen=True)
class Kept:
    """What one table keeps: where it stands, the claims that were judged, by which rule, and what the runs used."""

    file: str
    table: str
    claims: Sequence[str]
    rule: int | None
    behaviour: str

    def faults(self, now: Mapping[str, int], since: Mapping[str, int]) -> Iterator[UntrustedBlock]:
        """What is wrong with it. ``now`` are the engine's behaviour numbers; ``since`` has by claim the rule that its check is of."""
        if self.rule is None or not self.behaviour:
            yield UntrustedBlock(self.file, self.table, "nothing says what it rests on", False)
            return
        moved = moved_on(numbers_of(self.behaviour), now)
        if moved:
            yield UntrustedBlock(self.file, self.table, f"behaviour has changed: {', '.join(moved)}", True)
        later = [name for name in self.claims if since.get(name, self.rule + 1) > self.rule]
        if later:
            why = f"checks have changed since rule {self.rule}: {', '.join(later)}"
            yield UntrustedBlock(self.file, self.table, why, True)


def kept(root: Path) -> Iterator[Kept]:
    """What the papers of a repository keep."""
    papers = root / "python" / "sawtooth" / "papers"
    for path in sorted(papers.glob("*/claims/turns.toml")):
        for table in _tables(path).get("varied", []):
            names = [name for group in LISTS for name in table.get(group, [])]
            yield _kept(root, path, f"[[varied]] {table['study']}", names, table)
    for path in sorted(papers.glob("*/studies/*.toml")):
        for name, table in _tables(path).get("search", {}).items():
            names = re.findall(r"--claim (\S+)", table["command"])
            yield _kept(root, path, f"[search] {name}", names, table)


def kept_faults(root: Path, now: Mapping[str, int]) -> list[UntrustedBlock]:
    """What is wrong with what the papers keep."""
    since = {claim.id: claim.since for claim in claims()}
    return [fault for entry in kept(root) for fault in entry.faults(now, since)]


def _tables(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _kept(root: Path, path: Path, name: str, claimed: Sequence[str], table: Mapping[str, Any]) -> Kept:
    file = path.relative_to(root).as_posix()
    return Kept(file, name, claimed, table.get("rule"), table.get("behaviour", ""))

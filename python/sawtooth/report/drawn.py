"""Pages that stand there as they would be drawn: to draw the figures of a stored paper takes several times as long as to judge it.

Of each page that was drawn a note is kept, in the store and not beside the page: the hash of all that the page is made of (numbers,
program, libraries) and those of the files that came of it. A page is left alone while both are as noted. What cannot be read or compared
is drawn.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from sawtooth.atomic import write_text_atomic
from sawtooth.program import program
from sawtooth.report.fingerprint import fingerprint

if TYPE_CHECKING:
    from sawtooth.report.write import PlannedPage


class DrawnPages:
    """The notes on drawn pages in a directory. With none, every page is drawn."""

    def __init__(self, directory: Path | None) -> None:
        self._directory = directory

    def has(self, page: PlannedPage) -> bool:
        """Whether the page and its figures stand there as they would be drawn."""
        if self._directory is None:
            return False
        try:
            noted = json.loads(self._note(page).read_text())
            same = noted["made_of"] == made_of(page)
            return same and all(hash_of(Path(name)) == hashed for name, hashed in noted["files"].items())
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            return False

    def put(self, page: PlannedPage, files: Sequence[Path]) -> None:
        """Notes a page that was drawn just now, if it can be noted."""
        if self._directory is None:
            return
        with contextlib.suppress(OSError, TypeError, AttributeError, RecursionError):
            noted = {
                "made_of": made_of(page),
                "files": {str(file.resolve()): hash_of(file) for file in files},
            }
            write_text_atomic(self._note(page), json.dumps(noted, indent=1))

    def _note(self, page: PlannedPage) -> Path:
        assert self._directory is not None, "there is a directory"
        return self._directory / f"{sha256(str(page.path.resolve()).encode()).hexdigest()[:32]}.json"


def made_of(page: PlannedPage) -> str:
    """The hash of all that a page is made of; how many of its runs were simulated just now, and how long that took, is not shown."""
    comparison = replace(page.comparison, executed=0, wall_s=0.0, report=None)
    return fingerprint((program(), comparison, str(page.path), page.up))


def hash_of(path: Path) -> str:
    """That of a file's bytes."""
    return sha256(path.read_bytes()).hexdigest()

"""Rules about a file as such: how large, how long, and whether it names one machine."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tools.tidy.tree import Finding, Tree, matches

BLOB_BYTES = 600_000
LINES = 600
# A home directory, a workplace, a drive; and the folder beside the repository that only some machines have.
MACHINE_PATH = re.compile(
    r"(?<![\w./])/(?:home|Users|root|work|mnt|media|workspace)/[\w.-]+|\b[A-Z]:\\\\?[A-Za-z]|\.\./shared\b"
)


def blobs(tree: Tree) -> Iterator[Finding]:
    """Files above the limit."""
    for path in tree.paths:
        size = (tree.root / path).stat().st_size
        if size > BLOB_BYTES:
            yield Finding(
                path,
                1,
                f"{size} bytes, limit {BLOB_BYTES}: generate it, shorten it, or keep it outside the repository",
            )


def length(tree: Tree) -> Iterator[Finding]:
    """Source files that are too long."""
    for path in tree.under("", ".rs", ".py", ".tcl"):
        lines = tree.text(path).count("\n")
        if lines > LINES:
            yield Finding(
                path, LINES, f"{lines} lines, limit {LINES}: find the seam and make two files of it"
            )


def machine_paths(tree: Tree) -> Iterator[Finding]:
    """Absolute paths of a machine, and paths out of the repository."""
    for path in tree.paths:
        if path.startswith(("tools/tidy/", "tests/test_tidy")) or path == "requirements.lock":
            continue
        for line, match in matches(MACHINE_PATH, tree.text(path)):
            yield Finding(
                path,
                line,
                f"`{match.group()}`: take the path as an argument, or one relative to the repository",
            )

"""Rules about a file as such: how large, how long, and whether it names one machine."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tools.tidy.tree import Finding, Tree, matches, nodes

BLOB_BYTES = 600_000
LINES = 600
FUNCTION_LINES = 60
_RUST_FUNCTION = re.compile(
    r"""^([ ]*)(?:pub(?:\([^)]*\))?[ ])?(?:(?:const|async|unsafe|extern[ ]"C")[ ])*fn[ ](\w+)""", re.MULTILINE
)
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


def functions(tree: Tree) -> Iterator[Finding]:
    """Functions that are too long; a docstring does not count."""
    for path in tree.under("", ".rs", ".py"):
        found = _rust_functions(tree.text(path)) if path.endswith(".rs") else _functions(tree.module(path))
        for name, line, lines in found:
            if lines > FUNCTION_LINES:
                yield Finding(
                    path,
                    line,
                    f"`{name}` has {lines} lines, limit {FUNCTION_LINES}: find the seam and make two functions of it",
                )


def _rust_functions(text: str) -> Iterator[tuple[str, int, int]]:
    """Name, first line and number of lines of each function, as rustfmt lays it out: its brace closes where `fn` is indented."""
    lines = text.split("\n")
    for match in _RUST_FUNCTION.finditer(text):
        first = text.count("\n", 0, match.start())
        for last in range(first, len(lines)):
            level = lines[last].startswith(match[1]) and not lines[last][len(match[1]) :].startswith(" ")
            if level and lines[last].endswith(("}", ";")):
                break
        yield match[2], first + 1, last - first + 1


def _functions(module: ast.Module) -> Iterator[tuple[str, int, int]]:
    """Name, first line and number of lines of each function, without its docstring."""
    for node in nodes(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            said = node.body[0] if ast.get_docstring(node) else None
            docstring = 0 if said is None else (said.end_lineno or said.lineno) - said.lineno + 1
            yield node.name, node.lineno, (node.end_lineno or node.lineno) - node.lineno + 1 - docstring


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

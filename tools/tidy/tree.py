"""The tree that rules look at: its files and their text, read once."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

_TEST_MODULE = re.compile(r"^#\[cfg\(test\)\]\s*(?:#\[[^\n]*\]\s*)*mod\s+\w+\s*\{", re.MULTILINE)
# Tables whose rows declare the modules they are about: `mod $file` in the macro, `file: …` at the beginning of a row.
_MACRO = re.compile(r"^macro_rules! (\w+) \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_MODULE_OF_ROW = re.compile(r"\bmod \$\w+;")
_ROW = re.compile(r"^[ \t]+(\w+):", re.MULTILINE)
_RUST_COMMENT = re.compile(r"//[^\n]*")


@dataclass(frozen=True)
class Finding:
    """A place (path relative to the root, line from 1) and what to do about it."""

    path: str
    line: int
    message: str


class Tree:
    """The files of a repository: those git knows or would add, or all of them where there is no git."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._texts: dict[str, str] = {}
        self._modules: dict[str, ast.Module] = {}

    @cached_property
    def paths(self) -> list[str]:
        """Paths relative to the root with forward slashes, sorted."""
        if (self.root / ".git").exists():
            listed = subprocess.run(
                ["git", "-C", str(self.root), "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
                check=True,
                capture_output=True,
                text=True,
            ).stdout.split("\0")
            return sorted(path for path in set(listed) if path and (self.root / path).is_file())
        return sorted(
            path.relative_to(self.root).as_posix() for path in self.root.rglob("*") if path.is_file()
        )

    def under(self, prefix: str, *suffixes: str) -> list[str]:
        """Paths that start with `prefix` and, if suffixes are given, end with one of them."""
        return [
            path
            for path in self.paths
            if path.startswith(prefix) and (not suffixes or path.endswith(suffixes))
        ]

    def text(self, path: str) -> str:
        """The text of a file; empty for a file that is absent or is not text."""
        if path not in self._texts:
            file = self.root / path
            try:
                self._texts[path] = file.read_text(encoding="utf-8") if file.is_file() else ""
            except UnicodeDecodeError:
                self._texts[path] = ""
        return self._texts[path]

    def module(self, path: str) -> ast.Module:
        """The syntax tree of a Python file; empty if it does not parse, which ruff and mypy report."""
        if path not in self._modules:
            try:
                self._modules[path] = ast.parse(self.text(path), path)
            except SyntaxError:
                self._modules[path] = ast.Module([], [])
        return self._modules[path]

    def rust_without_tests(self, path: str) -> str:
        """A Rust file up to its test module, which stands last by custom."""
        text = self.text(path)
        match = _TEST_MODULE.search(text)
        return text[: match.start()] if match else text

    def rust_tests(self, path: str) -> str:
        """The test module of a Rust file, or nothing."""
        return self.text(path)[len(self.rust_without_tests(path)) :]

    def declaring_macros(self, prefix: str) -> list[str]:
        """Names of the macros under `prefix` whose rows declare modules."""
        return [
            name
            for path in self.under(prefix, ".rs")
            for name, body in _MACRO.findall(self.text(path))
            if _MODULE_OF_ROW.search(body)
        ]

    @cached_property
    def tests(self) -> str:
        """All test code of the repository as one text."""
        parts = [self.text(path) for path in self.under("tests/", ".py")]
        for path in self.under("crates/", ".rs"):
            parts.append(self.text(path) if "/tests/" in path else self.rust_tests(path))
        return "\n".join(parts)


def declared_by_rows(text: str, macros: Iterable[str]) -> list[str]:
    """The modules that rows of these macros declare in a Rust file."""
    return [
        name
        for macro in macros
        for rows in re.findall(rf"^{macro}! \{{\n(.*?)^\}}", text, re.MULTILINE | re.DOTALL)
        for name in _ROW.findall(rows)
    ]


def without_rust_comments(text: str) -> str:
    """The text with `//` comments blanked, line numbers kept."""
    return _RUST_COMMENT.sub("", text)


@lru_cache(maxsize=4096)
def nodes(module: ast.Module) -> tuple[ast.AST, ...]:
    """Every node of a syntax tree; several rules look through the same trees, and walking takes longer than looking."""
    return tuple(ast.walk(module))


def matches(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, re.Match[str]]]:
    """Each match with the number of its line."""
    for match in pattern.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match


def line_of(text: str, part: str) -> int:
    """The line on which `part` first stands, 1 if it does not."""
    return text.count("\n", 0, max(0, text.find(part))) + 1

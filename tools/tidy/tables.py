"""Table entries: what is listed has a head with its source, a test that names it, and a reference.

The four tables of STYLE.md's kind: controllers and disciplines in Rust, environments and metrics in Python. A table is recognised by its
name; its rows carry `name` and `source` fields. Files that implement an entry but stand in no table are found as well. Controllers have a
table of laws, `controllers!`, whose rows name files, and each file has a table of the constructors that people write.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Final

from tools.tidy.citations import BARE_KEY, RFC
from tools.tidy.tree import Finding, Tree, declared_by_rows, line_of

# Rust tables: (name of the table, folder in which it is searched)
RUST_TABLES = (("CONSTRUCTORS", "crates/cc/src/"),)
# Rust tables made by a macro, a row per line that names the file: (name of the table, macro, file of the rows, folder of the files)
MACRO_TABLES = (
    ("DISCIPLINES", "disciplines", "crates/sim/src/queue.rs", "crates/sim/src/queue/"),
    ("RECOVERIES", "recoveries", "crates/sim/src/tcp/recovery.rs", "crates/sim/src/tcp/recovery/"),
)
MACRO_ROW = re.compile(r"^    \w+ \"([^\"]+)\" (\w+)::(\w+)\(", re.MULTILINE)
# Further tables made by a macro, of which a test must name each row: (name of the table, macro, file of the rows, a row's name)
NAMED_ROWS = (
    (
        "CONTROLLERS and RATE_CONTROLLERS",
        "controllers",
        "crates/cc/src/lib.rs",
        re.compile(r"\"([^\"]+)\" \d+ \w+"),
    ),
    (
        "SLOW_STARTS",
        "slow_starts",
        "crates/cc/src/slow_start.rs",
        re.compile(r"^    \w+: \"([^\"]+)\"", re.MULTILINE),
    ),
    (
        "SERIES",
        "series",
        "crates/sim/src/series.rs",
        re.compile(r"^    \w+ \"([^\"]+)\" \w+::", re.MULTILINE),
    ),
)
PAPERS = "python/sawtooth/papers/"
PYTHON_TABLES = (
    ("ENVIRONMENTS", "python/sawtooth/scenario/environments/"),
    ("METRICS", "python/sawtooth/measure/metrics/"),
)
# Implementations: (pattern of the impl, folder, table, traits' own file)
IMPLEMENTATIONS = (
    (
        re.compile(r"^impl (?:QueueDiscipline|ArrivalRule) for (\w+)", re.MULTILINE),
        "crates/sim/src/",
        "disciplines",
    ),
    (re.compile(r"^impl(?:<[^>]*>)? LossRecovery for (\w+)", re.MULTILINE), "crates/sim/src/", "recoveries"),
)
LAWS = "crates/cc/src/"
# What is generic is part of the frame: `impl<L: Law> Controller for Windowed<L>`. So is the guard of plug-ins, `Guest`.
LAW = re.compile(r"^impl (?:Law|Controller) for (?!Guest\b)|^pub const CONSTRUCTORS\b", re.MULTILINE)
SOURCE = re.compile(r"\bSources?:")
WORD = re.compile(r"[\w-]+")


def entries(tree: Tree) -> Iterator[Finding]:
    """Rows without test or source, and implementations that no table lists."""
    for table, folder in RUST_TABLES:
        yield from _rust_rows(tree, table, folder)
    for table, macro, path, folder in MACRO_TABLES:
        yield from _macro_rows(tree, table, macro, path, folder)
    for table, macro, path, row in NAMED_ROWS:
        yield from _named_rows(tree, table, macro, path, row)
    yield from _papers(tree)
    for pattern, folder, table in IMPLEMENTATIONS:
        yield from _implementations(tree, pattern, folder, table)
    yield from _laws(tree)
    for table, folder in PYTHON_TABLES:
        yield from _python_rows(tree, table, folder)


def _rust_rows(tree: Tree, table: str, folder: str) -> Iterator[Finding]:
    for path in tree.under(folder, ".rs"):
        text = tree.rust_without_tests(path)
        match = re.search(
            rf"\b(?:const|static) {table}\b[^=]*=\s*&?\[(.*?)^\];", text, re.MULTILINE | re.DOTALL
        )
        if not match:
            continue
        names = list(
            re.finditer(
                r"^    (?:    )?name: \"([^\"]+)\"|^    \w+ \{ name: \"([^\"]+)\"",
                match.group(1),
                re.MULTILINE,
            )
        )
        for index, found in enumerate(names):
            name = found.group(1) or found.group(2)
            row = match.group(1)[found.start() : names[index + 1].start() if index + 1 < len(names) else None]
            line = line_of(text, found.group().strip())
            if not named_in(name, tree.tests):
                yield Finding(path, line, f"{table} row `{name}` stands in no test: add one that names it")
            source = re.search(r"\bsource: \"([^\"]*)\"", row)
            if not source or not (BARE_KEY.search(source.group(1)) or RFC.search(source.group(1))):
                yield Finding(
                    path, line, f"{table} row `{name}` names no reference: give source with a key or an RFC"
                )


def _macro_rows(tree: Tree, table: str, macro: str, path: str, folder: str) -> Iterator[Finding]:
    text = tree.text(path)
    rows = re.search(rf"^{macro}! \{{\n(.*?)^\}}", text, re.MULTILINE | re.DOTALL)
    for name, module, _ in MACRO_ROW.findall(rows.group(1) if rows else ""):
        line = line_of(text, f'"{name}" {module}::')
        if not named_in(name, tree.tests):
            yield Finding(path, line, f"{table} row `{name}` stands in no test: add one that names it")
        file = f"{folder}{module}.rs"
        source = re.search(r"\bsource: \"([^\"]*)\"", tree.rust_without_tests(file))
        if not source or not (BARE_KEY.search(source.group(1)) or RFC.search(source.group(1))):
            yield Finding(
                file,
                1,
                f"{table} row `{name}` names no reference: give its description a source with a key or an RFC",
            )


def _named_rows(tree: Tree, table: str, macro: str, path: str, row: re.Pattern[str]) -> Iterator[Finding]:
    text = tree.text(path)
    rows = re.search(rf"^{macro}! \{{\n(.*?)^\}}", text, re.MULTILINE | re.DOTALL)
    for name in row.findall(rows.group(1) if rows else ""):
        if not named_in(name, tree.tests):
            line = line_of(text, f'"{name}"')
            yield Finding(path, line, f"{table} row `{name}` stands in no test: add one that names it")


def _papers(tree: Tree) -> Iterator[Finding]:
    """Folders of papers that the table of papers does not list."""
    table = tree.text(f"{PAPERS}__init__.py")
    for path in tree.under(PAPERS, "/__init__.py"):
        folder = PurePosixPath(path).parent.name
        if re.search(r"^PAPER\b", tree.text(path), re.MULTILINE) and f"{folder}.PAPER" not in table:
            yield Finding(
                path, 1, f"`{folder}` stands in no row of PAPERS: add its line, or remove the folder"
            )


def _implementations(tree: Tree, pattern: re.Pattern[str], folder: str, table: str) -> Iterator[Finding]:
    listing = "\n".join(
        tree.rust_without_tests(path)
        for path in tree.under(folder, ".rs")
        if re.search(rf"\b{table}\b", tree.text(path))
    )
    for path in tree.under(folder, ".rs"):
        text = tree.rust_without_tests(path)
        for name in pattern.findall(text):
            if name.startswith("Any") or name in ("Box", "T"):
                continue
            if not re.search(rf"\b{name}\b", listing):
                yield Finding(
                    path,
                    line_of(text, f"for {name}"),
                    f"`{name}` stands in no {table}: add its line, or remove the file",
                )
            yield from _source_and_tests(tree, path, name, folder)


GUESTS: Final = "plugin"
"""The controllers that come from plug-ins: no row, since their files are the users'."""


def _laws(tree: Tree) -> Iterator[Finding]:
    """Files of congestion controllers, with a window or a rate: a row of `controllers!`, a source, tests."""
    macros = tree.declaring_macros(LAWS)
    rows = {name for path in tree.under(LAWS, ".rs") for name in declared_by_rows(tree.text(path), macros)}
    for path in tree.under(LAWS, ".rs"):
        text = tree.rust_without_tests(path)
        found = LAW.search(text)
        if not found:
            continue
        law = PurePosixPath(path).stem
        if law == GUESTS:
            continue
        if law not in rows:
            advice = f"`{law}` stands in no row of `controllers!`: add its line, or remove the file"
            yield Finding(path, line_of(text, found.group()), advice)
        yield from _source_and_tests(tree, path, law, LAWS)


def _source_and_tests(tree: Tree, path: str, name: str, folder: str) -> Iterator[Finding]:
    if not SOURCE.search(tree.rust_without_tests(path)):
        advice = "name paper and section, parameters, deviations"
        yield Finding(path, 1, f"`{name}` has no `Source:` in the file's head: {advice}")
    in_crate = "".join(tree.text(test) for test in tree.under(f"{folder.removesuffix('src/')}tests/", ".rs"))
    if not tree.rust_tests(path) and PurePosixPath(path).stem not in in_crate and name not in in_crate:
        advice = "add a test module beside the code, computed from the formula"
        yield Finding(path, 1, f"`{name}` has no test: {advice}")


def _python_rows(tree: Tree, table: str, folder: str) -> Iterator[Finding]:
    listing = tree.text(f"{folder}__init__.py")
    if not listing:
        return
    if not re.search(rf"^{table}\b", listing, re.MULTILINE):
        yield Finding(
            f"{folder}__init__.py", 1, f"no table {table} here: list the entries explicitly, in a fixed order"
        )
    for path in tree.under(folder, ".py"):
        stem = PurePosixPath(path).stem
        text = tree.text(path)
        entries_here = _entry_names(tree.module(path))
        if stem == "__init__" or not entries_here:
            continue
        if not re.search(rf"\b{stem}\b", listing):
            yield Finding(
                path, 1, f"stands in no {table}: add its line to {folder}__init__.py, or remove the file"
            )
        if not SOURCE.search(ast.get_docstring(tree.module(path)) or ""):
            yield Finding(
                path, 1, "no `Source:` in the file's head: name paper and section, parameters, deviations"
            )
        for name in entries_here:
            if not named_in(name, tree.tests):
                yield Finding(
                    path,
                    line_of(text, f'"{name}"'),
                    f"{table} entry `{name}` stands in no test: add one that names it",
                )


def _entry_names(module: ast.Module) -> list[str]:
    """Names of the entries a file builds at its top level: calls with a literal `name=`."""
    names = []
    for statement in module.body:
        if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value:
            for node in ast.walk(statement.value):
                if isinstance(node, ast.Call):
                    for keyword in node.keywords:
                        if keyword.arg == "name" and isinstance(keyword.value, ast.Constant):
                            names.append(str(keyword.value.value))
    return names


def named_in(name: str, text: str) -> bool:
    """Whether a test names the entry: the word itself, hyphens and underscores alike."""
    wanted = name.replace("_", "-")
    if WORD.fullmatch(wanted):
        return wanted in _words(text)
    return bool(re.search(rf"(?<![\w-]){re.escape(wanted)}(?![\w-])", text.replace("_", "-")))


@lru_cache(maxsize=2)
def _words(text: str) -> frozenset[str]:
    """The words of a text, with hyphens for underscores, and those that regular expressions escape."""
    return frozenset(WORD.findall(text.replace(chr(92) + "-", "-").replace("_", "-")))


def heads(tree: Tree) -> Iterator[Finding]:
    """Source files without a head: the first lines that say what the file is."""
    for path in tree.under("crates/", ".rs"):
        if not tree.text(path).lstrip().startswith(("//!", "#!")):
            yield Finding(
                path, 1, "no head: begin with `//!` lines: what it is, its source, parameters, deviations"
            )
    for path in tree.under("", ".py"):
        if not ast.get_docstring(tree.module(path)):
            yield Finding(
                path, 1, "no head: begin with a docstring: what it is, its source, parameters, deviations"
            )

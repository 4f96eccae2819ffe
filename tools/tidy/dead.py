"""Files that nothing reads: modules no crate or package reaches, data no test or program names, pages no page leads to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from posixpath import normpath

from tools.tidy.layers import PACKAGE, imported, module_name, resolve
from tools.tidy.tree import Finding, Tree, declared_by_rows

MODULE = re.compile(r"(?:#\[path\s*=\s*\"([^\"]+)\"\]\s*)?(?:pub(?:\([^)]*\))?\s+)?\bmod\s+(\w+)\s*;")
ROOTS = ("sawtooth", "sawtooth.__main__", "sawtooth.cli")
DATA = (
    ".csv",
    ".json",
    ".toml",
    ".txt",
    ".golden",
    ".snap",
    ".trace",
    ".up",
    ".down",
    ".script",
    ".tcl",
    ".lines",
)
CODE = (".rs", ".py", ".toml", ".md", ".tcl", "Makefile")

CHECK = re.compile(r"^check = \"(\w+/)?(\w+)\.\w+\"", re.MULTILINE)
HANDED_IN = re.compile(r"\"(\w+(?:\.\w+)+)\"")
# A row of a macro's table declares the module of its file: `arrival "red" red::Red(RedSpec);`
MODULE_ROW = re.compile(r"^\s*\w+ \"[^\"]+\" (\w+)::\w+\(", re.MULTILINE)


def unread(tree: Tree) -> Iterator[Finding]:
    """Every kind of dead file."""
    yield from _rust(tree)
    yield from _python(tree)
    yield from _data(tree)
    yield from _pages(tree)


def _rust(tree: Tree) -> Iterator[Finding]:
    crates = sorted({"/".join(path.split("/")[:2]) for path in tree.under("crates/", "Cargo.toml")})
    macros = {crate: tree.declaring_macros(f"{crate}/src/") for crate in crates}
    of = {path: crate for crate in crates for path in tree.under(f"{crate}/", ".rs")}
    todo = [
        path
        for path, crate in of.items()
        if path in (f"{crate}/build.rs", f"{crate}/src/lib.rs", f"{crate}/src/main.rs")
        or re.fullmatch(rf"{crate}/(src/bin|tests|benches|examples)/(\w+|\w+/main)\.rs", path)
    ]
    reached = set(todo)
    while todo:
        path = todo.pop()
        for target in _modules(path, tree.text(path), macros[of[path]]):
            if target in of and target not in reached:
                reached.add(target)
                todo.append(target)
    for path in of:
        if path not in reached:
            yield Finding(path, 1, "no `mod` leads here: declare it, or remove the file")


def _modules(path: str, text: str, macros: list[str]) -> Iterator[str]:
    file = PurePosixPath(path)
    root = file.stem in ("lib", "main", "mod") or file.parent.name in ("tests", "benches", "examples", "bin")
    folder = file.parent if root else file.parent / file.stem
    by_rows = [("", name) for name in declared_by_rows(text, macros)]
    for explicit, name in MODULE.findall(text) + by_rows:
        if explicit:
            yield normpath(file.parent / explicit)
        else:
            yield (folder / f"{name}.rs").as_posix()
            yield (folder / name / "mod.rs").as_posix()
    for name in MODULE_ROW.findall(text):
        yield (folder / f"{name}.rs").as_posix()


def _python(tree: Tree) -> Iterator[Finding]:
    modules = {module_name(path): path for path in tree.under(PACKAGE, ".py")}
    todo = [root for root in (*ROOTS, *_checks(tree), *_handed_in(tree, modules)) if root in modules]
    reached = set(todo)
    while todo:
        name = todo.pop()
        path = modules[name]
        for target, _, _ in imported(tree.module(path), name, path.endswith("__init__.py")):
            found = resolve(target, modules)
            # Importing a.b.c runs a and a.b too.
            for module in [
                found,
                *(".".join(found.split(".")[:count]) for count in range(1, found.count(".") + 1)),
            ]:
                if module in modules and module not in reached:
                    reached.add(module)
                    todo.append(module)
    for name, path in modules.items():
        if name not in reached and ROOTS[2] in modules:
            yield Finding(
                path,
                1,
                "nothing in the package imports it: list it where its kind is listed, or remove the file",
            )


def _checks(tree: Tree) -> Iterator[str]:
    """Modules that a paper's claims name: `check = "section2.epochs"`, or `"akella2002/section2.epochs"` for one of another paper."""
    for path in tree.under(PACKAGE, "claims.toml"):
        package = module_name(path.replace("/claims.toml", "/__init__.py"))
        yield package
        for paper, module in CHECK.findall(tree.text(path)):
            home = f"{package.rsplit('.', 2)[0]}.{paper.removesuffix('/')}.claims" if paper else package
            yield f"{home}.{module}"


def _handed_in(tree: Tree, modules: dict[str, str]) -> Iterator[str]:
    """Modules that a `PAPER` names in words: `printed="akella2002.printed.tables"` is of `sawtooth.papers`."""
    for path in tree.under(f"{PACKAGE}papers/", "/__init__.py"):
        for name in HANDED_IN.findall(tree.text(path)):
            yield resolve(f"sawtooth.papers.{name}", modules)


def _data(tree: Tree) -> Iterator[Finding]:
    code = {path: tree.text(path) for path in tree.under("", *CODE)}
    for path in tree.paths:
        file = PurePosixPath(path)
        if (
            not path.startswith(("tests/", "python/", "crates/", "bench/", "tools/", "validation/"))
            or file.suffix not in DATA
        ):
            continue
        if (
            file.name in ("Cargo.toml", "py.typed")
            or "/proptest-regressions/" in path
            or file.suffix == ".proptest-regressions"
        ):
            continue
        stem = file.stem
        if (
            file.suffix == ".snap"
        ):  # `grids__flows_by_recovery@sack`: of `flows_by_recovery`, the golden of the row `sack`
            stem = stem.rpartition("__")[2].partition("@")[0]
        named = re.compile(rf"\b{re.escape(stem)}\b")
        folder = re.compile(rf"[\"'/]{re.escape(file.parent.name)}[\"'/]")
        # Few texts hold the words at all, and looking for words is far quicker than matching.
        if not any(
            (stem in text and named.search(text)) or (file.parent.name in text and folder.search(text))
            for other, text in code.items()
            if other != path
        ):
            yield Finding(
                path,
                1,
                f"no test or program names `{stem}` or its folder: read it in a test, or remove the file",
            )


def _pages(tree: Tree) -> Iterator[Finding]:
    doors = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")
    pages = tree.under("docs/", ".md")
    for path in pages:
        name = PurePosixPath(path).name
        if not any(name in tree.text(other) for other in (*doors, *pages) if other != path):
            yield Finding(
                path, 1, "no page leads here: link it from README.md or docs/README.md, or remove it"
            )

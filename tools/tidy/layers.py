"""Which part may use which: the map of ARCHITECTURE.md, checked.

Rust: by the dependencies in each crate's Cargo.toml and the crates its sources name. Python: by import statements, wherever in the file
they stand; plus no cycle among them, whether they run when a module loads, when a function is called, or are for types alone.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from enum import Enum, auto
from functools import lru_cache

from tools.tidy.tree import Finding, Tree, matches, nodes, without_rust_comments

PACKAGE = "python/sawtooth/"

# crate folder -> crates of ours that it may use
CRATES: dict[str, frozenset[str]] = {
    "cc": frozenset(),
    "sim": frozenset({"sawtooth_cc"}),
    "plugin": frozenset(),
    "host": frozenset({"sawtooth_cc", "sawtooth_plugin"}),
    "py": frozenset({"sawtooth_cc", "sawtooth_sim", "sawtooth_host"}),
}
ARROWS = "arrows point one way, cc -> sim -> py and plugin -> host -> py"
# A module named in a string is imported by name at run time.
DOTTED = re.compile(r"sawtooth(\.\w+)+")
OURS = re.compile(r"\bsawtooth_(?:cc|sim|plugin|host|py|bridge)\b")

# folder of sawtooth -> folders whose modules its own may import; what stands beside the folders (`errors`, `progress`) anyone may.
ROOMS: dict[str, frozenset[str]] = {
    "scenario": frozenset(),
    "plugins": frozenset({"scenario"}),
    "models": frozenset({"scenario"}),
    "measure": frozenset({"scenario", "models"}),
    "run": frozenset({"scenario", "plugins", "measure"}),
    "claims": frozenset({"experiment"}),
    "experiment": frozenset({"scenario", "models", "measure", "run", "claims"}),
    "papers": frozenset({"scenario", "models", "measure", "run", "experiment", "claims", "report"}),
    "report": frozenset({"scenario", "plugins", "models", "measure", "run", "experiment", "claims"}),
}
# What claims may know of experiments: values and their shapes, nothing that runs or plans them.
CLAIMS_KNOW = frozenset(
    f"sawtooth.experiment.{name}" for name in ("anytime", "intervals", "matrix", "scoring", "study")
)
# Papers are guests: outside their room nothing may import from the folder of one.
PAPERS = "sawtooth.papers"

# (part of sawtooth, what it must not import, what to do instead)
FORBIDDEN: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (
        "measure.metrics",
        ("sawtooth._native", "pathlib", "os", "io", "shutil"),
        "take columns: metrics see no files, so that they serve stored and fresh runs alike",
    ),
    (
        "scenario.environments",
        ("sawtooth.scenario.resolve", "sawtooth.scenario.scenario"),
        "return a plain schedule: an environment knows times and rates only",
    ),
    ("experiment.scoring", ("pathlib",), "take tables of numbers"),
    ("experiment.intervals", ("pathlib",), "take arrays of numbers"),
)
# What a report must not even reach through what it imports.
REPORT = "sawtooth.report"
RUNS = (
    "sawtooth.run.run",
    "sawtooth.run.alone",
    "sawtooth.run.runner",
    "sawtooth.run.api",
    "sawtooth.experiment.perform",
)
# Everything may be imported by the command line; nothing but its own files may import it.
TOP = "sawtooth.cli"


def imports(tree: Tree) -> Iterator[Finding]:
    """Upward and forbidden imports in both languages, and import cycles in Python."""
    yield from _crates(tree)
    modules = {module_name(path): path for path in tree.under(PACKAGE, ".py")}
    needed: dict[str, set[str]] = {}
    known: dict[str, set[str]] = {}
    guests = {module for module, path in modules.items() if _is_guest(tree, path)}
    for name, path in modules.items():
        found = list(imported(tree.module(path), name, path.endswith("__init__.py")))
        needed[name] = {resolve(target, modules) for target, _, use in found if use is Use.RUNS} - {name, ""}
        known[name] = {resolve(target, modules) for target, _, use in found if use is Use.TYPES} - {name, ""}
        for target, line, use in found:
            yield from (Finding(path, line, text) for text in _refused(name, target, use))
            if not within(name, PAPERS) and any(within(target, guest) for guest in guests):
                advice = "papers are guests; take what the paper hands in (`Paper`), or look it up in PAPERS"
                yield Finding(path, line, f"{name} imports {target}: {advice}")
    yield from _report_is_pure(needed, modules)
    for cycle in _cycles({name: needed[name] | known[name] for name in modules}):
        chain = " -> ".join(cycle)
        yield Finding(
            modules[cycle[0]],
            1,
            f"import cycle {chain}: move what both need into a module of its own, or say in a Protocol what the lower one sees",
        )


def _is_guest(tree: Tree, path: str) -> bool:
    """Whether a file is the head of the folder of one paper."""
    return (
        path.startswith("python/sawtooth/papers/")
        and path.endswith("/__init__.py")
        and re.search(r"^PAPER\b", tree.text(path), re.MULTILINE) is not None
    )


def _refused(name: str, target: str, use: Use) -> Iterator[str]:
    """What speaks against an import of one module by another, wherever in the file it stands."""
    part = name.removeprefix("sawtooth.")
    for owner, banned, instead in FORBIDDEN:
        if within(part, owner) and any(within(target, ban) for ban in banned):
            yield f"{owner} imports {target}: {instead}"
    room, wanted = part.split(".")[0], target.removeprefix("sawtooth.").split(".")[0]
    if within(target, TOP) and room not in ("cli", "__main__"):
        yield f"{name} imports {target}: move what is shared below the command line"
    elif room in ROOMS and wanted in ROOMS and wanted != room and use is Use.RUNS:
        if wanted not in ROOMS[room]:
            allowed = ", ".join(sorted(ROOMS[room])) or "nothing beside it"
            yield f"{room} imports {target}: it may use {allowed}; hand the value in, or move what both need down"
        if (
            room == "claims"
            and wanted == "experiment"
            and not any(within(target, known) for known in CLAIMS_KNOW)
        ):
            yield f"claims imports {target}: claims judge values and know no plans or runs"


def _report_is_pure(needed: dict[str, set[str]], modules: dict[str, str]) -> Iterator[Finding]:
    """Modules of the report from which something that simulates can be reached."""
    for name, path in modules.items():
        if not within(name, REPORT):
            continue
        seen, rest = {name}, [name]
        while rest:
            for target in needed.get(rest.pop(), set()) - seen:
                seen.add(target)
                rest.append(target)
        for found in sorted(seen.intersection(RUNS)):
            yield Finding(
                path,
                1,
                f"{name} reaches {found} through what it imports: a report never runs anything, so that a plot can be restyled "
                "without a run",
            )


def within(name: str, package: str) -> bool:
    """Whether a dotted name is the package or in it."""
    return name == package or name.startswith(f"{package}.")


def _crates(tree: Tree) -> Iterator[Finding]:
    for crate, allowed in CRATES.items():
        manifest = f"crates/{crate}/Cargo.toml"
        for key in tomllib.loads(tree.text(manifest)).get("dependencies", {}):
            name = key.replace("-", "_")
            if OURS.fullmatch(name) and name not in allowed:
                yield Finding(
                    manifest,
                    1,
                    f"{crate} depends on {key}: {ARROWS}; hand the data down",
                )
        for path in tree.under(f"crates/{crate}/src/", ".rs"):
            for line, match in matches(OURS, without_rust_comments(tree.text(path))):
                if match.group() not in allowed | {f"sawtooth_{crate}"}:
                    yield Finding(path, line, f"`{match.group()}` in {crate}: {ARROWS}")


def module_name(path: str) -> str:
    """`python/sawtooth/a/__init__.py` -> `sawtooth.a`."""
    return path.removeprefix("python/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")


class Use(Enum):
    """What a module does with another."""

    RUNS = auto()
    """It imports it, when it loads or when a function is called."""
    TYPES = auto()
    """It imports it for types alone."""
    NAMES = auto()
    """It names it in a string."""


@lru_cache(maxsize=4096)
def imported(module: ast.Module, name: str, is_package: bool) -> tuple[tuple[str, int, Use], ...]:
    """(dotted target, line, use) for each import of a module; `from a import b` gives `a.b`. Several rules ask for the same module."""
    return tuple(_imported(module, name, is_package))


def _imported(module: ast.Module, name: str, is_package: bool) -> Iterator[tuple[str, int, Use]]:
    for_types = set(map(id, _for_types(module)))
    for node in nodes(module):
        if isinstance(node, ast.Import):
            for item in node.names:
                yield item.name, node.lineno, Use.TYPES if id(node) in for_types else Use.RUNS
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = name.split(".")
                keep = len(parts) - node.level + (1 if is_package else 0)
                base = ".".join([*parts[:keep], *([node.module] if node.module else [])])
            for item in node.names:
                yield f"{base}.{item.name}", node.lineno, Use.TYPES if id(node) in for_types else Use.RUNS
        elif isinstance(node, ast.Constant) and DOTTED.fullmatch(str(node.value)):
            yield str(node.value), node.lineno, Use.NAMES


def _for_types(module: ast.Module) -> Iterator[ast.AST]:
    """What stands under `if TYPE_CHECKING:`."""
    for node in nodes(module):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            for statement in node.body:
                yield from ast.walk(statement)


def resolve(target: str, modules: dict[str, str]) -> str:
    """The module of ours that an import target lies in: itself, or what it is a name of; empty if none."""
    while target and target not in modules:
        target = target.rpartition(".")[0]
    return target


def _cycles(graph: dict[str, set[str]]) -> Iterator[list[str]]:
    done: set[str] = set()

    def walk(name: str, trail: list[str]) -> Iterator[list[str]]:
        if name in trail:
            yield [*trail[trail.index(name) :], name]
            return
        if name in done:
            return
        for target in sorted(graph.get(name, ())):
            # A package's __init__ imports its own files, and they may name the package's other files: that is one unit.
            if not (name.startswith(f"{target}.") or target.startswith(f"{name}.")):
                yield from walk(target, [*trail, name])
        done.add(name)

    for start in sorted(graph):
        yield from walk(start, [])

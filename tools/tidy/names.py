"""Banned names, each with its replacement and the reason; and names of classes, of which each has one meaning.

The patterns are matched against code: `//` comments are blanked in Rust, and Python is read through its own parser, so a comment may
name what it replaces. A name counts where it stands: `units.rs` may call `powf`, because it is the pinned implementation.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from tools.tidy.tree import Finding, Tree, matches, nodes, without_rust_comments

ENGINE = ("crates/cc/src/", "crates/sim/src/")


@dataclass(frozen=True)
class Banned:
    """A pattern in Rust code under the given folders; `exempt` files may use it, and so may test modules where `tests` is false."""

    pattern: str
    instead: str
    where: tuple[str, ...] = ("crates/",)
    exempt: tuple[str, ...] = ()
    tests: bool = True


RUST_NAMES: tuple[Banned, ...] = (
    Banned(r"\bHash(Map|Set)\b", "use BTreeMap, BTreeSet or IndexMap: hash order is a hidden random input"),
    Banned(
        r"\bInstant::now\b|\bSystemTime\b", "take the `now` argument: the engine has no clock", where=ENGINE
    ),
    Banned(
        r"\bthread_rng\b|\brand::rng\b|\b(StdRng|SmallRng|OsRng)\b|\bfrom_(entropy|os_rng)\b",
        "draw from the component's own stream (ChaCha, derived from seed and name)",
    ),
    Banned(
        r"\.(powf|powi|cbrt|exp|exp2|exp_m1|ln|ln_1p|log|log2|log10|sin|cos|tan|atan|atan2|sinh|cosh|tanh)\(",
        "call the pinned implementation in `units`: the standard library's differs between platforms",
        where=ENGINE,
        exempt=("crates/cc/src/units.rs",),
        tests=False,
    ),
    Banned(r"\bdebug_assert", "use assert!: a wrong figure costs more than a stopped run", where=ENGINE),
    Banned(
        r"\bstatic\s+mut\b|\bthread_local!|\blazy_static!|\b(OnceLock|LazyLock|OnceCell)\b",
        "let `Network` own it: no global state, or runs in one process would meet",
        where=ENGINE,
    ),
    Banned(
        r"\bstd::(fs|env|net|process|thread|time)\b|\brayon::",
        "leave it to crates/py or Python: `sim` and `cc` know no clock, thread, file or environment variable",
        where=ENGINE,
        tests=False,
    ),
    Banned(
        r"\b(e?println|e?print|dbg)!",
        "record a column, or return an error: a library prints nothing",
        where=(*ENGINE, "crates/py/src/"),
        tests=False,
    ),
    Banned(r"\b(todo|unimplemented)!", "build it, or refuse it at the door with a typed error"),
    Banned(r"#\[ignore\]", 'say why, #[ignore = "…"], or let it run: a skipped test proves nothing'),
)

UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")

# Calls in Python, by dotted name. A trailing dot bans everything below.
PYTHON_NAMES: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (
        "random.",
        ("python/",),
        "draw from the engine's named stream: sawtooth._native.uniforms(seed, stream, count)",
    ),
    (
        "numpy.random.",
        ("python/",),
        "make your own numpy.random.Generator or RandomState from a seed: the global one is shared",
    ),
    ("hash", ("python/",), "use hashlib: the built-in is salted anew in each process"),
    ("eval", ("python/",), "parse it (tomllib, json, ast.literal_eval): data must not be able to run"),
    ("exec", ("python/",), "parse it: data must not be able to run"),
    (
        "pickle.",
        ("python/",),
        "store columns (Parquet) or JSON: a pickle is bound to one version of the code",
    ),
    (
        "pytest.mark.xfail",
        ("tests/",),
        "assert the known-wrong result as it is, with a note: it is then noticed when it changes",
    ),
    (
        "pytest.mark.skip",
        ("tests/",),
        "assert what holds, or use skipif with the condition: a skipped test proves nothing",
    ),
)
PYTHON_ROOTS = frozenset(pattern.partition(".")[0] for pattern, _, _ in PYTHON_NAMES)
PYTHON_ALLOWED = tuple(
    f"numpy.random.{name}" for name in ("Generator", "PCG64", "Philox", "RandomState", "SeedSequence")
)


def banned(tree: Tree) -> Iterator[Finding]:
    """Banned names in Rust and Python, and markers of unfinished work in both."""
    for path in tree.under("crates/", ".rs"):
        for name in RUST_NAMES:
            if not path.startswith(name.where) or path in name.exempt:
                continue
            text = tree.text(path) if name.tests else tree.rust_without_tests(path)
            for line, match in matches(re.compile(name.pattern), without_rust_comments(text)):
                yield Finding(path, line, f"`{match.group().strip()}`: {name.instead}")
    for path in tree.under("", ".py"):
        yield from _python(tree, path)
    for path in tree.under("", ".rs", ".py", ".toml", ".md"):
        for line, match in matches(UNFINISHED, tree.text(path)):
            yield Finding(
                path, line, f"`{match.group()}`: do it now, or open an issue and say what holds today"
            )


def _python(tree: Tree, path: str) -> Iterator[Finding]:
    module = tree.module(path)
    aliases = _aliases(module)
    seen: set[tuple[int, str]] = set()
    for node in nodes(module):
        if not isinstance(node, (ast.Attribute, ast.Name)):
            continue
        name = _dotted(node, aliases)
        if name.partition(".")[0] not in PYTHON_ROOTS:
            continue
        for pattern, where, instead in PYTHON_NAMES:
            hit = name.startswith(pattern) if pattern.endswith(".") else name == pattern
            if (
                hit
                and path.startswith(where)
                and name not in PYTHON_ALLOWED
                and (node.lineno, pattern) not in seen
            ):
                seen.add((node.lineno, pattern))
                yield Finding(path, node.lineno, f"`{name}`: {instead}")


def _aliases(module: ast.Module) -> dict[str, str]:
    names: dict[str, str] = {}
    for node in nodes(module):
        if isinstance(node, ast.Import):
            for item in node.names:
                names[item.asname or item.name.split(".")[0]] = (
                    item.name if item.asname else item.name.split(".")[0]
                )
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for item in node.names:
                names[item.asname or item.name] = f"{node.module}.{item.name}"
    return names


def _dotted(node: ast.expr, aliases: dict[str, str]) -> str:
    if isinstance(node, ast.Attribute):
        owner = _dotted(node.value, aliases)
        return f"{owner}.{node.attr}" if owner else ""
    return aliases.get(node.id, node.id) if isinstance(node, ast.Name) else ""


def meanings(tree: Tree) -> Iterator[Finding]:
    """Public classes of the package that share a name."""
    homes: dict[str, str] = {}
    for path in tree.under("python/sawtooth/", ".py"):
        for node in tree.module(path).body:
            if not isinstance(node, ast.ClassDef) or node.name.startswith("_"):
                continue
            home = homes.setdefault(node.name, path)
            if home != path:
                yield Finding(
                    path, node.lineno, f"class `{node.name}` is another one in {home}: say which one it is"
                )

"""Studies: each has a row in studies/README.md, and expected values with the page they came from."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import PurePosixPath

from tools.tidy.tree import Finding, Tree, line_of

INDEX = "studies/README.md"
EXPECTED = re.compile(r"expect|publish", re.IGNORECASE)


def rows(tree: Tree) -> Iterator[Finding]:
    """Studies without a row or without expected values, and rows without a study."""
    index = tree.text(INDEX)
    studies = tree.under("studies/", ".toml")
    for path in studies:
        name = PurePosixPath(path).stem
        if not re.search(rf"\b{re.escape(name)}(?:\.toml)?\b", index):
            yield Finding(
                path,
                1,
                f"no row in {INDEX}: add paper, figure, command, run time, expected picture and verdict",
            )
        data = tomllib.loads(tree.text(path))
        if not any(EXPECTED.search(key) and value not in ({}, [], "") for key, value in _keys(data)):
            yield Finding(
                path,
                1,
                "no expected values: give the printed numbers, or the table that holds them, under `published`",
            )
    for name in re.findall(r"\b([\w-]+)\.toml\b", index):
        if f"studies/{name}.toml" not in studies:
            yield Finding(
                INDEX,
                line_of(index, f"{name}.toml"),
                f"{name}.toml does not exist: mend the name or remove the row",
            )


def _keys(value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield str(key), inner
            yield from _keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _keys(inner)

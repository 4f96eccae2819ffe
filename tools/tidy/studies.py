"""Studies: each has a row in docs/reproductions.md, and the printed values with the place they stand, or what is left of them.

A file that names a `figure`, a `table` or a `section` is a study. Others hold what several share: some file must
extend them, or the code name them.
"""

from __future__ import annotations

import posixpath
import re
import tomllib
from collections.abc import Iterator
from pathlib import PurePosixPath

from tools.tidy.tree import Finding, Tree, line_of

INDEX = "docs/reproductions.md"
PAPERS = "python/sawtooth/papers/"


def rows(tree: Tree) -> Iterator[Finding]:
    """Studies without a row or without expected values, rows without a study, shared files that nothing shares."""
    index = tree.text(INDEX)
    files = [path for path in tree.under(PAPERS, ".toml") if PurePosixPath(path).parent.name == "studies"]
    studies = {path: tomllib.loads(tree.text(path)) for path in files}
    extended = {
        posixpath.normpath(posixpath.join(posixpath.dirname(path), str(data["extends"])))
        for path, data in studies.items()
        if "extends" in data
    }
    code = "\n".join(tree.text(path) for path in tree.under("python/", ".py"))
    for path, data in studies.items():
        file = PurePosixPath(path).name
        if not {"figure", "table", "section"} & data.keys():
            if path not in extended and f'"{file}"' not in code:
                yield Finding(
                    path, 1, "names no figure and nothing extends it: name its figure, or remove the file"
                )
            continue
        link = posixpath.relpath(path, posixpath.dirname(INDEX))
        if f"({link})" not in index:
            yield Finding(
                path,
                1,
                f"no row in {INDEX}: add paper, figure, command, run time, expected picture and verdict",
            )
        expected = data.get("expected", {})
        if not expected.get("source") or not {"values", "file", "lost"} & expected.keys():
            yield Finding(
                path,
                1,
                "no expected values: give the printed numbers and their source under [expected], the file that has them, or what is lost",
            )
    for link in sorted(set(re.findall(r"\]\(([^)]*/studies/[\w-]+\.toml)\)", index))):
        if posixpath.normpath(posixpath.join(posixpath.dirname(INDEX), link)) not in files:
            yield Finding(
                INDEX, line_of(index, link), f"{link} does not exist: mend the name or remove the row"
            )

"""Studies: each has a row in studies/README.md, and the printed values with the place they stand, or what is left of them.

A file that names a `figure`, a `table` or a `section` is a study. Others hold what several share: some file must
extend them, or the code name them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import PurePosixPath

from tools.tidy.tree import Finding, Tree, line_of

INDEX = "studies/README.md"


def rows(tree: Tree) -> Iterator[Finding]:
    """Studies without a row or without expected values, rows without a study, shared files that nothing shares."""
    index = tree.text(INDEX)
    files = tree.under("studies/", ".toml")
    studies = {path: tomllib.loads(tree.text(path)) for path in files}
    extended = {str(data.get("extends")) for data in studies.values()}
    code = "\n".join(tree.text(path) for path in tree.under("python/", ".py"))
    for path, data in studies.items():
        file = PurePosixPath(path).name
        if not {"figure", "table", "section"} & data.keys():
            if file not in extended and f'"{file}"' not in code:
                yield Finding(
                    path, 1, "names no figure and nothing extends it: name its figure, or remove the file"
                )
            continue
        name = str(data.get("name", file.removesuffix(".toml")))
        if not re.search(rf"(?<![\w/-]){re.escape(name)}(?![\w/-])", index) and file not in index:
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
    for name in sorted(set(re.findall(r"\b([\w-]+)\.toml\b", index))):
        if f"studies/{name}.toml" not in files:
            yield Finding(
                INDEX,
                line_of(index, f"{name}.toml"),
                f"{name}.toml does not exist: mend the name or remove the row",
            )

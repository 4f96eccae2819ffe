"""Citations: `[Key99]` and `RFC nnnn` lead to docs/references.toml.

A key is capitalised names and a two-digit year in square brackets. RFCs are written `RFC 6298 §5.5`, one way, so that a search finds
every place that rests on a section.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterator

from tools.tidy.tree import Finding, Tree, matches

REFERENCES = "docs/references.toml"
CITING = (".rs", ".py", ".md", ".toml")
KEY = re.compile(r"(?<![\w\])`])\[((?:[A-Z][a-z]+)+\d{2}[a-z]?)\](?![\[(:])")
RFC = re.compile(r"\bRFC (\d{2,5})\b")
RFC_MISSPELT = re.compile(r"\bRFC[-_]?\d{3,5}\b|\b(?:rfc|Rfc)[ -]\d{3,5}\b")
# `source: "Key99 §2; RFC 6298 §5"` in a table row: the parts between semicolons start with a key or an RFC, brackets may be left out.
SOURCE = re.compile(r"\bsource\s*[:=]\s*\"([^\"]+)\"")
BARE_KEY = re.compile(r"\b((?:[A-Z][a-z]+)+\d{2})\b")
FIELDS = ("title", "authors", "in", "year")


def keys(tree: Tree) -> Iterator[Finding]:
    """Keys and RFC numbers that are not in the bibliography, and entries of it that lack a field."""
    bibliography = tomllib.loads(tree.text(REFERENCES))
    rfcs = bibliography.pop("rfc", {})
    for key, entry in bibliography.items():
        lacking = [field for field in FIELDS if field not in entry]
        if lacking:
            yield Finding(REFERENCES, 1, f"[{key}] lacks {', '.join(lacking)}: give the full reference")
    for path in tree.under("", *CITING):
        if path == REFERENCES or path.startswith(("tools/tidy/", "tests/test_tidy")):
            continue
        text = tree.text(path)
        cited = [(line, match.group(1)) for line, match in matches(KEY, text)]
        for line, match in matches(SOURCE, text):
            cited += [(line, key) for key in BARE_KEY.findall(match.group(1))]
        for line, key in sorted(set(cited)):
            if key not in bibliography and not (path.endswith(".toml") and f"\n[{key}]" in text):
                near = difflib.get_close_matches(key, bibliography, 1, 0.4)
                hint = f" (is it [{near[0]}]?)" if near else ""
                yield Finding(
                    path, line, f"[{key}] is not in {REFERENCES}: add the reference or mend the key{hint}"
                )
        for line, match in matches(RFC, text):
            if match.group(1) not in rfcs:
                yield Finding(
                    path,
                    line,
                    f"RFC {match.group(1)} is not in {REFERENCES}: add its title, or mend the number",
                )
        for line, match in matches(RFC_MISSPELT, text):
            number = re.sub(r"\D", "", match.group())
            yield Finding(
                path, line, f"`{match.group()}`: write RFC {number} with a space, so that a search finds it"
            )

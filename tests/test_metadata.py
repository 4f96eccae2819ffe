"""What the files at the root say of the project agrees with Cargo.toml."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# What CFF 1.2.0 demands of every file.
REQUIRED = {"cff-version", "message", "title", "authors"}


def fields(text: str) -> dict[str, str]:
    """The top-level keys of a simple YAML mapping with the text behind each; AssertionError where a line is neither key nor content."""
    found: dict[str, str] = {}
    key = ""
    for line in text.splitlines():
        if match := re.fullmatch(r"([a-z-]+):(?: (.*))?", line):
            key = match[1]
            assert key not in found, f"{key} is there twice"
            found[key] = match[2] or ""
        else:
            assert line.startswith("  "), f"neither a key nor content of one: {line!r}"
            found[key] += "\n" + line
    return found


def test_the_citation_says_what_cargo_says() -> None:
    cited = fields((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    package = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]
    assert cited.keys() >= REQUIRED
    assert cited["cff-version"] == "1.2.0"
    assert cited["version"] == package["version"]
    assert re.findall(r"- (\S+)", cited["license"]) == package["license"].split(" OR ")

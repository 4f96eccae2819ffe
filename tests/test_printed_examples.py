"""Every command that README and docs print is one that the command line takes, and every name that their Python uses is there.

What the commands do is tried elsewhere: the guide of docs/studies.md and the notebook are followed to the letter, and the examples of
docs/clusters.md are run.
"""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.stock import ROOT
from typer.main import get_command

import sawtooth as st
from sawtooth.cli import SEARCH, application
from sawtooth.papers import PAPERS

PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAMES = {"py": "python", "python3": "python", "pycon": "python", "bash": "sh", "shell": "sh", "console": "sh"}
"""Other names of a language."""
OWN = "--plugin"
"""The option that loads a file of the reader's own."""


def blocks(page: Path, language: str) -> list[str]:
    return [
        text
        for found, text in FENCE.findall(page.read_text(encoding="utf-8"))
        if NAMES.get(found, found) == language
    ]


def commands(page: Path) -> list[str]:
    """The lines that call sawtooth, continued ones joined, with something in the place of variables and choices."""
    lines = [line for text in blocks(page, "sh") for line in text.replace("\\\n", " ").splitlines()]
    return [line.strip() for line in lines if re.match(r"\s*sawtooth\s", line)]


def printed() -> list[tuple[str, str]]:
    return list(dict.fromkeys((page.name, line) for page in PAGES for line in commands(page)))


def words_of(line: str) -> list[str]:
    """The words of a command, up to a comment, a pipe, a redirection or another command."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
    lexer.whitespace_split = True
    lexer.commenters = "#"
    words: list[str] = []
    for word in lexer:
        if set(word) <= set("|&;<>"):
            break
        words.append(word)
    return words[1:]


@pytest.mark.parametrize(("page", "line"), printed(), ids=lambda value: str(value)[:60])
def test_a_printed_command_is_taken(page: str, line: str) -> None:
    words = words_of(line)
    known = get_command(application()).commands  # type: ignore[attr-defined]
    name, *rest = [SEARCH, *words[2:]] if words[:2] == SEARCH.split() else words
    if name.startswith("-"):
        return
    found = known[name]
    while hasattr(found, "commands"):
        name, *rest = rest
        found = found.commands[name]
    while OWN in rest:
        place = rest.index(OWN)
        rest = rest[:place] + rest[place + 2 :]
    found.make_context(name, rest, resilient_parsing=False)


def test_commands_were_found() -> None:
    assert len(printed()) > 60
    assert {"README.md", "clusters.md", "studies.md"} <= {page for page, _ in printed()}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_printed_python_uses_what_is_there(page: Path) -> None:
    for text in blocks(page, "python"):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "st":
                assert node.attr in st.__all__, f"st.{node.attr}"


def leaves(node: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every command that does something, with its name."""
    if not hasattr(node, "commands"):
        yield path, node
    for name, inner in getattr(node, "commands", {}).items():
        yield from leaves(inner, f"{path} {name}".strip())


def test_the_pages_say_which_commands_take_json() -> None:
    without = [
        name
        for name, node in leaves(get_command(application()))
        if not any("--json" in each.opts for each in node.params)
    ]
    assert without == ["completion"]
    for page in ("README.md", "docs/results.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        assert re.search(r"[Ee]very (?:command|one) but `completion`[^.]*`--json`", text), page


def test_the_readme_names_every_paper_and_how_to_reproduce_it() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    papers = [paper for paper in PAPERS.values() if paper.parts and paper.claims]
    numbers = {3: "three", 4: "four", 5: "five"}
    assert f"reproduce {numbers[len(papers)]} papers" in text
    for paper in papers:
        assert f"\nsawtooth reproduce {paper.name}\n" in text, paper.name
        assert f"({paper.name[-4:]})" in text, paper.name


def test_the_readme_says_who_makes_the_wheel() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    before = text.partition("\npip install ")[0].rpartition("\n\n")[0].rpartition("\n\n")[2]
    assert "Somebody with a clone builds it: `make wheel`" in before

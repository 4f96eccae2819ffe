"""What the pages say is true: examples run, commands parse, links lead somewhere, names in ARCHITECTURE.md exist.

A fenced block is an example: `toml` with a `[bottleneck]` is a scenario, `sh` holds commands, `python` a program.
Commands that take long or name something of the reader's own are parsed with all their options; the rest are run, in a directory that
holds `examples/`.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer.main
from tests.command_line import clean_environment, command_line
from tests.test_gallery import QUICK
from tests.test_printed_examples import NAMES, words_of
from tests.test_printed_examples import PAGES as PRINTED
from tests.test_printed_runs import shortened
from tools.gallery import ENTRIES, command
from typer.core import TyperGroup

from sawtooth.cli import SEARCH, application
from sawtooth.plugins.project import new_project
from sawtooth.scenario.resolve import resolve
from sawtooth.scenario.scenario import load_scenario, parse_scenario

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "studies" / "README.md"],
    key=lambda page: page.relative_to(ROOT).as_posix(),
)
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
RUN = ("run", "list", "environment", "doctor", "schema", "store")
OF_THE_GALLERY = {command(name) for name in ENTRIES if name not in QUICK}
"""One command with another controller in it: tests/test_gallery.py reads all of them, `make test-long` runs all."""
DRAWN = re.compile(r"sawtooth run examples/.* --plot")
"""A scenario and its figure: README.md has one, tests/test_run_figure.py draws each kind. `make test-long` runs all."""
LONG_PROGRAMS = re.compile(r"st\.cluster\(|load_plugin")
"""What starts workers, or compiles a controller: tests/test_cluster.py and tests/test_plugins.py try both each time."""
PLACEHOLDER = re.compile(
    r"\bmy-|\b[A-Z]{3,}\b|stacks/target/"
)  # my-own.trace, RUNID: the reader's own; what `make stacks` builds


def blocks(language: str) -> Iterator[tuple[str, str]]:
    """(page, text) of the fenced blocks in a language."""
    for page in PAGES:
        for name, text in FENCE.findall(page.read_text(encoding="utf-8")):
            if NAMES.get(name, name) == language:
                yield page.relative_to(ROOT).as_posix(), text


def anchors(page: Path) -> set[str]:
    """What links into a page may name: its headings in lower case, spaces as hyphens, without other marks."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in HEADING.findall(text)}


def commands() -> dict[str, list[str]]:
    """Every `sawtooth …` line in the pages and in the heads of the examples, with the pages that it stands on."""
    found = [
        (page, line.strip()) for page, text in blocks("sh") for line in text.replace("\\\n", " ").splitlines()
    ]
    for example in sorted((ROOT / "examples").glob("*.toml")):
        lines = example.read_text(encoding="utf-8").splitlines()
        found += [
            (f"examples/{example.name}", line.removeprefix("#").strip())
            for line in lines
            if line.startswith("#  ")
        ]
    pages: dict[str, list[str]] = {}
    for page, line in found:
        if line.startswith("sawtooth "):
            pages.setdefault(line.partition(" #")[0].rstrip(), []).append(page)
    return pages


def waits(line: str, pages: list[str]) -> bool:
    """Whether a command is one for `make test-long`."""
    return line in OF_THE_GALLERY or (DRAWN.match(line) is not None and "README.md" not in pages)


def runs_in_a_stock_installation(line: str, pages: list[str]) -> bool:
    """Whether tests/test_printed_runs.py runs it to the letter, so that it is left out here."""
    printed = any(ROOT / page in PRINTED for page in pages)
    return waits(line, pages) and printed and shortened(words_of(line)) == words_of(line)


@pytest.fixture
def workplace(tmp_path: Path) -> Path:
    """A directory with the examples in it, as a reader of the pages would have."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    return tmp_path


def with_project(text: str, where: Path) -> None:
    """The controller that docs/plugins.md begins with, where a text loads it."""
    if "mine/libmine.so" in text:
        new_project("mine", "c", where / "mine")
        subprocess.run(["make", "-C", "mine"], cwd=where, capture_output=True, check=True)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    links = [link for link in LINK.findall(page.read_text(encoding="utf-8")) if "://" not in link[0]]
    assert [path for path, _ in links if not (page.parent / path).exists()] == []
    headed = [(page.parent / path if path else page, anchor) for path, anchor in links if anchor]
    assert [anchor for target, anchor in headed if anchor not in anchors(target)] == []


@pytest.mark.parametrize(("page", "text"), [(p, t) for p, t in blocks("toml") if "[bottleneck]" in t])
def test_scenarios_on_pages_are_accepted(page: str, text: str) -> None:
    assert resolve(parse_scenario(text, page)).engine["flows"]


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.toml")), ids=lambda path: path.name)
def test_examples_are_accepted(example: Path) -> None:
    assert resolve(load_scenario(example)).engine["flows"]


@pytest.mark.parametrize(
    ("line", "pages"),
    [
        pytest.param(line, pages, marks=[pytest.mark.long] if waits(line, pages) else [], id=line)
        for line, pages in commands().items()
        if not runs_in_a_stock_installation(line, pages)
    ],
)
def test_commands_on_pages_work(line: str, pages: list[str], workplace: Path) -> None:
    name, *arguments = shlex.split(line)[1:]
    group = typer.main.get_command(application())
    assert isinstance(group, TyperGroup)
    if [name, *arguments[:1]] == SEARCH.split():  # a command of two words, and of hundreds of runs
        name, arguments = SEARCH, arguments[1:]
    assert name in group.commands, f"{pages}: no command {name}"
    if name not in RUN or PLACEHOLDER.search(line):
        while "--plugin" in arguments:  # which would load it into this process
            at = arguments.index("--plugin")
            del arguments[at : at + 2]
        group.commands[name].make_context(name, arguments)
        return
    with_project(line, workplace)
    done = command_line([name, *arguments], workplace, clean_environment(), timeout=300)
    assert done.code == 0, f"{pages}: {line}\n{done.err}"
    assert done.out


@pytest.mark.parametrize(
    ("page", "program"),
    [
        pytest.param(page, text, marks=[pytest.mark.long] if LONG_PROGRAMS.search(text) else [])
        for page, text in blocks("python")
    ],
)
def test_programs_on_pages_run(page: str, program: str, workplace: Path) -> None:
    with_project(program, workplace)
    file = workplace / "printed_program.py"  # a controller is known by the source of its class
    file.write_text(program, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error", file.name],
        cwd=workplace,
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{page}:\n{program}\n{done.stderr}"


def test_names_in_the_architecture_exist() -> None:
    sources = [
        *ROOT.glob("crates/**/*.rs"),
        *ROOT.glob("python/**/*.py"),
        *ROOT.glob("tools/**/*.py"),
        *ROOT.glob("python/**/*.toml"),
    ]
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    page = FENCE.sub("", page)
    names = [
        name for name in set(re.findall(r"`([^`\n]+)`", page)) if re.fullmatch(r"[\w:.]+(\(\)|!)?", name)
    ]
    missing = {part for name in names if not (ROOT / name).exists() for part in re.findall(r"\w+", name)}
    assert missing
    for path in filter(Path.is_file, sources):
        missing -= {*re.findall(r"\w+", path.stem), *re.findall(r"\w+", path.read_text(encoding="utf-8"))}
        if not missing:
            break
    assert missing == set()

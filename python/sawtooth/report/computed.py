"""What the computed blocks of pages rest on: a file beside the pages, one line for each block.

    ["akella2002.md"]
    "reno/droptail scores" = "5d0c81f2 core=1 law/linear=1 queue/droptail=1 recovery/reno=1"

A line has the first digits of the hash of the block's text, then every component that the runs behind it used with its behaviour number
at that time. Whoever fills a block writes its line. A block is *stale* where a number has moved on since, and *unknown* where it has no
line or was changed by hand: `faults` finds both, and a test of the repository asks for none.

The file is written where there is one, in the folder of the page, the one above, or `docs` beside the page; pages elsewhere are filled
without it.

Files of data that hold what runs found (`turns.toml` of a paper, `[search]` of a study) say it themselves, in a key `behaviour` that
`numbers_of` reads.

Source: none.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from sawtooth.atomic import write_text_atomic
from sawtooth.errors import MISSING, InputError

FILE: Final = "computed.toml"
HEAD: Final = """\
# What the computed blocks of these pages rest on: of each block the hash of its text, then the components of the engine that its runs
# used, with their behaviour numbers. Written by the commands that fill blocks; `python -m tools.computed` says what is stale.
"""
DIGITS: Final = 8
PLACE = re.compile(
    r"(?P<begin><!-- results: (?P<name>[^>]+?) -->)(?P<line>\n?)(?P<content>.*?)(?P<end><!-- end -->)",
    re.DOTALL,
)
"""A block of a page, on lines of its own or within one."""


@dataclass(frozen=True)
class Line:
    """What a block says of itself: the hash of its text and the behaviour numbers of what it used."""

    text: str
    behaviour: Mapping[str, int]

    @classmethod
    def parse(cls, written: str, where: str) -> Line:
        """A line of the file. InputError for what is none."""
        text, _, numbers = written.partition(" ")
        try:
            return cls(text, numbers_of(numbers))
        except ValueError:
            accepted = "the hash of a block, then COMPONENT=NUMBER for each component"
            raise InputError(FILE, where, written, accepted) from None

    def __str__(self) -> str:
        return " ".join(filter(None, [self.text, numbers_text(self.behaviour)]))


Lines = dict[str, dict[str, Line]]
"""By page, as the file names it, and block."""


@dataclass(frozen=True)
class UntrustedBlock:
    """A block that cannot be trusted, and why."""

    page: str
    block: str
    why: str
    stale: bool
    """Whether its text is that of its line, but made by an engine that behaved differently; else nobody knows what made it."""


def numbers_of(written: str) -> dict[str, int]:
    """Behaviour numbers by component, from how they are written. ValueError for anything else."""
    return {name: int(number) for name, _, number in (pair.partition("=") for pair in written.split())}


def numbers_text(behaviour: Mapping[str, int]) -> str:
    """Behaviour numbers as they are written: COMPONENT=NUMBER, the components by name."""
    return " ".join(f"{name}={behaviour[name]}" for name in sorted(behaviour))


def hash_of(content: str) -> str:
    """What a line says of the text of a block."""
    return sha256(content.strip().encode()).hexdigest()[:DIGITS]


def file_of(page: Path) -> Path | None:
    """The file that has the lines of a page; None where there is none."""
    near = list(page.resolve().parents)[:2]
    found = [folder / FILE for folder in [*near, near[0] / "docs"]]
    return next((path for path in found if path.is_file()), None)


def name_of(page: Path, path: Path) -> str:
    """What the file of lines calls a page: the way to it from the file's folder."""
    return Path(os.path.relpath(page.resolve(), path.parent.resolve())).as_posix()


def read(path: Path) -> Lines:
    """The lines of a file. InputError where it is none."""
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(str(path), None, MISSING, f"a file of computed blocks ({error})") from error
    return {
        page: {name: Line.parse(written, f"{page}.{name}") for name, written in blocks.items()}
        for page, blocks in tables.items()
    }


def write(path: Path, lines: Lines) -> None:
    """The file anew, pages and blocks by name."""
    parts = [HEAD]
    for page in sorted(lines):
        rows = [f'{_quoted(name)} = "{lines[page][name]}"' for name in sorted(lines[page])]
        parts.append("\n".join([f"[{_quoted(page)}]", *rows]) + "\n")
    write_text_atomic(path, "\n".join(parts))


def _quoted(text: str) -> str:
    """As a string of TOML, of which those of JSON are some."""
    return json.dumps(text, ensure_ascii=False)


def stamp(
    page: Path, names: Collection[str], behaviour: Mapping[str, int] | None, renewed: Collection[str] = ()
) -> None:
    """Say of the blocks ``names`` of a page as it stands what they rest on. ``renewed`` are those of them that keep something of what stood
    there: what it rested on stays. Lines of blocks that the page has no more are dropped; ``behaviour`` None means that nobody knows."""
    path = file_of(page)
    if path is None:
        return
    lines = read(path)
    own = name_of(page, path)
    known = lines.get(own, {})
    found = contents(page.read_text(encoding="utf-8"))
    fresh = {name: line for name, line in known.items() if name in found}
    for name in set(names) & set(found):
        fresh.pop(name, None)
        if behaviour is None:
            continue
        kept = known[name].behaviour if name in renewed and name in known else {}
        fresh[name] = Line(hash_of(found[name]), {**behaviour, **kept})
    lines[own] = fresh
    write(path, {name: rows for name, rows in lines.items() if rows})


def contents(text: str) -> dict[str, str]:
    """The text of every block of a page by name."""
    return {place["name"]: place["content"] for place in PLACE.finditer(text)}


def faults(path: Path, pages: Sequence[Path], now: Mapping[str, int]) -> Iterator[UntrustedBlock]:
    """The blocks of pages that are stale or unknown, and lines of blocks that no page has; ``now`` are the engine's behaviour numbers."""
    lines = read(path)
    for page in pages:
        own = name_of(page, path)
        known, found = lines.pop(own, {}), contents(page.read_text(encoding="utf-8"))
        for name, content in found.items():
            line = known.get(name)
            if line is None:
                yield UntrustedBlock(own, name, "nothing says what it rests on", False)
            elif line.text != hash_of(content):
                yield UntrustedBlock(own, name, "its text is not what was computed", False)
            else:
                moved = moved_on(line.behaviour, now)
                if moved:
                    yield UntrustedBlock(own, name, f"behaviour has changed: {', '.join(moved)}", True)
        for name in sorted(set(known) - set(found)):
            yield UntrustedBlock(own, name, "the page has no such block", False)
    for own, known in lines.items():
        yield from (UntrustedBlock(own, name, "there is no such page", False) for name in known)


def moved_on(then: Mapping[str, int], now: Mapping[str, int]) -> list[str]:
    """The components whose number has changed, in words."""
    return [
        f"{name} {number} → {now.get(name, 'gone')}"
        for name, number in then.items()
        if now.get(name) != number
    ]

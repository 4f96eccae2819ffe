"""`python -m tools.plugins_guide`: follows docs/plugins.md in each language, in a new folder each, and fills the page's table of times.

The commands and the change of a line are those of the page, in its order: a step is a command, with the change where it stands. What is
counted is processor time of the step and all its processes, since that depends little on what else the machine does; the last column is
the time by the clock, and the terminal shows it step by step. Sawtooth is installed, nothing else is warm: each language has a folder and
a target directory of its own.
"""

from __future__ import annotations

import os
import re
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sawtooth.report.computed import PLACE, stamp
from sawtooth.report.markdown import with_content

PAGE: Final = Path(__file__).resolve().parents[1] / "docs" / "plugins.md"
FENCE: Final = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CHANGED: Final[Mapping[str, str]] = {
    "rust": "mine/src/lib.rs",
    "c": "mine/mine.c",
    "python": "mine/mine.py",
}
"""The file that the page changes, by language."""
DIFFS: Final = ("c", "rust", "python")
"""The order in which the page shows the changes."""
STEPS: Final = {
    "new": "begin",
    "test": "build and test",
    "check-controller": "check",
    "run": "plot",
    "compare": "compare",
}
"""By the word that tells a command, what the table calls it."""


@dataclass(frozen=True)
class Step:
    """A command of the page, and how long it took: processor time and time by the clock, s."""

    name: str
    words: tuple[str, ...]
    busy_s: float
    wall_s: float


def commands(page: str, lang: str) -> list[list[str]]:
    """The commands from the idea to the comparison, as one types them for a language."""
    loaded = "mine/mine.py" if lang == "python" else "mine/libmine.so"
    lines = [line for kind, text in FENCE.findall(page) if kind == "sh" for line in text.splitlines()]
    last = next(place for place, line in enumerate(lines) if line.startswith("sawtooth compare"))
    return [
        shlex.split(line.replace("--lang c", f"--lang {lang}").replace("mine/libmine.so", loaded))
        for line in lines[: last + 1]
    ]


def change(page: str, lang: str, folder: Path) -> None:
    """Make the page's change to the project. ValueError where its line does not stand there once."""
    shown = dict(zip(DIFFS, (text for kind, text in FENCE.findall(page) if kind == "diff"), strict=True))
    before, after = (line[1:] for line in shown[lang].splitlines())
    source = folder / CHANGED[lang]
    text = source.read_text(encoding="utf-8")
    if text.count(f"{before}\n") != 1:
        raise ValueError(f"{source}: expected one line {before!r}")
    source.write_text(text.replace(f"{before}\n", f"{after}\n"), encoding="utf-8")


def follow(page: str, lang: str, folder: Path) -> list[Step]:
    """Every step in an empty folder. CalledProcessError where one fails."""
    environment = {**os.environ, "SAWTOOTH_STORE": str(folder / "store")}
    environment.pop("CARGO_TARGET_DIR", None)
    steps = []
    for words in commands(page, lang):
        typed = [sys.executable, "-m", *words] if words[0] == "sawtooth" else words
        before, began = _busy_s(), time.monotonic()
        subprocess.run(typed, cwd=folder, env=environment, check=True, capture_output=True, text=True)
        name = next(STEPS[word] for word in words if word in STEPS)
        steps.append(Step(name, tuple(words), _busy_s() - before, time.monotonic() - began))
        if name == STEPS["new"]:
            change(page, lang, folder)
    return steps


def _busy_s() -> float:
    """Processor time of all finished child processes, s."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def table(found: Mapping[str, Sequence[Step]]) -> str:
    """Steps by language, their sum, and all of them by the clock."""
    names = list(STEPS.values())
    rows = [
        ["language", *names, "together", "by the clock"],
        ["---", *("---:" for _ in names), "---:", "---:"],
    ]
    for lang, steps in found.items():
        times = {step.name: step.busy_s for step in steps}
        wall_s = sum(step.wall_s for step in steps)
        busy = [*(times[name] for name in names), sum(times.values())]
        rows.append([lang, *(f"{time:.1f}" for time in [*busy, wall_s])])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def main() -> int:
    """Follow the page and fill its table."""
    page = PAGE.read_text(encoding="utf-8")
    found = {}
    for lang in CHANGED:
        with tempfile.TemporaryDirectory() as folder:
            found[lang] = follow(page, lang, Path(folder))
        for step in found[lang]:
            print(f"{lang:7} {step.name:15} {step.busy_s:6.2f} s busy {step.wall_s:7.2f} s by the clock")
    blocks = {"guide times": table(found)}
    PAGE.write_text(
        PLACE.sub(
            lambda place: with_content(place, blocks[place["name"]]) if place["name"] in blocks else place[0],
            page,
        ),
        encoding="utf-8",
    )
    stamp(PAGE, list(blocks), {})
    return 0


if __name__ == "__main__":
    sys.exit(main())

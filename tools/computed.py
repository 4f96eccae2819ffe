"""`python -m tools.computed`: the computed blocks of the pages, and the kept results of papers, that are stale or unknown, one a line;
exits with 1 if there are any.

A block is stale where the engine behaves otherwise now than when it was filled: fill it again, by the command that the page names. It is
unknown where nothing says what it rests on, as after a merge in which two branches filled the same page: fill it again, or, where the
present engine made it, say so with `--adopt PAGE …`. An adopted block rests on everything that the studies of its paper use
(`tools.rests_on`), or, if it is of none, on every component that there is; `--adopt` takes no stale block.

Blocks of one name that differ among the pages are named as well: the runs of one command cannot have come out in two ways.

Kept results are those of sensitivities and searches in files of data (`tools.kept`): run the command beside them again.

Pages that say themselves of which day and engine their numbers are (`DATED`) are left out: measured cost, and results of earlier methods.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Mapping, Sequence
from os.path import normpath
from pathlib import Path

from sawtooth.report.computed import FILE, PLACE, UntrustedBlock, faults, name_of, stamp
from sawtooth.scenario.described import describe
from tools.in_short import disagreeing, left_behind
from tools.kept import kept_faults
from tools.rests_on import components_of

ROOT = Path(__file__).resolve().parents[1]
LINES = ROOT / "docs" / FILE
DATED = (
    "docs/performance.md",
    "docs/history/performance.md",
    "docs/history/akella2002-reconstruction.md",
)


def pages() -> list[Path]:
    """The pages that have computed blocks: README.md, and those below docs."""
    dated = [ROOT / name for name in DATED]
    below = sorted((ROOT / "docs").rglob("*.md"))
    found = [ROOT / "README.md", *(path for path in below if path not in dated)]
    return [path for path in found if PLACE.search(path.read_text(encoding="utf-8"))]


def numbers() -> Mapping[str, int]:
    """The behaviour numbers of the engine as it is."""
    found: Mapping[str, int] = describe()["behaviour"]
    return found


def found_faults() -> list[UntrustedBlock]:
    """What is wrong with the pages of this repository."""
    return list(faults(LINES, pages(), numbers()))


def disagreements(among: Sequence[Path], known: Collection[str] = ()) -> list[str]:
    """Of every name whose blocks differ among pages which these are, in words; names that are ``known`` are left out."""
    return [
        f"{name}: differs on {' and '.join(page.relative_to(ROOT).as_posix() for page in where)}: fill all of them by one command"
        for name, where in disagreeing(among).items()
        if name not in known
    ]


def adopt(names: Sequence[str]) -> None:
    """Say of the unknown blocks of pages that the present engine made them."""
    unknown = [fault for fault in found_faults() if not fault.stale]
    for name in names:
        page = Path(name).resolve()
        own = name_of(page, LINES)
        for block in [fault.block for fault in unknown if fault.page == own]:
            stamp(page, {block}, components_of(page.name, block, numbers()))


def main() -> int:
    """0 where every block can be trusted."""
    parser = argparse.ArgumentParser(prog="python -m tools.computed", description=__doc__)
    parser.add_argument(
        "--adopt",
        metavar="PAGE",
        nargs="+",
        default=[],
        help="the present engine made the unknown blocks of these pages",
    )
    adopt(parser.parse_args().adopt)
    left = [(normpath(f"docs/{fault.page}"), fault) for fault in found_faults()]
    left += [(fault.page, fault) for fault in kept_faults(ROOT, numbers())]
    lines = [f"{where}: {fault.block}: {fault.why}\n" for where, fault in left]
    behind = left_behind()
    lines += [f"{page}: {name}: run `python -m tools.in_short`\n" for page, name in behind]
    lines += [f"{words}\n" for words in disagreements(pages(), {name for _, name in behind})]
    sys.stdout.write("".join(lines))
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())

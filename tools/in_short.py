"""`python -m tools.in_short`: what the claims of each paper came to, on pages that list papers, from the tables on the papers' own pages.

Blocks: ``PAPER claims in short`` of one paper, ``claims in short of all`` of all together. They say what ``claims in short`` says on the
page of a paper, by the same functions (`report.claim_rows`), and rest on the same runs. Run it after a page of a paper was filled; until
then `python -m tools.computed` names the blocks that are behind.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sawtooth.papers import PAPERS
from sawtooth.papers.register import claims
from sawtooth.report.claim_rows import ROW, in_short, renewed
from sawtooth.report.computed import FILE, contents, name_of, read
from sawtooth.report.markdown import fill
from sawtooth.run.used import note, watching

ROOT = Path(__file__).resolve().parents[1]
SOURCES: Final = tuple(ROOT / "docs" / name for name in ("akella2002.md", "floyd2000.md", "lahanas2003.md"))
"""Pages with a table of claims; that of 2002 has the claims of 2012 as well."""
PAGES: Final = (ROOT / "README.md", ROOT / "docs" / "README.md", ROOT / "docs" / "reproductions.md")
"""Pages that say what came of them."""
ALL: Final = "claims in short of all"


def blocks() -> dict[str, str]:
    """The content of every block by name."""
    rows = {
        match["id"]: match[0]
        for page in SOURCES
        for match in ROW.finditer(contents(page.read_text(encoding="utf-8"))["claims"])
    }

    def short(*papers: str) -> str:
        own = [rows[claim.id] for claim in claims() if claim.paper in papers and claim.id in rows]
        return in_short(renewed("\n".join(own), (), "", claims()))

    judged = [
        paper for paper in PAPERS if any(claim.paper == paper and claim.id in rows for claim in claims())
    ]
    return {ALL: short(*judged)} | {f"{paper} claims in short": short(paper) for paper in judged}


def left_behind() -> list[tuple[str, str]]:
    """Page and name of every block that says something else than the pages of the papers."""
    known = blocks()
    return [
        (page.relative_to(ROOT).as_posix(), name)
        for page in PAGES
        for name, content in contents(page.read_text(encoding="utf-8")).items()
        if name in known and content.strip() != known[name]
    ]


def main() -> None:
    """Fill them on every page."""
    lines = read(ROOT / "docs" / FILE)
    with watching():
        for source in SOURCES:
            note(lines[name_of(source, ROOT / "docs" / FILE)]["claims"].behaviour)
        for page in PAGES:
            fill(page, blocks(), True)


if __name__ == "__main__":
    main()

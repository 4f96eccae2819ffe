"""`python -m tools.in_short`: what the claims of papers and of their parts came to, on pages that list papers, from the papers' own pages.

First it renews the tables of claims on these pages, whose sentences and classes change with ``claims.toml`` and ``turns.toml``; verdicts
stay as they are. Then come the blocks ``PAPER claims in short`` of one paper and ``claims in short of all`` of all together. They say what
``claims in short`` says on the page of a paper, by the same functions (`report.claim_rows`), and rest on the same runs. The verdicts of a
part, such as ``akella2002/fig4 verdicts``, are counted from the same table, also on the page of its paper: a part that was run alone leaves
claims open that look at others as well. Run it after a page of a paper was filled; until then `python -m tools.computed` names the blocks
that are behind.

A block names what it is of, so blocks of one name agree wherever they stand (`disagreeing`). Only those of ``OWN`` are of the paper that
their page is about.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from sawtooth.claims.logic import Verdict
from sawtooth.papers import PAPERS
from sawtooth.papers.register import claims
from sawtooth.papers.studies import load_study
from sawtooth.report.claim_rows import ROW, counted, in_short, renewed
from sawtooth.report.computed import FILE, PLACE, contents, name_of, read
from sawtooth.report.markdown import SHARED, fill
from sawtooth.run.used import note, watching
from tools.rests_on import OF_PAGES, papers_of

ROOT = Path(__file__).resolve().parents[1]
SOURCES: Final = tuple(ROOT / "docs" / name for name in OF_PAGES)
"""Pages with a table of claims; that of 2002 has the claims of 2012 as well."""
PAGES: Final = (ROOT / "README.md", ROOT / "docs" / "README.md", ROOT / "docs" / "reproductions.md")
"""Pages that say what came of them."""
ALL: Final = "claims in short of all"
OWN: Final = ("claims", "claims in short", *SHARED)
"""Names without the paper that a block is of: its page says that. So do those of a sensitivity."""


def blocks() -> dict[str, str]:
    """The content of every block by name."""
    found = _rows()
    rows = {name: match[0] for name, match in found.items()}

    def short(*papers: str) -> str:
        own = [rows[claim.id] for claim in claims() if claim.paper in papers and claim.id in rows]
        return in_short(renewed("\n".join(own), (), "", claims()))

    judged = [
        paper for paper in PAPERS if any(claim.paper == paper and claim.id in rows for claim in claims())
    ]
    in_all = {ALL: short(*judged)} | {f"{paper} claims in short": short(paper) for paper in judged}
    return in_all | part_verdicts({name: Verdict(match["verdict"]) for name, match in found.items()})


def _rows() -> dict[str, re.Match[str]]:
    """The rows of the tables of claims, by claim."""
    return {
        match["id"]: match
        for page in SOURCES
        for match in ROW.finditer(contents(page.read_text(encoding="utf-8"))["claims"])
    }


def part_verdicts(verdicts: Mapping[str, Verdict]) -> dict[str, str]:
    """How many of the claims that a part touches hold, fail and are undecided; of parts all of whose claims have a verdict."""
    made = {}
    for paper in PAPERS.values():
        for part in paper.parts:
            name = f"{paper.name}/{part}"
            touched = [claim.id for claim in paper.touched(load_study(name))]
            if touched and all(claim in verdicts for claim in touched):
                made[f"{name} verdicts"] = counted([verdicts[claim] for claim in touched])
    return made


def table_of(page: str) -> dict[str, str]:
    """The table of claims of the text of a page, and what it says in short, by the classes of today."""
    table = renewed(contents(page)["claims"], (), "", claims())
    return {"claims": table, "claims in short": in_short(table)}


def left_behind() -> list[tuple[str, str]]:
    """Page and name of every block that says something else than the pages of the papers, or than the classes of today."""
    known = blocks()
    stale = [
        (page.relative_to(ROOT).as_posix(), name)
        for page in SOURCES
        for text in [page.read_text(encoding="utf-8")]
        for name, content in table_of(text).items()
        if contents(text)[name].strip() != content
    ]
    return stale + [
        (page.relative_to(ROOT).as_posix(), name)
        for page in (*SOURCES, *PAGES)
        for name, content in contents(page.read_text(encoding="utf-8")).items()
        if name in known and content.strip() != known[name]
    ]


def disagreeing(pages: Iterable[Path]) -> dict[str, list[Path]]:
    """By name, the pages of blocks of one name that do not say the same."""
    said: dict[str, list[tuple[Path, str]]] = {}
    for page in pages:
        for place in PLACE.finditer(page.read_text(encoding="utf-8")):
            said.setdefault(place["name"], []).append((page, place["content"].strip()))
    return {
        name: list(dict.fromkeys(page for page, _ in found))
        for name, found in said.items()
        if not _of_its_page(name) and len({content for _, content in found}) > 1
    }


def _of_its_page(name: str) -> bool:
    return name in OWN or name.startswith("sensitivity ")


def main() -> None:
    """Fill them on every page. A block rests on the runs of the papers that it counts."""
    lines = read(ROOT / "docs" / FILE)
    behind = {
        source.name: lines[name_of(source, ROOT / "docs" / FILE)]["claims"].behaviour for source in SOURCES
    }
    for source in SOURCES:
        _fill(source, table_of(source.read_text(encoding="utf-8")), behind, {source.name})
    for name, content in blocks().items():
        papers = papers_of("", name)
        counts = {page for page, own in OF_PAGES.items() if set(own) & set(papers)}
        for page in (*SOURCES, *PAGES):
            if name in contents(page.read_text(encoding="utf-8")):
                _fill(page, {name: content}, behind, counts)


def _fill(
    page: Path, content: Mapping[str, str], behind: Mapping[str, Mapping[str, int]], counts: Iterable[str]
) -> None:
    with watching():
        for source in counts:
            note(behind[source])
        fill(page, content, True)


if __name__ == "__main__":
    main()

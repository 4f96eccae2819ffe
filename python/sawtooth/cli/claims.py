"""`sawtooth claims`: the claims of a paper beside what judges them, for a reader who checks the checks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from sawtooth.cli.output import JsonOption, console, emit_document
from sawtooth.errors import InputError

if TYPE_CHECKING:
    from sawtooth.claims.sketch import Sketch

LINES_MAX = 4
"""Inequalities that the table shows of a claim; `--all` shows every one."""

PaperArgument = Annotated[
    str,
    typer.Argument(
        metavar="PAPER",
        help="A paper with claims, such as akella2002; `sawtooth list studies` has all papers.",
    ),
]
ClaimArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="CLAIM", help="Only these claims, by id.", show_default=False),
]
AllOption = Annotated[
    bool, typer.Option("--all", help="Print every inequality and every cell of each claim.")
]


def command(
    paper: PaperArgument, claim: ClaimArgument = None, every: AllOption = False, as_json: JsonOption = False
) -> None:
    """Print each claim of a paper in our own words, with the inequalities that judge it and the cells that these read.

    Nothing is simulated: each check is asked with numbers that mean nothing. So where a check picks runs by their results, such as those
    at a drop rate of 2 to 3 %, the table shows one pick. `sawtooth reproduce PAPER` gives the verdicts.

    Example: sawtooth claims akella2002 akella-abs-aimd-trad --all
    """
    sketches = chosen(paper, claim)
    if as_json:
        emit_document("claims", {"paper": paper, "claims": [entry.to_json() for entry in sketches]})
        return
    out = console()
    for number, entry in enumerate(sketches):
        if number:
            out.print()
        for line in lines(entry, None if every else LINES_MAX):
            out.print(line, soft_wrap=True)


def chosen(paper: str, wanted: list[str] | None) -> list[Sketch]:
    """Those claims of the paper, or all of them. InputError for a name that there is not."""
    from sawtooth.papers import PAPERS
    from sawtooth.papers.sketches import sketches

    papers = [name for name, entry in PAPERS.items() if entry.claims]
    if paper not in papers:
        raise InputError("sawtooth claims", "PAPER", paper, f"one of {', '.join(papers)}")
    known = [entry.id for entry in PAPERS[paper].claims]
    for name in wanted or []:
        if name not in known:
            raise InputError("sawtooth claims", "CLAIM", name, f"an id that `sawtooth claims {paper}` prints")
    return list(sketches(PAPERS[paper], wanted))


def lines(entry: Sketch, most: int | None) -> list[str]:
    """A claim as text: what it says, then what judges it."""
    claim = entry.claim
    found = [f"{claim.id}  (section {claim.section}, {claim.kind})", f"  says      {claim.statement}"]
    if claim.check is None:
        return [*found, f"  waits for {', '.join(claim.needs)}"]
    found.append(f"  judged as {entry.words}  [{entry.check}]")
    found += _shown("if", entry.inequalities, most)
    found += _shown("on", entry.cells, most)
    found += _shown("probes", entry.probes, most)
    for name, word in entry.tolerances.items():
        found.append(f"  bound     {name} = {word.value:g}: {word.meaning}")
    if claim.published:
        numbers = ", ".join(f"{name} {value}" for name, value in claim.published.items())
        found.append(f"  the paper prints {numbers}")
    return found


def _shown(label: str, entries: tuple[str, ...], most: int | None) -> list[str]:
    kept = entries if most is None else entries[:most]
    shown = [f"  {label if number == 0 else '':<9} {text}" for number, text in enumerate(kept)]
    if len(entries) > len(kept):
        shown.append(f"  {'':<9} and {len(entries) - len(kept)} more")
    return shown

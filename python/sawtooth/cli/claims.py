"""`sawtooth claims`: the claims of a paper beside what judges them, for a reader who checks the checks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from sawtooth.cli.output import JsonOption, console, emit_document
from sawtooth.errors import InputError

if TYPE_CHECKING:
    from sawtooth.claims.sketch import Sketch

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
    bool,
    typer.Option("--all", help="Print every inequality and every cell of each claim on a line of its own."),
]


def command(
    paper: PaperArgument, claim: ClaimArgument = None, every: AllOption = False, as_json: JsonOption = False
) -> None:
    """Print each claim of a paper in our own words, with the inequalities that judge it and the cells that these read.

    Lines that differ in one word only are one, with these words in braces: each stands with each in other braces. Words in brackets, with
    "or", are alternatives. `of 0` and `of 1` are the first and the second group of flows of a run.

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
        for line in lines(entry, whole=every):
            out.print(line, soft_wrap=True)


def chosen(paper: str, wanted: list[str] | None) -> list[Sketch]:
    """Those claims of the paper, or all of them. InputError for a name that there is not."""
    from sawtooth.papers import PAPERS

    papers = [name for name, entry in PAPERS.items() if entry.claims]
    if paper not in papers:
        raise InputError("sawtooth claims", "PAPER", paper, f"one of {', '.join(papers)}")
    known = [entry.id for entry in PAPERS[paper].claims]
    for name in wanted or []:
        if name not in known:
            raise InputError("sawtooth claims", "CLAIM", name, f"an id that `sawtooth claims {paper}` prints")
    from sawtooth.papers.sketches import sketches  # loads what judges

    return list(sketches(PAPERS[paper], wanted))


def lines(entry: Sketch, *, whole: bool = False) -> list[str]:
    """A claim as text: what it says, then what judges it; condensed, or as a ``whole`` with every line by itself."""
    from sawtooth.claims.condensed import condensed

    claim = entry.claim
    found = [f"{claim.id}  (section {claim.section}, {claim.kind})", f"  says      {claim.statement}"]
    if claim.check is None:
        return [*found, f"  waits for {', '.join(claim.needs)}"]
    found.append(f"  judged as {entry.words}  [{entry.check}]")
    short = list if whole else condensed
    found += _shown("if", short(entry.inequalities))
    found += _shown("on", short(entry.cells))
    found += _shown("probes", list(entry.probes))
    for name, (value, meaning) in entry.bounds.items():
        found.append(f"  bound     {name} = {value:g}: {meaning}")
    found += _numbers("the paper prints", claim.published)
    found += _numbers("worked out, not printed:", claim.worked_out)
    return found


def _shown(label: str, entries: list[str]) -> list[str]:
    return [f"  {label if number == 0 else '':<9} {text}" for number, text in enumerate(entries)]


def _numbers(label: str, named: Mapping[str, object]) -> list[str]:
    text = "; ".join(f"{name}: {_value(value)}" for name, value in named.items())
    return [f"  {label} {text}"] if named else []


def _value(value: object) -> str:
    if isinstance(value, list | tuple):
        return f"({', '.join(map(str, value))})" if len(value) > 1 else str(value[0])
    return str(value)

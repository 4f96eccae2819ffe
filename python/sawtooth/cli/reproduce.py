"""`sawtooth reproduce`: run a study of a paper, show our numbers beside the printed ones, judge its claims."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sawtooth.cli.compare import FreshOption
from sawtooth.cli.output import JsonOption, StoreOption, console, emit_json, note
from sawtooth.cli.scores import print_scores, print_verdicts
from sawtooth.overrides import parse_override
from sawtooth.progress import progress_bar
from sawtooth.report.markdown import update
from sawtooth.reproduce import reproduce

NameArgument = Annotated[
    str, typer.Argument(metavar="PAPER[/FIGURE]", help="A study, or a paper for all of its studies.")
]
SeedsOption = Annotated[
    int | None,
    typer.Option("--seeds", metavar="N", help="Number of seeds [default: the study's, 5; with --quick 3]."),
]
QuickOption = Annotated[
    bool, typer.Option("--quick", help="Same cells and claims, fewer seeds, shorter runs.")
]
ReportOption = Annotated[
    Path | None,
    typer.Option(
        "--report", metavar="FILE.html", help="Where the report goes [default: reports/ in the store]."
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Another value for an open parameter, such as tcp.min_rto='200 ms'; may be repeated.",
    ),
]
MarkdownOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--markdown",
        metavar="FILE.md",
        help="Also fill the marked places of a Markdown page; may be repeated.",
    ),
]


def command(
    name: NameArgument,
    seeds: SeedsOption = None,
    quick: QuickOption = False,
    set_: SetOption = None,
    store: StoreOption = None,
    fresh: FreshOption = False,
    report: ReportOption = None,
    markdown: MarkdownOption = None,
    as_json: JsonOption = False,
) -> None:
    """Reproduce a figure or a paper: scores beside the printed ones, a verdict for every claim, an HTML report.

    Runs that are in the store are not repeated, so an interrupted command goes on where it was. A failing claim is a result: exit 0.

    Example: sawtooth reproduce akella2002/fig4 --quick
    """
    varied = dict(parse_override(text) for text in set_ or [])
    with progress_bar(name) as progress:
        found = reproduce(name, seeds, quick, store, fresh, report, varied, progress=progress)
    for page in markdown or []:
        update(page, found)
    if as_json:
        emit_json(found.to_json())
        return
    out = console()
    print_scores(out, found)
    print_verdicts(out, found)
    note(f"report: {found.report}")

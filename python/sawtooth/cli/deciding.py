"""`reproduce --confirm` and `--until-decided`, and `compare --until-decided`: verdicts on fresh seeds, and on as many as it takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from sawtooth.cli.output import console, emit_json, note, table
from sawtooth.errors import InputError

if TYPE_CHECKING:
    from sawtooth.experiment.reproduction import Reproduction

ConfirmOption = Annotated[
    bool,
    typer.Option(
        "--confirm",
        help="Judge the claims again on as many fresh seeds (from 10001 on, fixed beforehand), and print both verdicts; with --markdown "
        "also fill the place NAME confirmation of a page.",
    ),
]
SeedsFromOption = Annotated[
    int | None,
    typer.Option(
        "--seeds-from",
        metavar="N",
        min=1,
        help="With --confirm or --until-decided: number of the first seed [default: 10001; 1].",
    ),
]
VerdictsOption = Annotated[
    Path | None,
    typer.Option(
        "--verdicts",
        metavar="FILE.md",
        help="With --confirm: take the verdicts from the table of claims of this page, and run the fresh seeds alone.",
    ),
]
UntilDecidedOption = Annotated[
    bool,
    typer.Option(
        "--until-decided",
        help="Begin with 15 seeds (or --seeds), then add five at a time until everything is decided. The intervals stay valid however "
        "often one looks.",
    ),
]
MaxSeedsOption = Annotated[
    int | None,
    typer.Option(
        "--max-seeds", metavar="N", min=2, help="With --until-decided: largest number of seeds [default: 60]."
    ),
]


@dataclass(frozen=True)
class Deciding:
    """With as many seeds as it takes."""

    until_decided: UntilDecidedOption = False
    max_seeds: MaxSeedsOption = None

    def words(self) -> list[str]:
        """The options as a user types them."""
        most = [] if self.max_seeds is None else ["--max-seeds", str(self.max_seeds)]
        return [*["--until-decided"] * self.until_decided, *most]


@dataclass(frozen=True)
class Again(Deciding):
    """On fresh seeds, or with as many as it takes."""

    confirm: ConfirmOption = False
    seeds_from: SeedsFromOption = None
    verdicts: VerdictsOption = None


def check(command: str, until_decided: bool, most: int | None, confirm: bool, first: int | None) -> None:
    """InputError for options that do not go together."""
    if most is not None and not until_decided:
        raise InputError(command, "--max-seeds", most, "this option only beside --until-decided")
    if first is not None and not (until_decided or confirm):
        raise InputError(
            command, "--seeds-from", first, "this option only beside --confirm or --until-decided"
        )
    if until_decided and confirm:
        raise InputError(command, "--confirm", True, "one of --confirm and --until-decided")


def confirmed(
    name: str,
    store: str | None,
    seeds: int | None,
    quick: bool,
    varied: Mapping[str, object],
    first: int | None,
    pages: Sequence[Path],
    as_json: bool,
    verdicts: Path | None = None,
) -> None:
    """Verdicts then (those of the page ``verdicts``, if one is given) and now, also on ``pages``. InputError for a page without a place
    for them, before anything is run."""
    from sawtooth.cli.scores import coloured
    from sawtooth.papers.fresh_seeds import FRESH, confirm
    from sawtooth.papers.fresh_seeds_page import block_of, update_page
    from sawtooth.plurals import number_of
    from sawtooth.progress import progress_bar
    from sawtooth.report.markdown import check_page

    for page in pages:
        check_page(page, names=[block_of(name)])
    with progress_bar(f"{name} confirmed") as progress:
        found = confirm(
            name,
            seeds,
            quick,
            store,
            varied,
            FRESH if first is None else first,
            progress=progress,
            stages=progress.stage,
            page=verdicts,
        )
    for page in pages:
        update_page(page, found)
    if as_json:
        emit_json(found.to_json())
        return
    shown = table(f"claims of {name} on fresh seeds", "claim", "then", "now", "outcome", "statement")
    for row in found.rows:
        cells = (coloured(row.then.verdict), coloured(row.now.verdict), row.outcome.value)
        shown.add_row(row.then.claim.id, *cells, row.then.claim.statement)
    out = console()
    out.print(shown)
    counts = ", ".join(f"{count} {outcome.value}" for outcome, count in found.counts().items())
    out.print(f"{number_of(len(found.rows), 'claim')} about runs: {counts}.", style="dim")
    then = "on the seeds of the study" if verdicts is None else f"as {verdicts} has it"
    out.print(f"then: {then}; now: on as many seeds from {found.first:,} on.", style="dim")
    if found.left_out:
        why = f"{verdicts} has no verdict by the check of today"
        out.print(f"left out, since {why}: {', '.join(found.left_out)}.", style="dim")


def decided(
    name: str,
    store: str | None,
    seeds: int | None,
    quick: bool,
    varied: Mapping[str, object],
    first: int | None,
    most: int | None,
    report: Path | Literal[False] | None,
    plugins: Sequence[Path],
) -> Reproduction:
    """A reproduction whose claims got as many seeds as they needed, with its report."""
    from sawtooth.experiment.stopping import MOST
    from sawtooth.papers.fresh_seeds import until_decided
    from sawtooth.papers.reproduce import written_decided
    from sawtooth.progress import progress_bar
    from sawtooth.run.runner import default_threads

    with progress_bar(f"{name} until decided") as progress:
        found = until_decided(
            name,
            seeds,
            quick,
            store,
            varied,
            MOST if most is None else most,
            first=1 if first is None else first,
            progress=progress,
            stages=progress.stage,
            plugins=plugins,
        )
        if report is not False:
            found = written_decided(found, store, report, default_threads(), progress.stage)
    if found.stopping is not None:
        note(found.stopping.text)
    return found

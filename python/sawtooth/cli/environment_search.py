"""`sawtooth environment search`: a pattern of bandwidth that makes a controller win or lose, and how much of the space does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sawtooth.cli.options import unfolded
from sawtooth.cli.output import (
    JsonOption,
    PluginOption,
    StoreOption,
    console,
    emit_json,
    note,
    number,
    print_meanings,
    table,
)
from sawtooth.cli.work import Workers
from sawtooth.errors import InputError
from sawtooth.experiment.search.space import SHAPES
from sawtooth.plain import written
from sawtooth.report.figure_file import format_of

if TYPE_CHECKING:
    from rich.text import Text

    from sawtooth.claims.logic import Finding
    from sawtooth.experiment.search.search import Search


DRAWN_NS = 400_000_000_000
"""Length of the schedule handed to the figure, which shows its first periods."""

ControllersArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="CONTROLLER", help="Controllers that compete [default: the four representatives]."
    ),
]
ShapeOption = Annotated[str, typer.Option("--shape", metavar="S", help=f"{' or '.join(SHAPES)}.")]
WinnerOption = Annotated[
    str | None,
    typer.Option(
        "--winner", metavar="A", help="The controller that should come first in goodput, such as mimd."
    ),
]
LoserOption = Annotated[
    str | None, typer.Option("--loser", metavar="A", help="The controller that should come last in goodput.")
]
ClaimOption = Annotated[
    list[str] | None,
    typer.Option(
        "--claim", metavar="ID", help="A claim about one pattern that should hold; may be repeated."
    ),
]
RangeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--range",
        metavar="KEY=LOW..HIGH",
        help="Range of a number of the shape, such as period='0.5 s..5 s'; may be repeated.",
    ),
]
RunsOption = Annotated[int, typer.Option("--runs", metavar="N", help="Largest number of runs of the search.")]
SeedsOption = Annotated[
    int, typer.Option("--seeds", metavar="N", help="Seeds of the search, numbered from 1001.")
]
JudgeOption = Annotated[
    int | None,
    typer.Option("--judge-seeds", metavar="N", help="Seeds of the judgement, from 1 [default: 10]."),
]
SeedOption = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Seed of the search's design.")]
RecoveryOption = Annotated[str, typer.Option("--recovery", metavar="R", help="Loss recovery.")]
RouterOption = Annotated[str, typer.Option("--router", metavar="Q", help="Queue discipline.")]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="KEY=VALUE", help="Replace one value of the set-up, such as duration='120 s'."
    ),
]
PlotOption = Annotated[
    Path | None, typer.Option("--plot", metavar="F.svg", help="Draw pattern and map (SVG, PDF or PNG).")
]


@unfolded
def command(
    context: typer.Context,
    controllers: ControllersArgument = None,
    shape: ShapeOption = "square",
    winner: WinnerOption = None,
    loser: LoserOption = None,
    claim: ClaimOption = None,
    range_: RangeOption = None,
    runs: RunsOption = 1600,
    seeds: SeedsOption = 3,
    judge_seeds: JudgeOption = None,
    seed: SeedOption = 1,
    recovery: RecoveryOption = "sack",
    router: RouterOption = "drop-tail",
    set_: SetOption = None,
    store: StoreOption = None,
    plot: PlotOption = None,
    *,
    workers: Workers,
    plugin: PluginOption = None,
    as_json: JsonOption = False,
) -> None:
    """Search for a pattern of bandwidth under which a controller comes first or last in goodput, or claims hold.

    The pattern is found on some seeds and judged on others. The search also estimates what share of the searched space meets the goal. Runs
    that are in the store are not repeated, so an interrupted search continues where it stopped.

    Example: sawtooth environment search --winner mimd --shape square --range period='20 s..60 s' --runs 400
    """
    from sawtooth.papers.pattern_search import find
    from sawtooth.progress import progress_bar, stage
    from sawtooth.scenario.overrides import parse_override

    if plot is not None:
        format_of(plot)  # before the search takes its time
    workers.begin(context)
    with progress_bar("search") as progress:
        found = find(
            shape,
            winner,
            loser,
            claim or [],
            controllers=controllers or [],
            recovery=recovery,
            router=router,
            ranges=dict(_range(text) for text in range_ or []),
            runs=runs,
            seeds=seeds,
            judge_seeds=judge_seeds,
            seed=seed,
            values=dict(parse_override(text) for text in set_ or []),
            store=store,
            progress=progress,
        )
        if plot is not None:
            with stage("drawing"):
                draw(found, plot)
    _tell(found, plot, as_json)


def _tell(found: Search, plot: Path | None, as_json: bool) -> None:
    """What was found, and where it was drawn."""
    if as_json:
        emit_json(found.to_json())
    else:
        show(found)
    if plot is not None:
        note(f"drew {plot}")


def draw(found: Search, plot: Path) -> None:
    """The map of the search as a file."""
    from sawtooth.report.drawing import save  # matplotlib takes long to load
    from sawtooth.report.pattern_map import pattern_map
    from sawtooth.scenario.environments import Environment, schedule_of

    flows, capacity_bps = 10, 100_000_000
    schedule = schedule_of(
        Environment.parse(dict(found.found.table)),
        seed="1",
        duration_ns=DRAWN_NS,
        capacity_bps=capacity_bps,
        flows=flows,
    )
    save(pattern_map(found, schedule), plot)


def show(found: Search) -> None:
    """The search for people: the pattern, the verdict on it, and the shares of the space."""
    from sawtooth.claims.multiplicity import RULE
    from sawtooth.plurals import number_of
    from sawtooth.report.computed import numbers_text

    out = console()
    text = ", ".join(f"{key} = {written(value)}" for key, value in found.found.table.items())
    out.print(f"{found.goal.text}, {found.setting}: {text}")
    made = table("under this pattern, mean over the judging seeds", "", *_METRICS, right=True)
    for name in found.algorithms:
        made.add_row(name, *(number(found.values[name][metric]) for metric in _METRICS))
    out.print(made)
    print_meanings(out, found.controls)
    out.print()
    _judged(found)
    made = table("of the searched space", "", "first in goodput", "last in goodput", right=True)
    for name, (first, last) in found.shares().items():
        made.add_row(name, first.percent, last.percent)
    out.print(made)
    region = found.region()
    out.print(f"goal met: {region.percent}, {region.count} of {region.of} patterns that cover the space")
    out.print(f"made by rule {RULE}, {numbers_text(found.behaviour)}", style="dim")
    out.print(
        f"{number_of(len(found.candidates), 'pattern')} tried, {number_of(found.executed, 'run')} simulated now",
        style="dim",
    )


_METRICS = ("goodput", "loss", "timeouts", "retransmits", "mean_window")


def _judged(found: Search) -> None:
    from rich.text import Text

    seeds = f"{found.judge_seeds[0]} to {found.judge_seeds[-1]}"
    made = table(f"judged on seeds {seeds}", "verdict", "what")
    for finding in found.judged:
        made.add_row(_coloured(finding), finding.text)
        for end in finding.leaves():
            if end is not finding and end.verdict.value != "holds":
                made.add_row(_coloured(end), Text(f"  {end.text}", style="dim"))
    console().print(made)
    console().print()


def _coloured(finding: Finding) -> Text:
    from rich.text import Text

    from sawtooth.cli.scores import COLOURS

    return Text(finding.verdict.value, style=COLOURS[finding.verdict])


def _range(text: str) -> tuple[str, str]:
    from sawtooth.experiment.search.space import COMMAND

    key, equals, ends = text.partition("=")
    if not equals:
        raise InputError(COMMAND, "--range", text, "KEY=LOW..HIGH, such as period='0.5 s..5 s'")
    return key.strip(), ends

"""`sawtooth compare`: raw values, distances and who leads, for controllers over the same networks, environments and seeds."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sawtooth.cli import deciding
from sawtooth.cli.deciding import MaxSeedsOption, UntilDecidedOption
from sawtooth.cli.executor import ExecutorOption, Kind, SchedulerOption, TrustOption, work_by
from sawtooth.cli.output import JsonOption, PluginOption, StoreOption, console, emit_json, emit_text, note
from sawtooth.cli.shard import ShardOption
from sawtooth.cli.shard import run as run_part
from sawtooth.errors import InputError

if TYPE_CHECKING:
    from sawtooth.experiment.comparison import Comparison
    from sawtooth.experiment.perform import Jobs


class Table(StrEnum):
    """Which tables are printed."""

    RAW = "raw"
    DISTANCE = "distance"
    BOTH = "both"


ControllersArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="CONTROLLER...", help="Controllers such as 'aimd(1, 0.8)', 'aiad(1, 3)' or maimd."
    ),
]
ScenarioOption = Annotated[
    Path | None,
    typer.Option(
        "--scenario",
        metavar="FILE.toml",
        help="Your network: all its test flows get the controllers in turn [default: ten flows over 100 Mbit/s, 110 ms].",
    ),
]
PathOption = Annotated[
    str | None,
    typer.Option(
        "--path",
        metavar="NAME",
        help="Compare on a path such as dsl, wifi or leo (`sawtooth list paths`), with the flows of the scenario, or two.",
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Replace one value of the scenario, such as path.rtt='60 ms'; may be repeated.",
    ),
]
RecoveryOption = Annotated[
    list[str] | None,
    typer.Option(
        "--recovery", metavar="R", help="Loss recovery; may be repeated [default: the scenario's, or sack]."
    ),
]
RouterOption = Annotated[
    list[str] | None,
    typer.Option(
        "--router",
        metavar="Q",
        help="Router: drop-tail, red, ecn (red that marks), rio; may be repeated [default: the scenario's, or drop-tail].",
    ),
]
EnvironmentOption = Annotated[
    list[str] | None,
    typer.Option(
        "--environment",
        metavar="E",
        help='Changing bandwidth: a name, a call such as \'square(high="10 Mbit/s", low="1 Mbit/s", period="10 s")\', none, or a set: '
        "all, akella2002 (the 13 of that paper); may be repeated [default: the scenario's, or akella2002].",
    ),
]
EnvironmentFileOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--environment-file",
        metavar="F.csv",
        help="Changing bandwidth from a schedule, as `sawtooth environment NAME --csv` prints it; may be repeated.",
    ),
]
SeedsOption = Annotated[
    int | None, typer.Option("--seeds", metavar="N", help="Number of seeds [default: 5].")
]
FreshOption = Annotated[bool, typer.Option("--fresh", help="Repeat runs that are in the store.")]
DurationOption = Annotated[
    str | None,
    typer.Option(
        "--duration",
        metavar="TIME",
        help="Simulated time, such as '60 s' [default: the scenario's, or 220 s].",
    ),
]
WarmupOption = Annotated[
    str | None,
    typer.Option(
        "--warmup", metavar="TIME", help="Time before measuring begins [default: the scenario's, or 20 s]."
    ),
]
TableOption = Annotated[
    Table | None,
    typer.Option(
        "--table",
        help="Print raw values, distances from the best, or both [default: both; raw for a controller alone].",
        show_default=False,
    ),
]
CsvOption = Annotated[
    bool,
    typer.Option("--csv", help="Print the raw values as CSV, a row each; with --table distance the scores."),
]
PlotOption = Annotated[
    Path | None,
    typer.Option(
        "--plot",
        metavar="F.svg",
        help="Draw goodput over delay, how delays are distributed, bars with intervals and maps of distances (SVG, PDF or PNG); a file per "
        "setting.",
    ),
]
ReportOption = Annotated[
    Path | None,
    typer.Option(
        "--report", metavar="F.html", help="Write a report: one page for a browser, and its figures."
    ),
]


def command(
    context: typer.Context,
    controllers: ControllersArgument,
    scenario: ScenarioOption = None,
    path: PathOption = None,
    set_: SetOption = None,
    recovery: RecoveryOption = None,
    router: RouterOption = None,
    environment: EnvironmentOption = None,
    environment_file: EnvironmentFileOption = None,
    seeds: SeedsOption = None,
    until_decided: UntilDecidedOption = False,
    max_seeds: MaxSeedsOption = None,
    duration: DurationOption = None,
    warmup: WarmupOption = None,
    table: TableOption = None,
    csv: CsvOption = False,
    plot: PlotOption = None,
    report: ReportOption = None,
    store: StoreOption = None,
    fresh: FreshOption = False,
    shard: ShardOption = None,
    executor: ExecutorOption = Kind.LOCAL,
    scheduler: SchedulerOption = None,
    trust_network: TrustOption = False,
    plugin: PluginOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare controllers: raw values, distances from the best, and who leads in goodput, fairness, delay and loss.

    All controllers meet the same network, environments and seeds. Runs that are in the store are not repeated.

    Example: sawtooth compare 'aimd(1, 0.8)' tfrc --scenario examples/dumbbell.toml --set path.rtt='100 ms' --seeds 3 --plot compare.svg
    """
    _refuse(csv, as_json, table, report)
    deciding.check("compare", until_decided, max_seeds, False, None)
    if plot is not None:
        from sawtooth.report.figure_file import format_of

        format_of(plot)
    if shard is not None:
        _refuse_beside_shard(csv, table, plot, report, until_decided)
    work_by(context, executor, scheduler, trust_network)
    network: Path | dict[str, Any] | None = scenario
    if path is not None:
        from sawtooth.scenario.paths import COMPARED, file_on_path

        network = file_on_path(path, scenario, COMPARED)
    given: dict[str, Any] = {
        "controllers": controllers,
        "recoveries": recovery or (),
        "routers": router or (),
        "environments": environment or (),
        "seeds": seeds,
        "duration": duration,
        "warmup": warmup,
        "scenario": network,
        "environment_files": environment_file or (),
    }
    if shard is not None:
        run_part(shard, lambda: _plans(given, set_), store, fresh, as_json, "compare")
        return
    found = _compared(given, set_, store, fresh, until_decided, max_seeds)
    _show_all(found, plot, report, table, csv, as_json)


def _plans(given: dict[str, Any], set_: list[str] | None) -> list[Jobs]:
    """The runs of a comparison."""
    from sawtooth.experiment.compare import comparison_study
    from sawtooth.experiment.compared_network import values_of
    from sawtooth.experiment.perform import jobs_of

    return jobs_of(comparison_study(**given, values=values_of(set_ or ())))


def _compared(
    given: dict[str, Any],
    set_: list[str] | None,
    store: str | None,
    fresh: bool,
    until_decided: bool,
    most: int | None,
) -> Comparison:
    """The comparison, with as many seeds as it takes if that is asked for."""
    from sawtooth.experiment.stopping import MOST
    from sawtooth.papers.compare import compare, compare_until_decided
    from sawtooth.progress import progress_bar

    with progress_bar("compare") as progress:
        rest: dict[str, Any] = {"store": store, "fresh": fresh, "set": set_ or (), "progress": progress}
        if not until_decided:
            return compare(**given, **rest)
        found = compare_until_decided(**given, **rest, most=MOST if most is None else most)
    if found.stopping is not None:
        note(found.stopping.text)
    return found


def _show_all(
    found: Comparison, plot: Path | None, report: Path | None, table: Table | None, csv: bool, as_json: bool
) -> None:
    """Figures, report and tables, as asked for."""
    from sawtooth.progress import progress_bar

    with progress_bar("compare") as progress:
        if plot is not None or report is not None:
            progress.stage("drawing", 0, 1)
        drawn = _draw(found, plot)
        if report is not None:
            from sawtooth.report.write import write_report

            found = replace(found, report=report)
            write_report(found, report)
    _show(found, table, csv, as_json)
    if found.study.chosen:
        note(found.study.chosen)
    for file in drawn:
        note(f"drew {file}")
    if report is not None:
        note(f"report: {report}")


def _refuse(csv: bool, as_json: bool, table: Table | None, report: Path | None) -> None:
    """InputError for options that do not go together, before anything runs."""
    if csv and as_json:
        raise InputError("sawtooth compare", None, "--csv --json", "one of --csv and --json")
    if csv and table is Table.BOTH:
        accepted = "--table raw or --table distance beside --csv, which prints one table"
        raise InputError("sawtooth compare", "--table", table.value, accepted)
    if as_json and table is not None:
        raise InputError(
            "sawtooth compare", "--table", table.value, "no --table beside --json, which has all"
        )
    if report is not None and report.suffix not in (".html", ".htm"):
        raise InputError("sawtooth compare", "--report", str(report), "a file name that ends in .html")


def _refuse_beside_shard(
    csv: bool, table: Table | None, plot: Path | None, report: Path | None, until_decided: bool
) -> None:
    """InputError for options that want the whole."""
    given = {"--csv": csv, "--table": table, "--plot": plot, "--report": report}
    for option, value in (given | {"--until-decided": until_decided}).items():
        if value:
            accepted = f"no {option} beside --shard, which makes part of the runs"
            raise InputError("sawtooth compare", option, str(value), accepted)


def _draw(found: Comparison, path: Path | None) -> list[Path]:
    """Write the figures of a comparison; returns their files."""
    if path is None:
        return []
    from sawtooth.report.compare_figures import comparison_figures
    from sawtooth.report.drawing import save

    drawn = []
    for name, figure in comparison_figures(found).items():
        target = path if len(found.own) == 1 else path.with_name(f"{path.stem}_{name}{path.suffix}")
        save(figure, target)
        drawn.append(target)
    return drawn


def _show(found: Comparison, table: Table | None, csv: bool, as_json: bool) -> None:
    """Print the answer in the form that is asked for."""
    from sawtooth.cli.compare_tables import csv_text, print_raw, print_sentences
    from sawtooth.cli.scores import print_scores

    if as_json:
        emit_json(found.to_json())
        return
    if csv:
        emit_text(csv_text(found, scores=table is Table.DISTANCE))
        return
    usual = Table.BOTH if len(found.study.algorithm) > 1 else Table.RAW
    chosen = usual if table is None else table
    out = console()
    if chosen is not Table.DISTANCE:
        print_raw(out, found)
    if chosen is not Table.RAW:
        print_scores(out, found)
    print_sentences(out, found)

"""`sawtooth compare`: raw values, distances and who leads, for controllers over the same networks, environments and seeds."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sawtooth.cli import deciding
from sawtooth.cli.deciding import Deciding
from sawtooth.cli.options import unfolded
from sawtooth.cli.output import JsonOption, PluginOption, console, emit_json, emit_text, note
from sawtooth.cli.work import Runs, Workers
from sawtooth.errors import MISSING, InputError

if TYPE_CHECKING:
    from sawtooth.experiment.comparison import Comparison
    from sawtooth.experiment.perform import StudyJobs


class TableChoice(StrEnum):
    """Which tables are printed."""

    RAW = "raw"
    DISTANCE = "distance"
    BOTH = "both"


ControllersArgument = Annotated[
    list[str],
    typer.Argument(metavar="CONTROLLER", help="Controllers such as 'aimd(1, 0.8)', 'aiad(1, 3)' or maimd."),
]
ScenarioOption = Annotated[
    Path | None,
    typer.Option(
        "--scenario",
        metavar="FILE.toml",
        help="Your network; each controller in turn drives all of its test flows [default: ten flows over 100 Mbit/s, 110 ms].",
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
        "--recovery",
        metavar="R",
        help="Loss recovery: tahoe, reno, newreno, sack, rack or quic; may be repeated [default: the scenario's, or sack].",
    ),
]
RouterOption = Annotated[
    list[str] | None,
    typer.Option(
        "--router",
        metavar="Q",
        help="Router: drop-tail, red, ecn (red that marks), drr, rio, step, codel, fq-codel, dualpi2 or pie; may be repeated "
        "[default: the scenario's, or drop-tail].",
    ),
]
EnvironmentOption = Annotated[
    list[str] | None,
    typer.Option(
        "--environment",
        metavar="E",
        help='Changing bandwidth: a name, a call such as \'square(high="10 Mbit/s", low="1 Mbit/s", period="10 s")\', none, or a set: '
        "all (those that need no numbers), akella2002 (the 13 of that paper); may be repeated [default: the scenario's, or akella2002].",
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
    TableChoice | None,
    typer.Option(
        "--table",
        help="Print raw values, distances from the best, or both [default: both; for a controller alone there is raw only].",
        show_default=False,
    ),
]
CsvOption = Annotated[
    bool,
    typer.Option("--csv", help="Print raw values as CSV, one per row; with --table distance, scores."),
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


@dataclass(frozen=True)
class ComparedOptions:
    """What is compared, beside the controllers: the network, and what is varied over it."""

    scenario: ScenarioOption = None
    path: PathOption = None
    set_: SetOption = None
    recovery: RecoveryOption = None
    router: RouterOption = None
    environment: EnvironmentOption = None
    environment_file: EnvironmentFileOption = None
    seeds: SeedsOption = None
    duration: DurationOption = None
    warmup: WarmupOption = None

    def words(self) -> list[str]:
        """The options as a user types them."""
        found: list[str] = []
        for field in fields(self):
            value = getattr(self, field.name)
            for each in value if isinstance(value, list) else [] if value is None else [value]:
                found += [f"--{field.name.rstrip('_').replace('_', '-')}", str(each)]
        return found

    def given(self, controllers: list[str]) -> dict[str, Any]:
        """The arguments of a comparison, but for --set."""
        network: Path | dict[str, Any] | None = self.scenario
        if self.path is not None:
            from sawtooth.scenario.paths import COMPARED, file_on_path

            network = file_on_path(self.path, self.scenario, COMPARED)
        return {
            "controllers": controllers,
            "recoveries": self.recovery or (),
            "routers": self.router or (),
            "environments": self.environment or (),
            "seeds": self.seeds,
            "duration": self.duration,
            "warmup": self.warmup,
            "scenario": network,
            "environment_files": self.environment_file or (),
        }


@dataclass(frozen=True)
class Shown:
    """What is printed and drawn."""

    table: TableOption = None
    csv: CsvOption = False
    plot: PlotOption = None
    report: ReportOption = None


@unfolded
def command(
    context: typer.Context,
    controllers: ControllersArgument,
    compared: ComparedOptions,
    seeding: Deciding,
    shown: Shown,
    runs: Runs,
    workers: Workers,
    plugin: PluginOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare controllers: raw values, distances from the best, and who leads in goodput, fairness, delay and loss.

    All controllers meet the same network, environments and seeds. Runs that are in the store are not repeated.

    Example: sawtooth compare 'aimd(1, 0.8)' tfrc --scenario examples/dumbbell.toml --set path.rtt='100 ms' --seeds 3 --plot compare.svg
    """
    _refuse(shown, as_json, alone=len(controllers) == 1)
    deciding.check("compare", seeding.until_decided, seeding.max_seeds, False, None)
    if shown.plot is not None:
        from sawtooth.report.figure_file import format_of

        format_of(shown.plot)
    if runs.shard is not None:
        _refuse_beside_shard(shown, seeding.until_decided)
    workers.begin(context)
    given = compared.given(controllers)
    if runs.shard is not None:
        runs.make_shard(lambda: _plans(given, compared.set_), as_json, "compare")
        return
    found = _compared(given, compared.set_, runs, seeding)
    from sawtooth.papers.typed_options import typed_options  # of no use before there is something to name

    typed = typed_options(plugin, runs.store)
    words = ["sawtooth", "compare", *controllers, *compared.words(), *seeding.words()]
    found = replace(found, command=shlex.join([*words, *typed.words(loads=True)]), typed=typed)
    _show_all(found, shown, as_json)


def _plans(given: dict[str, Any], set_: list[str] | None) -> list[StudyJobs]:
    """The runs of a comparison."""
    from sawtooth.experiment.compare import comparison_study
    from sawtooth.experiment.compared_network import values_of
    from sawtooth.experiment.perform import jobs_of

    return jobs_of(comparison_study(**given, values=values_of(set_ or ())))


def _compared(given: dict[str, Any], set_: list[str] | None, runs: Runs, seeding: Deciding) -> Comparison:
    """The comparison, with as many seeds as it takes if that is asked for."""
    from sawtooth.experiment.stopping import MOST
    from sawtooth.papers.compare import compare, compare_until_decided
    from sawtooth.progress import progress_bar

    with progress_bar("compare") as progress:
        rest: dict[str, Any] = {"store": runs.store, "fresh": runs.fresh, "set": set_ or ()}
        rest["progress"] = progress
        if not seeding.until_decided:
            return compare(**given, **rest)
        most = MOST if seeding.max_seeds is None else seeding.max_seeds
        found = compare_until_decided(**given, **rest, most=most)
    if found.stopping is not None:
        note(found.stopping.text)
    return found


def _show_all(found: Comparison, shown: Shown, as_json: bool) -> None:
    """Figures, report and tables, as asked for."""
    from sawtooth.progress import progress_bar

    plot, report = shown.plot, shown.report
    with progress_bar("compare") as progress:
        if plot is not None or report is not None:
            progress.stage("drawing", 0, 1)
        drawn = _draw(found, plot)
        if report is not None:
            from sawtooth.report.write import write_report

            found = replace(found, report=report)
            write_report(found, report)
    _show(found, shown.table, shown.csv, as_json)
    for sentence in found.study.chosen:
        note(sentence)
    for file in drawn:
        note(f"drew {file}")
    if report is not None:
        note(f"report: {report}")


def _refuse(shown: Shown, as_json: bool, *, alone: bool) -> None:
    """InputError for options that do not go together, before anything runs."""
    csv, table, report = shown.csv, shown.table, shown.report
    if csv and as_json:
        raise InputError("sawtooth compare", None, "--csv --json", "one of --csv and --json")
    if csv and table is TableChoice.BOTH:
        accepted = "--table raw or --table distance beside --csv, which prints one table"
        raise InputError("sawtooth compare", "--table", table.value, accepted)
    if as_json and table is not None:
        raise InputError(
            "sawtooth compare", "--table", table.value, "no --table beside --json, which has all"
        )
    if alone and table in (TableChoice.DISTANCE, TableChoice.BOTH):
        accepted = "raw for a controller alone: a distance is that from the best of several"
        raise InputError("sawtooth compare", "--table", table.value, accepted)
    if report is not None and report.suffix not in (".html", ".htm"):
        raise InputError("sawtooth compare", "--report", str(report), "a file name that ends in .html")


def _refuse_beside_shard(shown: Shown, until_decided: bool) -> None:
    """InputError for options that want the whole."""
    given = {"--csv": shown.csv, "--table": shown.table, "--plot": shown.plot, "--report": shown.report}
    for option, value in (given | {"--until-decided": until_decided}).items():
        if value:
            accepted = f"no {option} beside --shard, which makes part of the runs"
            written = MISSING if value is True else str(value)
            raise InputError("sawtooth compare", option, written, accepted)


def _draw(found: Comparison, path: Path | None) -> list[Path]:
    """Write the figures of a comparison; returns their files."""
    if path is None:
        return []
    from sawtooth.report.compare_figures import comparison_figures
    from sawtooth.report.drawing import save

    drawn = []
    for name, figure in comparison_figures(found.own).items():
        target = path if len(found.own) == 1 else path.with_name(f"{path.stem}_{name}{path.suffix}")
        save(figure, target)
        drawn.append(target)
    return drawn


def _show(found: Comparison, table: TableChoice | None, csv: bool, as_json: bool) -> None:
    """Print the answer in the form that is asked for."""
    from sawtooth.cli.compare_tables import csv_text, print_raw, print_sentences
    from sawtooth.cli.scores import print_algorithms, print_scores

    if as_json:
        emit_json(found.to_json())
        return
    if csv:
        emit_text(csv_text(found, scores=table is TableChoice.DISTANCE))
        return
    usual = TableChoice.BOTH if len(found.study.algorithm) > 1 else TableChoice.RAW
    chosen = usual if table is None else table
    out = console()
    if chosen is not TableChoice.DISTANCE:
        print_raw(out, found)
    if chosen is not TableChoice.RAW:
        print_scores(out, found)
    print_algorithms(out, [found])
    print_sentences(out, found)

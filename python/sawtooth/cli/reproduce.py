"""`sawtooth reproduce`: run a study of a paper or a file of the user's, show our numbers beside those of the paper, judge its claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from sawtooth.cli import deciding
from sawtooth.cli.deciding import Again
from sawtooth.cli.options import unfolded
from sawtooth.cli.output import JsonOption, PluginOption, console, emit_json, note
from sawtooth.cli.work import ExecutorName, Runs, Workers
from sawtooth.errors import InputError

if TYPE_CHECKING:
    from sawtooth.experiment.reproduction import Reproduction
    from sawtooth.experiment.variation import Sensitivity
    from sawtooth.papers.further import Further, Made
    from sawtooth.progress import ProgressCallback
    from sawtooth.scenario.resolve import Resolved


NameArgument = Annotated[
    str,
    typer.Argument(
        metavar="NAME|FILE.toml",
        help="PAPER/FIGURE, or PAPER for all of its studies; or a study file of your own, or a directory of such.",
    ),
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
NoReportOption = Annotated[
    bool, typer.Option("--no-report", help="Print tables and verdicts, and write no report.")
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Another value for an open parameter, such as tcp.min_rto='200 ms'; may be repeated.",
    ),
]
ConfigurationOption = Annotated[
    str | None,
    typer.Option(
        "--configuration",
        metavar="NAME",
        help="A set-up of the paper by name, such as faithful for akella2002 [default: that of the study files].",
    ),
]
SensitivityOption = Annotated[
    bool,
    typer.Option(
        "--sensitivity",
        help="Vary each open parameter through its plausible values, and show which verdicts and orders change; --quick for a first look.",
    ),
]
ParameterOption = Annotated[
    list[str] | None,
    typer.Option(
        "--parameter",
        metavar="KEY",
        help="With --sensitivity: this parameter; with --reconstruct: every combination of the values of these; may be repeated.",
    ),
]
BesideOption = Annotated[
    list[str] | None,
    typer.Option(
        "--beside",
        metavar="PART",
        help="With --sensitivity: another part of the paper, which is varied alike, for claims that compare the two; may be repeated.",
    ),
]
ScreenOption = Annotated[
    bool | None,
    typer.Option(
        "--screen/--no-screen",
        help="With --sensitivity: try each value with one seed first, and use all seeds only for values that change something "
        "[default: for a paper].",
    ),
]
ReconstructOption = Annotated[
    bool,
    typer.Option(
        "--reconstruct",
        help="Find the combination of open values that explains the paper's tables best: a designed sweep, up to three hours on one core.",
    ),
]
CombinationsOption = Annotated[
    int | None,
    typer.Option(
        "--combinations", metavar="N", min=2, help="With --reconstruct: combinations [default: 300]."
    ),
]
FinalistsOption = Annotated[
    int | None,
    typer.Option(
        "--finalists",
        metavar="N",
        min=0,
        help="With --reconstruct: combinations at full length [default: 5].",
    ),
]
BudgetOption = Annotated[
    str | None,
    typer.Option(
        "--budget",
        metavar="TIME",
        help="With --reconstruct: begin no further combination after this time, such as '30 min'.",
    ),
]
MarkdownOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--markdown",
        metavar="FILE.md",
        help="Also fill the marked places of a Markdown page; may be repeated. A part of a paper fills only its own places, "
        "and --confirm the one named NAME confirmation.",
    ),
]


@dataclass(frozen=True)
class Length:
    """How much is run, and with which values."""

    seeds: SeedsOption = None
    quick: QuickOption = False
    set_: SetOption = None
    configuration: ConfigurationOption = None

    @property
    def values(self) -> dict[str, object]:
        """The values of --set by key."""
        from sawtooth.scenario.overrides import parse_override

        return dict(parse_override(text) for text in self.set_ or [])


@dataclass(frozen=True)
class Pages:
    """Where the report goes, and which pages are filled."""

    report: ReportOption = None
    no_report: NoReportOption = False
    markdown: MarkdownOption = None


@dataclass(frozen=True)
class SensitivityOptions:
    """What open parameters change."""

    sensitivity: SensitivityOption = False
    parameter: ParameterOption = None
    beside: BesideOption = None
    screen: ScreenOption = None


@dataclass(frozen=True)
class ReconstructionOptions:
    """Which open values explain the printed tables."""

    reconstruct: ReconstructOption = False
    combinations: CombinationsOption = None
    finalists: FinalistsOption = None
    budget: BudgetOption = None


@unfolded
def command(
    context: typer.Context,
    name: NameArgument,
    length: Length,
    pages: Pages,
    again: Again,
    sensitivity: SensitivityOptions,
    reconstruction: ReconstructionOptions,
    runs: Runs,
    workers: Workers,
    plugin: PluginOption = None,
    as_json: JsonOption = False,
) -> None:
    """Reproduce a figure or a paper, or run a study of your own: scores, a verdict for every claim, an HTML report.

    Runs that are in the store are not repeated, so an interrupted command continues where it stopped. A claim that fails is a
    result, not an error: the exit code is 0.

    akella2002/body is that paper without its appendix, which takes longer than all the rest.

    PAPER/mathematics judges the claims that follow from the formulas alone and needs no runs. The study called mathematics compares runs
    with the formulas.

    A study of your own is a file with controllers, environments and claims: `sawtooth new study` writes one to begin with.

    --configuration takes another set-up of a paper, such as faithful for akella2002, the one nearest to what its authors' simulator did.

    --sensitivity shows which verdicts and orders depend on parameters that the paper leaves open. It uses as many seeds and as long runs
    as the study; --quick, --seeds, --set duration=... and --set warmup=... change that. For a paper it covers the main studies and
    simulates each cell once. --parameter limits it to some parameters. --beside runs other parts as well, with which claims compare.

    --confirm judges the claims again on fresh seeds; --markdown then fills the place of the page that says what became of the verdicts.
    --verdicts takes those to be confirmed from a page, so that only fresh seeds are run.

    --until-decided adds seeds until each claim is decided. It uses wider intervals, which stay valid however often one looks:
    docs/deciding.md.

    --reconstruct can be stopped and continued: any number of finished combinations gives an answer. With --parameter it crosses the
    values of some parameters, and says which of them the printed tables rule out.

    Example: sawtooth reproduce akella2002/fig4 --quick
    """
    from sawtooth.papers.catalogue import further, known_names
    from sawtooth.papers.own import is_own
    from sawtooth.run.used import watching

    context.with_resource(watching())  # pages say what their blocks rest on
    known, own = known_names(), is_own(name)
    if name not in known and not own:
        accepted = f"a study file that ends in .toml, a directory of such, or one of {', '.join(known)}"
        raise InputError("reproduce", None, name, accepted)
    chosen = _by_option(length, pages, again, sensitivity, reconstruction, runs)
    chosen["executor"] = workers.executor is ExecutorName.DASK
    deciding.check("reproduce", again.until_decided, again.max_seeds, again.confirm, again.seeds_from)
    _only_beside("confirm", ("verdicts",), chosen)
    _only_beside("sensitivity", ("beside", "screen"), chosen)
    _only_beside("reconstruct" if chosen["reconstruct"] else "sensitivity", ("parameter",), chosen)
    _only_beside("reconstruct", ("combinations", "finalists", "budget"), chosen)
    if own:
        of_papers = ("markdown", "sensitivity", "reconstruct", "configuration", "verdicts")
        refuse("for a study file", chosen, of_papers)
    other = further(name)
    if other is not None and "shard" not in other.takes:
        refuse(f"for {name}, which makes no runs", chosen, ("shard", "executor"))
    asked = ReproduceOptions(name, other, length, runs, _set_up(name, length.configuration, chosen, other))
    if runs.shard is not None:
        whole = ("report", "no-report", "markdown", "sensitivity", "reconstruct", "confirm", "until-decided")
        refuse("beside --shard", chosen, whole)
        workers.begin(context)
        _shard(asked, chosen, as_json)
        return
    out = _output(asked, pages, sensitivity.sensitivity, as_json)
    _refuse_beside_mode(asked, chosen)
    workers.begin(context)
    _carry_out(asked, out, again, sensitivity, reconstruction, plugin or ())


@dataclass(frozen=True)
class ReproduceOptions:
    """What is reproduced, how much of it is run, and where its runs are kept."""

    name: str
    other: Further | None
    """What the name means where it is no study of scenarios."""
    length: Length
    runs: Runs
    set_up: str | None
    """The configuration that was asked for, if it has values of its own."""

    def plain(self) -> tuple[str, str | None, int | None, bool, dict[str, object]]:
        """Name, store, seeds, whether quick, and values, as verdicts on fresh seeds take them."""
        return self.name, self.runs.store, self.length.seeds, self.length.quick, self.length.values


@dataclass(frozen=True)
class Output:
    """Where the results go."""

    report: Path | Literal[False] | None
    """Where the report goes, None for the usual place, False for nowhere."""
    markdown: Sequence[Path]
    as_json: bool


def _by_option(*groups: object) -> dict[str, Any]:
    """The values of groups of options by the name of the option."""
    return {
        name.rstrip("_").replace("_", "-"): value for group in groups for name, value in vars(group).items()
    }


def _output(asked: ReproduceOptions, pages: Pages, sensitivity: bool, as_json: bool) -> Output:
    """Where the results go. InputError for a page that cannot be filled, before anything is run."""
    if pages.markdown:
        from sawtooth.report.markdown import check_page

        any_length = sensitivity or (asked.other is not None and asked.other.quick_pages)
        usual = not (asked.length.quick or asked.length.set_ or asked.set_up)
        for page in pages.markdown:
            check_page(page, as_it_stands=any_length or usual)
    if pages.no_report and pages.report:
        raise InputError("reproduce", "--report", pages.report, "no such option beside --no-report")
    if pages.report is not None and pages.report.suffix not in (".html", ".htm"):
        raise InputError("reproduce", "--report", str(pages.report), "a file name that ends in .html")
    return Output(False if pages.no_report else pages.report, pages.markdown or [], as_json)


def _refuse_beside_mode(asked: ReproduceOptions, chosen: Mapping[str, object]) -> None:
    """InputError for an option that means nothing in what is asked for."""
    if chosen["reconstruct"]:
        others = ("quick", "fresh", "sensitivity", "seeds", "set", "confirm", "until-decided")
        refuse("beside --reconstruct", chosen, others)
        if chosen["parameter"]:
            refuse("beside --reconstruct --parameter", chosen, ("combinations", "finalists"))
    elif asked.other is not None:
        everything = {"seeds", "quick", "set", "fresh", "markdown", "sensitivity", "confirm", "until-decided"}
        refuse(f"for {asked.name}", chosen, sorted(everything - asked.other.takes))
        if chosen["sensitivity"]:
            refuse("beside --sensitivity", chosen, ("fresh",))
            refuse(f"beside --sensitivity for {asked.name}", chosen, ("beside", "screen"))
    elif chosen["sensitivity"]:
        refuse("beside --sensitivity", chosen, ("fresh", "confirm", "until-decided"))
    elif chosen["confirm"] or chosen["until-decided"]:
        refuse("beside --confirm and --until-decided", chosen, ("fresh",))
        if chosen["confirm"]:
            refuse("beside --confirm", chosen, ("report",))
            if chosen["verdicts"]:
                refuse("beside --verdicts", chosen, ("seeds", "quick", "set"))
        else:
            refuse("beside --until-decided", chosen, ("markdown",))


def _set_up(name: str, wanted: str | None, chosen: Mapping[str, object], other: Further | None) -> str | None:
    """The name of the configuration that was asked for, if it has values of its own. InputError where it means nothing."""
    if wanted is None:
        return None
    from sawtooth.papers.configurations import configuration

    for mode in ("sensitivity", "reconstruct", "confirm", "until-decided"):
        if chosen[mode]:
            refuse(f"beside --{mode}", chosen, ("configuration",))
    if other is not None:
        refuse(f"for {name}", chosen, ("configuration",))
    return wanted if configuration(name, wanted).values else None


def _carry_out(
    asked: ReproduceOptions,
    output: Output,
    again: Again,
    sensitivity: SensitivityOptions,
    reconstruction: ReconstructionOptions,
    plugins: Sequence[Path],
) -> None:
    """What was asked for, when it is known to make sense."""
    if reconstruction.reconstruct:
        _reconstruct(asked, output, reconstruction, sensitivity.parameter or [])
    elif sensitivity.sensitivity:
        _sensitivity(asked, output, sensitivity, plugins)
    elif asked.other is not None:
        _further(asked, asked.other, output)
    elif again.confirm:
        deciding.confirmed(*asked.plain(), again.seeds_from, output.markdown, output.as_json, again.verdicts)
    elif again.until_decided:
        beside = (again.seeds_from, again.max_seeds, output.report, plugins)
        _decided(asked, output, deciding.decided(*asked.plain(), *beside))
    else:
        _studies(asked, output, plugins)


def _shard(asked: ReproduceOptions, chosen: Mapping[str, object], as_json: bool) -> None:
    """A shard of the runs, nothing else."""
    from sawtooth.papers.further import Request
    from sawtooth.papers.reproduce import jobs_of

    name, other, length = asked.name, asked.other, asked.length
    if other is not None:
        refuse(f"for {name}", chosen, sorted({"seeds", "quick", "set", "fresh", "shard"} - other.takes))

    def plans() -> Sequence[Sequence[Resolved]]:
        if other is not None:
            return [other.jobs(Request(seeds=length.seeds, quick=length.quick))]
        return jobs_of(name, length.seeds, length.quick, length.values, asked.set_up)

    asked.runs.make_shard(plans, as_json, name)


def _studies(asked: ReproduceOptions, output: Output, plugins: Sequence[Path]) -> None:
    """A study or a paper: numbers, verdicts, report, pages."""
    from sawtooth.papers.own import is_own
    from sawtooth.papers.reproduce import reproduce
    from sawtooth.progress import progress_bar
    from sawtooth.run.runner import default_threads

    name = asked.name
    with progress_bar(name) as progress:
        found = reproduce(
            name,
            asked.length.seeds,
            asked.length.quick,
            asked.runs.store,
            asked.runs.fresh,
            output.report,
            asked.length.values,
            progress=progress,
            processes=default_threads(),
            stages=progress.stage,
            configuration=asked.set_up,
            plugins=plugins,
        )
    for page in output.markdown:
        from sawtooth.papers.markdown import update  # of no use where no page is filled

        left = update(page, found)
        if left:
            whole = f"sawtooth reproduce {name.partition('/')[0]} --markdown {page}"
            note(f"{page}: {', '.join(left)} left as they are, since they are about the whole paper: {whole}")
    if output.as_json:
        emit_json(found.to_json())
    else:
        _print(found, evidence=is_own(name))


def _decided(asked: ReproduceOptions, output: Output, found: Reproduction) -> None:
    """What was judged with as many seeds as it took: numbers and verdicts."""
    from sawtooth.papers.own import is_own

    if output.as_json:
        emit_json(found.to_json())
    else:
        _print(found, evidence=is_own(asked.name))


def _print(found: Reproduction, evidence: bool) -> None:
    """Scores and verdicts, for a few claims with what each rests on."""
    from sawtooth.cli.scores import print_algorithms, print_evidence, print_part, print_verdicts
    from sawtooth.report.tables import duration_text

    out = console()
    for part in found.parts:
        if len(found.parts) > 1:
            out.print(f"{part.study.name}: {part.study.title}", style="bold")
        print_part(out, part)
    print_algorithms(out, found.parts)
    print_verdicts(out, found)
    if evidence:
        print_evidence(out, found.judged)
    if found.executed:
        from sawtooth.plurals import number_of

        note(
            f"{found.executed:,} of {number_of(len(found.run_ids), 'run')} simulated, in {duration_text(found.wall_s)}"
        )
    _say_report(found.report)


def _say_report(report: Path | None) -> None:
    if report is not None:
        note(f"report: {report}")


def _sensitivity(
    asked: ReproduceOptions, output: Output, given: SensitivityOptions, plugins: Sequence[Path]
) -> None:
    """Which verdicts and orders turn when an open parameter takes another plausible value."""
    from sawtooth.cli.scores import print_sensitivity
    from sawtooth.papers import PAPERS
    from sawtooth.papers.typed_options import typed_options
    from sawtooth.progress import progress_bar
    from sawtooth.report.sensitivity import update_page, write_sensitivity  # matplotlib takes long to load
    from sawtooth.run.store import Store

    store = asked.runs.store
    with progress_bar(f"{asked.name} sensitivity") as progress:
        found = _varied(asked, given, progress)
        file = f"{found.name.replace('/', '_')}-sensitivity.html"
        path = _path(output, Store(store).path / "reports" / file)
        if path is not None:
            progress.stage("drawing", 0, 1)
            write_sensitivity(found, path, typed_options(plugins, store))
    for page in output.markdown:
        update_page(page, found, PAPERS)
    if output.as_json:
        emit_json({**found.to_json(), "report": None if path is None else str(path)})
        return
    print_sensitivity(console(), found)
    _say_report(path)


def _varied(asked: ReproduceOptions, given: SensitivityOptions, progress: ProgressCallback) -> Sensitivity:
    """The open parameters varied, of studies of scenarios or of something else."""
    from sawtooth.papers.further import Request
    from sawtooth.papers.sensitivity import sensitivity

    length, store, keys = asked.length, asked.runs.store, given.parameter or []
    if asked.other is not None:
        order = Request(store, seeds=length.seeds, quick=length.quick, progress=progress)
        return asked.other.sensitivity(order, keys)
    return sensitivity(
        asked.name,
        length.seeds,
        store,
        keys,
        length.values,
        progress=progress,
        screen=given.screen,
        quick=length.quick,
        beside=given.beside or [],
    )


def _path(output: Output, usual: Path) -> Path | None:
    """Where a report goes, if anywhere."""
    return None if output.report is False else output.report or usual


def _further(asked: ReproduceOptions, other: Further, output: Output) -> None:
    """What is no study of scenarios: its tables, its claims, its report."""
    from sawtooth.papers.further import Request
    from sawtooth.progress import progress_bar

    length, runs = asked.length, asked.runs
    with progress_bar(asked.name) as progress:
        order = Request(runs.store, output.report, length.seeds, length.quick, runs.fresh, progress)
        made = other.reproduce(order)
    for page in output.markdown:
        other.update_page(page, made)
    _show(made, output.as_json)


def _reconstruct(
    asked: ReproduceOptions, output: Output, given: ReconstructionOptions, keys: Sequence[str]
) -> None:
    """Which open values explain the printed tables of a paper: of all parameters, or of ``keys`` alone."""
    from sawtooth.papers import PAPERS
    from sawtooth.papers.further import ReconstructionExtent, Request
    from sawtooth.progress import progress_bar
    from sawtooth.report.markdown import check_page

    extent = ReconstructionExtent(keys, given.combinations, given.finalists, budget_of(given.budget))
    paper = PAPERS.get(asked.name)
    tool = None if paper is None else paper.load_reconstructor()
    if tool is None:
        able = [entry.name for entry in PAPERS.values() if entry.reconstruction]
        raise InputError(
            "reproduce", "--reconstruct", asked.name, f"a paper with printed tables: {', '.join(able)}"
        )
    for page in output.markdown:
        check_page(page, names=tool.blocks(keys))
    with progress_bar(f"{asked.name} reconstruction") as progress:
        order = Request(asked.runs.store, output.report, progress=progress)
        made = tool.reconstruct(order, extent)
    for page in output.markdown:
        tool.update_page(page, made)
    _show(made, output.as_json)


def _show(made: Made, as_json: bool) -> None:
    from sawtooth.cli.scores import print_judged, print_table

    if as_json:
        emit_json(made.to_json())
        return
    out = console()
    for entry in made.tables():
        print_table(out, entry)
    if made.judged:
        print_judged(out, made.name, made.judged)
    _say_report(made.report)


def _only_beside(mode: str, options: Sequence[str], chosen: Mapping[str, object]) -> None:
    """InputError for an option that means something beside another alone."""
    for option in options:
        if chosen[option] is not None and not chosen[mode]:
            shown = ", ".join(value) if isinstance(value := chosen[option], list) else value
            raise InputError("reproduce", f"--{option}", shown, f"this option only beside --{mode}")


def refuse(where: str, chosen: Mapping[str, object], options: Sequence[str]) -> None:
    """InputError for the first of the options that is given although it means nothing there."""
    for option in options:
        if chosen[option]:
            raise InputError("reproduce", f"--{option}", chosen[option], f"no such option {where}")


def budget_of(text: str | None) -> float | None:
    """A budget of time in seconds."""
    from sawtooth.scenario.units import parse_time

    if text is None:
        return None
    try:
        return parse_time(text) / 1e9
    except ValueError as error:
        raise InputError("reproduce", "--budget", text, str(error)) from None

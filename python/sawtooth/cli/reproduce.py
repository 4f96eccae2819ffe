"""`sawtooth reproduce`: run a study of a paper or a file of the user's, show our numbers beside the printed ones, judge its claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from sawtooth.cli import deciding
from sawtooth.cli.compare import FreshOption
from sawtooth.cli.deciding import ConfirmOption, MaxSeedsOption, SeedsFromOption, UntilDecidedOption
from sawtooth.cli.executor import ExecutorOption, Kind, SchedulerOption, TrustOption, work_by
from sawtooth.cli.output import JsonOption, PluginOption, StoreOption, console, emit_json, note
from sawtooth.cli.shard import ShardOption
from sawtooth.cli.shard import run as run_part
from sawtooth.errors import InputError

if TYPE_CHECKING:
    from sawtooth.experiment.reproduction import Reproduction
    from sawtooth.papers.further import Further, Made
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
    bool, typer.Option("--no-report", help="Write no report; the tables and verdicts alone.")
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
        help="Vary each open parameter through its plausible values: which verdicts and orders turn, and which stay; --quick takes a look.",
    ),
]
ParameterOption = Annotated[
    list[str] | None,
    typer.Option("--parameter", metavar="KEY", help="With --sensitivity: this parameter; may be repeated."),
]
ScreenOption = Annotated[
    bool | None,
    typer.Option(
        "--screen/--no-screen",
        help="With --sensitivity: look at each value with one seed first, and judge those that move something with all seeds "
        "[default: for a paper].",
    ),
]
ReconstructOption = Annotated[
    bool,
    typer.Option(
        "--reconstruct",
        help="Which combination of open values explains the printed tables best: a designed sweep, up to three hours of one core.",
    ),
]
CombinationsOption = Annotated[
    int | None,
    typer.Option(
        "--combinations", metavar="N", min=2, help="With --reconstruct: combinations [default: 96]."
    ),
]
FinalistsOption = Annotated[
    int | None,
    typer.Option(
        "--finalists",
        metavar="N",
        min=0,
        help="With --reconstruct: combinations at full length [default: 10].",
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
        help="Also fill the marked places of a Markdown page; may be repeated. A part of a paper fills its own alone.",
    ),
]


def command(
    context: typer.Context,
    name: NameArgument,
    seeds: SeedsOption = None,
    quick: QuickOption = False,
    set_: SetOption = None,
    configuration: ConfigurationOption = None,
    store: StoreOption = None,
    fresh: FreshOption = False,
    report: ReportOption = None,
    no_report: NoReportOption = False,
    markdown: MarkdownOption = None,
    confirm: ConfirmOption = False,
    until_decided: UntilDecidedOption = False,
    max_seeds: MaxSeedsOption = None,
    seeds_from: SeedsFromOption = None,
    sensitivity_: SensitivityOption = False,
    parameter: ParameterOption = None,
    screen: ScreenOption = None,
    reconstruct_: ReconstructOption = False,
    combinations: CombinationsOption = None,
    finalists: FinalistsOption = None,
    budget: BudgetOption = None,
    shard: ShardOption = None,
    executor: ExecutorOption = Kind.LOCAL,
    scheduler: SchedulerOption = None,
    trust_network: TrustOption = False,
    plugin: PluginOption = None,
    as_json: JsonOption = False,
) -> None:
    """Reproduce a figure or a paper, or perform a study of your own: scores, a verdict for every claim, an HTML report.

    Runs that are in the store are not repeated, so an interrupted command continues where it stopped. A failing claim is a result: exit 0.

    PAPER/mathematics judges the claims that follow from the formulas alone and needs no runs. The study called mathematics compares runs
    with the formulas.

    A study of your own is a file with controllers, environments and claims: `sawtooth new study` writes one to begin with.

    --configuration takes another set-up of a paper, such as faithful for akella2002, the one nearest to what its authors' simulator did.

    --sensitivity shows which verdicts and orders depend on open parameters, on seeds and runs of the study's own number and length. For a
    paper it takes the main studies and simulates each cell once. --parameter limits it; --quick, --seeds, --set duration=... and --set
    warmup=... change its length.

    --confirm judges the claims again on fresh seeds. --until-decided adds seeds until each claim is decided, which is honest only with its
    intervals: docs/deciding.md.

    --reconstruct may be stopped and continued. Any number of finished combinations gives an answer; more of them give a surer one.

    Example: sawtooth reproduce akella2002/fig4 --quick
    """
    from sawtooth.papers.catalogue import further, known_names
    from sawtooth.papers.own import is_own
    from sawtooth.report.markdown import check_page
    from sawtooth.run.used import watching

    context.with_resource(watching())  # pages say what their blocks rest on
    known, own = known_names(), is_own(name)
    if name not in known and not own:
        accepted = f"a study file that ends in .toml, a directory of such, or one of {', '.join(known)}"
        raise InputError("reproduce", None, name, accepted)
    chosen = {
        "seeds": seeds,
        "quick": quick,
        "set": set_,
        "configuration": configuration,
        "fresh": fresh,
        "markdown": markdown,
        "sensitivity": sensitivity_,
        "parameter": parameter,
        "screen": screen,
        "reconstruct": reconstruct_,
        "combinations": combinations,
        "finalists": finalists,
        "budget": budget,
        "report": report,
        "no-report": no_report,
        "shard": shard,
        "executor": executor is Kind.DASK,
        "confirm": confirm,
        "until-decided": until_decided,
    }
    deciding.check("reproduce", until_decided, max_seeds, confirm, seeds_from)
    _only_beside("sensitivity", ("parameter", "screen"), chosen)
    _only_beside("reconstruct", ("combinations", "finalists", "budget"), chosen)
    if own:
        refuse("for a study file", chosen, ("markdown", "sensitivity", "reconstruct", "configuration"))
    other = further(name)
    if other is not None and "shard" not in other.takes:
        refuse(f"for {name}, which makes no runs", chosen, ("shard", "executor"))
    set_up = _set_up(name, configuration, chosen, other)
    if shard is not None:
        whole = ("report", "no-report", "markdown", "sensitivity", "reconstruct", "confirm", "until-decided")
        refuse("beside --shard", chosen, whole)
        work_by(context, executor, scheduler, trust_network)
        _part(name, shard, store, seeds, quick, fresh, _values(set_), set_up, chosen, as_json)
        return
    any_length = sensitivity_ or (other is not None and other.quick_pages)
    for page in markdown or []:  # before anything is run
        check_page(page, as_it_stands=any_length or not (quick or set_ or set_up))
    if no_report:
        refuse("beside --no-report", chosen, ("report",))
    out = Output(store, False if no_report else report, markdown or [], as_json)
    if reconstruct_:
        others = ("quick", "fresh", "sensitivity", "seeds", "set", "confirm", "until-decided")
        refuse("beside --reconstruct", chosen, others)
        work_by(context, executor, scheduler, trust_network)
        _reconstruct(name, out, combinations, finalists, budget_of(budget))
    elif other is not None:
        everything = {"seeds", "quick", "set", "fresh", "markdown", "sensitivity", "confirm", "until-decided"}
        refuse(f"for {name}", chosen, sorted(everything - other.takes))
        work_by(context, executor, scheduler, trust_network)
        _further(name, other, out, seeds, quick, fresh)
    elif sensitivity_:
        refuse("beside --sensitivity", chosen, ("fresh", "confirm", "until-decided"))
        work_by(context, executor, scheduler, trust_network)
        _sensitivity(name, out, seeds, parameter or [], _values(set_), screen, quick)
    elif confirm or until_decided:
        refuse("beside --confirm and --until-decided", chosen, ("fresh", "markdown"))
        work_by(context, executor, scheduler, trust_network)
        given = (name, store, seeds, quick, _values(set_), seeds_from)
        if confirm:
            refuse("beside --confirm", chosen, ("report",))
            deciding.confirmed(*given, as_json)
        else:
            _decided(name, out, deciding.decided(*given, max_seeds))
    else:
        work_by(context, executor, scheduler, trust_network)
        _studies(name, out, seeds, quick, fresh, _values(set_), set_up)


def _set_up(name: str, wanted: str | None, chosen: Mapping[str, object], other: Further | None) -> str | None:
    """The name of the configuration that was asked for, if it has values of its own. InputError where it means nothing."""
    from sawtooth.papers.configurations import configuration

    if wanted is None:
        return None
    for mode in ("sensitivity", "reconstruct", "confirm", "until-decided"):
        if chosen[mode]:
            refuse(f"beside --{mode}", chosen, ("configuration",))
    if other is not None:
        refuse(f"for {name}", chosen, ("configuration",))
    return wanted if configuration(name, wanted).values else None


def _part(
    name: str,
    shard: str,
    store: str | None,
    seeds: int | None,
    quick: bool,
    fresh: bool,
    varied: Mapping[str, object],
    set_up: str | None,
    chosen: Mapping[str, object],
    as_json: bool,
) -> None:
    """Part of the runs, nothing else."""
    from sawtooth.papers.catalogue import further
    from sawtooth.papers.further import Order
    from sawtooth.papers.reproduce import jobs_of

    other = further(name)
    if other is not None:
        refuse(f"for {name}", chosen, sorted({"seeds", "quick", "set", "fresh", "shard"} - other.takes))

    def plans() -> Sequence[Sequence[Resolved]]:
        if other is not None:
            return [other.jobs(Order(seeds=seeds, quick=quick))]
        return jobs_of(name, seeds, quick, varied, set_up)

    run_part(shard, plans, store, fresh, as_json, name)


@dataclass(frozen=True)
class Output:
    """Where the results go."""

    store: str | None
    report: Path | Literal[False] | None
    """Where the report goes, None for the usual place, False for nowhere."""
    markdown: Sequence[Path]
    as_json: bool


def _studies(
    name: str,
    output: Output,
    seeds: int | None,
    quick: bool,
    fresh: bool,
    varied: Mapping[str, object],
    set_up: str | None,
) -> None:
    """A study or a paper: numbers, verdicts, report, pages."""
    from sawtooth.papers.markdown import update
    from sawtooth.papers.own import is_own
    from sawtooth.papers.reproduce import reproduce
    from sawtooth.progress import progress_bar
    from sawtooth.run.runner import default_threads

    with progress_bar(name) as progress:
        found = reproduce(
            name,
            seeds,
            quick,
            output.store,
            fresh,
            output.report,
            varied,
            progress=progress,
            processes=default_threads(),
            stages=progress.stage,
            configuration=set_up,
        )
    for page in output.markdown:
        left = update(page, found)
        if left:
            whole = f"sawtooth reproduce {name.partition('/')[0]} --markdown {page}"
            note(f"{page}: {', '.join(left)} left alone, which are of the whole paper: {whole}")
    if output.as_json:
        emit_json(found.to_json())
    else:
        _print(found, evidence=is_own(name))


def _decided(name: str, output: Output, found: Reproduction) -> None:
    """What was judged with as many seeds as it took: numbers, verdicts, report."""
    from sawtooth.papers.own import is_own
    from sawtooth.papers.reproduce import written

    whole = found if output.report is False else written(found, output.store, output.report)
    if output.as_json:
        emit_json(whole.to_json())
    else:
        _print(whole, evidence=is_own(name))


def _print(found: Reproduction, evidence: bool) -> None:
    """Scores and verdicts, for a few claims with what each rests on."""
    from sawtooth.cli.scores import print_evidence, print_part, print_verdicts
    from sawtooth.report.tables import duration_text

    out = console()
    for part in found.parts:
        if len(found.parts) > 1:
            out.print(f"{part.study.name}: {part.study.title}", style="bold")
        print_part(out, part)
    print_verdicts(out, found)
    if evidence:
        print_evidence(out, found.judged)
    if found.executed:
        note(f"{found.executed:,} of {len(found.run_ids):,} runs simulated, in {duration_text(found.wall_s)}")
    _say_report(found.report)


def _say_report(report: Path | None) -> None:
    if report is not None:
        note(f"report: {report}")


def _sensitivity(
    name: str,
    output: Output,
    seeds: int | None,
    keys: Sequence[str],
    varied: Mapping[str, object],
    screen: bool | None,
    quick: bool,
) -> None:
    """Which verdicts and orders turn when an open parameter takes another plausible value."""
    from sawtooth.cli.scores import print_sensitivity
    from sawtooth.papers.sensitivity import sensitivity
    from sawtooth.progress import progress_bar
    from sawtooth.report.sensitivity import update_page, write_sensitivity  # matplotlib takes long to load
    from sawtooth.run.store import Store

    with progress_bar(f"{name} sensitivity") as progress:
        found = sensitivity(
            name, seeds, output.store, keys, varied, progress=progress, screen=screen, quick=quick
        )
        file = f"{found.name.replace('/', '_')}-sensitivity.html"
        path = _path(output, Store(output.store).path / "reports" / file)
        if path is not None:
            progress.stage("drawing", 0, 1)
            write_sensitivity(found, path)
    for page in output.markdown:
        update_page(page, found)
    if output.as_json:
        emit_json({**found.to_json(), "report": None if path is None else str(path)})
        return
    print_sensitivity(console(), found)
    _say_report(path)


def _path(output: Output, usual: Path) -> Path | None:
    """Where a report goes, if anywhere."""
    return None if output.report is False else output.report or usual


def _further(name: str, other: Further, output: Output, seeds: int | None, quick: bool, fresh: bool) -> None:
    """What is no study of scenarios: its tables, its claims, its report."""
    from sawtooth.papers.further import Order
    from sawtooth.progress import progress_bar

    with progress_bar(name) as progress:
        made = other.reproduce(Order(output.store, output.report, seeds, quick, fresh, progress))
    for page in output.markdown:
        other.update_page(page, made)
    _show(made, output.as_json)


def _reconstruct(
    name: str, output: Output, combinations: int | None, finalists: int | None, budget_s: float | None
) -> None:
    """Which open values explain the printed tables of a paper."""
    from sawtooth.papers import PAPERS
    from sawtooth.papers.further import Order
    from sawtooth.progress import progress_bar

    paper = PAPERS.get(name)
    tool = None if paper is None else paper.load_reconstructor()
    if tool is None:
        able = [entry.name for entry in PAPERS.values() if entry.reconstruction]
        raise InputError(
            "reproduce", "--reconstruct", name, f"a paper with printed tables: {', '.join(able)}"
        )
    with progress_bar(f"{name} reconstruction") as progress:
        order = Order(output.store, output.report, progress=progress)
        made = tool.reconstruct(order, combinations, finalists, budget_s)
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


def _values(given: Sequence[str] | None) -> dict[str, object]:
    """The values of --set by key."""
    from sawtooth.scenario.overrides import parse_override

    return dict(parse_override(text) for text in given or [])


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

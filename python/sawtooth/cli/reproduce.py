"""`sawtooth reproduce`: run a study of a paper, show our numbers beside the printed ones, judge its claims."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sawtooth.cli.compare import FreshOption
from sawtooth.cli.output import JsonOption, StoreOption, console, emit_json, note
from sawtooth.errors import InputError

if TYPE_CHECKING:
    from sawtooth.papers.formulas import Overlay
    from sawtooth.papers.reconstruction.result import Reconstruction
    from sawtooth.papers.reddy2012.sliding_window import Arq
    from sawtooth.papers.variation import Sensitivity


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
SensitivityOption = Annotated[
    bool,
    typer.Option(
        "--sensitivity",
        help="Vary each open parameter through its plausible values, in the quick form: which verdicts and orders turn.",
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
        help="Which combination of open values explains the printed tables best: a designed sweep, some two hours of one core.",
    ),
]
CombinationsOption = Annotated[
    int | None,
    typer.Option(
        "--combinations", metavar="N", min=2, help="With --reconstruct: combinations [default: 256]."
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
    name: NameArgument,
    seeds: SeedsOption = None,
    quick: QuickOption = False,
    set_: SetOption = None,
    store: StoreOption = None,
    fresh: FreshOption = False,
    report: ReportOption = None,
    markdown: MarkdownOption = None,
    sensitivity_: SensitivityOption = False,
    parameter: ParameterOption = None,
    screen: ScreenOption = None,
    reconstruct_: ReconstructOption = False,
    combinations: CombinationsOption = None,
    finalists: FinalistsOption = None,
    budget: BudgetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Reproduce a figure or a paper: scores beside the printed ones, a verdict for every claim, an HTML report.

    Runs that are in the store are not repeated, so an interrupted command goes on where it was. A failing claim is a result: exit 0.

    PAPER/mathematics judges what is algebra and needs no runs; mathematics alone lays runs over the formulas.

    --sensitivity shows which verdicts and orders rest on open parameters; of a paper it takes the main studies, each cell once. Killed, it
    goes on where it was; --parameter limits it, --seeds, --set duration=... and --set warmup=... change its length.

    --reconstruct goes on where it was; any number of finished combinations gives an answer, the surer the more there are.

    Example: sawtooth reproduce akella2002/fig4 --quick
    """
    from sawtooth.cli.scores import print_part, print_verdicts
    from sawtooth.papers.formulas import overlay
    from sawtooth.papers.formulas.study import NAME as OVERLAY
    from sawtooth.papers.reconstruction.reconstruct import Design, reconstruct
    from sawtooth.papers.reddy2012.sliding_window import NAME as ARQ
    from sawtooth.papers.reddy2012.sliding_window import reproduce_arq
    from sawtooth.papers.reproduce import reproduce
    from sawtooth.papers.sensitivity import sensitivity
    from sawtooth.progress import progress_bar
    from sawtooth.report.markdown import check_page, update
    from sawtooth.report.tables import duration_text
    from sawtooth.run.runner import default_threads
    from sawtooth.scenario.overrides import parse_override

    known = known_names()
    if name not in known:
        raise InputError("reproduce", None, name, f"one of {', '.join(known)}")
    varied = dict(parse_override(text) for text in set_ or [])
    beside: dict[str, object] = {"--parameter": ", ".join(parameter or []) or None, "--screen": screen}
    for option, value in beside.items():
        if value is not None and not sensitivity_:
            raise InputError("reproduce", option, value, "this option only beside --sensitivity")
    for page in markdown or []:  # before anything is run
        check_page(page, as_it_stands=sensitivity_ or not (quick or varied))
    if reconstruct_:
        refuse("--reconstruct", quick=quick, fresh=fresh, sensitivity=sensitivity_, seeds=seeds, set=set_)
        usual = Design()
        design = Design(
            combinations=combinations or usual.combinations,
            finalists=usual.finalists if finalists is None else finalists,
        )
        with progress_bar(f"{name} reconstruction") as progress:
            rebuilt = reconstruct(name, store, design, budget_of(budget), progress=progress)
        _reconstruction(rebuilt, store, report, markdown or [], as_json)
        return
    alone: dict[str, object] = {"combinations": combinations, "finalists": finalists, "budget": budget}
    for option, given in alone.items():
        if given is not None:
            raise InputError("reproduce", f"--{option}", given, "this option only beside --reconstruct")
    if sensitivity_:
        if name == OVERLAY or paper_of(name) is not None:
            raise InputError("reproduce", "--sensitivity", name, "a study with runs of its own, or its paper")
        if fresh:
            raise InputError("reproduce", "--fresh", True, "no --fresh beside --sensitivity")
        with progress_bar(f"{name} sensitivity") as progress:
            moved = sensitivity(name, seeds, store, parameter or [], varied, progress=progress, screen=screen)
        _sensitivity(moved, store, report, markdown or [], as_json)
        return
    if name == OVERLAY:
        if varied:
            raise InputError("reproduce", "--set", set_, f"no such option for {name}")
        with progress_bar(name) as progress:
            laid = overlay(seeds, quick, store, fresh, report, progress=progress)
        for page in markdown or []:
            from sawtooth.report.overlay import update_page  # matplotlib takes long to load

            update_page(page, laid)
        _overlay(laid, as_json)
        return
    if name == ARQ:
        _refuse(name, {"--set": set_ or None, "--markdown": markdown or None, "--fresh": fresh or None})
        with progress_bar(name) as progress:
            _arq(reproduce_arq(seeds, quick, store, report, progress), as_json)
        return
    paper = paper_of(name)
    if paper is not None:
        _refuse(name, {"--seeds": seeds, "--set": set_ or None, "--markdown": markdown or None})
        _mathematics(paper, store, report, as_json)
        return
    with progress_bar(name) as progress:
        found = reproduce(
            name,
            seeds,
            quick,
            store,
            fresh,
            report,
            varied,
            progress=progress,
            processes=default_threads(),
        )
    for page in markdown or []:
        left = update(page, found)
        if left:
            whole = f"sawtooth reproduce {name.partition('/')[0]} --markdown {page}"
            note(f"{page}: {', '.join(left)} left alone, which are of the whole paper: {whole}")
    if as_json:
        emit_json(found.to_json())
        return
    out = console()
    for part in found.parts:
        if len(found.parts) > 1:
            out.print(f"{part.study.name}: {part.study.title}", style="bold")
        print_part(out, part)
    print_verdicts(out, found)
    if found.executed:
        note(f"{found.executed:,} of {len(found.run_ids):,} runs simulated, in {duration_text(found.wall_s)}")
    note(f"report: {found.report}")


def _sensitivity(
    found: Sensitivity, store: Path | None, report: Path | None, markdown: list[Path], as_json: bool
) -> None:
    from sawtooth.cli.scores import print_sensitivity
    from sawtooth.report.sensitivity import update_page, write_sensitivity  # matplotlib takes long to load
    from sawtooth.run.store import Store

    name = f"{found.name.replace('/', '_')}-sensitivity.html"
    path = report or Store(store).path / "reports" / name
    write_sensitivity(found, path)
    for page in markdown:
        update_page(page, found)
    if as_json:
        emit_json({**found.to_json(), "report": str(path)})
        return
    print_sensitivity(console(), found)
    note(f"report: {path}")


def refuse(beside: str, **given: object) -> None:
    """InputError for the first option that is given although it means nothing beside another."""
    for option, value in given.items():
        if value:
            raise InputError("reproduce", f"--{option}", value, f"no such option beside {beside}")


def budget_of(text: str | None) -> float | None:
    """A budget of time in seconds."""
    from sawtooth.scenario.units import parse_time

    if text is None:
        return None
    try:
        return parse_time(text) / 1e9
    except ValueError as error:
        raise InputError("reproduce", "--budget", text, str(error)) from None


def _reconstruction(
    found: Reconstruction, store: Path | None, report: Path | None, markdown: list[Path], as_json: bool
) -> None:
    from sawtooth.cli.scores import print_reconstruction
    from sawtooth.report.reconstruction import (  # matplotlib takes long to load
        sentences,
        update_page,
        write_reconstruction,
    )
    from sawtooth.run.store import Store

    path = report or Store(store).path / "reports" / f"{found.name}-reconstruction.html"
    write_reconstruction(found, path)
    for page in markdown:
        update_page(page, found)
    if as_json:
        emit_json({**found.to_json(), "report": str(path)})
        return
    print_reconstruction(console(), found, sentences(found))
    note(f"report: {path}")


def _overlay(found: Overlay, as_json: bool) -> None:
    from sawtooth.cli.scores import print_overlay

    if as_json:
        emit_json(found.to_json())
        return
    print_overlay(console(), found)
    note(f"report: {found.report}")


def _arq(found: Arq, as_json: bool) -> None:
    from sawtooth.cli.scores import print_arq

    if as_json:
        emit_json(found.to_json())
        return
    print_arq(console(), found)
    note(f"report: {found.report}")


def _refuse(name: str, given: Mapping[str, object]) -> None:
    """InputError for an option that means nothing where no scenario is run."""
    for option, value in given.items():
        if value is not None:
            raise InputError("reproduce", option, value, f"no such option for {name}, which has no runs")


def known_names() -> tuple[str, ...]:
    """Everything that can be reproduced: papers, their studies and mathematics, and the runs laid over formulas."""
    from sawtooth.experiment.study_files import STUDIES
    from sawtooth.papers import PAPERS
    from sawtooth.papers.formulas.study import NAME as OVERLAY
    from sawtooth.papers.mathematics import SUFFIX
    from sawtooth.papers.reddy2012.sliding_window import NAME as ARQ

    papers = dict.fromkeys([*(study.partition("/")[0] for study in STUDIES), *PAPERS])
    return (*papers, *STUDIES, ARQ, *(paper + SUFFIX for paper in PAPERS), OVERLAY)


def paper_of(name: str) -> str | None:
    """The paper whose mathematics ``name`` means: ``PAPER/mathematics``, or a paper that has nothing else."""
    from sawtooth.experiment.study_files import STUDIES
    from sawtooth.papers import PAPERS
    from sawtooth.papers.mathematics import SUFFIX

    paper = name.removesuffix(SUFFIX)
    with_runs = {study.partition("/")[0] for study in STUDIES}
    return paper if paper in PAPERS and (name != paper or paper not in with_runs) else None


def _mathematics(paper: str, store: Path | None, report: Path | None, as_json: bool) -> None:
    from sawtooth.cli.scores import print_computed
    from sawtooth.papers.mathematics import mathematics
    from sawtooth.run.store import Store

    path = report or Store(store).path / "reports" / f"{paper}_mathematics.html"
    found = mathematics(paper, path)
    if as_json:
        emit_json(found.to_json())
        return
    print_computed(console(), found)
    note(f"report: {found.report}")

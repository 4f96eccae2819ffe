"""Reproduce a figure or a whole paper, or a study file of one's own: run its studies, judge its claims, and put our numbers beside the
printed ones where there are such.

    >>> import sawtooth as st
    >>> found = st.reproduce("akella2002/fig4", quick=True)
    >>> [(row["algorithm"], row["D"], row["published_D"]) for row in found.score_rows if row["metric"] == "goodput"]

A failing claim is a result, not an error. The report is drawn from the stored runs; see sawtooth.report.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, Literal

from sawtooth.claims.table import Judged
from sawtooth.experiment.perform import different, perform
from sawtooth.experiment.perform import jobs_of as runs_of
from sawtooth.experiment.reproduction import Reproduction, conclude
from sawtooth.experiment.study import Study
from sawtooth.experiment.typed import Typed
from sawtooth.papers import PAPERS
from sawtooth.papers.adapted import adapted
from sawtooth.papers.configurations import Configuration, configuration
from sawtooth.papers.own import is_own, own_source
from sawtooth.papers.paper import Paper
from sawtooth.papers.studies import parts
from sawtooth.plain import written
from sawtooth.progress import ProgressCallback, StageCallback
from sawtooth.run.run_count import RunCount
from sawtooth.run.store import Store
from sawtooth.scenario.resolve import Resolved

NO_SET_UP: Final = Configuration(name="", title="", why="")
"""Where nobody asked for one by name."""


def chosen_studies(
    name: str, seeds: int | None = None, quick: bool = False, varied: Mapping[str, object] | None = None
) -> list[Study]:
    """The parts of a paper that ``name`` means, shortened, reseeded and varied as asked."""
    return adapted(name, parts(name), seeds, quick, varied)


def reproduce(
    name: str,
    seeds: int | None = None,
    quick: bool = False,
    store: Store | Path | str | None = None,
    fresh: bool = False,
    report: Path | str | Literal[False] | None = None,
    varied: Mapping[str, object] | None = None,
    threads: int | None = None,
    progress: ProgressCallback | None = None,
    processes: int = 1,
    stages: StageCallback | None = None,
    configuration: str | None = None,
    plugins: Sequence[Path | str] = (),
) -> Reproduction:
    """Run the parts of ``name`` (``akella2002/fig4``, ``akella2002``; a study file of your own, or a directory of such) and judge its
    claims; stored runs are not repeated.

    ``quick`` keeps cells and claims and takes fewer seeds and shorter runs. ``configuration`` names a set-up of the paper; ``varied`` gives
    open parameters of the studies other values, which replace those of the configuration. ``report`` is the HTML file to write, None for
    ``<store>/reports/<name>.html``, False for none. At most ``processes`` processes draw its pages; more than one needs a main module that
    can be imported, as `multiprocessing` does. ``stages`` is told about judging and drawing. ``plugins`` are files of controllers that are
    loaded already; the printed commands name them.
    """
    own = own_source(name) if is_own(name) else None
    set_up = configured(name, configuration)
    studies = adapted(name, set_up.applied(parts(name) if own is None else own.studies), seeds, quick, varied)
    home = store if isinstance(store, Store) else Store(store)
    found = perform_parts(
        name if own is None else own.name,
        studies,
        home,
        seeds=seeds,
        quick=quick,
        fresh=fresh,
        threads=threads,
        progress=progress,
        stages=stages,
        paper=own,
    )
    from sawtooth.papers.typed_options import typed_options  # of no use before there is something to name

    typed = typed_options(plugins, store)
    words = command_words(name, seeds, quick, varied or {}, set_up if set_up.values else None)
    found = named(found, own, varied or {}, shlex.join([*words, *typed.words(loads=True)]), typed, set_up)
    if report is False:
        return found
    from sawtooth.report.pages import write_reproduction  # of no use before there is something to draw

    path = Path(report) if report is not None else report_path(home, found)
    return write_reproduction(found, path, processes, stages, home.path / "drawn")


def named(
    found: Reproduction,
    own: Paper | None,
    varied: Mapping[str, object],
    command: str,
    typed: Typed,
    set_up: Configuration = NO_SET_UP,
) -> Reproduction:
    """The same with its title, the command that makes it anew, and what was changed for it."""
    paper = PAPERS.get(found.name.partition("/")[0])
    changed = {**set_up.values, **varied}

    def at(judged: Sequence[Judged]) -> list[Judged]:
        return [replace(item, claim=item.claim.at_another_set_up) if changed else item for item in judged]

    return replace(
        found,
        varied=varied,
        configuration=set_up.name,
        judged=at(found.judged),
        parts=tuple(replace(part, varied=changed, judged=at(part.judged)) for part in found.parts),
        title=paper.title if paper is not None and own is None else found.name,
        command=command,
        typed=typed,
    )


def written_decided(
    found: Reproduction,
    store: str | None,
    report: Path | None,
    processes: int = 1,
    stages: StageCallback | None = None,
) -> Reproduction:
    """The same with its report written, under a name of its own where no file is named: it does not replace that of the study."""
    from sawtooth.report.pages import write_reproduction

    home = Store(store)
    usual = report_path(home, found)
    path = report if report is not None else usual.with_name(f"{usual.stem}-until-decided.html")
    return write_reproduction(found, path, processes, stages, home.path / "drawn")


def configured(name: str, wanted: str | None) -> Configuration:
    """The configuration that ``wanted`` means, an empty one where nobody asks. InputError for one that the paper has not."""
    return NO_SET_UP if wanted is None else configuration(name, wanted)


def jobs_of(
    name: str,
    seeds: int | None = None,
    quick: bool = False,
    varied: Mapping[str, object] | None = None,
    configuration: str | None = None,
) -> list[Sequence[Resolved]]:
    """The runs of ``reproduce`` with the same arguments; several parts may share some."""
    own = own_source(name) if is_own(name) else None
    set_up = configured(name, configuration)
    studies = adapted(name, set_up.applied(parts(name) if own is None else own.studies), seeds, quick, varied)
    found: list[Sequence[Resolved]] = [jobs for study in studies for jobs in runs_of(study)]
    beside = None if own is not None or "/" in name else PAPERS[name].load_beside()
    return found if beside is None else [*found, beside.jobs(seeds, quick)]


def command_words(
    name: str,
    seeds: int | None,
    quick: bool,
    varied: Mapping[str, object],
    set_up: Configuration | None = None,
) -> list[str]:
    """The command that makes a reproduction, as a user would type it, without what else he ``Typed``."""
    words = ["sawtooth", "reproduce", name, *(["--quick"] if quick else [])]
    words += [] if set_up is None else ["--configuration", set_up.name]
    words += ["--seeds", str(seeds)] if seeds is not None else []
    for key, value in varied.items():
        words += ["--set", f"{key}={written(value)}"]
    return words


def perform_parts(
    name: str,
    studies: Sequence[Study],
    store: Store,
    *,
    seeds: int | None = None,
    quick: bool = False,
    fresh: bool = False,
    threads: int | None = None,
    progress: ProgressCallback | None = None,
    stages: StageCallback | None = None,
    paper: Paper | None = None,
    count: RunCount | None = None,
    first: int = 1,
) -> Reproduction:
    """Run what the store lacks of several parts of a paper, one after another, and judge the claims of ``name`` over all of them.

    ``fresh`` repeats what is stored, once: a run that several parts share is made by the first of them. A whole paper (no ``/`` in its
    name) also gets verdicts on those of its claims that other runs decide, over ``seeds`` seeds from number ``first`` on. ``paper`` is what
    ``name`` is of, None for the paper of that name. ``count`` is that of several looks at the same work; without one, ``progress`` hears of
    this one.
    """
    made: set[str] = set()
    paper = PAPERS[name.partition("/")[0]] if paper is None else paper
    beside = paper.load_beside() if "/" not in name else None
    count = RunCount(progress) if count is None else count
    count.expect(different_runs(name, studies, seeds, quick, paper))
    found = []
    for study in studies:
        part = perform(study, store, quick=quick, fresh=fresh, threads=threads, spared=made, count=count)
        found.append(paper.furnished(part))
    borrowed = None
    if beside is not None:
        borrowed = beside.judge(store, seeds, quick, fresh, threads, count.beyond(first), first)
    concluded = conclude(name, found, paper.claims, borrowed=borrowed, stages=stages)
    return replace(concluded, quick=quick)


def different_runs(
    name: str,
    studies: Sequence[Study],
    seeds: int | None,
    quick: bool,
    paper: Paper | None = None,
    looks: int = 1,
) -> int:
    """How many different runs ``perform_parts`` with the same arguments needs, in so many looks at different seeds.

    ``studies`` are those of all looks.
    """
    paper = PAPERS[name.partition("/")[0]] if paper is None else paper
    beside = paper.load_beside() if "/" not in name else None
    return different(studies) + (0 if beside is None else looks * beside.runs(seeds, quick))


def report_path(store: Store, found: Reproduction) -> Path:
    """Where a report goes unless the user says otherwise; one of a quick, varied or configured study does not replace that of the study."""
    names = [found.name.replace("/", "_"), *(["quick"] if found.quick else [])]
    names += [found.configuration] if found.configuration else []
    names += [re.sub(r"[^\w.]+", "", f"{key}_{value}".lower()) for key, value in found.varied.items()]
    return store.path / "reports" / f"{'-'.join(names)}.html"

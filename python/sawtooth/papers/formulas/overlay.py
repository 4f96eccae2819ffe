"""Packets against formulas: runs of the engine beside the curves of the mathematics, with intervals, and where and why they differ.

    >>> import sawtooth as st
    >>> found = st.overlay(seeds=1, quick=True)
    >>> [sentence for curve in found.curves for sentence in curve.sentences(found.study.apart)]

``sawtooth reproduce mathematics`` prints the sentences and writes a report. The study is ``studies/mathematics.toml``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import pyarrow as pa

from sawtooth.claims.table import Judged, judge_on_runs
from sawtooth.experiment.matrix import ProbeRun
from sawtooth.papers.formulas import loss
from sawtooth.papers.formulas.kinds import KINDS
from sawtooth.papers.formulas.result import Overlay
from sawtooth.papers.formulas.study import NAME, OverlayStudy, load_overlay
from sawtooth.papers.register import claims
from sawtooth.progress import stage
from sawtooth.run.run import Run
from sawtooth.run.runner import run_many
from sawtooth.run.store import Store
from sawtooth.scenario.resolve import Resolved, resolve
from sawtooth.scenario.scenario import parse_scenario

if TYPE_CHECKING:
    from sawtooth.progress import ProgressCallback

BATCH: Final = 16
"""Runs whose records are held at once."""


def overlay(
    seeds: int | None = None,
    quick: bool = False,
    store: Store | Path | str | None = None,
    fresh: bool = False,
    report: Path | str | Literal[False] | None = None,
    threads: int | None = None,
    progress: ProgressCallback | None = None,
    study: OverlayStudy | None = None,
) -> Overlay:
    """Run the study (the packaged one unless ``study`` is given), compare its runs with the formulas, and judge its claims.

    Stored runs are not repeated unless ``fresh``. ``report`` is the HTML file to write, None for ``<store>/reports/mathematics.html``,
    False for none. Raises InputError and RunError.
    """
    begun = time.monotonic()
    chosen = adapted(load_overlay() if study is None else study, seeds, quick)
    home = store if isinstance(store, Store) else Store(store)
    found, executed = gather(chosen, home, fresh, threads, progress)
    with stage("judging"):
        curves = [curve for kind in KINDS for curve in kind.curves(chosen, found)]
        judged = judge(chosen, found)
    made = Overlay(chosen, curves, judged, quick, len(found), executed, time.monotonic() - begun)
    if report is False:
        return made
    path = (
        Path(report)
        if report is not None
        else home.path / "reports" / f"{NAME}{'-quick' if quick else ''}.html"
    )
    from sawtooth.papers.formulas.page import write_overlay  # matplotlib takes long to load
    from sawtooth.papers.typed_options import typed_options

    with stage("drawing"):
        write_overlay(made, path, typed_options((), store))
    return replace(made, report=path)


def adapted(study: OverlayStudy, seeds: int | None, quick: bool) -> OverlayStudy:
    """The study shortened and reseeded as asked."""
    study = study.shortened() if quick else study
    return study if seeds is None else study.seeded(seeds)


Found = dict[Any, tuple[str, Any]]
"""By case: the run's id and what its kind keeps of it."""


def gather(
    study: OverlayStudy,
    store: Store,
    fresh: bool = False,
    threads: int | None = None,
    progress: ProgressCallback | None = None,
    wanted: Callable[[Any], bool] = lambda _: True,
) -> tuple[Found, int]:
    """Run what the store lacks, batch by batch, and keep of each run what its curve needs; and the number of runs simulated.

    ``wanted`` chooses among the cases.
    """
    planned = [entry for entry in plan(study) if wanted(entry[0])]
    found: Found = {}
    tally = _Tally(len(planned), progress)
    rest = iter(planned)
    while batch := list(islice(rest, BATCH)):
        jobs = [job for _, job, _ in batch]
        runs = run_many(jobs, store, fresh=fresh, threads=threads, progress=tally.within, light=False)
        for (case, _, keep), run in zip(batch, runs, strict=True):
            found[case] = (run.run_id, keep(study, case, run))
        tally.batch_done(len(batch))
    return found, len(planned) - tally.stored


@dataclass
class _Tally:
    """Progress over all batches from that within each."""

    total: int
    progress: ProgressCallback | None
    done: int = 0
    stored: int = 0
    known: int = 0

    def within(self, done: int, _total: int, known: int) -> None:
        """A run of the batch is done; ``known`` of the batch came from the store."""
        self.known = known
        if self.progress is not None:
            self.progress(self.done + done, self.total, self.stored + known)

    def batch_done(self, runs: int) -> None:
        """The batch is done."""
        self.done, self.stored, self.known = self.done + runs, self.stored + self.known, 0


Keep = Callable[[OverlayStudy, Any, Run], Any]


def plan(study: OverlayStudy) -> Iterator[tuple[Any, Resolved, Keep]]:
    """Every run: its case, its resolved scenario, and what is to be kept of it."""
    for kind in KINDS:
        keep: Keep = kind.reduce
        for case, data in kind.plan(study):
            yield case, resolve(parse_scenario(data, name=study.name), case.seed), keep


def jobs(study: OverlayStudy, wanted: Callable[[Any], bool] = lambda _: True) -> list[Resolved]:
    """The runs of the cases that are ``wanted``."""
    return [job for case, job, _ in plan(study) if wanted(case)]


def judge(study: OverlayStudy, found: Mapping[Any, tuple[str, Any]]) -> list[Judged]:
    """The verdicts on the study's claims, from the runs with random loss."""
    runs = tuple(
        ProbeRun(
            {"control": case.control, "p": case.p, "seed": case.seed},
            run_id,
            {**kept, "timer_rounds": loss.timer_rounds(study)},
            pa.table({}),
        )
        for case, (run_id, kept) in found.items()
        if isinstance(case, loss.LossCase) and case.how == loss.RANDOM
    )
    wanted = set(study.claims)
    return [
        judge_on_runs(entry, {"random-loss": runs}, len(study.seed_names), study.tolerance)
        for entry in claims()
        if entry.id in wanted
    ]

"""Several pages of a paper at the same time, drawn by processes of their own.

Matplotlib holds the interpreter while it draws, so threads would not help; and the pages of the 2002 study took a quarter of the time of
its quick form. Each page gets the same bytes whoever draws it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sawtooth.report.write import PlannedPage, write_page

if TYPE_CHECKING:
    from sawtooth.experiment.comparison import Comparison
    from sawtooth.experiment.reproduction import Reproduction
    from sawtooth.progress import StageCallback

PAGES_EACH = 2
"""A process takes some two seconds to start: it must have so many pages to draw."""


def write_pages(
    pages: Sequence[PlannedPage],
    processes: int,
    stages: StageCallback | None = None,
    notes: Path | None = None,
) -> None:
    """Write all pages, by at most so many processes; the largest begin. Raises InputError for a place that cannot be written.

    Pages that stand there as they would be drawn, by the `notes` in that directory, are left alone. With more than one process the
    caller's main module must be one that can be imported, as `multiprocessing` asks.
    """
    from sawtooth.report.drawn import DrawnPages  # of no use before there is something to draw

    drawn = DrawnPages(notes)
    missing = [page for page in pages if not drawn.has(page)]
    done = 0

    def finished(page: PlannedPage, files: list[Path]) -> None:
        nonlocal done
        done += 1
        drawn.put(page, files)
        if stages is not None:
            stages("drawing", done, len(missing))

    if stages is not None and missing:
        stages("drawing", 0, len(missing))
    drawers = min(processes, len(missing) // PAGES_EACH)
    if drawers < 2:
        for page in missing:
            finished(page, page.write())
        return
    largest_first = sorted(missing, key=lambda page: -len(page.comparison.own))
    from concurrent.futures import ProcessPoolExecutor, as_completed  # of no use to a page drawn here
    from multiprocessing import get_context

    spawned = get_context("spawn")  # a forked process could inherit a lock that a thread of ours holds
    with ProcessPoolExecutor(drawers, spawned, initializer=_begin) as pool:
        jobs = {pool.submit(page.write): page for page in largest_first}
        for job in as_completed(jobs):
            finished(jobs[job], job.result())


def _begin() -> None:
    """A process that draws: what its plug-ins print goes to standard error, as in the command that started it."""
    from sawtooth.plugins.load import load_listed

    sys.stdout = sys.stderr
    load_listed()


def write_reproduction(
    found: Reproduction,
    path: Path,
    processes: int = 1,
    stages: StageCallback | None = None,
    notes: Path | None = None,
) -> Reproduction:
    """Write the report ``path`` by at most so many ``processes``: the page of the only part, or that of the paper with one for each part.
    ``notes`` is a directory for what is remembered of drawn pages (``drawn``), None to draw all.

    Returns the reproduction with its files named.
    """
    several = len(found.parts) > 1
    targets = (
        [path.with_name(f"{path.stem}_{_tail(part)}.html") for part in found.parts] if several else [path]
    )
    up = (path.name, found.name) if several else None
    named = [
        replace(part, report=target, command=found.command, typed=found.typed)
        for part, target in zip(found.parts, targets, strict=True)
    ]
    reported = replace(found, parts=tuple(named), report=path)
    pages = [
        PlannedPage(part if several else replace(part, judged=found.judged), target, up)
        for part, target in zip(named, targets, strict=True)
    ]
    write_pages(pages, processes, stages, notes)
    if several:
        from sawtooth.report.paper_page import paper_page  # matplotlib takes long to load

        write_page(paper_page(reported), path, {})
    return reported


def _tail(part: Comparison) -> str:
    """The end of the name of a part's files; the main studies of a paper, joined, have its name alone."""
    name = part.study.name
    return name.rpartition("/")[2] if "/" in name or not part.study.joined else "figures"

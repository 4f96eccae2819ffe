"""Several pages of a paper at the same time, drawn by processes of their own.

Matplotlib holds the interpreter while it draws, so threads would not help; and the pages of the 2002 study took a quarter of the time of
its quick form. Each page gets the same bytes whoever draws it.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

from sawtooth.report.part_link import PartLink
from sawtooth.report.write import write_report

if TYPE_CHECKING:
    from sawtooth.experiment.comparison import Comparison
from sawtooth.papers.reproduction import Reproduction

PAGES_EACH = 2
"""A process takes some two seconds to start: it must have so many pages to draw."""


@dataclass(frozen=True)
class Page:
    """What is drawn, where it goes, and the parts of the paper that it links to."""

    comparison: Comparison
    path: Path
    among: Sequence[PartLink]

    def write(self) -> None:
        """The page and its figures. Raises InputError for a place that cannot be written."""
        write_report(self.comparison, self.path, self.among)


def write_pages(pages: Sequence[Page], processes: int) -> None:
    """Write all pages, by at most so many processes; the largest begin. Raises InputError for a place that cannot be written.

    With more than one the caller's main module must be one that can be imported, as `multiprocessing` asks.
    """
    drawers = min(processes, len(pages) // PAGES_EACH)
    if drawers < 2:
        for page in pages:
            page.write()
        return
    largest_first = sorted(pages, key=lambda page: -len(page.comparison.own))
    # Forked ones could inherit a lock that a thread of ours holds.
    with ProcessPoolExecutor(drawers, mp_context=get_context("spawn")) as pool:
        for drawn in [pool.submit(page.write) for page in largest_first]:
            drawn.result()


def write_reproduction(found: Reproduction, path: Path, processes: int = 1) -> Reproduction:
    """Write the reports of all parts, the first as ``path`` with all claims, by at most so many ``processes``.

    Returns the reproduction with its files named.
    """
    targets = [path, *(path.with_name(f"{path.stem}_{_tail(part)}.html") for part in found.parts[1:])]
    named = [replace(part, report=target) for part, target in zip(found.parts, targets, strict=True)]
    drawn = [replace(named[0], judged=found.judged), *named[1:]]
    links = [PartLink.of(part) for part in named]
    pages = [Page(part, target, links) for part, target in zip(drawn, targets, strict=True)]
    write_pages(pages, processes)
    return replace(found, parts=tuple(named), report=path)


def _tail(part: Comparison) -> str:
    return part.study.name.rpartition("/")[2]

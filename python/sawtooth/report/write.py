"""Reports: one HTML file that works offline, and the figures of each setting as SVG and PDF files beside it.

A report shows a ``Comparison``: numbers of stored runs, every one with the run ids behind it. It reads and draws; it
never runs anything. The same stored runs give the same bytes. A paper of several parts is a page each, the first with all claims
and links to the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sawtooth.atomic import write_bytes_atomic
from sawtooth.errors import MISSING, InputError
from sawtooth.papers.akella2002.printed import ENVIRONMENTS
from sawtooth.papers.akella2002.winners import winner_map
from sawtooth.report.part_link import PartLink
from sawtooth.report.tables import setting_title

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from sawtooth.experiment.comparison import Comparison


def write_report(comparison: Comparison, path: Path, among: Sequence[PartLink] = ()) -> list[Path]:
    """Write the HTML file ``path`` and its figures as SVG and PDF files beside it; ``among`` are the parts of the paper to link to.

    Returns the files, HTML first.
    """
    # Imported here: matplotlib takes long, and every command imports this package for its tables.
    from sawtooth.report.drawing import figure_files
    from sawtooth.report.html import page

    files = {path: page(comparison, among).encode()}
    for name, drawing, style in _figures(comparison):
        files |= figure_files(path.with_name(f"{path.stem}_{name}"), drawing, style)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        for target, data in files.items():
            write_bytes_atomic(target, data)
    except OSError as error:
        raise InputError(
            "report", str(path), MISSING, f"a place that can be written ({error.strerror})"
        ) from error
    return list(files)


def _figures(comparison: Comparison) -> Iterator[tuple[str, Figure, Mapping[Any, Any]]]:
    """Name and style of each figure of a page: of each setting and across them, or of the instances of families; and the winner map."""
    from sawtooth.papers.akella2002.instances import family_tables
    from sawtooth.report import across, figures, instances, winners
    from sawtooth.report.curves import curve_figure
    from sawtooth.report.drawing import MODEL_STYLE
    from sawtooth.report.shares import shares_figure
    from sawtooth.report.strips import strips_figure

    for shares in comparison.shares:
        yield shares.spec.name, shares_figure(shares), MODEL_STYLE
    for strips in comparison.strips:
        yield strips.spec.name, strips_figure(strips), MODEL_STYLE
    for curve in comparison.curves:
        yield curve.spec.name, curve_figure(curve), MODEL_STYLE
    if comparison.study.in_families:
        drawn = instances.agreement_figure(family_tables(comparison.own, comparison.study.paper))
        yield "agreement", drawn, figures.STYLE
        return
    leading = winner_map(comparison.part)
    if leading:
        yield "winners", winners.figure(leading), figures.STYLE
    if across.spans(comparison):
        yield "across", across.figure(comparison.own), figures.STYLE
    for block in comparison.own:
        title, note = figure_texts(comparison, block.setting)
        drawn = figures.paper_figure(block, title, note)
        yield block.setting.replace("/", "-"), drawn, figures.STYLE


def figure_texts(comparison: Comparison, setting: str) -> tuple[str, str]:
    """Title and note of the figure of one setting."""
    results = comparison.results
    note = (
        f"Ours: over {len(results.environments)} environments, mean and 95 % interval over {len(results.seeds)} seeds. "
        "Lowest of a column bold."
    )
    if any(row["published_D"] is not None for row in comparison.score_rows):
        note += f" Printed: over {ENVIRONMENTS} environments."
    return setting_title(setting), note

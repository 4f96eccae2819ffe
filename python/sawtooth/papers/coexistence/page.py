"""The report of all pairs: a matrix per router in which one sees who hurts whom, and the numbers behind it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import TwoSlopeNorm
from matplotlib.figure import Figure

from sawtooth.atomic import write_bytes_atomic
from sawtooth.experiment.intervals import Interval
from sawtooth.experiment.typed import NOTHING_TYPED, Typed
from sawtooth.papers.coexistence.pairs import setup
from sawtooth.papers.coexistence.perform import NAME, Cell, Coexistence
from sawtooth.plurals import number_of
from sawtooth.report import figures
from sawtooth.report.blocks import Page, Picture, Row, Section, Table, Words
from sawtooth.report.drawing import INK, canvas, encode, figure_files
from sawtooth.report.markdown import fill
from sawtooth.report.tables import with_spread
from sawtooth.report.write import write_page

COLUMNS: Final = 4
CAPTION: Final = (
    "Share of the sender of the row beside that of the column: 1 is half of what both have, 0 nothing, 2 everything. "
    "A dot: the row certainly suffers more than beside its own kind, by more than the margin."
)
HARM: Final = (
    "Harm is what a flow loses by the other: of goodput (alone − with)/alone, of the 95 % quantile of its queueing delay "
    "(with − alone)/with. A fair competitor for half of the link does a harm of 0.5 to goodput. Intervals are 95 % over seeds; "
    "own kind: harm less that of a second flow of the same sender, seed by seed."
)


def write_pairs(found: Coexistence, path: Path, typed: Typed = NOTHING_TYPED) -> list[Path]:
    """Write the HTML file ``path`` and the matrix as SVG and PDF beside it. Returns the files, HTML first."""
    return write_page(
        page(found).made_with(typed), path, figure_files(path.with_name(f"{path.stem}_shares"), matrix(found))
    )


def update_page(path: Path, found: Coexistence) -> None:
    """Fill the places of a Markdown page, and write the matrix beside it if the page shows it.

    InputError for pairs that were run otherwise than the set-up says.
    """
    fill(path, blocks(found), as_it_stands=found.setup == setup())
    picture = f"figures/{NAME}.svg"
    if f"({picture})" in path.read_text(encoding="utf-8"):
        write_bytes_atomic(path.parent / picture, encode(matrix(found), "svg"))


def blocks(found: Coexistence) -> dict[str, str]:
    """What a Markdown page can take: ``coexistence finding``, ``coexistence made`` and ``coexistence shares``."""
    senders = list(found.setup.senders)
    heads = ["router", "victim", *(f"beside {name}" for name in senders)]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for router in found.setup.routers:
        for victim in senders:
            row = [found.cell(router, victim, other) for other in senders]
            lines.append(f"| {' | '.join([router, victim, *map(_marked, row)])} |")
    return {
        f"{NAME} finding": " ".join(answer(found)),
        f"{NAME} made": f"{number_of(found.runs, 'run')} over {number_of(found.setup.seeds, 'seed')}: `{found.command}`.",
        f"{NAME} shares": "\n".join(lines),
    }


def _marked(cell: Cell) -> str:
    return ("• " if cell.hurts else "") + _text(cell.share)


def page(found: Coexistence) -> Page:
    """The page."""
    drawing = figures.inline(matrix(found), "shares", "Who hurts whom")
    return Page(
        name=NAME,
        title=found.setup.title,
        answer=answer(found),
        facts={
            "Runs": str(found.runs),
            "Seeds": str(found.setup.seeds),
            "Link": f"{found.setup.scenario['bottleneck']['rate']}, round trip {found.setup.scenario['path']['rtt']}",
            "Margin": f"{found.setup.margin:g} of the goodput alone",
            "Measured": f"{found.setup.scenario['warmup']} to {found.setup.scenario['duration']}",
        },
        picture=Picture(drawing, CAPTION),
        sections=[
            Section("pairs", "All pairs", [Words(HARM, "muted"), _table(found)]),
        ],
        command=found.command,
    )


def answer(found: Coexistence) -> list[str]:
    """How many suffer at each kind of router, and the worst of all."""
    pairs = len(found.setup.senders) * (len(found.setup.senders) - 1)
    hurt = {router: found.hurt(router) for router in found.setup.routers}
    open_ = {router: found.undecided(router) for router in hurt}
    if all(open_[router] == pairs for router in hurt):
        return [
            "So few seeds decide nothing: whether anybody suffers more than beside its own kind is open everywhere."
        ]
    most, least = (
        max(hurt, key=lambda router: len(hurt[router])),
        min(hurt, key=lambda router: len(hurt[router])),
    )
    by = {sender: found.hurt_by(sender) for sender in found.setup.senders}
    meetings = (len(by) - 1) * len(hurt)
    strongest, mildest = max(by, key=by.__getitem__), min(by, key=by.__getitem__)
    sentences = [
        (
            f"{strongest} harms most: in {by[strongest]} of its {meetings} meetings the other suffers more than beside its own kind. "
            f"{mildest} harms least, in {by[mildest]}."
        )
    ]
    sentences += [
        f"{word} suffer over {router}: {len(hurt[router])} of {pairs} ordered pairs; {open_[router]} are undecided."
        for word, router in (("Most", most), ("Fewest", least))
        if len(hurt) > 1
    ]
    if worst := min(
        (cells[0] for cells in hurt.values() if cells), key=lambda cell: cell.share.mean, default=None
    ):
        sentences.append(
            f"The worst off of all is {worst.victim} beside {worst.other} over {worst.router}: {_text(worst.share)} of a fair share."
        )
    return sentences


def matrix(found: Coexistence) -> Figure:
    """A panel per router: shares as colours and numbers."""
    routers, senders = list(found.setup.routers), list(found.setup.senders)
    columns = min(COLUMNS, len(routers))
    rows = -(-len(routers) // columns)
    drawn, panels = canvas(0.6 + 2.9 * columns, 0.9 + 2.9 * rows, rows, columns)
    for axes, router in zip(panels, routers, strict=False):
        _panel(axes, found, router, senders)
    for axes in panels[len(routers) :]:
        axes.set_axis_off()
    return drawn


def _panel(axes: Axes, found: Coexistence, router: str, senders: list[str]) -> None:
    cells = [[found.cell(router, victim, other) for other in senders] for victim in senders]
    shares = np.array([[cell.share.mean for cell in line] for line in cells])
    axes.imshow(shares, cmap="RdBu", norm=TwoSlopeNorm(1.0, 0.0, 2.0))
    for row, line in enumerate(cells):
        for column, cell in enumerate(line):
            shade = "white" if abs(cell.share.mean - 1.0) > 0.6 else INK
            text = f"{cell.share.mean:.2f}" + ("•" if cell.hurts else "")
            axes.text(column, row, text, ha="center", va="center", fontsize=7, color=shade)
    axes.set_xticks(range(len(senders)), senders, rotation=45, ha="right", fontsize=7)
    axes.set_yticks(range(len(senders)), senders, fontsize=7)
    axes.set_title(router, loc="left", fontsize=9, color=INK)
    axes.grid(visible=False)


def _table(found: Coexistence) -> Table:
    heads = [
        "Victim",
        "Beside",
        "Router",
        "Share",
        "Harm",
        "Own kind",
        "Delay harm",
        "Delay p95, ms",
        "Retransmitted, %",
    ]
    rows = [
        Row(
            cell.victim,
            [
                cell.other,
                cell.router,
                _text(cell.share),
                _text(cell.harm),
                "–" if cell.beyond is None else _text(cell.beyond),
                _text(cell.delay_harm),
                _text(cell.delay_ms, 1),
                _text(cell.retransmitted, scale=100.0),
            ],
        )
        for cell in found.cells
    ]
    return Table(heads, rows)


def _text(found: Interval, digits: int = 2, scale: float = 1.0) -> str:
    return with_spread(found.scaled(scale), digits)

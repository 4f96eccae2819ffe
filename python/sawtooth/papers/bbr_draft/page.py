"""The report of the test cases: what holds and what does not, and of each case that fails its trace."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sawtooth.claims.logic import Verdict
from sawtooth.experiment.typed import NOTHING_TYPED, Typed
from sawtooth.papers.bbr_draft.case_files import Unseen
from sawtooth.papers.bbr_draft.perform import NAME, SECTIONS, TITLE, CaseResult, Cases, first_failure, states
from sawtooth.papers.bbr_draft.trace import CaseTrace
from sawtooth.report import figures
from sawtooth.report.blocks import Block, Page, Picture, Row, Section, Table, Words
from sawtooth.report.claims import COMPUTED_HOW, claims_section, failures
from sawtooth.report.drawing import INK, SERIES, canvas, figure_files
from sawtooth.report.markdown import fill
from sawtooth.report.pipe_table import pipe_table
from sawtooth.report.tables import counts
from sawtooth.report.words import VERDICTS
from sawtooth.report.write import write_page

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

BANDS: Final = {
    "startup": "#f3d9d0",
    "drain": "#e3e3e3",
    "probe_bw_down": "#dce8f2",
    "probe_bw_cruise": "#ffffff",
    "probe_bw_refill": "#e7f2dd",
    "probe_bw_up": "#fbeecb",
    "probe_rtt": "#e6dcef",
}
"""The colours behind the states."""
ACCEPTED: Final = ["case", "the text", "accepted here", "why"]
RATES: Final = {"pacing_bps": "pacing", "max_bw_bps": "max_bw", "bw_shortterm_bps": "bw_shortterm"}
VOLUMES: Final = {
    "in_flight_bytes": "in flight",
    "inflight_longterm_bytes": "inflight_longterm",
    "inflight_shortterm_bytes": "inflight_shortterm",
}


def write_cases(found: Cases, path: Path, typed: Typed = NOTHING_TYPED) -> list[Path]:
    """Write the HTML file ``path``, and the figures of cases that fail as SVG and PDF beside it. Returns the files, HTML first."""
    drawn: dict[Path, bytes] = {}
    for outcome in failing(found):
        drawn |= figure_files(path.with_name(f"{path.stem}_{outcome.case.name}"), trace_figure(outcome))
    return write_page(page(found).made_with(typed), path, drawn)


def update_page(path: Path, found: Cases) -> None:
    """Fill the places of a Markdown page."""
    fill(path, blocks(found), as_it_stands=True)


def blocks(found: Cases) -> dict[str, str]:
    """What a Markdown page can take.

    That is ``bbr-draft verdict``, of cases that fail what is not met as ``bbr-draft failing``, what cases accept in place of their text as
    ``bbr-draft accepted``, and the steps that no trace shows as ``bbr-draft unseen``.
    """
    draft, google = (
        f"{found.count(Verdict.HOLDS, source)} of {sum(found.count(verdict, source) for verdict in Verdict)}"
        for source in SECTIONS
    )
    rows = [
        [f"{outcome.case.number}, {outcome.case.title}", operand.text, numbers_text(operand.numbers)]
        for outcome in failing(found)
        if outcome.finding is not None
        for operand in outcome.finding.operands
        if operand.verdict is not Verdict.HOLDS
    ]
    return {
        f"{NAME} verdict": f"{draft} test cases of the draft and {google} expectations of Google's tests",
        f"{NAME} failing": pipe_table(["case", "not met", "found"], rows) if rows else "None.",
        f"{NAME} accepted": pipe_table(ACCEPTED, accepted(found)),
        f"{NAME} unseen": pipe_table(["case", "not in a trace", "tested by"], _unseen(found)),
    }


def accepted(found: Cases) -> list[list[str]]:
    """What cases take in place of what their text asks for."""
    return [
        [f"{outcome.case.number}, {outcome.case.title}", row.text, row.accepted, row.why]
        for outcome in found.outcomes
        for row in outcome.case.accepts
    ]


def _unseen(found: Cases) -> list[list[str]]:
    return [
        [
            f"{outcome.case.number}, {outcome.case.title}",
            row.what,
            " ".join(f"`{part}`" for part in where(row)),
        ]
        for outcome in found.outcomes
        for row in outcome.case.unseen
    ]


def where(row: Unseen) -> tuple[str, str]:
    """The file and the name of a test."""
    file, _, name = row.test.partition(": ")
    return file, name


def failing(found: Cases) -> list[CaseResult]:
    """The cases that fail."""
    return [outcome for outcome in found.outcomes if outcome.verdict is Verdict.FAILS]


def page(found: Cases) -> Page:
    """The page."""
    return Page(
        name=NAME,
        title=TITLE,
        answer=answer(found),
        facts={"Cases": str(len(found.outcomes)), "Runs": "one per case, all numbers in the case files"},
        counts=counts(found.judged),
        failures=failures(found.judged),
        words=[VERDICTS],
        sections=[
            Section("cases", "All cases", [_table(found.outcomes)]),
            Section("accepted", "Accepted in place of the text", [_accepted(found)]),
            *[
                Section(outcome.case.name, f"{outcome.case.number}: {outcome.case.title}", _failure(outcome))
                for outcome in failing(found)
            ],
            claims_section(found.judged, COMPUTED_HOW),
        ],
        command=f"sawtooth reproduce {NAME}",
    )


def answer(found: Cases) -> list[str]:
    """How many of each source hold, and which fail."""
    sentences = []
    for source, title in SECTIONS.items():
        held, failed = found.count(Verdict.HOLDS, source), found.count(Verdict.FAILS, source)
        undecided = found.count(Verdict.UNDECIDED, source)
        rest = f", {undecided} cannot be judged" if undecided else ""
        sentences.append(f"Of the cases of {title}, {held} hold and {failed} fail{rest}.")
    for outcome in failing(found):
        sentences.append(
            f"Case {outcome.case.number} ({outcome.case.title}) fails: not met is “{first_failure(outcome)}”."
        )
    return sentences


def _table(outcomes: Sequence[CaseResult]) -> Table:
    rows = [
        Row(
            outcome.case.name,
            [outcome.case.title, outcome.verdict.value, first_failure(outcome) or "–"],
            verdict=outcome.verdict,
        )
        for outcome in outcomes
    ]
    return Table(["Case", "What", "Verdict", "Not met"], rows, look="words")


def _accepted(found: Cases) -> Table:
    return Table(ACCEPTED, [Row(row[0], row[1:]) for row in accepted(found)], look="words")


def _failure(outcome: CaseResult) -> list[Block]:
    """What is expected and found, and the trace."""
    assert outcome.finding is not None and outcome.run is not None, "a case that fails has been judged"
    rows = [
        Row(operand.text, [operand.verdict.value, numbers_text(operand.numbers)])
        for operand in outcome.finding.operands
    ]
    blocks: list[Block] = []
    if outcome.case.note:
        blocks.append(Words(outcome.case.note))
    drawing = figures.inline(trace_figure(outcome), f"trace-{outcome.case.name}", outcome.case.title)
    return [
        *blocks,
        Table(["Expectation", "Verdict", "Numbers"], rows, look="words"),
        Picture(drawing, "States as bands; rates and what is in flight, with their bounds."),
    ]


def numbers_text(numbers: Mapping[str, object]) -> str:
    """Numbers by their names, on a line."""
    return "; ".join(f"{name}: {_text(value)}" for name, value in numbers.items())


def _text(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(_text(item) for item in value)
    if value is None:
        return "none"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return str(value)


def trace_figure(outcome: CaseResult) -> Figure:
    """Rates above, volumes below, over the states."""
    assert outcome.run is not None, "only what was run has a trace"
    trace = CaseTrace(outcome.run, states())
    drawn, (upper, lower) = canvas(9.0, 5.0, 2, 1)
    _lines(upper, trace, RATES, 1e6, "Mbit/s")
    _lines(lower, trace, VOLUMES, 1e3, "kB")
    lower.set_xlabel("time, s")
    upper.set_title(f"{outcome.case.number}: {outcome.case.title}", loc="left", fontsize=9, color=INK)
    return drawn


def _lines(axes: Axes, trace: CaseTrace, names: dict[str, str], scale: float, unit: str) -> None:
    seen: set[str] = set()
    for stay in trace.stays:
        label = None if stay.state in seen else stay.state
        seen.add(stay.state)
        axes.axvspan(stay.begin, stay.end, color=BANDS[stay.state], label=label, linewidth=0, zorder=0)
    top = 0.0
    for place, (name, label) in enumerate(names.items()):
        values = trace.column(name) / scale
        if np.isnan(values).all():
            continue
        top = max(top, float(np.nanquantile(values, 0.98)))
        axes.plot(trace.times, values, color=SERIES[place % len(SERIES)], linewidth=0.9, label=label)
    axes.set(ylabel=unit, xlim=(0, trace.end), ylim=(0, 1.15 * top if top else 1.0))
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=7)

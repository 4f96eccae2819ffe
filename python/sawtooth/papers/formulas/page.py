"""The report of an overlay: per curve its figure, where and why points leave the formula, and every number with its runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sawtooth.atomic import write_bytes_atomic
from sawtooth.claims.logic import Finding, Verdict
from sawtooth.experiment.typed import NOTHING_TYPED, Typed
from sawtooth.papers.formulas.figures import overlay_figure
from sawtooth.papers.formulas.study import NAME
from sawtooth.report import figures
from sawtooth.report.blocks import Block, Bullets, Fold, Page, Picture, Row, Section, Table
from sawtooth.report.claims import STATED_HOW, claims_section, failures, verdict_sentences
from sawtooth.report.drawing import encode, figure_files
from sawtooth.report.inline import Inline, faint, joined
from sawtooth.report.markdown import fill
from sawtooth.report.runs import run_cell
from sawtooth.report.tables import counts, leaf_text
from sawtooth.report.words import INTERVAL, RUNS, VERDICTS
from sawtooth.report.write import write_page

if TYPE_CHECKING:
    from pathlib import Path

    from sawtooth.claims.table import Judged
    from sawtooth.papers.formulas.points import FormulaCurve, FormulaPoint
    from sawtooth.papers.formulas.result import Overlay


def write_overlay(found: Overlay, path: Path, typed: Typed = NOTHING_TYPED) -> list[Path]:
    """Write the HTML file ``path`` and an SVG and a PDF file per curve beside it. Returns the files, HTML first."""
    files: dict[Path, bytes] = {}
    for curve in found.curves:
        stem = path.with_name(f"{path.stem}_{curve.name}")
        files |= figure_files(stem, overlay_figure(curve, found.study.apart))
    return write_page(page(found).made_with(typed), path, files)


def update_page(path: Path, found: Overlay) -> None:
    """Fill the places of a Markdown page, and write the figures beside it that it shows as ``figures/mathematics-CURVE.svg``."""
    fill(path, blocks(found), as_it_stands=not found.quick)
    shown = path.read_text(encoding="utf-8")
    for curve in found.curves:
        picture = f"figures/{NAME}-{curve.name}.svg"
        if f"({picture})" in shown:
            write_bytes_atomic(path.parent / picture, encode(overlay_figure(curve, found.study.apart), "svg"))


def blocks(found: Overlay) -> dict[str, str]:
    """What a Markdown page can take: ``mathematics CURVE`` (its sentences), ``mathematics claims``, ``mathematics runs`` and ``mathematics
    verdicts`` (one line each)."""
    shown = {
        f"{NAME} {curve.name}": "\n".join(f"- {sentence}" for sentence in curve.sentences(found.study.apart))
        for curve in found.curves
    }
    shown[f"{NAME} claims"] = "\n".join(
        f"- `{item.claim.id}` {item.verdict.value}: {item.claim.statement}"
        + "".join(f"\n  - {leaf.verdict.value}: {leaf_text(leaf)}" for leaf in leaves(item))
        for item in found.judged
    )
    shown[f"{NAME} runs"] = f"{found.runs:,}"
    words = {Verdict.HOLDS: "hold", Verdict.FAILS: "fail", Verdict.UNDECIDED: "undecided"}
    shown[f"{NAME} verdicts"] = ", ".join(f"{n} {words[v]}" for v, n in counts(found.judged).items())
    return shown


def leaves(item: Judged) -> list[Finding]:
    """The inequalities behind a verdict."""
    return [] if item.finding is None else list(item.finding.leaves())


def page(found: Overlay) -> Page:
    """The page; its picture is the curve with most points apart from their formula."""
    study = found.study
    first = max(found.curves, key=lambda curve: len(apart_from(curve, study.apart)))
    seeds = f"{study.seeds} seeds"
    quick = "Quick form: fewer seeds and fewer losses. The numbers are not those of the full study."
    return Page(
        name=study.name,
        title=study.title,
        answer=answer(found),
        facts={"Runs": f"{found.runs:,}", "Curves": str(len(found.curves)), "Seeds": seeds},
        counts=counts(found.judged) if found.judged else {},
        notes=[quick] if found.quick else [],
        picture=_picture(first, study.apart),
        failures=failures(found.judged),
        words=[
            ("Apart", f"{study.tolerance['apart'].meaning}: {study.apart:g}."),
            INTERVAL,
            VERDICTS,
            RUNS,
            *_parts(found),
        ],
        sections=[
            *(_curve(curve, study.apart, drawn=curve is not first) for curve in found.curves),
            claims_section(found.judged, STATED_HOW),
        ],
        command=f"sawtooth reproduce {NAME}{' --quick' if found.quick else ''} --seeds {study.seeds}",
    )


def apart_from(curve: FormulaCurve, tolerance: float) -> list[FormulaPoint]:
    """The points of a curve that lie apart from its formula."""
    return [point for point in curve.points if point.apart(tolerance)]


def answer(found: Overlay) -> list[str]:
    """How many points follow their formulas, which curves leave them most, and the verdicts."""
    tolerance = found.study.apart
    points = sum(len(curve.points) for curve in found.curves)
    apart = [(curve, apart_from(curve, tolerance)) for curve in found.curves]
    gone = sum(len(among) for _, among in apart)
    lines = [f"{points - gone} of {points} measured points follow their formula; {gone} lie apart from it."]
    whole = [curve.title for curve, among in apart if not among]
    if whole:
        lines.append(f"The formula holds at every point of: {'; '.join(whole)}.")
    most = sorted((item for item in apart if item[1]), key=lambda item: -len(item[1]))[:2]
    lines += [_departure(curve, among) for curve, among in most]
    return [
        *lines,
        *verdict_sentences(found.judged),
        f"This rests on {found.runs:,} runs over {found.study.seeds} seeds.",
    ]


def _parts(found: Overlay) -> list[tuple[str, Inline]]:
    """What the shares and causes are that the sentences name."""
    explained = {name: what for curve in found.curves for name, what in curve.explained.items()}
    return [(name[0].upper() + name[1:], f"{what[0].upper()}{what[1:]}.") for name, what in explained.items()]


def _departure(curve: FormulaCurve, among: Sequence[FormulaPoint]) -> str:
    """How many points of a curve leave its formula, and what is the cause most often."""
    causes = Counter(point.main_cause for point in among if point.main_cause is not None)
    why = f", most often by {causes.most_common(1)[0][0]}" if causes else ""
    return f"{curve.title}: {len(among)} of {len(curve.points)} points are apart{why}."


def _picture(curve: FormulaCurve, tolerance: float) -> Picture:
    note = f"{curve.title}. Left measured values over the lines of the formulas, right how far they are from {curve.reference}; "
    note += "filled marks are apart from it, the band is the tolerance."
    drawing = figures.inline(overlay_figure(curve, tolerance), curve.name, curve.title)
    return Picture(drawing, note)


def _curve(curve: FormulaCurve, tolerance: float, drawn: bool) -> Section:
    blocks: list[Block] = [_picture(curve, tolerance)] if drawn else []
    blocks += [
        Bullets(curve.sentences(tolerance)),
        Fold("Every point, with its runs", [_table(curve, tolerance)]),
    ]
    return Section(curve.name, curve.title, blocks)


def _table(curve: FormulaCurve, tolerance: float) -> Table:
    shares, causes = list(curve.points[0].shares), list(curve.points[0].causes)
    formulas = list(dict.fromkeys(name for point in curve.points for name in point.formulas))
    heads = [
        "Series",
        curve.x_label,
        "Measured",
        "Deviation",
        "Apart",
        *formulas,
        *shares,
        *(f"part: {name}" for name in causes),
        "Runs",
    ]
    rows = [
        Row(
            point.series,
            [
                f"{point.x:.4g}",
                _shown(point, "measured"),
                _shown(point, "deviation"),
                "yes" if point.apart(tolerance) else "no",
                *(f"{point.formulas[name]:.4g}" if name in point.formulas else "–" for name in formulas),
                *(f"{point.shares[name]:.3g}" for name in shares),
                *(f"{point.causes[name]:+.3f}" for name in causes),
                run_cell(point.run_ids),
            ],
        )
        for point in curve.points
    ]
    caption = "Mean and 95 % interval over seeds; parts are in the unit of the deviation."
    return Table(heads, rows, caption=caption)


def _shown(point: FormulaPoint, what: str) -> Inline:
    found = point.measured if what == "measured" else point.deviation
    sign = "+" if what == "deviation" else ""
    shown = f"{found.mean:{sign}.4g}"
    if found.low is None or found.high is None or found.low == found.high:
        return shown
    return joined([shown, faint(f"[{found.low:{sign}.4g}, {found.high:{sign}.4g}]")])

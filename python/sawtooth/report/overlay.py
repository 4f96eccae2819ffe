"""The report of an overlay: per curve its figure, where and why points leave the formula, and every number with its runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sawtooth.atomic import write_bytes_atomic, write_text_atomic
from sawtooth.claims.logic import Finding, Verdict
from sawtooth.errors import MISSING, InputError
from sawtooth.papers.formulas.study import NAME
from sawtooth.report import figures
from sawtooth.report.claims import JUDGED_HOW, claims_section, summary
from sawtooth.report.drawing import encode, figure_files
from sawtooth.report.elements import (
    code,
    details,
    document,
    element,
    head,
    link,
    paragraph,
    row,
    section,
    table,
    text,
)
from sawtooth.report.markdown import fill
from sawtooth.report.overlay_figures import overlay_figure
from sawtooth.report.tables import counts, leaf_text

if TYPE_CHECKING:
    from sawtooth.claims.table import Judged
    from sawtooth.papers.formulas import Overlay
    from sawtooth.papers.formulas.points import Curve, Point


def write_overlay(found: Overlay, path: Path) -> list[Path]:
    """Write the HTML file ``path`` and an SVG and a PDF file per curve beside it. Returns the files, HTML first."""
    files = [path]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text_atomic(path, page(found))
        for curve in found.curves:
            stem = path.with_name(f"{path.stem}_{curve.name}")
            for target, data in figure_files(stem, overlay_figure(curve, found.study.apart)).items():
                write_bytes_atomic(target, data)
                files.append(target)
    except OSError as error:
        raise InputError(
            "report", str(path), MISSING, f"a place that can be written ({error.strerror})"
        ) from error
    return files


def update_page(path: Path, found: Overlay) -> None:
    """Fill the places of a Markdown page, and write the figures beside it that it shows as ``figures/mathematics-CURVE.svg``."""
    fill(path, blocks(found), as_it_stands=not found.quick)
    shown = path.read_text(encoding="utf-8")
    for curve in found.curves:
        picture = f"figures/{NAME}-{curve.name}.svg"
        if f"({picture})" in shown:
            write_bytes_atomic(path.parent / picture, encode(overlay_figure(curve, found.study.apart), "svg"))


def blocks(found: Overlay) -> dict[str, str]:
    """What a Markdown page can take: ``mathematics CURVE`` (its sentences), ``mathematics claims``, ``mathematics verdicts`` (one line)."""
    shown = {
        f"{NAME} {curve.name}": "\n".join(f"- {sentence}" for sentence in curve.sentences(found.study.apart))
        for curve in found.curves
    }
    shown[f"{NAME} claims"] = "\n".join(
        f"- `{item.claim.id}` {item.verdict.value}: {item.claim.statement}"
        + "".join(f"\n  - {leaf.verdict.value}: {leaf_text(leaf)}" for leaf in leaves(item))
        for item in found.judged
    )
    words = {Verdict.HOLDS: "hold", Verdict.FAILS: "fail", Verdict.UNDECIDED: "undecided"}
    shown[f"{NAME} verdicts"] = ", ".join(f"{n} {words[v]}" for v, n in counts(found.judged).items())
    return shown


def leaves(item: Judged) -> list[Finding]:
    """The inequalities behind a verdict."""
    return [] if item.finding is None else list(item.finding.leaves())


def page(found: Overlay) -> str:
    """The whole document."""
    study = found.study
    links = [link(f"#{curve.name}", text(curve.title)) for curve in found.curves]
    links += [link("#claims", "Claims"), link("#runs", "Runs")]
    facts = {"Seeds": study.seeds, "Curves": len(found.curves), "Runs": f"{found.runs:,}"}
    header = [
        paragraph(f"Sawtooth report · {text(study.name)}", "kicker"),
        element("h1", text(study.title)),
        paragraph(f"Expected picture: {text(study.picture)}.", "lead"),
        element(
            "dl",
            "".join(
                element("div", element("dt", name) + element("dd", text(value)))
                for name, value in facts.items()
            ),
            class_="facts",
        ),
        paragraph(f"{text(study.tolerance['apart'].meaning)}: {study.apart:g}.", "muted"),
        paragraph(
            "<strong>Quick form:</strong> fewer seeds and fewer losses. The numbers are not those of the full study.",
            "note",
        )
        if found.quick
        else "",
        summary(found.judged),
        element("nav", " · ".join(links), aria_label="Sections"),
    ]
    parts = [
        element("header", "\n".join(part for part in header if part)),
        *(_curve(curve, study.apart) for curve in found.curves),
        claims_section(found.judged, JUDGED_HOW),
        _runs(found),
    ]
    return document(study.name, parts)


def _curve(curve: Curve, tolerance: float) -> str:
    drawing = figures.inline(overlay_figure(curve, tolerance), curve.name, curve.title)
    sentences = "".join(element("li", text(sentence)) for sentence in curve.sentences(tolerance))
    meaning = "; ".join(f"{text(name)}: {text(what)}" for name, what in curve.explained.items())
    note = f"Lines: {text(curve.reference)} and others as named; filled markers are apart from it. {meaning}."
    return section(
        curve.name,
        text(curve.title),
        element("figure", drawing),
        element("ul", sentences),
        paragraph(note, "muted"),
        details("Every point", _table(curve, tolerance)),
    )


def _table(curve: Curve, tolerance: float) -> str:
    shares, causes = list(curve.points[0].shares), list(curve.points[0].causes)
    formulas = list(dict.fromkeys(name for point in curve.points for name in point.formulas))
    heads = [
        "Series",
        text(curve.x_label),
        "Measured",
        "Deviation",
        "Apart",
        *(text(name) for name in formulas),
        *(text(name) for name in shares),
        *(f"part: {text(name)}" for name in causes),
    ]
    rows = [
        row(
            text(point.series),
            [
                f"{point.x:.4g}",
                _shown(point, "measured"),
                _shown(point, "deviation"),
                "yes" if point.apart(tolerance) else "no",
                *(f"{point.formulas[name]:.4g}" if name in point.formulas else "–" for name in formulas),
                *(f"{point.shares[name]:.3g}" for name in shares),
                *(f"{point.causes[name]:+.3f}" for name in causes),
            ],
        )
        for point in curve.points
    ]
    return table(
        [head(*heads)],
        rows,
        caption="Mean and 95 % interval over seeds; parts are in the unit of the deviation.",
    )


def _shown(point: Point, what: str) -> str:
    found = point.measured if what == "measured" else point.deviation
    sign = "+" if what == "deviation" else ""
    shown = f"{found.mean:{sign}.4g}"
    if found.low is None or found.high is None or found.low == found.high:
        return shown
    return shown + " " + element("span", f"[{found.low:{sign}.4g}, {found.high:{sign}.4g}]", class_="spread")


def _runs(found: Overlay) -> str:
    rows = [
        row(
            text(f"{curve.title}: {point.series}, {curve.x_label} = {point.x:.4g}"),
            [" ".join(code(run_id[:12]) for run_id in point.run_ids)],
            words=True,
        )
        for curve in found.curves
        for point in curve.points
    ]
    note = paragraph(
        "Every number comes from stored runs; <code>sawtooth replay RUNID</code> makes one again.", "muted"
    )
    return section(
        "runs", "Runs", note, details("Runs by point", table([head("Point", "Runs")], rows, kind="runs"))
    )

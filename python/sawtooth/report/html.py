"""The HTML report: one file, no script, nothing fetched; light and dark by the reader's setting; printable.

Order: what was done and how it came out, then per setting the scores beside the printed ones and the raw values, then the verdicts with
their evidence, the open parameters with reasons, the meaning of words, and the runs behind every number. Each raw value links to its
runs, and ``sawtooth replay RUNID`` makes any of them again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sawtooth.papers.akella2002.printed import ENVIRONMENTS
from sawtooth.papers.akella2002.printed import environments as printed_environments
from sawtooth.papers.akella2002.winners import winner_map
from sawtooth.report import figures, instances, shares, strips
from sawtooth.report.across import across_section, spans
from sawtooth.report.claims import JUDGED_HOW, claims_section, summary
from sawtooth.report.curves import anchor, curve_section
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
from sawtooth.report.part_link import PartLink
from sawtooth.report.tables import (
    COLUMNS,
    DECIMALS,
    RAW_DECIMALS,
    UNITS,
    ScoreCell,
    number,
    raw_table,
    score_table,
    setting_title,
    spread,
)
from sawtooth.report.winners import winners_section

if TYPE_CHECKING:
    from sawtooth.experiment.comparison import Comparison
    from sawtooth.experiment.matrix import Block

FOLDED_FROM = 100
"""Rows from which a table of runs is folded."""

SCORE_UNITS = {"delay": " (ms)", "loss": " (points)"}


def page(comparison: Comparison, among: Sequence[PartLink] = ()) -> str:
    """The whole document; ``among`` are the parts of the paper, this one included, that have pages of their own."""
    parts = [
        _head(comparison),
        _others(comparison, among) if len(among) > 1 else "",
        winners_section(leading) if (leading := winner_map(comparison.part)) else "",
        across_section(comparison.own) if spans(comparison) else "",
        *(instances.sections(comparison) if comparison.study.in_families else map(_setting, comparison.own)),
        *(shares.shares_section(figure) for figure in comparison.shares),
        *(strips.strips_section(figure) for figure in comparison.strips),
        *(curve_section(curve) for curve in comparison.curves),
        claims_section(comparison.judged, JUDGED_HOW) if comparison.judged else "",
        _parameters(comparison),
        _runs(comparison),
    ]
    return document(comparison.study.name, parts)


def _head(comparison: Comparison) -> str:
    study, results = comparison.study, comparison.results
    cells = {"Seeds": len(results.seeds), "Environments": len(results.environments)}
    facts = {
        **(cells if comparison.own else {"Seeds": max(entry.seeds for entry in study.probe)}),
        "Runs": f"{len(comparison.run_ids):,}",
        "Engine": comparison.engine,
    }
    parts = [
        paragraph(f"Sawtooth report · {text(study.name)}", "kicker"),
        element("h1", text(study.title)),
        paragraph(f"Expected picture: {text(study.picture)}.", "lead") if study.picture else "",
        element(
            "dl",
            "".join(
                element("div", element("dt", name) + element("dd", text(value)))
                for name, value in facts.items()
            ),
            class_="facts",
        ),
    ]
    if comparison.quick:
        parts.append(
            paragraph(
                "<strong>Quick form:</strong> fewer seeds and shorter runs. "
                "Cells and claims are those of the full study, the numbers are not.",
                "note",
            )
        )
    if comparison.varied:
        changes = ", ".join(
            f"{code(key)} = {text(_plain(value))}" for key, value in comparison.varied.items()
        )
        parts.append(
            paragraph(f"<strong>Varied:</strong> {changes}. This is not the study as it stands.", "note")
        )
    if study.changed:
        changes = ", ".join(f"{code(key)} = {text(_plain(value))}" for key, value in study.changed.items())
        parts.append(
            paragraph(f"In place of the set-up that the studies of this paper share: {changes}.", "muted")
        )
    if study.matrix.absent:
        parts.append(
            paragraph(
                f"The printed scores are over {ENVIRONMENTS} environments, ours over {len(results.environments)}: "
                f"{text(', '.join(study.matrix.absent))} are absent ({text(study.matrix.absent_reason)}). "
                "A printed score beside ours shows order and size, not a target.",
                "note",
            )
        )
    places = [(_anchor(block.setting), setting_title(block.setting)) for block in comparison.own]
    if comparison.study.in_families:
        places = instances.links(comparison)
    elif winner_map(comparison.part):
        places.insert(0, ("winners", "Who leads where"))
    if spans(comparison):
        places.insert(0, ("across", "Across settings"))
    links = [link(f"#{place}", text(title)) for place, title in places]
    links += [link(f"#{shares.anchor(figure)}", text(figure.spec.title)) for figure in comparison.shares]
    links += [link(f"#{strips.anchor(figure)}", text(figure.spec.title)) for figure in comparison.strips]
    links += [link(f"#{anchor(curve)}", text(curve.spec.title)) for curve in comparison.curves]
    if comparison.judged:
        parts.append(summary(comparison.judged))
        links.append(link("#claims", "Claims"))
    links += [link("#parameters", "Open parameters"), link("#runs", "Runs")]
    parts.append(element("nav", " · ".join(links), aria_label="Sections"))
    return element("header", "\n".join(part for part in parts if part))


def _others(comparison: Comparison, among: Sequence[PartLink]) -> str:
    """The other parts of the paper."""
    rows = [
        row(
            text(part.name)
            if part.report is None or part.report == comparison.report
            else link(part.report.name, text(part.name)),
            [text(part.title), f"{part.runs:,}", str(part.claims)],
            words=True,
        )
        for part in among
    ]
    return details(
        "Parts of this paper", table([head("Part", "What", "Runs", "Claims")], rows, kind="words"), True
    )


def _setting(block: Block) -> str:
    parts = [_scores(block)]
    for metric in ("delay", "loss", "goodput", "fairness"):
        title = figures.TITLES[metric]
        drawing = figures.inline(
            figures.metric_figure(block, metric), f"{block.setting} {metric}", f"{title} per environment"
        )
        parts.append(element("figure", drawing))
        parts.append(details(f"{text(title)}: values and runs", _raw(block, metric)))
    keys = ", ".join(
        f"{row.key} {row.name}" for row in printed_environments() if row.name in block.environments
    )
    if keys:
        parts.append(paragraph(f"{text(keys)}. Error bars: 95 % interval over seeds.", "muted"))
    return section(_anchor(block.setting), text(setting_title(block.setting)), *parts)


def _scores(block: Block) -> str:
    rows = score_table(block)
    printed = any(cell.printed is not None for _, cells in rows for cell in cells)
    caption = (
        f"Scores over A = {{{', '.join(block.algorithms)}}} and E = {{{', '.join(block.environments)}}}: "
        "D is the sum and C the maximum of the distances to the best, within each seed; mean and 95 % interval over seeds. "
        "The lowest of a column is bold."
    )
    if printed:
        caption += f" Below: the printed score, over {ENVIRONMENTS} environments."
    heads = [
        head(
            "Algorithm",
            "Goodput",
            *(metric.capitalize() for metric, _ in COLUMNS[2:]),
            span=[(1, 2), (2, 1), *[(1, 1)] * 3],
        ),
        head(*(f"{score}{SCORE_UNITS.get(metric, '')}" for metric, score in COLUMNS)),
    ]
    body = [
        row(f"{_swatch(place)}{text(name)}", [_score(cell, printed) for cell in cells])
        for place, (name, cells) in enumerate(rows)
    ]
    means = [
        row(
            text(name),
            [
                *(
                    number(getattr(block.scores.of(name, metric), f"{score}_of_means"), DECIMALS[metric])
                    for metric, score in COLUMNS
                ),
                text(block.scores.of(name, "goodput").worst),
            ],
        )
        for name in block.algorithms
    ]
    titles = [f"{score} {metric}" for metric, score in COLUMNS]
    return table(heads, body, caption=text(caption), kind="scores") + details(
        "D and C of the seed means, and where C of goodput arises",
        table(
            [head("Algorithm", *titles, "worst environment")],
            means,
            caption="Noise between seeds lifts the mean of D above D of the means.",
        ),
    )


def _score(cell: ScoreCell, printed: bool) -> str:
    decimals = DECIMALS[cell.metric]
    shown = number(cell.ours.mean, decimals)
    markup = element("strong", shown) if cell.best else shown
    markup += " " + element("span", spread(cell.ours, decimals), class_="spread")
    if printed:
        markup += element("span", f"printed {number(cell.printed, decimals)}", class_="printed")
    return markup


def _raw(block: Block, metric: str) -> str:
    decimals = RAW_DECIMALS[metric]
    rows = [
        row(
            text(environment),
            [
                link(f"#{_cell(block.setting, name, environment)}", number(cell.ours.mean, decimals))
                + " "
                + element("span", spread(cell.ours, decimals), class_="spread")
                for name, cell in zip(block.algorithms, cells, strict=True)
            ],
        )
        for environment, cells in raw_table(block, metric)
    ]
    clipping = ", not clipped at 1" if metric == "goodput" else ""
    caption = f"{metric.capitalize()} ({UNITS[metric]}{clipping}), mean and 95 % interval over seeds; each number links to its runs."
    return table([head("Environment", *map(text, block.algorithms))], rows, caption=caption)


def _parameters(comparison: Comparison) -> str:
    study = comparison.study
    environments = len(comparison.results.environments)
    open_ones = [
        row(
            code(entry.key),
            [
                text(_plain(entry.value)),
                text(", ".join(_plain(value) for value in entry.plausible)),
                text(entry.stated),
                text(entry.reason),
            ],
            words=True,
        )
        for entry in study.parameter
    ]
    algorithms = [
        row(
            text(label),
            [
                code(entry["control"]),
                code(", ".join(f"{k} = {_plain(v)}" for k, v in entry["resolved"].items())),
            ],
            words=True,
        )
        for label, entry in comparison.algorithms.items()
    ]
    words = [
        row(
            code(name),
            [
                f"{entry.value:g}",
                text(entry.meaning)
                + (
                    f" (of sums over {entry.sum_over} environments; here {entry.over(environments):.3g})"
                    if entry.sum_over
                    else ""
                ),
            ],
            words=True,
        )
        for name, entry in study.tolerance.items()
    ]
    parts = [
        table(
            [head("Key", "Value", "Plausible too", "Stated", "Reason")],
            open_ones,
            caption="What the paper leaves open: the value taken, what else is plausible, and why.",
            kind="words",
        ),
        element("h3", "Algorithms"),
        table([head("Label", "As written", "Resolved numbers")], algorithms, kind="words"),
    ]
    if comparison.judged:
        parts += [
            element("h3", "What words mean"),
            table(
                [head("Name", "Value", "Meaning")],
                words,
                caption="Stated in the study file before running.",
                kind="words",
            ),
        ]
    return section("parameters", "Open parameters", *parts)


def _runs(comparison: Comparison) -> str:
    results = comparison.results
    heads = [head("Algorithm", "Environment", *(f"seed {text(seed)}" for seed in results.seeds))]
    parts = [
        paragraph(
            f"Every number above comes from these stored runs. {code('sawtooth replay RUNID')} makes one again, bit for bit."
        )
    ]
    for setting, block in results.blocks.items():
        rows = [
            row(
                text(name),
                [text(environment), *(code(run) for run in block.ids(name, environment))],
                anchor=_cell(setting, name, environment),
            )
            for name in block.algorithms
            for environment in block.environments
        ]
        folded = len(rows) > FOLDED_FROM
        parts.append(details(text(setting_title(setting)), table(heads, rows, kind="runs"), not folded))
    probes = [
        row(text(probe), [text(", ".join(f"{k} = {v}" for k, v in run.labels.items())), code(run.run_id)])
        for probe, runs in results.probes.items()
        for run in runs
    ]
    if probes:
        parts += [element("h3", "Probes"), table([head("Probe", "Varied", "Run")], probes, kind="runs")]
    return section("runs", "Runs", *parts)


def _swatch(place: int) -> str:
    colour = f"background:var(--series-{place % len(figures.SERIES)})"
    return element("span", "", class_="swatch", style=colour)


def _plain(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _anchor(setting: str) -> str:
    return setting.replace("/", "-")


def _cell(setting: str, algorithm: str, environment: str) -> str:
    safe = "".join(c if c.isalnum() else "-" for c in algorithm)
    return f"runs-{_anchor(setting)}-{safe}-{environment}"

"""The page of one study: a part of a paper, a study of one's own, or a comparison.

Source: the layout of the score table is that of [Akella02] Figures 4 to 11; the rest is ours. The answer and the failures come first; then
per setting the scores beside the printed ones and the raw values, the figures over probes, the verdicts with their evidence, what the paper
leaves open, and the runs behind every number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sawtooth.experiment.curves import Curve
from sawtooth.experiment.exhibit import Exhibit
from sawtooth.experiment.flow_shares import SharesFigure
from sawtooth.experiment.matrix import SettingBlock
from sawtooth.plain import written
from sawtooth.report import figures, shares, strips
from sawtooth.report.across import across_picture, spans
from sawtooth.report.answers import part_answer
from sawtooth.report.blocks import Block, Fold, Head, Page, Picture, Row, Section, Table, Words
from sawtooth.report.claims import (
    JUDGED_HOW,
    STATED_HOW,
    claims_section,
    counted_apart,
    failures,
    shown_counts,
)
from sawtooth.report.curves import curve_picture, curve_section
from sawtooth.report.head_figures import head_picture
from sawtooth.report.inline import Inline, below, faint, joined, strong, swatch, to_runs
from sawtooth.report.runs import group, place, runs_section
from sawtooth.report.set_up import set_up_section
from sawtooth.report.sketches import Sketches
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
from sawtooth.report.words import INTERVAL, MEASURES, PRINTED, SCORED, VERDICTS, runs

if TYPE_CHECKING:
    from sawtooth.experiment.comparison import Comparison

SCORE_UNITS: Final = {"delay": " (ms)", "loss": " (points)"}


def part_page(comparison: Comparison, sketches: Sketches, up: tuple[str, str] | None = None) -> Page:
    """The page; ``up`` is the page of the paper that it is a part of."""
    study = comparison.study
    return Page(
        name=study.name,
        title=study.title,
        answer=part_answer(comparison),
        facts={**_size(comparison), "Engine": comparison.engine},
        counts=shown_counts(comparison.judged),
        apart=counted_apart(comparison.judged),
        notes=notes(comparison),
        picture=headline(comparison, sketches),
        failures=failures(comparison.judged),
        words=_words(comparison),
        sections=_sections(comparison, sketches),
        up=up,
        command=comparison.command,
        typed=comparison.typed,
    )


def _headed(comparison: Comparison) -> object:
    """What the one picture of a study is of: what its paper adds, all settings, the only one, a figure over probes, or what an algorithm
    does alone."""
    added = next((entry for entry in comparison.exhibits if entry.headline() is not None), None)
    if added is not None:
        return added
    if spans(comparison):
        return comparison.own
    settings = [] if comparison.study.in_families else comparison.own[:1]
    alone = all(len(block.algorithms) == 1 for block in settings)
    probed = [*comparison.shares, *comparison.curves]
    return next(iter([*probed, *settings] if alone else settings), None)


def headline(comparison: Comparison, sketches: Sketches) -> Picture | None:
    """The one picture of a study."""
    subject = _headed(comparison)
    if isinstance(subject, Exhibit):
        return subject.headline()
    if isinstance(subject, list):
        return across_picture(subject, sketches)
    if isinstance(subject, SharesFigure):
        return shares.shares_picture(subject, sketches)
    if isinstance(subject, Curve):
        return curve_picture(subject, sketches)
    return head_picture(subject, len(comparison.own) > 1) if isinstance(subject, SettingBlock) else None


def notes(comparison: Comparison) -> list[Inline]:
    """What a reader must know before believing the numbers."""
    study = comparison.study
    found: list[Inline] = []
    if comparison.quick:
        found.append(
            "Quick form: the cells and claims of the full study with fewer seeds and shorter runs; numbers and verdicts may differ."
        )
    if comparison.varied:
        changes = ", ".join(f"{key} = {written(value)}" for key, value in comparison.varied.items())
        found.append(
            f"Varied: {changes}. This is not the study as it stands."
            if comparison.judged or study.paper
            else f"In place of the scenario's own values: {changes}."
        )
    if study.matrix.absent and comparison.printed is not None:
        found.append(
            f"The paper's scores are over {comparison.printed_environments} environments, ours over "
            f"{len(comparison.results.environments)}: {', '.join(study.matrix.absent)} are absent ({study.matrix.absent_reason}). A "
            "printed score is a guide to order and size, not a target."
        )
    return found


def _size(comparison: Comparison) -> dict[str, str]:
    results = comparison.results
    if not comparison.own:
        return {"Runs": f"{len(comparison.run_ids):,}"}
    return {
        "Runs": f"{len(comparison.run_ids):,}",
        "Environments": str(len(results.environments)),
        "Seeds": str(len(results.seeds)),
    }


def _words(comparison: Comparison) -> list[tuple[str, Inline]]:
    """The terms that the page uses."""
    found: list[tuple[str, Inline]] = []
    if comparison.own:
        found += [*MEASURES, *SCORED]
    if any(comparison.beside(block) for block in comparison.own):
        found.append(PRINTED)
    found.append(INTERVAL)
    if comparison.judged:
        found.append(VERDICTS)
        places = len(comparison.results.environments)
        for name, entry in comparison.study.tolerance.items():
            over = (
                f" (over {entry.sum_over} environments; here {entry.over(places):.3g})"
                if entry.sum_over
                else ""
            )
            found.append(
                (name.replace("_", " "), f"{entry.value:g}: {entry.meaning}{over}. Stated before running.")
            )
    return [*found, runs(comparison.typed)]


def _sections(comparison: Comparison, sketches: Sketches) -> list[Section]:
    instead = any(entry.instead_of_scores for entry in comparison.exhibits)
    several = len(comparison.own) > 1
    found = [section for entry in comparison.exhibits for section in entry.sections()]
    if not instead:
        found += [_setting(comparison, block, several) for block in comparison.own]
    head = _headed(comparison)
    if spans(comparison) and head is not comparison.own:
        found.insert(0, Section("across", "Across settings", [across_picture(comparison.own, sketches)]))
    found += [shares.shares_section(figure, sketches, figure is not head) for figure in comparison.shares]
    found += [strips.strips_section(figure, sketches) for figure in comparison.strips]
    found += [curve_section(curve, sketches, curve is not head) for curve in comparison.curves]
    if comparison.judged:
        how = JUDGED_HOW if comparison.printed is not None else STATED_HOW
        found.append(claims_section(comparison.judged, how))
    return [*found, set_up_section(comparison), runs_section(comparison)]


def _setting(comparison: Comparison, block: SettingBlock, several: bool) -> Section:
    """Scores of a setting; the values behind them are folded where there are several settings."""
    drawing = figures.inline(
        figures.values_figure(block), f"{block.setting} values", "Values per environment"
    )
    values: list[Block] = [Picture(drawing, "Error bars: 95 % interval over seeds.")]
    for metric, title in figures.TITLES.items():
        values.append(Fold(f"{title}: values and runs", [_raw(block, metric)]))
    scored: list[Block] = [] if len(block.algorithms) == 1 else _scores(comparison, block)
    folded: list[Block] = [Fold("Values by environment", values)] if several else values
    return Section(anchor(block.setting), setting_title(block.setting), [*scored, *folded])


def _scores(comparison: Comparison, block: SettingBlock) -> list[Block]:
    rows = score_table(block, comparison.beside(block))
    printed = any(cell.printed is not None for _, cells in rows for cell in cells)
    caption = (
        "D: distances from the best algorithm, added over the environments; 0 is best. C: the largest of these distances. Each cell shows "
        "the mean and the 95 % interval over seeds; the best of a column is bold."
    )
    if printed:
        caption += (
            f" Below: the number printed in the paper, over {comparison.printed_environments} environments."
        )
    upper = [Head("Goodput", columns=2), *(Head(metric.capitalize()) for metric, _ in COLUMNS[2:])]
    heads = [f"{score}{SCORE_UNITS.get(metric, '')}" for metric, score in COLUMNS]
    body = [
        Row(
            joined([swatch(spot), name], ""),
            [_score(block, name, cell, printed) for cell in cells],
        )
        for spot, (name, cells) in enumerate(rows)
    ]
    means = [
        Row(
            name,
            [
                *(
                    number(getattr(block.scores.of(name, metric), f"{score}_of_means"), DECIMALS[metric])
                    for metric, score in COLUMNS
                ),
                block.scores.of(name, "goodput").worst,
            ],
        )
        for name in block.algorithms
    ]
    titles = [f"{score} {metric}" for metric, score in COLUMNS]
    among = f"Scored among {', '.join(block.algorithms)} over {', '.join(block.environments)}."
    return [
        Table(heads, body, caption, "scores", [Head("Algorithm", rows=2), *upper]),
        Fold(
            "D and C of the averaged metrics, and the environment that gives C of goodput",
            [
                Words(among, "muted"),
                Table(
                    ["Algorithm", *titles, "worst environment"],
                    means,
                    caption="These scores are formed after averaging over seeds. The means above are larger: distances cannot be "
                    "negative, so noise between seeds adds to them.",
                ),
            ],
        ),
    ]


def _score(block: SettingBlock, name: str, cell: ScoreCell, printed: bool) -> Inline:
    decimals = DECIMALS[cell.metric]
    shown: Inline = number(cell.ours.mean, decimals)
    first = place(block, name, block.environments[0])
    linked = to_runs(first, strong(shown) if cell.best else shown, group(block, name))
    pieces: list[Inline] = [linked, faint(spread(cell.ours, decimals))]
    if printed:
        pieces.append(below(f"printed {number(cell.printed, decimals)}"))
    return joined(pieces)


def _raw(block: SettingBlock, metric: str) -> Table:
    decimals = RAW_DECIMALS[metric]
    rows = [
        Row(
            environment,
            [
                joined(
                    [
                        to_runs(place(block, name, environment), number(cell.ours.mean, decimals)),
                        faint(spread(cell.ours, decimals)),
                    ]
                )
                for name, cell in zip(block.algorithms, cells, strict=True)
            ],
        )
        for environment, cells in raw_table(block, metric)
    ]
    clipping = ", not clipped at 1" if metric == "goodput" else ""
    caption = f"{metric.capitalize()} ({UNITS[metric]}{clipping}), mean and 95 % interval over seeds; a click on a number shows its runs."
    return Table(["Environment", *block.algorithms], rows, caption=caption)


def anchor(setting: str) -> str:
    """The name of a setting's section."""
    return setting.replace("/", "-")

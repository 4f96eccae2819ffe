"""Scores and verdicts for the terminal: what `compare` and `reproduce` print."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from sawtooth.claims.logic import Verdict
from sawtooth.claims.table import Judged
from sawtooth.cli.output import table
from sawtooth.experiment.comparison import Comparison
from sawtooth.papers.akella2002.instances import choices, family_tables
from sawtooth.papers.formulas import Overlay
from sawtooth.papers.mathematics import Mathematics
from sawtooth.papers.reconstruction.result import Reconstruction
from sawtooth.papers.reddy2012.sliding_window import Arq
from sawtooth.papers.reproduction import Reproduction
from sawtooth.papers.variation import Sensitivity
from sawtooth.report.tables import (
    COLUMNS,
    DECIMALS,
    agreement_texts,
    counts,
    number,
    score_table,
    spread,
)

COLOURS = {Verdict.HOLDS: "green", Verdict.FAILS: "red", Verdict.UNDECIDED: "yellow"}


def print_part(out: Console, found: Comparison) -> None:
    """The numbers of a part: scores beside the printed ones, or for instances of families how far their orders agree."""
    if found.study.in_families:
        print_instances(out, found)
    else:
        print_scores(out, found)


def print_instances(out: Console, found: Comparison) -> None:
    """Per table of the appendix the rank correlation with the printed one and the best instance; then the choice of representatives."""
    paper = found.study.paper
    shown = table(
        "D of goodput within each family", "table", "rho", "tau", "best", "printed best", right=True
    )
    for entry in family_tables(found.own, paper):
        shown.add_row(f"{entry.setting} {entry.family}", *agreement_texts(entry))
    out.print(shown)
    shown = table(
        "smallest D in the worst setting", "family", "paper's choice", "printed tables", "ours", right=True
    )
    for choice in choices(found.own, paper):
        shown.add_row(choice.family, choice.chosen, choice.printed_by_worst or "", choice.by_worst)
    out.print(shown)
    out.print("In brackets the 95 % interval over instances and seeds.", style="dim")
    out.print()


def print_scores(out: Console, found: Comparison) -> None:
    """One table per setting: each score with its interval, the printed one in parentheses."""
    for block in found.own:
        heads = [f"{score} {metric}" for metric, score in COLUMNS]
        shown = table(f"{block.setting}: distance from the best", "algorithm", *heads, right=True)
        printed = False
        for name, cells in score_table(block):
            texts = []
            for cell in cells:
                decimals = DECIMALS[cell.metric]
                text = f"{number(cell.ours.mean, decimals)} {spread(cell.ours, decimals)}".rstrip()
                if cell.printed is not None:
                    text += f" ({number(cell.printed, decimals)})"
                    printed = True
                texts.append(text)
            shown.add_row(name, *texts)
        out.print(shown)
        over = f"{_count(len(block.environments), 'environment')} and {_count(len(block.seeds), 'seed')}"
        note = f"Over {over}; ± is the 95 % interval of the mean."
        if printed:
            note += " In parentheses the printed score, over 13 environments."
        out.print(note, style="dim")
        out.print()


def print_computed(out: Console, found: Mathematics) -> None:
    """One line per claim of mathematics: verdict, statement; below a claim that fails, what holds instead."""
    shown = table(f"claims of {found.name}", "claim", "verdict", "statement")
    for item in found.judged:
        shown.add_row(item.claim.id, _coloured(item.verdict), item.claim.statement)
        if item.finding is not None and item.finding.instead is not None:
            instead = item.finding.instead
            shown.add_row("", _coloured(instead.verdict), Text(f"instead: {instead.text}", style="dim"))
    out.print(shown)
    _print_totals(out, found.judged)


def print_arq(out: Console, found: Arq) -> None:
    """Efficiency by window and error rate, the formula beside it where it speaks; then the claims."""
    shown = table(
        "frames delivered per frame time", "window", "round trip", "p", "measured", "formula", right=True
    )
    for point in found.points:
        measured = f"{number(point.efficiency.mean, 4)} {spread(point.efficiency, 4)}".rstrip()
        cells = (str(point.round_trip), f"{point.p:g}", measured, number(point.formula, 4))
        shown.add_row(str(point.window), *cells)
    out.print(shown)
    out.print(f"{len(found.apart)} points are wholly beyond the tolerance from the formula.", style="dim")
    shown = table(f"claims of {found.study.name}", "claim", "verdict", "statement")
    for item in found.judged:
        shown.add_row(item.claim.id, _coloured(item.verdict), item.claim.statement)
    out.print(shown)
    _print_totals(out, found.judged)


def print_overlay(out: Console, found: Overlay) -> None:
    """Per curve where each series follows the formula and where and why it leaves it; then the claims."""
    for curve in found.curves:
        out.print(Text(curve.title, style="bold"))
        for sentence in curve.sentences(found.study.apart):
            out.print(f"  {sentence}")
        out.print()
    shown = table(f"claims of {found.study.name}", "claim", "verdict", "statement")
    for item in found.judged:
        shown.add_row(item.claim.id, _coloured(item.verdict), item.claim.statement)
    out.print(shown)
    _print_totals(out, found.judged)


def print_verdicts(out: Console, found: Reproduction) -> None:
    """One line per claim: verdict, what the part that was run shows, statement."""
    shown = table(f"claims of {found.name}", "claim", "verdict", "on the part run", "statement")
    for item in found.judged:
        shown.add_row(item.claim.id, _coloured(item.verdict), _part(item), item.claim.statement)
    out.print(shown)
    _print_totals(out, found.judged)


def print_sensitivity(out: Console, found: Sensitivity) -> None:
    """What each value of each open parameter moves, and which verdicts rest on one."""
    shown = table(
        f"open parameters of {found.name}: what another value moves",
        "parameter",
        "taken",
        "value",
        "verdicts turned",
        "loosened",
        "orders turned",
        "shift of D",
    )
    for column in shown.columns[3:]:
        column.justify = "right"
    for entry in found.ranked:
        counts = (entry.turned, entry.loosened, len(entry.exchanges)) if entry.judged else "–––"
        key = f"{entry.key} ({entry.where})" if entry.where else entry.key
        shown.add_row(key, str(entry.taken), str(entry.value), *map(str, counts), f"{entry.shift:.3f}")
    out.print(shown)
    out.print()
    shown = table("verdicts that turn", "claim", "at the values taken", "turns with")
    for name, entries in found.unstable.items():
        turn = next(turn for turn in entries[0].turns if turn.claim == name)
        values = ", ".join(f"{entry.key} = {entry.value}" for entry in entries)
        shown.add_row(name, _coloured(turn.base), values)
    out.print(shown)
    for _, _, why in found.refused:
        out.print(f"left out: {why}", style="dim")
    left = len(found.variations) - len(found.judged)
    screened = f", {left} of them with one seed and not judged, since they move little" if left else ""
    out.print(
        f"{len(found.variations)} values{screened}; {found.executed} cells simulated now, the others were known.",
        style="dim",
    )


def print_reconstruction(out: Console, found: Reconstruction, sentences: Sequence[str]) -> None:
    """What was found, the best combination, and those at full length."""
    for sentence in sentences:
        out.print(sentence)
    out.print()
    shown = table("the best combination", "parameter", "taken", "best", "in so many draws", right=False)
    for place, (factor, level) in enumerate(zip(found.factors, found.best, strict=True)):
        share = f"{100 * found.effects.chosen_share(place)[level]:.0f} %"
        shown.add_row(factor.name, str(factor.levels[0]), str(factor.levels[level]), share)
    out.print(shown)
    if found.finalists:
        out.print()
        shown = table("at full length", "misfit, fitted half", "misfit, other half", "values changed")
        for entry in found.finalists:
            changed = entry.combination.changed(found.factors)
            values = ", ".join(f"{name} = {value}" for name, value in changed.items()) or "none"
            shown.add_row(f"{entry.mean(found.training):.3f}", f"{entry.mean(~found.training):.3f}", values)
        out.print(shown)


def _print_totals(out: Console, judged: Sequence[Judged]) -> None:
    totals = ", ".join(f"{count} {verdict.value}" for verdict, count in counts(judged).items())
    out.print(f"{len(judged)} claims: {totals}.", style="dim")


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" + "s" * (number != 1)


def _part(item: Judged) -> Text:
    return _coloured(item.finding.verdict) if item.partial and item.finding is not None else Text()


def _coloured(verdict: Verdict) -> Text:
    return Text(verdict.value, style=COLOURS[verdict])

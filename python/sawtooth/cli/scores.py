"""Scores and verdicts for the terminal: what `compare` and `reproduce` print."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from sawtooth.claims.logic import Verdict
from sawtooth.claims.standing import in_words
from sawtooth.cli.compare_tables import print_raw
from sawtooth.cli.output import print_meanings, table
from sawtooth.plain import written
from sawtooth.plurals import did, number_of
from sawtooth.report.tables import (
    COLUMNS,
    DECIMALS,
    SAID_BY_VERDICTS,
    counts,
    interval_note,
    leaf_text,
    number,
    score_table,
    spread,
)

if TYPE_CHECKING:
    from rich.console import Console

    from sawtooth.claims.table import Judged
    from sawtooth.experiment.comparison import Comparison
    from sawtooth.experiment.exhibit import TextTable
    from sawtooth.experiment.reproduction import Reproduction
    from sawtooth.experiment.variation import Sensitivity

COLOURS = {Verdict.HOLDS: "green", Verdict.FAILS: "red", Verdict.UNDECIDED: "yellow"}


def print_part(out: Console, found: Comparison) -> None:
    """The numbers of a part: scores beside the printed ones, what the paper has in their place, or the values of an algorithm alone."""
    if not any(entry.instead_of_scores for entry in found.exhibits):
        if len(found.study.algorithm) == 1:
            print_raw(out, found)
        else:
            print_scores(out, found)
    for exhibit in found.exhibits:
        for entry in exhibit.tables():
            print_table(out, entry)


def print_scores(out: Console, found: Comparison) -> None:
    """One table per setting: each score with its interval, the printed one in parentheses."""
    for block in found.own:
        heads = [f"{score} {metric}" for metric, score in COLUMNS]
        shown = table(f"{block.setting}: distance from the best (0 is best)", "algorithm", *heads, right=True)
        printed = False
        for name, cells in score_table(block, found.beside(block)):
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
        over = (
            f"{number_of(len(block.environments), 'environment')} and {number_of(len(block.seeds), 'seed')}"
        )
        note = f"Over {over}; {interval_note(len(block.seeds))}. D adds up the distances over the environments, C is the largest."
        if printed:
            note += f" In parentheses the printed score, over {found.printed_environments} environments."
        out.print(note, style="dim")
        out.print()


def print_judged(out: Console, name: str, judged: Sequence[Judged]) -> None:
    """One line per claim: verdict, statement; below a claim that fails, what holds instead."""
    shown = table(f"claims of {name}", "claim", "verdict", "statement")
    for item in judged:
        shown.add_row(item.claim.id, coloured(item.verdict), item.claim.statement)
        if item.finding is not None and item.finding.instead is not None:
            instead = item.finding.instead
            shown.add_row("", coloured(instead.verdict), Text(f"instead: {instead.text}", style="dim"))
    out.print(shown)
    _print_totals(out, judged)


def print_table(out: Console, entry: TextTable) -> None:
    """A table of plain values; one without heads as lines below its title."""
    if not entry.heads:
        if entry.title:
            out.print(Text(entry.title, style="bold"))
        for (line,) in entry.rows:
            out.print(f"  {line}" if entry.title else line)
    else:
        shown = table(entry.title, *entry.heads, right=entry.right)
        for cells in entry.rows:
            shown.add_row(*(coloured(cell) if isinstance(cell, Verdict) else cell for cell in cells))
        out.print(shown)
    if entry.note:
        out.print(entry.note, style="dim")
    out.print()


def print_algorithms(out: Console, parts: Sequence[Comparison]) -> None:
    """What the numbers of the algorithms mean, each once."""
    controls = [entry.control for part in parts for entry in part.study.algorithm]
    if controls:
        print_meanings(out, controls)
        out.print()


def print_verdicts(out: Console, found: Reproduction) -> None:
    """One line per claim: verdict, what the part that was run shows, statement. Nothing where nothing is claimed."""
    if not found.judged:
        return
    parts = [_part(item) for item in found.judged]
    partly = any(part.plain for part in parts)
    heads = ["claim", "verdict", *["on these runs"] * partly, "statement"]
    shown = table(f"claims of {found.name}", *heads)
    for item, part in zip(found.judged, parts, strict=True):
        shown.add_row(item.claim.id, coloured(item.verdict), *[part] * partly, item.claim.statement)
    out.print(shown)
    _print_totals(out, found.judged)


def print_evidence(out: Console, judged: Sequence[Judged]) -> None:
    """What each verdict rests on: a line per inequality, with the mean over seeds, its interval and what was wanted."""
    if judged:
        out.print()
    for item in judged:
        out.print(
            f"{item.claim.id}: {item.verdict.value}" + (f", since {item.reason}" if item.reason else "")
        )
        for finding in item.finding.leaves() if item.finding is not None else ():
            line = Text("  ").append_text(coloured(finding.verdict)).append(f" {leaf_text(finding)}")
            if finding.interval is not None and len(finding.numbers) == 2:
                ours, other = (number(float(str(value)), 4) for value in finding.numbers.values())
                line.append(f" ({ours} against {other})", style="dim")
            out.print(line, soft_wrap=True)


def print_sensitivity(out: Console, found: Sensitivity) -> None:
    """What each value of each open parameter moves, and which verdicts rest on one."""
    from sawtooth.report.sensitivity import left_out, scored, shift_text, stays  # loads matplotlib

    heads = ["parameter", "taken", "value", "verdicts turned", "loosened", "unchanged"]
    heads += ["orders turned", "shift of D"] if scored(found) else []
    shown = table(f"open parameters of {found.name}: effect of other values", *heads)
    for column in shown.columns[3:]:
        column.justify = "right"
    for entry in found.ranked:
        judged = (entry.turned, entry.loosened, len(entry.unchanged), len(entry.exchanges))
        counts = judged if entry.judged else "––––"
        key = f"{entry.key} ({entry.where})" if entry.where else entry.key
        cells = [key, written(entry.taken), written(entry.value), *map(str, counts), shift_text(entry.shift)]
        shown.add_row(*cells[: len(heads)])
    out.print(shown)
    out.print()
    for words in filter(None, (left_out(found), stays(found))):
        out.print(words, style="dim")
    out.print()
    shown = table("verdicts that turn", "claim", "at the values taken", "other verdict at")
    for name, entries in found.unstable.items():
        turn = next(turn for turn in entries[0].turns if turn.claim == name)
        values = ", ".join(f"{entry.key} = {written(entry.value)}" for entry in entries)
        shown.add_row(name, coloured(turn.base), values)
    out.print(shown if found.unstable else "No verdict turns.")
    for _, _, why in found.refused:
        out.print(f"left out: {why}", style="dim")
    left = len(found.variations) - len(found.judged)
    screened = f", {left} of them tried with one seed only, since they change little" if left else ""
    out.print(
        f"{number_of(len(found.variations), 'value')}{screened}; {number_of(found.executed, 'cell')} simulated now; the others were in "
        "the store.",
        style="dim",
    )


def _print_totals(out: Console, judged: Sequence[Judged]) -> None:
    found = counts(judged)
    totals = ", ".join(did(count, verdict.value) for verdict, count in found.items())
    same = [item.verdict is item.printed for item in judged if item.printed is not None]
    standings = [item.standing for item in judged]
    # Where every class is a verdict and there is nothing to agree with, the classes say the same once more.
    others = [item.elsewhere for item in judged]
    sure = in_words(standings, same, others) if same or not SAID_BY_VERDICTS.issuperset(standings) else ""
    out.print(f"{number_of(len(judged), 'claim')}: {totals}. {sure}".rstrip(), style="dim")


def _part(item: Judged) -> Text:
    return coloured(item.finding.verdict) if item.partial and item.finding is not None else Text()


def coloured(verdict: Verdict) -> Text:
    """A verdict in its colour."""
    return Text(verdict.value, style=COLOURS[verdict])

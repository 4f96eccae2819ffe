"""What fresh seeds say of verdicts, on a Markdown page: the block ``STUDY confirmation`` (``floyd2000/shares confirmation``).

It has the counts, the seeds and the command, and a table of the decided verdicts that fresh seeds do not confirm.

Source: none.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sawtooth.papers.fresh_seeds import Confirmation, SecondLook
from sawtooth.papers.published import Published
from sawtooth.plurals import did, number_of, verb
from sawtooth.report.markdown import fill
from sawtooth.report.pipe_table import pipe_table

HEADS: Final = ("claim", "verdict", "on fresh seeds")
SHOWN: Final = (SecondLook.NOT_CONFIRMED, SecondLook.CONTRADICTED)
"""The outcomes whose claims are listed."""


def block_of(name: str) -> str:
    """The name of the block about a study or a paper."""
    return f"{name} confirmation"


def seeds_text(found: Confirmation) -> str:
    """Which fresh seeds there were, in words; what has fewer than the most has the first of them."""
    least, most = found.seeds
    count = number_of(most, "fresh seed") if least == most else f"{least} to {most} fresh seeds"
    last = found.first + most - 1
    return f"{count} ({found.first:,}{f' to {last:,}' if most > 1 else ''})"


def sentence(found: Confirmation) -> str:
    """How many decided verdicts fresh seeds confirm, and what they leave open."""
    counts = found.counts()
    sure = counts[SecondLook.CONFIRMED]
    decided = sure + counts[SecondLook.NOT_CONFIRMED] + counts[SecondLook.CONTRADICTED]
    left, new = counts[SecondLook.STILL_OPEN], counts[SecondLook.NEWLY_DECIDED]
    open_ = f"Of the undecided, {did(left, 'stays')} open and {did(new, 'is')} newly decided"
    looked = (
        f"{sure} of {number_of(decided, 'decided verdict')} {verb('is', sure)} confirmed, "
        f"{did(counts[SecondLook.NOT_CONFIRMED], 'is')} not confirmed and {did(counts[SecondLook.CONTRADICTED], 'is')} contradicted"
        if decided
        else "no decided verdict could change"
    )
    return f"On {seeds_text(found)} {looked}. {_seedless(found)}{open_ if left + new else 'None was undecided'}.{_left_out(found)}"


def _seedless(found: Confirmation) -> str:
    """The verdicts that no seed can change, as a sentence of its own; empty where there is none. Of a page nobody knows whether another
    seed had the same numbers."""
    names = [f"`{row.then.claim.id}`" for row in found.rows if row.outcome is SecondLook.SEEDLESS]
    if not names:
        return ""
    paged = isinstance(found.then, Published)
    why = (
        f"{did(len(names), 'rests')} on facts alone"
        if paged
        else f"{did(len(names), 'does')} not depend on the seed"
    )
    return f"{why} and {verb('is', len(names))} counted apart: {', '.join(names)}. "


def _left_out(found: Confirmation) -> str:
    """The claims of which the page has no verdict that could be confirmed, as a sentence of its own; empty where there is none."""
    names = [f"`{name}`" for name in found.left_out]
    if not names:
        return ""
    why = "no verdict by the check of today stands on the page"
    return f" {did(len(names), 'is')} left out, since {why}: {', '.join(names)}."


def block(found: Confirmation) -> str:
    """The content of the block."""
    rows = [
        [f"`{row.then.claim.id}`", row.then.verdict.value, row.now.verdict.value]
        for row in found.rows
        if row.outcome in SHOWN
    ]
    tables = [pipe_table(HEADS, rows)] if rows else []
    return "\n\n".join([sentence(found), f"```sh\n{found.command}\n```", *tables])


def update_page(path: Path, found: Confirmation) -> None:
    """Fill the place of a Markdown page. InputError where it has none, and unless the studies were run as they stand."""
    fill(path, {block_of(found.name): block(found)}, found.now.as_it_stands)

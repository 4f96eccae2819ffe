"""Pieces of a line of a page: a name, a link, a mark. Words that go in are escaped, markup that goes in is kept.

Source: none. What is larger than a line is a value (``blocks``) that a template sets.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from markupsafe import Markup, escape

from sawtooth.claims.logic import Verdict
from sawtooth.report.looks import HATCHES, SERIES

Inline = str | Markup
"""Words (escaped where they are set) or markup."""

MARKS: Final = {Verdict.HOLDS: "✓", Verdict.FAILS: "✗", Verdict.UNDECIDED: "?"}


def code(words: object) -> Markup:
    """A name or a number as it stands in a file or on the command line."""
    return Markup("<code>{}</code>").format(str(words))


def run_name(run_id: str) -> Markup:
    """The id of a run, by which the page finds it among other names."""
    return Markup('<code class="run">{}</code>').format(run_id)


def link(to: str, content: Inline) -> Markup:
    """A link within the page or to a page beside it."""
    return Markup('<a href="{}">{}</a>').format(to, content)


def to_runs(place: str, content: Inline, group: str = "") -> Markup:
    """A number that leads to its runs; ``place`` is the row that lists them, or the first of the rows of this ``group``."""
    rest = Markup(' data-group="{}"').format(group) if group else ""
    return Markup('<a class="to-runs" href="#{}"{}>{}</a>').format(place, rest, content)


def strong(content: Inline) -> Markup:
    """Of weight."""
    return Markup("<strong>{}</strong>").format(content)


def faint(content: Inline) -> Markup:
    """Beside something of more weight, such as an interval beside its mean."""
    return Markup('<span class="spread">{}</span>').format(content)


def below(content: Inline) -> Markup:
    """In a smaller line of its own, such as the number of the paper below ours."""
    return Markup('<span class="printed">{}</span>').format(content)


def pill(verdict: Verdict) -> Markup:
    """A verdict as a coloured mark with its word."""
    return Markup('<span class="pill {}">{} {}</span>').format(verdict.value, MARKS[verdict], verdict.value)


def swatch(number: int) -> Markup:
    """A spot in the colour of a series, hatched where the colours begin anew."""
    again, place = divmod(number, len(SERIES))
    return Markup('<span class="swatch again-{}" style="background-color:var(--series-{})"></span>').format(
        again % len(HATCHES), place
    )


def joined(pieces: Iterable[Inline], by: str = " ") -> Markup:
    """Pieces in a row."""
    return Markup(escape(by)).join(pieces)

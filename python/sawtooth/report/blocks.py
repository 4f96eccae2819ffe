"""What a page is made of, as plain values: words, tables, pictures, folded parts, sections, and the page itself.

Source: none. Each kind of block is set by the template of its ``kind`` in ``templates/``; ``render`` puts them together. A page opens with
its answer; what took more than a glance is in its sections, below.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from sawtooth.claims.logic import Finding, Verdict
from sawtooth.experiment.typed import NOTHING_TYPED, Typed
from sawtooth.report.inline import Inline

if TYPE_CHECKING:
    from sawtooth.claims.table import Judged

FILTERED_FROM: Final = 8
"""Rows from which a table has a field to filter them."""


class Block:
    """A part of a section."""

    kind: ClassVar[str]
    """The name of its template."""


@dataclass(frozen=True)
class Words(Block):
    """A paragraph."""

    content: Inline
    look: Literal["", "muted", "note", "lead"] = ""
    kind: ClassVar[str] = "words"


@dataclass(frozen=True)
class Heading(Block):
    """A heading within a section."""

    content: Inline
    kind: ClassVar[str] = "heading"


@dataclass(frozen=True)
class Bullets(Block):
    """A list of sentences."""

    items: Sequence[Inline]
    kind: ClassVar[str] = "bullets"


@dataclass(frozen=True)
class Picture(Block):
    """A figure (SVG, markup) with the words below it."""

    drawing: Inline
    caption: Inline = ""
    kind: ClassVar[str] = "picture"


@dataclass(frozen=True)
class Head:
    """The heading of a column, or of several."""

    title: Inline
    columns: int = 1
    rows: int = 1


@dataclass(frozen=True)
class Row:
    """A row: its heading, then its cells. ``anchor`` is the place that links lead to, ``verdict`` what buttons choose rows by.

    Rows of one ``group`` are shown together behind a number that comes from all of them.
    """

    first: Inline
    cells: Sequence[Inline]
    anchor: str | None = None
    verdict: Verdict | None = None
    group: str | None = None


@dataclass(frozen=True)
class Table(Block):
    """A table that can be sorted, and filtered if it is long. ``upper`` is a row of headings above the ``heads``, if there is one."""

    heads: Sequence[Inline | Head]
    rows: Sequence[Row]
    caption: Inline = ""
    look: Literal["numbers", "words", "scores", "runs", "claims"] = "numbers"
    upper: Sequence[Head] = ()
    kind: ClassVar[str] = "table"

    @property
    def lines(self) -> list[list[tuple[Head, int | None]]]:
        """The rows of headings, each with the column that it sorts: None for a heading above others."""
        tall = [place for place, head in enumerate(self.upper) if head.rows > 1]
        free = [place for place in range(len(tall) + len(self.heads)) if place not in tall]
        lower = [entry if isinstance(entry, Head) else Head(entry) for entry in self.heads]
        lines = (
            [[(head, place if place in tall else None) for place, head in enumerate(self.upper)]]
            if self.upper
            else []
        )
        return [*lines, list(zip(lower, free, strict=True))]

    @property
    def filtered(self) -> bool:
        """Whether it has a field to filter its rows."""
        return len(self.rows) >= FILTERED_FROM

    @property
    def verdicts(self) -> list[Verdict]:
        """The verdicts among its rows."""
        present = {row.verdict for row in self.rows}
        return [verdict for verdict in Verdict if verdict in present]


@dataclass(frozen=True)
class Fold(Block):
    """Something that opens on demand; ``shown``: it is open from the start."""

    title: Inline
    blocks: Sequence[Block]
    shown: bool = False
    kind: ClassVar[str] = "fold"


@dataclass(frozen=True)
class Evidence(Block):
    """What a verdict rests on, a tree."""

    finding: Finding
    kind: ClassVar[str] = "evidence"


@dataclass(frozen=True)
class Claims(Block):
    """Every claim with its verdict and its evidence."""

    judged: Sequence[Judged]
    kind: ClassVar[str] = "claims"

    @property
    def filtered(self) -> bool:
        """Whether there are fields to choose among them."""
        return len(self.judged) >= FILTERED_FROM or len(self.verdicts) > 1

    @property
    def verdicts(self) -> list[Verdict]:
        """The verdicts among them."""
        present = {item.verdict for item in self.judged}
        return [verdict for verdict in Verdict if verdict in present]

    @property
    def waiting(self) -> bool:
        """Whether some wait for further runs, of which those at hand say something already."""
        return any(item.partial and item.finding is not None for item in self.judged)

    @property
    def printed(self) -> bool:
        """Whether the tables of the paper can tell of some."""
        return any(item.printed is not None for item in self.judged)


@dataclass(frozen=True)
class Section:
    """A section with its heading; ``name`` is its anchor. ``folded``: only the heading is seen until it is opened."""

    name: str
    title: str
    blocks: Sequence[Block]
    folded: bool = False


@dataclass(frozen=True)
class Failure:
    """A claim that fails, at a glance: what it says, the numbers against it, and the place of the rest."""

    statement: str
    where: str
    against: str
    place: str
    printed: Verdict | None = None


@dataclass(frozen=True)
class Card:
    """A part of a paper: what it is about, how it came out, and its page."""

    name: str
    title: str
    sentence: Inline
    size: str
    counts: Mapping[Verdict, int]
    page: str | None


@dataclass(frozen=True)
class Page:
    """A page: the answer first, then what fails, then the parts, then the details."""

    name: str
    title: str
    answer: Sequence[Inline]
    """Two to six sentences, computed."""
    facts: Mapping[str, str] = field(default_factory=dict)
    counts: Mapping[Verdict, int] = field(default_factory=dict)
    """How many claims came out how, those on runs where there are any; empty for a page without claims."""
    apart: bool = False
    """Whether there are further claims, of algebra, which ``counts`` and the cards leave out."""
    notes: Sequence[Inline] = ()
    """What a reader must know before believing the numbers."""
    picture: Picture | None = None
    failures: Sequence[Failure] | None = None
    """None: nothing was claimed."""
    cards: Sequence[Card] = ()
    words: Sequence[tuple[str, Inline]] = ()
    """Terms and what they mean, folded."""
    sections: Sequence[Section] = ()
    up: tuple[str, str] | None = None
    """Address and name of the page that this one is a part of."""
    command: str = ""
    """What makes it anew."""
    typed: Typed = NOTHING_TYPED
    """What other commands on its runs need as well."""

    def made_with(self, typed: Typed) -> Page:
        """The same, whose command repeats what was typed beside it."""
        return replace(self, command=f"{self.command}{typed.suffix(loads=True)}", typed=typed)

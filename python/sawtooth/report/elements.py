"""The few HTML elements a report is made of. Every function takes and gives markup; ``text`` turns words into markup."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from sawtooth.claims.logic import Verdict
from sawtooth.report.style import STYLE

MARKS = {Verdict.HOLDS: "✓", Verdict.FAILS: "✗", Verdict.UNDECIDED: "?"}


def text(words: object) -> str:
    """Words as markup."""
    return escape(str(words))


def element(name: str, content: str, **attributes: object) -> str:
    """``<name …>content</name>``; a trailing underscore of an attribute's name is dropped, None leaves the attribute out."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{given}>{content}</{name}>"


def document(title: str, parts: Sequence[str]) -> str:
    """A whole page: title in words, the parts of its body as markup."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{text(title)} · Sawtooth</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(part for part in parts if part)
        + "\n</main>\n</body>\n</html>\n"
    )


def paragraph(content: str, kind: str | None = None) -> str:
    """A paragraph."""
    return element("p", content, class_=kind)


def code(words: object) -> str:
    """A name or a number as it stands in a file."""
    return element("code", text(words))


def link(to: str, content: str) -> str:
    """A link within the page."""
    return element("a", content, href=to)


def pill(verdict: Verdict) -> str:
    """A verdict as a coloured mark with its word."""
    return element("span", f"{MARKS[verdict]} {verdict.value}", class_=f"pill {verdict.value}")


def details(summary: str, content: str, shown: bool = False) -> str:
    """Something that opens on demand; ``shown``: it is open from the start."""
    return element("details", element("summary", summary) + content, open="" if shown else None)


def section(name: str, title: str, *content: str) -> str:
    """A section with its heading; ``name`` is its anchor."""
    return element("section", "\n".join([element("h2", title), *content]), id=name)


def head(*titles: str, span: Sequence[tuple[int, int]] | None = None) -> str:
    """A row of column headings (markup); ``span`` gives columns and rows of each."""
    cells = []
    for place, title in enumerate(titles):
        columns, rows = span[place] if span is not None else (1, 1)
        cells.append(
            element(
                "th",
                title,
                scope="colgroup" if columns > 1 else "col",
                colspan=columns if columns > 1 else None,
                rowspan=rows if rows > 1 else None,
            )
        )
    return element("tr", "".join(cells))


def row(first: str, cells: Iterable[str], *, words: bool = False, anchor: str | None = None) -> str:
    """A row: its heading, then cells; ``words`` sets them left, numbers stand right."""
    kind = "text" if words else None
    inner = element("th", first, scope="row") + "".join(element("td", cell, class_=kind) for cell in cells)
    return element("tr", inner, id=anchor)


def table(heads: Iterable[str], rows: Iterable[str], *, caption: str = "", kind: str | None = None) -> str:
    """A table that scrolls sideways where it must; ``caption`` is markup."""
    inner = element("caption", caption) if caption else ""
    inner += element("thead", "".join(heads)) + element("tbody", "\n".join(rows))
    return element("div", element("table", inner, class_=kind), class_="scroll")

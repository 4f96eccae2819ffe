"""What every command shares: where output goes, and the options they have in common.

Standard output holds the answer and nothing else: with `--json` exactly one JSON document. Progress, warnings and errors go to standard
error, and so does what plug-ins print: inside `answering` `sys.stdout` is standard error, and a command writes to `answer()`. Libraries
print to file number 1, which is standard error as well (`set_apart`).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TextIO

import typer

from sawtooth.documents import document
from sawtooth.plain import json_value

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

PIPE_WIDTH = 240
"""Columns assumed where standard output is no terminal, so that tables in files are not folded."""

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document on standard output.")]
StoreOption = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="DIR",
        help="Directory of stored runs, or an address such as s3://bucket/runs [default: $SAWTOOTH_STORE or .sawtooth].",
    ),
]


_answers: Final[list[TextIO]] = []
"""Where the answer of a command goes while it is under way."""


def answer() -> TextIO:
    """Standard output, for the answer of a command."""
    return _answers[-1] if _answers else sys.stdout


@contextmanager
def answering() -> Iterator[None]:
    """Inside the block only the answer goes to standard output. What anybody prints goes to standard error, in every thread."""
    _answers.append(answer())
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        _answers.pop()


def load_plugins(paths: list[Path] | None) -> list[Path] | None:
    """Put the controllers of these files at hand."""
    if paths:
        from sawtooth.plugins.load import load_plugin

        with answering():
            for path in paths:
                load_plugin(path)
    return paths


PluginOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--plugin",
        metavar="FILE",
        callback=load_plugins,
        help="Load controllers of your own from a shared library or a file of Python; may be repeated.",
    ),
]


def emit_json(document: Any) -> None:
    """`document` as the one JSON document on standard output; undefined numbers become null."""
    answer().write(json.dumps(json_value(document), ensure_ascii=False, allow_nan=False) + "\n")


def emit_document(kind: str, keys: Mapping[str, Any]) -> None:
    """A document of a kind that `documents` lists, with its format, as the one JSON document on standard output."""
    emit_json(document(kind, keys))


def emit_text(text: str) -> None:
    """`text` on standard output as it is, ending in a line break."""
    answer().write(text if text.endswith("\n") else text + "\n")


def console() -> Console:
    """Standard output for tables and sentences."""
    from rich.console import Console

    width = None if answer().isatty() else PIPE_WIDTH
    # The texts have brackets of their own, which are no markup.
    return Console(file=answer(), width=width, markup=False, highlight=False, emoji=False)


def note(text: str) -> None:
    """One remark on standard error."""
    sys.stderr.write(text.rstrip("\n") + "\n")


def table(title: str, *columns: str, right: bool = False) -> Table:
    """An empty table in the house's look: first column left, the others right-aligned if `right`."""
    from rich.table import Table

    made = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for index, column in enumerate(columns):
        made.add_column(column, justify="right" if right and index else "left")
    return made


def print_meanings(out: Console, controllers: Iterable[Any]) -> None:
    """A line per controller on what its numbers mean, so that nobody takes a fraction kept for one removed."""
    from sawtooth.scenario.controller_words import meanings

    for written, words in meanings(controllers).items():
        out.print(f"{written}: {words}", style="dim")


def number(value: float | None, digits: int = 4) -> str:
    """A number for people: `digits` significant digits, an en dash where undefined."""
    if value is None or value != value:
        return "–"
    return f"{value:,.0f}" if abs(value) >= 10**digits or value == int(value) else f"{value:.{digits}g}"

"""`sawtooth examples`: copies the examples that come with Sawtooth to where they can be changed."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from sawtooth.cli.output import JsonOption, emit_document, emit_text
from sawtooth.errors import InputError

DirectoryArgument = Annotated[
    Path,
    typer.Argument(metavar="DIR", help="Where to put them; created if it does not exist.", show_default=True),
]


def shipped() -> dict[str, bytes]:
    """The examples that are installed, by name of file: scenarios and notebooks."""
    folder = files("sawtooth").joinpath("examples")
    found = [entry for entry in folder.iterdir() if entry.name.endswith((".toml", ".ipynb"))]
    return {entry.name: entry.read_bytes() for entry in sorted(found, key=lambda entry: entry.name)}


def summary(name: str, content: bytes) -> str:
    """The first sentence of an example's head."""
    if not name.endswith(".toml"):
        return "a notebook: a first comparison on a network of one's own"
    return content.decode().partition("\n")[0].removeprefix("#").strip()


def command(directory: DirectoryArgument = Path("examples"), as_json: JsonOption = False) -> None:
    """Copy the examples into a directory and say what each one shows.

    An existing file with other contents is kept, and the command exits with 2.

    Example: sawtooth examples
    """
    from sawtooth.atomic import write_bytes_atomic

    found = shipped()
    for name, content in found.items():  # before anything is written
        there = directory / name
        if there.exists() and there.read_bytes() != content:
            raise InputError(
                "examples",
                "DIR",
                str(there),
                "a directory without a changed example",
                "name another directory",
            )
    directory.mkdir(parents=True, exist_ok=True)
    for name, content in found.items():
        write_bytes_atomic(directory / name, content)
    rows = [{"file": str(directory / name), "summary": summary(name, found[name])} for name in found]
    if as_json:
        emit_document("examples", {"examples": rows})
        return
    width = max(len(str(row["file"])) for row in rows)
    for row in rows:
        emit_text(f"{row['file']:<{width}}  {row['summary']}")

"""`sawtooth new`: write a file to start from."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from sawtooth.cli.output import JsonOption, emit_document, emit_text, note
from sawtooth.errors import InputError

app = typer.Typer(add_completion=False, rich_markup_mode=None)
FileArgument = Annotated[
    Path, typer.Argument(metavar="[FILE.toml]", help="The file to write; one that exists is left alone.")
]
TEMPLATE = "study.toml"
"""The file to start from, in data/templates."""


@app.callback(invoke_without_command=True)
def new(context: typer.Context) -> None:
    """Write a commented file to start from, which runs as it stands.

    Example: sawtooth new study my-study.toml
    """
    if context.invoked_subcommand is None:
        note(context.get_help())
        raise typer.Exit(2)


@app.command("study")
def study(file: FileArgument = Path(TEMPLATE), as_json: JsonOption = False) -> None:
    """Write a study of your own to start from: controllers, a network, claims.

    Example: sawtooth new study my-study.toml
    """
    from importlib.resources import files

    if file.suffix != ".toml":
        raise InputError("sawtooth new study", "FILE.toml", str(file), "a file name that ends in .toml")
    text = files("sawtooth").joinpath(f"data/templates/{TEMPLATE}").read_text(encoding="utf-8")
    command = f"sawtooth reproduce {shlex.quote(str(file))}"
    try:
        with open(file, "x", encoding="utf-8") as made:
            made.write(text.replace(f"sawtooth reproduce {TEMPLATE}", command))
    except FileExistsError:
        accepted = "a file that does not exist yet"
        raise InputError("sawtooth new study", "FILE.toml", str(file), accepted) from None
    if as_json:
        emit_document("new-study", {"file": str(file), "command": command})
    else:
        emit_text(f"wrote {file}; run it: {command} --quick")

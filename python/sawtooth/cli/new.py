"""`sawtooth new`: write a file, or a small project, to start from."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Annotated

import typer

from sawtooth.cli.output import JsonOption, emit_document, emit_text, note
from sawtooth.errors import InputError

app = typer.Typer(add_completion=False, rich_markup_mode=None)
FileArgument = Annotated[
    Path,
    typer.Argument(metavar="FILE.toml", help="The file to write; an existing file is not overwritten."),
]
NameArgument = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="Name of the controller: lower-case letters, digits, - and _.",
        show_default=False,
    ),
]
LangOption = Annotated[
    str, typer.Option("--lang", metavar="LANG", help="rust, c or python.", show_default=False)
]
OutOption = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="DIR",
        help="The folder to write; an existing folder is not overwritten [default: ./NAME].",
    ),
]
TEMPLATE = "study.toml"
"""The file to start from, in data/templates."""


@app.callback(invoke_without_command=True)
def new(context: typer.Context) -> None:
    """Write a commented study or controller to start from; it runs as it is.

    Example: sawtooth new study my-study.toml
    """
    if context.invoked_subcommand is None:
        note(context.get_help())
        raise typer.Exit(2)


@app.command("study", short_help="Write a study: controllers, a network, claims.")
def study(file: FileArgument = Path(TEMPLATE), as_json: JsonOption = False) -> None:
    """Write a study of your own to start from: controllers, a network, claims.

    Example: sawtooth new study my-study.toml
    """
    from importlib.resources import files

    from sawtooth.atomic import write_bytes_atomic

    if file.suffix != ".toml":
        raise InputError("sawtooth new study", "FILE.toml", str(file), "a file name that ends in .toml")
    text = files("sawtooth").joinpath(f"data/templates/{TEMPLATE}").read_text(encoding="utf-8")
    command = f"sawtooth reproduce {shlex.quote(str(file))}"
    if os.path.lexists(file):
        accepted = "a file that does not exist yet"
        raise InputError("sawtooth new study", "FILE.toml", str(file), accepted)
    write_bytes_atomic(file, text.replace(f"sawtooth reproduce {TEMPLATE}", command).encode())
    if as_json:
        emit_document("new-study", {"file": str(file), "command": command})
    else:
        emit_text(f"wrote {file}; run it: {command} --quick")


@app.command("controller", short_help="Write a controller in Rust, C or Python, with tests.")
def controller(
    name: NameArgument, lang: LangOption, out: OutOption = None, as_json: JsonOption = False
) -> None:
    """Write a controller of your own to start from: AIMD in Rust, C or Python, with tests, a Makefile and a scenario.

    `make` builds the file for --plugin, `make test` runs its tests, `make check` checks it against the rules for all controllers.

    Example: sawtooth new controller mine --lang c
    """
    from sawtooth.plugins.project import new_project

    made = new_project(name, lang, out)
    folder, plugin = shlex.quote(str(made.directory)), shlex.quote(str(made.plugin))
    commands = [
        f"make -C {folder} test",
        f"sawtooth compare {name} cubic --scenario {folder}/scenario.toml --plugin {plugin}",
    ]
    if as_json:
        found = {"name": name, "lang": lang, "directory": str(made.directory), "plugin": str(made.plugin)}
        emit_document("new-controller", {**found, "commands": commands})
    else:
        emit_text(f"wrote {made.directory}; try it and compare it:")
        for command in commands:
            emit_text(f"  {command}")

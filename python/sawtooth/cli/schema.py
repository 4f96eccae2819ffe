"""`sawtooth schema`: the JSON Schema of every document and of scenario files."""

from __future__ import annotations

from typing import Annotated

import typer

from sawtooth.cli.output import JsonOption, console, emit_document, emit_json, table
from sawtooth.errors import InputError

SCENARIO = "scenario"
"""The name of what is no document: a scenario file."""
NameArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="NAME", help="A kind of document, or scenario [default: list them].", show_default=False
    ),
]


def command(name: NameArgument = None, as_json: JsonOption = False) -> None:
    """Print the JSON Schema of a document that `--json` prints, or of scenario files; without a name, list what there is.

    Example: sawtooth schema run
    """
    from sawtooth.documents import FORMATS, format_of, schema

    if name == SCENARIO:
        from sawtooth.scenario.scenario import json_schema

        emit_json(json_schema())
        return
    if name is not None:
        if name not in FORMATS:
            raise InputError("sawtooth schema", None, name, "one of " + ", ".join([SCENARIO, *FORMATS]))
        emit_json(schema(name))
        return
    rows = [
        {"name": kind, "format": format_of(kind), "what": schema(kind)["description"]} for kind in FORMATS
    ]
    if as_json:
        emit_document("schemas", {"schemas": rows})
        return
    made = table("documents", "name", "format", "what")
    for row in rows:
        made.add_row(*row.values())
    made.add_row(SCENARIO, "", "Scenario files: `sawtooth run --schema`.")
    console().print(made)

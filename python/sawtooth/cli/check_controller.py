"""`sawtooth check-controller`: is a controller one that may be let loose?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sawtooth.cli.output import JsonOption, PluginOption, console, emit_json, emit_text, number, table
from sawtooth.errors import InputError

if TYPE_CHECKING:
    from sawtooth.plugins.conformance import Conformance


ControllerArgument = Annotated[
    str,
    typer.Argument(metavar="CONTROLLER", help="Such as 'aimd(1, 0.5)'.", show_default=False),
]
ScriptOption = Annotated[
    Path | None,
    typer.Option(
        "--script",
        metavar="FILE",
        help="Instead, play a script and show the controller's answer after each line.",
    ),
]


def command(
    controller: ControllerArgument,
    script: ScriptOption = None,
    plugin: PluginOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check a controller against the rules for all controllers. Exits with 0 if it keeps them, 1 if it breaks one, 2 if it does not exist.

    For a broken rule it prints the smallest script that breaks it. Save that in a file, and --script FILE plays it.

    Example: sawtooth check-controller 'mine(1, 0.7)' --plugin libmine.so
    """
    from sawtooth.plugins.conformance import check_controller, play_script

    if script is not None:
        if as_json:
            raise InputError(
                "sawtooth check-controller", None, "--script --json", "one of --script and --json"
            )
        show_answers(play_script(controller, script.read_text(encoding="utf-8"), str(script)))
        return
    found = check_controller(controller)
    if as_json:
        emit_json(found.to_json())
    else:
        show(found)
    if not found.passed:
        raise typer.Exit(1)


def show(found: Conformance) -> None:
    """The verdicts for people, and the script of every rule that is broken."""
    made = table(found.controller, "rule", "result", "what it says", "source")
    for rule in found.rules:
        made.add_row(rule.id, "BROKEN" if rule.result == "broken" else rule.result, rule.what, rule.source)
    console().print(made)
    for rule in found.rules:
        if rule.script is not None:
            emit_text(f"\n# {rule.id} is broken by this script:\n{rule.script}# {rule.said}")


def show_answers(rows: list[dict[str, Any]]) -> None:
    """Line by line what a controller answers."""
    made = table("", "line", "window", "threshold", "rate Mbit/s", "quantum B", right=True)
    made.title = None
    for row in rows:
        answers = row["answers"]
        threshold, rate = answers["threshold"], answers["rate"]
        made.add_row(
            row["line"],
            number(answers["window"], 6),
            number(threshold, 6),
            number(None if rate is None else rate / 1e6),
            number(answers["quantum"], 9),
        )
    console().print(made)

"""Options that commands share: a dataclass as the type of a parameter stands for one option per field."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer
from typer.testing import CliRunner

from sawtooth.cli.options import unfolded


@dataclass(frozen=True)
class Shared:
    """Two options."""

    name: Annotated[str, typer.Option("--name", help="A name.")]
    often: Annotated[int, typer.Option("--often", help="How often.")] = 1


def made() -> tuple[typer.Typer, list[tuple[int, Shared, bool]]]:
    """A command with an argument, the shared options and one of its own, and what it was called with."""
    app, calls = typer.Typer(), []

    @app.command()
    @unfolded
    def command(
        number: Annotated[int, typer.Argument()],
        shared: Shared,
        loud: Annotated[bool, typer.Option("--loud")] = False,
    ) -> None:
        """Says it."""
        calls.append((number, shared, loud))

    return app, calls


def test_a_dataclass_is_filled_from_its_options() -> None:
    app, calls = made()
    for line in (["3", "--name", "x"], ["4", "--loud", "--often", "2", "--name", "y"]):
        assert CliRunner().invoke(app, line).exit_code == 0
    assert calls == [(3, Shared("x"), False), (4, Shared("y", 2), True)]


def test_a_field_without_a_default_must_be_given_and_help_keeps_the_order() -> None:
    app, calls = made()
    assert CliRunner().invoke(app, ["3"]).exit_code == 2
    assert not calls
    shown = CliRunner().invoke(app, ["--help"]).output
    assert "Says it." in shown
    places = [shown.index(option) for option in ("--name", "--often", "--loud")]
    assert places == sorted(places)

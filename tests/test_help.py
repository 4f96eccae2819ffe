"""What `--help` says fits a terminal, and names everything that an option takes."""

from __future__ import annotations

import re
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from sawtooth import _native
from sawtooth.cli import COMMANDS, SUMMARIES, application
from sawtooth.cli.completion import recoveries, routers

ALIASES = {"droptail": "drop-tail"}
GROUPS = [["model"], ["store"], ["new"]]


def helped(*words: str) -> str:
    """The help of a command on a terminal of 80 columns."""
    shown = CliRunner(env={"COLUMNS": "80"}).invoke(application(words), [*words, "--help"])
    assert shown.exit_code == 0, shown.output
    return shown.output


@pytest.mark.parametrize(
    ("words", "usage"),
    [
        (["store", "rm"], "[OPTIONS] [RUNID]..."),
        (["store", "verify"], "[OPTIONS] [DIR]"),
        (["store", "merge"], "[OPTIONS] {OUT} {STORE}..."),
        (["compare"], "[OPTIONS] {CONTROLLER}..."),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_an_argument_stands_in_one_pair_of_brackets(words: list[str], usage: str) -> None:
    assert helped(*words).splitlines()[0] == f"Usage: sawtooth {' '.join(words)} {usage}"


@pytest.mark.parametrize("words", [[], *GROUPS], ids=lambda words: " ".join(words) or "sawtooth")
def test_every_command_has_a_line_that_is_whole(words: list[str]) -> None:
    lines = helped(*words).partition("Commands:\n")[2].splitlines()
    node = get_command(application(words))
    for word in words:
        node = node.commands[word]  # type: ignore[attr-defined]
    assert {re.split(r"  +", line.strip())[0] for line in lines} == set(node.commands)  # type: ignore[attr-defined]
    for line in lines:
        assert len(line) <= 80
        assert line.endswith("."), line
        assert not line.endswith("..."), line


def test_every_command_has_a_summary() -> None:
    assert list(SUMMARIES) == list(COMMANDS)


@pytest.mark.parametrize(
    ("option", "known"),
    [("--router", [name for name, _ in routers()]), ("--recovery", [name for name, _ in recoveries()])],
)
def test_what_can_be_compared_is_named_in_full(option: str, known: list[str]) -> None:
    compare: Any = get_command(application(["compare"]))
    params = compare.commands["compare"].params
    text = next(each.help for each in params if option in each.opts)
    listed = re.sub(r"\([^)]*\)", "", text.partition(":")[2].partition(";")[0])
    names = [name.strip() for name in re.split(r", | or ", listed)]
    assert sorted(names) == sorted(ALIASES.get(name, name) for name in known)
    assert {_native.discipline("drop-tail")} == {"droptail"}

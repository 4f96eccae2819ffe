"""Tab completion: what stands behind the key is what commands and tables have, in every shell that is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import CommandLine, clean_environment
from tests.test_start_up import COMMAND_LINE, DATA, LIBRARIES, loaded_by
from typer.main import get_command

from sawtooth import _native
from sawtooth.cli import SEARCH, application
from sawtooth.cli.compare import TableChoice
from sawtooth.cli.completion import SCRIPTS, TABLES, candidates, words_of
from sawtooth.cli.work import ExecutorName
from sawtooth.experiment.search.space import SHAPES
from sawtooth.papers.catalogue import known_names
from sawtooth.papers.configurations import configurations
from sawtooth.papers.register import claims
from sawtooth.plugins.project import LANGUAGES
from sawtooth.scenario.drives import DRIVES
from sawtooth.scenario.environments import ENVIRONMENTS
from sawtooth.scenario.environments.sets import SETS
from sawtooth.scenario.paths import paths

LAWS = {entry["name"] for entry in _native.describe()["controllers"]}

RECORDED = {entry["name"] for entry in _native.describe()["series"]}


def offered(line: str) -> list[str]:
    """The candidates at the end of a command line."""
    return [value for value, _ in candidates(*words_of(line))]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("sawtooth ", ([], "")),
        ("sawtooth re", ([], "re")),
        ("sawtooth compare 'aimd(1, 0.5)' ma", (["compare", "aimd(1, 0.5)"], "ma")),
        ("sawtooth compare 'aimd(1, ", (["compare"], "aimd(1, ")),
        ('sawtooth run --set "path.rtt=', (["run", "--set"], "path.rtt=")),
        ("sawtooth run s.toml ", (["run", "s.toml"], "")),
        ("", ([], "")),
    ],
)
def test_a_line_is_words_and_the_one_that_is_written(line: str, found: tuple[list[str], str]) -> None:
    assert words_of(line) == found


def test_every_command_is_offered_with_the_first_sentence_of_its_help() -> None:
    commands = get_command(application()).commands  # type: ignore[attr-defined]
    found = dict(candidates([], ""))
    assert set(found) == set(commands) - {SEARCH}
    assert all(found.values())


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("sawtooth environment ", {"search", *(entry.name for entry in ENVIRONMENTS)}),
        ("sawtooth compare x --environment ", {*SETS, *(entry.name for entry in ENVIRONMENTS)}),
        ("sawtooth reproduce ", set(known_names())),
        ("sawtooth compare --recovery ", {entry["name"] for entry in _native.describe()["recoveries"]}),
        ("sawtooth list stu", {"studies"}),
        ("sawtooth completion ", set(SCRIPTS)),
        ("sawtooth new controller mine --lang ", set(LANGUAGES)),
        ("sawtooth model conv", {"converge"}),
        ("sawtooth run --pl", {"--plot", "--plugin"}),
        ("sawtooth environment search --sh", {"--shape"}),
        ("sawtooth run ", set()),
        ("sawtooth run --plot ", set()),
        ("sawtooth nonsense ", set()),
        ("sawtooth run --path ", {entry.name for entry in paths()}),
        ("sawtooth compare x --path ", {entry.name for entry in paths()}),
        ("sawtooth compare x --table ", {entry.value for entry in TableChoice}),
        ("sawtooth sweep s.toml --executor ", {entry.value for entry in ExecutorName}),
        ("sawtooth store export --of ", {"runs", "flows", "queues", *RECORDED}),
        ("sawtooth store ls --series ", RECORDED),
        (
            "sawtooth reproduce akella2002 --configuration ",
            {each.name for each in configurations("akella2002")},
        ),
        ("sawtooth environment search --shape ", set(SHAPES)),
        ("sawtooth model response --law ", {"aimd", "cubic"}),
        ("sawtooth trace ", set(DRIVES)),
        ("sawtooth claims reddy2012 ", {entry.id for entry in claims()}),
    ],
)
def test_what_is_offered_is_what_is_accepted(line: str, expected: set[str]) -> None:
    found = offered(line)
    assert len(found) == len(set(found))
    assert set(found) == expected


@pytest.mark.parametrize(
    "line",
    [
        "sawtooth compare ",
        "sawtooth compare 'aimd(1, 0.5)' ",
        "sawtooth model converge ",
        "sawtooth environment search --winner ",
    ],
)
def test_laws_are_offered_up_to_their_numbers(line: str) -> None:
    found = offered(line)
    assert {name.removesuffix("(") for name in found} == LAWS
    for name in found:  # whole where it needs no numbers
        if name.endswith("("):
            with pytest.raises(ValueError, match="expected"):
                _native.controller(name.removesuffix("("))
        else:
            assert _native.controller(name)


def test_stored_runs_are_offered(sawtooth: CommandLine, scenario_file: Path) -> None:
    run = sawtooth("run", scenario_file.name, "--json").json
    shown = sawtooth("completion", "--line", "sawtooth replay ")
    assert shown.out.split("\t")[0] == run["run_id"]
    other = sawtooth("run", scenario_file.name, "--seed", "7", "--store", "o ther", "--json").json
    shown = sawtooth("completion", "--line", "sawtooth store show --store 'o ther' ")
    assert shown.out.split("\t")[0] == other["run_id"]


def test_every_table_belongs_to_a_place_that_exists() -> None:
    def places(node: object, path: str) -> set[str]:
        found = {(each.metavar or "").strip("[].") for each in node.params}  # type: ignore[attr-defined]
        found |= {f"{path}: {place}" for place in found}
        found |= {option for each in node.params for option in each.opts}  # type: ignore[attr-defined]
        for name, inner in getattr(node, "commands", {}).items():
            found |= places(inner, f"{path} {name}".strip())
        return found

    assert set(TABLES) <= places(get_command(application()), "")


def test_every_closed_choice_of_a_command_is_offered() -> None:
    def closed(node: Any, path: str) -> Iterator[tuple[str, list[str]]]:
        for each in node.params:
            kind = getattr(getattr(each, "type_descriptor", None), "annotation", None)
            if isinstance(kind, type) and issubclass(kind, Enum):
                yield f"sawtooth {path} {each.opts[0]} ", [entry.value for entry in kind]
        for name, inner in getattr(node, "commands", {}).items():
            yield from closed(inner, f"{path} {name}".strip())

    found = dict(closed(get_command(application()), ""))
    assert {line: offered(line) for line in found} == found


@pytest.mark.parametrize(
    ("line", "allowed"),
    [
        ("sawtooth ", {"pydantic"}),
        ("sawtooth run --", {"pydantic"}),
        ("sawtooth compare ", {"pydantic"}),
        ("sawtooth environment ", {"pydantic"}),
        ("sawtooth reproduce ", DATA),
    ],
)
def test_the_key_loads_no_more_than_its_names_need(line: str, allowed: set[str]) -> None:
    modules = loaded_by(COMMAND_LINE, "completion", "--line", line)
    assert LIBRARIES & {name.partition(".")[0] for name in modules} <= allowed


def test_another_shell_is_refused(sawtooth: CommandLine) -> None:
    ended = sawtooth("completion", "tcsh")
    assert (ended.code, ended.out) == (2, "")
    assert "one of bash, zsh, fish" in ended.err


@pytest.fixture
def command_on_path(tmp_path: Path) -> dict[str, str]:
    """An environment in which `sawtooth` is a command."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "sawtooth"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m sawtooth "$@"\n')
    script.chmod(0o755)
    return clean_environment() | {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "HOME": str(tmp_path)}


BASH = """eval "$(sawtooth completion bash)"
compopt() { echo "compopt $*"; }
try() { COMP_LINE=$1 COMP_POINT=${#1}; shift; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _sawtooth; printf '%s\\n' "${COMPREPLY[@]}"; }
try 'sawtooth environment sq' sawtooth environment sq
try 'sawtooth compare aimd-fc+' sawtooth compare aimd-fc+
try "sawtooth compare 'aimd-fc+" sawtooth compare "'aimd-fc+"
complete -p sawtooth
"""
FISH = """sawtooth completion fish | source
complete -C 'sawtooth environment sq' | string split -f 1 \\t | sort
"""
ZSH = """autoload -Uz compinit; compinit -u
eval "$(sawtooth completion zsh)"
echo $_comps[sawtooth]
words=(sawtooth environment sq) CURRENT=3
compadd() { print -l $values }
_sawtooth
"""
SQUARES = [entry.name for entry in ENVIRONMENTS if entry.name.startswith("sq")]


def test_bash_gets_candidates_that_it_can_insert(command_on_path: dict[str, str]) -> None:
    done = subprocess.run(
        ["bash", "-c", BASH], env=command_on_path, capture_output=True, text=True, check=True
    )
    expected = [*SQUARES, "compopt -o nospace", r"aimd-fc+\(", "compopt -o nospace", "aimd-fc+("]
    assert done.stdout.splitlines()[:-1] == expected
    assert done.stdout.splitlines()[-1] == "complete -o default -F _sawtooth sawtooth"
    assert done.stderr == ""


@pytest.mark.parametrize("shell", [name for name in ("zsh", "fish") if shutil.which(name)])
def test_other_shells_that_are_here_get_them_too(shell: str, command_on_path: dict[str, str]) -> None:
    script = {"zsh": ["-fc", ZSH], "fish": ["-c", FISH]}[shell]
    done = subprocess.run([shell, *script], env=command_on_path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-len(SQUARES) :] == (sorted(SQUARES) if shell == "fish" else SQUARES)
    assert done.stderr == ""

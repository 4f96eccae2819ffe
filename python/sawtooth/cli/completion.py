"""`sawtooth completion SHELL`: the lines that make a shell complete commands, options and names with the tab key.

The shell hands in the command line up to the cursor (`--line`), and gets a candidate per line, with what it is behind a tab. Candidates
come from the commands themselves and from the tables of the laboratory, so that whatever can be named can be completed. Where nothing is
known of a value, nothing is printed, and the shell offers files.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from sawtooth.cli.output import emit_text
from sawtooth.errors import MISSING, InputError

if TYPE_CHECKING:
    from typer.core import TyperGroup

Candidate = tuple[str, str]
"""What may stand there, and what that is."""

BASH: Final = r"""_sawtooth() {
    local value _ word="${COMP_WORDS[COMP_CWORD]}"
    COMPREPLY=()
    while IFS=$'\t' read -r value _; do
        [[ $word == [\'\"]* ]] || printf -v value %q "$value"
        COMPREPLY+=("$value")
    done < <(sawtooth completion --line "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *\( ]]; then compopt -o nospace; fi
}
complete -o default -F _sawtooth sawtooth"""

ZSH: Final = r"""#compdef sawtooth
_sawtooth() {
    local value help
    local -a values helps
    while IFS=$'\t' read -r value help; do
        values+=("$value")
        helps+=("$value${help:+  -- $help}")
    done < <(sawtooth completion --line "${(j: :)words[1,CURRENT]}" 2>/dev/null)
    if (( $#values == 0 )); then _files
    elif [[ $#values -eq 1 && $values[1] == *\( ]]; then compadd -S '' -l -d helps -a values
    else compadd -l -d helps -a values
    fi
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
compdef _sawtooth sawtooth"""

FISH: Final = r"""function __sawtooth_complete
    set -l found (sawtooth completion --line (commandline -cp | string collect) 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete --command sawtooth --no-files --arguments '(__sawtooth_complete)'"""

SCRIPTS: Final = {"bash": BASH, "zsh": ZSH, "fish": FISH}

ShellArgument = Annotated[
    str | None, typer.Argument(metavar="SHELL", help="bash, zsh or fish.", show_default=False)
]
LineOption = Annotated[
    str | None,
    typer.Option(
        "--line",
        metavar="TEXT",
        hidden=True,
        help="The command line up to the cursor, as the shell passes it.",
    ),
]


def command(shell: ShellArgument = None, line: LineOption = None) -> None:
    """Print the completion script of a shell: with it the tab key completes commands, options, studies, environments and controllers.

    bash: add `eval "$(sawtooth completion bash)"` to ~/.bashrc; zsh: `eval "$(sawtooth completion zsh)"` to ~/.zshrc;
    fish: `sawtooth completion fish > ~/.config/fish/completions/sawtooth.fish`.

    Example: sawtooth completion bash
    """
    if line is not None:
        for value, what in candidates(*words_of(line)):
            emit_text(f"{value}\t{what}")
        return
    if shell not in SCRIPTS:
        given = MISSING if shell is None else shell
        raise InputError("sawtooth completion", "SHELL", given, "one of " + ", ".join(SCRIPTS))
    emit_text(SCRIPTS[shell])


def words_of(line: str) -> tuple[list[str], str]:
    """The words behind `sawtooth` that are complete, and the one that is being written; a quote may still be open."""
    for closing in ("", "'", '"'):
        try:
            words = shlex.split(line + closing)
        except ValueError:
            continue
        current = words.pop() if words and (closing or not line[-1:].isspace()) else ""
        return words[1:], current
    return [], ""


def candidates(before: Sequence[str], current: str) -> list[Candidate]:
    """What may stand in the place of `current` behind the words `before`, in the order of the tables."""
    node, path, rest = _command(before)
    found: Iterator[Candidate]
    waiting = next(
        (each for each in node.params if rest and rest[-1] in each.opts and not _is_flag(each)), None
    )
    if waiting is not None:
        found = _values(path, waiting, rest)
    elif current.startswith("-"):
        found = _options(node)
    elif hasattr(node, "commands") and rest:  # no such command
        found = iter(())
    elif hasattr(node, "commands"):
        found = ((name, _first_sentence(each)) for name, each in node.commands.items() if " " not in name)
    else:
        found = _arguments(node, path, rest)
    return [(value, what) for value, what in found if value.startswith(current)]


def _command(before: Sequence[str]) -> tuple[Any, str, list[str]]:
    """The command that the words name, its path, and the words behind it. Some names are of two words."""
    node: Any = _front()
    path: list[str] = []
    rest = list(before)
    while hasattr(node, "commands") and rest:
        size = 2 if " ".join(rest[:2]) in node.commands else 1
        name = " ".join(rest[:size])
        if name not in node.commands:
            break
        node, rest = node.commands[name], rest[size:]
        path.append(name)
    return node, " ".join(path), rest


def _front() -> TyperGroup:
    from typer.core import TyperGroup
    from typer.main import get_command

    from sawtooth.cli import application  # which loads this command

    front = get_command(application())
    assert isinstance(front, TyperGroup)
    return front


def _is_flag(parameter: Any) -> bool:
    return bool(getattr(parameter, "is_flag", False))


def _first_sentence(node: Any) -> str:
    return " ".join((node.help or "").split("\n\n")[0].split())


def _options(node: Any) -> Iterator[Candidate]:
    """The options of a command."""
    for each in node.params:
        if each.param_type_name == "option" and not each.hidden:
            yield from (
                (name, each.help or "")
                for name in (*each.opts, *each.secondary_opts)
                if name.startswith("--")
            )
    yield "--help", "Show this message and exit."


def _arguments(node: Any, path: str, rest: Sequence[str]) -> Iterator[Candidate]:
    """What may stand for the next argument: its values, and behind the first word of a command of two words the second."""
    takes = {name for each in node.params if not _is_flag(each) for name in each.opts if name.startswith("-")}
    given = [
        word
        for index, word in enumerate(rest)
        if not word.startswith("-") and (index == 0 or rest[index - 1] not in takes)
    ]
    arguments = [each for each in node.params if each.param_type_name == "argument"]
    for each in arguments[len(given) :] or [last for last in arguments[-1:] if last.nargs == -1]:
        if not given:
            second = {
                name.removeprefix(f"{path} "): entry
                for name, entry in _front().commands.items()
                if name.startswith(f"{path} ")
            }
            yield from ((name, _first_sentence(entry)) for name, entry in second.items())
        yield from _values(path, each, rest)
        return


def _values(path: str, parameter: Any, rest: Sequence[str]) -> Iterator[Candidate]:
    """What may stand for a parameter: the values of a closed choice, or a table by the name of the option or of its place in the help;
    nothing where that is not a name of ours. `rest` are the words behind the command."""
    place = (parameter.metavar or "").strip("[].")
    option = next((name for name in parameter.opts if name.startswith("--")), place)
    table = TABLES.get(option) or TABLES.get(f"{path}: {place}") or TABLES.get(place)
    if table is stored_runs:
        yield from stored_runs(next((name for key, name in pairwise(rest) if key == "--store"), None))
    elif table is not None:
        yield from table()
    else:
        yield from ((value, "") for value in _choices(parameter))


def _choices(parameter: Any) -> list[str]:
    """The values of a closed choice, whichever version of typer tells them."""
    kind = getattr(getattr(parameter, "type_descriptor", None), "annotation", None)
    found = kind if isinstance(kind, type) and issubclass(kind, Enum) else None
    choices = getattr(getattr(parameter, "type", None), "choices", ()) if found is None else found
    return [str(each.value if isinstance(each, Enum) else each) for each in choices]


def controllers() -> Iterator[Candidate]:
    """Laws: by name where they have a default for every number, else up to the numbers."""
    from sawtooth import _native

    for entry in _native.describe()["controllers"]:
        bare = all(each.get("default") is not None for each in entry["parameters"])
        yield (entry["name"] if bare else f"{entry['name']}("), f"{entry['form']}: {entry['summary']}"


def recoveries() -> Iterator[Candidate]:
    """Loss recoveries."""
    from sawtooth import _native

    yield from ((entry["name"], entry["summary"]) for entry in _native.describe()["recoveries"])


def routers() -> Iterator[Candidate]:
    """Queue disciplines, and the routers that a comparison sets up from them."""
    from importlib.resources import files
    from tomllib import loads

    from sawtooth import _native

    built = {entry["name"]: entry["summary"] for entry in _native.describe()["disciplines"]}
    text = files("sawtooth").joinpath("experiment", "compare.toml").read_text(encoding="utf-8")
    made = {
        name: f"{table['kind']} as comparisons set it up" for name, table in loads(text)["routers"].items()
    }
    yield from (made | built).items()


def environments() -> Iterator[Candidate]:
    """Environments."""
    from sawtooth.scenario.environments import ENVIRONMENTS

    yield from ((entry.name, entry.summary) for entry in ENVIRONMENTS)


def environments_and_sets() -> Iterator[Candidate]:
    """Environments, and what stands for several."""
    from sawtooth.scenario.environments.sets import SETS

    yield from ((name, "a set of environments") for name in SETS)
    yield from environments()


def studies() -> Iterator[Candidate]:
    """Papers, studies, and what else can be reproduced."""
    from sawtooth.papers.catalogue import known_names

    yield from ((name, "") for name in known_names())


def papers_with_claims() -> Iterator[Candidate]:
    """Papers that make claims."""
    from sawtooth.papers import PAPERS

    yield from ((name, paper.title) for name, paper in PAPERS.items() if paper.claims)


def claim_ids() -> Iterator[Candidate]:
    """Claims of all papers, by id."""
    from sawtooth.papers.register import claims

    yield from ((claim.id, claim.statement) for claim in claims())


def kinds() -> Iterator[Candidate]:
    """What `sawtooth list` lists."""
    from sawtooth.cli.list import KINDS

    yield from ((name, "") for name in KINDS)


def documents() -> Iterator[Candidate]:
    """Documents that have a schema."""
    from sawtooth.documents import FORMATS

    yield from ((name, "") for name in FORMATS)


def shells() -> Iterator[Candidate]:
    """Shells that can complete."""
    yield from ((name, "") for name in SCRIPTS)


def languages() -> Iterator[Candidate]:
    """Languages in which a controller can be begun."""
    from sawtooth.plugins.project import LANGUAGES

    yield from ((name, "") for name in LANGUAGES)


def network_paths() -> Iterator[Candidate]:
    """Paths that people have."""
    from sawtooth.scenario.paths import paths

    yield from ((entry.name, entry.title) for entry in paths())


def trace_models() -> Iterator[Candidate]:
    """Models of which traces are made."""
    from sawtooth.scenario.drives import DRIVES

    yield from ((name, "") for name in DRIVES)


def shapes() -> Iterator[Candidate]:
    """Shapes of bandwidth that are searched."""
    from sawtooth.experiment.search.space import SHAPES

    yield from ((name, "") for name in SHAPES)


def set_ups() -> Iterator[Candidate]:
    """Set-ups of papers that have several."""
    from sawtooth.papers import PAPERS
    from sawtooth.papers.configurations import configurations

    yield from ((entry.name, f"of {paper}") for paper in PAPERS for entry in configurations(paper))


def series() -> Iterator[Candidate]:
    """Recorded series."""
    from sawtooth import _native

    yield from ((entry["name"], entry["summary"]) for entry in _native.describe()["series"])


def exported_tables() -> Iterator[Candidate]:
    """Tables of stored runs."""
    yield from (
        ("runs", "a row each, with metrics"),
        ("flows", "a row per flow"),
        ("queues", "a row per queue"),
    )
    yield from series()


def stored_runs(store: str | None = None) -> Iterator[Candidate]:
    """Runs of the store, by id."""
    from sawtooth.run.store import Store

    yield from ((name, "a stored run") for name in Store(store).ids())


TABLES: Final[dict[str, Callable[[], Iterator[Candidate]]]] = {
    "CONTROLLER": controllers,
    "R": recoveries,
    "Q": routers,
    "E": environments_and_sets,
    "NAME|FILE.toml": studies,
    "KIND": kinds,
    "PAPER": papers_with_claims,
    "CLAIM": claim_ids,
    "RUNID": stored_runs,
    "SHELL": shells,
    "LANG": languages,
    "--path": network_paths,
    "--shape": shapes,
    "--winner": controllers,
    "--loser": controllers,
    "--configuration": set_ups,
    "--series": series,
    "--of": exported_tables,
    "trace: NAME": trace_models,
    "environment: NAME": environments,
    "schema: NAME": documents,
}
"""What may stand for an option, or in a place by the name that it has in the help; before the colon the command, where others have such a
place too."""

__all__ = ["SCRIPTS", "TABLES", "candidates", "command", "words_of"]

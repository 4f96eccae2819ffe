"""What every command waits for before it does anything."""

from __future__ import annotations

import subprocess
import sys

import pytest

LIBRARIES = {"numpy", "pyarrow", "pydantic", "scipy", "matplotlib", "sympy"}
"""What takes long to load. No time is measured here: what a command loads decides how long it starts."""

COMMANDS: dict[str, tuple[set[str], int]] = {
    "--version": (set(), 35),
    "--help": (set(), 35),
    "list controllers": ({"pydantic"}, 35),
    "list environments": ({"numpy", "pyarrow", "pydantic"}, 55),
    "environment sq-high": ({"numpy", "pyarrow", "pydantic"}, 55),
    "model response": ({"pydantic"}, 35),
    "run nothing.toml": ({"numpy", "pyarrow", "pydantic"}, 100),
    "compare nothing": ({"numpy", "pyarrow", "pydantic"}, 165),
    "reproduce akella2002/fig4 --seeds 0": ({"numpy", "pyarrow", "pydantic"}, 185),
}
"""By command line: the libraries that it may load, and how many modules of ours at most."""


def loaded_by(code: str, *arguments: str) -> set[str]:
    """The modules that are loaded after a piece of code."""
    code += "\nimport sys; print(*sys.modules, file=sys.stderr)"
    ended = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    )
    return set(ended.stderr.splitlines()[-1].split())


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_loads_only_what_it_needs(line: str) -> None:
    code = "import sys\nfrom sawtooth.cli import exit_code\nexit_code(sys.argv[1:])"
    modules = loaded_by(code, *line.split())
    allowed, most = COMMANDS[line]
    assert LIBRARIES & {name.partition(".")[0] for name in modules} <= allowed
    assert sum(name.partition(".")[0] == "sawtooth" for name in modules) <= most


def test_one_figure_loads_the_checks_of_no_other_paper() -> None:
    code = "from sawtooth.papers.register import claim\nclaim('akella-abs-aimd-trad').function\n"
    checks = {name for name in loaded_by(code) if ".claims." in name and ".papers." in name}
    assert checks == {"sawtooth.papers.akella2002.claims.abstract"}


def test_the_package_alone_loads_no_library() -> None:
    assert not LIBRARIES & {name.partition(".")[0] for name in loaded_by("import sawtooth")}


def test_start_up_makes_no_json_schema() -> None:
    code = (
        "import pydantic.json_schema as schemas\n"
        "def made(self, *_, **__): raise AssertionError('a JSON Schema at start-up')\n"
        "schemas.GenerateJsonSchema.generate = made\n"
        "import sawtooth.cli\n"
    )
    subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

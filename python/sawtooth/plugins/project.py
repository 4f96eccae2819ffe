"""A project to begin a controller from: AIMD in Rust, C or Python with its tests, a Makefile and a scenario, from the templates of
`data/templates/controller`.

In a template `@NAME@` stands for the controller's name, `@PLUGIN@` for the file that is loaded, `@PYTHON@` for this interpreter,
`@VERSION@` for the version of Sawtooth and `@COMMON@` for what all Makefiles share. The header and the Rust crate come from the compiled
module, so that an installed wheel has them too.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.machinery import PathFinder
from importlib.resources import files
from pathlib import Path
from typing import Final

from sawtooth import _native
from sawtooth.atomic import making, write_bytes_atomic
from sawtooth.errors import InputError
from sawtooth.scenario.described import describe

NAME: Final = re.compile(r"[a-z][a-z0-9_-]*")
HEADER: Final = "include/sawtooth.h"
CRATE: Final = "sawtooth-plugin"
WHERE: Final = "sawtooth new controller"


@dataclass(frozen=True)
class Language:
    """What a project in a language holds: the file that is loaded, and its files with their templates."""

    plugin: str
    templates: Mapping[str, str]


SHARED: Final = {"scenario.toml": "shared/scenario.toml", ".gitignore": "shared/gitignore"}
LANGUAGES: Final[Mapping[str, Language]] = {
    "rust": Language(
        "lib@NAME@.so",
        {
            "Cargo.toml": "rust/Cargo.toml",
            "src/lib.rs": "rust/lib.rs",
            "Makefile": "rust/Makefile",
            f"{CRATE}/Cargo.toml": "rust/plugin.toml",
        },
    ),
    "c": Language(
        "lib@NAME@.so", {"@NAME@.c": "c/controller.c", "test.c": "c/test.c", "Makefile": "c/Makefile"}
    ),
    "python": Language(
        "@NAME@.py",
        {"@NAME@.py": "python/controller.py", "test.py": "python/test.py", "Makefile": "python/Makefile"},
    ),
}


@dataclass(frozen=True)
class Project:
    """A project that was written: its controller, its folder and the file that is loaded once `make` has run."""

    name: str
    language: str
    directory: Path
    plugin: Path


def new_project(name: str, language: str, directory: Path | None = None) -> Project:
    """Write a project into a folder that does not exist yet, `./NAME` unless another is given.

    InputError for a name that no controller of one's own can have or that breaks the project, for a language without a template and for
    a folder that exists. OSError, of which nothing is left, if it cannot be written.
    """
    _refuse(name, language)
    chosen = Path(name) if directory is None else directory
    texts = project_files(name, language)
    if os.path.lexists(chosen):
        raise InputError(WHERE, "--out", str(chosen), "a folder that does not exist yet")
    with making(chosen) as folder:
        for path, text in texts.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            write_bytes_atomic(target, text.encode(), durable=False)
    return Project(name, language, chosen, chosen / LANGUAGES[language].plugin.replace("@NAME@", name))


def project_files(name: str, language: str) -> dict[str, str]:
    """The files of a project by their paths in its folder."""
    chosen = LANGUAGES[language]
    places = {
        "@COMMON@\n": _template("shared/common.mk"),
        "@NAME@": name,
        "@PLUGIN@": chosen.plugin.replace("@NAME@", name),
        "@PYTHON@": sys.executable or "python3",
        "@VERSION@": _native.version()["version"],
    }

    def filled(text: str) -> str:
        for place, value in places.items():
            text = text.replace(place, value)
        return text

    sources = dict(_native.plugin_sources())
    found = {
        filled(path): filled(_template(template)) for path, template in {**chosen.templates, **SHARED}.items()
    }
    if language == "c":
        found["sawtooth.h"] = sources[HEADER]
    if language == "rust":
        found |= {f"{CRATE}/{path}": text for path, text in sources.items()}
    return found


def _template(name: str) -> str:
    return files("sawtooth").joinpath(f"data/templates/controller/{name}.in").read_text(encoding="utf-8")


def _refuse(name: str, language: str) -> None:
    if language not in LANGUAGES:
        raise InputError(WHERE, "--lang", language, f"one of {', '.join(LANGUAGES)}")
    if not NAME.fullmatch(name):
        accepted = "a name of small letters, digits, - and _ that begins with a letter"
        raise InputError(WHERE, "NAME", name, accepted)
    rows = [row for row in describe()["controllers"] if "plugin" not in row]
    if any(name in (row["name"], *row["aliases"]) for row in rows):
        raise InputError(WHERE, "NAME", name, "a name that no built-in controller has")
    paths = [path.replace("@NAME@", name) for path in LANGUAGES[language].templates]
    twice = next((path for path in paths if paths.count(path) > 1), None)
    if twice is not None:
        raise InputError(WHERE, "NAME", name, f"a name whose file is not {twice}, which every project has")
    if language == "python" and _is_module(name):
        accepted = "a name that no module of Python has, since the file would be imported in its place"
        raise InputError(WHERE, "NAME", name, accepted)


def _is_module(name: str) -> bool:
    """Whether Python has a module of that name, leaving aside what lies in this folder."""
    if name in sys.stdlib_module_names:
        return True
    here = Path.cwd()
    places = [place for place in sys.path if place and Path(place).absolute() != here]
    found = PathFinder.find_spec(name, places)
    return found is not None and found.origin is not None

"""A stock installation: Sawtooth with the packages that its metadata ask for, and none of those that its tests use.

Packages are linked from the environment of the tests, so nothing is downloaded. `stock_site` makes a folder of them, to be put on
the path of an interpreter that looks at no other packages (`python -S`), or to be the packages of a virtual environment.
"""

from __future__ import annotations

import os
import re
import sys
import tomllib
from collections.abc import Iterable
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement
from tests.conftest import clean_environment

ROOT = Path(__file__).resolve().parents[1]


def asked_for() -> list[str]:
    """What pyproject.toml asks for, without extras."""
    table = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    found: list[str] = table["project"]["dependencies"]
    return found


def closure(requirements: Iterable[str]) -> set[str]:
    """The names of the packages that the requirements need on this platform, those that they need in turn included."""
    found: set[str] = set()
    waiting = list(requirements)
    while waiting:
        requirement = Requirement(waiting.pop())
        name = re.sub(r"[-_.]+", "-", requirement.name).lower()
        if name in found or (requirement.marker and not requirement.marker.evaluate({"extra": ""})):
            continue
        found.add(name)
        waiting += distribution(name).requires or []
    return found


def stock_site(folder: Path, requirements: Iterable[str]) -> Path:
    """Links the packages of the closure into `folder`, with their metadata."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in closure(requirements):
        found = distribution(name)
        tops = {file.parts[0] for file in found.files or () if file.parts[0] not in ("..", "__pycache__")}
        for top in tops:
            link = folder / top
            if not link.exists():
                link.symlink_to(Path(str(found.locate_file(top))))
    return folder


def stock_python(site: Path) -> tuple[list[str], dict[str, str]]:
    """The command that starts an interpreter with the sources of this checkout and the packages of `site`, and its environment."""
    path = os.pathsep.join([str(ROOT / "python"), str(site)])
    return [sys.executable, "-S"], clean_environment() | {"PYTHONPATH": path}

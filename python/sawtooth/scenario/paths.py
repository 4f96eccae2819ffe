"""Named paths: networks that people have, as data with the origin of every number, for `--path NAME` of run and compare.

Source: `data/paths/<name>.toml`. A path gives the tables of the network (`tables`) and says in `origin`, number by number, where it comes
from: a citation, or that it is ours. A path stands in the place of what a scenario says about its network; flows, settings, duration and
what is recorded stay.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from sawtooth.errors import InputError
from sawtooth.packaged import packaged
from sawtooth.plain import copied
from sawtooth.scenario.schedule import read_text
from sawtooth.scenario.toml_text import parse_toml

OPTION: Final = "--path"
REPLACED: Final = ("bottleneck", "reverse", "path", "topology", "environment", "nodes", "links", "sources")
"""Tables of a scenario in whose place a path stands."""
OF_GROUPS: Final = ("rtt", "route")
"""What groups of flows say about the network."""
ALONE: Final[Mapping[str, Any]] = {
    "duration": "60 s",
    "flows": [{"control": "cubic", "recovery": "rack", "packet": "1500 B", "start": "0 s"}],
}
"""What crosses a path where a user names no scenario."""
COMPARED: Final[Mapping[str, Any]] = {
    "duration": "60 s",
    "flows": [{"count": 2, "packet": "1500 B", "start": "uniform 0..1 s"}],
}
"""The same in a comparison, which gives the controllers."""


@dataclass(frozen=True)
class NetworkPath:
    """A named path."""

    name: str
    title: str
    about: str
    origin: Mapping[str, str]
    """By what it is about, where the numbers come from."""
    tables: Mapping[str, Any]
    """Tables of a scenario."""


@cache
def paths() -> tuple[NetworkPath, ...]:
    """All of them, by name."""
    files = sorted(packaged("data", "paths").glob("*.toml"))
    return tuple(NetworkPath(file.stem, **tomllib.loads(file.read_text(encoding="utf-8"))) for file in files)


def path_of(name: str) -> NetworkPath:
    """The path of that name. InputError where there is none."""
    for entry in paths():
        if entry.name == name:
            return entry
    accepted = f"one of {', '.join(entry.name for entry in paths())}"
    raise InputError(OPTION, None, name, accepted)


def on_path(name: str, tables: Mapping[str, Any]) -> dict[str, Any]:
    """The tables of a scenario on that path. InputError for an unknown name."""
    chosen = path_of(name)
    kept = {key: copied(value) for key, value in tables.items() if key not in REPLACED}
    for group in [*kept.get("flows", []), *kept.get("traffic", [])]:
        if isinstance(group, dict):
            for key in OF_GROUPS:
                group.pop(key, None)
    own = {key: copied(value) for key, value in chosen.tables.items() if key not in ("on", "tcp")}
    tcp = {**chosen.tables.get("tcp", {}), **kept.pop("tcp", {})}
    on = [*kept.pop("on", []), *copied(chosen.tables.get("on", []))]
    return {**kept, **own, **({"tcp": tcp} if tcp else {}), **({"on": on} if on else {})}


def file_on_path(name: str, file: Path | None, alone: Mapping[str, Any]) -> dict[str, Any]:
    """The tables of a scenario file on that path, or of ``alone`` where there is no file. InputError."""
    return on_path(name, alone if file is None else parse_toml(read_text(file), str(file)))

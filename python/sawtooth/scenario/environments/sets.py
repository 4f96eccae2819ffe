"""Sets of environments by name: what stands for several environments where a command takes one.

Source: none; each set names where its environments come from. A set is data: to add one is a line in ``SETS``.

| set          | environments                                              |
|--------------|-----------------------------------------------------------|
| `all`        | every environment that needs no number of the user's      |
| `akella2002` | the thirteen of [Akella02] Table 2, in its order          |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from sawtooth.errors import InputError
from sawtooth.scenario.environments import ENVIRONMENTS, Environment


def _complete() -> tuple[str, ...]:
    found = []
    for entry in ENVIRONMENTS:
        try:
            Environment.parse({"kind": entry.name})
        except InputError:
            continue
        found.append(entry.name)
    return tuple(found)


SETS: Final[Mapping[str, Callable[[], tuple[str, ...]]]] = {
    "all": _complete,
    "akella2002": lambda: tuple(entry.name for entry in ENVIRONMENTS if entry.number is not None),
}
"""Every set, and what it stands for."""

WITHOUT: Final = "none"
"""The environment of a scenario without one: nothing but the test flows."""
USUAL: Final = "akella2002"
"""The set that a comparison takes where the user names none: the environments that printed scores are over."""


def expanded(names: Sequence[str]) -> list[str]:
    """The names with each set replaced by its environments; other names stay as they are."""
    return [entry for name in names for entry in (SETS[name]() if name in SETS else (name,))]

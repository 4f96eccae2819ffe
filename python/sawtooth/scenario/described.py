"""What the engine says of itself, asked once per process: names, parameters, units, defaults and reasons of everything in its tables.

Source: ``describe()`` of the engine. It is made anew on every call there, which a study of thousands of scenarios would notice. A plug-in
that is loaded adds to it: then what was kept is forgotten.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from sawtooth import _native

if TYPE_CHECKING:
    from sawtooth._native import _Description


Made = TypeVar("Made")
_kept: list[Callable[[], Any]] = []


def kept(make: Callable[[], Made]) -> Callable[[], Made]:
    """Like `functools.cache`, for what is made of the names of controllers."""
    made = cache(make)
    _kept.append(made.cache_clear)
    return made


def forget() -> None:
    """A controller has come: what was made of the names before is made anew when somebody asks for it."""
    for clear in _kept:
        clear()


@kept
def describe() -> _Description:
    """The description, to be read only: it is the same object for all."""
    return _native.describe()

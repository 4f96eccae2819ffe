"""What the engine says of itself, asked once per process: names, parameters, units, defaults and reasons of everything in its tables.

Source: ``describe()`` of the engine. It is made anew on every call there, which a study of thousands of scenarios would notice.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from sawtooth import _native

if TYPE_CHECKING:
    from sawtooth._native import _Description


@cache
def describe() -> _Description:
    """The description, to be read only: it is the same object for all."""
    return _native.describe()

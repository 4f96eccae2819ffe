"""Which components of the engine the runs of a block of code used, with their behaviour numbers.

    with watching() as used:
        found = reproduce(...)
    used                       # {"core": 1, "law/linear": 1, "queue/red": 1, ...}

Whoever makes or reads many runs goes through `runner.run_each` or a tally, and these `note` what each run used, so that no function
between them and the user hands it on. A page says of its computed blocks what they rest on (`report.computed`).

Source: none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

_WATCHED: Final[ContextVar[dict[str, int] | None]] = ContextVar("used", default=None)


@contextmanager
def watching() -> Iterator[dict[str, int]]:
    """Inside the block, what runs use goes into the value; a block around this one hears of it at the end."""
    found: dict[str, int] = {}
    outer = _WATCHED.get()
    token = _WATCHED.set(found)
    try:
        yield found
    finally:
        _WATCHED.reset(token)
        if outer is not None:
            outer.update(found)


def watched() -> dict[str, int] | None:
    """What has been used so far in the block that this is called in; None where nobody watches."""
    return _WATCHED.get()


def note(behaviour: Mapping[str, int]) -> None:
    """A run with these behaviour numbers was made or read."""
    found = _WATCHED.get()
    if found is not None:
        found.update(behaviour)

"""Where runs alone are kept, which others are compared with: in the store of the sweep that asks for them, each under its own id.

    with keeping(Keeper(store.address, store.get, store.put)):
        execute(job)              # what it is compared with is read from the store, or simulated and put there

A run alone is a run like any other, so a second process does not simulate it again, and `sawtooth store ls` shows it. A run that is made
again (`--fresh`, `sawtooth run`) finds those alone in the store. Outside such a block they are kept for this process.

Source: none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sawtooth.run.run import Run


@dataclass(frozen=True)
class Keeper:
    """Finds runs by their id and puts new ones away."""

    address: str
    """Of the store: what another one has is kept there alone."""
    find: Callable[[str], Run | None]
    put: Callable[[Run], None]


_CHOSEN: Final[ContextVar[Keeper | None]] = ContextVar("kept_alone", default=None)


def keeper() -> Keeper | None:
    """That of the block in which this is called; threads do not see the block of their caller."""
    return _CHOSEN.get()


@contextmanager
def keeping(chosen: Keeper | None) -> Iterator[None]:
    """Inside the block runs alone are kept there; None: for this process."""
    token = _CHOSEN.set(chosen)
    try:
        yield
    finally:
        _CHOSEN.reset(token)


__all__ = ["Keeper", "keeper", "keeping"]

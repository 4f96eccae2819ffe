"""Python's garbage collector while many runs are made, and while modules load.

A finished run holds no cycles, so its reference count frees it; classes and functions of a module stay. The collector looks at them all the
same, each time some hundreds of objects have been made, and finds nothing: that was a fifteenth of what a sweep cost outside the engine,
and a tenth of the start. Inside the block it looks more seldom.

| parameter | unit    | default | why                                                                   |
|-----------|---------|---------|-----------------------------------------------------------------------|
| OBJECTS   | objects | 20,000  | some dozens of runs: what the collector alone can free stays that small |
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

OBJECTS: Final = 20_000

_LOCK: Final = threading.Lock()
_before: list[tuple[int, int, int]] = []
"""By block under way what it found when it began. The first says what will be again when none is."""


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Inside the block the collector waits for more objects; one that the process has switched off, or that waits longer, is let be."""
    with _LOCK:
        _before.append(gc.get_threshold())
        gc.set_threshold(*_waiting(*_before[0]))
    try:
        yield
    finally:
        with _LOCK:
            first = _before[0]
            _before.pop()
            gc.set_threshold(*(_waiting(*first) if _before else first))


def _waiting(objects: int, *others: int) -> tuple[int, ...]:
    return (max(objects, OBJECTS) if objects else 0, *others)


__all__ = ["OBJECTS", "seldom_collected"]

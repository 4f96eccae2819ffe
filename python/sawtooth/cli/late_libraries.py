"""Libraries of numbers that are loaded when somebody uses them.

Most modules have `import numpy as np` and `import pyarrow as pa` at the top, but many commands end before a number is wanted: lists,
texts of claims, errors in the input. Such a command would spend a fifth of its time on loading both.

Source: PEP 810, which gives later versions of Python such imports. `importlib.util.LazyLoader` of Python 3.11 does not bear threads.
"""

from __future__ import annotations

import sys
from importlib import import_module
from threading import Lock
from types import ModuleType
from typing import Any, Final

LATE: Final = ("numpy", "pyarrow", "pyarrow.parquet")
"""A package before its parts."""
_LOCK: Final = Lock()
"""Held while a name is given up; the import that follows has locks of its own."""


class LateModule(ModuleType):
    """Stands for a module until an attribute of it is wanted. Then it has all that the module has, and is a plain module."""

    def __getattr__(self, name: str) -> Any:
        """Loads the module, or waits for the thread that loads it."""
        with _LOCK:
            if sys.modules.get(self.__name__) is self:
                del sys.modules[self.__name__]
        module = import_module(self.__name__)
        self.__dict__.update(module.__dict__)
        self.__class__ = ModuleType  # type: ignore[assignment]
        return getattr(module, name)


def load_when_used() -> None:
    """From now on `import` of these libraries loads nothing yet. Those that are loaded stay as they are."""
    for name in LATE:
        if name not in sys.modules:
            late = sys.modules[name] = LateModule(name)
            package, _, part = name.rpartition(".")
            if package:
                setattr(sys.modules[package], part, late)  # for `import package.part as ...`


__all__ = ["LateModule", "load_when_used"]

"""What a user typed beside what is compared: the plug-ins and the store, which every command on the same runs needs again.

    >>> Typed(("mine.py",), "st4").suffix(loads=True)
    ' --plugin mine.py --store st4'

Source: none.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Typed:
    """Files of controllers, and the store where it is not the usual one."""

    plugins: tuple[str, ...] = ()
    store: str = ""

    def words(self, *, loads: bool) -> list[str]:
        """The options as a user types them; without those of plug-ins for a command that ``loads`` none."""
        found = [word for file in self.plugins if loads for word in ("--plugin", file)]
        return [*found, *(["--store", self.store] if self.store else [])]

    def suffix(self, *, loads: bool) -> str:
        """The same as the end of a command."""
        return "".join(f" {shlex.quote(word)}" for word in self.words(loads=loads))


NOTHING_TYPED: Final = Typed()
"""No plug-in, and the usual store."""

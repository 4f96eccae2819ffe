"""What `tcp.ecn = "auto"` stands for: what the controller needs, or else classic ECN where something marks.

Source: RFC 3168 (classic), RFC 9768 (accurate), RFC 9331 (l4s). What a controller needs stands among its own defaults.
"""

from __future__ import annotations

from typing import Final

from sawtooth.scenario.tcp_fields import controller_defaults
from sawtooth.scenario.values import Control

AUTO: Final = "auto"
OFF: Final = "off"
CLASSIC: Final = "classic"
L4S: Final = "l4s"
COUNTED: Final = ("accurate", L4S)
"""Words with which a receiver counts marks."""


def decided(written: str, control: Control, *, marked: bool) -> str:
    """The word for a group with this controller, in a network where something marks or nothing does."""
    if written != AUTO:
        return written
    return needed(control) or (CLASSIC if marked else OFF)


def needed(control: Control) -> str | None:
    """The word that a controller has of its own, if it has one."""
    word = controller_defaults()[control.constructor].get("ecn")
    return None if word is None else str(word)


def shared(written: str, control: Control) -> str:
    """What a word of `[tcp]` is to a group: one whose receiver reports in its own way is ECN-capable or it is not."""
    return written if control.takes_recovery or written in (AUTO, OFF) else CLASSIC

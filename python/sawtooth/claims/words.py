"""Words with numbers that no study states: those of checks that compute what they judge, and so see no tolerances.

Source: none. The checks of a study take such numbers from its file (``[tolerance]``), where they have a meaning as well.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Word:
    """A number that stands for a word. ``meaning`` says of what it is the bound and whether printed numbers were in view."""

    name: str
    value: float
    meaning: str

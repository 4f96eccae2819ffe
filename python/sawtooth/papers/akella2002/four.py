"""The four controls of the figures.

Source: [Akella02] section 3: one representative of each family of linear controls.
"""

from __future__ import annotations

from typing import Final

FOUR: Final = ("AIMD", "AIAD", "MIMD", "MIAD")
"""The four representatives, in the order of the printed tables."""

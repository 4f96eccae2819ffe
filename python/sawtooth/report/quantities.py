"""Values that are numbers of one unit, as people write them: they have places on an axis, and a line may join them. Words have neither.

Source: none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

QUANTITY: Final = re.compile(r"([-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)\s*(\S*)")


def quantities(values: Sequence[Any]) -> tuple[list[float], str] | None:
    """The numbers and their unit (20 ms, 40 ms); None where one is a word, a truth value or of another unit."""
    if any(isinstance(value, bool) for value in values):
        return None
    matches = [QUANTITY.fullmatch(str(value).strip()) for value in values]
    units = {match[2] for match in matches if match}
    if not all(matches) or len(units) != 1:
        return None
    return [float(match[1]) for match in matches if match], units.pop()

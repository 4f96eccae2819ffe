"""The kinds of curves that runs are compared with.

Source: none.
"""

from __future__ import annotations

from typing import Final

from sawtooth.papers.formulas import fixed_points, loss, sharing

KINDS: Final = (loss, sharing, fixed_points)
"""Every kind of curve, in the order of the report."""

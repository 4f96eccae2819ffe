"""What the checks of mathematics share: numbers that agree to rounding, printed numbers, and a sawtooth followed round by round.

Source: none; the sawtooth is that of [Floyd00] §3.1.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

import numpy as np

from sawtooth.claims.logic import Finding, fact

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

EQUAL: Final = 1e-9
"""Two closed forms are the same: relative difference at most this."""
ABOUT: Final = 0.15
"""A printed value is met where the text says *about*, or takes it from another source: relative difference at most this."""


def difference(ours: ArrayLike, wanted: ArrayLike) -> float:
    """The largest relative difference."""
    a, b = np.asarray(ours, dtype=np.float64), np.asarray(wanted, dtype=np.float64)
    return float(np.max(np.abs(a - b) / np.maximum(np.abs(b), 1e-300)))


def agree(text: str, ours: ArrayLike, wanted: ArrayLike, within: float = EQUAL, **numbers: object) -> Finding:
    """``ours`` is ``wanted`` to a relative difference of ``within``, which is shown; so are short lists of both."""
    found = difference(ours, wanted)
    shown: dict[str, object] = {"largest relative difference": found}
    if np.size(ours) <= 4 and np.size(wanted) <= 4:
        shown |= {"ours": np.asarray(ours).tolist(), "wanted": np.asarray(wanted).tolist()}
    return fact(text, found <= within, **shown, **numbers)


def rounded(text: str, ours: float, printed: float, digits: int) -> Finding:
    """``ours`` is the printed number when rounded or cut to ``digits`` decimals."""
    step = 10.0**-digits
    return fact(text, abs(ours - printed) < step * (1 + EQUAL), ours=ours, printed=printed)


def epoch(a: Fraction, b: Fraction, peak: Fraction) -> list[Fraction]:
    """Windows of one epoch of the deterministic AIMD, round by round: from (1 - b)W in steps of a to the W at which a packet is dropped."""
    windows = [(1 - b) * peak]
    while windows[-1] < peak:
        windows.append(windows[-1] + a)
    return windows


EPOCHS: Final = tuple(
    (Fraction(a), Fraction(b), Fraction(peak))
    for a, b in (("1", "1/2"), ("1/5", "1/8"), ("2/5", "1/8"), ("1", "1/8"), ("3/7", "1/4"), ("2", "3/4"))
    for peak in (48, 240, 4800)
)
"""Laws and peak windows, packets, with a whole number of increases between two drops."""

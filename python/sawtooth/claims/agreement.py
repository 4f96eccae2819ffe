"""What the checks of mathematics share: facts that write down what decides them, and a sawtooth followed round by round.

Source: none; the sawtooth is that of [Floyd00] §3.1.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from sawtooth.claims.logic import Finding, Relation, fact, with_words
from sawtooth.claims.words import Word

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

EQUAL: Final = 1e-9
"""Two closed forms are the same: relative difference at most this."""
NOTHING: Final = 1e-12
"""What is wanted to be 0 may be off by this, in its own unit."""
ABOUT: Final = Word(
    "about",
    0.15,
    "a printed value is met where the text says about, or takes it from another source: relative difference at most this; "
    "taken with the printed values in view",
)

_COMPARED: Final[Mapping[Relation, Callable[[Any, Any], Any]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def difference(ours: ArrayLike, wanted: ArrayLike) -> float:
    """The largest relative difference."""
    a, b = np.asarray(ours, dtype=np.float64), np.asarray(wanted, dtype=np.float64)
    return float(np.max(np.abs(a - b) / np.maximum(np.abs(b), 1e-300)))


def near(a: Any, b: Any, tolerance: float = EQUAL) -> bool:
    """Whether all of ``a`` is within a relative ``tolerance`` of ``b``."""
    return bool(np.allclose(np.asarray(a, float), np.asarray(b, float), rtol=tolerance, atol=NOTHING))


def _relative(wanted: ArrayLike, within: float) -> str:
    """What ``agree`` and ``same`` ask for, as a relation."""
    if not np.any(wanted):
        return f"|ours| <= {NOTHING:g}"
    if np.size(wanted) == 1:
        number = f"{np.asarray(wanted).item():.6g}"
        return f"|ours{'' if number == '1' else '/' + number} - 1| <= {within:g}"
    return f"largest relative difference <= {within:g}"


def agree(
    text: str, ours: ArrayLike, wanted: ArrayLike, within: float | Word = EQUAL, **numbers: object
) -> Finding:
    """``ours`` is ``wanted`` to a relative difference of ``within``, which is shown; so are short lists of both."""
    found = difference(ours, wanted)
    shown: dict[str, object] = {"largest relative difference": found}
    if np.size(ours) <= 4 and np.size(wanted) <= 4:
        shown |= {"ours": np.asarray(ours).tolist(), "wanted": np.asarray(wanted).tolist()}
    bound = within.value if isinstance(within, Word) else within
    written = fact(text, found <= bound, judged=_relative(wanted, bound), **shown, **numbers)
    return with_words(written, within) if isinstance(within, Word) else written


def rounded(text: str, ours: float, printed: float, digits: int) -> Finding:
    """``ours`` is the printed number when rounded or cut to ``digits`` decimals."""
    step = 10.0**-digits
    judged = f"|ours - {printed:g}| < {step:g}"
    return fact(text, abs(ours - printed) < step * (1 + EQUAL), judged=judged, ours=ours, printed=printed)


def same(text: str, ours: Any, wanted: Any, /, within: float = EQUAL, **numbers: object) -> Finding:
    """All of ``ours`` is ``wanted`` to a relative difference of ``within``; of both, only ``numbers`` are shown."""
    return fact(text, near(ours, wanted, within), judged=_relative(wanted, within), **numbers)


def close(text: str, ours: float, wanted: float, within: float, /, **numbers: object) -> Finding:
    """``ours`` is less than ``within`` away from ``wanted``, in their own unit."""
    judged = f"|ours - {wanted:.6g}| < {within:.3g}"
    return fact(text, abs(ours - wanted) < within, judged=judged, **numbers)


def exactly(text: str, found: object, wanted: object, /, **numbers: object) -> Finding:
    """``found`` is ``wanted``, to the last digit."""
    return fact(text, bool(found == wanted), judged=f"exactly {wanted}", **numbers)


def bounded(
    text: str, name: str, values: ArrayLike, relation: Relation, bound: float | Word, /, **numbers: object
) -> Finding:
    """``values relation bound``, of each value where there are several; ``name`` says what they are."""
    limit = bound.value if isinstance(bound, Word) else bound
    true = bool(np.all(_COMPARED[relation](np.asarray(values), limit)))
    each = f" in each of {np.size(values)} cases" if np.size(values) > 1 else ""
    written = fact(text, true, judged=f"{name} {relation} {limit:g}{each}", **numbers)
    return with_words(written, bound) if isinstance(bound, Word) else written


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

"""Steady states and fairness of the linear family: which four numbers lead every flow to the same window.

Source: [Akella02] §5.1 and footnote 8; [ChiuJain89] §3. A linear control is ``w -> a_I + b_I w`` without congestion and
``w -> a_D + b_D w`` with it. Flows hear of congestion together, so all apply the same word of increases and decreases. A cycle of
k_I increases and then k_D decreases takes every window to

    w -> alpha + beta w,   beta = b_I^k_I b_D^k_D,
    alpha = a_D (1 + b_D + … + b_D^(k_D-1)) + a_I b_D^k_D (1 + b_I + … + b_I^(k_I-1))

so the gap between two flows is multiplied by beta in every cycle, and a window that comes back is w* = alpha / (1 - beta).

| parameter | unit          | default | why                             |
|-----------|---------------|---------|---------------------------------|
| a_i, b_i  | packets, 1    | given   | the increase                    |
| a_d, b_d  | packets, 1    | given   | the decrease                    |
| k_i, k_d  | 1             | 1       | the shortest cycle that there is |

Goes beyond the paper, which gives sufficient conditions (footnote 8) and asks for a cycle: which cycle occurs follows from the four
numbers and the capacity, yet the outcome does not depend on it. Measured from the fixed point of the decrease, u = w - a_D/(1 - b_D), a
decrease is u -> b_D u and an increase u -> a' + b_I u with a' = a_I + a_D (b_I - 1)/(1 - b_D). Every word of both then has an alpha of the
sign of a', and the sum U > 0 of the windows comes back only if U (1 - beta) = n alpha. So beta < 1 exactly when a' > 0: flows become
equal if and only if

    a_I (1 - b_D) + a_D (b_I - 1) > 0

keep their place if it is 0 (then both maps fix the same window), and one takes all if it is negative; for b_D = 1 the same follows from
the fixed point of the increase. Premises: an increase raises a large load (b_I > 1, or b_I = 1 and a_I > 0), a decrease lowers it
(b_D < 1, or b_D = 1 and a_D < 0), and the capacity is large against the fixed points, so that no window rests on its floor of one packet.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

import numpy as np

from sawtooth.models.inputs import Numbers, count, within

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

FACTOR_MOST: Final = 2.0
"""Largest factor of an increase, as the controllers' table has it: more than doubling would outrun slow start."""


ROUNDING: Final = 1e-12
"""A criterion this small against the additive parts is 0 but for rounding."""


class Fairness(StrEnum):
    """What becomes of the gap between flows in the long run."""

    CONVERGES = "converges"
    NEUTRAL = "neutral"
    DIVERGES = "diverges"
    NO_CYCLE = "no cycle"


STEPS_MAX: Final = 1_000_000
"""Most increases and most decreases of a cycle: they are summed one by one."""


@dataclass(frozen=True)
class Cycle:
    """The affine map of k_I increases and k_D decreases, per flow. ``alpha`` in packets, ``beta`` without unit."""

    alpha: Numbers
    beta: Numbers

    @property
    def steady_window(self) -> Numbers:
        """alpha / (1 - beta), packets, the window after the decreases; NaN where it is not positive or any window would do."""
        with np.errstate(divide="ignore", invalid="ignore"):
            window = self.alpha / (1.0 - self.beta)
        return np.asarray(np.where(np.isfinite(window) & (window > 0.0), window, np.nan))

    @property
    def attracts(self) -> NDArray[np.bool_]:
        """Whether flows with different windows all approach the steady one: it exists and beta < 1 (then alpha > 0)."""
        return np.asarray((self.beta < 1.0) & np.isfinite(self.steady_window))


def cycle(
    a_i: ArrayLike, b_i: ArrayLike, a_d: ArrayLike, b_d: ArrayLike, k_i: int = 1, k_d: int = 1
) -> Cycle:
    """The map of ``k_i`` increases followed by ``k_d`` decreases [Akella02] §5.1; arguments broadcast."""
    a_i, b_i, a_d, b_d = family(a_i, b_i, a_d, b_d)
    k_i, k_d = count("k_i", k_i, 0, STEPS_MAX), count("k_d", k_d, 0, STEPS_MAX)
    alpha = a_d * geometric(b_d, k_d) + a_i * b_d**k_d * geometric(b_i, k_i)
    return Cycle(np.asarray(alpha), np.asarray(b_d**k_d * b_i**k_i))


def word_map(word: str, a_i: ArrayLike, b_i: ArrayLike, a_d: ArrayLike, b_d: ArrayLike) -> Cycle:
    """The map of any word of increases ``I`` and decreases ``D``, applied from left to right [Akella02] §5.1."""
    a_i, b_i, a_d, b_d = family(a_i, b_i, a_d, b_d)
    alpha, beta = np.zeros(np.broadcast(a_i, b_i, a_d, b_d).shape), np.ones(())
    for letter in word:
        a, b = {"I": (a_i, b_i), "D": (a_d, b_d)}[letter]
        alpha, beta = a + b * alpha, b * beta
    return Cycle(np.asarray(alpha), np.asarray(beta))


def geometric(ratio: ArrayLike, terms: int) -> Numbers:
    """1 + r + … + r^(terms-1), summed term by term so that r = 1 is no exception."""
    ratio = np.asarray(ratio, dtype=np.float64)
    return np.asarray(sum((ratio**power for power in range(terms)), np.zeros_like(ratio)))


def chiu_jain(a_i: ArrayLike, b_i: ArrayLike, a_d: ArrayLike, b_d: ArrayLike) -> NDArray[np.bool_]:
    """The sufficient conditions of [ChiuJain89]: a_D = 0, 0 <= b_D < 1, a_I > 0, b_I >= 1 [Akella02] footnote 8."""
    a_i, b_i, a_d, b_d = family(a_i, b_i, a_d, b_d)
    return np.asarray((a_d == 0.0) & (b_d < 1.0) & (a_i > 0.0) & (b_i >= 1.0))


def cycles_exist(a_i: ArrayLike, b_i: ArrayLike, a_d: ArrayLike, b_d: ArrayLike) -> NDArray[np.bool_]:
    """Whether an increase raises and a decrease lowers a load that is large against the additive parts."""
    a_i, b_i, a_d, b_d = family(a_i, b_i, a_d, b_d)
    rises = (b_i > 1.0) | ((b_i == 1.0) & (a_i > 0.0))
    falls = (b_d < 1.0) | ((b_d == 1.0) & (a_d < 0.0))
    return np.asarray(rises & falls)


def criterion(a_i: ArrayLike, b_i: ArrayLike, a_d: ArrayLike, b_d: ArrayLike) -> Numbers:
    """a_I (1 - b_D) + a_D (b_I - 1), packets: positive where gaps close; the head of this file derives it.

    It is +inf where b_D = 0, since then a single decrease makes all windows equal.
    """
    a_i, b_i, a_d, b_d = family(a_i, b_i, a_d, b_d)
    value = a_i * (1.0 - b_d) + a_d * (b_i - 1.0)
    return np.asarray(np.where(b_d == 0.0, np.inf, value + 0.0))  # + 0.0: no negative zero


def verdict(a_i: ArrayLike, b_i: ArrayLike, a_d: ArrayLike, b_d: ArrayLike) -> NDArray[np.str_]:
    """What becomes of gaps: an array of ``Fairness`` values as text, by the sign of ``criterion``."""
    value = criterion(a_i, b_i, a_d, b_d)
    size = np.abs(np.asarray(a_i, dtype=np.float64)) + np.abs(np.asarray(a_d, dtype=np.float64))
    value = np.where(np.abs(value) <= ROUNDING * size, 0.0, value)
    fair = np.select(
        [value > 0.0, value == 0.0], [Fairness.CONVERGES, Fairness.NEUTRAL], default=Fairness.DIVERGES
    )
    return np.asarray(np.where(cycles_exist(a_i, b_i, a_d, b_d), fair, Fairness.NO_CYCLE), dtype=np.str_)


def family(
    a_i: ArrayLike, b_i: ArrayLike, a_d: ArrayLike, b_d: ArrayLike
) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """The four numbers, checked: finite, 0 < b_I <= 2, 0 <= b_D <= 1 (a decrease may not raise large windows)."""
    return (
        within("a_i", a_i, "(-inf, inf)"),
        within("b_i", b_i, f"(0, {FACTOR_MOST:g}]"),
        within("a_d", a_d, "(-inf, inf)"),
        within("b_d", b_d, "[0, 1]"),
    )

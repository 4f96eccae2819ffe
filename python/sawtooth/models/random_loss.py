"""AIMD(a, b) when each packet is lost with probability p: the 1/sqrt(p) law and its constants.

Source: [Mathis97] for the square root and for both constants of TCP, about 1.22 when losses are regular and about 1.31 when they are
random; the closed form of the second is derived here.

While nothing is lost each packet adds a/w to the window, so Y = p w²/2a grows by p per packet: by 1 in the mean distance between losses,
and a loss multiplies it by β = (1 - b)². Seen by a packet, Y is E0 + β E1 + β² E2 + ..., the E independent and exponential with mean 1.
Time passes by 1/w per packet, so the rate is 1/E[1/w] = sqrt(2a/p) / E[Y^(-1/2)], where

    E[Y^(-1/2)] = (1/sqrt(pi)) ∫ s^(-1/2) Π 1/(1 + βᵏ s) ds,   s from 0 to infinity, k = 0, 1, 2, ...

| parameter | unit          | default | why                                        |
|-----------|---------------|---------|--------------------------------------------|
| a         | packets/round | none    | increase per round trip, above 0           |
| b         | 1             | none    | fraction removed, above 0 and below 1      |
| p         | 1             | none    | loss per packet sent, above 0 and below 1  |

Rates are in packets per round trip. Deviations: windows are real numbers that act at once, p is small, and there are no timeouts; the
product stops at terms below 1e-17.
"""

from __future__ import annotations

from functools import lru_cache
from math import inf, pi, sqrt
from typing import TYPE_CHECKING

import numpy as np

from sawtooth.models.inputs import Numbers, within
from sawtooth.models.response import curvature

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def regular_constant(a: ArrayLike, b: ArrayLike) -> Numbers:
    """C of rate = C / sqrt(p) when every (1/p)-th packet is lost: sqrt(a (2 - b) / 2b), 1.2247 for TCP ([Floyd00] eq. 7, [Mathis97] §2)."""
    within("b", b, "(0, 1)")
    return np.asarray(1 / np.sqrt(curvature(a, b)))[()]


def random_constant(a: ArrayLike, b: ArrayLike) -> Numbers:
    """C of rate = C / sqrt(p) when each packet is lost with probability p: 1.3098 for TCP (derivation above, [Mathis97] §2)."""
    increase = within("a", a, "(0, inf)")
    fraction = within("b", b, "(0, 1)")
    means = np.vectorize(_mean_inverse_root, otypes=[np.float64])(fraction)
    return np.asarray(np.sqrt(2 * increase) / means)[()]


def random_rate(a: ArrayLike, b: ArrayLike, p: ArrayLike) -> Numbers:
    """Packets per round trip when each packet is lost with probability p, for p small: `random_constant` / sqrt(p)."""
    return np.asarray(random_constant(a, b) / np.sqrt(within("p", p, "(0, 1)")))[()]


@lru_cache(maxsize=256)
def _mean_inverse_root(b: float) -> float:
    """E[Y^(-1/2)] of the head."""
    from scipy.integrate import quad  # slow to load, and most of this package does without

    beta = (1 - b) ** 2

    def integrand(root: float) -> float:  # s = root², so that the integrand is bounded at 0
        product, term = 2.0, root * root
        while term > 1e-17:
            product /= 1 + term
            term *= beta
        return product

    return float(quad(integrand, 0, inf, limit=500)[0]) / sqrt(pi)

"""Smoothness, responsiveness and aggressiveness of a control: how far it falls on a loss, how fast it yields, how fast it grows.

Source: [Floyd00] §5.1 and Figure 7, for AIMD(a, b) and TFRC; [BansalBalakrishnan01] §2 for binomial controls.

- *smoothness*: the largest fall of the rate in one round trip in the steady state, as the fraction kept; 1 is perfectly smooth
- *responsiveness*: round trips of sustained congestion, a loss event in each, until the rate is halved; lower is prompter
- *aggressiveness*: the largest rise in one round trip without congestion, in packets per round trip

| control                | increase per round | decrease  | smoothness    | responsiveness  | aggressiveness |
|------------------------|--------------------|-----------|---------------|-----------------|----------------|
| AIMD(a, b)             | a                  | b W       | 1 - b         | ln 2 / -ln(1-b) | a              |
| binomial(k, l, α, β)   | α / W^k            | β W^l     | 1 - β W^(l-1) | iterated        | α / W^k        |
| TFRC                   | `tfrc_average`     | none      | 1             | 5 (computed)    | 0.125 to 0.3   |

Binomial: SQRT is k = l = 1/2, IIAD k = 1, l = 0, AIMD k = 0, l = 1. Where l < 1 smoothness depends on the window; the number of rounds to
halve then follows (1 - 2^(l-1)) / ((1 - l)(1 - smoothness)) for small steps: the same shape for every l, with the constants 0.5 (l = 0),
0.586 (l = 1/2) and ln 2 = 0.693 (l = 1), so the lines of Figure 7 are near each other and not one line.

Deviations: the paper gives aggressiveness in packets per second and its values per round trip; here it is per round trip throughout.
A number of rounds is made real by taking the last step in the logarithm of the window, which for AIMD gives the paper's log to base 1 - b.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from sawtooth.models.inputs import Numbers, finite, satisfying, within

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

ROUNDS_MAX = 100_000
"""A control that has not halved its window after so many loss events is refused."""


def smoothness(b: ArrayLike) -> Numbers:
    """1 - b: the fraction of its rate that AIMD(a, b) keeps in its largest one-round fall ([Floyd00] §5.1)."""
    return np.asarray(1 - within("b", b, "[0, 1)"))[()]


def responsiveness(b: ArrayLike) -> Numbers:
    """Round trips of sustained congestion until AIMD(a, b) has halved its rate: ln(1/2) / ln(1 - b) ([Floyd00] §5.1); infinite at b = 0."""
    with np.errstate(divide="ignore"):
        return np.asarray(-math.log(2) / np.log1p(-within("b", b, "[0, 1)")))[()]


def removed_at_responsiveness(rounds: ArrayLike) -> Numbers:
    """b with which AIMD(a, b) halves its rate in ``rounds`` round trips: 1 - 2^(-1/rounds), the inverse of `responsiveness`."""
    return np.asarray(-np.expm1(-math.log(2) / within("rounds", rounds, "(0, inf)")))[()]


def aggressiveness(a: ArrayLike) -> Numbers:
    """a: packets per round trip that AIMD(a, b) adds without congestion ([Floyd00] §5.1)."""
    return np.asarray(within("a", a, "(0, inf)"))[()]


def binomial_increased(window: ArrayLike, k: float, alpha: float) -> Numbers:
    """W + α / W^k, packets: the window one round trip later, without congestion ([BansalBalakrishnan01] §2)."""
    packets = within("window", window, "(0, inf)")
    return np.asarray(packets + within("alpha", alpha, "(0, inf)") / packets ** float(finite("k", k)))[()]


def binomial_decreased(window: ArrayLike, l: float, beta: float) -> Numbers:  # noqa: E741 - the paper's letter
    """W - β W^l, packets: the window after a loss event ([BansalBalakrishnan01] §2). InputError where nothing would be left."""
    packets = within("window", window, "(0, inf)")
    left = np.asarray(packets - within("beta", beta, "(0, inf)") * packets ** float(finite("l", l)))
    satisfying("window", packets, left > 0, "a window from which the decrease leaves something: W > β W^l")
    return left[()]


def binomial_smoothness(window: ArrayLike, l: float, beta: float) -> Numbers:  # noqa: E741 - the paper's letter
    """1 - β W^(l-1): the fraction kept by a decrease at window W packets."""
    return np.asarray(binomial_decreased(window, l, beta) / within("window", window, "(0, inf)"))[()]


def binomial_aggressiveness(window: ArrayLike, k: float, alpha: float) -> Numbers:
    """α / W^k: packets added in a round trip at window W packets; it depends on W for every k but 0 ([Floyd00] §7)."""
    return np.asarray(binomial_increased(window, k, alpha) - within("window", window, "(0, inf)"))[()]


def binomial_responsiveness(window: float, l: float, beta: float) -> float:  # noqa: E741 - the paper's letter
    """Loss events, one per round trip, until the window is half of ``window``; the last step in part (see the head)."""
    half, at, rounds = window / 2, float(within("window", window, "(0, inf)")), 0
    while True:
        after = float(binomial_decreased(at, l, beta))
        if after <= half:
            return rounds + math.log(at / half) / math.log(at / after)
        at, rounds = after, rounds + 1
        satisfying("beta", beta, rounds < ROUNDS_MAX, f"a decrease that halves within {ROUNDS_MAX:,} losses")


def halving_constant(l: ArrayLike) -> Numbers:  # noqa: E741 - the paper's letter
    """c of responsiveness = c / (1 - smoothness) for small steps: (1 - 2^(l-1)) / (1 - l), and ln 2 at l = 1. l from 0 to 1."""
    exponent = within("l", l, "[0, 1]")
    rest = np.asarray(1 - exponent)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = -np.expm1(-rest * math.log(2)) / rest
    return np.asarray(np.where(rest == 0, math.log(2), found))[()]

"""Claims of the deterministic response function: equations 2 to 8 and 12, and Figure 13.

Source: [Floyd00] §3.1, §3.2 and appendix A. The printed expression stands here; beside it are the product's function and, where the
statement is about an epoch, a sawtooth followed round by round in exact fractions (`agreement.epoch`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np

from sawtooth.claims.agreement import EPOCHS, agree, bounded, epoch, rounded
from sawtooth.claims.logic import Finding, both, fact
from sawtooth.claims.view import View
from sawtooth.claims.words import Word
from sawtooth.models import response
from sawtooth.models.inputs import Numbers

A: Final = np.array([1.0, 0.2, 0.4, 1.0, 3 / 7, 2.0])[:, None]
B: Final = np.array([0.5, 0.125, 0.125, 0.125, 0.25, 0.75])[:, None]
"""Laws, down."""
P: Final = np.geomspace(1e-6, 0.5, 60)
"""Drop rates, across."""
RTT_S: Final = 0.087
"""A round trip of the paper's simulations, s."""
TINY: Final = 1e-10
"""A drop rate at which the approximation and the exact form are one."""
LIMIT: Final = Word(
    "approaches",
    1e-3,
    f"an approximation approaches its exact form: relative difference at most this where losses are rare (p = {TINY:g}, W = 10⁶ packets)",
)
PRINTED_GAPS: Final = {0.001: 1.0196, 0.01: 1.0631, 0.1: 1.2123, 0.5: 1.5227}
"""Approximate over exact rate of AIMD(1, 1/2), worked out by hand from both printed forms."""


def _over_epochs(text: str, ours: Callable[..., object], counted: Callable[..., object]) -> Finding:
    """The product's number against what is counted, for each of EPOCHS."""
    found, wanted = [], []
    for a, b, peak in EPOCHS:
        found.append(float(ours(float(a), float(b), float(peak))))  # type: ignore[arg-type]
        wanted.append(float(counted(epoch(a, b, peak))))  # type: ignore[arg-type]
    return agree(text, found, wanted, epochs=len(EPOCHS))


def _from_above(text: str, approximate: Numbers, exact: Numbers, at_limit: tuple[float, float]) -> Finding:
    """An approximation lies above its exact form everywhere and approaches it."""
    return both(
        text,
        [
            fact(
                "it is larger than the exact form at every p and law tried",
                bool(np.all(approximate > exact)),
                judged=f"approximate > exact in each of {np.size(exact)} cases",
            ),
            agree("it approaches the exact form", *at_limit, within=LIMIT),
        ],
    )


def epoch_length(_: View) -> Finding:
    """An epoch has bW/a + 1 round trips."""
    return _over_epochs("bW/a + 1 is the number of rounds counted", response.epoch, len)


def equation_2(_: View) -> Finding:
    """S = (2 - b)/2 W packets per round trip."""
    return _over_epochs(
        "(2 - b)/2 W is the mean of the windows counted",
        lambda _a, b, peak: response.mean_rate(b, peak),
        lambda windows: sum(windows) / len(windows),
    )


def equation_3(_: View) -> Finding:
    """T = (2 - b)/(2R) W packets per second."""
    return _over_epochs(
        "packets counted over the seconds of their rounds",
        lambda _a, b, peak: response.per_second(response.mean_rate(b, peak), RTT_S),
        lambda windows: float(sum(windows)) / (len(windows) * RTT_S),
    )


def epoch_packets(_: View) -> Finding:
    """(bW/a + 1)(2 - b)/2 W packets in an epoch, about b(2 - b)/(2a) W²."""

    def exact(a: float, b: float, peak: float) -> Numbers:
        return np.asarray(response.epoch(a, b, peak) * response.mean_rate(b, peak))

    a, b, peak = A[:, 0], B[:, 0], 1e6
    return both(
        "packets in an epoch, exactly and about",
        [
            _over_epochs("(bW/a + 1)(2 - b)/2 W is the number of packets counted", exact, sum),
            agree(
                "b(2 - b)/(2a) W² approaches it as W grows",
                b * (2 - b) / (2 * a) * peak**2,
                exact(a, b, peak),  # type: ignore[arg-type]
                within=LIMIT,
            ),
        ],
    )


def equation_4(_: View) -> Finding:
    """p = 2a / (b(2 - b)W² + a(2 - b)W): one drop per epoch."""
    window = np.geomspace(4, 1e6, 50)
    printed = 2 * A / (B * (2 - B) * window**2 + A * (2 - B) * window)
    return both(
        "one packet of an epoch is dropped",
        [
            _over_epochs(
                "1/p is the number of packets counted",
                lambda a, b, peak: 1 / response.drop_rate_at_window(a, b, peak),
                sum,
            ),
            agree("the printed expression", response.drop_rate_at_window(A, B, window), printed),
        ],
    )


def equation_5(_: View) -> Finding:
    """p is about 2a / (b(2 - b)W²)."""
    window = np.geomspace(4, 1e6, 50)
    printed = np.asarray(2 * A / (B * (2 - B) * window**2))
    ours = response.approximate_drop_rate(A, B, response.mean_rate(B, window))
    exact = response.drop_rate_at_window(A, B, window)
    return both(
        "the approximate drop rate",
        [
            agree("the printed expression is the product's", ours, printed),
            _from_above("it approximates equation 4", printed, exact, (printed[0, -1], exact[0, -1])),
        ],
    )


def equation_6(_: View) -> Finding:
    """W is about sqrt(2a / (b(2 - b)p))."""
    printed = np.asarray(np.sqrt(2 * A / (B * (2 - B) * P)))
    far = float(response.approximate_window(1, 0.5, TINY)), float(response.window(1, 0.5, TINY))
    return both(
        "the approximate window",
        [
            agree("the printed expression is the product's", response.approximate_window(A, B, P), printed),
            _from_above("it approximates the exact window", printed, response.window(A, B, P), far),
        ],
    )


def equation_7(_: View) -> Finding:
    """The approximate T is sqrt(2 - b) sqrt(a) / (sqrt(2b) R sqrt(p))."""
    printed = np.asarray(np.sqrt(2 - B) * np.sqrt(A) / (np.sqrt(2 * B) * RTT_S * np.sqrt(P)))
    far = float(response.approximate_rate(1, 0.5, TINY)), float(response.rate(1, 0.5, TINY))
    exact = response.per_second(response.rate(A, B, P), RTT_S)
    ours = response.per_second(response.approximate_rate(A, B, P), RTT_S)
    return both(
        "the approximate response function",
        [
            agree("the printed expression is the product's", ours, printed),
            _from_above("it approximates the exact response function", printed, exact, far),
        ],
    )


def _root() -> Numbers:
    """The square root of the printed exact forms."""
    return np.asarray(np.sqrt(P * (B - 2) * A * (P * B * A - 8 * B - 2 * P * A)))


def exact_rate_per_second(_: View) -> Finding:
    """T = (pa(b - 2) + root) / (4pbR) solves equation 4."""
    printed = (P * A * (B - 2) + _root()) / (4 * P * B * RTT_S)
    ours = response.per_second(response.rate(A, B, P), RTT_S)
    return both(
        "the exact response function",
        [
            agree("the printed expression is the product's", ours, printed),
            _solves_equation_4(printed * RTT_S),
        ],
    )


def exact_window(_: View) -> Finding:
    """W = (-2pa + pba + root) / (2pb(2 - b)) solves equation 4."""
    printed = (-2 * P * A + P * B * A + _root()) / (2 * P * B * (2 - B))
    return both(
        "the exact window",
        [
            agree("the printed expression is the product's", response.window(A, B, P), printed),
            _solves_equation_4(printed * (2 - B) / 2),
        ],
    )


def equation_12(_: View) -> Finding:
    """S = (-2pa + pba + root) / (4pb) solves equation 4, and is what a sawtooth followed round by round sends."""
    printed = (-2 * P * A + P * B * A + _root()) / (4 * P * B)
    rates, counted = [], []
    for a, b, peak in EPOCHS:
        windows = epoch(a, b, peak)
        rates.append(float(response.rate(float(a), float(b), float(1 / sum(windows)))))
        counted.append(float(sum(windows) / len(windows)))
    return both(
        "the exact rate",
        [
            agree("the printed expression is the product's", response.rate(A, B, P), printed),
            _solves_equation_4(printed),
            agree("at the drop rate counted it is the rate counted", rates, counted, epochs=len(EPOCHS)),
        ],
    )


def _solves_equation_4(rate: Numbers) -> Finding:
    """The drop rate that equation 4 gives at a printed rate is the one put in. The printed form cancels at small p, hence 1e-6."""
    window = 2 * rate / (2 - B)
    back = 2 * A / (B * (2 - B) * window**2 + A * (2 - B) * window)
    return agree("put into equation 4 it gives back p", back, np.broadcast_to(P, back.shape), within=1e-6)


def equation_8(_: View) -> Finding:
    """For AIMD(1, 1/2) the approximate T is sqrt(1.5)/(R sqrt(p))."""
    ours = response.per_second(response.approximate_rate(1, 0.5, P), RTT_S)
    return both(
        "the response function of TCP",
        [
            agree("sqrt(1.5)/(R sqrt(p))", ours, math.sqrt(1.5) / (RTT_S * np.sqrt(P))),
            rounded("its constant", float(response.approximate_rate(1, 0.5, 0.01)) * 0.1, 1.2247, 4),
        ],
    )


def exact_tcp(_: View) -> Finding:
    """For AIMD(1, 1/2): S = 0.43 sqrt(3p + 8)/sqrt(p) - 0.75, where 0.43 stands for sqrt(3)/4."""
    printed = math.sqrt(3) / 4 * np.sqrt(3 * P + 8) / np.sqrt(P) - 0.75
    short = 0.43 * np.sqrt(3 * P + 8) / np.sqrt(P) - 0.75
    exact = response.rate(1, 0.5, P)
    return both(
        "the exact rate of AIMD(1, 1/2)",
        [
            agree("the printed form with sqrt(3)/4", exact, printed),
            fact(
                "sqrt(3)/4 is 0.43 to two digits",
                round(math.sqrt(3) / 4, 2) == 0.43,
                judged="sqrt(3)/4 to two decimals = 0.43",
                constant=math.sqrt(3) / 4,
                largest_error_with_0_43=float(np.max(np.abs(short / exact - 1))),
            ),
        ],
    )


def figure_13(_: View) -> Finding:
    """The approximate rate of AIMD(1, 1/2) is above the exact one, by a gap that grows with p."""
    drops = np.geomspace(1e-6, 0.99, 400)
    gap = response.approximate_rate(1, 0.5, drops) / response.rate(1, 0.5, drops)
    places = np.array(list(PRINTED_GAPS))
    ours = response.approximate_rate(1, 0.5, places) / response.rate(1, 0.5, places)
    return both(
        "the approximation lies above the exact form, the more the higher p",
        [
            bounded(
                "approximate over exact is above 1 from p = 1e-6 to 0.99",
                "approximate over exact",
                gap,
                ">",
                1.0,
            ),
            bounded(
                "and rises with p throughout", "growth of approximate over exact", np.diff(gap), ">", 0.0
            ),
            *(
                rounded(f"approximate over exact at p = {p:g}", float(value), wanted, 4)
                for (p, wanted), value in zip(PRINTED_GAPS.items(), ours, strict=True)
            ),
        ],
    )

"""Which AIMD(a, b) take the share of TCP, and how much the others take: throughput and drop rates of two laws side by side.

Source: [Floyd00] §3.2, equation 9, and §6, equations 10 and 11; many flows in one: [CrowcroftOechslin98].

In the response function 1/p = S + k S² (`models.response`) a law enters through k = 2b / (a (2 - b)) alone, so two laws with the same k
have the same rate at *every* p, not only in the approximation: a = 3b/(2 - b) is exact. ([Floyd00] §3.2 gives a range of a for the exact
form, which comes of a constant rounded to two digits.) The ratios of equations 10 and 11 are limits for small p and large rates; their
exact forms fade towards 1 as loss grows.

Parameters: a (packets per round trip, above 0), b (fraction removed); defaults of the reference are TCP's, AIMD(1, 1/2), RFC 5681 §3.1.

Deviations: the reference law may be another than TCP.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from sawtooth.models.inputs import Numbers, satisfying, within
from sawtooth.models.response import curvature, drop_rate, rate

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

TCP: Final = (1.0, 0.5)
"""(a, b) of TCP, RFC 5681 §3.1."""


def compatible_increase(b: ArrayLike, reference: tuple[float, float] = TCP) -> Numbers:
    """a, packets per round trip, with which AIMD(a, b) has the response function of ``reference``: 3b / (2 - b) for TCP ([Floyd00] eq. 9).

    b above 0: a law without a decrease is compatible with none that has one.
    """
    fraction = within("b", b, "(0, 1)")
    return np.asarray(2 * fraction / ((2 - fraction) * curvature(*reference)))[()]


def compatible_decrease(a: ArrayLike, reference: tuple[float, float] = TCP) -> Numbers:
    """b, the fraction removed, with which AIMD(a, b) has the response function of ``reference``: 2a / (3 + a) for TCP.

    The inverse of `compatible_increase`; InputError where no b below 1 does it.
    """
    increase, k = within("a", a, "(0, inf)"), curvature(*reference)
    fraction = np.asarray(2 * k * increase / (2 + k * increase))
    satisfying("a", increase, fraction < 1, f"an increase below {2 / float(k):g} packets per round")
    return fraction[()]


def throughput_ratio(a: ArrayLike, b: ArrayLike) -> Numbers:
    """Rate of AIMD(a, b) over TCP's at the same p and round trip, for p towards 0: sqrt(a (2 - b) / (3 b)) ([Floyd00] eq. 10)."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.sqrt(curvature(*TCP) / curvature(a, b)))[()]


def exact_throughput_ratio(a: ArrayLike, b: ArrayLike, p: ArrayLike) -> Numbers:
    """The same at drop rate p by the exact response functions ([Floyd00] eq. 12): closer to 1 than `throughput_ratio`."""
    return np.asarray(rate(a, b, p) / rate(*TCP, p))[()]


def drop_rate_ratio(a: ArrayLike, b: ArrayLike) -> Numbers:
    """Drop rate of AIMD(a, b) over TCP's at the same large rate: a (2 - b) / (3 b) ([Floyd00] eq. 11)."""
    with np.errstate(divide="ignore"):
        return np.asarray(curvature(*TCP) / curvature(a, b))[()]


def exact_drop_rate_ratio(a: ArrayLike, b: ArrayLike, rate: ArrayLike) -> Numbers:
    """The same at ``rate`` packets per round trip by the exact response functions: closer to 1 than `drop_rate_ratio`."""
    return np.asarray(drop_rate(a, b, rate) / drop_rate(*TCP, rate))[()]


def increase_of_many(flows: ArrayLike, b: ArrayLike) -> Numbers:
    """a with which one AIMD(a, b) flow takes the share of ``flows`` TCP flows: 3 b N² / (2 - b), so N² at b = 1/2.

    Source: [Floyd00] eq. 10 set to N, after [CrowcroftOechslin98]; for p towards 0.
    """
    return np.asarray(compatible_increase(b) * within("flows", flows, "(0, inf)") ** 2)[()]

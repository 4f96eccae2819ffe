"""The deterministic response function of CUBIC: window and rate over the drop rate, exact and as RFC 9438 approximates it.

Source: RFC 9438 §4.2, §4.3 (the two windows), §5 with Figures 3 and 6 (their averages), §5.1 with Tables 1 and 2.

A packet is dropped each time the window reaches W. From beta W on it follows the larger of two curves, both back at W in the end: the
cubic function, in K = cbrt((1 - beta) W / c) seconds, and Reno's window, a line that rises by alpha = 3 (1 - beta)/(1 + beta) packets per
round trip. The *exact* rate is that of this cycle: the packets of a cycle, the area under the larger curve, are 1/p. The *approximate*
rate is the RFC's: the larger of the averages that either curve would have alone,

    ((3 + beta) c rtt³ / (4 (1 - beta) p³))^¼        and        sqrt(alpha (1 + beta) / (2 (1 - beta) p)) = sqrt(3 / (2p)).

It is too low where both averages are near each other, by 4 % at most with the default numbers: the cubic function is above the line early
in a cycle even where it needs longer.

| parameter | unit       | default | why                                                         |
|-----------|------------|---------|-------------------------------------------------------------|
| p         | 1          | none    | drops per packet sent, above 0 and below 1                   |
| rtt       | s          | none    | round trip, constant: the model has no queue                 |
| c         | packets/s³ | 0.4     | RFC 9438 §5.1                                                |
| beta      | 1          | 0.7     | fraction kept by a decrease, RFC 9438 §4.6; above 0, below 1 |

Deviations: the RFC's tables take 1.2/sqrt(p) for Reno, as RFC 3649 does, 2 % below sqrt(3/(2p)). W is not lowered by fast convergence,
which has no part in a cycle that repeats. Every function takes scalars or arrays and broadcasts them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from sawtooth.models.inputs import Numbers, within
from sawtooth.models.response import Response, per_second

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

C: Final = 0.4
"""Packets per second cubed (RFC 9438 §5.1)."""

BETA: Final = 0.7
"""Fraction that a decrease keeps (RFC 9438 §4.6)."""

HALVINGS: Final = 80
"""Halvings of an interval in a search: more than a float64 tells apart."""


def alpha(beta: ArrayLike = BETA) -> Numbers:
    """Packets per round trip with which AIMD that keeps beta has Reno's window (RFC 9438 §4.3)."""
    kept = within("beta", beta, "(0, 1)")
    return np.asarray(3 * (1 - kept) / (1 + kept))[()]


def cubic_rate(p: ArrayLike, rtt: ArrayLike, c: ArrayLike = C, beta: ArrayLike = BETA) -> Numbers:
    """Packets per round trip where the cubic function alone decides (RFC 9438 §5, Figure 6)."""
    loss, trip = within("p", p, "(0, 1)"), within("rtt", rtt, "(0, inf)")
    steepness, kept = within("c", c, "(0, inf)"), within("beta", beta, "(0, 1)")
    return np.asarray((steepness * (3 + kept) / (4 * (1 - kept))) ** 0.25 * (trip / loss) ** 0.75)[()]


def friendly_rate(p: ArrayLike, beta: ArrayLike = BETA) -> Numbers:
    """Packets per round trip in the Reno-friendly region (RFC 9438 §4.3, Figure 3); the same for every beta."""
    loss, kept = within("p", p, "(0, 1)"), within("beta", beta, "(0, 1)")
    return np.asarray(np.sqrt(alpha(kept) * (1 + kept) / (2 * (1 - kept) * loss)))[()]


def approximate_rate(p: ArrayLike, rtt: ArrayLike, c: ArrayLike = C, beta: ArrayLike = BETA) -> Numbers:
    """Packets per round trip as RFC 9438 §5.1 has it: the larger of the two averages."""
    return np.asarray(np.maximum(cubic_rate(p, rtt, c, beta), friendly_rate(p, beta)))[()]


def rate(p: ArrayLike, rtt: ArrayLike, c: ArrayLike = C, beta: ArrayLike = BETA) -> Numbers:
    """S, packets per round trip of the cycle in which one packet of 1/p is dropped: exact."""
    packets, seconds = _cycle(window(p, rtt, c, beta), rtt, c, beta)
    return np.asarray(packets * within("rtt", rtt, "(0, inf)") / seconds)[()]


def window(p: ArrayLike, rtt: ArrayLike, c: ArrayLike = C, beta: ArrayLike = BETA) -> Numbers:
    """W, the window in packets at which a packet is dropped: exact. A cycle from it carries 1/p packets."""
    kept = within("beta", beta, "(0, 1)")
    loss = within("p", p, "(0, 1)")
    # The window is never below either curve, and its mean lies between beta W and W.
    low = np.asarray(approximate_rate(loss, rtt, c, kept), dtype=np.float64)
    high = 2 * low / kept
    low = low / 2
    for _ in range(HALVINGS):
        middle = np.sqrt(low * high)
        few = _cycle(middle, rtt, c, kept)[0] < 1 / loss
        low, high = np.where(few, middle, low), np.where(few, high, middle)
    return np.asarray(np.sqrt(low * high))[()]


def _cycle(window: Numbers, rtt: ArrayLike, c: ArrayLike, beta: ArrayLike) -> tuple[Numbers, Numbers]:
    """Packets and seconds of a cycle that ends at this window: the cubic function up to where the line overtakes it, then the line."""
    trip = within("rtt", rtt, "(0, inf)")
    steepness, kept = within("c", c, "(0, inf)"), within("beta", beta, "(0, 1)")
    slope = alpha(kept) / trip
    k = np.cbrt((1 - kept) * window / steepness)
    line_ends = (1 - kept) * window / slope
    low, high = np.zeros_like(k), k
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        # By how much the function is above the line, over t: c (3K² - 3Kt + t²) - slope, which falls up to K.
        above = steepness * (3 * k * k - 3 * k * middle + middle * middle) > slope
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    overtaken = np.where(line_ends >= k, k, low)
    seconds = np.where(line_ends >= k, k, line_ends)
    cubic_area = steepness / 4 * ((overtaken - k) ** 4 - k**4) + window * overtaken
    line_area = kept * window * (seconds - overtaken) + slope * (seconds**2 - overtaken**2) / 2
    return (cubic_area + line_area) / trip, seconds


def response(p: float, rtt: float, c: float = C, beta: float = BETA) -> Response:
    """Everything the deterministic model says of CUBIC at drop rate p and a round trip of ``rtt`` seconds."""
    approximate, exact = approximate_rate(p, rtt, c, beta), rate(p, rtt, c, beta)
    return Response(
        S_approx=float(approximate),
        S_exact=float(exact),
        W=float(window(p, rtt, c, beta)),
        T_approx=float(per_second(approximate, rtt)),
        T_exact=float(per_second(exact, rtt)),
    )

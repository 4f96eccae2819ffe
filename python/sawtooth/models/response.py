"""The deterministic response function of AIMD(a, b): window and rate over the drop rate, exact and approximate, in both directions.

Source: [Floyd00] §3.1, equations 2 to 7, and appendix A, equation 12; the model is that of [Floyd91] and [FloydFall99].

AIMD(a, b) adds a packets per round trip and **removes** the fraction b on a loss: Floyd's letters. One packet is dropped each time the
window reaches W. Between two drops the window climbs from (1 - b)W to W, so an epoch counts bW/a + 1 round trips, both ends included,
with S = (1 - b/2)W packets each on average; one packet of an epoch is dropped:

    1/p = (bW/a + 1) (1 - b/2) W      or, in the rate alone,      1/p = S + k S²,   k = 2b / (a (2 - b))

Solved for S this is 2 / (p + sqrt(p² + 4kp)), which is the printed expression with its numerator made rational: it loses no digits at
small p and holds at b = 0 (no decrease: S = W = 1/p). The pair (a, b) enters through k alone. The approximation leaves out the first term.

| parameter | unit           | default | why                                                       |
|-----------|----------------|---------|-----------------------------------------------------------|
| a         | packets/round  | none    | increase per round trip, above 0                          |
| b         | 1              | none    | fraction removed by a decrease, 0 or more and below 1     |
| p         | 1              | none    | drops per packet sent, above 0 and below 1                |
| rtt       | s              | none    | round trip, constant: the model has no queue              |

Deviations: none. bW/a need not be a whole number here, as in the paper's equation 4; with whole rounds the equation interpolates
between them (`epoch`). Every function takes scalars or arrays and broadcasts them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sawtooth.models.inputs import Numbers, satisfying, within

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def curvature(a: ArrayLike, b: ArrayLike) -> Numbers:
    """k = 2b / (a (2 - b)) in 1/p = S + k S², in rounds per packet: all that a response function knows of its law ([Floyd00] eq. 4)."""
    increase, fraction = within("a", a, "(0, inf)"), within("b", b, "[0, 1)")
    return np.asarray(2 * fraction / (increase * (2 - fraction)))[()]


def rate(a: ArrayLike, b: ArrayLike, p: ArrayLike) -> Numbers:
    """S, packets per round trip at drop rate p: the exact response function ([Floyd00] eq. 12)."""
    k, loss = curvature(a, b), within("p", p, "(0, 1)")
    return np.asarray(2 / (loss + np.sqrt(loss * (loss + 4 * k))))[()]


def window(a: ArrayLike, b: ArrayLike, p: ArrayLike) -> Numbers:
    """W, the window in packets at which a packet is dropped, exact ([Floyd00] appendix A): S / (1 - b/2)."""
    return np.asarray(2 * rate(a, b, p) / (2 - within("b", b, "[0, 1)")))[()]


def approximate_rate(a: ArrayLike, b: ArrayLike, p: ArrayLike) -> Numbers:
    """Ŝ = sqrt(a (2 - b) / (2 b p)), packets per round trip ([Floyd00] eq. 7 times R); infinite at b = 0."""
    k, loss = curvature(a, b), within("p", p, "(0, 1)")
    with np.errstate(divide="ignore"):
        return np.asarray(1 / np.sqrt(k * loss))[()]


def approximate_window(a: ArrayLike, b: ArrayLike, p: ArrayLike) -> Numbers:
    """Ŵ = sqrt(2 a / (b (2 - b) p)), packets ([Floyd00] eq. 6); infinite at b = 0."""
    return np.asarray(2 * approximate_rate(a, b, p) / (2 - within("b", b, "[0, 1)")))[()]


def drop_rate(a: ArrayLike, b: ArrayLike, rate: ArrayLike) -> Numbers:
    """p at which AIMD(a, b) sends S packets per round trip: 1 / (S + k S²), the inverse of `rate` ([Floyd00] eq. 4 in S).

    S must give a probability: S + k S² > 1 (InputError otherwise).
    """
    packets = within("rate", rate, "(0, inf)")
    loss = np.asarray(1 / packets / (1 + curvature(a, b) * packets))  # S² may be too large a number
    satisfying("rate", packets, loss < 1, "a rate that some p below 1 gives: S + k S² > 1")
    return loss[()]


def approximate_drop_rate(a: ArrayLike, b: ArrayLike, rate: ArrayLike) -> Numbers:
    """p = a (2 - b) / (2 b S²), the inverse of `approximate_rate` ([Floyd00] §6.2); it may exceed 1 at small S."""
    packets = within("rate", rate, "(0, inf)")
    with np.errstate(divide="ignore"):
        return np.asarray(1 / curvature(a, b) / packets / packets)[()]


def drop_rate_at_window(a: ArrayLike, b: ArrayLike, window: ArrayLike) -> Numbers:
    """p when a packet is dropped each time the window reaches W packets: 2a / (b(2-b)W² + a(2-b)W) ([Floyd00] eq. 4)."""
    packets = within("window", window, "(0, inf)")
    return drop_rate(a, b, packets * (2 - within("b", b, "[0, 1)")) / 2)


def epoch(a: ArrayLike, b: ArrayLike, window: ArrayLike) -> Numbers:
    """Round trips from one drop to the next, both ends counted: bW/a + 1 ([Floyd00] §3.1)."""
    packets = within("window", window, "(0, inf)")
    return np.asarray(within("b", b, "[0, 1)") * packets / within("a", a, "(0, inf)") + 1)[()]


def mean_rate(b: ArrayLike, window: ArrayLike) -> Numbers:
    """S, packets per round trip of a sawtooth between (1 - b)W and W: (1 - b/2) W ([Floyd00] eq. 2)."""
    return np.asarray((2 - within("b", b, "[0, 1)")) / 2 * within("window", window, "(0, inf)"))[()]


def per_second(rate: ArrayLike, rtt: ArrayLike) -> Numbers:
    """T, packets per second, of a rate in packets per round trip and a round trip in seconds ([Floyd00] eq. 3)."""
    return np.asarray(np.asarray(rate, dtype=np.float64) / within("rtt", rtt, "(0, inf)"))[()]


@dataclass(frozen=True)
class Response:
    """The response of one law to one drop rate: ``S`` packets per round trip, ``T`` packets per second, ``W`` packets (exact)."""

    S_approx: float
    S_exact: float
    W: float
    T_approx: float
    T_exact: float


def response(a: float, b: float, p: float, rtt: float) -> Response:
    """Everything the deterministic model says of AIMD(a, b) at drop rate p and a round trip of ``rtt`` seconds ([Floyd00] §3.1, A)."""
    approximate, exact = approximate_rate(a, b, p), rate(a, b, p)
    return Response(
        S_approx=float(approximate),
        S_exact=float(exact),
        W=float(window(a, b, p)),
        T_approx=float(per_second(approximate, rtt)),
        T_exact=float(per_second(exact, rtt)),
    )

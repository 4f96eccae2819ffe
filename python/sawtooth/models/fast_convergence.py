"""AIMD, AIMD-FC and AIMD-FC+ as systems of m flows: the pseudocode cycle by cycle, and where it settles.

Source: [Lahanas03] §2.1 (AIMD), §3.2 (AIMD-FC), §4.2 (AIMD-FC+), equations (1), (2), (7), (8), (16). All flows grow by a_I per step until
their sum reaches the capacity W; the growth of the cycle is k, the same for all. Then

    AIMD       w <- b (w + k)
    AIMD-FC    w <- b w + k
    AIMD-FC+   dw <- b dw + (w + k - dw),  w <- dw + f q,  q <- k

| parameter | unit    | default | why                                                |
|-----------|---------|---------|----------------------------------------------------|
| a         | packets | 1       | a_I, section 2                                     |
| b         | 1       | 1/2     | b_D, the fraction kept; the paper also writes 1/beta |
| f         | 1       | 1/2     | f(q) = f q, section 4.2; 0 is AIMD-FC               |

Where they settle, as shares of W (derived for general b and f; the paper has b = 1/2 and f = 0 or 1/2). The decrease window obeys
dw = W - (1 - b) dw, so dw = W/(2 - b) with factor -(1 - b) per cycle; the growth obeys k = W - dw - f k, so
k = (1 - b) W / ((2 - b)(1 + f)) with factors ±i sqrt(f); the window falls to W - k.

Differs from the pseudocode: k stops at the first sum that reaches W, as the paper's analysis assumes, where its loop would add one more
step. Windows are real; ``whole`` cuts them to whole packets after each decrease.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from sawtooth.models.inputs import Numbers, count, within

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Scheme = Literal["AIMD", "AIMD-FC", "AIMD-FC+"]
SCHEMES: Final[tuple[Scheme, ...]] = ("AIMD", "AIMD-FC", "AIMD-FC+")

TCP_CONSTANT: Final = math.sqrt(1.5)
"""Rate of AIMD(1, 1/2) in packets per round trip times sqrt(p) [Lahanas03] equation (2)."""


@dataclass(frozen=True)
class Cycles:
    """Cycles of one or many systems; the first axis counts cycles.

    ``windows`` (cycles + 1, …, flows): packets at the start and after each decrease; ``steps`` (cycles, …): increase steps of
    each cycle; ``decrease_windows`` as ``windows``: what the next decrease multiplies (dw; for AIMD the window without its growth).
    """

    windows: Numbers
    decrease_windows: Numbers
    steps: NDArray[np.int64]

    @property
    def gap(self) -> Numbers:
        """Largest less smallest window, packets, shape (cycles + 1, …)."""
        return np.asarray(self.windows.max(axis=-1) - self.windows.min(axis=-1))


def system(
    scheme: Scheme,
    starts: ArrayLike,
    capacity: ArrayLike,
    cycles: int,
    *,
    a: float = 1.0,
    b: float = 0.5,
    f: float = 0.5,
    whole: bool = False,
) -> Cycles:
    """Run the pseudocode for ``cycles`` cycles from ``starts``, shape (…, flows), packets, with ``capacity`` of shape (…).

    Many systems run at once. InputError for windows or a capacity that are not positive, b outside [0, 1), f outside [0, 1/2].
    """
    windows = within("starts", starts, "(0, inf)").copy()
    room = within("capacity", capacity, "(0, inf)")
    a, b, f = (float(within("a", a, "(0, inf)")), *_shares(b, f if scheme == "AIMD-FC+" else 0.0))
    count("cycles", cycles)
    flows = windows.shape[-1]
    decrease, known = windows.copy(), np.zeros(np.broadcast_shapes(room.shape, windows.shape[:-1]))
    windows = np.broadcast_to(windows, (*known.shape, flows))
    trace, decreases, steps = [windows], [np.broadcast_to(decrease, windows.shape)], []
    for _ in range(cycles):
        grown = np.maximum(np.ceil((room - windows.sum(axis=-1)) / (flows * a)), 0.0)
        top = windows + (grown * a)[..., None]
        decrease = b * top if scheme == "AIMD" else b * decrease + (top - decrease)
        decrease = np.floor(decrease) if whole else decrease
        added = np.floor(f * known) if whole else f * known
        windows, known = decrease + added[..., None], grown * a
        trace.append(windows)
        decreases.append(decrease)
        steps.append(grown)
    return Cycles(np.stack(trace), np.stack(decreases), np.asarray(steps, dtype=np.int64))


def total_after(windows: ArrayLike, k: ArrayLike, q: ArrayLike, *, b: float = 0.5) -> Numbers:
    """Sum of the windows after an AIMD-FC decrease that adds ``q`` to each: sum(b w + k + q), packets [Lahanas03] Corollary 4.

    ``windows`` has the flows on its last axis; ``k`` and ``q`` are common to them.
    """
    given = within("windows", windows, "(0, inf)")
    k, q = within("k", k, "[0, inf)"), within("q", q, "[0, inf)")
    return np.asarray(float(within("b", b, "[0, 1)")) * given.sum(axis=-1) + given.shape[-1] * (k + q))


def two_tactics(starts: ArrayLike, capacity: float, *, a: float = 1.0) -> Numbers:
    """The scheme of [Lahanas03] section 6: at the first congestion every window becomes k_1, at the second k_1 + k_2, and stays.

    Windows in packets, shape (3, flows): the start, after the first and after the second congestion.
    """
    windows = within("starts", starts, "(0, inf)").ravel()
    room, step = float(within("capacity", capacity, "(0, inf)")), float(within("a", a, "(0, inf)"))
    first = max(math.ceil((room - windows.sum()) / (windows.size * step)), 0) * step
    second = max(math.ceil((room - windows.size * first) / (windows.size * step)), 0) * step
    return np.stack([windows, np.full_like(windows, first), np.full_like(windows, first + second)])


def cycles_needed(largest: ArrayLike, beta: float = 2.0) -> NDArray[np.int64]:
    """Cycles until the windows count as equal, log_beta(largest) + 1 rounded up, for a decrease to 1/beta [Lahanas03] §2.1.

    ``largest`` is the largest initial window, at least one packet. The gap is then at most 1/beta packet; equal it is never.
    """
    windows = within("largest", largest, "[1, inf)")
    base = float(within("beta", beta, "(1, inf)"))
    needed = np.ceil(
        np.log(windows) / math.log(base) - 1e-12
    )  # 8 = 2^3 needs three and not, by rounding, four
    return np.asarray(1 + needed, dtype=np.int64)


def converged_exactly(windows: ArrayLike) -> NDArray[np.bool_]:
    """Definition 1 of [Lahanas03]: all windows (last axis) are equal."""
    given = within("windows", windows, "[0, inf)")
    return np.asarray(given.max(axis=-1) == given.min(axis=-1))


def decrease_window(b: ArrayLike = 0.5) -> Numbers:
    """Decrease window in equilibrium, share of W: 1/(2 - b); 2/3 for b = 1/2 [Lahanas03] §3.3.2."""
    return np.asarray(1.0 / (2.0 - within("b", b, "[0, 1)")))


def growth(b: ArrayLike = 0.5, f: ArrayLike = 0.0) -> Numbers:
    """Growth k of a cycle in equilibrium, share of W: (1 - b)/((2 - b)(1 + f)); 1/3 for AIMD-FC, 2/9 for AIMD-FC+ with b = 1/2."""
    b, f = within("b", b, "[0, 1)"), within("f", f, "[0, 0.5]")
    return np.asarray((1.0 - b) / ((2.0 - b) * (1.0 + f)))


def added(b: ArrayLike = 0.5, f: ArrayLike = 0.5) -> Numbers:
    """What AIMD-FC+ adds after a decrease in equilibrium, f k, share of W; 1/9 for b = f = 1/2 [Lahanas03] §4.2.2."""
    return np.asarray(within("f", f, "[0, 0.5]") * growth(b, f))


def minimum(b: ArrayLike = 0.5, f: ArrayLike = 0.0) -> Numbers:
    """Smallest window in equilibrium, share of W: 2/3 for AIMD-FC, 7/9 for AIMD-FC+ with b = 1/2 [Lahanas03] §3.3.3, §4.2.2."""
    return np.asarray(1.0 - growth(b, f))


def efficiency(b: ArrayLike = 0.5, f: ArrayLike = 0.0) -> Numbers:
    """Mean window in equilibrium, share of W: 5/6 and 8/9 for b = 1/2 [Lahanas03] equations (7), (16)."""
    return ramp_mean(minimum(b, f))


def aimd_efficiency(b: ArrayLike = 0.5) -> Numbers:
    """Mean window of AIMD in equilibrium, share of W: (beta + 1)/(2 beta) with b = 1/beta [Lahanas03] equation (1)."""
    return ramp_mean(within("b", b, "[0, 1)"))


def utilisation(low: ArrayLike, buffer: ArrayLike) -> Numbers:
    """Utilisation of a link by flows that lose in common, their windows between ``low`` · W and W; ``buffer`` in round trips x bandwidth.

    The window sum goes from u = low · (1 + buffer) to 1 + buffer pipes. Below one pipe a round lasts one round trip and carries the
    window, above it the link is full and a round lasts as long as the window takes, so with one unit of growth a round
    [(1 - u²)/2 + ((1 + x)² - 1)/2] / [(1 - u) + ((1 + x)² - 1)/2] for u < 1, else 1.
    """
    x = np.asarray(buffer, dtype=np.float64)
    u = np.minimum(np.asarray(low, dtype=np.float64) * (1.0 + x), 1.0)
    full = ((1.0 + x) ** 2 - 1.0) / 2.0
    carried, lasting = (1.0 - u**2) / 2.0 + full, (1.0 - u) + full
    return np.divide(carried, lasting, out=np.ones(np.broadcast(carried).shape), where=lasting > 0)


def ramp_mean(low: ArrayLike) -> Numbers:
    """Mean of a straight rise from ``low`` to 1."""
    return np.asarray((1.0 + np.asarray(low, dtype=np.float64)) / 2.0)


def constant(low: ArrayLike, a: ArrayLike = 1.0) -> Numbers:
    """Rate (packets per round trip) times sqrt(p) of a window that rises by ``a`` per round trip from ``low`` W to W.

    A cycle carries 1/p = (1 - low)(1 + low)/2 W^2/a packets at a mean of (1 + low)/2 W, so the constant is
    sqrt(a (1 + low) / (2 (1 - low))): sqrt(3/2) for AIMD, sqrt(5/2) for AIMD-FC, 2 for AIMD-FC+ [Lahanas03] equations (2), (8).
    """
    low, a = within("low", low, "[0, 1)"), within("a", a, "(0, inf)")
    return np.asarray(np.sqrt(a * (1.0 + low) / (2.0 * (1.0 - low))))


def packets_per_cycle(low: ArrayLike, a: ArrayLike = 1.0) -> Numbers:
    """Packets between two losses in units of W^2: (1 - low)(1 + low)/(2a); 5/18 and 16/81 in [Lahanas03] Figures 3 and 4."""
    low, a = within("low", low, "[0, 1)"), within("a", a, "(0, inf)")
    return np.asarray((1.0 - low) * (1.0 + low) / (2.0 * a))


def compatible_increase(low: ArrayLike) -> Numbers:
    """The increase a_I (packets per round trip) with which a window between ``low`` W and W has the rate of AIMD(1, 1/2) at equal loss."""
    return np.asarray((TCP_CONSTANT / constant(low)) ** 2)


def settling_factors(b: ArrayLike = 0.5, f: ArrayLike = 0.0) -> tuple[Numbers, Numbers]:
    """Factors per cycle by which the decrease window's and the growth's distance from equilibrium change: -(1 - b), and |±i sqrt(f)|."""
    b, f = within("b", b, "[0, 1)"), within("f", f, "[0, 0.5]")
    return np.asarray(-(1.0 - b)), np.asarray(np.sqrt(f))


def pairs(largest: int, smallest: int = 6) -> tuple[Numbers, Numbers]:
    """Every pair x1 < x2 of whole windows with x1 + x2 < W, for every whole W from ``smallest`` to ``largest``: starts and capacities."""
    count("largest", largest, smallest)
    x1, x2, w = np.meshgrid(*[np.arange(1, largest)] * 2, np.arange(smallest, largest + 1), indexing="ij")
    chosen = (x1 < x2) & (x1 + x2 < w)
    starts = np.stack([x1[chosen], x2[chosen]], axis=-1)
    return np.asarray(starts, dtype=np.float64), np.asarray(w[chosen], dtype=np.float64)


def _shares(b: float, f: float) -> tuple[float, float]:
    return float(within("b", b, "[0, 1)")), float(within("f", f, "[0, 0.5]"))

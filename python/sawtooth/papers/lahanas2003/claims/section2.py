"""Claims of section 2: the model, the pseudocode of AIMD, how fast two flows come together and what capacity they use.

Source: [Lahanas03] section 2, Figure 2, equation (1), Definition 1. Exhaustive ranges: every pair of whole windows x1 < x2 with
x1 + x2 < W for every whole W from 6 to 60 (``fast_convergence.pairs``), 16672 systems of two flows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from sawtooth.claims.agreement import bounded, close, exactly, same
from sawtooth.claims.logic import Finding, both, fact
from sawtooth.claims.view import View
from sawtooth.models import fast_convergence as fc
from sawtooth.models import synchronous

if TYPE_CHECKING:
    from numpy.typing import NDArray

LARGEST: Final = 60
"""Largest W of the exhaustive ranges, packets."""

HAND: Final = ((2.0, 3.0), 20.0)
"""Two flows worked by hand: 2 and 3 packets, 20 together; 8 increases reach 21, then 5 reach 20.5."""


def examples(bad: NDArray[np.bool_], starts: Any, capacity: Any, **columns: Any) -> dict[str, object]:
    """How many of the systems are bad, and the first of them as a counter-example."""
    found: dict[str, object] = {"systems": int(bad.size), "counter_examples": int(bad.sum())}
    if bad.any():
        first = int(np.flatnonzero(bad)[0])
        found |= {"x": np.asarray(starts)[first].astype(int).tolist(), "W": int(np.asarray(capacity)[first])}
        found |= {name: np.asarray(values)[first].tolist() for name, values in columns.items()}
    return found


def model(_: View) -> Finding:
    """All flows add a_I while the sum is below the capacity and multiply when it is reached, in the same round."""
    found = synchronous.rounds("aimd(1, 0.5)", *HAND, 1)
    steps = np.diff(found.windows, axis=0)
    return both(
        "one feedback for all: an increase of 1 each below the capacity, half of each window at it",
        [
            fact(
                "below 20 packets both windows grow by 1",
                bool((steps[:-1] == 1.0).all()),
                judged="growth = 1 exactly, in each round",
            ),
            same("at 21 packets both are halved", found.windows[-1], found.windows[-2] / 2),
            bounded(
                "no feedback comes below the capacity", "sum before the signal", found.load[:-2], "<", HAND[1]
            ),
        ],
    )


def cycle(_: View) -> Finding:
    """Between two congestion signals stand several increases and one decrease."""
    found = synchronous.rounds("aimd(1, 0.5)", *HAND, 3)
    return fact(
        "2 and 3 packets against 20: three cycles have 8, 5 and 5 increases and one decrease each",
        found.growth_rounds.tolist() == [8, 5, 5] and int(found.congested.sum()) == 3,
        judged="increases = [8, 5, 5] and decreases = 3",
        increases=found.growth_rounds.tolist(),
    )


def step(_: View) -> Finding:
    """An increase step adds m packets in all."""
    operands = []
    for flows in (1, 2, 7):
        found = synchronous.rounds("aimd(1, 0.5)", [5.0] * flows, 60.0, 2)
        increases = np.diff(found.load)[~found.congested]
        operands.append(
            fact(
                f"{flows} flows: each increase adds {flows} packets",
                bool((increases == flows).all()),
                judged=f"added = {flows} exactly, in each increase",
            )
        )
    return both("an increase step adds one packet for each flow", operands)


def toward_fairness(_: View) -> Finding:
    """Increases keep the gap of two windows, decreases halve it: the way is parallel to the fairness line, then nearer to it."""
    operands = []
    for scheme in ("aimd(1, 0.5)", "aimd(3, 0.5)"):
        found = synchronous.rounds(scheme, [3.0, 40.0], 100.0, 8)
        ratio = found.gap[1:] / found.gap[:-1]
        operands.append(same(f"{scheme}: the gap is kept by every increase", ratio[~found.congested], 1.0))
        operands.append(same(f"{scheme}: and halved by every decrease", ratio[found.congested], 0.5))
    return both("increases are parallel to the fairness line, decreases approach it", operands)


def cycles_log2(_: View) -> Finding:
    """After n = 1 + lg x2 cycles the gap is (x2 - x1)/2^n, at most half a packet; never 0 with real windows."""
    starts, capacity = fc.pairs(LARGEST)
    n = fc.cycles_needed(starts[:, 1])
    found = fc.system("AIMD", starts, capacity, int(n.max()))
    gap = found.gap[n, np.arange(n.size)]
    predicted = (starts[:, 1] - starts[:, 0]) / 2.0**n
    bad = gap > 0.5
    return both(
        "after 1 + lg x2 cycles the windows are within half a packet, read as a bound on the gap",
        [
            same("the gap is (x2 - x1)/2^n for every pair", gap, predicted),
            fact(
                "it is at most 1/2 packet for every pair",
                not bad.any(),
                judged=f"gap <= 1/2 packet, in each of {bad.size} systems",
                **examples(bad, starts, capacity),
                largest_gap=float(gap.max()),
                equal=int((gap == 0.0).sum()),
            ),
        ],
    )


BETAS: Final = (8 / 7, 4 / 3, 2.0, 4.0)


def cycles_log_beta(_: View) -> Finding:
    """After log_beta(max x) + 1 cycles the gap is at most 1/beta."""
    starts, capacity = fc.pairs(LARGEST)
    operands = []
    for beta in BETAS:
        n = fc.cycles_needed(starts[:, 1], beta)
        found = fc.system("AIMD", starts, capacity, int(n.max()), b=1 / beta)
        gap = found.gap[n, np.arange(n.size)]
        bad = gap > 1 / beta + 1e-9
        operands.append(
            fact(
                f"beta = {beta:.4g}: the gap is at most 1/beta",
                not bad.any(),
                judged=f"gap <= {1 / beta:.4g} packets, in each of {bad.size} systems",
                **examples(bad, starts, capacity),
                largest_gap=float(gap.max()),
            )
        )
    return both("after log_beta(max x) + 1 cycles the windows count as equal", operands)


def steps_order(_: View) -> Finding:
    """At most W/m steps to the first decrease and (W/m)(1 - 1/beta), rounded up, in each later cycle: O(W log W)."""
    starts, capacity = fc.pairs(LARGEST)
    operands = []
    for beta in BETAS:
        n = fc.cycles_needed(starts[:, 1], beta)
        found = fc.system("AIMD", starts, capacity, int(n.max()), b=1 / beta)
        live = np.arange(int(n.max()))[:, None] < n
        total = (found.steps * live).sum(axis=0)
        bound = np.ceil(capacity / 2) + (n - 1) * np.ceil(capacity / 2 * (1 - 1 / beta) + 1e-9)
        bad = total > bound
        operands.append(
            fact(
                f"beta = {beta:.4g}: the steps stay below W/m + (n - 1)(W/m)(1 - 1/beta), n = log_beta(max x) + 1",
                not bad.any(),
                judged=f"steps <= bound, each term rounded up, in each of {bad.size} systems",
                **examples(bad, starts, capacity, steps=total, bound=bound),
                closest=float((total / bound).max()),
            )
        )
    return both("the steps are of order W log_beta W", operands)


def growth_common(_: View) -> Finding:
    """The growth of a cycle is the same for each flow, whatever its window."""
    operands = []
    for scheme in ("aimd(1, 0.5)", "aimd-fc(1, 0.5)", "aimd-fc+(1, 0.5)"):
        found = synchronous.rounds(scheme, [3.0, 10.0, 40.0], 200.0, 6)
        begin = np.vstack([found.windows[0], found.after_decreases()[:-1]])
        growth = found.before_decreases() - begin
        operands.append(
            same(f"{scheme}: every flow grows by the same k in each cycle", np.ptp(growth, axis=1), 0.0)
        )
    return both("the growth of a cycle is common to all flows", operands)


def pseudocode_aimd(_: View) -> Finding:
    """w <- b_D (w + k), by hand and in the controller of the packet simulator."""
    return _pseudocode("AIMD", "aimd(1, 0.5)", [(5.0, 5.5), (5.0, 5.25), (5.0, 5.125)])


def _pseudocode(scheme: fc.Scheme, controller: str, hand: Sequence[tuple[float, float]]) -> Finding:
    starts, capacity = HAND
    written = fc.system(scheme, starts, capacity, len(hand)).windows[1:]
    controlled = synchronous.rounds(controller, starts, capacity, len(hand)).after_decreases()
    wide = ([7.0, 30.0, 55.0], 400.0, 12)
    more = fc.system(scheme, *wide).windows[1:]
    also = synchronous.rounds(controller, *wide).after_decreases()
    return both(
        f"the pseudocode of {scheme}",
        [
            same("2 and 3 packets against 20, by hand", written, hand, windows=written.tolist()),
            same("the controller of the simulator does the same", controlled, hand),
            same("and for three flows over twelve cycles", more, also),
        ],
    )


def exact_equality(_: View) -> Finding:
    """Definition 1: equal windows at cycle n. It is a definition; no pair of different windows ever meets it."""
    starts, capacity = fc.pairs(LARGEST)
    n = fc.cycles_needed(starts[:, 1])
    real = fc.system("AIMD", starts, capacity, int(n.max())).windows[n, np.arange(n.size)]
    whole = fc.system("AIMD", starts, capacity, int(n.max()), whole=True).windows[n, np.arange(n.size)]
    return fact(
        "(4, 4, 4) is fair, (4, 4, 4.125) is not",
        bool(fc.converged_exactly([4.0, 4.0, 4.0])) and not bool(fc.converged_exactly([4.0, 4.0, 4.125])),
        judged="equal exactly in the first, not in the second",
        pairs=int(n.size),
        equal_after_n_cycles_with_real_windows=int(fc.converged_exactly(real).sum()),
        equal_after_n_cycles_with_whole_windows=int(fc.converged_exactly(whole).sum()),
    )


def efficiency(_: View) -> Finding:
    """The mean of a ramp from W/beta to W is (beta + 1)/(2 beta) W: the formula, and the controller in the model."""
    operands = []
    for beta in BETAS:
        wanted = (beta + 1) / (2 * beta)
        found = synchronous.rounds(f"aimd(1, {1 / beta!r})", [2000.0], 8000.0, 60).efficiency()
        operands.append(same(f"beta = {beta:.4g}: {wanted:.4f}", fc.aimd_efficiency(1 / beta), wanted))
        operands.append(close("the model agrees to 1/W", found, wanted, 2 / 8000, model=found))
    return both("utilisation is (beta + 1)/(2 beta)", operands)


def line_distance(_: View) -> Finding:
    """The gap between the mean and the capacity depends on b_D and not on a_I."""
    operands = []
    for kept in (0.5, 0.8):
        gaps = [
            1 - synchronous.rounds(f"aimd({a}, {kept})", [2000.0], 8000.0, 80).efficiency()
            for a in (0.25, 1, 4)
        ]
        wanted = 1 - float(fc.aimd_efficiency(kept))
        operands.append(
            fact(
                f"b_D = {kept}: the gap is {wanted:.3f} W for a_I = 0.25, 1 and 4",
                max(abs(gap - wanted) for gap in gaps) < 8 / 8000,
                judged=f"|gap - {wanted:.3f}| < {8 / 8000:g} W",
                gaps=gaps,
            )
        )
    return both("the distance to the limit depends on the decrease alone", operands)


def same_cycles(_: View) -> Finding:
    """Cycles to a gap do not depend on a_I; the steps go as 1/a_I."""
    found = {a: synchronous.converge(f"aimd({a}, 0.5)", [20.0, 900.0], 4000.0, 20) for a in (0.5, 1, 2, 4)}
    cycles = [entry.cycles for entry in found.values()]
    products = [a * (entry.steps - entry.cycles) for a, entry in found.items()]
    return both(
        "AIMD variants with one decrease differ in steps and not in cycles",
        [
            exactly(
                "a_I = 0.5, 1, 2, 4 need equally many cycles",
                cycles,
                [cycles[0]] * len(cycles),
                cycles=cycles,
            ),
            bounded(
                "increase steps times a_I are the same to 1 %",
                "largest over smallest",
                max(products) / min(products),
                "<",
                1.01,
                packets=products,
            ),
        ],
    )

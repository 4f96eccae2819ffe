"""Claims of section 4: AIMD-FC+, Lemma 3, Corollary 4, and where it settles.

Source: [Lahanas03] section 4, Figure 4, equation (16); the constants are derived here. Exhaustive ranges as in ``lahanas_section3_fc``.
What the words mean, stated beforehand: *much smaller* has its number in ``MUCH_SMALLER``.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from sawtooth.claims.agreement import bounded, close, exactly, near, same
from sawtooth.claims.logic import Finding, both, corrected, fact
from sawtooth.claims.view import View
from sawtooth.claims.words import Word
from sawtooth.models import fast_convergence as fc
from sawtooth.models import synchronous
from sawtooth.papers.lahanas2003.claims.section2 import LARGEST, _pseudocode, examples
from sawtooth.papers.lahanas2003.claims.section3_fc import (
    CAPACITY,
    _gain,
    _packets,
    _share,
    _steps,
    constant_of,
    low,
    settled,
)

MUCH_SMALLER: Final = Word("much smaller", 0.1, "below this share of the other; stated beforehand")
PLUS: Final = "aimd-fc+(1, 0.5)"


def lifts_utilisation(_: View) -> Finding:
    """3/4 becomes 5/6."""
    before, after = settled("aimd(1, 0.5)").efficiency(), settled("aimd-fc(1, 0.5)").efficiency()
    return both(
        "AIMD-FC lifts utilisation from 3/4 to 5/6",
        [
            same("closed forms", (fc.aimd_efficiency(), fc.efficiency()), (3 / 4, 5 / 6)),
            same("the model", (before, after), (3 / 4, 5 / 6), within=1e-3, AIMD=before, FC=after),
        ],
    )


def half_window_is_growth(_: View) -> Finding:
    """k = W/3 is half of w = 2/3 W."""
    found = settled("aimd-fc(1, 0.5)")
    growth, window = float(found.growth_rounds[-1]), float(found.cycle_load()[0])
    return both(
        "in equilibrium k = w/2",
        [
            same("closed forms", fc.growth(), fc.decrease_window() / 2),
            same("the model", growth, window / 2, within=1e-3, k=growth, w=window),
        ],
    )


def lemma3(_: View) -> Finding:
    """For every pair and every n' from 1 to n: adding q to both after n' cycles leaves the gap (x2 - x1)/2^n, whatever q."""
    starts, capacity = fc.pairs(LARGEST)
    n = fc.cycles_needed(starts[:, 1])
    gap = (starts[:, 1] - starts[:, 0]) / 2.0**n
    operands = []
    for name, share in (
        ("the largest whole q below phi_2/2", None),
        ("q = 3 phi_2, far above the bound", 3.0),
    ):
        bad = np.zeros(n.size, dtype=bool)
        for first in range(1, int(n.max()) + 1):
            chosen = n >= first
            middle = fc.system("AIMD-FC", starts[chosen], capacity[chosen], first).windows[-1]
            most = middle.max(axis=-1)
            q = np.ceil(most / 2) - 1 if share is None else share * most
            rest = int(n.max()) - first
            found = fc.system("AIMD-FC", middle + np.maximum(q, 0.0)[:, None], capacity[chosen], rest + 1)
            left = found.gap[n[chosen] - first, np.arange(int(chosen.sum()))]
            bad[chosen] |= ~np.isclose(left, gap[chosen])
        operands.append(
            fact(
                name,
                not bad.any(),
                judged=f"gap = (x2 - x1)/2^n to a relative 1e-05, in each of {bad.size} systems",
                **examples(bad, starts, capacity),
            )
        )
    return both("adding the same q to both windows on the way does not keep them from converging", operands)


def corollary4(_: View) -> Finding:
    """Cycles do not change, but the bound lets the total after a decrease exceed the capacity: q must stay below half the mean."""
    w1, w2, k = (
        grid.ravel()
        for grid in np.meshgrid(np.arange(2, 61), np.arange(2, 61), np.arange(1, 41), indexing="ij")
    )
    ordered = w1 < w2
    w1, w2, k = w1[ordered], w2[ordered], k[ordered]
    capacity = w1 + w2 + 2 * k
    totals = {}
    for name, bound in (("max", w2 / 2), ("mean", (w1 + w2) / 4)):
        q = np.ceil(bound) - 1  # the largest whole number below the bound
        totals[name] = fc.total_after(np.stack([w1, w2], axis=-1), k, np.maximum(q, 0))
    bad = totals["max"] >= capacity
    known = float(fc.total_after([10.0, 90.0], 20.0, 44.0))
    starts = np.stack([w1, w2], axis=-1)
    unchanged = _gap_with_q()
    printed = both(
        "q below half the largest decrease window may be added to every flow",
        [
            unchanged,
            fact(
                "the total after the decrease is below the capacity, for all whole w1 < w2 <= 60, k <= 40",
                not bad.any(),
                judged=f"total < capacity, in each of {bad.size} systems",
                **examples(bad, starts, capacity, k=k, total_after=totals["max"]),
                total_after_10_90_k_20_q_44_at_140=known,
            ),
        ],
    )
    safe = totals["mean"] < capacity
    instead = both(
        "q below half the mean decrease window may be added to every flow",
        [
            unchanged,
            fact(
                "the total after the decrease is below the capacity",
                bool(safe.all()),
                judged=f"total < capacity, in each of {safe.size} systems",
                systems=int(safe.size),
            ),
        ],
    )
    return corrected(printed, instead)


def _gap_with_q() -> Finding:
    """Twelve cycles of AIMD-FC from (10, 90) against 140, each followed by the largest whole q below half the largest window."""
    windows = np.array([10.0, 90.0])
    gaps = []
    for _ in range(12):
        windows = fc.system("AIMD-FC", windows, 140.0, 1).windows[-1]
        windows = windows + max(math.ceil(windows.max() / 2) - 1, 0)
        gaps.append(float(windows.max() - windows.min()))
    return same(
        "the gap is halved in each cycle all the same, so the number of cycles does not change",
        gaps,
        80.0 / 2.0 ** np.arange(1, 13),
    )


def q_lifts_minimum(_: View) -> Finding:
    """With q > 0 the minimum is above 2/3 W, in equilibrium."""
    shares = [0.1, 0.25, 0.5]
    found = [low(settled(f"aimd-fc+(1, 0.5, {share})")) for share in shares]
    return both(
        "with q > 0 the smallest window exceeds 2/3 W",
        [
            bounded(
                "closed form", "smallest window/W", [float(fc.minimum(0.5, f)) for f in shares], ">", 2 / 3
            ),
            bounded(
                "the model, by more than its steps",
                "smallest window/W",
                found,
                ">",
                2 / 3 + 3 / CAPACITY,
                minimum=found,
            ),
        ],
        f=shares,
    )


def q_bound(_: View) -> Finding:
    """k of the cycle before is below every flow's decrease window, so half of it is below half of the smallest, in 12 cycles."""
    starts, capacity = fc.pairs(LARGEST)
    found = fc.system("AIMD-FC+", starts, capacity, 12)
    smallest = found.decrease_windows[1:].min(axis=-1)
    bad = (found.steps >= smallest).any(axis=0)
    before = found.windows[:-1].sum(axis=-1) + 2 * found.steps
    after = found.windows[1:].sum(axis=-1)
    return both(
        "half of the growth two cycles back is common to all and below half of every decrease window",
        [
            fact(
                "k^(j-1) < w^j for every flow",
                not bad.any(),
                judged=f"growth < smallest decrease window, in each of 12 cycles of {bad.size} systems",
                **examples(bad, starts, capacity),
            ),
            bounded(
                "no decrease raises the total",
                "total after over before",
                after / before,
                "<",
                1.0,
                largest_after_over_before=float((after / before).max()),
            ),
        ],
    )


def current_k_unsafe(_: View) -> Finding:
    """Four flows in equilibrium at 120 (w = 20, k = 10); two leave and the others grow by 40: half of that would fill 140."""
    w, known = 20.0, 10.0
    k = (120.0 - 2 * w) / 2
    with_current = float(fc.total_after([w, w], k, k / 2))
    with_older = float(fc.total_after([w, w], k, known / 2))
    return both(
        "adding from the current k is unsafe when flows leave, from the older one not",
        [
            exactly("20 and 20 packets grow by 40 each to fill 120", 2 * (w + k), 120.0),
            bounded(
                "with half of the current k the total is above 120",
                "total",
                with_current,
                ">",
                120.0,
                total=with_current,
            ),
            bounded(
                "with half of the older k it is below", "total", with_older, "<", 120.0, total=with_older
            ),
        ],
    )


def pseudocode(_: View) -> Finding:
    """dw <- dw/2 + (w + k - dw), w <- dw + f(q), q <- k; from 2 and 3 packets at 20, growths 8, 1, 1."""
    return _pseudocode("AIMD-FC+", PLUS, [(9.0, 9.5), (9.5, 9.75), (8.25, 8.375)])


def decrease_windows_meet(_: View) -> Finding:
    """The gap of the decrease windows is (x2 - x1)/2^j after j cycles, for every pair."""
    starts, capacity = fc.pairs(LARGEST)
    found = fc.system("AIMD-FC+", starts, capacity, 7)
    gap = np.ptp(found.decrease_windows, axis=-1)
    wanted = (starts[:, 1] - starts[:, 0]) / 2.0 ** np.arange(8)[:, None]
    return same("the gap of the decrease windows halves in each cycle", gap, wanted, pairs=len(starts))


def f_much_smaller(_: View) -> Finding:
    """f(q)/dw = (W/9)/(2W/3) = 1/6 in equilibrium: small, not negligible; the argument does not need it."""
    ratio = float(fc.added() / fc.decrease_window())
    printed = bounded(
        f"f(q)/dw is below {MUCH_SMALLER.value:g} in equilibrium",
        "f(q)/dw",
        ratio,
        "<",
        MUCH_SMALLER,
        ratio=ratio,
    )
    return corrected(printed, same("f(q)/dw is 1/6, below one", ratio, 1 / 6, ratio=ratio))


def plus_decrease_window(_: View) -> Finding:
    """dw = W - dw/2 = 2/3 W, as in AIMD-FC."""
    found = settled(PLUS)
    k = float(found.growth_rounds[-1])
    return _share(
        "the decrease window of AIMD-FC+ is 2/3 W",
        2 / 3,
        float(fc.decrease_window()),
        (float(found.cycle_load()[0]) - k / 2) / CAPACITY,
    )


def plus_added(_: View) -> Finding:
    """k = W/3 - k/2 = 2/9 W and f = k/2 = W/9; the growth rings with a factor of magnitude sqrt(1/2) per cycle."""
    found = float(settled(PLUS).growth_rounds[-1]) / CAPACITY
    return both(
        "f = phi/3 = W/9",
        [
            _share("k = 2/9 W", 2 / 9, float(fc.growth(0.5, 0.5)), found),
            same("f = W/9", fc.added(0.5, 0.5), 1 / 9),
            same("phi = W - dw = W/3, so f = phi/3", fc.added(0.5, 0.5), (1 - fc.decrease_window()) / 3),
        ],
        ringing=float(fc.settling_factors(0.5, 0.5)[1]),
    )


def plus_minimum(_: View) -> Finding:
    """2/3 + 1/9 = 7/9, and a cycle of 2/9 W round trips."""
    found = settled(PLUS)
    return both(
        "the window falls to 7/9 W, a cycle lasts 2/9 W round trips",
        [
            _share("7/9 W", 7 / 9, float(fc.minimum(0.5, 0.5)), low(found)),
            _share("2/9 W", 2 / 9, float(fc.growth(0.5, 0.5)), float(found.growth_rounds[-1]) / CAPACITY),
        ],
    )


def plus_packets(_: View) -> Finding:
    """7/9 x 2/9 + 1/2 (2/9)^2 = 16/81 of W^2."""
    return _packets(PLUS, 7 / 9, 16 / 81)


def plus_mean(_: View) -> Finding:
    """(7/9 + 1)/2 = 8/9."""
    return _share(
        "the mean throughput is 8/9 W", 8 / 9, float(fc.efficiency(0.5, 0.5)), settled(PLUS).efficiency()
    )


def plus_constant(_: View) -> Finding:
    """8/9 x 9/4 = 2."""
    found = constant_of(settled(PLUS))
    return both(
        "the throughput constant of AIMD-FC+ is 2",
        [
            same("8/9 sqrt(81/16)", 8 / 9 * math.sqrt(81 / 16), 2.0),
            same("the closed form", fc.constant(fc.minimum(0.5, 0.5)), 2.0),
            close("the controller in the model", found, 2.0, 2e-3, found=found),
        ],
    )


def fourteen_percent(_: View) -> Finding:
    """8/9 - 3/4 is 13.9 percentage points; relative to 3/4 it is 18.5 %."""
    return _gain("AIMD-FC+", fc.efficiency(0.5, 0.5), 0.14)


def plus_smoothness(_: View) -> Finding:
    """The minimum rises by f(q)/W above that of AIMD-FC, for any f up to q/2."""
    shares = [0.1, 0.25, 0.5]
    plain = low(settled("aimd-fc(1, 0.5)"))
    rises = [low(settled(f"aimd-fc+(1, 0.5, {share})")) - plain for share in shares]
    wanted = [float(fc.added(0.5, share)) for share in shares]
    return both(
        "adding f(q) lifts the smallest window by f(q)",
        [
            same("closed forms", [float(fc.minimum(0.5, f) - fc.minimum(0.5)) for f in shares], wanted),
            bounded(
                "the model, to 3/W",
                "|rise - f(q)/W|",
                np.abs(np.subtract(rises, wanted)),
                "<",
                3 / CAPACITY,
                rises=rises,
            ),
        ],
        f=shares,
    )


def plus_responsiveness(_: View) -> Finding:
    """At least n - 1 further steps gained: false for 246 of the pairs; steps never rise, and n - 1 less than AIMD holds above W = 16."""
    starts, capacity = fc.pairs(LARGEST)
    plain, n, _live = _steps("AIMD")
    fast, _n, _live = _steps("AIMD-FC")
    plus, _n, _live = _steps("AIMD-FC+")
    bad = plus.sum(axis=0) > fast.sum(axis=0) - (n - 1)
    printed = fact(
        "AIMD-FC+ takes at least n - 1 increase steps less than AIMD-FC over the n cycles, for every pair",
        not bad.any(),
        judged=f"steps <= those of AIMD-FC - (n - 1), in each of {bad.size} systems",
        **examples(bad, starts, capacity, FC=fast.T, FC_plus=plus.T),
    )
    wide = capacity > 16
    instead = both(
        "AIMD-FC+ never takes more steps than AIMD-FC, and above W = 16 fewer than AIMD by more than n - 1",
        [
            bounded(
                "at most the steps of AIMD-FC, for every pair",
                "steps less those of AIMD-FC",
                plus.sum(0) - fast.sum(0),
                "<=",
                0.0,
            ),
            fact(
                f"fewer than p - (n - 1) for every pair with W from 17 to {LARGEST}",
                bool((plus.sum(0) < plain.sum(0) - (n - 1))[wide].all()),
                judged=f"steps < p - (n - 1), in each of {int(wide.sum())} systems",
                pairs=int(wide.sum()),
            ),
        ],
    )
    return corrected(printed, instead)


def equivalent_aimd(_: View) -> Finding:
    """In equilibrium AIMD(1, 1/3) and AIMD(1, 2/9), fraction removed: the same constants, sqrt((2 - b) a/(2 b)) [Floyd00] equation (7)."""
    operands = []
    for name, removed, low_share, compatible in (
        ("AIMD-FC", 1 / 3, fc.minimum(), 0.6),
        ("AIMD-FC+", 2 / 9, fc.minimum(0.5, 0.5), 0.375),
    ):
        floyd = math.sqrt((2 - removed) / (2 * removed))
        model = constant_of(synchronous.rounds(f"tcp(1, {removed})", [CAPACITY / 9], CAPACITY, 60))
        operands += [
            same(
                f"{name} has the constant of AIMD(1, {removed:.4f})",
                fc.constant(low_share),
                floyd,
                C=floyd,
            ),
            close("so has that AIMD in the model", model, floyd, 3e-3, C=model),
            same(
                f"with a_I = {compatible} it is compatible with TCP",
                fc.compatible_increase(low_share),
                compatible,
            ),
        ]
    return both(
        "in equilibrium AIMD-FC is AIMD(1, 1/3) and AIMD-FC+ is AIMD(1, 2/9), fractions removed", operands
    )


def general_decrease(_: View) -> Finding:
    """The smallest window is W/(2 - b_D); at b_D = 0 the map has the factor -1 and does not settle."""
    operands = []
    for kept in (0.25, 0.5, 0.75, 0.875):
        operands.append(
            _share(
                f"b_D = {kept}: W/(2 - b_D)",
                1 / (2 - kept),
                float(fc.minimum(kept)),
                low(settled(f"aimd-fc(1, {kept})")),
            )
        )
    undamped = synchronous.rounds("aimd-fc(1, 0)", [3000.0], 9000.0, 40).after_decreases()[:, 0]
    operands.append(
        fact(
            "b_D = 0: factor -1, the window alternates between W - x and x for ever",
            float(fc.settling_factors(0.0)[0]) == -1.0
            and near(undamped[-4:], [3000, 6000, 3000, 6000][::-1]),
            judged="factor = -1 and last windows = 6000, 3000, 6000, 3000",
            windows=undamped[-4:].tolist(),
        )
    )
    return both("AIMD-FC with any b_D falls to W/(2 - b_D)", operands)

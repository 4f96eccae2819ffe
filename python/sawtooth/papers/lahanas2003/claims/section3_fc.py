"""Claims of sections 3.2 and 3.3: AIMD-FC, what it converges to, Theorems 1 and 2.

Source: [Lahanas03] sections 3.2, 3.3, Figure 3, equations (3) to (15). Theorems are tested on every pair of whole windows x1 < x2 with
x1 + x2 < W, W from 6 to 60, over the n = 1 + lg x2 cycles of the paper, lg rounded up.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from sawtooth.claims.agreement import bounded, close, exactly, same
from sawtooth.claims.logic import Finding, both, corrected, fact
from sawtooth.claims.view import View
from sawtooth.models import fast_convergence as fc
from sawtooth.models import synchronous
from sawtooth.papers.lahanas2003.claims.section2 import HAND, LARGEST, _pseudocode, examples

if TYPE_CHECKING:
    from numpy.typing import NDArray

CAPACITY: Final = 9000.0
"""W of the runs that settle, packets: divisible by 9, and a step is far below a per cent."""


def settled(controller: str, capacity: float = CAPACITY) -> synchronous.Rounds:
    """One flow of the simulator's controller after sixty cycles against ``capacity``."""
    return synchronous.rounds(controller, [capacity / 9], capacity, 60)


def low(found: synchronous.Rounds) -> float:
    """The smallest window of the last cycle, share of W."""
    return float(found.cycle_load()[0] / found.capacity)


def constant_of(found: synchronous.Rounds) -> float:
    """Rate times sqrt(p) of the last cycle: packets per round trip, one loss per cycle; the round at the capacity is the loss itself."""
    load = found.cycle_load()[:-1]
    return float(load.mean() * math.sqrt(1.0 / load.sum()))


def pseudocode(_: View) -> Finding:
    """w <- b_D w + k, by hand and in the controller of the packet simulator."""
    return _pseudocode("AIMD-FC", "aimd-fc(1, 0.5)", [(9.0, 9.5), (5.5, 5.75), (7.75, 7.875)])


def equivalence(_: View) -> Finding:
    """After one cycle AIMD-FC has k/2 more than AIMD in each window, for every pair."""
    starts, capacity = fc.pairs(LARGEST)
    plain = fc.system("AIMD", starts, capacity, 1)
    found = fc.system("AIMD-FC", starts, capacity, 1)
    difference = found.windows[1] - plain.windows[1]
    bad = ~np.isclose(difference, plain.steps[0][:, None] / 2).all(axis=-1)
    return fact(
        "w/2 + k = (w + k)/2 + k/2: AIMD-FC ends a cycle k/2 above AIMD",
        not bad.any(),
        judged=f"difference = k/2 to a relative 1e-05, in each of {bad.size} systems",
        **examples(bad, starts, capacity),
    )


def decrease_window(_: View) -> Finding:
    """Of a window of 20 that has grown by 6, AIMD-FC halves 20 and AIMD 26."""
    kept = {
        name: float(synchronous.rounds(name, [20.0], 26.0, 1).windows[-1, 0])
        for name in ("aimd(1, 0.5)", "aimd-fc(1, 0.5)")
    }
    return fact(
        "of 20 + 6 packets AIMD keeps 26/2 and AIMD-FC 20/2 + 6",
        kept == {"aimd(1, 0.5)": 13.0, "aimd-fc(1, 0.5)": 16.0},
        judged="kept = 13 and 16 exactly",
        kept=kept,
    )


def theorem1(_: View) -> Finding:
    """The gap of AIMD-FC after n cycles is that of AIMD, (x2 - x1)/2^n; equations (3), (4) need k_(n-1)/2 where 2^2 is printed."""
    starts, capacity = fc.pairs(LARGEST)
    n = fc.cycles_needed(starts[:, 1])
    plain = fc.system("AIMD", starts, capacity, int(n.max()))
    found = fc.system("AIMD-FC", starts, capacity, int(n.max()))
    column = np.arange(n.size)
    bad = found.gap[n, column] > 0.5
    weights = 0.5 ** np.arange(int(n.max()) - 1, -1, -1)
    unrolled = starts / 2.0 ** n.max() + (weights @ found.steps)[:, None]
    printed = unrolled - found.steps[-2][:, None] / 4  # k_(n-1)/2 replaced by k_(n-1)/2^2
    return both(
        "two AIMD-FC flows converge in as many cycles as two AIMD flows",
        [
            same("the gaps of both are equal in every cycle", found.gap, plain.gap),
            fact(
                "after n cycles the gap of AIMD-FC is at most 1/2 packet",
                not bad.any(),
                judged=f"gap <= 1/2 packet, in each of {bad.size} systems",
                **examples(bad, starts, capacity),
                largest_gap=float(found.gap[n, column].max()),
            ),
            same(
                "equations (3), (4) with k_(n-1)/2 give the windows",
                unrolled,
                found.windows[-1],
                with_2_squared_as_printed_they_are_low_by_up_to=float((unrolled - printed).max()),
            ),
        ],
    )


def theorem1_order(_: View) -> Finding:
    """1 + lg(max x) cycles and at most W/m steps to the first decrease and W/(2m) + 1 in each later one."""
    starts, capacity = fc.pairs(LARGEST)
    n = fc.cycles_needed(starts[:, 1])
    found = fc.system("AIMD-FC", starts, capacity, int(n.max()))
    live = np.arange(int(n.max()))[:, None] < n
    total = (found.steps * live).sum(axis=0)
    bound = np.ceil(capacity / 2) + (n - 1) * np.ceil(capacity / 4 + 1e-9)
    bad = total > bound
    return both(
        "AIMD-FC takes of the order of lg W cycles and W lg W steps",
        [
            fact(
                "n <= 1 + lg W, rounded up",
                bool((n <= fc.cycles_needed(capacity)).all()),
                judged=f"cycles <= bound, in each of {n.size} systems",
            ),
            fact(
                "steps <= W/m + (n - 1) W/(2m)",
                not bad.any(),
                judged=f"steps <= bound, each term rounded up, in each of {bad.size} systems",
                **examples(bad, starts, capacity),
            ),
        ],
    )


def decrease_window_share(_: View) -> Finding:
    """The map w -> W - w/2 has the fixed point 2/3 W and the factor -1/2."""
    return _share(
        "the decrease window is 2/3 W",
        2 / 3,
        float(fc.decrease_window()),
        low(settled("aimd-fc(1, 0.5)")),
        factor=float(fc.settling_factors()[0]),
    )


def _share(text: str, wanted: float, formula: float, model: float, **numbers: Any) -> Finding:
    """A share of W by hand, by the closed form, and by the simulator's controller in the model."""
    return both(
        text,
        [
            same("the closed form", formula, wanted, found=formula, wanted=wanted, **numbers),
            close("the controller in the model, to 3/W", model, wanted, 3 / CAPACITY, found=model),
        ],
    )


def increase_space(_: View) -> Finding:
    """k = W - w = W/3, and a cycle has W/3 increases."""
    found = settled("aimd-fc(1, 0.5)")
    return _share(
        "the additive space is W/3, a cycle of W/3 round trips",
        1 / 3,
        float(fc.growth()),
        float(found.growth_rounds[-1]) / CAPACITY,
    )


def packets(_: View) -> Finding:
    """2/3 x 1/3 + 1/2 (1/3)^2 = 5/18 of W^2."""
    return _packets("aimd-fc(1, 0.5)", 2 / 3, 5 / 18)


def _packets(controller: str, share: float, wanted: float) -> Finding:
    by_hand = share * (1 - share) + (1 - share) ** 2 / 2
    model = float(settled(controller).cycle_load()[:-1].sum()) / CAPACITY**2
    return both(
        f"a cycle carries {wanted:.4f} W^2 packets",
        [
            same("area under the ramp, by hand", by_hand, wanted),
            same("the closed form", fc.packets_per_cycle(share), wanted),
            close("the controller in the model", model, wanted, 1e-3, found=model),
        ],
    )


def mean(_: View) -> Finding:
    """(2/3 + 1)/2 = 5/6."""
    return _share(
        "the mean throughput is 5/6 W", 5 / 6, float(fc.efficiency()), settled("aimd-fc(1, 0.5)").efficiency()
    )


def constant(_: View) -> Finding:
    """5/6 sqrt(18/5) = sqrt(5/2)."""
    found = constant_of(settled("aimd-fc(1, 0.5)"))
    wanted = math.sqrt(2.5)
    return both(
        "the throughput constant is sqrt(5/2)",
        [
            same("5/6 sqrt(18/5)", 5 / 6 * math.sqrt(18 / 5), wanted),
            same("the closed form", fc.constant(fc.minimum()), wanted, wanted=wanted),
            close("the controller in the model", found, wanted, 1e-3, found=found),
        ],
        times_tcp=wanted / fc.TCP_CONSTANT,
    )


def eight_percent(_: View) -> Finding:
    """5/6 - 3/4 is 8.3 percentage points, as printed; relative to 3/4 it is 11.1 %."""
    return _gain("AIMD-FC", fc.efficiency(), 0.08)


def _gain(name: str, efficiency: object, printed: float) -> Finding:
    plain = float(fc.aimd_efficiency())
    found = float(np.asarray(efficiency))
    return close(
        f"the efficiency of {name} exceeds that of AIMD by {printed:.0%} of W, in percentage points",
        found - plain,
        printed,
        0.005,
        points=found - plain,
        relative=found / plain - 1,
    )


def window_range(_: View) -> Finding:
    """The window moves between 2/3 W and W."""
    found = settled("aimd-fc(1, 0.5)")
    top = float(found.cycle_load()[-1] / CAPACITY)
    return both(
        "the window oscillates in [2/3 W, W]",
        [
            _share("from 2/3 W", 2 / 3, float(fc.minimum()), low(found)),
            close("to W", top, 1.0, 1 / CAPACITY, found=top),
        ],
    )


def smoother_by_a_third(_: View) -> Finding:
    """The size of the oscillation falls from 1/2 to 1/3 of W, by a third."""
    plain, found = settled("aimd(1, 0.5)").smoothness(), settled("aimd-fc(1, 0.5)").smoothness()
    return close(
        "the oscillation is a third smaller than AIMD's, smoothness read as its size",
        (plain - found) / plain,
        1 / 3,
        1e-3,
        AIMD=plain,
        FC=found,
        reduction=(plain - found) / plain,
        kept_share_rises_from=1 - plain,
        kept_share_rises_to=1 - found,
    )


SWINGS: Final = tuple(range(900, 960))
"""W over which the largest swing of a load is taken, packets: by how much it overshoots depends on where W lies between two steps."""


def largest_swing(a: float) -> float:
    """The largest swing of one AIMD-FC flow of increase ``a`` from its top, above W, to its bottom, share of W, over SWINGS."""
    loads = [(settled(f"aimd-fc({a:g}, 0.5)", w).cycle_load(), w) for w in SWINGS]
    return max(float(np.ptp(load)) / w for load, w in loads)


def inverse(_: View) -> Finding:
    """As b_D rises the oscillation (1 - b)/(2 - b) falls and the cycles to fairness rise; as a_I rises the largest swing rises, by its
    overshoot alone, and the steps to fairness fall."""
    kept = [0.2, 0.4, 0.6, 0.8]
    depths = [float(1 - fc.minimum(b)) for b in kept]
    measured = [settled(f"aimd-fc(1, {b})").smoothness() for b in kept]
    cycles = [synchronous.converge(f"aimd-fc(1, {b})", [50.0, 900.0], 2000.0).cycles for b in kept]
    increases = [1, 2, 4, 8, 16]
    swings = [largest_swing(a) for a in increases]
    steps = [synchronous.converge(f"aimd-fc({a}, 0.5)", [50.0, 900.0], 2000.0).steps for a in increases]
    return both(
        "a smoother AIMD-FC is a slower one",
        [
            bounded("the oscillation falls with b_D", "change", np.diff(depths), "<", 0.0, depth=depths),
            same("so it does in the model", measured, depths, within=5e-3, depth=measured),
            bounded(
                "the cycles to fairness rise with b_D", "change", np.diff(cycles), ">", 0.0, cycles=cycles
            ),
            bounded("the largest swing rises with a_I", "change", np.diff(swings), ">", 0.0, swing=swings),
            bounded("the steps to fairness fall with a_I", "change", np.diff(steps), "<", 0.0, steps=steps),
        ],
        b_D=kept,
        a_I=increases,
    )


def _steps(scheme: fc.Scheme) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Increase steps of every cycle and pair, the number n of cycles that count, and which cycles those are."""
    starts, capacity = fc.pairs(LARGEST)
    n = fc.cycles_needed(starts[:, 1])
    live = np.arange(int(n.max()))[:, None] < n
    return fc.system(scheme, starts, capacity, int(n.max())).steps * live, n, live


def theorem2(_: View) -> Finding:
    """Fewer than p - (n - 1) steps: false for 135 pairs, all with W <= 16; even "at most" is false for 30."""
    starts, capacity = fc.pairs(LARGEST)
    plain, n, _live = _steps("AIMD")
    found, _n, _live = _steps("AIMD-FC")
    p, ours = plain.sum(axis=0), found.sum(axis=0)
    strict, weak = np.asarray(ours >= p - (n - 1)), np.asarray(ours > p - (n - 1))
    printed = fact(
        "AIMD-FC takes fewer than p - (n - 1) increase steps over the n cycles, for every pair",
        not strict.any(),
        judged=f"steps < p - (n - 1), in each of {strict.size} systems",
        **examples(strict, starts, capacity, AIMD=plain.T, FC=found.T),
        largest_W_of_one=int(capacity[strict].max()) if strict.any() else 0,
        more_than_p_less_n_less_1=int(weak.sum()),
        largest_W_of_those=int(capacity[weak].max()) if weak.any() else 0,
    )
    wide = capacity > 16
    instead = both(
        "above W = 16 it does, and below it never takes more steps than AIMD",
        [
            fact(
                f"for every pair with W from 17 to {LARGEST}: fewer than p - (n - 1) steps",
                not (strict & wide).any(),
                judged=f"steps < p - (n - 1), in each of {int(wide.sum())} systems",
                pairs=int(wide.sum()),
            ),
            fact(
                "for every pair: at most p steps",
                bool((ours <= p).all()),
                judged=f"steps <= p, in each of {p.size} systems",
                pairs=int(p.size),
            ),
        ],
    )
    return corrected(printed, instead)


def theorem2_per_cycle(_: View) -> Finding:
    """At least one step less in every cycle after the first: false; the gain is (W - s0)/(2m) in cycle 2 and s0/(4m) in cycle 3."""
    starts, capacity = fc.pairs(LARGEST)
    plain, _n, live = _steps("AIMD")
    found, _n, _live = _steps("AIMD-FC")
    bad = np.asarray(((found > plain - 1) & live)[1:].any(axis=0))
    known = [fc.system(scheme, *HAND, 3).steps.tolist() for scheme in ("AIMD", "AIMD-FC")] + [
        fc.system(scheme, (6.0, 8.0), 16.0, 4).steps.tolist() for scheme in ("AIMD", "AIMD-FC")
    ]
    printed = fact(
        "from the second cycle on each AIMD-FC cycle takes at least one step less, for every pair",
        not bad.any(),
        judged=f"steps <= those of AIMD - 1, in each such cycle of {bad.size} systems",
        **examples(bad, starts, capacity, AIMD=plain.T, FC=found.T),
        steps_from_2_and_3_at_20=known[:2],
        steps_from_6_and_8_at_16=known[2:],
    )
    total = starts.sum(axis=1)
    gain = plain - found
    off = [np.abs(gain[1] - (capacity - total) / 4), np.abs((gain[2] - total / 8)[live[2]])]
    instead = both(
        "no cycle takes more steps; the gain is (W - s0)/(2m) in cycle 2 and s0/(4m) in cycle 3, to the rounding of steps",
        [
            bounded(
                "no cycle of any pair takes more steps than AIMD's",
                "steps less AIMD's",
                found - plain,
                "<=",
                0.0,
            ),
            bounded(
                "cycle 2 gains (W - s0)/4 for two flows, to 1.5 steps",
                "|gain - (W - s0)/4|",
                off[0],
                "<",
                1.5,
                largest_difference=float(off[0].max()),
            ),
            bounded(
                "cycle 3 gains s0/8 for two flows, to 1.5 steps",
                "|gain - s0/8|",
                off[1],
                "<",
                1.5,
                largest_difference=float(off[1].max()),
            ),
        ],
    )
    return corrected(printed, instead)


def gain_per_cycle(_: View) -> Finding:
    """In equilibrium W/2 - W/3 = W/6 steps for one flow, W/(6m) for m."""
    operands = []
    for flows in (1, 3):
        start = [CAPACITY / 30] * flows
        steps = [
            int(synchronous.rounds(name, start, CAPACITY, 60).growth_rounds[-1])
            for name in ("aimd(1, 0.5)", "aimd-fc(1, 0.5)")
        ]
        wanted = CAPACITY / (6 * flows)
        gained = steps[0] - steps[1]
        operands.append(
            fact(
                f"{flows} flows: W/(6m) steps, to 2",
                abs(gained - wanted) <= 2,
                judged=f"|gained - {wanted:g}| <= 2",
                gained=gained,
                wanted=wanted,
            )
        )
    return both("a cycle in equilibrium is W/6 steps shorter for one flow", operands)


def limit(_: View) -> Finding:
    """The decrease frees w/2, at least one step a_I exactly when w >= 2 a_I; below that the controller falls back to AIMD."""
    windows = np.arange(1, 200) / 10
    operands = []
    for a in (1.0, 2.0):
        frees = windows / 2 >= a
        behaves = []
        for window in windows[windows >= 1]:
            top = float(window) + 4 * a
            after = synchronous.rounds(f"aimd-fc({a}, 0.5)", [float(window)], top - a / 2, 1).windows[-1, 0]
            behaves.append(bool(np.isclose(after, window / 2 + 4 * a)))
        operands.append(
            fact(
                f"a_I = {a:g}: w/2 >= a_I is w >= 2 a_I",
                bool((frees == (windows >= 2 * a)).all()),
                judged=f"exactly the same windows, of {windows.size} tried",
            )
        )
        operands.append(
            fact(
                f"a_I = {a:g}: the controller is AIMD-FC from 2 a_I on and AIMD below",
                behaves == (windows[windows >= 1] >= 2 * a).tolist(),
                judged=f"exactly the windows w >= {2 * a:g} fall to w/2 + growth",
            )
        )
    return both("AIMD-FC needs a decrease window of 2 a_I", operands)


def aimd_limit(_: View) -> Finding:
    """A window of one packet stays one packet."""
    after = float(synchronous.rounds("aimd(1, 0.5)", [1.0], 1.0, 1).windows[-1, 0])
    return exactly("a window of 1 packet is not halved", after, 1.0, after=after)

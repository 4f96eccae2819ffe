"""Claims of sections 5 and 6 that need no simulation: the measures of the experiments, and the discussion.

Source: [Lahanas03] sections 5 and 6, equation (17). The measures are put to the product's own functions on the worked example of
``section4``: two flows that deliver 1000 and 500 packets in 10 s with 1 Mbit/s available to each.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from sawtooth.claims.agreement import EQUAL, bounded, close, exactly, near, same
from sawtooth.claims.logic import Finding, both, corrected, fact
from sawtooth.claims.view import View
from sawtooth.measure.metrics import metric
from sawtooth.models import fast_convergence as fc
from sawtooth.models import synchronous
from sawtooth.papers.akella2002.claims.section4 import EXAMPLE
from sawtooth.papers.lahanas2003.claims.section3_fc import CAPACITY, constant_of, low, settled
from sawtooth.papers.studies import load_study


def jain(_: View) -> Finding:
    """(0.8 + 0.4)^2 / (2 (0.8^2 + 0.4^2)) = 0.9."""
    found = metric("jain")(EXAMPLE)
    return same("goodputs of 0.8 and 0.4 have Jain's index 0.9", found, 0.9, found=found)


def goodput(_: View) -> Finding:
    """1500 packets reach the receivers: the goodput metric times the bits that were available in 10 s, over 8000 bit a packet."""
    seconds = (EXAMPLE.end_ns - EXAMPLE.start_ns) / 1e9
    available = EXAMPLE.available_bps * EXAMPLE.flows.rows * seconds
    found = metric("goodput")(EXAMPLE) * available / 8000
    delivered = float(np.sum(EXAMPLE.flows.values("delivered_unique")))
    return fact(
        "the goodput of the example is its 1500 packets delivered in 10 s",
        near(found, delivered) and delivered == 1500,
        judged=f"packets = 1500, to a relative difference of {EQUAL:g}",
        packets=found,
    )


OF_THE_PAPER: Final = ("stationary", "contention", "release")
"""Studies of Figures 6 to 14; the others ask what the paper leaves open, and one of them mixes on purpose."""


def no_mixing(_: View) -> Finding:
    """In every run of Figures 6 to 14, as the study files have them, all test flows run one algorithm."""
    operands = []
    for name in OF_THE_PAPER:
        plan = load_study(f"lahanas2003/{name}").seeded(1).plan()
        laws = [{str(group["control"]) for group in planned.scenario["flows"]} for planned in plan]
        mixed = sum(len(found) > 1 for found in laws)
        operands.append(
            fact(
                f"no run of {name} mixes algorithms",
                bool(laws) and not mixed,
                judged=f"algorithms = 1, in each of {len(laws)} runs",
                runs=len(laws),
                mixed=mixed,
            )
        )
    return both("all flows of a run use the same algorithm", operands)


def two_tactics(_: View) -> Finding:
    """All windows k1 after the first congestion, k1 + k2 after the second, which fills the capacity to one step."""
    operands = []
    for starts, capacity in (([1.0, 30.0], 100.0), ([3.0, 5.0, 70.0, 9.0], 1000.0)):
        found = fc.two_tactics(starts, capacity)
        operands.append(
            fact(
                f"{starts}: equal after one congestion",
                bool(fc.converged_exactly(found[1])),
                judged="all windows = each other, exactly",
            )
        )
        operands.append(
            fact(
                f"{starts}: they fill {capacity:g} after the second, to one step",
                capacity <= found[2].sum() < capacity + len(starts),
                judged=f"{capacity:g} <= total < {capacity + len(starts):g}",
                total=float(found[2].sum()),
            )
        )
    return both("setting windows to k1 and then k1 + k2 is fair in one cycle and full in two", operands)


def newcomers_stuck(_: View) -> Finding:
    """The windows then hold: nothing is free for a new flow, and what a leaving flow frees is not taken up."""
    held = fc.two_tactics([1.0, 30.0, 12.0], 300.0)[-1]
    free = 300.0 - held.sum()
    after_leave = held[:-1].sum()
    shares = {name: low(settled(name)) for name in ("aimd(1, 0.5)", "aimd-fc(1, 0.5)", "aimd-fc+(1, 0.5)")}
    return both(
        "a scheme that releases nothing admits nobody and takes up nothing",
        [
            bounded("nothing is free for a new flow", "free", free, "<=", 0.0, free=float(free)),
            same("when one of three leaves, a third of the capacity stays unused", after_leave, 200.0),
            bounded(
                "the other schemes release after each congestion",
                "kept share of W",
                list(shares.values()),
                "<",
                0.8,
                kept=shares,
            ),
        ],
    )


def room_for_newcomers(_: View) -> Finding:
    """Free just after a decrease: 1/2, 1/3 and 2/9 of W."""
    wanted = {"aimd(1, 0.5)": 1 / 2, "aimd-fc(1, 0.5)": 1 / 3, "aimd-fc+(1, 0.5)": 2 / 9}
    used = {name: settled(name).efficiency() for name in wanted}
    free = {name: 1 - low(settled(name)) for name in wanted}
    ordered = sorted(wanted, key=lambda name: used[name])
    return both(
        "the closer to capacity, the less room",
        [
            *(
                close(f"{name}: {share:.3f} W is free", free[name], share, 3 / CAPACITY, free=free[name])
                for name, share in wanted.items()
            ),
            exactly(
                "the order of use is the opposite of the order of room", ordered, list(wanted), used=used
            ),
        ],
    )


def friendly_variant(_: View) -> Finding:
    """At a_I = 1 only b_D = 0 has the mean of TCP, and there the map does not settle; a_I = 0.6 with b_D = 1/2 matches at equal loss."""
    kept = np.linspace(0.0, 0.99, 100)
    matching = kept[np.isclose(fc.efficiency(kept), float(fc.aimd_efficiency()))]
    after = synchronous.rounds("aimd-fc(1, 0)", [3000.0], CAPACITY, 60).after_decreases()[:, 0]
    printed = both(
        "some b_D gives AIMD-FC with a_I = 1 the throughput of TCP and faster convergence",
        [
            bounded(
                "some b_D has the mean 3/4 W",
                "number of such b_D",
                matching.size,
                ">",
                0.0,
                b_D=matching.tolist(),
            ),
            bounded(
                "with it the window settles",
                "change from one cycle to the next, packets",
                abs(after[-1] - after[-2]),
                "<",
                0.01 * CAPACITY,
                factor=float(fc.settling_factors(0.0)[0]),
                windows_after_decreases=after[-4:].tolist(),
            ),
        ],
    )
    increase = float(fc.compatible_increase(fc.minimum()))
    model = constant_of(settled(f"aimd-fc({increase!r}, 0.5)"))
    cycles = [
        synchronous.converge(name, [50.0, 900.0], 4000.0).cycles
        for name in (f"aimd-fc({increase!r}, 0.5)", "gaimd(0.2, 0.125)")
    ]
    instead = both(
        "with b_D = 1/2 and a_I = 0.6 it has the throughput of TCP at equal loss, and meets in fewer cycles than AIMD(1/5, 1/8)",
        [
            same("the compatible increase is 0.6", increase, 0.6, a_I=increase),
            close("the constant in the model is sqrt(3/2)", model, math.sqrt(1.5), 2e-3, C=model),
            bounded(
                "fewer cycles than the smooth compatible AIMD",
                "cycles",
                cycles[0],
                "<",
                cycles[1],
                cycles=cycles,
            ),
        ],
    )
    return corrected(printed, instead)

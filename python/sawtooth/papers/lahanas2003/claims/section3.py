"""Claims of sections 1 and 3.1: what smoother schemes cost, the cited orders of convergence, and the three measures.

Source: [Lahanas03] sections 1, 3.1, equation (2). Orders are measured on two synchronous flows from W/16 and W/2 to a gap of one
packet, with the controllers of the packet simulator. What the words mean: *order g(W)* holds when steps/g(W) grows by no more than the
factor ``GROWTH`` at the last doubling of W; *order W log W* of a law that approaches it from below holds when doublings of W add alike to
steps/W (``SPREAD``); *later* means more steps for the same start.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np

from sawtooth.claims.agreement import EQUAL, bounded, close, exactly, near, same
from sawtooth.claims.logic import Finding, both, corrected, fact, with_words
from sawtooth.claims.view import View
from sawtooth.claims.words import Word
from sawtooth.models import fast_convergence as fc
from sawtooth.models import synchronous
from sawtooth.papers.lahanas2003.claims.section2 import BETAS

GROWTH: Final = Word(
    "of the order g",
    1.05,
    "largest factor by which steps over g(W) may grow at the last doubling of W; stated beforehand",
)

CAPACITIES: Final = (32, 64, 128, 256, 512)
"""Packets; doublings."""

SPREAD: Final = Word(
    "of the order W log W",
    0.1,
    "part by which what a doubling of W adds to steps/W may differ from the mean over the doublings; for W to the power of 1.1 it would "
    "differ by 20 %; taken after the steps of SIMD were seen",
)

FROM_128: Final = (128, 256, 512, 1024, 2048, 4096, 8192)
"""Packets; doublings. Below 128 the first decrease takes less than half a packet off the smaller window, W/16, and gaps are counted in
whole packets. Taken after the steps of SIMD were seen."""


def steps_to_meet(controller: str, capacity: float) -> int:
    """Steps of two flows from W/16 and W/2 to a gap of one packet. LookupError if they do not come that near."""
    found = synchronous.converge(
        controller, [capacity / 16, capacity / 2], capacity, cycles=_cycles(controller)
    )
    if not found.converges:
        raise LookupError(f"{controller} at W = {capacity:g}: no gap of one packet")
    return found.steps


def _cycles(controller: str) -> int:
    return 2500 if controller == "iiad" else 300


def order(
    text: str, controller: str, scale: Callable[[float], float], capacities: tuple[int, ...]
) -> Finding:
    """Whether the steps over ``scale`` of W grow by at most GROWTH at the last doubling."""
    steps = [steps_to_meet(controller, w) for w in capacities]
    ratios = [count / scale(w) for count, w in zip(steps, capacities, strict=True)]
    exponent = math.log2(steps[-1] / steps[-2])
    found = fact(
        text,
        ratios[-1] <= GROWTH.value * ratios[-2],
        judged=f"steps over the order at W = {capacities[-1]} <= {GROWTH.value:g} times those at {capacities[-2]}",
        W=list(capacities),
        steps=steps,
        steps_over_order=ratios,
        exponent_at_the_last_doubling=exponent,
    )
    return with_words(found, GROWTH)


def logarithmic(text: str, controller: str, capacities: tuple[int, ...]) -> Finding:
    """Whether doublings of W add alike to steps/W, as they do if the steps are of order W log W."""
    per_packet = [steps_to_meet(controller, w) / w for w in capacities]
    added = np.diff(per_packet)
    apart = np.abs(added / added.mean() - 1)
    return both(
        text,
        [
            bounded("each doubling of W adds to steps/W", "what it adds", added, ">", 0.0),
            bounded(
                "each adds about the same", "difference from the mean, as part of it", apart, "<=", SPREAD
            ),
        ],
        W=list(capacities),
        steps_per_packet=per_packet,
        added=added.tolist(),
    )


def conservative_decrease(_: View) -> Finding:
    """As beta falls to 1, utilisation rises and the cycles to fairness rise."""
    return _trade(1.0, "a more conservative decrease uses more of the link and takes longer to be fair")


def higher_oscillation(_: View) -> Finding:
    """As beta grows, utilisation falls and the cycles to fairness fall."""
    return _trade(-1.0, "more oscillation: less utilisation, faster fairness")


def _trade(sign: float, text: str) -> Finding:
    order_of_beta = sorted(BETAS, reverse=sign > 0)
    change = "rise as beta falls" if sign > 0 else "fall as beta grows"
    used = [float(fc.aimd_efficiency(1 / beta)) for beta in order_of_beta]
    cycles = [int(fc.cycles_needed(1000.0, beta)) for beta in order_of_beta]
    measured = [
        synchronous.converge(f"aimd(1, {1 / beta!r})", [50.0, 1000.0], 2000.0, 100).cycles
        for beta in order_of_beta
    ]
    return both(
        text,
        [
            bounded(
                "utilisation (beta + 1)/(2 beta)", change, sign * np.diff(used), ">", 0.0, utilisation=used
            ),
            bounded("cycles log_beta(1000) + 1", change, sign * np.diff(cycles), ">", 0.0, cycles=cycles),
            bounded("cycles in the model", change, sign * np.diff(measured), ">", 0.0, cycles=measured),
        ],
        beta=order_of_beta,
    )


def gaimd_order(_: View) -> Finding:
    """GAIMD keeping 7/8: W log W with base 8/7 = 1.143, printed 1.14."""
    base = 1 / (7 / 8)
    return both(
        "GAIMD keeping 7/8 converges in O(W log_1.14 W)",
        [
            exactly(
                "the base is 8/7, which is 1.14 when truncated", math.floor(100 * base) / 100, 1.14, base=base
            ),
            order(
                "steps / (W log_1.14 W) grows by at most 5 % at the last doubling",
                "gaimd(0.31, 0.125)",
                lambda w: w * math.log(w, base),
                CAPACITIES,
            ),
        ],
    )


def simd_order(_: View) -> Finding:
    """SIMD keeping 15/16: W log W with base 16/15 = 1.067, printed 1.06. From W = 128 to 8192 doublings add alike to steps/W, to 10 %."""
    base = 1 / (15 / 16)
    return both(
        "SIMD keeping 15/16 converges in O(W log_1.06 W)",
        [
            exactly(
                "the base is 16/15, which is 1.06 when truncated",
                math.floor(100 * base) / 100,
                1.06,
                base=base,
            ),
            logarithmic(
                "each doubling of W adds the same to steps / W, to 10 %: steps of order W log W",
                "simd(0.0625)",
                FROM_128,
            ),
        ],
    )


def sqrt_order(_: View) -> Finding:
    """SQRT: W^2 as an upper bound; the measured exponent is about 1.7 and falls toward 3/2."""
    return order(
        "SQRT: steps / W^2 grows by at most 5 % at the last doubling",
        "sqrt(1, 1)",
        lambda w: w**2,
        CAPACITIES,
    )


def iiad_order(_: View) -> Finding:
    """IIAD: each increase step takes the fraction 1/w^2 = 4/W^2 off the gap and no decrease does, so steps = (W^2/4) ln(first gap)."""
    printed = order(
        "IIAD: steps / W^2 grows by at most 5 % at the last doubling", "iiad", lambda w: w**2, CAPACITIES
    )
    steps = [steps_to_meet("iiad", w) for w in CAPACITIES]
    per_square = [count / w**2 for count, w in zip(steps, CAPACITIES, strict=True)]
    gains = np.diff(per_square)
    wanted = math.log(2) / 4
    instead = both(
        "IIAD converges in O(W^2 log W)",
        [
            order(
                "steps / (W^2 ln(7 W/16)) grows by at most 5 % at the last doubling",
                "iiad",
                lambda w: w**2 * math.log(7 * w / 16),
                CAPACITIES,
            ),
            bounded(
                "each doubling of W adds ln(2)/4 to steps / W^2, to 5 %: the logarithm that W^2 misses",
                "|added/(ln(2)/4) - 1|",
                np.abs(gains / wanted - 1),
                "<",
                0.05,
                added=gains.tolist(),
                predicted=wanted,
            ),
        ],
    )
    return corrected(printed, instead)


def friendly_slower(_: View) -> Finding:
    """GAIMD, SIMD, SQRT and IIAD need more steps than AIMD from the same start."""
    steps = {name: steps_to_meet(name, 256) for name in ("aimd(1, 0.5)", *FRIENDLY)}
    own = steps.pop("aimd(1, 0.5)")
    return both(
        "TCP-friendly schemes come together later than AIMD",
        [
            bounded(
                f"{name} takes more steps than AIMD at W = 256",
                "steps",
                count,
                ">",
                own,
                steps=count,
                AIMD=own,
            )
            for name, count in steps.items()
        ],
    )


FRIENDLY: Final = ("gaimd(0.31, 0.125)", "simd(0.0625)", "sqrt(1, 1)", "iiad")


def tcp_three_quarters(_: View) -> Finding:
    """The mean of W/2 to W is 3/4 W."""
    found = synchronous.rounds("aimd(1, 0.5)", [30.0], 90.0, 20).efficiency()
    return both(
        "TCP averages 3/4 of W",
        [
            same("the ramp from 1/2 to 1 has the mean 3/4", fc.aimd_efficiency(0.5), 0.75),
            same("so has the controller in the model", found, 0.75, efficiency=found),
        ],
    )


def tcp_constant(_: View) -> Finding:
    """A cycle of W/2 steps carries 3/8 W^2 = 1/p packets at 3/4 W per step, so rate x sqrt(p) = sqrt(3/2)."""
    found = synchronous.rounds("aimd(1, 0.5)", [3000.0], 9000.0, 12)
    load = found.cycle_load()[:-1]  # the round at the capacity is the loss itself
    measured = load.mean() * math.sqrt(1 / load.sum())
    return both(
        "the constant of TCP is sqrt(3/2)",
        [
            same("3/4 / sqrt(3/8)", 0.75 / math.sqrt(fc.packets_per_cycle(0.5)), math.sqrt(1.5)),
            same("the closed form", fc.constant(0.5), math.sqrt(1.5), constant=float(fc.constant(0.5))),
            close("the model, W = 9000", measured, math.sqrt(1.5), 1e-3, constant=float(measured)),
        ],
    )


def efficiency_measure(_: View) -> Finding:
    """Loads of 50, 75 and 100 packets (a_I = 25) against 100 have a mean of 0.75."""
    found = synchronous.rounds("aimd(25, 0.5)", [50.0], 100.0, 3)
    return fact(
        "50, 75 and 100 packets against 100 are an efficiency of 0.75",
        near(found.cycle_load(), (50, 75, 100)) and near(found.efficiency(), 0.75),
        judged=f"loads = (50, 75, 100) and efficiency = 0.75, to a relative difference of {EQUAL:g}",
        load=found.cycle_load().tolist(),
    )


def responsiveness_measure(_: View) -> Finding:
    """2 and 5 packets against 20, gap 3: 7 increases, a decrease (gap 1.5), 5 increases, a decrease (0.75), which makes 14 steps."""
    found = synchronous.converge("aimd(1, 0.5)", [2.0, 5.0], 20.0, 5)
    return fact(
        "2 and 5 packets against 20 take 14 steps to a gap of one packet",
        found.converges and found.steps == 14 and found.cycles == 2,
        judged="steps = 14 and cycles = 2",
        steps=found.steps,
        cycles=found.cycles,
    )


def smoothness_measure(_: View) -> Finding:
    """A fall from 100 to 80 packets is an oscillation of 0.2."""
    found = synchronous.rounds("aimd(1, 0.8)", [80.0], 100.0, 2)
    return same("a fall from 100 to 80 packets has the size 0.2", found.smoothness(), 0.2)

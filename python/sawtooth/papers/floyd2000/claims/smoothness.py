"""Claims that define controls and measures: AIMD(a, b), TFRC's loss intervals, smoothness, responsiveness, aggressiveness, binomials.

Source: [Floyd00] §1, §2, §5 and §7. A definition holds when the product's own function gives an example worked by hand. What the
paper takes for TFRC from elsewhere (5 round trips, 0.14 and 0.28 packets) is computed here from the average loss interval and compared
within ABOUT.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Final

import numpy as np

from sawtooth.claims.agreement import ABOUT, agree, bounded, epoch, exactly, rounded
from sawtooth.claims.logic import Finding, both, corrected, fact
from sawtooth.claims.view import View
from sawtooth.models import compatibility, padhye, smoothness, tfrc_average, throughput_ratio
from sawtooth.papers.akella2002.claims.section3 import control, relative_decrease, relative_increase
from sawtooth.scenario import units
from sawtooth.scenario.resolve import resolve
from sawtooth.scenario.scenario import parse_scenario

STEADY_INTERVAL: Final = 10_000.0
"""A loss interval, packets, that is long against a round trip's packets."""
STATED_HALVING: Final = 5
STATED_INCREASES: Final = {"normal": (1.0, 0.14), "discounted": (tfrc_average.STRONGEST_DISCOUNT, 0.28)}
"""Discount and stated packets per round trip."""
NEAR_ONE: Final = 0.99
"""A smoothness at which small steps are small."""


def aimd(_: View) -> Finding:
    """AIMD(1/5, 1/8) takes 40 packets to 40.2 in a round trip and to 35 on a loss event."""
    numbers = control("tcp(0.2, 0.125)")
    up = 40 * (1 + relative_increase(numbers, 40.0))
    down = 40 * (1 - relative_decrease(numbers, 40.0))
    return both(
        "AIMD(a, b) adds a and keeps 1 - b",
        [agree("40 packets become 40.2", up, 40.2), agree("and 35 on a loss event", down, 35.0)],
    )


def tcp(_: View) -> Finding:
    """TCP(1, 1/2) is standard TCP, timers and all: the same simulated scenario as the linear control of RFC 5681."""

    def engine(law: str) -> str:
        data = {"bottleneck": {"rate": "10 Mbit/s"}, "flows": [{"control": law}]}
        return resolve(parse_scenario(data, name="definition")).engine_json

    numbers = control("tcp(1, 0.5)")
    return both(
        "TCP(1, 1/2) is TCP",
        [
            exactly(
                "its numbers are those of RFC 5681: one packet per round trip, half on a loss",
                [numbers[name] for name in ("a_i", "b_i", "a_d", "b_d")],
                [1.0, 1.0, 0.0, 0.5],
                found=[numbers[name] for name in ("a_i", "b_i", "a_d", "b_d")],
            ),
            fact(
                "a flow of it is, with timers and backoff, the flow of linear(1, 1, 0, 0.5)",
                engine("tcp(1, 0.5)") == engine("linear(1, 1, 0, 0.5)"),
                judged="what the engine gets = that of linear(1, 1, 0, 0.5), byte for byte",
            ),
            fact(
                "and TCP(1, 1/8) is not",
                engine("tcp(1, 0.125)") != engine("tcp(1, 0.5)"),
                judged="what the engine gets != that of TCP(1, 1/2)",
            ),
        ],
    )


def equation_1(_: View) -> Finding:
    """T = s / (R sqrt(2p/3) + t_RTO 3 sqrt(3p/8) p (1 + 32p²)); worked by hand at p = 6/100, R = 0.1 s, t_RTO = 0.4 s, s = 1000 bytes."""
    by_hand = 1000 / (0.1 * 0.2 + 0.4 * 0.45 * 0.06 * 1.1152)
    ours = float(padhye.tfrc(0.06, 0.1, 0.4, 1000))
    p = np.geomspace(1e-6, 0.9, 50)
    printed = 1000 / (0.1 * np.sqrt(2 * p / 3) + 0.4 * 3 * np.sqrt(3 * p / 8) * p * (1 + 32 * p**2))
    return both(
        "the response function that TFRC uses",
        [
            agree("at p = 0.06, where sqrt(2p/3) = 0.2 and 3 sqrt(3p/8) = 0.45", ours, by_hand),
            agree("the printed expression from p = 1e-6 to 0.9", padhye.tfrc(p, 0.1, 0.4, 1000), printed),
        ],
    )


def loss_event(_: View) -> Finding:
    """Losses at 0, 50, 100, 150, 240 and 1000 ms with a round trip of 100 ms are three loss events, at 0, 150 and 1000 ms."""
    found = tfrc_average.loss_events([0.0, 0.05, 0.1, 0.15, 0.24, 1.0], 0.1)
    return exactly("losses within a round trip count once", found, [0.0, 0.15, 1.0], events=found)


def loss_interval(_: View) -> Finding:
    """p is 1 over the weighted average of the last eight intervals: 10 to 80 packets, newest shortest, give 240/6 = 40."""
    closed = [10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0]
    by_hand = (10 + 20 + 30 + 40 + 40 + 36 + 28 + 16) / 6
    return both(
        "the loss event rate is 1 over the average loss interval",
        [
            agree("intervals of 10 to 80 packets", tfrc_average.loss_event_rate(closed), 1 / by_hand),
            agree("a ninth does not count", tfrc_average.loss_event_rate([*closed, 1e6]), 1 / by_hand),
            agree("eight equal intervals of 50 packets", tfrc_average.loss_event_rate([50.0] * 8), 0.02),
        ],
    )


def define_smoothness(_: View) -> Finding:
    """The largest one-round fall in the steady state, as the fraction kept: 1 - b for TCP(a, b), 1 for TFRC."""
    operands = []
    for a, b in (("1", "1/2"), ("1/5", "1/8"), ("3/7", "1/4")):
        windows = [float(w) for w in epoch(Fraction(a), Fraction(b), Fraction(240))] * 2
        fall = min(after / before for before, after in pairwise(windows))
        operands.append(
            agree(f"AIMD({a}, {b}) round by round", smoothness.smoothness(float(Fraction(b))), fall)
        )
    return both("smoothness", [*operands, _steady_tfrc()])


def _steady_tfrc() -> Finding:
    """Under regular losses the average interval does not move, whatever the open interval has reached."""
    closed = [STEADY_INTERVAL] * tfrc_average.INTERVALS
    rates = [
        tfrc_average.square_root_rate(tfrc_average.average_interval(closed, share * STEADY_INTERVAL))
        for share in (0.0, 0.1, 0.5, 0.9, 1.0)
    ]
    return agree("TFRC keeps all of its rate under regular losses", min(rates) / max(rates), 1.0)


def define_responsiveness(_: View) -> Finding:
    """Round trips of sustained congestion to halve the rate: log(0.5)/log(1 - b) for TCP(a, b), 5 for TFRC."""
    return both(
        "responsiveness",
        [
            *(
                agree(
                    f"(1 - {b:g}) to that power is 1/2", (1 - b) ** float(smoothness.responsiveness(b)), 0.5
                )
                for b in (0.5, 0.25, 0.125)
            ),
            exactly(
                "TFRC's average of eight intervals, a loss event per round trip",
                tfrc_average.rounds_to_halve(STEADY_INTERVAL),
                STATED_HALVING,
                rounds=tfrc_average.rounds_to_halve(STEADY_INTERVAL),
            ),
        ],
    )


def define_aggressiveness(_: View) -> Finding:
    """The largest one-round rise without congestion: a for TCP(a, b), 0.14 or with discounting 0.28 packets for TFRC."""
    numbers = control("tcp(0.2, 0.125)")
    operands = [
        agree(
            "TCP(1/5, 1/8) at 40 packets, by its controller",
            smoothness.aggressiveness(0.2),
            40 * relative_increase(numbers, 40.0),
        )
    ]
    averages = np.geomspace(10, 1e8, 60)
    for name, (discount, stated) in STATED_INCREASES.items():
        weight = tfrc_average.newest_weight(discount)
        largest = float(np.max(tfrc_average.increase(averages, weight)))
        operands += [
            agree(
                f"TFRC, {name}: c²w/2 is the largest rise over average intervals from 10 to 10⁸ packets",
                largest,
                tfrc_average.increase_limit(weight),
                within=1e-3,
            ),
            agree(f"TFRC, {name}: about the stated value", largest, stated, within=ABOUT, weight=weight),
        ]
    return both("aggressiveness, in packets per round trip", operands)


def any_aimd_oscillates(_: View) -> Finding:
    """The window of any AIMD moves between (1 - b)W and W; the rate of TFRC stays under regular losses."""
    b = np.linspace(0.01, 0.99, 99)
    return both(
        "AIMD oscillates and TFRC does not",
        [
            bounded(
                "peak over trough is above 1 for b from 0.01 to 0.99",
                "peak over trough",
                1 / smoothness.smoothness(b),
                ">",
                1.0,
                least=float(np.min(1 / smoothness.smoothness(b))),
            ),
            _steady_tfrc(),
        ],
    )


def smoother_below_half(_: View) -> Finding:
    """With b below 1/2 the rate falls less sharply than TCP's."""
    b = np.linspace(0.0, 0.5, 501)[:-1]
    return bounded(
        "the fraction kept is above that of b = 1/2, for b from 0 to below 1/2",
        "fraction kept",
        smoothness.smoothness(b),
        ">",
        float(smoothness.smoothness(0.5)),
        least=float(np.min(smoothness.smoothness(b))),
    )


def responsiveness_formula(_: View) -> Finding:
    """log(0.5)/log(1 - b) round trips: 1, 2.41 and 5.19 for b = 1/2, 1/4, 1/8."""
    operands = []
    for b, printed in ((0.5, 1.0), (0.25, 2.41), (0.125, 5.19)):
        ours = float(smoothness.responsiveness(b))
        operands += [
            agree(f"the printed expression for b = {b:g}", ours, math.log(0.5) / math.log(1 - b)),
            rounded(f"round trips for b = {b:g}", ours, printed, 2),
        ]
    return both("round trips of persistent congestion to halve the rate", operands)


def responsiveness_eighth(_: View) -> Finding:
    """More than five round trips for b = 1/8."""
    rounds = float(smoothness.responsiveness(0.125))
    return both(
        "b = 1/8",
        [
            bounded("more than five round trips", "log(0.5)/log(7/8)", rounds, ">", 5.0, rounds=rounds),
            bounded(
                "after five the rate is above half", "(7/8)^5", (7 / 8) ** 5, ">", 0.5, left=(7 / 8) ** 5
            ),
        ],
    )


def responsiveness_quarter(_: View) -> Finding:
    """Three whole round trips for b = 1/4."""
    rounds = float(smoothness.responsiveness(0.25))
    return exactly("2.41, so three whole round trips", math.ceil(rounds), 3, rounds=rounds)


def figure_7_top(_: View) -> Finding:
    """TFRC at (5, 1) lies above the line of TCP(a, b), which is at 0.8706 there."""
    halved = tfrc_average.rounds_to_halve(STEADY_INTERVAL)
    line = float(smoothness.smoothness(smoothness.removed_at_responsiveness(halved)))
    return both(
        "smoothness over responsiveness",
        [
            rounded("the line of TCP(a, b) at TFRC's responsiveness", line, 0.8706, 4),
            bounded(
                "TFRC, with smoothness 1, lies above it",
                "the line",
                line,
                "<",
                1.0,
                responsiveness=halved,
                line=line,
            ),
        ],
    )


def figure_7_bottom(_: View) -> Finding:
    """TFRC is about as aggressive as the compatible TCP(1/5, 1/8) and smoother."""
    halved = tfrc_average.rounds_to_halve(STEADY_INTERVAL)
    b = float(smoothness.removed_at_responsiveness(halved))
    a = float(compatibility.compatible_increase(b))
    low, high = (
        float(tfrc_average.increase_limit(tfrc_average.newest_weight(discount)))
        for discount, _stated in STATED_INCREASES.values()
    )
    return both(
        "aggressiveness over responsiveness",
        [
            rounded("a of the compatible law with TFRC's responsiveness", a, 0.2076, 4),
            fact(
                "it lies between the stated 0.14 and 0.28",
                0.14 < a < 0.28,
                judged="0.14 < a < 0.28",
                a=a,
                b=b,
            ),
            fact(
                "and between the computed rises of TFRC",
                low < a < high,
                judged=f"{low:.4g} < a < {high:.4g}",
                low=low,
                high=high,
            ),
            bounded(
                "TFRC is smoother than TCP(1/5, 1/8)",
                "smoothness of TCP(1/5, 1/8)",
                float(smoothness.smoothness(0.125)),
                "<",
                1.0,
            ),
        ],
    )


def bin_of_two_round_trips(_: View) -> Finding:
    """0.2 s is about twice a round trip of 44 to 64 ms and 33 ms of queue."""
    base = (units.parse_time("44 ms") + units.parse_time("64 ms")) / 2
    trips = units.parse_time("0.2 s") / (base + units.parse_time("33 ms"))
    return both(
        "the 0.2 s bin",
        [
            rounded("bins in typical round trips", trips, 2.3, 1),
            exactly("which is two to the nearest whole number", round(trips), 2),
        ],
    )


def ratio_of_adjacent(_: View) -> Finding:
    """Rates 10, 5, 5, 7.5, 0, 3 give ratios 0.5, 1, 1.5, 0 (none after an empty interval); 20 bins of 0.1."""
    ratios = throughput_ratio.throughput_ratios([10, 5, 5, 7.5, 0, 3])
    shares = throughput_ratio.histogram(ratios)
    wanted = np.zeros(20)
    wanted[[0, 5, 10, 15]] = 0.25
    return both(
        "throughput ratio",
        [
            exactly("T_i over T_(i-1)", ratios.tolist(), [0.5, 1.0, 1.5, 0.0], ratios=ratios.tolist()),
            fact(
                "20 bins of 0.1 from 0",
                np.array_equal(shares, wanted),
                judged="exactly 0.25 in those of 0, 0.5, 1 and 1.5, 0 in the others",
                shares=shares.tolist(),
            ),
        ],
    )


def binomial(_: View) -> Finding:
    """W -> W + α/W^k and W -> W - βW^l; AIMD is k = 0, l = 1. SQRT at 16 packets: 16.25 and 13.6; IIAD: 16 1/16 and 15.4."""
    return both(
        "binomial controls",
        [
            agree("SQRT, α = 1: 16 becomes 16.25", smoothness.binomial_increased(16, 0.5, 1.0), 16.25),
            agree("SQRT, β = 0.6: 16 becomes 13.6", smoothness.binomial_decreased(16, 0.5, 0.6), 13.6),
            agree("IIAD, α = 1: 16 becomes 16 1/16", smoothness.binomial_increased(16, 1, 1.0), 16.0625),
            agree("IIAD, β = 0.6: 16 becomes 15.4", smoothness.binomial_decreased(16, 0, 0.6), 15.4),
            agree("k = 0 is AIMD's increase", smoothness.binomial_increased(40, 0, 0.2), 40.2),
            agree("l = 1 is AIMD's decrease", smoothness.binomial_decreased(40, 1, 0.125), 35.0),
        ],
    )


def binomial_line(_: View) -> Finding:
    """All binomial controls are said to lie on the line of AIMD in smoothness over responsiveness."""
    window, rest = 1000.0, 1 - NEAR_ONE
    aimd_rounds = float(smoothness.responsiveness(rest))
    rounds = {
        power: smoothness.binomial_responsiveness(window, power, rest * window ** (1 - power))
        for power in (1.0, 0.5, 0.0)
    }
    said = both(
        f"at smoothness {NEAR_ONE} every binomial control needs the round trips of AIMD",
        [agree(f"l = {power:g}", found, aimd_rounds, within=1e-3) for power, found in rounds.items()],
    )
    constants = {power: float(smoothness.halving_constant(power)) for power in rounds}
    instead = both(
        "the lines have one shape, round trips = c/(1 - smoothness), with c from 0.5 at l = 0 to 0.693 at l = 1",
        [
            agree(
                f"l = {power:g}: c",
                found * rest,
                constants[power],
                within=0.01,
            )
            for power, found in rounds.items()
        ],
    )
    return corrected(said, instead)


def binomial_aggressiveness(_: View) -> Finding:
    """The increase of binomial controls depends on the window: α/W^k, so at 10 and 100 packets it differs unless k = 0."""
    operands = []
    for name, k in (("SQRT", 0.5), ("IIAD", 1.0)):
        small, large = (float(smoothness.binomial_aggressiveness(w, k, 1.0)) for w in (10, 100))
        operands.append(
            agree(f"{name} grows 10^{k:g} times slower at ten times the window", small / large, 10**k)
        )
    flat = [float(smoothness.binomial_aggressiveness(w, 0, 1.0)) for w in (10, 100)]
    return both(
        "aggressiveness of binomial controls",
        [*operands, agree("AIMD, k = 0, does not depend on it", flat[0], flat[1])],
    )

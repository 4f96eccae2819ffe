"""Claims about laws beside TCP: which are compatible, what share the others take, what drop rate they bring about.

Source: [Floyd00] §3.2, §4, §6 and §7. Equation 9 is exact: a law enters the response function through b/(a(2 - b)) alone. The range of a
that §3.2 gives for the exact form comes of sqrt(3)/4 = 0.4330 rounded to 0.43; the check shows both.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from sawtooth.claims.agreement import ABOUT, EQUAL, agree, bounded, difference, rounded
from sawtooth.claims.logic import Finding, both, corrected, fact, with_words
from sawtooth.claims.view import View
from sawtooth.claims.words import Word
from sawtooth.models import compatibility, response, synchronous

REMOVED: Final = np.array([0.02, 0.125, 0.25, 0.5, 0.75, 0.95])
DROPS: Final = np.geomspace(1e-6, 0.9, 40)
RARE: Final = 1e-12
"""A drop rate at which ratios have reached their limits."""
LIMIT: Final = Word(
    "approaches",
    1e-5,
    f"a ratio approaches its limit: relative difference at most this where losses are rare (p = {RARE:g}, or 10⁹ packets per round trip)",
)
PRINTED_RANGE: Final = {0.001: 0.197, 0.5: 0.192}
"""a for b = 1/8 by drop rate, as §3.2 gives it."""
SHORT_CONSTANT: Final = 0.43
"""The paper's sqrt(3)/4."""
RATES: Final = (5.0, 10.0, 50.0)
"""Packets per round trip: 5 is a flow of the paper's simulations at 4 % drops, 50 one of a path ten times faster."""

CONVERGING: Final = {
    "AIMD": "binomial(0, 1, 1, 0.5)",
    "SQRT": "binomial(0.5, 0.5, 1, 1)",
    "IIAD": "binomial(1, 0, 1, 1)",
}
APART: Final = {"AIAD": "binomial(0, 0, 1, 1)", "MIMD": "binomial(-1, 1, 0.05, 0.5)"}
FAIR: Final = Word(
    "close to fairness", 1.1, "the larger window over the smaller, below this after many losses"
)
UNFAIR: Final = Word(
    "not close to fairness", 1.5, "the larger window over the smaller, above this after many losses"
)
CAPACITY, CYCLES = 200.0, 400
"""Windows that fill the link in the synchronous model, packets, and losses until the windows are compared."""


def _solved(b: float, p: float, wanted: float) -> float:
    """a with which AIMD(a, b) has the exact rate ``wanted``, packets per round trip, at p: found by bisection, not by a formula."""
    from scipy.optimize import brentq  # slow to load

    return float(brentq(lambda a: float(response.rate(a, b, p)) - wanted, 1e-3, 10.0, xtol=1e-14))


def _short_tcp(p: float) -> float:
    """The exact rate of AIMD(1, 1/2) as the paper prints it, with its constant of two digits."""
    return SHORT_CONSTANT * math.sqrt(3 * p + 8) / math.sqrt(p) - 0.75


def equation_9(_: View) -> Finding:
    """a = 3b/(2 - b) gives the approximate response function of TCP; and, which the paper does not say, the exact one at every p."""
    a = compatibility.compatible_increase(REMOVED)[:, None]
    b = REMOVED[:, None]
    return both(
        "a = 3b/(2 - b) is compatible with AIMD(1, 1/2)",
        [
            agree("the product's a", a[:, 0], 3 * REMOVED / (2 - REMOVED)),
            agree(
                "equal approximate response functions",
                response.approximate_rate(a, b, DROPS),
                np.broadcast_to(response.approximate_rate(1, 0.5, DROPS), (len(REMOVED), len(DROPS))),
            ),
            agree(
                "equal exact response functions, from p = 1e-6 to 0.9",
                response.rate(a, b, DROPS),
                np.broadcast_to(response.rate(1, 0.5, DROPS), (len(REMOVED), len(DROPS))),
            ),
        ],
    )


def compatible_pairs(_: View) -> Finding:
    """b = 1/4 goes with a = 3/7, b = 1/8 with a = 1/5."""
    return both(
        "the two pairs named",
        [
            agree(f"a for b = {b:g}", compatibility.compatible_increase(b), a)
            for b, a in ((0.25, 3 / 7), (0.125, 0.2))
        ],
    )


def exact_increase_range(_: View) -> Finding:
    """With the exact response function a for b = 1/8 is said to fall from 0.197 to 0.192 as p goes from 0.001 to 0.5."""
    solved = {p: _solved(0.125, p, float(response.rate(1, 0.5, p))) for p in PRINTED_RANGE}
    short = {p: _solved(0.125, p, _short_tcp(p)) for p in PRINTED_RANGE}
    said = both(
        "a solved from equal exact response functions is the printed one",
        [rounded(f"a at p = {p:g}", solved[p], printed, 3) for p, printed in PRINTED_RANGE.items()],
    )
    everywhere = [_solved(0.125, float(p), float(response.rate(1, 0.5, float(p)))) for p in DROPS]
    instead = both(
        "a is 1/5 at every drop rate; the printed range comes of rounding sqrt(3)/4 to 0.43",
        [
            agree(
                "a solved at 40 drop rates from 1e-6 to 0.9",
                everywhere,
                np.full(len(DROPS), 0.2),
                within=1e-6,
            ),
            *(
                rounded(f"a at p = {p:g} with the constant 0.43", short[p], printed, 3)
                for p, printed in PRINTED_RANGE.items()
            ),
        ],
    )
    return corrected(said, instead)


def exact_increase_quarter(_: View) -> Finding:
    """For b = 1/4 the exact increase is similar to 3/7: it is 3/7."""
    solved = [_solved(0.25, p, float(response.rate(1, 0.5, p))) for p in PRINTED_RANGE]
    short = [_solved(0.25, p, _short_tcp(p)) for p in PRINTED_RANGE]
    return agree(
        "a solved at p = 0.001 and 0.5 is 3/7", solved, [3 / 7] * len(solved), within=1e-6, with_0_43=short
    )


def predicts_equal_shares(_: View) -> Finding:
    """The deterministic model predicts that TCP(1/5, 1/8) shares equally with TCP."""
    ratio = compatibility.exact_throughput_ratio(0.2, 0.125, DROPS)
    return both(
        "TCP(1/5, 1/8) beside TCP",
        [
            agree("ratio of equation 10", compatibility.throughput_ratio(0.2, 0.125), 1.0),
            agree("ratio of the exact response functions at every p", ratio, np.ones(len(DROPS))),
        ],
    )


def equation_10(_: View) -> Finding:
    """Bandwidth over TCP's in a FIFO queue: sqrt((2 - b)a/(3b)), for rare losses."""
    printed = {(1.0, 0.125): 2.236, (0.4, 0.125): 1.414, (0.2, 0.125): 1.0}
    operands = []
    for (a, b), wanted in printed.items():
        ratio = float(compatibility.throughput_ratio(a, b))
        exact = compatibility.exact_throughput_ratio(a, b, [0.005, 0.01, 0.02, 0.04, 0.1])
        operands += [
            agree(f"sqrt((2 - b)a/(3b)) for ({a:g}, {b:g})", ratio, math.sqrt((2 - b) * a / (3 * b))),
            rounded(f"printed ratio of ({a:g}, {b:g})", ratio, wanted, 3),
            agree(
                f"the exact ratio of ({a:g}, {b:g}) approaches it for rare losses",
                compatibility.exact_throughput_ratio(a, b, RARE),
                ratio,
                within=LIMIT,
                at_0_005_to_0_1=[round(float(x), 3) for x in exact],
            ),
        ]
    return both("equation 10", operands)


def drop_rate_of_tcp(_: View) -> Finding:
    """AIMD(1, 1/2) is held at T by p = 1.5/(R²T²)."""
    return _held_at(1.0, 0.5, lambda rate: 1.5 / rate**2)


def drop_rate_of_law(_: View) -> Finding:
    """AIMD(a, b) is held at T by p = (2 - b)a/(2b R²T²)."""
    return both(
        "drop rate that holds AIMD(a, b)",
        [
            _held_at(a, b, lambda rate, a=a, b=b: (2 - b) * a / (2 * b * rate**2))
            for a, b in ((1.0, 0.125), (0.4, 0.125), (0.2, 0.125), (3 / 7, 0.25))
        ],
    )


def _held_at(a: float, b: float, printed: object) -> Finding:
    rates = np.geomspace(3, 1e4, 30)
    wanted = np.array([printed(rate) for rate in rates])  # type: ignore[operator]
    back = response.approximate_rate(a, b, np.minimum(wanted, 0.999))
    fits = wanted < 0.999
    return both(
        f"drop rate that holds AIMD({a:g}, {b:g}) at RT packets per round trip",
        [
            agree(
                "the printed expression is the product's", response.approximate_drop_rate(a, b, rates), wanted
            ),
            agree("equation 7 gives the rate back", back[fits], rates[fits]),
        ],
    )


def equation_11(_: View) -> Finding:
    """Ratio of drop rates at equal throughput: (2 - b)a/(3b), for large rates."""
    operands = []
    for a, b in ((1.0, 0.125), (0.4, 0.125), (0.2, 0.125), (3 / 7, 0.25)):
        ratio = float(compatibility.drop_rate_ratio(a, b))
        exact = compatibility.exact_drop_rate_ratio(a, b, RATES)
        operands += [
            agree(f"(2 - b)a/(3b) for ({a:g}, {b:g})", ratio, (2 - b) * a / (3 * b)),
            agree(
                f"the exact ratio of ({a:g}, {b:g}) approaches it for large rates",
                compatibility.exact_drop_rate_ratio(a, b, 1e9),
                ratio,
                within=LIMIT,
                at_5_10_50_packets=[round(float(x), 2) for x in exact],
            ),
        ]
    return both("equation 11", operands)


def root_of_five(_: View) -> Finding:
    """TCP(1, 1/8) should get sqrt(5) = 2.23 times the bandwidth of TCP."""
    ratio = float(compatibility.throughput_ratio(1, 0.125))
    return both(
        "equation 10 for TCP(1, 1/8)",
        [agree("it is sqrt(5)", ratio, math.sqrt(5)), rounded("printed, cut to two digits", ratio, 2.23, 2)],
    )


def five_times_the_drops(_: View) -> Finding:
    """A network of AIMD(1, 1/8) has about five times the drop rate of one of AIMD(1, 1/2)."""
    limit = float(compatibility.drop_rate_ratio(1, 0.125))
    exact = [float(x) for x in compatibility.exact_drop_rate_ratio(1, 0.125, RATES)]
    rates = np.geomspace(1, 1e4, 4000)
    ratios = compatibility.exact_drop_rate_ratio(1, 0.125, rates)
    enough = float(rates[np.argmax(np.abs(ratios / 5 - 1) <= ABOUT.value)])
    said = both(
        f"about five times: within {100 * ABOUT.value:.0f} %",
        [
            agree("by equation 11", limit, 5.0),
            *(
                with_words(
                    fact(
                        f"by the exact model at {rate:g} packets per round trip",
                        difference(value, 5.0) <= ABOUT.value,
                        judged=f"|ratio/5 - 1| <= {ABOUT.value:g}",
                        ratio=value,
                    ),
                    ABOUT,
                )
                for rate, value in zip(RATES, exact, strict=True)
            ),
        ],
    )
    instead = both(
        f"the ratio rises towards five with the rate and is about five from {enough:.0f} packets per round trip on",
        [
            bounded(
                "it rises with the rate",
                "growth of the ratio",
                np.diff(ratios),
                ">",
                0.0,
                at_5_10_50_packets=exact,
            ),
            bounded("and stays below five", "ratio", ratios, "<", 5.0, limit=limit),
            bounded(
                f"from {enough:.0f} packets on it is within {100 * ABOUT.value:.0f} %",
                "|ratio/5 - 1|",
                np.abs(ratios[rates >= enough] / 5 - 1),
                "<=",
                ABOUT.value + EQUAL,
            ),
        ],
    )
    return corrected(said, instead)


def many_in_one(_: View) -> Finding:
    """One AIMD flow can take the share of N TCP flows: a = N² at b = 1/2."""
    operands = []
    for flows in (1, 2, 5, 20):
        for b in (0.5, 0.125):
            a = float(compatibility.increase_of_many(flows, b))
            operands.append(
                agree(
                    f"AIMD({a:g}, {b:g}) takes the share of {flows}",
                    compatibility.throughput_ratio(a, b),
                    flows,
                )
            )
        at_half = compatibility.increase_of_many(flows, 0.5)
        operands.append(agree(f"a at b = 1/2 for {flows}", at_half, flows**2))
    return both("parameters that make one flow count as N", operands)


def binomial_convergence(_: View) -> Finding:
    """Two flows that lose together, in the synchronous model: the ratio of their windows after many losses."""

    def final(control: str) -> float:
        windows = synchronous.rounds(control, [20.0, 150.0], CAPACITY, CYCLES).windows[-1]
        return float(max(windows) / min(windows))

    begin = 150 / 20
    near = [
        bounded(
            f"{name} comes close to fairness", "ratio of the windows", final(c), "<", FAIR, ratio=final(c)
        )
        for name, c in CONVERGING.items()
    ]
    apart = [
        bounded(
            f"{name} does not", "ratio of the windows", final(c), ">", UNFAIR, ratio=final(c), at_first=begin
        )
        for name, c in APART.items()
    ]
    return both("some binomial controls converge under synchronised losses, and some do not", [*near, *apart])

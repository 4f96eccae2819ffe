"""Claims of section 3: the scores, the choice of algorithms, the set-up.

Source: [Akella02] section 3, Table 1, footnotes 3 and 4. A definition holds when the product's own function gives an example
worked by hand; the examples stand here as numbers. Tolerances: ``cbr_loss_slight``, ``order_agrees``.

The ten per cent rules speak of the smallest window that is ever increased (12.5 packets at 1 Mbit/s, 100 ms) and of the smallest that is
ever decreased (twice that, path and buffer full); ``relative_increase`` and ``relative_decrease`` apply a control to a window.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Mapping
from typing import Final

import numpy as np

from sawtooth import _native
from sawtooth.claims.agreement import bounded
from sawtooth.claims.logic import Finding, Verdict, both, corrected, fact, inequality
from sawtooth.claims.orders import orders_alike
from sawtooth.claims.view import View
from sawtooth.experiment.scoring import difference_by_identity, distances, score
from sawtooth.papers.akella2002.four import FOUR
from sawtooth.papers.akella2002.printed import EnvironmentRow, appendix, environments, figures

RULE: Final = 0.1
"""The paper's ten per cent."""

RATE_BPS: Final = 1_000_000
PACKET_BITS: Final = 8_000
RTT_LONG_MS, RTT_SHORT_MS, RTT_STATED_MS = 120, 96, 100
SMALLEST_INCREASED: Final = 12.5
"""Packets in flight at 1 Mbit/s and 100 ms."""
SMALLEST_DECREASED: Final = 25.0
"""Twice that: the path and an equal buffer are full when the first packet is lost."""

# Three algorithms in two environments, one seed. Distances by hand:
#   goodput (more is better): best 0.9, 0.8; d = (0, 0.3), (0.2, 0), (0.3, 0.4); D = 0.3, 0.2, 0.7; C = 0.3, 0.2, 0.4
#   the same numbers as a loss (less is better): best 0.6, 0.4; d = (0.3, 0.1), (0.1, 0.4), (0, 0)
EXAMPLE: Final = np.array([[[0.9], [0.5]], [[0.7], [0.8]], [[0.6], [0.4]]])
NAMES: Final = ("a", "b", "c")
PLACES: Final = ("e", "f")


def _near(a: object, b: object) -> bool:
    return bool(
        np.allclose(np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64), rtol=0, atol=1e-12)
    )


def _same(text: str, ours: object, wanted: object, **numbers: object) -> Finding:
    return fact(text, _near(ours, wanted), judged="largest difference <= 1e-12", **numbers)


def best_over_set(_: View) -> Finding:
    """The best of an environment has distance 0: the maximum for goodput, the minimum for loss."""
    more = distances(EXAMPLE, higher_is_better=True)[:, :, 0]
    less = distances(EXAMPLE, higher_is_better=False)[:, :, 0]
    return both(
        "the best is the maximum over the set for goodput and the minimum where less is better",
        [
            _same("goodput: distance 0 at a in e, at b in f", (more[0, 0], more[1, 1]), (0, 0)),
            _same("less is better: distance 0 at c in both", less[2], (0, 0)),
        ],
    )


def distance(_: View) -> Finding:
    """d = |best - own|, never negative, by hand for three algorithms and two environments."""
    more = distances(EXAMPLE, higher_is_better=True)[:, :, 0]
    less = distances(EXAMPLE, higher_is_better=False)[:, :, 0]
    return both(
        "d is the distance from the best",
        [
            _same("goodput", more, [[0, 0.3], [0.2, 0], [0.3, 0.4]], d=more.tolist()),
            _same("less is better", less, [[0.3, 0.1], [0.1, 0.4], [0, 0]], d=less.tolist()),
            bounded("never negative", "d", np.concatenate([more, less]), ">=", 0.0),
        ],
    )


def worst_case(_: View) -> Finding:
    """C is the largest d over the environments."""
    found = [item.C.mean for item in score("goodput", EXAMPLE, NAMES, PLACES)]
    return _same("C of the example is 0.3, 0.2, 0.4", found, (0.3, 0.2, 0.4), C=found)


def total(_: View) -> Finding:
    """D is the sum of d over the environments; the printed tables can only be sums."""
    found = [item.D.mean for item in score("goodput", EXAMPLE, NAMES, PLACES)]
    pairs = [(row.values["D_goodput"], row.values["C_goodput"]) for row in figures()]
    pairs += [(row.D, row.C) for row in appendix() if not row.note]
    above = sum(D >= C for D, C in pairs)
    exchanged = sum("exchanged" in row.note for row in appendix())
    return both(
        "D is a sum",
        [
            _same("D of the example is 0.3, 0.2, 0.7", found, (0.3, 0.2, 0.7), D=found),
            fact(
                "the printed D is at least the printed C, which a mean over 13 could not be",
                above == len(pairs),
                judged=f"D >= C, in each of {len(pairs)} printed pairs",
                pairs=len(pairs),
                at_least=above,
                printed_the_other_way_round=exchanged,
            ),
        ],
    )


def identity(_: View) -> Finding:
    """D_a - D_b is the same whoever else is compared, and equals the sum of the differences."""
    of_three = {item.algorithm: item.D.mean for item in score("goodput", EXAMPLE, NAMES, PLACES)}
    of_two = {item.algorithm: item.D.mean for item in score("goodput", EXAMPLE[:2], NAMES[:2], PLACES)}
    direct = float(difference_by_identity(EXAMPLE, 0, 1, higher_is_better=True)[0])
    numbers = (of_three["a"] - of_three["b"], of_two["a"] - of_two["b"], direct)
    return _same(
        "D_a - D_b = 0.1 among three, among two, and as sum of s_b - s_a",
        numbers,
        (0.1, 0.1, 0.1),
        among_three=numbers[0],
        among_two=numbers[1],
        sum_of_differences=direct,
    )


def ratio_form(view: View) -> Finding:
    """The ratio form orders the four in goodput as the difference does, in each setting."""
    return both(
        "ratio and difference order the four alike in goodput",
        [
            orders_alike(
                f"rho of the orders by D_goodput, as ratio and as difference, {setting}",
                view.ratio_D(setting),
                np.stack([view.D(setting, name, "goodput") for name in FOUR]),
                view.tolerance("order_agrees"),
            )
            for setting in view.settings
        ],
    )


def window_packets(rate_bps: int, rtt_ms: int, packet_bits: int = PACKET_BITS) -> float:
    """Packets in flight that fill a path: rate x round-trip time / packet."""
    return rate_bps * rtt_ms / 1000 / packet_bits


def path_of_least_rate() -> Finding:
    """1 Mbit/s, 96 to 120 ms and packets of 1000 B make 12 to 15 packets."""
    low, high = window_packets(RATE_BPS, RTT_SHORT_MS), window_packets(RATE_BPS, RTT_LONG_MS)
    return _same(
        "12 to 15 packets at 1 Mbit/s, 96 to 120 ms, 1000 B", (low, high), (12, 15), low=low, high=high
    )


def lowest_increment_window(_: View) -> Finding:
    """1 Mbit/s at 96 to 120 ms holds 12 to 15 packets, and no environment of Table 2 offers a flow less than 1 Mbit/s.

    The second part is what *no window below that* needs: a path that holds fewer packets has smaller windows that grow. Environments
    5 to 10 go below 1 Mbit/s by their own definition, and our runs have windows of 11 packets that grow.
    """
    printed = both(
        "no window below 12 to 15 packets is increased", [path_of_least_rate(), _none_offers_less()]
    )
    instead = fact(
        "in the constant and the square environments no path holds fewer than 12 packets",
        _steady_offer_least_rate(),
        judged="least rate >= 1 Mbit/s, in each of these",
    )
    return corrected(printed, instead)


def _none_offers_less() -> Finding:
    lower = [row.name for row in environments() if least_rate(row) < RATE_BPS / 1e6]
    return fact(
        "no environment offers less than 1 Mbit/s",
        not lower,
        judged="least rate >= 1 Mbit/s, in each environment of Table 2",
        these_do=lower,
    )


def _steady_offer_least_rate() -> bool:
    """Whether no constant and no square environment offers a flow less than 1 Mbit/s."""
    return all(
        least_rate(row) >= RATE_BPS / 1e6 for row in environments() if row.kind in ("constant", "square")
    )


def least_rate(row: EnvironmentRow) -> float:
    """The least bandwidth per flow of an environment, Mbit/s, as Table 2 defines it; infinite where short flows decide."""
    if row.kind in ("constant", "square"):
        return row.low_mbps if row.low_mbps is not None else math.inf
    return math.inf if row.b0_mbps is None else 0.0  # walks and draws reach down to nothing


def full_at_least_rate() -> Finding:
    """Path and buffer together hold twice that, from 100 ms on: 25 to 30 packets."""
    low, high = 2 * window_packets(RATE_BPS, RTT_STATED_MS), 2 * window_packets(RATE_BPS, RTT_LONG_MS)
    return _same("25 to 30 packets when path and buffer are full", (low, high), (25, 30), low=low, high=high)


EARLY: Final = ("red", "ecn")
"""Routers that signal before their buffer is full."""


def lowest_decrement_window(_: View) -> Finding:
    """Path and full buffer hold 25 to 30 packets at 1 Mbit/s, no environment of Table 2 offers less, and no router signals earlier.

    The last two are what *no window below that* needs. RED and ECN exist to signal before the buffer is full. In a run of AIMD with SACK at
    a constant 1 Mbit/s, nine cuts in ten behind RED are of windows below 25 packets. Behind drop-tail it is one in ten: flows below their
    share are cut as well.
    """
    early = sorted({row.router for row in figures()} & set(EARLY))
    printed = both(
        "no window below 25 to 30 packets is decreased",
        [
            full_at_least_rate(),
            _none_offers_less(),
            fact(
                "no router signals before the buffer is full",
                not early,
                judged="exactly none of the routers of the figures is RED or ECN",
                these_do=early,
            ),
        ],
    )
    instead = fact(
        "behind drop-tail, in the constant and the square environments, a flow's share of path and full buffer is at least 25 packets",
        _steady_offer_least_rate() and full_at_least_rate().verdict is Verdict.HOLDS,
        judged="least rate >= 1 Mbit/s, in each of these",
    )
    return corrected(printed, instead)


def control(text: str) -> Mapping[str, float]:
    """The four numbers of a linear control, from the product's own constructor."""
    numbers: dict[str, float] = json.loads(_native.controller(text))
    return numbers


def relative_increase(numbers: Mapping[str, float], window: float) -> float:
    """Growth of a window in one round on success, as a fraction of it."""
    return (numbers["a_i"] + (numbers["b_i"] - 1.0) * window) / window


def relative_decrease(numbers: Mapping[str, float], window: float) -> float:
    """Cut of a window on a loss event, as a fraction of it."""
    return (-numbers["a_d"] + (1.0 - numbers["b_d"]) * window) / window


def parameter_bounds(_: View) -> Finding:
    """What the rules give at the smallest windows: AI at most 1.25 to 1.5, AD at most 2.5 to 3; MI and MD by definition."""
    additive = RULE * window_packets(RATE_BPS, RTT_LONG_MS)
    subtractive = RULE * 2 * window_packets(RATE_BPS, RTT_LONG_MS)
    printed = both(
        "the rules allow AI <= 3, AD <= 3, MI > 0.1, MD < 0.9",
        [
            _same("AI: a tenth of 15 packets is 3", additive, 3.0, largest_additive_increase=additive),
            _same(
                "AD: a tenth of 30 packets is 3",
                subtractive,
                3.0,
                largest_additive_decrease=subtractive,
            ),
            _same("MI: an increase above a tenth is a factor above 1.1", 1.0 + RULE, 1.1),
            _same("MD: a cut above a tenth keeps less than 0.9", 1.0 - RULE, 0.9),
        ],
    )
    longest = RULE * window_packets(RATE_BPS, RTT_LONG_MS)
    shortest = RULE * window_packets(RATE_BPS, RTT_SHORT_MS)
    instead = _same(
        "the rules allow AI up to 1.2 to 1.5, a tenth of 12 to 15 packets; AD, MI and MD as stated",
        (shortest, longest, subtractive),
        (1.2, 1.5, 3.0),
        largest_additive_increase=[shortest, longest],
    )
    return corrected(printed, instead)


def rule_ai(_: View) -> Finding:
    """a/w <= 0.1 by hand: 1/12.5 = 0.08 passes, 3/12.5 = 0.24 does not."""
    passes = relative_increase(control("aimd(1, 0.8)"), SMALLEST_INCREASED)
    breaks = relative_increase(control("aimd(3, 0.8)"), SMALLEST_INCREASED)
    return fact(
        "at 12.5 packets AIMD(1,0.8) grows by 0.08 and keeps the rule, AIMD(3,0.8) by 0.24 and breaks it",
        _near((passes, breaks), (0.08, 0.24)) and passes <= RULE < breaks,
        judged=f"0.08 and 0.24 to 1e-12, and the first <= {RULE:g} < the second",
        passes=passes,
        breaks=breaks,
    )


def rule_ad(_: View) -> Finding:
    """b/w <= 0.1 by hand: 2/25 = 0.08 passes, 3/25 = 0.12 does not, 3/30 = 0.1 just does."""
    numbers = [
        relative_decrease(control("aiad(1, 2)"), SMALLEST_DECREASED),
        relative_decrease(control("aiad(1, 3)"), SMALLEST_DECREASED),
        relative_decrease(control("aiad(1, 3)"), 30.0),
    ]
    return fact(
        "AIAD(1,2) cuts 25 packets by 0.08; AIAD(1,3) cuts 25 by 0.12 and 30 by 0.1",
        _near(numbers, (0.08, 0.12, 0.1)) and numbers[0] <= RULE < numbers[1],
        judged=f"0.08, 0.12 and 0.1 to 1e-12, and the first <= {RULE:g} < the second",
        cuts=numbers,
    )


def rule_mi(_: View) -> Finding:
    """m - 1 > 0.1: 0.125 at any window; the additive 1 falls below at 10 packets."""
    numbers = control("mimd(1.125, 0.8)")
    at = [relative_increase(numbers, window) for window in (SMALLEST_INCREASED, 300.0)]
    breaks = relative_increase(control("mimd(1.05, 0.8)"), 300.0)
    return fact(
        "MIMD(1.125,0.8) grows by 0.125 at any window and keeps the rule, MIMD(1.05,0.8) breaks it",
        _near((*at, breaks), (0.125, 0.125, 0.05)) and breaks <= RULE < min(at),
        judged=f"0.125, 0.125 and 0.05 to 1e-12, and the last <= {RULE:g} < the others",
        grows=at,
        breaks=breaks,
    )


def rule_md(_: View) -> Finding:
    """1 - b > 0.1: 0.2 at any window; keeping 0.95 breaks it."""
    at = [relative_decrease(control("aimd(1, 0.8)"), window) for window in (SMALLEST_DECREASED, 300.0)]
    breaks = relative_decrease(control("aimd(1, 0.95)"), 300.0)
    return fact(
        "AIMD(1,0.8) cuts by 0.2 at any window and keeps the rule, AIMD(1,0.95) breaks it",
        _near((*at, breaks), (0.2, 0.2, 0.05)) and breaks <= RULE < min(at),
        judged=f"0.2, 0.2 and 0.05 to 1e-12, and the last <= {RULE:g} < the others",
        cuts=at,
        breaks=breaks,
    )


def example_mimd(_: View) -> Finding:
    """MIMD(1.5, 0.5): 10 packets become 15 on success and 5 on loss."""
    numbers = control("mimd(1.5, 0.5)")
    up = 10 * (1 + relative_increase(numbers, 10.0))
    down = 10 * (1 - relative_decrease(numbers, 10.0))
    return _same("MIMD(1.5,0.5) takes 10 packets to 15 and to 5", (up, down), (15, 5), up=up, down=down)


def cbr_loss(view: View) -> Finding:
    """What cross traffic lost, over the nominal bandwidth, is above 0 and at most ``cbr_loss_slight``: beside each of the four, in each
    environment with such a source and each setting."""
    bound = view.tolerance("cbr_loss_slight")
    operands = []
    for setting, name in itertools.product(view.settings, FOUR):
        surplus = view.raw(setting, name, "cross_surplus")
        for place, environment in enumerate(view.environments):
            if np.isnan(surplus[place]).all():
                continue  # no cross traffic: the test flows have the whole link
            text = f"bandwidth beyond the nominal beside {name}, {environment}, {setting}"
            operands.append(inequality(text, surplus[place], ">"))
            operands.append(inequality(text, surplus[place], "<=", bound))
    return both("the source loses, and what it loses is little", operands)

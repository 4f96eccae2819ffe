"""Claims of [Akella02] that are algebra: steady states and fairness of linear controls, fair queueing, controls that are cited.

Source: [Akella02] sections 1, 3.3, 5.1 with footnote 8, and 6. Closed forms are put against iteration, and against the controllers of the
packet simulator in the synchronous model.
"""

from __future__ import annotations

import itertools
import math
from typing import Final

import numpy as np

from sawtooth.claims.agreement import EQUAL, bounded, exactly, near, same
from sawtooth.claims.logic import Finding, both, corrected, fact
from sawtooth.claims.view import View
from sawtooth.models import fair_queueing, fairness, fairness_map, loss_proportional, synchronous

Numbers4 = tuple[float, float, float, float]

AIMD: Final[Numbers4] = (1.0, 1.0, 0.0, 0.8)
AIAD: Final[Numbers4] = (1.0, 1.0, -3.0, 1.0)
MIMD: Final[Numbers4] = (0.0, 1.25, 0.0, 0.8)
MIAD: Final[Numbers4] = (0.0, 1.125, -3.0, 1.0)
AIMAD: Final[Numbers4] = (1.0, 1.0, -1.0, 0.9)
MAIMD: Final[Numbers4] = (1.0, 1.1, 0.0, 0.8)

GRID: Final = tuple(
    itertools.product((-1.0, 0.0, 0.5, 2.0), (0.9, 1.0, 1.05, 1.3), (-2.0, 0.0, 1.0), (0.0, 0.5, 0.9, 1.0))
)
"""Four numbers of every kind: 192 controls."""

START: Final = (20.0, 80.0)
CAPACITY: Final = 300.0


def written(numbers: Numbers4) -> str:
    """The control as the command line takes it."""
    return f"linear({', '.join(repr(number) for number in numbers)})"


def run(numbers: Numbers4, cycles: int = 100) -> synchronous.Rounds:
    """Two flows from 20 and 80 packets against 300."""
    return synchronous.rounds(written(numbers), START, CAPACITY, cycles)


def _iterated(numbers: Numbers4, k_i: int, k_d: int, window: float) -> float:
    a_i, b_i, a_d, b_d = numbers
    for _ in range(k_i):
        window = a_i + b_i * window
    for _ in range(k_d):
        window = a_d + b_d * window
    return window


def only_aimd(_: View) -> Finding:
    """From 20 and 80 packets: AIMD's ratio tends to 1, AIAD keeps the difference, MIMD the ratio, MIAD leaves one flow nothing."""
    end = {name: run(numbers).windows[-1] for name, numbers in FOUR_NUMBERS.items()}
    ratio = {name: float(windows[0] / windows[1]) for name, windows in end.items()}
    return both(
        "of the four linear schemes AIMD alone is fair and stable",
        [
            bounded(
                "AIMD: the windows are equal to 1 %",
                "smaller over larger",
                ratio["AIMD"],
                ">",
                0.99,
                ratio=ratio["AIMD"],
            ),
            same("AIAD: their difference is still 60", float(np.ptp(end["AIAD"])), 60.0),
            same("MIMD: their ratio is still 1/4", ratio["MIMD"], 0.25),
            bounded(
                "MIAD: the smaller has less than 1 % of the larger",
                "smaller over larger",
                ratio["MIAD"],
                "<",
                0.01,
                ratio=ratio["MIAD"],
            ),
            *(
                exactly(
                    f"{name}: the criterion says {said}", str(fairness.verdict(*FOUR_NUMBERS[name])), said
                )
                for name, said in (
                    ("AIMD", "converges"),
                    ("AIAD", "neutral"),
                    ("MIMD", "neutral"),
                    ("MIAD", "diverges"),
                )
            ),
        ],
    )


FOUR_NUMBERS: Final = {"AIMD": AIMD, "AIAD": AIAD, "MIMD": MIMD, "MIAD": MIAD}


def k_increases(_: View) -> Finding:
    """Three increases w -> 2 + 1.1 w take 20 to 2 (1 + 1.1 + 1.21) + 1.331 x 20 = 33.24; and every control of the grid, k from 0 to 6."""
    by_hand = 2 * (1 + 1.1 + 1.21) + 1.331 * 20
    found = fairness.cycle(2.0, 1.1, 0.0, 0.5, 3, 0)
    off = 0.0
    for numbers, k in itertools.product(GRID, range(7)):
        for k_i, k_d in ((k, 0), (0, k)):
            made = fairness.cycle(*numbers, k_i, k_d)
            off = max(off, abs(float(made.alpha + made.beta * 20.0) - _iterated(numbers, k_i, k_d, 20.0)))
    return both(
        "k increases make a geometric sum and a scaled start; so do k decreases",
        [
            fact(
                "by hand: 33.24",
                near(float(found.alpha + found.beta * 20), by_hand) and near(by_hand, 33.24),
                judged=f"alpha + 20 beta = 33.24, to a relative difference of {EQUAL:g}",
            ),
            bounded(
                "for 192 controls and k up to 6", "largest difference", off, "<", 1e-9, largest_difference=off
            ),
        ],
    )


def alpha_beta(_: View) -> Finding:
    """alpha and beta of every control of the grid, k_I up to 5, k_D up to 3; and of the cycles that the simulator's controller makes."""
    off = 0.0
    for numbers, k_i, k_d in itertools.product(GRID, range(6), range(4)):
        made = fairness.cycle(*numbers, k_i, k_d)
        for window in (0.0, 20.0, 300.0):
            off = max(off, abs(float(made.alpha + made.beta * window) - _iterated(numbers, k_i, k_d, window)))
    numbers = (2.0, 1.05, -1.0, 0.9)
    found = run(numbers, 30)
    before = np.vstack([found.windows[0], found.after_decreases()[:-1]])
    maps = [fairness.cycle(*numbers, int(k), 1) for k in found.growth_rounds]
    predicted = [made.alpha + made.beta * row for made, row in zip(maps, before, strict=True)]
    return both(
        "k_I increases and k_D decreases are w -> alpha + beta w",
        [
            bounded(
                "for 192 controls, k_I to 5, k_D to 3, three windows",
                "largest difference",
                off,
                "<",
                1e-8,
                largest_difference=off,
            ),
            same("and for thirty cycles of two flows in the model", found.after_decreases(), predicted),
        ],
    )


def mimd_any_window(_: View) -> Finding:
    """alpha = 0 for every cycle; MIMD(1.25, 0.8) returns to any window after an increase and a decrease; the ratio of two flows stays."""
    alphas = [float(fairness.cycle(*MIMD, i, d).alpha) for i, d in itertools.product(range(6), range(4))]
    found = run(MIMD)
    ratio = found.windows[:, 1] / found.windows[:, 0]
    return both(
        "a multiplicative control has alpha 0 and beta 1: any window is steady, and fairness is not forced",
        [
            fact(
                "alpha is 0 for each cycle",
                not any(alphas),
                judged=f"alpha = 0 exactly, in each of {len(alphas)} cycles",
            ),
            exactly("beta is 1 for MIMD(1.25, 0.8), one increase and one decrease", _beta(MIMD, 1, 1), 1.0),
            same("the ratio of two windows is 4 in every round", ratio, 4.0),
        ],
    )


def _beta(numbers: Numbers4, k_i: int, k_d: int) -> float:
    return float(fairness.cycle(*numbers, k_i, k_d).beta)


def aiad_any_window(_: View) -> Finding:
    """beta = 1 always; alpha = k_I a_I + k_D a_D is 0 on the cycle that returns: 3 increases of 1, a decrease of 3."""
    made = fairness.cycle(*AIAD, 3, 1)
    found = run(AIAD)
    betas = {_beta(AIAD, i, d) for i, d in itertools.product(range(6), range(4))}
    return both(
        "an additive control has beta 1 and alpha 0: any window is steady",
        [
            fact("beta is 1 for each cycle", betas == {1.0}, judged="beta = 1 exactly, in each of 24 cycles"),
            exactly("alpha is 0 for three increases and a decrease", float(made.alpha), 0.0),
            fact(
                "alpha is not 0 for every cycle: it follows from the return, not from b_I = b_D = 1",
                float(fairness.cycle(*AIAD, 2, 1).alpha) == -1.0,
                judged="alpha = -1 exactly, for two increases and a decrease",
            ),
            same("the difference of two windows is 60 in every round", found.gap, 60.0),
        ],
    )


def one_steady_window(_: View) -> Finding:
    """With beta != 1 the equation w = alpha + beta w has one solution, the same for all flows; flows go there if beta < 1."""
    tried, unique, reached = 0, True, True
    for numbers, k_i, k_d in itertools.product(GRID, range(1, 6), range(1, 4)):
        made = fairness.cycle(*numbers, k_i, k_d)
        if float(made.beta) == 1.0 or float(made.alpha) == 0.0 or math.isnan(float(made.steady_window)):
            continue
        tried += 1
        steady = float(made.steady_window)
        returns = [
            abs(float(made.alpha + made.beta * w) - w) < 1e-9 * w
            for w in (steady, 0.9 * steady, 1.1 * steady)
        ]
        unique &= returns == [True, False, False]
        near_it = np.array([0.9 * steady, 1.1 * steady])
        for _round in range(3):
            near_it = made.alpha + made.beta * near_it
        closer = bool((np.abs(near_it - steady) < 0.1 * steady).all())
        reached &= closer == bool(made.attracts)
    return both(
        "other controls have one steady window for all flows",
        [
            fact(
                "w* = alpha/(1 - beta) returns and no other window does",
                unique,
                judged=f"|next - w| < 1e-09 w at w* and not at 0.9 w* and 1.1 w*, in each of {tried} cycles",
                cycles=tried,
            ),
            fact(
                "windows approach it exactly when beta < 1: uniqueness alone is not enough",
                reached,
                judged="|w - w*| < 0.1 w* after three cycles from 0.9 w* and 1.1 w*, exactly where beta < 1",
            ),
        ],
    )


def miad_excluded(_: View) -> Finding:
    """MIAD(1.125, 3) has w* = 24: it exists, and repels."""
    cycles = [fairness.cycle(*MIAD, k, 1) for k in range(1, 6)]
    windows = [float(made.steady_window) for made in cycles]
    printed = fact(
        "MIAD(1.125, 3) has no positive window that a cycle returns to",
        all(math.isnan(window) for window in windows),
        judged="number of such windows = 0, for 1 to 5 increases",
        steady_windows_for_1_to_5_increases=windows,
    )
    end = run(MIAD).windows[-1]
    instead = both(
        "MIAD has a steady window, and it repels: beta > 1, alpha < 0",
        [
            fact(
                "beta > 1 and alpha < 0",
                all(float(m.beta) > 1 > 0 > float(m.alpha) for m in cycles),
                judged=f"in each of {len(cycles)} cycles",
            ),
            fact(
                "none of them attracts",
                not any(bool(made.attracts) for made in cycles),
                judged="number that do = 0",
            ),
            fact(
                "two flows end at the floor and at the capacity",
                end[0] == 1.0 and end[1] > 0.9 * CAPACITY,
                judged=f"windows = 1 packet and > {0.9 * CAPACITY:g} packets",
            ),
        ],
    )
    return corrected(printed, instead)


def aimd_fixed_point(_: View) -> Finding:
    """w* = b a k_I/(1 - b), a k_I for b = 1/2; one flow against 90 packets returns to 45 after 45 increases."""
    operands = []
    for a, b, k in itertools.product((0.5, 1.0, 3.0), (0.5, 0.8), (1, 10, 45)):
        found = float(fairness.cycle(a, 1.0, 0.0, b, k, 1).steady_window)
        operands.append(same(f"a = {a}, b = {b}, k_I = {k}", found, b * a * k / (1 - b), w=found))
    model = synchronous.rounds("aimd(1, 0.5)", [45.0], 90.0, 30)
    settled = (float(model.after_decreases()[-1, 0]), int(model.growth_rounds[-1]))
    operands.append(
        exactly(
            "the model at 90: 45 packets after 45 increases", list(settled), [45.0, 45], found=list(settled)
        )
    )
    return both("the steady window of AIMD is b a k_I/(1 - b)", operands)


def contraction(_: View) -> Finding:
    """The gap after each cycle over the gap before is beta of that cycle: AIMD(1, 0.8) 0.8, AIMAD 0.9, MAIMD 0.968 and 1.065."""
    operands = []
    for name, numbers, expected in (
        ("AIMD(1, 0.8)", AIMD, {0.8}),
        ("AIMAD", AIMAD, {0.9}),
        ("MAIMD", MAIMD, {0.968, 1.0648}),
    ):
        found = run(numbers, 25)
        gaps = np.concatenate([found.gap[:1], found.gap[found.decreases + 1]])
        ratios = gaps[1:] / gaps[:-1]
        betas = [_beta(numbers, int(k), 1) for k in found.growth_rounds]
        seen = {round(ratio, 4) for ratio in ratios[3:].tolist()}
        operands.append(
            same(f"{name}: the gap shrinks by beta in each of 25 cycles", ratios, betas, within=1e-6)
        )
        operands.append(
            fact(
                f"{name}: beta is {sorted(expected)} near the capacity",
                seen == expected,
                judged="ratios of gaps to four decimals = these, from the fourth cycle on",
                seen=sorted(seen),
            )
        )
    return both("the gap of two windows is multiplied by beta in every cycle", operands)


def chiu_jain_conditions(_: View) -> Finding:
    """a_D = 0, 0 <= b_D < 1, a_I > 0, b_I >= 1: every such control of a grid brings two windows together in the model."""
    worst, tried = 0.0, 0
    for numbers in itertools.product((0.5, 1.0, 3.0), (1.0, 1.05, 1.2), (0.0,), (0.0, 0.3, 0.5, 0.8, 0.9)):
        if not bool(fairness.chiu_jain(*numbers)):
            return fact(f"{numbers} meets the conditions", False, judged="exactly as they are written")
        found = synchronous.converge(written(numbers), START, CAPACITY, 4000)
        tried += 1
        worst = max(worst, float(found.rounds.gap[-1]))
    outside = {"AIAD": AIAD, "MIMD": MIMD, "MIAD": MIAD}
    return both(
        "the conditions of Chiu and Jain are enough for fairness",
        [
            bounded(
                "every control that meets them ends with a gap below one packet",
                f"largest gap of {tried} controls, packets",
                worst,
                "<",
                1.0,
                controls=tried,
                largest_gap=worst,
            ),
            fact(
                "AIAD, MIMD and MIAD do not meet them",
                not any(bool(fairness.chiu_jain(*numbers)) for numbers in outside.values()),
                judged="number that do = 0",
            ),
        ],
    )


def conditions_not_necessary(_: View) -> Finding:
    """AIMAD has a_D = -1 and is fair; so are others. Sufficient and necessary is a_I (1 - b_D) + a_D (b_I - 1) > 0, tried in the model."""
    found = synchronous.converge(written(AIMAD), START, CAPACITY, 200)
    beyond = [
        numbers
        for numbers in GRID
        if str(fairness.verdict(*numbers)) == "converges" and not bool(fairness.chiu_jain(*numbers))
    ]
    seen = {numbers: fairness_map.observed(*numbers)[0] for numbers in GRID}
    cycles = {
        n: o
        for n, o in seen.items()
        if o is not fairness.Fairness.NO_CYCLE and bool(fairness.cycles_exist(*n))
    }
    wrong = [list(n) for n, o in cycles.items() if o.value != str(fairness.verdict(*n))]
    return both(
        "the conditions are sufficient and not necessary",
        [
            fact(
                "AIMAD does not meet them",
                not bool(fairness.chiu_jain(*AIMAD)),
                judged=f"a_D = {AIMAD[2]:g}, where they ask for 0 exactly",
            ),
            fact(
                "AIMAD brings windows within a packet",
                found.converges,
                judged="gap <= 1 packet within 200 cycles",
                cycles=found.cycles,
            ),
            fact(
                "other controls of the grid are fair without them",
                bool(beyond),
                judged="number of such controls > 0",
                controls=len(beyond),
                of=len(GRID),
                first=list(beyond[0]) if beyond else [],
            ),
            fact(
                "a_I (1 - b_D) + a_D (b_I - 1) > 0 is both: two flows in the model do what its sign says",
                not wrong,
                judged=f"counter-examples = 0 among {len(cycles)} controls",
                controls=len(cycles),
                counter_examples=wrong,
            ),
        ],
    )


def any_word(_: View) -> Finding:
    """Every word of up to eight increases and decreases is affine with beta = b_I^#I b_D^#D."""
    numbers = (2.0, 1.1, -1.0, 0.9)
    off, words = 0.0, 0
    for length in range(1, 9):
        for letters in itertools.product("ID", repeat=length):
            word = "".join(letters)
            words += 1
            made = fairness.word_map(word, *numbers)
            beta = 1.1 ** word.count("I") * 0.9 ** word.count("D")
            window = 20.0
            for letter in word:
                window = _iterated(numbers, int(letter == "I"), int(letter == "D"), window)
            off = max(off, abs(float(made.beta) - beta), abs(float(made.alpha + made.beta * 20.0) - window))
    return bounded(
        "every periodic word is w -> alpha + beta w",
        f"largest difference of {words} words",
        off,
        "<",
        1e-9,
        words=words,
        largest_difference=off,
    )


def aild_not_linear(_: View) -> Finding:
    """A lone window of 100, 125, 200 packets at a capacity of 100, beta = 50: 100, 115, 175, which no a_D + b_D w gives."""
    windows = np.array([100.0, 125.0, 200.0])
    after = loss_proportional.decrease(windows, windows, 100.0, 50.0)
    slopes = np.diff(after) / np.diff(windows)
    shared = [float(loss_proportional.decrease(100.0, load, 100.0, 50.0)) for load in (125.0, 200.0)]
    return both(
        "a decrease in proportion to the loss ratio is no linear control",
        [
            same("by hand: 100, 115, 175", after, (100, 115, 175), after=after.tolist()),
            fact(
                "the slope between them differs",
                not near(slopes[0], slopes[1]),
                judged=f"relative difference of the two slopes > {EQUAL:g}",
                slopes=slopes.tolist(),
            ),
            fact(
                "the same window falls differently under another load",
                shared[0] != shared[1],
                judged="window at a load of 125 != window at a load of 200",
                after=shared,
            ),
        ],
    )


def mimd_tracks(_: View) -> Finding:
    """Round trips to a new share r times as large: ln r/ln m for MIMD, (r - 1) w/a for AIMD."""
    took: dict[str, list[int]] = {}
    ratios = (2.0, 8.0, 32.0)
    for name in ("mimd(1.125, 0.8)", "aimd(1, 0.8)"):
        took[name] = [int(synchronous.rounds(name, [50.0], 50.0 * r, 1).decreases[0]) for r in ratios]
    predicted = {
        "mimd(1.125, 0.8)": [math.ceil(math.log(r) / math.log(1.125) - 1e-9) for r in ratios],
        "aimd(1, 0.8)": [math.ceil(50 * (r - 1)) for r in ratios],
    }
    return both(
        "alone on its share, MIMD reaches a new one faster than AIMD",
        [
            fact(
                "the logarithm and the line predict both",
                took == predicted,
                judged="round trips = the prediction rounded up, for shares 2, 8 and 32 times as large",
                round_trips=took,
            ),
            fact(
                "MIMD needs fewer round trips for a share 2, 8 and 32 times as large",
                all(m < a for m, a in zip(*took.values(), strict=True)),
                judged="round trips of MIMD < those of AIMD, for each",
            ),
        ],
    )


def drr_sources(_: View) -> Finding:
    """C = 100, B_a = 10, n = 10 takes 90 sources: 100 equal shares of 1; and other cases, by max-min sharing."""
    operands = []
    for capacity, available, flows in (
        (100.0, 10.0, 10),
        (100.0, 50.0, 10),
        (100.0, 100.0, 10),
        (60.0, 20.0, 4),
    ):
        sources = float(fair_queueing.sources_needed(capacity, available, flows))
        shares = fair_queueing.max_min([math.inf] * flows + [capacity] * round(sources), capacity)
        left = float(shares[:flows].sum())
        text = f"C = {capacity:g}, n = {flows}: {sources:g} sources leave {available:g}"
        operands.append(same(text, left, available, left=left))
    operands.append(
        exactly(
            "the example: 90 sources",
            float(fair_queueing.sources_needed(100.0, 10.0, 10)),
            90.0,
            at_7=float(fair_queueing.sources_needed(100.0, 7.0, 10)),
        )
    )
    return both("n (C - B_a)/B_a fixed-rate sources leave the test flows B_a", operands)


def single_source(_: View) -> Finding:
    """Whatever it sends, one source among n + 1 gets at most C/(n + 1)."""
    most = {
        flows: max(
            float(fair_queueing.max_min([math.inf] * flows + [rate], 100.0)[-1])
            for rate in (1.0, 10.0, 50.0, 100.0, 1e6)
        )
        for flows in (1, 4, 10)
    }
    return fact(
        "one source gets at most 1/(n + 1) under fair scheduling",
        all(near(share, 100.0 / (flows + 1)) for flows, share in most.items()),
        judged=f"its largest share = C/(n + 1) to a relative difference of {EQUAL:g}, for n = 1, 4, 10",
        largest_share_of_100=most,
    )

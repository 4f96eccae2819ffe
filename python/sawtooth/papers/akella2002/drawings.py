"""What the mathematics of [Akella02] §5.1 looks like: four vector diagrams, gaps over cycles, the map of the whole family."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final

import numpy as np

from sawtooth.models import fairness, fairness_map, synchronous

if TYPE_CHECKING:
    from sawtooth.report.drawing import Drawing

SCHEMES: Final = {
    "AIMD(1, 0.8)": "aimd(1, 0.8)",
    "AIAD(1, 3)": "aiad(1, 3)",
    "MIMD(1.125, 0.8)": "mimd(1.125, 0.8)",
    "MIAD(1.125, 3)": "miad(1.125, 3)",
}
HYBRIDS: Final = {"AIMAD": "aimad", "MAIMD": "maimd"}
A_I: Final = (-1.0, 0.0, 1.0, 3.0)
A_D: Final = (2.0, 0.0, -1.0, -3.0)
NAMED: Final = {
    (1.0, 0.0): [("AIMD", 1.0, 0.8), ("TCP", 1.0, 0.5), ("MAIMD", 1.1, 0.8)],
    (1.0, -3.0): [("AIAD(1, 3)", 1.0, 1.0)],
    (0.0, 0.0): [("MIMD", 1.125, 0.8)],
    (0.0, -3.0): [("MIAD", 1.125, 1.0)],
    (1.0, -1.0): [("AIMAD", 1.0, 0.9)],
}
B_I_SEEN: Final = (1.02, 1.09, 1.16, 1.23, 1.3, 1.37)
B_D_SEEN: Final = (0.45, 0.55, 0.65, 0.75, 0.85, 0.95)
START, CAPACITY = (30.0, 150.0), 300.0


def draw() -> list[Drawing]:
    """The figures, in the order of the report."""
    return [_schemes(), _gaps(), _map()]


def _schemes() -> Drawing:
    from sawtooth.report.drawing import Drawing
    from sawtooth.report.phase import corners, vector_panels

    panels = []
    for name, controller in SCHEMES.items():
        found = synchronous.rounds(controller, START, CAPACITY, 12)
        panels.append((name, corners(found.windows, found.congested)))
    return Drawing(
        "schemes",
        "Four linear schemes from unequal windows",
        "Two flows from 30 and 150 packets against 300, twelve cycles in the synchronous model. AIMD ends on the fairness line; "
        "AIAD keeps the difference, MIMD the ratio; MIAD gives one flow everything.",
        vector_panels(panels, CAPACITY),
    )


def _gaps() -> Drawing:
    from sawtooth.report.drawing import Drawing
    from sawtooth.report.phase import gaps_over_cycles

    lines = {}
    for name, controller in {**SCHEMES, **HYBRIDS}.items():
        found = synchronous.rounds(controller, START, CAPACITY, 40)
        after = found.after_decreases()
        lines[name] = np.concatenate([[120.0 / 180.0], np.ptp(after, axis=1) / after.sum(axis=1)])
    return Drawing(
        "gaps",
        "How fast the imbalance goes",
        "Difference of the two windows over their sum after each cycle. AIMD(1, 0.8) shrinks the difference by 0.8 a cycle and "
        "AIMAD by 0.9; the cycles of MAIMD alternate between factors 0.968 and 1.065, so it is slow.",
        gaps_over_cycles(lines),
    )


def _observed() -> dict[tuple[float, float], dict[str, list[tuple[float, float]]]]:
    """What two flows do in the synchronous model at 6 x 6 places of each panel, by additive parts and verdict."""
    found: dict[tuple[float, float], dict[str, list[tuple[float, float]]]] = {}
    for a_i, a_d, b_i, b_d in itertools.product(A_I, A_D, B_I_SEEN, B_D_SEEN):
        verdict, _ = fairness_map.observed(a_i, b_i, a_d, b_d)
        if verdict is not fairness.Fairness.NO_CYCLE:
            found.setdefault((a_i, a_d), {}).setdefault(verdict.value, []).append((b_i, b_d))
    return found


def _sufficient() -> dict[tuple[float, float], str]:
    """A remark in each panel whose inside meets the conditions of Chiu and Jain."""
    return {
        (a_i, a_d): "Chiu and Jain"
        for a_i, a_d in itertools.product(A_I, A_D)
        if all(
            bool(fairness.chiu_jain(a_i, b_i, a_d, b_d)) for b_i, b_d in itertools.product(B_I_SEEN, B_D_SEEN)
        )
    }


def _map() -> Drawing:
    from sawtooth.report.drawing import Drawing
    from sawtooth.report.fairness_map import family_map

    return Drawing(
        "family",
        "The whole family: who is fair",
        "Every linear control w -> a_I + b_I w, w -> a_D + b_D w, beyond the kinds that the paper asks about: fair exactly where "
        "a_I (1 - b_D) + a_D (b_I - 1) > 0. On the left edge of a panel (b_I = 1) with a_I not above 0, and on its upper edge "
        "(b_D = 1) with a_D not below 0, there is no cycle. The panels named after "
        "Chiu and Jain meet their sufficient conditions. Dots are runs of two flows against 300 packets in the synchronous "
        "model, coloured by what they did.",
        family_map(fairness.criterion, A_I, A_D, NAMED, _observed(), _sufficient()),
    )

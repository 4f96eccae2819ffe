"""Laws between smoothness, responsiveness and aggressiveness: what a control gains in one it pays for in another.

Source: [Floyd00] Figure 7; the three words are those of ``smoothness``. The paper names no window for its binomial
controls; BINOMIAL_WINDOW is ours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from sawtooth.models import compatibility, smoothness, tfrc_average

if TYPE_CHECKING:
    from sawtooth.models.inputs import Numbers

BINOMIAL_WINDOW: Final = 100.0
"""Window at which the binomial controls are taken, packets; the paper gives none."""

Law = tuple[str, float, float, float]
"""A law: name, responsiveness, smoothness, aggressiveness."""


def tradeoffs() -> tuple[dict[str, tuple[Numbers, Numbers]], tuple[Numbers, Numbers], list[Law], list[Law]]:
    """Smoothness over responsiveness by family, aggressiveness of AIMD over responsiveness, and single laws: AIMD(a, b) and TFRC."""
    rounds = np.linspace(0.85, 12, 200)
    removed = np.asarray(smoothness.removed_at_responsiveness(rounds))
    kept = np.linspace(0.5, 0.985, 100)
    curves = {"AIMD(a, b)": (rounds, 1 - removed)}
    for power, name in ((0.5, "binomial, l = 1/2"), (0.0, "binomial, l = 0")):
        curves[name] = (np.array([halving(power, share) for share in kept]), kept)
    marked = [
        (
            f"b = {label}",
            float(smoothness.responsiveness(b)),
            float(smoothness.smoothness(b)),
            float(compatibility.compatible_increase(b)),
        )
        for b, label in ((0.5, "1/2"), (0.25, "1/4"), (0.125, "1/8"))
    ]
    halved = float(tfrc_average.rounds_to_halve(1e4))
    tfrc = [
        (name, halved, 1.0, float(tfrc_average.increase_limit(tfrc_average.newest_weight(discount))))
        for name, discount in (("TFRC", 1.0), ("TFRC, discounting", tfrc_average.STRONGEST_DISCOUNT))
    ]
    return curves, (rounds, np.asarray(compatibility.compatible_increase(removed))), marked, tfrc


def halving(power: float, kept: float) -> float:
    """Responsiveness of the binomial control with power l that keeps ``kept`` of BINOMIAL_WINDOW in a decrease."""
    beta = (1 - kept) * BINOMIAL_WINDOW ** (1 - power)
    return smoothness.binomial_responsiveness(BINOMIAL_WINDOW, power, beta)

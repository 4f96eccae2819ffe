"""What the mathematics of [Floyd00] looks like: Figures 1, 7 and 13 from the formulas, and what its ratios become as loss grows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from sawtooth.models import compatibility, padhye, random_loss, response
from sawtooth.models.inputs import Numbers
from sawtooth.models.tradeoffs import tradeoffs
from sawtooth.models.whole_packets import whole_packets

if TYPE_CHECKING:
    from sawtooth.report.drawing import Drawing

LAWS: Final = ((1.0, 0.125), (0.4, 0.125), (0.2, 0.125))
"""The laws that [Floyd00] sets beside TCP."""
PEAK_PACKETS: Final = 20.0
"""Window at which Figure 1's packet is dropped; the paper gives none."""
PERIODS: Final = (20, 30, 50, 80, 120, 200, 300, 500, 1000)
"""Every n-th packet lost."""
RTO_ROUNDS: Final = 4.0
"""TFRC's timeout in round trips, [FloydHandley00]."""


def draw() -> list[Drawing]:
    """The figures, in the order of the report."""
    from sawtooth.report import response_figures as figures
    from sawtooth.report.drawing import Drawing

    drops = np.geomspace(1e-4, 0.5, 200)
    return [
        Drawing(
            "figure1",
            "Figure 1: the window in the steady state",
            f"AIMD(1, 1/2), a packet dropped each time the window reaches W = {PEAK_PACKETS:g} packets.",
            figures.window_in_steady_state(*sawtooth(1.0, 0.5, PEAK_PACKETS), "AIMD(1, 1/2)"),
        ),
        Drawing(
            "figure13",
            "Figure 13: exact and approximate response function",
            "AIMD(1, 1/2). The approximation leaves out one packet per window and lies above the exact curve, more so as drops grow: "
            + ", ".join(f"{gap:.3f} times at p = {p:g}" for p, gap in excess().items())
            + ".",
            figures.response_curve(
                drops, response.rate(1, 0.5, drops), response.approximate_rate(1, 0.5, drops), "AIMD(1, 1/2)"
            ),
        ),
        Drawing(
            "figure7",
            "Figure 7: smoothness, responsiveness, aggressiveness",
            "Left: all AIMD(a, b) on one line, b falling to the right; binomial controls with l = 1/2 and l = 0 near it, not on it. "
            "Right: AIMD with the compatible increase. TFRC from the arithmetic of its average loss interval.",
            figures.tradeoffs(*tradeoffs()),
        ),
        Drawing(
            "shares",
            "Equation 10 and what becomes of it as loss grows",
            "Rate of a law over that of TCP at the same drop rate. Dotted: the limit for rare losses, which is equation 10.",
            figures.fading_shares(
                drops,
                {
                    f"AIMD({a:g}, {b:g})": (
                        compatibility.exact_throughput_ratio(a, b, drops),
                        float(compatibility.throughput_ratio(a, b)),
                    )
                    for a, b in LAWS
                },
            ),
        ),
        Drawing(
            "stochastic",
            "TCP with timeouts",
            f"Padhye's full model and TFRC's form of its approximation, both with a timeout of {RTO_ROUNDS:g} round trips, beside the "
            "deterministic response functions.",
            figures.stochastic_models(drops, stochastic(drops)),
        ),
        Drawing(
            "whole",
            "Whole packets against the exact response function",
            "Every n-th packet lost. Followed packet by packet without a network, a flow gets less than the exact response function: "
            "it has whole packets in flight, and a round of recovery in which its window stands still.",
            figures.ratios_to_formula(*whole_packet_ratios(), "rate over the exact formula"),
        ),
    ]


def sawtooth(a: float, b: float, peak: float, epochs: int = 3) -> tuple[Numbers, Numbers, float, float]:
    """Round trips and windows of some epochs, and the two bounds of the window."""
    low = (1 - b) * peak
    rise = float(response.epoch(a, b, peak)) - 1
    rounds = np.concatenate([[n * rise, (n + 1) * rise] for n in range(epochs)])
    return rounds, np.tile([low, peak], epochs), low, peak


def excess() -> dict[float, float]:
    """The approximate over the exact rate of AIMD(1, 1/2) at some drop rates."""
    places = (0.001, 0.01, 0.1, 0.5)
    return {p: float(response.approximate_rate(1, 0.5, p) / response.rate(1, 0.5, p)) for p in places}


def stochastic(drops: Numbers) -> dict[str, Numbers]:
    """Packets per round trip by model."""
    return {
        "deterministic, random losses": np.asarray(random_loss.random_rate(1, 0.5, drops)),
        "deterministic, exact": np.asarray(response.rate(1, 0.5, drops)),
        "deterministic, approximate": np.asarray(response.approximate_rate(1, 0.5, drops)),
        "Padhye, full": np.asarray(padhye.full(drops, 1.0, RTO_ROUNDS)),
        "Padhye, as TFRC uses it": np.asarray(padhye.tfrc(drops, 1.0, RTO_ROUNDS)),
    }


def whole_packet_ratios() -> tuple[Numbers, dict[str, Numbers]]:
    """Drop rates, and by law the rate in whole packets over the exact response function."""
    found = {
        f"AIMD({a:g}, {b:g})": np.array(
            [whole_packets(a, b, n) / float(response.rate(a, b, 1 / n)) for n in PERIODS]
        )
        for a, b in ((1.0, 0.5), *LAWS)
    }
    return 1 / np.array(PERIODS, dtype=np.float64), found

"""What the mathematics of [Lahanas03] looks like: Figures 2 to 4, and the claim of its title as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from sawtooth.models import fast_convergence as fc
from sawtooth.models import synchronous

if TYPE_CHECKING:
    from sawtooth.report.drawing import Drawing

CONTROLLERS = {"AIMD": "aimd(1, 0.5)", "AIMD-FC": "aimd-fc(1, 0.5)", "AIMD-FC+": "aimd-fc+(1, 0.5)"}
CAPACITY = 90.0
"""W of the pictures, packets: every share of the paper is a whole number."""


def draw() -> list[Drawing]:
    """Vector diagram (Figure 2), windows of AIMD-FC (Figure 3) and AIMD-FC+ (Figure 4), Theorem 2, orders of convergence."""
    return [_vectors(), *(_evolution(name) for name in ("AIMD-FC", "AIMD-FC+")), _steps(), _orders()]


def _vectors() -> Drawing:
    from sawtooth.report.drawing import Drawing
    from sawtooth.report.phase import corners, vector_panels

    panels = []
    for name, controller in CONTROLLERS.items():
        found = synchronous.rounds(controller, [8.0, 56.0], CAPACITY, 6)
        panels.append((name, corners(found.windows, found.congested)))
    return Drawing(
        "vectors",
        "Figure 2: the way of two flows to fairness",
        "Two flows from 8 and 56 packets against 90, six cycles. All three halve the gap in each cycle; what is not released again is what "
        "AIMD-FC and AIMD-FC+ gain.",
        vector_panels(panels, CAPACITY),
    )


def _evolution(name: str) -> Drawing:
    from sawtooth.report.drawing import Drawing
    from sawtooth.report.phase import evolution

    found = synchronous.rounds(CONTROLLERS[name], [CAPACITY / 9], CAPACITY, 80)
    first = int(found.decreases[-5]) + 1
    share = 2 / 3 if name == "AIMD-FC" else 7 / 9
    text = "2/3 W" if name == "AIMD-FC" else "7/9 W"
    f = 0.0 if name == "AIMD-FC" else 0.5
    return Drawing(
        name.lower().replace("+", "-plus"),
        f"Figure {3 if f == 0.0 else 4}: the window of {name} in equilibrium",
        f"One flow against W = 90 packets: the window moves between {text} and W; a cycle lasts {float(fc.growth(0.5, f)):.3f} W "
        f"round trips and carries {float(fc.packets_per_cycle(share)):.3f} W² packets at a mean of {float(fc.efficiency(0.5, f)):.3f} W. "
        "The run is the controller of the packet simulator in the synchronous model.",
        evolution(found.windows[first : int(found.decreases[-1]) + 1, 0], CAPACITY, share * CAPACITY, text),
    )


def _steps() -> Drawing:
    from sawtooth.report.drawing import Drawing
    from sawtooth.report.phase import steps_saved

    starts, capacity = fc.pairs(60)
    n = fc.cycles_needed(starts[:, 1])
    live = np.arange(int(n.max()))[:, None] < n
    total = {
        scheme: (fc.system(scheme, starts, capacity, int(n.max())).steps * live).sum(axis=0)
        for scheme in fc.SCHEMES
    }
    saved = total["AIMD"] - (n - 1) - total["AIMD-FC"]
    return Drawing(
        "theorem-2",
        "Theorem 2: where the printed bound fails",
        "Every pair of whole windows x1 < x2 with x1 + x2 < W, W from 6 to 60: steps that AIMD-FC takes fewer than p - (n - 1). The "
        "printed theorem wants more than zero for all; orange points lie at zero or below, and none above W = 16.",
        steps_saved(capacity, saved),
    )


ORDERS: Final = {
    "AIMD": "aimd(1, 0.5)",
    "AIMD-FC": "aimd-fc(1, 0.5)",
    "GAIMD keeping 7/8": "gaimd(0.31, 0.125)",
    "SIMD keeping 15/16": "simd(0.0625)",
    "SQRT": "sqrt(1, 1)",
    "IIAD": "iiad",
}
CAPACITIES: Final = (32, 64, 128, 256, 512)


def _orders() -> Drawing:
    from sawtooth.report.drawing import Drawing
    from sawtooth.report.phase import steps_over_capacity

    lines = {
        name: [
            synchronous.converge(controller, [w / 16, w / 2], w, 2500 if name == "IIAD" else 300).steps
            for w in CAPACITIES
        ]
        for name, controller in ORDERS.items()
    }
    return Drawing(
        "orders",
        "How long two flows take to meet",
        "Steps of two synchronous flows from W/16 and W/2 to a gap of one packet. Grey: slopes of W and of W². AIMD, GAIMD and SIMD "
        "take of the order of W log W, SQRT less than W², IIAD more: W² log W, where the paper cites W².",
        steps_over_capacity(CAPACITIES, lines),
    )

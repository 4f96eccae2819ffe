"""Where a gain in goodput over AIMD comes from: a measured gain as a sum of parts, each with its interval.

Source: none; the closed form is that of `models.fast_convergence.utilisation`. With g(n, t) the gain of n flows over the time t,

    g(n, 60 s) = theory + recovery + uncommon loss + short run

| part          | what                                                                                                         |
|---------------|--------------------------------------------------------------------------------------------------------------|
| theory        | flows that lose in common, for ever: the closed form for the buffer                                           |
| recovery      | one flow over the later 240 s, less the theory: what recovery and whole packets do to it                        |
| uncommon loss | n flows over the later 240 s, less one flow there: they do not decrease together                                  |
| short run     | n flows over the first 60 s, less themselves later: start-up, and cycles that are not finished                      |

Every difference is taken seed by seed. The runs are those of the probe ``buffer`` of ``studies/gain.toml``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from sawtooth.experiment.curves import Curve, CurvePoint, labels, select, values
from sawtooth.experiment.figure_specs import CurveSpec
from sawtooth.experiment.intervals import interval
from sawtooth.experiment.matrix import ProbeRun
from sawtooth.experiment.plan import Label
from sawtooth.models.fast_convergence import minimum, utilisation

if TYPE_CHECKING:
    from numpy.typing import NDArray

STUDY: Final = "lahanas2003/gain"
PROBE: Final = "buffer"
SHORT, LATER = "goodput 0..60 s", "goodput 60..300 s"
LOW: Final[Mapping[str, float]] = {
    "AIMD": 0.5,
    "FC": float(minimum(0.5, 0.0)),
    "FC+": float(minimum(0.5, 0.5)),
}
"""What a decrease leaves of the window in equilibrium."""
PARTS: Final = ("theory", "recovery", "uncommon loss", "short run")


def theory(law: str, buffer: float) -> float:
    """The gain over AIMD that the closed form predicts for a buffer (round trips x bandwidth)."""
    return float(utilisation(LOW[law], buffer) / utilisation(LOW["AIMD"], buffer)) - 1.0


def gains(runs: Sequence[ProbeRun], law: str, flows: Label, buffer: Label, value: str) -> NDArray[np.float64]:
    """The measured gain over AIMD, one per seed."""
    here = select(runs, {"flows": flows, "buffer": buffer})
    of = {name: values(select(here, {"algorithm": name}), value) for name in ("AIMD", law)}
    return np.asarray(of[law] / of["AIMD"] - 1.0, dtype=np.float64)


def contributions(
    runs: Sequence[ProbeRun], law: str, flows: Label, buffer: float
) -> dict[str, NDArray[np.float64]]:
    """The measured gain over 60 s and its parts, one value per seed each; the parts add up to it."""
    short = gains(runs, law, flows, buffer, SHORT)
    later, alone = (gains(runs, law, count, buffer, LATER) for count in (flows, 1))
    expected = theory(law, buffer)
    return {
        "measured": short,
        "theory": np.full_like(short, expected),
        "recovery": alone - expected,
        "uncommon loss": later - alone,
        "short run": short - later,
    }


def curves(probes: Mapping[str, Sequence[ProbeRun]]) -> list[Curve]:
    """A figure per law and number of flows above one: the measured gain and its parts against the buffer, in percent."""
    runs = probes[PROBE]
    return [
        _curve(runs, law, flows) for law in ("FC", "FC+") for flows in labels(runs, "flows") if flows != 1
    ]


def _curve(runs: Sequence[ProbeRun], law: str, flows: Label) -> Curve:
    spec = CurveSpec(
        name=f"parts-{law.lower().replace('+', '-plus')}-{flows}",
        title=f"{law}, {flows} flows: the gain over AIMD in 60 s and its parts",
        probe=PROBE,
        value="gain",
        x="buffer",
        series="part",
        x_label="buffer, round trips x bandwidth",
        y_label="gain over AIMD, %",
        printed="up to 5 % with 2, 4 and 8 flows",
    )
    points = []
    for name in ("measured", *PARTS):
        for buffer in labels(runs, "buffer"):
            per_seed = contributions(runs, law, flows, float(buffer))[name]
            ids = tuple(run.run_id for run in select(runs, {"flows": flows, "buffer": buffer}))
            points.append(CurvePoint(name, buffer, interval(100.0 * per_seed), None, ids))
    return Curve(spec, points)

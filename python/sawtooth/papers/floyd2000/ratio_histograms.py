"""Figure 10 of [Floyd00]: histograms of throughput ratios, from the shares below each level that the runs keep.

Source: [Floyd00] §5.2: 20 bins of 0.1 from 0 to 2; a point is the share of a kind's ratios in a bin, at its middle, the mean over
its flows. The kind of a pair that is named second is TCP; its points are those beside TFRC.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from sawtooth.experiment.curves import Curve, CurvePoint, labels, select, values
from sawtooth.experiment.figure_specs import CurveSpec
from sawtooth.experiment.intervals import interval
from sawtooth.experiment.matrix import ProbeRun

STUDY: Final = "floyd2000/smoothness"
PROBE: Final = "steady"
BINS: Final = 20
WIDTH: Final = 0.1
WIDTHS: Final = ("200 ms", "1 s", "10 s")
BESIDE: Final = "TFRC v TCP"


def curves(probes: Mapping[str, Sequence[ProbeRun]]) -> list[Curve]:
    """A figure for each width of the bins of time, with a line for each of the four kinds."""
    return [_curve(probes[PROBE], width) for width in WIDTHS]


def _curve(runs: Sequence[ProbeRun], width: str) -> Curve:
    spec = CurveSpec(
        name=f"fig10-{width.replace(' ', '')}",
        title=f"Figure 10: histogram of throughput ratios over {width}, RED",
        probe=PROBE,
        value=f"below at {width}",
        x="ratio",
        series="kind",
        x_label="throughput ratio",
        y_label="share of ratios in bins of 0.1",
    )
    points = []
    for kind, own, group in _kinds(runs):
        ids = tuple(run.run_id for run in own)
        for place in range(BINS):
            low, high = round(place * WIDTH, 1), round((place + 1) * WIDTH, 1)
            share = values(own, f"below {high:g} at {width} of {group}")
            if place:
                share = share - values(own, f"below {low:g} at {width} of {group}")
            points.append(CurvePoint(kind, round(low + WIDTH / 2, 2), interval(share), None, ids))
    return Curve(spec, points)


def _kinds(runs: Sequence[ProbeRun]) -> list[tuple[str, list[ProbeRun], int]]:
    """Each kind with its runs and its group in them."""
    found = [(str(pair).split(" v ")[0], select(runs, {"pair": pair}), 0) for pair in labels(runs, "pair")]
    return [*found, ("TCP", select(runs, {"pair": BESIDE}), 1)]

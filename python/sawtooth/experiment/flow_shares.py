"""Throughput of every flow of a mixed population: a mark for each, the mean of each kind as a line, and the drop rate.

Source: [Floyd00] Figures 2 to 6 and 12: n flows of one kind and n of another, throughput over the measured part of the run, normalised so
that 1 is a fair share of the link. A study describes such a figure as data (``[[shares]]``); the runs of its probe keep the
throughputs of their flows beside the metrics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sawtooth.experiment.curves import labels, select, values
from sawtooth.experiment.figure_specs import SharesSpec
from sawtooth.experiment.intervals import Interval, interval
from sawtooth.experiment.matrix import ProbeRun
from sawtooth.experiment.plan import Label


@dataclass(frozen=True)
class SharesPoint:
    """One number of flows: mean throughput of each kind with its interval, every flow of every seed, the drop rates, and the runs."""

    x: Label
    means: tuple[Interval, ...]
    flows: tuple[tuple[tuple[float, float], ...], ...]
    """Kind by kind, drop rate of its run and normalised throughput of each flow."""
    drops: Interval
    run_ids: tuple[str, ...]


@dataclass(frozen=True)
class SharesFigure:
    """The points of one figure by column."""

    spec: SharesSpec
    columns: tuple[tuple[Label, tuple[SharesPoint, ...]], ...]

    def to_json(self) -> dict[str, Any]:
        """The figure in ``--json``: means and drop rates; the flows are those of the runs."""
        return {
            "name": self.spec.name,
            "title": self.spec.title,
            "points": [
                {
                    self.spec.columns: column,
                    self.spec.x: point.x,
                    "drop_rate": point.drops.mean,
                    "means": {
                        kind: {"mean": found.mean, "low": found.low, "high": found.high}
                        for kind, found in zip(self.spec.kinds, point.means, strict=True)
                    },
                    "flows": [len(each) for each in point.flows],
                    "seeds": point.drops.n,
                    "run_ids": list(point.run_ids),
                }
                for column, points in self.columns
                for point in points
            ],
        }


def lay_shares(spec: SharesSpec, runs: Sequence[ProbeRun]) -> SharesFigure:
    """The points of a figure from the runs of its probe. LookupError where they have no such dimension, label or value."""
    chosen = select(runs, spec.only)
    columns = []
    for column in labels(chosen, spec.columns):
        among = select(chosen, {spec.columns: column})
        points = [_point(spec, x, select(among, {spec.x: x})) for x in labels(among, spec.x)]
        columns.append((column, tuple(points)))
    return SharesFigure(spec, tuple(columns))


def _point(spec: SharesSpec, x: Label, runs: Sequence[ProbeRun]) -> SharesPoint:
    drops = values(runs, spec.drops)
    kinds = range(len(spec.kinds))
    if any(len(run.shares) != len(spec.kinds) for run in runs):
        raise LookupError(f"{spec.name}: {len(spec.kinds)} kinds for runs of {len(runs[0].shares)} groups")
    means = [interval(np.array([np.mean(run.shares[kind]) for run in runs])) for kind in kinds]
    flows = [
        tuple(
            (float(rate), share) for run, rate in zip(runs, drops, strict=True) for share in run.shares[kind]
        )
        for kind in kinds
    ]
    return SharesPoint(x, tuple(means), tuple(flows), interval(drops), tuple(run.run_id for run in runs))

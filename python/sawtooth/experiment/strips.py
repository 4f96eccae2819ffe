"""Single flows over time: throughput bin by bin, and when each lost a packet or had one marked.

Source: [Floyd00] Figures 8 and 9: a graph for each of some flows, the kinds side by side in columns, throughput in bins of 0.2 s over
fifteen seconds, ``+`` for each packet dropped and ``x`` for each marked at the bottom. A study describes such a figure as data
(``[[strips]]``); the runs of its probe keep what they recorded of their flows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sawtooth.experiment.curves import select
from sawtooth.experiment.figure_specs import StripsSpec
from sawtooth.experiment.matrix import ProbeRun
from sawtooth.measure.single_flows import Recorded

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Strip:
    """One flow: its number, what it got in each bin (bit/s), and the times of its drops and marks (s)."""

    flow: int
    rates_bps: NDArray[np.float64]
    drops_s: NDArray[np.float64]
    marks_s: NDArray[np.float64]

    @property
    def variation(self) -> float:
        """Coefficient of variation of what is shown."""
        return float(self.rates_bps.std() / self.rates_bps.mean())


@dataclass(frozen=True)
class StripsFigure:
    """The strips of one figure: a column for each kind, the beginnings of the bins (s) with the end of the last, and the run."""

    spec: StripsSpec
    edges_s: NDArray[np.float64]
    fair_bps: float
    columns: tuple[tuple[str, tuple[Strip, ...]], ...]
    run_id: str

    def to_json(self) -> dict[str, Any]:
        """The figure in ``--json``: how much each flow varies, loses and has marked in what is shown."""
        return {
            "name": self.spec.name,
            "title": self.spec.title,
            "run_id": self.run_id,
            "strips": [
                {
                    "kind": kind,
                    "flow": strip.flow,
                    "mean_bps": float(strip.rates_bps.mean()),
                    "variation": strip.variation,
                    "drops": strip.drops_s.size,
                    "marks": strip.marks_s.size,
                }
                for kind, strips in self.columns
                for strip in strips
            ],
        }


def lay_strips(spec: StripsSpec, runs: Sequence[ProbeRun]) -> StripsFigure:
    """The strips of a figure, of the first seed's run. LookupError where no single run, or no such bins or flows, are there."""
    chosen = select(runs, spec.only)
    first = [run for run in chosen if run.seed == chosen[0].seed]
    if len(first) != 1 or first[0].recorded is None:
        raise LookupError(f"{spec.name}: {len(first)} runs of one seed; further labels must choose one")
    seen = first[0].recorded
    inside = (seen.ends_s > spec.begin_s + seen.bin_s / 2) & (seen.ends_s < spec.end_s + seen.bin_s / 2)
    if not inside.any():
        raise LookupError(f"{spec.name}: no bins between {spec.begin_s:g} and {spec.end_s:g} s")
    columns = []
    for group, kind in enumerate(spec.kinds):
        own = np.flatnonzero(seen.groups == group)
        if own.size < spec.flows:
            raise LookupError(f"{spec.name}: {own.size} flows of {kind}, {spec.flows} wanted")
        shown = own[np.linspace(0, own.size - 1, spec.flows).round().astype(np.int64)]
        columns.append((kind, tuple(_strip(spec, seen, inside, int(flow)) for flow in shown)))
    ends = seen.ends_s[inside]
    edges = np.concatenate([[ends[0] - seen.bin_s], ends])
    return StripsFigure(spec, edges, seen.fair_bps, tuple(columns), first[0].run_id)


def _strip(spec: StripsSpec, seen: Recorded, inside: NDArray[np.bool_], flow: int) -> Strip:
    own = (seen.flows == flow) & (seen.times_s >= spec.begin_s) & (seen.times_s < spec.end_s)
    return Strip(
        flow, seen.rates_bps[inside, flow], seen.times_s[own & ~seen.marked], seen.times_s[own & seen.marked]
    )

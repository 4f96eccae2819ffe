"""What figures over single flows need of a run: the share of each flow, and what was recorded of each.

Source: [Floyd00] Figures 2 to 6 and 12 (shares), Figures 8 and 9 (rates in bins, with the packets lost or marked).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sawtooth.column_values import values_of
from sawtooth.measure.run_part import RunPart

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sawtooth.measure.run_data import RunData

Shares = tuple[tuple[float, ...], ...]
"""Group by group, the normalised throughput of each flow."""


@dataclass(frozen=True)
class Recorded:
    """What a run recorded of its test flows: rates in bins, and what happened to their packets."""

    bin_s: float
    fair_bps: float
    """A fair share of the link."""
    groups: NDArray[np.int64]
    """Group of each flow."""
    ends_s: NDArray[np.float64]
    rates_bps: NDArray[np.float64]
    """Shape (bins, flows)."""
    times_s: NDArray[np.float64]
    flows: NDArray[np.int64]
    marked: NDArray[np.bool_]
    """When which flow lost a packet, or (marked) had one marked."""


def shares(run: RunData) -> Shares:
    """Throughput of every test flow over a fair share of the bottleneck, group by group, from the counters of the measured part."""
    flows = run.meta["resolved"]["flows"]
    test = np.array([flow["test"] for flow in flows], dtype=np.bool_)
    goodputs = values_of(run.flows.column("goodput_bps"))[: len(flows)][test]
    normalised = goodputs * goodputs.size / float(run.meta["capacity_bps"])
    groups = np.array([flow["group"] for flow in flows])[test]
    return tuple(tuple(normalised[groups == group].tolist()) for group in range(int(groups.max()) + 1))


def recorded(run: RunData) -> Recorded:
    """What the figure needs of a run. ValueError if it did not record rates and congestion."""
    part = RunPart(run, 0, int(run.engine["duration_ns"]), None)
    own = part.of_group()
    ends, bits = part.bins()
    width = int(run.engine["record"]["rates_ns"]) / 1e9
    events = part.record("congestion")
    flows = values_of(events.column("flow"))
    inside = flows < own.size
    return Recorded(
        bin_s=width,
        fair_bps=float(run.meta["capacity_bps"]) / int(own.sum()),
        groups=np.array([row["group"] if row["test"] else -1 for row in part.rows()], dtype=np.int64),
        ends_s=ends / 1e9,
        rates_bps=bits / width,
        times_s=values_of(events.column("time_ns"))[inside] / 1e9,
        flows=flows[inside].astype(np.int64),
        marked=values_of(events.column("mark"))[inside] != 0,
    )

"""The frame of every metric: what a metric is, and what it sees.

A metric is one number of one run, computed from columns: it opens no file, knows no store and runs nothing. Everything is
counted inside the measured window [warm-up, duration); the warm-up is excluded by the engine, which opens its counters there.
A quantity that is not defined for a run (the loss rate of flows that sent nothing, say) is NaN here and `null` in JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

NAN = float("nan")
MEASURED_WINDOW = "[warm-up, duration)"


@dataclass(frozen=True)
class Measured:
    """The columns of one run as a metric sees them.

    `flows` has one row per flow (the engine's columns and `test`, bool), `queues` one row per queue with the bottleneck first,
    `records` the recorded series by name. `available_bps` is the time mean over the window of the nominal bandwidth available to one
    test flow; `trace_driven` says that a packet-opportunity trace replaces the transmitter.
    """

    flows: pa.Table
    queues: pa.Table
    records: Mapping[str, pa.Table]
    start_ns: int
    end_ns: int
    available_bps: float
    trace_driven: bool = False

    @property
    def seconds(self) -> float:
        """Length of the measured window, s."""
        return (self.end_ns - self.start_ns) / 1e9

    def test(self, column: str) -> NDArray[Any]:
        """One column of `flows`, test flows only, in flow order. Shape (test flows,)."""
        mask = self.flows.column("test").to_numpy()
        values: NDArray[Any] = self.flows.column(column).to_numpy()[mask]
        return values

    def bottleneck(self, column: str) -> float:
        """One number of the bottleneck, the first queue."""
        return float(self.queues.column(column)[0].as_py())


@dataclass(frozen=True)
class Metric:
    """One entry of METRICS. `higher_is_better` is None where neither end is good in itself."""

    name: str
    unit: str
    higher_is_better: bool | None
    what: str
    source: str
    function: Callable[[Measured], float]
    window: str = MEASURED_WINDOW

    def __call__(self, measured: Measured) -> float:
        return float(self.function(measured))


def ratio(numerator: float, denominator: float) -> float:
    """`numerator / denominator`, NaN where the denominator is zero (undefined, not infinite)."""
    return float(numerator) / float(denominator) if denominator else NAN


def flow_goodputs_bps(flows: pa.Table, seconds: float) -> NDArray[np.float64]:
    """Goodput of every flow, bit/s: wire bytes of unique packets delivered inside the window over its length. Shape (flows,)."""
    packets = flows.column("delivered_unique").to_numpy().astype(np.float64)
    packet_bytes = flows.column("packet_bytes").to_numpy().astype(np.float64)
    goodputs: NDArray[np.float64] = packets * packet_bytes * 8.0 / seconds
    return goodputs


def test_goodputs_bps(measured: Measured) -> NDArray[np.float64]:
    """Goodput of every test flow, bit/s. Shape (test flows,)."""
    mask = measured.flows.column("test").to_numpy()
    goodputs: NDArray[np.float64] = flow_goodputs_bps(measured.flows, measured.seconds)[mask]
    return goodputs

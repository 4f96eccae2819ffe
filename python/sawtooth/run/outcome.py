"""What is kept of a run in a study of many: its metrics, and what its figures need beyond them.

Source: none.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np
import pyarrow as pa

from sawtooth.columns import Columns
from sawtooth.measure.metrics import METRIC_NAMES

if TYPE_CHECKING:
    from sawtooth.measure.single_flows import Recorded, Shares


CROSS_PACKET_BYTES = 1000
"""Size of the packets of a constant-rate source (DESIGN: fixed at the default packet size), bytes."""
EXTRA = ("cross_surplus",)
"""Quantities of a cell beside the metrics: see ``cross_surplus``."""


class Finished(Protocol):
    """What is looked at of a run (run.RunSummary has it)."""

    @property
    def run_id(self) -> str: ...
    @property
    def values(self) -> Mapping[str, float]: ...
    @property
    def flows(self) -> pa.Table: ...
    @property
    def queue_columns(self) -> Columns: ...
    @property
    def meta(self) -> Mapping[str, object]: ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is kept of a run: few numbers, so that a study of any number of runs fits into memory.

    ``values`` are the metrics in the order of METRIC_NAMES, then those of EXTRA, eight bytes each; ``flows`` stays for the runs of a probe
    alone, ``shares`` and ``recorded`` where a figure shows single flows, ``delays`` (``delay_quantiles``) where one shows distributions.
    """

    run_id: str
    values: Sequence[float]
    flows: pa.Table | None
    measures: Mapping[str, float] = field(default_factory=dict)
    shares: Shares = ()
    recorded: Recorded | None = None
    delays: Sequence[float] = ()

    @classmethod
    def of(
        cls,
        run: Finished,
        *,
        flows: bool,
        delays: bool = False,
        measures: Mapping[str, float] | None = None,
    ) -> Outcome:
        """The outcome of a finished or stored run, with its table of flows and its delays or without."""
        found = run.values
        metrics = found.values() if tuple(found) == METRIC_NAMES else _in_order(found)
        return cls(
            run.run_id,
            array("d", [*metrics, cross_surplus(run)]),
            run.flows if flows else None,
            measures or {},
            delays=delay_quantiles(run) if delays else (),
        )


def _in_order(found: Mapping[str, float]) -> list[float]:
    """Of metrics that an earlier version stored those of today; NaN for one that it did not have."""
    return [found.get(metric, np.nan) for metric in METRIC_NAMES]


def delay_quantiles(run: Finished) -> Sequence[float]:
    """Queueing delays of test packets at the first queue, ms, below which the shares `describe()["delay_shares"]` of them lie; none if no
    packet passed, and of runs that an earlier version stored."""
    if "delay_quantiles_ns" not in run.queue_columns:
        return ()
    text = run.queue_columns.listed("delay_quantiles_ns")[0] or ""
    return array("d", (int(word) / 1e6 for word in text.split()))


def cross_surplus(run: Finished) -> float:
    """What cross traffic lost at the bottleneck, as a fraction of the nominal bandwidth of the test flows.

    [Akella02] footnote 4: lost cross traffic leaves more than the nominal bandwidth. Dropped packets that are not of
    test flows, times their size, over what the link could carry of nominal traffic in the measured window; NaN without cross traffic, and
    where it is short flows, which repeat what they lose.
    """
    columns = ("arrivals", "drops", "test_arrivals", "test_drops", "capacity_bytes")
    row = {name: int(run.queue_columns.values(name)[0]) for name in columns}
    meta = run.meta
    if row["arrivals"] == row["test_arrivals"] or "cross" in meta:
        return float("nan")
    share = _number(meta, "available_bps") * _number(meta, "test_flows") / _number(meta, "capacity_bps")
    lost_bytes = (row["drops"] - row["test_drops"]) * CROSS_PACKET_BYTES
    return float(lost_bytes / (share * row["capacity_bytes"]))


def _number(meta: Mapping[str, object], name: str) -> float:
    value = meta[name]
    if not isinstance(value, int | float):
        raise TypeError(f"meta[{name!r}] of a run is {value!r}, expected a number")
    return float(value)

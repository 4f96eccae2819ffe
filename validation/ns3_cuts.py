"""The window of a flow alone beside ns-3's: what it was before and after every reduction, and how often it is reduced.

Source: ns-3 3.44 and 3.37, data/ns3_cuts.csv: the reductions from the 10th second on, by when slow start and its end are over.

| quantity                                              | agrees within                        |
|-------------------------------------------------------|--------------------------------------|
| least and largest window before a reduction, and after | one packet, or 1.2 % of ns-3's      |
| mean time from one reduction to the next               | 5 % of ns-3's                       |

CUBIC's windows are whole packets here, as ns-3's are (`integer = 1`). PIE draws, so that the windows of one of its runs are those of
another only in the mean; it is not here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Final

from sawtooth.run.run import Run
from validation.ns3 import whole_packets
from validation.ns3_scenarios import values
from validation.page import markdown
from validation.runs import decreases, job, runs, table

SETTLED_S: Final = 10.0
TWO_CYCLES: Final = "A-1cubicrf-10M-100ms-codel-nohystart"
"""A flow that comes to one of two cycles, by how its slow start ends."""
THRESHOLDS: Final = (60, 80, 100, 120, 140, 160, 180, 200, 220, 240)
"""First slow-start thresholds, packets; slow start without one ends with a loss at 255."""
PACKETS, SHARE, PERIOD_SHARE = 1.0, 0.012, 0.05


@dataclass(frozen=True)
class Cut:
    """One reduction: when (s), and the window before and after it, in packets."""

    time_s: float
    before: float
    after: float


@dataclass(frozen=True)
class Trace:
    """One flow alone: ns-3's reductions and ours."""

    name: str
    ns3: tuple[Cut, ...]
    ours: tuple[Cut, ...]

    @property
    def difference(self) -> float:
        """The largest difference of a window over its bound: at most 1 where they agree."""
        pairs = zip(_windows(self.ours), _windows(self.ns3), strict=True)
        return max(abs(ours - ns3) / max(PACKETS, SHARE * ns3) for ours, ns3 in pairs)

    @property
    def windows_agree(self) -> bool:
        """Whether no window is further off than its bound."""
        return self.difference <= 1

    @property
    def period_agrees(self) -> bool:
        """Whether the mean times between reductions do."""
        return abs(period_s(self.ours) / period_s(self.ns3) - 1) <= PERIOD_SHARE


def _windows(cuts: Sequence[Cut]) -> tuple[float, ...]:
    before, after = [cut.before for cut in cuts], [cut.after for cut in cuts]
    return min(before), max(before), min(after), max(after)


def period_s(cuts: Sequence[Cut]) -> float:
    """The mean time between reductions. Long and short times alternate, so the time over two of them is taken, and halved."""
    over = min(2, len(cuts) - 1)
    return fmean((later.time_s - cut.time_s) / over for cut, later in zip(cuts, cuts[over:], strict=False))


def measure() -> list[Trace]:
    """Every flow alone whose reductions were recorded."""
    recorded: dict[str, list[Cut]] = {}
    for row in table("ns3_cuts"):
        cut = Cut(*(float(row[name]) for name in ("time_s", "before", "after")))
        recorded.setdefault(row["cell"], []).append(cut)
    rows = [row for row in table("ns3_cells") if len(recorded.get(row["cell"], [])) > 1]
    found = runs(
        [job("ns3_cells", whole_packets(values(row)) | {"record": {"windows": True}}) for row in rows]
    )
    return [
        Trace(row["cell"], tuple(recorded[row["cell"]]), _settled(run))
        for row, run in zip(rows, found, strict=True)
    ]


def _settled(run: Run) -> tuple[Cut, ...]:
    cuts = [Cut(cut["time_s"], cut["before"], cut["after"]) for cut in decreases(run)]
    return tuple(cut for cut in cuts if cut.time_s >= SETTLED_S)


def cycles() -> list[float]:
    """The mean times between reductions (s) of `TWO_CYCLES` after slow starts that end by a loss, or by each of `THRESHOLDS`."""
    (row,) = [row for row in table("ns3_cells") if row["cell"] == TWO_CYCLES]
    ends: list[dict[str, Any]] = [{}, *({"tcp.initial_ssthresh": packets} for packets in THRESHOLDS)]
    base = whole_packets(values(row)) | {"record": {"windows": True}}
    return [period_s(_settled(run)) for run in runs([job("ns3_cells", base | end) for end in ends])]


def cycles_in_words(found: Sequence[float]) -> str:
    """How many slow starts lead to which time between reductions."""
    counts = Counter(f"{period:.1f} s" for period in found)
    return " and ".join(f"{counts[time]} to {time}" for time in sorted(counts))


def agreement(traces: Sequence[Trace]) -> str:
    """How many flows agree, on one line."""
    windows, periods = (
        sum(getattr(trace, name) for trace in traces) for name in ("windows_agree", "period_agrees")
    )
    return f"{windows} of {len(traces)} in windows, {periods} of {len(traces)} in the time between reductions"


def traces_table(traces: Sequence[Trace]) -> str:
    """Every flow: least and largest windows, and times; ours, then ns-3's; bold where they disagree by the rule."""
    rows = []
    for trace in traces:
        windows = f"{_shown(trace.ours)} ({_shown(trace.ns3)})"
        period = f"{period_s(trace.ours):.3f} ({period_s(trace.ns3):.3f})"
        rows.append(
            [
                f"`{trace.name}`",
                f"{len(trace.ours)} ({len(trace.ns3)})",
                windows if trace.windows_agree else f"**{windows}**",
                period if trace.period_agrees else f"**{period}**",
            ]
        )
    return markdown(
        ["flow", "reductions (ns-3)", "window before → after (ns-3)", "time between in s (ns-3)"], rows
    )


def _shown(cuts: Sequence[Cut]) -> str:
    least, largest, left_least, left_largest = (
        f"{window:.1f}".removesuffix(".0") for window in _windows(cuts)
    )
    before, after = (
        low if low == high else f"{low} to {high}"
        for low, high in ((least, largest), (left_least, left_largest))
    )
    return f"{before} → {after}"

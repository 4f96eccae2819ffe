"""BBR version 1 beside recordings of Linux, ns-3 and a formula: its cycle alone, and its share beside a flow of CUBIC.

Source: Linux 6.18, data/linux_bbr.csv (three repetitions); ns-3 3.44, data/ns3_bbr.csv; [Ware19] §4, a formula for the share.

| compared with Linux                              | agrees within                                                    |
|--------------------------------------------------|------------------------------------------------------------------|
| a cycle of gains, its first and its second phase | 10 ms, the step of the recording                                 |
| PROBE_RTT: first, next, how long                 | 0.1 s, 0.3 s and 10 ms, beyond the spread of the repetitions     |
| drops of the start, window afterwards            | 3 packets each                                                   |
| share beside CUBIC, from 0, 10 and 30 s on       | 0.05 of the mean                                                 |
| share of the link with every 100th packet lost   | 0.02 of the mean                                                 |

Of ns-3, whose shares at these buffers are an order of magnitude only, and of the formula the numbers are shown without a verdict.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from sawtooth.run.run import Run
from validation.page import markdown
from validation.runs import job, runs, table

ALONE: Final = {
    "cycle_ms": ("a cycle of eight phases (ms)", 10.0),
    "up_ms": ("its first phase (ms)", 10.0),
    "down_ms": ("its second phase (ms)", 10.0),
    "probe_rtt_first_s": ("PROBE_RTT for the first time (s)", 0.1),
    "probe_rtt_next_s": ("until the next one (s)", 0.3),
    "probe_rtt_ms": ("how long (ms)", 10.0),
    "drops_at_start": ("packets dropped in the first second", 3.0),
    "window": ("window afterwards (packets)", 3.0),
}
SHARES: Final = {
    f"share_{begin}": (f"share beside CUBIC, {begin} to 60 s", 0.05, begin) for begin in (0, 10, 30)
}
LOSSY: Final = "share of the link with every 100th packet lost, 5 to 30 s"
SEEDS: Final = 10
PROBE_BW, PROBE_RTT = 7, 6
"""Codes of states in the record `model`."""
BUFFERS: Final = (2, 8, 32)
"""Buffers at which the formula is shown, in BDP."""


@dataclass(frozen=True)
class Row:
    """One quantity: Linux's values of the repetitions, ours, and by how much the means may differ."""

    what: str
    linux: tuple[float, ...]
    ours: tuple[float, ...]
    bound: float

    @property
    def agrees(self) -> bool:
        """Whether ours lies within the bound of Linux's values, or of their mean if they are shares."""
        ours = statistics.fmean(self.ours)
        if self.what.startswith("share"):
            return abs(ours - statistics.fmean(self.linux)) <= self.bound
        return min(self.linux) - self.bound <= ours <= max(self.linux) + self.bound


def measure() -> list[Row]:
    """Everything that was recorded of Linux."""
    (alone,) = runs([job("linux_bbr")])
    found = _alone(alone)
    rows = [Row(what, _linux(key), (found[key],), bound) for key, (what, bound) in ALONE.items()]
    for key, (what, bound, begin) in SHARES.items():
        rows.append(Row(what, _linux(key), _shares({"warmup": f"{begin} s"}, SEEDS), bound))
    (lossy,) = runs([job("linux_bbr", {"bottleneck.drop": "periodic(100)", "warmup": "5 s"})])
    return [*rows, Row(LOSSY, _linux("share_lossy"), (lossy.values["goodput"],), 0.02)]


def _linux(quantity: str) -> tuple[float, ...]:
    return tuple(float(row["value"]) for row in table("linux_bbr") if row["quantity"] == quantity)


def _alone(run: Run) -> dict[str, float]:
    phases = _phases(run)
    lengths: dict[Any, list[float]] = {}
    for (begin, kind), (end, _) in pairwise(phases):
        lengths.setdefault(kind, []).append(end - begin)
    ups = [(index, begin) for index, (begin, kind) in enumerate(phases) if kind == (PROBE_BW, 1.25)]
    cycles = [later - begin for (i, begin), (j, later) in pairwise(ups) if j - i == 3]
    probes = [begin for begin, kind in phases if kind[0] == PROBE_RTT]
    windows = run.records["model"].to_pylist()
    return {
        "cycle_ms": 1e3 * statistics.median(cycles),
        "up_ms": 1e3 * statistics.median(lengths[PROBE_BW, 1.25]),
        "down_ms": 1e3 * statistics.median(lengths[PROBE_BW, 0.75]),
        "probe_rtt_first_s": probes[0],
        "probe_rtt_next_s": probes[1] - probes[0],
        "probe_rtt_ms": 1e3 * statistics.fmean(lengths[PROBE_RTT, 1.0]),
        "drops_at_start": run.flows.to_pylist()[0]["drops"],
        "window": statistics.median(row["window"] for row in windows if row["time_ns"] >= 1e9),
    }


def _phases(run: Run) -> list[tuple[float, tuple[int, float]]]:
    """When each state and gain began, the gain as pacing rate over bandwidth less the margin."""
    found: list[tuple[float, tuple[int, float]]] = []
    for row in run.records["model"].to_pylist():
        if row["bw_bps"] <= 0:
            continue
        kind = (row["state"], round(row["pacing_bps"] / row["bw_bps"] / 0.99, 2))
        if not found or found[-1][1] != kind:
            found.append((row["time_ns"] / 1e9, kind))
    return found


def _shares(values: dict[str, Any], seeds: int) -> tuple[float, ...]:
    jobs = [job("linux_bbr_cubic", values, seed) for seed in range(1, seeds + 1)]
    return tuple(_share(run) for run in runs(jobs))


def _share(run: Run) -> float:
    delivered = [flow["delivered_unique"] for flow in run.flows.to_pylist()]
    return float(delivered[0] / sum(delivered))


@dataclass(frozen=True)
class Beside:
    """The share of a flow of BBR beside one of CUBIC over a buffer, ours and theirs."""

    buffer: str
    theirs: float
    ours: tuple[float, ...]


def ns3() -> list[Beside]:
    """The cells of ns-3: 60 s, counted from 10 s on. Its buffer counts neither the packet in the device nor that in transmission."""
    found = []
    for row in table("ns3_bbr"):
        values = {
            "bottleneck.buffer": f"{int(row['buffer_packets']) + 2} packets",
            "flows[0].start": "uniform 0..100 ms",
            "flows[1].start": "uniform 100..200 ms",
        }
        found.append(Beside(row["cell"], float(row["share"]), _shares(values, int(row["seeds"]))))
    return found


def ware(buffer_bdp: float, rate_bps: float = 10e6, rtt_s: float = 0.040, packet_bytes: int = 1500) -> float:
    """[Ware19] §4: the share of one flow of BBR beside loss-based ones that fill a buffer of so many BDP, less the time in PROBE_RTT."""
    buffer_packets = buffer_bdp * rate_bps * rtt_s / (8 * packet_bytes)
    loss_based = 0.5 - 1 / (2 * buffer_bdp) - 4 / buffer_packets
    probing_s = buffer_bdp * rtt_s + 0.2 + rtt_s
    return (1 - loss_based) * (1 - probing_s / 10)


def formula() -> list[Beside]:
    """The formula at its buffers: 400 s, counted from 200 s on."""
    found = []
    for buffer in BUFFERS:
        values = {"bottleneck.buffer": f"{buffer} bdp", "duration": "400 s", "warmup": "200 s"}
        found.append(Beside(f"{buffer} BDP", ware(buffer), _shares(values, 4)))
    return found


def agreement(rows: Sequence[Row]) -> str:
    """How many quantities agree, on one line."""
    shares = [row for row in rows if row.what.startswith("share beside")]
    others = [row for row in rows if row not in shares]
    furthest = max(abs(statistics.fmean(row.ours) - statistics.fmean(row.linux)) for row in shares)
    return (
        f"{sum(row.agrees for row in others)} of {len(others)} of the flow alone, "
        f"{sum(row.agrees for row in shares)} of {len(shares)} shares beside CUBIC, the furthest {furthest:.3f} from Linux's mean"
    )


def rows_table(rows: Sequence[Row]) -> str:
    """Every quantity: ours and the repetitions of Linux; bold where they disagree by the rule."""
    lines = []
    for row in rows:
        digits = 3 if row.what.startswith("share") else 1
        ours = f"{statistics.fmean(row.ours):.{digits}f}"
        shown = ours if row.agrees else f"**{ours}**"
        lines.append([row.what, shown, ", ".join(f"{value:.{digits}f}" for value in row.linux)])
    return markdown(["quantity", "ours", "Linux, three repetitions"], lines)


def beside_table(rows: Sequence[Beside], whose: str) -> str:
    """Shares over buffers: ours with the range over seeds, and theirs."""
    lines = [
        [
            row.buffer,
            f"{statistics.fmean(row.ours):.2f} ({min(row.ours):.2f} to {max(row.ours):.2f})",
            f"{row.theirs:.2f}",
        ]
        for row in rows
    ]
    return markdown(["buffer", "share of `bbr-1` (over seeds)", whose], lines)

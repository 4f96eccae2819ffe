"""Generated traces of cellular links beside recordings, by summary statistics.

Source: three recordings of [Winstein13] in the collection of [Netravali15] (mahimahi, commit ae477d437615b972217498ba52be07db17a15618):
data/cellular_recordings.csv, computed by `sawtooth.scenario.trace_statistics`. The recordings themselves are under the GPL and not here.

The parameters of our model were fitted to these statistics, by hand, on seeds 101 to 106. Judged are means over seeds 1 to 16 of traces as
long as the recording, by tolerances that were stated before those seeds were run: a recording is one trace, and of a link with a memory of
seconds two minutes say no more.

| statistic                               | tolerance                 |
|-----------------------------------------|---------------------------|
| mean rate                               | 10 %                      |
| coefficients of variation               | 20 %                      |
| 5 % quantile of the rate                | 10 % of the mean rate     |
| other quantiles of the rate             | 25 %                      |
| autocorrelations                        | 0.15                      |
| gaps, all but the longest               | a factor of 2             |
| share of the time in gaps of 100 ms     | a factor of 2             |
| share of the time in gaps of 1 s        | 0.05                      |

The longest gap is shown and not judged.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sawtooth.scenario.drives import DRIVES, make
from sawtooth.scenario.trace_statistics import STATISTICS
from sawtooth.scenario.trace_statistics import statistics as of_trace
from validation.page import markdown
from validation.runs import table

SEEDS: Final = 16
SHOWN: Final = "gap_longest_ms"
"""Of what a trace has one, which tells little."""


@dataclass(frozen=True)
class Compared:
    """One statistic of one drive: ours, mean and deviation over seeds, and that of the recording."""

    drive: str
    statistic: str
    mean: float
    sd: float
    recorded: float
    recorded_mean_bps: float

    @property
    def agrees(self) -> bool | None:
        """Whether it is within its tolerance; None where it is not judged."""
        if self.statistic == SHOWN:
            return None
        return lowest(self) <= self.mean <= highest(self)


def bounds(statistic: str, recorded: float, mean_bps: float) -> tuple[float, float]:
    """What a mean over seeds may be, by the table above."""
    if statistic.startswith("gap") or statistic == "share_without_100ms":
        return recorded / 2, recorded * 2
    apart = {"mean_bps": 0.1 * recorded, "rate_p5_bps": 0.1 * mean_bps, "share_without_1s": 0.05}.get(
        statistic
    )
    if apart is None and statistic.startswith("variation"):
        apart = 0.2 * recorded
    elif apart is None and statistic.startswith("autocorrelation"):
        apart = 0.15
    elif apart is None:
        apart = 0.25 * recorded
    return recorded - apart, recorded + apart


def lowest(found: Compared) -> float:
    """The least that agrees."""
    return bounds(found.statistic, found.recorded, found.recorded_mean_bps)[0]


def highest(found: Compared) -> float:
    """The most that agrees."""
    return bounds(found.statistic, found.recorded, found.recorded_mean_bps)[1]


def recordings() -> dict[str, dict[str, float]]:
    """By recording its statistics."""
    found: dict[str, dict[str, float]] = {}
    for row in table("cellular_recordings"):
        found.setdefault(row["recording"], {})[row["statistic"]] = float(row["value"])
    return found


def measure(seeds: int = SEEDS) -> list[Compared]:
    """Every statistic of every drive."""
    compared = []
    recorded = recordings()
    for name, drive in DRIVES.items():
        beside = recorded[drive.recording]
        length = round(beside["duration_ms"]) * 1_000_000
        traces = (make(drive, name=name, seed=str(seed), duration_ns=length) for seed in range(1, seeds + 1))
        ours = [of_trace(trace) for trace in traces]
        for statistic in STATISTICS:
            values = [found[statistic] for found in ours]
            mean, sd = statistics.fmean(values), statistics.stdev(values)
            compared.append(Compared(name, statistic, mean, sd, beside[statistic], beside["mean_bps"]))
    return compared


def agreement(found: Sequence[Compared]) -> str:
    """How many agree, on one line."""
    judged = [row for row in found if row.agrees is not None]
    return f"{sum(bool(row.agrees) for row in judged)} of {len(judged)} statistics of {len(DRIVES)} links"


def blocks(found: Sequence[Compared]) -> dict[str, str]:
    """What stands in docs/validation.md."""
    return {
        "drives verdict": agreement(found),
        "drives agreeing": agreement(found),
        "drives": rows_table(found),
    }


def rows_table(found: Sequence[Compared]) -> str:
    """Ours with the recording's in brackets; bold where they disagree."""
    by_statistic: dict[str, dict[str, Compared]] = {}
    for row in found:
        by_statistic.setdefault(row.statistic, {})[row.drive] = row
    rows = [
        [STATISTICS[statistic], *(_cell(rows[drive]) for drive in DRIVES)]
        for statistic, rows in by_statistic.items()
    ]
    return markdown(["statistic", *(f"`{name}`" for name in DRIVES)], rows)


def _cell(row: Compared) -> str:
    scale, unit = _scales().get(row.statistic.rpartition("_")[2], (1.0, ""))
    text = f"{row.mean / scale:.3g} ± {row.sd / scale:.2g} ({row.recorded / scale:.3g}){unit}"
    return f"**{text}**" if row.agrees is False else text


def _scales() -> Mapping[str, tuple[float, str]]:
    return {"bps": (1e6, " Mbit/s"), "ms": (1.0, " ms")}

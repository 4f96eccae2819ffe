"""One flow of Prague beside one classic flow, beside measurements of real kernels: who gets how much, and how long packets take.

Source: [Sarpkaya25], data/l4s_pam2025.csv, means of ten runs of 60 s at 100 Mbit/s and 10 ms.

| metric                                                | agrees within        |
|-------------------------------------------------------|----------------------|
| share of Prague in what both flows get                | 20 % of the measured |
| smoothed round trip of Prague, of the classic flow    | 15 % of the measured |

Wanted: four of five cells in each metric, with `prague(cubic=0)`, which answers a loss as Linux's does. The default `prague` is judged by
the same rule. Shares and round trips are means over SEEDS seeds from the start to the end, slow start included, as there.
Theirs of a round trip is the mean of the smoothed one, read every second; ours is its mean over time.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, Final

from sawtooth.run.run import Run
from validation.page import markdown
from validation.runs import job, runs, table

SEEDS: Final = 3
SHARE_BOUND, RTT_BOUND = 0.20, 0.15
WANTED: Final = 0.8
"""The part of the cells that must agree."""
FRAME: Final = 1514
BDP: Final = 125_000
"""Bytes in 10 ms at 100 Mbit/s."""

LINUX_CUBIC: Final = {
    "control": "cubic(alpha_late=0, min_rtt_ahead=1, integer=1)",
    "slow_start": "hystart",
}
CLASSIC: Final[Mapping[str, Mapping[str, Any]]] = {
    "cubic": {**LINUX_CUBIC, "ecn": "off"},
    "cubic+ecn": {**LINUX_CUBIC, "ecn": "classic"},
    "bbr-1": {"control": "bbr-1", "ecn": "off"},
    "bbr-3": {"control": "bbr", "ecn": "off"},
}
QUEUES: Final[Mapping[str, Mapping[str, Any]]] = {
    "FIFO": {"kind": "droptail"},
    "Codel": {"kind": "codel", "ecn": True},
    "Codel_drop": {"kind": "codel"},
    "pie_drop": {"kind": "pie", "target": "5 ms", "cap_adjustment": True, "derandomization": True},
    "FQ_Codel": {"kind": "fq-codel"},
    "FQ_Codel_L4S": {"kind": "fq-codel", "ce_threshold_ect1": "1 ms"},
    "DualPI2": {"kind": "dualpi2", "target": "5 ms", "min_threshold": "1 ms", "range": "0 s", "weight": 0.1},
}
"""As the authors set them, the rest as Linux has it: the L queue of its DualPI2 marks above a step, and a tenth is the classic queue's."""
DUALPI2_PACKETS: Final = 10_000
METRICS: Final[Mapping[str, str]] = {
    "share": "share of Prague",
    "prague_ms": "round trip of Prague (ms)",
    "classic_ms": "round trip of the classic flow (ms)",
}


@dataclass(frozen=True)
class Variant:
    """Something that the data do not say, or that Linux does otherwise than the RFC, set the other way where it can matter."""

    name: str
    changes: Mapping[str, Any]
    classic: str = ""
    aqm: str = ""
    """Only beside classic flows and behind routers whose name begins so."""

    def concerns(self, row: Mapping[str, str]) -> bool:
        """Whether it can make a difference in this cell."""
        return row["classic"].startswith(self.classic) and row["aqm"].startswith(self.aqm)


BY_DEFAULT: Final = Variant(
    "Prague answers a loss as CUBIC does, one of the two answers that its draft permits",
    {"flows[0].control": "prague"},
)
VARIANTS: Final = (
    Variant("every packet acknowledged", {"tcp.delayed_ack": False, "tcp.delayed_ack_timeout": "200 ms"}),
    Variant("packets up to 1 ms late (here: 0.1 ms)", {"path.send_jitter": "1 ms"}),
    BY_DEFAULT,
    Variant(
        "CUBIC as in its RFC, without HyStart",
        {"flows[1].control": "cubic", "flows[1].slow_start": "standard"},
        classic="cubic",
    ),
    Variant(
        "PIE without the optional parts of its RFC",
        {"bottleneck.queue": {"kind": "pie", "target": "5 ms"}},
        aqm="pie",
    ),
    Variant(
        "DualPI2 with the ramp and the weight of its RFC",
        {"bottleneck.queue": {"kind": "dualpi2", "target": "5 ms"}},
        aqm="DualPI2",
    ),
)


@dataclass(frozen=True)
class Trial:
    """Something that may explain why a cell disagrees, set in these cells alone."""

    name: str
    cells: Sequence[str]
    metrics: Sequence[str]
    changes: Mapping[str, Any]

    def concerns(self, row: Mapping[str, str]) -> bool:
        """Whether it is about this cell."""
        return name_of(row) in self.cells


LATE: Final = {"path.send_jitter": "1 ms"}
SECOND_MINUTE: Final = {"duration": "120 s", "warmup": "60 s"}
TRIALS: Final = (
    Trial("packets up to 1 ms late", ["DualPI2 0.5 BDP, bbr-1"], ["share"], LATE),
    Trial("packets up to 1 ms late", ["FQ_Codel 2 BDP, bbr-3"], ["prague_ms"], LATE),
    Trial(
        "packets up to 1 ms late",
        ["FQ_Codel_L4S 2 BDP, bbr-1", "FQ_Codel_L4S 4 BDP, bbr-1"],
        ["classic_ms"],
        LATE,
    ),
    Trial(
        "Prague's slow start ends at 40 packets",
        ["FIFO 8 BDP, bbr-1"],
        ["share", "prague_ms", "classic_ms"],
        {"flows[0].initial_ssthresh": 40},
    ),
    Trial(
        "Prague has HyStart",
        ["FIFO 8 BDP, bbr-1"],
        ["share", "prague_ms", "classic_ms"],
        {"flows[0].slow_start": "hystart"},
    ),
    Trial("from 60 s to 120 s", ["FIFO 8 BDP, bbr-1"], ["prague_ms"], SECOND_MINUTE),
    Trial(
        "from 60 s to 120 s, Prague has HyStart",
        ["FIFO 8 BDP, bbr-1"],
        ["prague_ms"],
        {**SECOND_MINUTE, "flows[0].slow_start": "hystart"},
    ),
)


@dataclass(frozen=True)
class Cell:
    """One classic flow behind one router: what was measured and ours, by metric."""

    name: str
    classic: str
    theirs: Mapping[str, float]
    ours: Mapping[str, float]

    def apart(self, metric: str) -> float:
        """By which part of the measured value ours differs from it."""
        return self.ours[metric] / self.theirs[metric] - 1

    def agrees(self, metric: str) -> bool:
        """Whether that is within the bound."""
        return abs(self.apart(metric)) <= (SHARE_BOUND if metric == "share" else RTT_BOUND)


def measure(variant: Variant | Trial | None = None, only: Iterable[str] = ()) -> list[Cell]:
    """Cells with our numbers: all, or those of these names; of a variant or trial, those that it concerns."""
    names = set(only)
    listed = [
        row
        for row in table("l4s_pam2025")
        if (variant is None or variant.concerns(row)) and (not names or name_of(row) in names)
    ]
    changes = variant.changes if variant else {}
    found = runs(
        job("l4s", {**_values(row), **changes}, seed) for row in listed for seed in range(1, SEEDS + 1)
    )
    return [_cell(row, found[at * SEEDS : (at + 1) * SEEDS]) for at, row in enumerate(listed)]


def variants(cells: Sequence[Cell]) -> dict[str, tuple[list[Cell], list[Cell]]]:
    """The cells that a variant concerns as they are and with its change, by the name of the variant."""
    plain = {cell.name: cell for cell in cells}
    found = {}
    for variant in VARIANTS:
        changed = measure(variant)
        found[variant.name] = ([plain[cell.name] for cell in changed], changed)
    return found


def trials() -> dict[str, list[Cell]]:
    """What cells that disagree become with each trial, by its name and the metrics that it is about, in the order of TRIALS."""
    return {_key(trial): measure(trial) for trial in TRIALS}


def _key(trial: Trial) -> str:
    return f"{trial.name}: {', '.join(trial.cells)}"


def name_of(row: Mapping[str, str]) -> str:
    """Router, its buffer in bandwidth-delay products, and the classic flow."""
    return f"{row['aqm']} {row['buffer_bdp']} BDP, {row['classic']}"


def _values(row: Mapping[str, str]) -> dict[str, Any]:
    aqm = row["aqm"]
    limit = int(float(row["buffer_bdp"]) * BDP)
    buffer = f"{limit // 1500 + 1} packets"
    if aqm == "FIFO":
        buffer = f"{limit + FRAME} B"  # ours counts the packet in transmission
    elif aqm == "DualPI2":
        buffer = f"{DUALPI2_PACKETS} packets"
    values = {"bottleneck.buffer": buffer, "bottleneck.queue": dict(QUEUES[aqm])}
    return values | {f"flows[1].{key}": value for key, value in CLASSIC[row["classic"]].items()}


def _cell(row: Mapping[str, str], found: Sequence[Run]) -> Cell:
    prague, classic = float(row["prague_mbit"]), float(row["classic_mbit"])
    theirs = {
        "share": prague / (prague + classic),
        "prague_ms": float(row["prague_srtt_ms"]),
        "classic_ms": float(row["classic_srtt_ms"]),
    }
    numbers = [_numbers(run) for run in found]
    ours = {metric: statistics.fmean(values[metric] for values in numbers) for metric in METRICS}
    return Cell(name_of(row), row["classic"], theirs, ours)


def _numbers(run: Run) -> dict[str, float]:
    prague, classic = run.flows.to_pylist()
    return {
        "share": prague["delivered_unique"] / (prague["delivered_unique"] + classic["delivered_unique"]),
        "prague_ms": prague["srtt_mean_ns"] / 1e6,
        "classic_ms": classic["srtt_mean_ns"] / 1e6,
    }


def agreeing(cells: Sequence[Cell], metric: str) -> int:
    """How many cells agree."""
    return sum(cell.agrees(metric) for cell in cells)


def agreement(cells: Sequence[Cell]) -> str:
    """How many cells agree, on one line, and how many would have to where too few do."""
    trips = agreeing(cells, "prague_ms") + agreeing(cells, "classic_ms")
    counts = [
        _counted(agreeing(cells, "share"), len(cells), "share"),
        _counted(trips, 2 * len(cells), "round-trip time"),
    ]
    return ", ".join(counts)


def _counted(agree: int, cells: int, what: str) -> str:
    wanted = ceil(WANTED * cells)
    return f"{agree} of {cells} in {what}" + (f" ({wanted} wanted)" if agree < wanted else "")


def meets(cells: Sequence[Cell]) -> bool:
    """Whether as many agree as are wanted, in every metric."""
    return all(agreeing(cells, metric) >= WANTED * len(cells) for metric in METRICS)


def cells_table(cells: Sequence[Cell]) -> str:
    """Every cell: ours, then what was measured; bold where they disagree by the rule."""
    rows = [
        [cell.name, *(_pair(cell, metric) for metric in METRICS)]
        for cell in sorted(cells, key=lambda c: c.name)
    ]
    return markdown(["cell", *(f"{head}, and measured" for head in METRICS.values())], rows)


def _pair(cell: Cell, metric: str) -> str:
    return _bold(f"{_value(cell, metric)} ({_measured(cell, metric)})", not cell.agrees(metric))


def _value(cell: Cell, metric: str) -> str:
    return f"{cell.ours[metric]:.{_digits(metric)}f}"


def _measured(cell: Cell, metric: str) -> str:
    return f"{cell.theirs[metric]:.{_digits(metric)}f}"


def _digits(metric: str) -> int:
    return 2 if metric == "share" else 1


def _bold(text: str, bold: bool) -> str:
    return f"**{text}**" if bold else text


def apart_table(cells: Sequence[Cell]) -> str:
    """What disagrees, and by how much."""
    rows = [
        [cell.name, head, _pair(cell, metric).strip("*"), f"{100 * cell.apart(metric):+.0f} %"]
        for metric, head in METRICS.items()
        for cell in sorted(cells, key=lambda c: c.name)
        if not cell.agrees(metric)
    ]
    return markdown(["cell", "what", "ours (measured)", "apart"], rows)


def variants_table(found: Mapping[str, tuple[Sequence[Cell], Sequence[Cell]]]) -> str:
    """How many of the cells concerned agree with the change, and without it."""
    rows = [
        [name, str(len(changed)), *(f"{agreeing(changed, m)} ({agreeing(plain, m)})" for m in METRICS)]
        for name, (plain, changed) in found.items()
    ]
    return markdown(["changed", "cells", *(f"{head} agrees (before)" for head in METRICS.values())], rows)


def default_agreement(found: Mapping[str, tuple[Sequence[Cell], Sequence[Cell]]]) -> str:
    """Whether the criterion is met with the default answer to losses, and how many cells agree."""
    _, changed = found[BY_DEFAULT.name]
    return f"{'met' if meets(changed) else 'missed'} by default: {agreement(changed)}"


def default_table(found: Mapping[str, tuple[Sequence[Cell], Sequence[Cell]]]) -> str:
    """Every value that disagrees with the default answer to losses, beside the same with Linux's; bold where that disagrees as well."""
    rows = [
        [
            cubic.name,
            head,
            _value(cubic, metric),
            _bold(_value(reno, metric), not reno.agrees(metric)),
            _measured(cubic, metric),
            f"{100 * cubic.apart(metric):+.0f} %",
        ]
        for metric, head in METRICS.items()
        for reno, cubic in sorted(zip(*found[BY_DEFAULT.name], strict=True), key=lambda pair: pair[1].name)
        if not cubic.agrees(metric)
    ]
    heads = ["cell", "what", "`prague`", "`prague(cubic=0)`", "measured", "`prague` apart"]
    return markdown(heads, rows)


def default_causes(found: Mapping[str, tuple[Sequence[Cell], Sequence[Cell]]]) -> str:
    """How many of the values that disagree with the default agree with Linux's answer, and behind which routers, on one line."""
    pairs = [
        (metric, reno, cubic)
        for metric in METRICS
        for reno, cubic in zip(*found[BY_DEFAULT.name], strict=True)
        if not cubic.agrees(metric)
    ]
    mended = [cubic for metric, reno, cubic in pairs if reno.agrees(metric)]
    routers = sorted({cell.name.split(" ")[0] for cell in mended})
    return f"{len(mended)} of {len(pairs)} (behind {', '.join(routers)})"


def trials_table(cells: Sequence[Cell], found: Mapping[str, Sequence[Cell]]) -> str:
    """What cells that disagree become, one change at a time."""
    plain = {cell.name: cell for cell in cells}
    rows = []
    for trial in TRIALS:
        for cell in found[_key(trial)]:
            for metric in trial.metrics:
                values = [cell.ours[metric]]
                if "duration" not in trial.changes:  # the measurements are of the first minute
                    values += [plain[cell.name].ours[metric], cell.theirs[metric]]
                texts = [f"{value:.{_digits(metric)}f}" for value in values]
                rows.append([cell.name, METRICS[metric], trial.name, *texts, *["–"] * (3 - len(texts))])
    return markdown(["cell", "what", "changed", "with the change", "without", "measured"], rows)

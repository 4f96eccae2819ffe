"""What a cut makes of a window of whole packets, against ns-2's own traces of windows.

Source: ns-2 2.35 with `precisionReduce_ false`, data/ns2_cuts.csv (by ns2_cuts.py). Ours are the cuts of the same mixes. A window agrees
where its law and the kind of cut leave the same window and threshold in both simulators, for every number of whole packets that both saw.

A second timeout of the same packet is shown and not judged: ns-2 halves its window of one again, which leaves a threshold of two; ours
keeps the threshold of the first (RFC 5681 §3.1).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from sawtooth.run.run import Run
from validation import mixes
from validation.page import markdown
from validation.rap import SACK1
from validation.runs import LOSS, TIMEOUT, job, runs, table

PAIRS: Final = (("tcp(1, 0.5)", "tcp(0.2, 0.125)"), ("tcp(1, 0.5)", "tcp(0.4, 0.125)"))
COUNTS: Final = ("4", "16", "64")
CHANGES: Final[Mapping[str, Any]] = {
    "tcp.window_arithmetic": "integer",
    "tcp.timer_tick": "100 ms",
    "record.windows": True,
    "warmup": "0 s",
    **SACK1,
}
WORDS: Final = {
    "loss": "a loss",
    "slow start": "a loss in slow start",
    "timeout": "a timeout",
    "again": "a second timeout of the same packet",
}
JUDGED: Final = ("loss", "slow start", "timeout")

Left = tuple[int, int]
"""Window and threshold after a cut, packets."""
Seen = Mapping[tuple[str, str], Mapping[int, Counter[Left]]]
"""By law and kind of cut, and by the window before: what was left how often."""


@dataclass(frozen=True)
class Kind:
    """A kind of cut, over all laws: how many windows both saw, how many of these agree, and how many cuts that was in ns-2 and here."""

    why: str
    windows: int
    agreeing: int
    ns2: int
    ours: int


def measure() -> list[Kind]:
    """Every kind of cut."""
    return compared(_ns2(), _ours())


def compared(ns2: Seen, ours: Seen) -> list[Kind]:
    """What two simulators leave, by kind of cut."""
    found = []
    for why in WORDS:
        pairs = [
            (theirs[before], own[before])
            for (law, kind), theirs in ns2.items()
            if kind == why
            for own in [ours.get((law, kind), {})]
            for before in theirs
            if before in own
        ]
        counts = [sum(sum(pair[side].values()) for pair in pairs) for side in (0, 1)]
        found.append(Kind(why, len(pairs), sum(set(a) == set(b) for a, b in pairs), *counts))
    return found


def _ns2() -> Seen:
    found: dict[tuple[str, str], dict[int, Counter[Left]]] = defaultdict(lambda: defaultdict(Counter))
    for row in table("ns2_cuts"):
        left = (int(row["window"]), int(row["threshold"]))
        found[row["law"], row["why"]][int(row["before"])][left] += int(row["times"])
    return found


def _ours() -> Seen:
    names = [(first, second, n) for first, second in PAIRS for n in COUNTS]
    made = runs(job("ns2_mixes", {**mixes.values_of(*name), **CHANGES}, 1) for name in names)
    found: dict[tuple[str, str], dict[int, Counter[Left]]] = defaultdict(lambda: defaultdict(Counter))
    for (first, second, n), run in zip(names, made, strict=True):
        laws = [first] * int(n) + [second] * int(n)
        for flow, why, before, left in _cuts(run):
            found[laws[flow], why][before][left] += 1
    return found


def _cuts(run: Run) -> list[tuple[int, str, int, Left]]:
    """Flow, kind, window before and what was left, of every cut of a run."""
    threshold: dict[int, float] = {}
    found = []
    for row in run.records["windows"].to_pylist():
        flow, before = row["flow"], row["window_before"]
        if row["event"] == TIMEOUT:
            why = "again" if before == 1.0 else "timeout"
        elif row["event"] == LOSS:
            why = "slow start" if before < threshold.get(flow, float("inf")) else "loss"
        else:
            continue
        threshold[flow] = row["ssthresh"]
        found.append((flow, why, int(before), (int(row["window"]), int(row["ssthresh"]))))
    return found


def at_two() -> str:
    """How many first timeouts of ns-2 leave a threshold of two, which a second one would leave as well."""
    left = Counter[bool]()
    for row in table("ns2_cuts"):
        if row["why"] == "timeout":
            left[int(row["threshold"]) == 2] += int(row["times"])
    return f"{left[True]:,} of {left.total():,}"


def agreement(kinds: list[Kind]) -> str:
    """How many windows agree, on one line."""
    judged = [kind for kind in kinds if kind.why in JUDGED]
    return f"{sum(kind.agreeing for kind in judged)} of {sum(kind.windows for kind in judged)} windows"


def kinds_table(kinds: list[Kind]) -> str:
    """Every kind of cut."""
    rows = [
        [WORDS[kind.why], str(kind.windows), str(kind.agreeing), f"{kind.ns2:,}", f"{kind.ours:,}"]
        for kind in kinds
    ]
    return markdown(["after", "windows that both cut", "alike", "cuts in ns-2", "cuts here"], rows)

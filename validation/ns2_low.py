"""`python -m validation.ns2_low`: measure data/ns2_low.csv anew with ns-2 (Debian package ns2), which is needed for nothing else here.

Source: ns-2 2.35 and its own Reno, through ns2_low.tcl; what its bottleneck traces is read here and no more is kept of it.

| column       | unit | what                                                                                    |
|--------------|------|-----------------------------------------------------------------------------------------|
| second       | s    | beginning of the second                                                                  |
| arrived      | 1    | packets of all flows that arrived behind the bottleneck for the first time in it            |
| acknowledged | 1    | packets by which the cumulative acknowledgements of the receivers advanced in it          |
"""

from __future__ import annotations

import csv
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

FLOWS: Final = 10
SECONDS: Final = 60
SEEDS: Final = 12
PACKET_BYTES: Final = "1000"
HERE: Final = Path(__file__).resolve().parent


def measured(seed: int) -> list[tuple[int, int]]:
    """One run of ns-2: what arrived and what was acknowledged in each second."""
    command = [
        "ns",
        str(HERE / "ns2_low.tcl"),
        str(seed),
        str(HERE / "data/ns2_schedules/rw-multiplicative.csv"),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as ns2:
        assert ns2.stdout is not None
        found = _read(ns2.stdout)
    if ns2.returncode:
        raise RuntimeError(f"{' '.join(command)}: exit {ns2.returncode}")
    return found


def _read(lines: Iterable[str]) -> list[tuple[int, int]]:
    """A packet below the next one that is awaited, or among those beyond it, is a repetition. Number 0, the SYN, has another size."""
    arrived, acknowledged = [0] * SECONDS, [0] * SECONDS
    awaited = [1] * FLOWS
    beyond: list[set[int]] = [set() for _ in range(FLOWS)]
    for line in lines:
        event, at, _, _, _, size, _, flow_text, _, _, number_text, _ = line.split()
        flow, number = int(flow_text), int(number_text)
        if event != "r" or size != PACKET_BYTES or flow >= FLOWS:
            continue
        if number < awaited[flow] or number in beyond[flow]:
            continue
        second = int(float(at))
        arrived[second] += 1
        beyond[flow].add(number)
        while awaited[flow] in beyond[flow]:
            beyond[flow].remove(awaited[flow])
            awaited[flow] += 1
            acknowledged[second] += 1
    return list(zip(arrived, acknowledged, strict=True))


def main() -> None:
    """Writes the table."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(("seed", "second", "arrived", "acknowledged"))
    for seed in range(1, SEEDS + 1):
        for second, counts in enumerate(measured(seed)):
            writer.writerow((seed, second, *counts))
        sys.stdout.flush()


if __name__ == "__main__":
    main()

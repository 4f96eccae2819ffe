"""`python -m validation.ns2_low`: measure data/ns2_low.csv anew with ns-2 (Debian package ns2), which is needed for nothing else here.

Source: ns-2 2.35 and its own Reno, through ns2_low.tcl; what its bottleneck traces is read here and no more is kept of it.

| column       | unit | what                                                                                    |
|--------------|------|-----------------------------------------------------------------------------------------|
| law          |      | control law of all flows                                                                |
| jitter_us    | us   | each data packet leaves up to this much later; flow i starts at 0.1 i s, without at random in 1 s |
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

LAWS: Final = {
    "aimd(1, 0.8)": "1:0.8:0:1",
    "aiad(1, 3)": "1:-2:0:0",
    "mimd(1.125, 0.8)": "0.125:0.8:-1:1",
    "miad(1.125, 3)": "0.125:-2:-1:0",
}
"""ns-2's binomial windows: per round trip more by increase / w^k, at a loss less by (1 - decrease) w^l."""
SETUPS: Final = (("aimd(1, 0.8)", 0), *((law, 80) for law in LAWS))
"""Laws with the jitter of their packets, us."""
FLOWS: Final = 10
SECONDS: Final = 60
SEEDS: Final = 16
PACKET_BYTES: Final = "1000"
HERE: Final = Path(__file__).resolve().parent


def measured(law: str, jitter_us: int, seed: int) -> list[tuple[int, int]]:
    """One run of ns-2: what arrived and what was acknowledged in each second."""
    command = [
        "ns",
        str(HERE / "ns2_low.tcl"),
        str(seed),
        str(HERE / "data/ns2_schedules/rw-multiplicative.csv"),
        LAWS[law],
        str(jitter_us * 1e-6),
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
        if line[0] != "r":
            continue
        _, at, _, _, _, size, _, flow_text, _, _, number_text, _ = line.split()
        flow, number = int(flow_text), int(number_text)
        if size != PACKET_BYTES or flow >= FLOWS:
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
    writer.writerow(("law", "jitter_us", "seed", "second", "arrived", "acknowledged"))
    for law, jitter_us in SETUPS:
        for seed in range(1, SEEDS + 1):
            for second, counts in enumerate(measured(law, jitter_us, seed)):
                writer.writerow((law, jitter_us, seed, second, *counts))
            sys.stdout.flush()


if __name__ == "__main__":
    main()

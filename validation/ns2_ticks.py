"""`python -m validation.ns2_ticks`: measure data/ns2_ticks.csv anew with ns-2 (Debian package ns2), which is needed for nothing else here.

Source: ns-2 2.35 and its own Reno, through ns2_low.tcl, by its traced variables, up to 1.2 s and so before the first loss: the packet that
is timed is then the first new one after a sample, and its acknowledgement the first that covers it. Times are traced in steps of 10 µs.

| column     | unit | what                                            |
|------------|------|-------------------------------------------------|
| sent_10us  | 10 µs | when the packet that was timed was sent         |
| acked_10us | 10 µs | when it was acknowledged                        |
| ticks      | 1    | the sample, in ticks of 10 ms                   |
"""

from __future__ import annotations

import csv
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from validation.ns2_low import HERE, LAWS

SEEDS: Final = 8
FIRST_NODE: Final = 2
"""The number of the node of flow 0."""

Sample = tuple[int, int, int, int]
"""Flow, sent, acknowledged, ticks."""


def measured(seed: int) -> list[Sample]:
    """The samples of one run of ns-2."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "samples"
        schedule = HERE / "data/ns2_schedules/rw-multiplicative.csv"
        command = [
            "ns",
            str(HERE / "ns2_low.tcl"),
            str(seed),
            str(schedule),
            LAWS["aimd(1, 0.8)"],
            "8e-05",
            str(file),
        ]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        return _read(file.read_text().splitlines())


def _read(lines: Iterable[str]) -> list[Sample]:
    """The samples among traced variables; one that equals the sample before is not traced, so the value is the last that was."""
    timed: dict[int, tuple[int, int]] = {}
    ticks: dict[int, int] = {}
    samples: list[list[int]] = []
    last: dict[int, list[int]] = {}
    for line in lines:
        at_text, node, _, _, _, variable, value = line.split()
        at, flow = round(float(at_text) * 1e5), int(node) - FIRST_NODE
        if variable == "maxseq_":
            timed.setdefault(flow, (int(value), at))
        elif variable == "ack_" and flow in timed and int(value) >= timed[flow][0]:
            last[flow] = [flow, timed.pop(flow)[1], at, ticks.get(flow, 0)]
            samples.append(last[flow])
        elif variable == "rtt_":
            ticks[flow] = last[flow][3] = round(float(value) * 100)
    return [(flow, sent, acked, count) for flow, sent, acked, count in samples]


def main() -> None:
    """Writes the table."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(("seed", "flow", "sent_10us", "acked_10us", "ticks"))
    for seed in range(1, SEEDS + 1):
        writer.writerows((seed, *sample) for sample in measured(seed))


if __name__ == "__main__":
    main()

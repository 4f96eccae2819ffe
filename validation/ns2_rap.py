"""`python -m validation.ns2_rap`: measure data/ns2_rap.csv anew with ns-2 (Debian package ns2), which is needed for nothing else here.

Source: ns-2 2.35 and its own Agent/RAP, through ns2_mixes.tcl; what its bottleneck queue traces is read here and no more is kept of it.
Every run is 100 s, counted over [40, 100). The first cell has no RAP in it: data/ns2_mixes.csv has the same one, measured by another
script, so both can be compared.

| column        | unit | what                                                                                             |
|---------------|------|--------------------------------------------------------------------------------------------------|
| ratio         | 1    | packets of the second kind forwarded by the bottleneck over those of the first                     |
| drop_rate     | %    | packets dropped there over those that arrived                                                      |
| cov…, roughness… | 1 | per flow in bins of 0.2 s or 1 s: standard deviation over mean; mean step between bins over mean |
| delay         | ms   | mean time from arrival to start of transmission                                                  |
"""

from __future__ import annotations

import csv
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

CELLS: Final = (
    ("tcp(1, 0.5)", "tcp(0.4, 0.125)", 4),
    ("tcp(1, 0.5)", "rap(1, 0.5, 0, 0.5)", 4),
    ("tcp(1, 0.5)", "rap(1, 0.5, 0, 0.5)", 16),
    ("tcp(1, 0.5)", "rap", 4),
    ("tcp(1, 0.5)", "rap", 16),
    ("tcp(1, 0.5)", "rap(1, 0.5, 1, 0.5)", 4),
    ("tcp(1, 0.5)", "rap(1, 0.5, 1, 0.5)", 16),
    ("tcp(0.2, 0.125)", "rap(0.2, 0.125, 0, 0.5)", 4),
    ("tcp(0.2, 0.125)", "rap(0.2, 0.125, 0, 0.5)", 16),
)
KINDS: Final = {
    "tcp(1, 0.5)": "tcp:1:0.5",
    "tcp(0.2, 0.125)": "tcp:0.2:0.125",
    "tcp(0.4, 0.125)": "tcp:0.4:0.125",
    "tcp(0.6, 0.25)": "tcp:0.6:0.25",
    "tcp(1, 0.125)": "tcp:1:0.125",
    "rap": "rap:1:0.5:0:0.125",
    "rap(1, 0.5, 0, 0.5)": "rap:1:0.5:0:0.5",
    "rap(1, 0.5, 1, 0.5)": "rap:1:0.5:1:0.5",
    "rap(0.2, 0.125, 0, 0.5)": "rap:0.2:0.125:0:0.5",
}
"""Our name of a kind, and that of the script. A gain of 0.5 is ns-2's own; 0.125 is ours, given to both."""
SEEDS: Final = 10
BEGIN_S: Final = 40.0
END_S: Final = 100.0
PACKET_BYTES: Final = "1000"
SCRIPT: Final = Path(__file__).with_name("ns2_mixes.tcl")
HEADS: Final = (
    *("first", "second", "n", "seed", "ratio", "drop_rate"),
    *("cov02_first", "cov02_second", "cov1_first", "cov1_second"),
    *("roughness_first", "roughness_second", "delay"),
)


def measured(first: str, second: str, n: int, seed: int, *more: str) -> dict[str, float]:
    """One run of ns-2: the columns from `ratio` on; `more` goes to the script."""
    command = ["ns", str(SCRIPT), KINDS[first], KINDS[second], str(n), str(seed), *more]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as ns2:
        assert ns2.stdout is not None
        forwarded, dropped, arrived, delay_s = _read(ns2.stdout, 2 * n)
    if ns2.returncode:
        raise RuntimeError(f"{' '.join(command)}: exit {ns2.returncode}")
    row = {
        "ratio": float(forwarded[:, 1::2].sum() / forwarded[:, 0::2].sum()),
        "drop_rate": 100.0 * dropped / arrived,
    }
    for name, bins in (("cov02", forwarded), ("cov1", forwarded.reshape(-1, 5, 2 * n).sum(axis=1))):
        row |= _by_kind(name, bins.std(axis=0) / bins.mean(axis=0))
    row |= _by_kind("roughness", np.abs(np.diff(forwarded, axis=0)).mean(axis=0) / forwarded.mean(axis=0))
    return {**row, "delay": 1000.0 * delay_s}


def _read(lines: Iterable[str], flows: int) -> tuple[NDArray[np.float64], int, int, float]:
    """Data packets forwarded in bins of 0.2 s (bins, flows); dropped and arrived; mean delay, s. Counted by the time of the event."""
    forwarded = np.zeros((round((END_S - BEGIN_S) / 0.2), flows))
    dropped = arrived = sent = 0
    waited, since = 0.0, {}
    for line in lines:
        event, at, _, _, _, size, _, flow, _, _, _, packet = line.split()
        time = float(at)
        if size != PACKET_BYTES:
            continue
        if event == "+":
            since[packet] = time
            arrived += BEGIN_S <= time < END_S
        elif event == "d":
            since.pop(packet, None)
            dropped += BEGIN_S <= time < END_S
        elif event == "-":
            arrival = since.pop(packet)
            if BEGIN_S <= time < END_S:
                sent, waited = sent + 1, waited + time - arrival
                forwarded[int((time - BEGIN_S) / 0.2), int(flow)] += 1
    return forwarded, dropped, arrived, waited / sent


def _by_kind(name: str, each: Sequence[float] | NDArray[np.float64]) -> dict[str, float]:
    """Flow i is of the first kind where i is even."""
    return {f"{name}_first": float(np.mean(each[0::2])), f"{name}_second": float(np.mean(each[1::2]))}


def main() -> None:
    """Writes the table."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(HEADS)
    for first, second, n in CELLS:
        for seed in range(1, SEEDS + 1):
            row = measured(first, second, n, seed)
            writer.writerow([first, second, n, seed, *(f"{row[name]:.4f}" for name in HEADS[4:])])
            sys.stderr.write(f"{first} {second} {n} {seed}\n")


if __name__ == "__main__":
    main()

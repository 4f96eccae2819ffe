"""`python -m validation.ns2_others`: measure data/ns2_others.csv anew with ns-2 (Debian package ns2), needed for nothing else here.

Mixes with windows in whole packets and clock ticks of 0.1 s, as those of `ns2_whole`: other numbers of flows, other laws, and a drop-tail
queue of 250 packets, before which packets leave up to 80 us late. Network, times and columns are those of `ns2_rap`.

Source: ns-2 2.35 and its own Sack1, through ns2_mixes.tcl.
"""

from __future__ import annotations

import csv
import sys
from typing import Final

from validation.ns2_rap import HEADS, measured

TCP: Final = "tcp(1, 0.5)"
CELLS: Final = (
    ("RED", TCP, "tcp(0.2, 0.125)", 8),
    ("RED", TCP, "tcp(0.2, 0.125)", 32),
    ("RED", TCP, "tcp(0.2, 0.125)", 48),
    ("RED", TCP, "tcp(0.4, 0.125)", 8),
    ("RED", TCP, "tcp(0.4, 0.125)", 32),
    ("RED", "tcp(0.2, 0.125)", "tcp(0.4, 0.125)", 16),
    ("RED", TCP, "tcp(0.6, 0.25)", 16),
    ("RED", TCP, "tcp(1, 0.125)", 8),
    ("DropTail", TCP, "tcp(0.2, 0.125)", 16),
    ("DropTail", TCP, "tcp(0.2, 0.125)", 32),
    ("DropTail", TCP, "tcp(0.4, 0.125)", 16),
)
QUEUES: Final = {"RED": "red", "DropTail": "droptail"}
"""The script's words for queues, and ours."""
TICK_S: Final = "0.1"
SEEDS: Final = 12


def main() -> None:
    """Writes the table."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(("queue", *HEADS))
    for queue, first, second, n in CELLS:
        for seed in range(1, SEEDS + 1):
            row = measured(first, second, n, seed, TICK_S, queue)
            values = [f"{row[name]:.4f}" for name in HEADS[4:]]
            writer.writerow([QUEUES[queue], first, second, n, seed, *values])
            sys.stdout.flush()


if __name__ == "__main__":
    main()

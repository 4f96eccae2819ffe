"""`python -m validation.ns2_whole`: measure data/ns2_whole.csv anew with ns-2 (Debian package ns2), which is needed for nothing else here.

Mixes of TCP with slowly responsive TCP where windows are cut in whole packets and clocks tick every 0.1 s or every 10 ms, as in
ns-2 of 2000 to 2002: `precisionReduce_ false` takes the fraction off the window before a decrease and off the product after it.
Network, times and columns are those of `ns2_rap`.

Source: ns-2 2.35 and its own Sack1, through ns2_mixes.tcl.
"""

from __future__ import annotations

import csv
import sys
from typing import Final

from validation.ns2_rap import HEADS, measured

PAIRS: Final = (("tcp(1, 0.5)", "tcp(0.2, 0.125)"), ("tcp(1, 0.5)", "tcp(0.4, 0.125)"))
COUNTS: Final = (4, 16, 64)
TICKS: Final = {"100 ms": "0.1", "10 ms": "0.01"}
"""Our words for a clock, and the script's, seconds."""
SEEDS: Final = 12


def main() -> None:
    """Writes the table."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(("tick", *HEADS))
    for tick, seconds in TICKS.items():
        for first, second in PAIRS:
            for n in COUNTS:
                for seed in range(1, SEEDS + 1):
                    row = measured(first, second, n, seed, seconds)
                    writer.writerow(
                        [tick, first, second, n, seed, *(f"{row[name]:.4f}" for name in HEADS[4:])]
                    )
                    sys.stdout.flush()


if __name__ == "__main__":
    main()

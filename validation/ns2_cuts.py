"""`python -m validation.ns2_cuts`: measure data/ns2_cuts.csv anew with ns-2 (Debian package ns2), which is needed for nothing else here.

What ns-2 with windows in whole packets (`precisionReduce_ false`, clock ticks of 0.1 s) made of windows when it cut them, from its own
traces of `cwnd_`, `ssthresh_` and `nrexmit_` in some of the mixes of `ns2_whole`.

Source: ns-2 2.35 and its own Sack1, through ns2_mixes.tcl.

| column    | unit    | what                                                                                                |
|-----------|---------|-----------------------------------------------------------------------------------------------------|
| law       |         | of the flow                                                                                         |
| why       |         | `loss`; `slow start`: a loss below the threshold; `timeout`; `again`: at a window that a timeout left |
| before    | packets | whole packets of the window before                                                                  |
| window    | packets | the window after the cut                                                                            |
| threshold | packets | the slow-start threshold after it                                                                   |
| times     | 1       | how often this was seen                                                                             |
"""

from __future__ import annotations

import csv
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Final

from validation.ns2_rap import KINDS, SCRIPT

PAIRS: Final = (("tcp(1, 0.5)", "tcp(0.2, 0.125)"), ("tcp(1, 0.5)", "tcp(0.4, 0.125)"))
COUNTS: Final = (4, 16, 64)
TICK_S: Final = "0.1"
HEADS: Final = ("law", "why", "before", "window", "threshold", "times")

Cut = tuple[str, int, int, int]
"""Why, and packets: before, window, threshold."""


def cuts(lines: Iterable[str]) -> Iterator[Cut]:
    """The cuts of one flow. What ns-2 writes at one moment belongs together: a cut moves threshold and window, in two lines or three."""
    window, threshold, timeouts = 1.0, 1e6, 0.0
    words = (line.split() for line in lines)
    for at, changes in groupby(words, key=lambda word: word[0]):
        values: dict[str, list[float]] = {}
        for word in changes:
            values.setdefault(word[5], []).append(float(word[6]))
        windows, thresholds = values.get("cwnd_", []), values.get("ssthresh_", [])
        new = thresholds[-1] if thresholds else threshold
        timed_out = values.get("nrexmit_", [timeouts])[-1] > timeouts
        lower = [after for after in windows if after < window]
        if float(at) > 0 and (timed_out or lower or thresholds):
            how = _timeout(window) if timed_out else _loss(window, threshold)
            yield how, int(window), int(lower[0] if lower else window), int(new)
        window, threshold = (windows[-1] if windows else window), new
        timeouts = values.get("nrexmit_", [timeouts])[-1]


def _timeout(window: float) -> str:
    return "again" if window == 1.0 else "timeout"


def _loss(window: float, threshold: float) -> str:
    return "slow start" if window < threshold else "loss"


def measured(first: str, second: str, n: int) -> Counter[tuple[str, Cut]]:
    """The cuts of all flows of one run of ns-2, by law."""
    found: Counter[tuple[str, Cut]] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        windows = Path(folder) / "windows"
        command = ["ns", str(SCRIPT), KINDS[first], KINDS[second], str(n), "1", TICK_S, "RED", str(windows)]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        for flow in range(2 * n):
            with open(f"{windows}.{flow}", encoding="ascii") as lines:
                found.update((second if flow % 2 else first, cut) for cut in cuts(lines))
    return found


def main() -> None:
    """Writes the table."""
    found: Counter[tuple[str, Cut]] = Counter()
    for first, second in PAIRS:
        for n in COUNTS:
            found += measured(first, second, n)
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(HEADS)
    for (law, cut), times in sorted(found.items()):
        writer.writerow((law, *cut, times))


if __name__ == "__main__":
    main()

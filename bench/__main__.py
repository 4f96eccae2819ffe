"""`python -m bench`: packets per second and core, cost per forwarded packet, peak memory, and ratios of interleaved pairs.

Cost is CPU time (user + system) per packet that the bottleneck forwarded, its ACK and everything else included. Every program runs twice
in each round, short and long; the difference of the two is what counts, so neither start-up nor the first seconds do. The programs take
turns within a round, and a ratio is formed within the round, so that a machine that is slower for a while slows both.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict

from bench.measure import Spread
from bench.subjects import Dumbbell, Subject, idle_interpreter_kb, ns2, sawtooth

SAME_WORK = 0.02  # forwarded packets may differ by this fraction, or the ratio means nothing


def arguments() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--flows", type=int, default=10)
    parser.add_argument("--mbit", type=int, default=100, help="bottleneck rate in Mbit/s")
    parser.add_argument("--buffer", type=int, default=1500, help="packets")
    parser.add_argument("--pairs", type=int, default=5, help="rounds (default 5)")
    parser.add_argument("--seconds", type=int, default=300, help="simulated seconds that count (default 300)")
    parser.add_argument("--lead-in", type=int, default=20, help="simulated seconds before them (default 20)")
    parser.add_argument("--alone", action="store_true", help="without ns-2")
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")
    return parser.parse_args()


def main() -> int:
    """Measure, print, and fail if the programs did not do the same work."""
    given = arguments()
    size = Dumbbell(given.flows, given.mbit, given.buffer)
    subjects: list[Subject] = [sawtooth(size)]
    if not given.alone:
        subjects += [subject for headers in ("all", "needed") if (subject := ns2(size, headers))]
    short, long = given.lead_in, given.lead_in + given.seconds

    costs: dict[str, list[float]] = {subject.name: [] for subject in subjects}
    packets: dict[str, int] = {}
    peaks: dict[str, int] = {}
    for index in range(given.pairs):
        for subject in subjects:
            first, second = subject.run(short), subject.run(long)
            packets[subject.name] = second.forwarded - first.forwarded
            peaks[subject.name] = max(peaks.get(subject.name, 0), second.peak_kb)
            costs[subject.name].append((second.cpu_s - first.cpu_s) * 1e9 / packets[subject.name])
        print(f"round {index + 1} of {given.pairs}", file=sys.stderr)

    own, others = subjects[0].name, [subject.name for subject in subjects[1:]]
    spreads = {name: Spread.of(values) for name, values in costs.items()}
    ratios = {
        name: Spread.of([theirs / ours for theirs, ours in zip(costs[name], costs[own], strict=True)])
        for name in others
    }
    unequal = [name for name in others if abs(packets[name] / packets[own] - 1) > SAME_WORK]
    idle = idle_interpreter_kb()
    if given.json:
        document = {
            "scenario": asdict(size)
            | {"seconds": given.seconds, "lead_in": given.lead_in, "pairs": given.pairs},
            "ns_per_packet": {name: asdict(spread) for name, spread in spreads.items()},
            "packets": packets,
            "peak_kb": peaks,
            "idle_interpreter_kb": idle,
            "ratio": {name: asdict(spread) for name, spread in ratios.items()},
        }
        print(json.dumps(document, indent=2))
    else:
        print(
            f"{size.flows} SACK AIMD(1, 0.5) flows, {size.mbit} Mbit/s, 120 ms ± 5 %, drop-tail {size.buffer_packets} packets; "
            f"{given.seconds} s simulated, {given.pairs} interleaved rounds"
        )
        print(f"{'':32} {'ns per forwarded packet':>28} {'million/s':>10} {'peak MB':>8} {'packets':>10}")
        for name, spread in spreads.items():
            rate, peak = 1e3 / spread.median, peaks[name] / 1e3
            print(f"{name:32} {spread.text(1):>28} {rate:>10.2f} {peak:>8.1f} {packets[name]:>10}")
        print(
            f"(median, smallest and largest; per core; a bare interpreter with the module loaded takes {idle / 1e3:.1f} MB)"
        )
        for name, spread in ratios.items():
            print(f"{'times as fast as ' + name:50} {spread.text(2)}")
        if not others and not given.alone:
            print("ns-2 is not installed (Debian: apt-get install ns2), so there is no ratio")
    for name in unequal:
        print(f"not the same work: {name} forwarded {packets[name]}, {own} {packets[own]}", file=sys.stderr)
    return 1 if unequal else 0


if __name__ == "__main__":
    sys.exit(main())

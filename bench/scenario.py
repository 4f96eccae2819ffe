"""The benchmark's scenario: a dumbbell of greedy SACK AIMD(1, 1/2) flows on a drop-tail bottleneck, without cross traffic.

Bottleneck of the given rate, one-way delay 40 ms; RTTs spread evenly over 120 ms ± 5 %; 1000 B packets, 40 B ACKs, one ACK per packet;
starts 0.1 s apart, all within the first second. TCP settings are those of ns-2's agents, so that `ns2_dumbbell.tcl`, which states the same
numbers in ns-2's names, does the same work. Counted is everything from the first packet on (no warm-up).

`python -m bench.scenario FLOWS MBIT BUFFER SECONDS` prints the engine's scenario. The benchmark asks for it in a process of its own: a
program that imports all this is no small parent to fork from.
"""

from __future__ import annotations

import sys

from sawtooth.plain import canonical
from sawtooth.resolve import resolve
from sawtooth.scenario import parse_scenario


def scenario(flows: int, mbit: int, buffer_packets: int, seconds: int) -> dict[str, object]:
    """The scenario as a user would write it: bottleneck in Mbit/s, buffer in packets, simulated seconds."""
    starts = [f"{flow % 10 * 100 + flow // 10 / 10} ms" for flow in range(flows)]
    return {
        "duration": f"{seconds} s",
        "warmup": "0 s",
        "bottleneck": {
            "rate": f"{mbit} Mbit/s",
            "delay": "40 ms",
            "buffer": f"{buffer_packets} packets",
            "queue": {"kind": "drop-tail"},
        },
        "path": {"rtt": "120 ms", "rtt_spread": 0.05, "access_rate": "1 Gbit/s"},
        "tcp": {
            "initial_window": 2,
            "initial_rto": "3 s",
            "min_rto": "200 ms",
            "timer_tick": "10 ms",
            "window_arithmetic": "integer",
        },
        "flows": [{"count": flows, "control": "aimd(1, 0.5)", "recovery": "sack", "start": starts}],
    }


if __name__ == "__main__":
    print(canonical(resolve(parse_scenario(scenario(*map(int, sys.argv[1:])), "bench")).engine))

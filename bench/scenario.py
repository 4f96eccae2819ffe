"""The benchmark's scenario: a dumbbell of greedy SACK AIMD(1, 1/2) flows on a drop-tail bottleneck, without cross traffic.

Bottleneck of the given rate, one-way delay 40 ms; RTTs spread evenly over 120 ms ± 5 %; 1000 B packets, 40 B ACKs, one ACK per packet;
starts 0.1 s apart, all within the first second. TCP settings are those of ns-2's agents, so that `ns2_dumbbell.tcl`, which states the same
numbers in ns-2's names, does the same work. Counted is everything from the first packet on (no warm-up).
"""

from __future__ import annotations

from dataclasses import dataclass

from sawtooth.plain import canonical
from sawtooth.resolve import resolve
from sawtooth.scenario import parse_scenario


@dataclass(frozen=True)
class Dumbbell:
    """How large the benchmark is: flows, bottleneck rate (Mbit/s), buffer (packets)."""

    flows: int = 10
    mbit: int = 100
    buffer_packets: int = 1500

    def scenario(self, seconds: int) -> dict[str, object]:
        """The scenario of a run of that many simulated seconds, as a user would write it."""
        starts = [f"{flow % 10 * 100 + flow // 10 / 10} ms" for flow in range(self.flows)]
        return {
            "duration": f"{seconds} s",
            "warmup": "0 s",
            "bottleneck": {
                "rate": f"{self.mbit} Mbit/s",
                "delay": "40 ms",
                "buffer": f"{self.buffer_packets} packets",
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
            "flows": [{"count": self.flows, "control": "aimd(1, 0.5)", "recovery": "sack", "start": starts}],
        }

    def json(self, seconds: int) -> str:
        """The scenario as the engine takes it."""
        return canonical(resolve(parse_scenario(self.scenario(seconds), "bench")).engine)

"""The benchmark's scenario: a dumbbell of greedy SACK AIMD(1, 1/2) flows on a drop-tail bottleneck, without cross traffic.

Bottleneck of the given rate, one-way delay 40 ms; RTTs spread evenly over 120 ms ± 5 %; 1000 B packets, 40 B ACKs, one ACK per packet;
starts 0.1 s apart. TCP parameters are those of ns-2's defaults, so that `ns2_dumbbell.tcl`, which states the same numbers in ns-2's names,
does the same work. Counted is everything from the first packet on (no warm-up).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

MILLISECOND = 1_000_000
SECOND = 1_000_000_000
BOTTLENECK_DELAY_NS = 40 * MILLISECOND


@dataclass(frozen=True)
class Dumbbell:
    """How large the benchmark is: flows, bottleneck rate (Mbit/s), buffer (packets)."""

    flows: int = 10
    mbit: int = 100
    buffer_packets: int = 1500

    def rtt_ns(self, flow: int) -> int:
        """Propagation round trip of a flow: 120 ms × [0.95, 1.05], neighbours in number far apart in RTT."""
        step = (7 * flow) % self.flows / max(1, self.flows - 1)
        return round(120 * MILLISECOND * (0.95 + 0.1 * step))

    def start_ns(self, flow: int) -> int:
        """Start of a flow: all within the first second."""
        return flow % 10 * SECOND // 10 + flow // 10 * SECOND // 10_000

    def scenario(self, seconds: int) -> dict[str, Any]:
        """The engine's scenario for a run of that many simulated seconds."""
        rate = self.mbit * 1_000_000
        queue = {"kind": "droptail", "packets": self.buffer_packets}
        links = [
            link("bottleneck", rate, BOTTLENECK_DELAY_NS, queue),
            link("reverse", rate, BOTTLENECK_DELAY_NS),
        ]
        flows = []
        for flow in range(self.flows):
            access = len(links)
            delay = self.rtt_ns(flow) // 2 - BOTTLENECK_DELAY_NS
            links += [link(f"access/{flow}", SECOND, delay), link(f"access-reverse/{flow}", SECOND, delay)]
            flows.append(
                {
                    "profile": 0,
                    "test": True,
                    "forward": [access, 0],
                    "reverse": [1, access + 1],
                    "start_ns": self.start_ns(flow),
                    "stop_ns": None,
                    "packets": None,
                }
            )
        return {
            "seed": "1",
            "duration_ns": seconds * SECOND,
            "warmup_ns": 0,
            "links": links,
            "profiles": [PROFILE],
            "flows": flows,
            "sources": [],
            "record": {"windows": False, "sample_ns": None, "rates_ns": None},
        }

    def json(self, seconds: int) -> str:
        """The scenario as the engine takes it."""
        return json.dumps(self.scenario(seconds))


def link(name: str, rate_bps: int, delay_ns: int, queue: dict[str, Any] | None = None) -> dict[str, Any]:
    """A link; without a queue it is a pipe that never drops."""
    return {
        "name": name,
        "rate_bps": rate_bps,
        "delay_ns": delay_ns,
        "queue": queue,
        "drop": None,
        "mark": None,
    }


PROFILE = {
    "controller": {"kind": "linear", "a_i": 1.0, "b_i": 1.0, "a_d": 0.0, "b_d": 0.5},
    "recovery": "sack",
    "packet_bytes": 1000,
    "ack_bytes": 40,
    "send_jitter_ns": 0,
    "tcp": {
        "initial_window": 2,
        "initial_rto_ns": 3 * SECOND,
        "min_rto_ns": 200 * MILLISECOND,
        "max_rto_ns": 60 * SECOND,
        "timer_tick_ns": 10 * MILLISECOND,
        "limited_transmit": True,
        "delayed_ack": False,
        "delayed_ack_timeout_ns": 100 * MILLISECOND,
        "slow_start_exit": "half",
        "window_arithmetic": "integer",
        "reno_recover_test": True,
        "rto_cuts": True,
        "ecn": False,
        "receive_window": None,
        "initial_ssthresh": None,
    },
}

"""The benchmark's scenario: a dumbbell of greedy SACK AIMD(1, 1/2) flows on a drop-tail bottleneck, and what may differ from it.

Bottleneck of the given rate, one-way delay 40 ms; RTTs spread evenly over 120 ms ± 5 %; access links ten times as fast as the bottleneck,
so that no flow is bound by its own; 1000 B packets, 40 B ACKs, one ACK per packet;
starts 0.1 s apart, all within the first second (two for more than 10,000 flows). TCP settings are those of ns-2's agents, so that
`ns2_dumbbell.tcl`, which states the same numbers in ns-2's names, does the same work. Counted is everything from the first packet on (no
warm-up). The duration is a placeholder: whoever runs it replaces it.

`python -m bench.scenario CELL` prints the engine's scenario of a `Cell` given as a JSON object. The benchmark asks for it in a process
of its own: a program that imports all this is no small parent to fork from.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

DURATION = "1000 s"
CROSS_PACKET_BYTES = 1000


@dataclass(frozen=True)
class Cell:
    """One scenario of the benchmark: the dumbbell's size and whatever differs from the plain one.

    `recovery` None is for controllers that take none; `queue`, `record` and `tcp` are tables of a scenario file; `loss` is the probability
    with which a packet is lost at the bottleneck; `cross_share` the part of the bottleneck's rate that CBR traffic takes, 1 for CBR alone.
    """

    flows: int
    mbit: int
    buffer_packets: int
    distinct_rtts: int
    control: str = "aimd(1, 0.5)"
    recovery: str | None = "sack"
    queue: Mapping[str, Any] = field(default_factory=lambda: {"kind": "drop-tail"})
    loss: float = 0.0
    cross_share: float = 0.0
    initial_window: int = 2
    record: Mapping[str, Any] = field(default_factory=dict)
    tcp: Mapping[str, Any] = field(default_factory=dict)

    def text(self) -> str:
        """The argument of `python -m bench.scenario`."""
        return json.dumps(asdict(self))

    def scenario(self) -> dict[str, Any]:
        """The scenario as a user would write it."""
        starts = [f"{flow % 10 * 100 + flow // 10 / 10} ms" for flow in range(self.flows)]
        group = {"count": self.flows, "control": self.control, "start": starts}
        bottleneck = {
            "rate": f"{self.mbit} Mbit/s",
            "delay": "40 ms",
            "buffer": f"{self.buffer_packets} packets",
            "queue": dict(self.queue),
        }
        scenario = {
            "duration": DURATION,
            "warmup": "0 s",
            "bottleneck": bottleneck | ({"drop": f"bernoulli({self.loss})"} if self.loss else {}),
            "path": self._path(),
            "tcp": {
                "initial_window": self.initial_window,
                "initial_rto": "3 s",
                "min_rto": "200 ms",
                "timer_tick": "10 ms",
                "window_arithmetic": "integer",
            }
            | dict(self.tcp),
            "flows": [group | ({"recovery": self.recovery} if self.recovery else {})],
        }
        if 0 < self.cross_share < 1:
            left = self.mbit * 1_000_000 * (1 - self.cross_share) / self.flows
            scenario["environment"] = {"kind": "constant", "rate": f"{round(left)} bit/s"}
        return scenario | ({"record": dict(self.record)} if self.record else {})

    def _path(self) -> dict[str, Any]:
        path: dict[str, Any] = {"access_rate": f"{max(1_000, 10 * self.mbit)} Mbit/s"}
        if self.distinct_rtts == self.flows:
            return path | {"rtt": "120 ms", "rtt_spread": 0.05}
        steps = max(1, self.distinct_rtts - 1)
        rtts = [114_000_000 + 12_000_000 * (flow % self.distinct_rtts) // steps for flow in range(self.flows)]
        return path | {"rtt": [f"{rtt} ns" for rtt in rtts]}

    def engine(self) -> str:
        """The engine's scenario as canonical JSON."""
        from sawtooth.plain import canonical
        from sawtooth.plugins.load import load_listed
        from sawtooth.scenario.resolve import resolve
        from sawtooth.scenario.scenario import parse_scenario

        load_listed()
        engine = resolve(parse_scenario(self.scenario(), "bench")).engine
        if self.cross_share == 1:
            rates = [[0, self.mbit * 1_000_000]]
            cross = {"name": "cbr", "packet_bytes": CROSS_PACKET_BYTES, "route": [0], "rates": rates}
            engine = engine | {"flows": [], "sources": [cross]}
        return canonical(engine)


if __name__ == "__main__":
    print(Cell(**json.loads(sys.argv[1])).engine())

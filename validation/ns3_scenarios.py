"""What a cell of ns-3 is in the keys of a scenario: every column of data/ns3_cells.csv that is not a result.

| ns-3 has                                         | ours                                                              |
|--------------------------------------------------|-------------------------------------------------------------------|
| a device queue of one packet, with flow control  | `device_queue = 1`; behind drop-tail a buffer of two packets more |
| CUBIC one least RTT ahead, slow beside Reno      | `min_rtt_ahead`, `fast_first` 1, `alpha_late` 0                   |
| CUBIC in whole segments                          | real windows; `integer = 1` as a variant, and for single windows  |
| ssthresh from the pipe, W + 2 - 4 packets        | a decrease to W/2 - 1 on a loss, W/2 on a mark                    |
| congestion avoidance of NewReno that counts ACKs | 1 over `delack` packets per round trip                            |
| PRR, bounded unless a retransmission is ACKed    | `prr = "rfc9937"`, which asks for the same                        |
| HyStart of 2008                                  | `slow_start = "hystart"`; it ends before anything is counted      |
| CoDel: next from a mark, acts on 1500 B          | `variant = "ns-3"`                                                |
| PIE with cap adjustment                          | `cap_adjustment = true`                                           |

A drop-tail buffer of ours counts the packet in transmission, ns-3's does not; hence two packets more and not one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

Row = Mapping[str, str]
"""A row of data/ns3_cells.csv."""

PACKET_BITS: Final = 12_000
"""A data packet of 1500 B."""
CUBICS: Final = {"cubicrf": 1, "cubicnf": 0, "cubic337": 0}
"""ns-3's CUBIC by name: whether it follows Reno's window."""


def values(row: Row) -> dict[str, Any]:
    """The scenario of a cell, by dotted key of scenarios/ns3_cells.toml."""
    groups = interleaved(row)
    rtts = [float(row["rtt1"])] + ([float(row["rtt2"])] if 1 in groups else [])
    found = {
        "duration": f"{row['dur']} s",
        "warmup": f"{row['warm']} s",
        "bottleneck.rate": f"{row['mbps']} Mbit/s",
        "bottleneck.delay": f"{min(rtts) / 4} ms",
        "path.send_jitter": f"{jitter_us(row)} us",
        "tcp.min_rto": f"{row['minrto']} ms",
        "flows": [_flow(row, number, group) for number, group in enumerate(groups)],
        **_queue(row),
        **_settings(row),
    }
    if float(row["udp"]):
        rate = float(row["udp"]) * float(row["mbps"])
        found["traffic"] = [{"kind": "udp", "rate": f"{rate} Mbit/s", "packet": "1500 B", "start": "5 s"}]
    return found


def interleaved(row: Row) -> list[int]:
    """Which group every flow is of, 0 or 1, in the order of the flows: turn by turn while both have some left."""
    left = [int(row["n1"]), int(row["n2"])]
    order: list[int] = []
    while sum(left):
        for group in (0, 1):
            if left[group]:
                left[group] -= 1
                order.append(group)
    return order


def jitter_us(row: Row) -> float:
    """By how much packets are delayed on the way to R1: -1 stands for the transmission time of one, 0 for nothing."""
    return {"0": 0.0, "-1": PACKET_BITS / float(row["mbps"])}[row["jitter"]]


def _flow(row: Row, number: int, group: int) -> dict[str, Any]:
    law = row[f"cc{group + 1}"]
    start = "0 s" if row["jitter"] == "0" else f"uniform {100 * number}..{100 * number + 100} ms"
    found: dict[str, Any] = {"packet": "1500 B", "ack": "52 B", "recovery": "sack", "start": start}
    found |= {"rtt": f"{row[f'rtt{group + 1}']} ms", "control": _law(row, law)}
    if law == "newreno" and row["ecn"] == "1":
        found["ecn_beta"] = 0.5
    if law in CUBICS and row["hystart"] == "1":
        found["slow_start"] = "hystart"
    return found


def _law(row: Row, law: str) -> str:
    if law == "newreno":
        return f"linear({1 / int(row['delack']):g}, 1, -1, 0.5)"
    options = {"fast_convergence": int(row["fastconv"]), "friendly": CUBICS[law]}
    options |= {"alpha_late": 0, "min_rtt_ahead": 1, "integer": 0, "fast_first": 1}
    return f"cubic({', '.join(f'{name}={value}' for name, value in options.items())})"


def _queue(row: Row) -> dict[str, Any]:
    if row["qd"] == "pfifo":
        return {"bottleneck.queue": "drop-tail", "bottleneck.buffer": f"{int(row['buf']) + 2} packets"}
    ecn = row["ecn"] == "1"
    queue = {
        "codel": {"kind": "codel", "ecn": ecn, "variant": "ns-3"},
        "fqcodel": {"kind": "fq-codel", "ecn": ecn, "variant": "ns-3", "quantum": "1500 B"},
        "pie": {"kind": "pie", "ecn": ecn, "cap_adjustment": True},
    }[row["qd"]]
    return {
        "bottleneck.queue": queue,
        "bottleneck.buffer": f"{row['buf']} packets",
        "bottleneck.device_queue": 1,
    }


def _settings(row: Row) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if row["delack"] != "1":
        found["tcp.ack_every"] = int(row["delack"])
    if row["pacing"] == "1":
        found["tcp.pacing"] = "on"
    found |= {"tcp.prr": "rfc9937"} if row["rec"] == "prr" else {"tcp.sack_pipe": "rfc6675"}
    return found

"""The network of [Lahanas03] Figure 5: many pairs, one bottleneck R1 → R2, every link of the same rate, disciplines on access links too.

Link 0 is `bottleneck` (R1 → R2), link 1 `reverse` (R2 → R1). Flow i has `access/i` (source → R1) with a queue like that of the
bottleneck (discipline and size), `exit/i` (R2 → sink), and `exit-reverse/i`, `access-reverse/i` for its acknowledgements. A reverse flow
is the mirror image. All have the rate of the bottleneck. What of a flow's RTT the two middle links leave over is divided into four equal
parts, one for each of its own links.

No queue stands before the exit, which is fed by a link of its own rate, nor before the links of acknowledgements, which carry 40 B for
every packet: none could ever hold more than a few. With `path.send_jitter` a link `host/i` of no delay stands before the access
link, because packets must be late before they queue.
"""

from __future__ import annotations

from typing import Any, Final

from sawtooth.errors import InputError
from sawtooth.scenario import Scenario
from sawtooth.topology import BOTTLENECK, REVERSE, Endpoint, too_short

HOST_RATE_BPS: Final = 100_000_000_000_000
"""Rate of a source's own link, which only makes packets late: a packet of 1000 B takes less than a nanosecond."""


def links(
    scenario: Scenario, bottleneck: dict[str, Any], reverse: dict[str, Any], flows: list[Endpoint]
) -> list[dict[str, Any]]:
    """All links in the engine's order, the two in the middle as given. InputError for an RTT too short, a trace or another rate."""
    path, rate = scenario.path, bottleneck["rate_bps"]
    if rate is None:
        raise InputError(
            scenario.name, "bottleneck.trace", scenario.bottleneck.trace, "a rate, which every link has"
        )
    if "access_rate" in path.model_fields_set and path.access_rate != rate:
        raise InputError(
            scenario.name, "path.access_rate", path.access_rate, "no such key: every link has bottleneck.rate"
        )
    impaired = {
        "drop": dict(path.drop.engine) if path.drop else None,
        "mark": dict(path.mark.engine) if path.mark else None,
    }
    none = {"drop": None, "mark": None}
    result = [bottleneck, reverse]
    for flow in flows:
        there, back = (reverse, bottleneck) if flow.reverse else (bottleneck, reverse)
        half = flow.rtt_ns // 2
        ways = (half - there["delay_ns"], flow.rtt_ns - half - back["delay_ns"])
        if min(ways) < 0:
            raise too_short(scenario, flow, max(there["delay_ns"], back["delay_ns"]))
        out, home = (way // 2 for way in ways)
        queue = dict(bottleneck["queue"])
        pipe = {"rate_bps": rate, "queue": None, **none}
        result += [
            {**pipe, "name": f"access/{flow.flow}", "delay_ns": out, "queue": queue, **impaired},
            {**pipe, "name": f"exit/{flow.flow}", "delay_ns": ways[0] - out},
            {**pipe, "name": f"exit-reverse/{flow.flow}", "delay_ns": ways[1] - home},
            {**pipe, "name": f"access-reverse/{flow.flow}", "delay_ns": home},
        ]
        if path.send_jitter:
            result.append({**pipe, "name": f"host/{flow.flow}", "delay_ns": 0, "rate_bps": HOST_RATE_BPS})
    return result


def route(scenario: Scenario, flow: Endpoint) -> tuple[list[int], list[int]]:
    """The links that data and acknowledgements of a flow cross."""
    late = bool(scenario.path.send_jitter)
    access = 2 + (4 + late) * flow.flow
    there, back = (REVERSE, BOTTLENECK) if flow.reverse else (BOTTLENECK, REVERSE)
    host = [access + 4] if late else []
    return [*host, access, there, access + 1], [access + 2, back, access + 3]

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

from typing import Final

from sawtooth.errors import InputError
from sawtooth.scenario.scenario import Scenario
from sawtooth.scenario.topology.base import (
    Crossed,
    Endpoint,
    Layout,
    Route,
    default_delay,
    endpoints,
    too_short,
    ways_over,
)
from sawtooth.scenario.topology.middle import bottleneck, plain, reverse
from sawtooth.scenario.trace import Trace
from sawtooth.scenario.wires import impairments

HOST_RATE_BPS: Final = 100_000_000_000_000
"""Rate of a source's own link, which only makes packets late: a packet of 1000 B takes less than a nanosecond."""


def lay_out(scenario: Scenario, trace: Trace | None) -> Layout:
    """The network of a scenario. InputError for an RTT too short, a trace or another rate of access links."""
    layout = Layout(endpoints(scenario))
    path, rate = scenario.path, scenario.bottleneck.rate
    if rate is None:
        raise InputError(
            scenario.name, "bottleneck.trace", scenario.bottleneck.trace, "a rate, which every link has"
        )
    if "access_rate" in path.model_fields_set and path.access_rate != rate:
        raise InputError(
            scenario.name, "path.access_rate", path.access_rate, "no such key: every link has bottleneck.rate"
        )
    forward = bottleneck(scenario, trace, delay_ns=default_delay(layout.flows))
    there = layout.add(forward, "bottleneck")
    back = layout.add(reverse(scenario, forward, layout.flows), "reverse")
    for flow in layout.flows:
        _join(scenario, layout, flow, (back, there) if flow.reverse else (there, back))
    layout.ways = ways_over(scenario, there, back)
    layout.crossed.append(Crossed("cbr", [there], scenario.test_flows))
    return layout


def _join(scenario: Scenario, layout: Layout, flow: Endpoint, middle: tuple[int, int]) -> None:
    """A flow with its own links around the two in the middle."""
    half = flow.rtt_ns // 2
    delays = [layout.links[link]["delay_ns"] for link in middle]
    ways = (half - delays[0], flow.rtt_ns - half - delays[1])
    if min(ways) < 0:
        raise too_short(scenario, flow, max(delays))
    forward, reverse = around(scenario, layout, flow.flow, middle, ways)
    host = []
    if scenario.path.send_jitter:
        host = [layout.add(plain(f"host/{flow.flow}", HOST_RATE_BPS, 0), "path")]
    layout.routes.append(([*host, *forward], reverse))


def around(
    scenario: Scenario, layout: Layout, name: int | str, middle: tuple[int, int], ways: tuple[int, int]
) -> Route:
    """Links with these delays in ns, half of them on either side of the two in the middle, and the way over all of them."""
    rate = layout.links[0]["rate_bps"]
    out, home = (way // 2 for way in ways)
    access = plain(f"access/{name}", rate, out) | impairments(scenario.path)
    access["queue"] = dict(layout.links[0]["queue"])
    own = [
        layout.add(link, "path")
        for link in (
            access,
            plain(f"exit/{name}", rate, ways[0] - out),
            plain(f"exit-reverse/{name}", rate, ways[1] - home),
            plain(f"access-reverse/{name}", rate, home),
        )
    ]
    return [own[0], middle[0], own[1]], [own[2], middle[1], own[3]]

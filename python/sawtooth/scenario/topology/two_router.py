"""Two routers: cross traffic joins the test flows at R1 after a router of its own, R0.

Source: [Akella02] Fig. 3(b) and §3.3; the reference runs with ns-2.

    S' ── R0 ── R1 ── R2
                │
               S_i          place-holders leave at R1

| parameter | unit  | default   | why                                                                             |
|-----------|-------|-----------|---------------------------------------------------------------------------------|
| rate      | bit/s | that of R1 → R2 | stated: the two links have one rate                                       |
| delay     | ms    | 10        | not stated; that of the reference runs                                          |
| queue     |       | DRR       | stated; the quantum is a packet                                                 |
| buffer    |       | 1 bdp     | not stated; shared by all                                                       |
| host_rate | bit/s | 10 G      | not stated; must not be the bottleneck                                          |

The bottleneck R1 → R2, its way back and the access links are those of the dumbbell, with the same indices. Behind them come `first`
(R0 → R1) with its queue and `first-reverse`. Cross traffic of constant bit rate begins at R0.

Short flows (environments 11 to 13) begin at S' and share the links `cross` (S' → R0) and `cross-reverse`, whose delay is what their RTT
leaves over. With them go place-holders, as many as test flows and with their RTTs, over R0 → R1 only; each has
access links of its own, `access/place-holder/<n>`, so that their packets do not all leave one interface.
"""

from __future__ import annotations

from sawtooth.errors import InputError
from sawtooth.scenario.environments import ShortFlows
from sawtooth.scenario.queue_value import Queue
from sawtooth.scenario.scenario import Scenario
from sawtooth.scenario.shapes import TwoRouter
from sawtooth.scenario.topology import dumbbell, middle
from sawtooth.scenario.topology.base import Crossed, Layout, Route
from sawtooth.scenario.trace import Trace
from sawtooth.scenario.units import format_time


def lay_out(scenario: Scenario, trace: Trace | None) -> Layout:
    """The network of two routers of a scenario. Raises InputError for an RTT too short."""
    shape = scenario.topology if isinstance(scenario.topology, TwoRouter) else TwoRouter()
    layout = dumbbell.lay_out(scenario, trace)
    rate = shape.rate or middle.capacity_of(scenario, trace)
    discipline = shape.queue or Queue.parse("drr")
    first = middle.plain("first", rate, shape.delay)
    first["queue"] = middle.queue(scenario, discipline, shape.buffer, rate)
    there = layout.add(first, "topology")
    back = layout.add(middle.plain("first-reverse", rate, shape.delay), "topology")
    bottleneck, reverse = 0, 1
    layout.crossed = [Crossed("cbr", [there, bottleneck], scenario.test_flows)]
    environment = scenario.environment
    if environment is None or not isinstance(environment.parameters, ShortFlows):
        return layout
    way: Route = ([there, bottleneck], [reverse, back])
    rtt = environment.parameters.cross_rtt
    delays = (rtt // 2 - layout.delay(way[0]), rtt - rtt // 2 - layout.delay(way[1]))
    if min(delays) < 0:
        least = format_time(2 * max(layout.delay(links) for links in way))
        accepted = f"at least {least}, twice the one-way delay of R0 → R1 → R2"
        raise InputError(scenario.name, "environment.cross_rtt", format_time(rtt), accepted)
    host = layout.add(middle.plain("cross", shape.host_rate, delays[0]), "topology")
    home = layout.add(middle.plain("cross-reverse", shape.host_rate, delays[1]), "topology")
    layout.cross_route = ([host, *way[0]], [*way[1], home])
    for flow in [flow for flow in layout.flows if not flow.reverse]:
        half = flow.rtt_ns // 2
        delays = (half - shape.delay, flow.rtt_ns - half - shape.delay)
        if min(delays) < 0:
            accepted = f"at most half of every RTT, and flow {flow.flow} has {format_time(flow.rtt_ns)}"
            raise InputError(scenario.name, "topology.delay", format_time(shape.delay), accepted)
        place = f"place-holder/{len(layout.place_holders)}"
        enter, leave = layout.add_access(scenario, place, delays)
        layout.links[enter] |= {"drop": None, "mark": None}
        layout.place_holders.append(([enter, there], [back, leave]))
    return layout

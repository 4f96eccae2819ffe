"""A ring: equal bottlenecks in a circle, of which each flow crosses two that follow each other.

Source: [Akella02] §4.1.3, footnote 6: a circular topology in which each test flow crosses two bottlenecks, each of them
shared with other competing test flows. Numbers are not stated there.

| parameter | unit | default | why                                                                                     |
|-----------|------|---------|-----------------------------------------------------------------------------------------|
| links     | 1    | 4       | the least even circle in which the two bottlenecks of a flow have different other flows |
| hops      | 1    | 2       | stated                                                                                  |

Link k leads from router k to router k + 1; all have the rate, delay, buffer and discipline of `[bottleneck]`, and a way back beside
them that of `[reverse]`. A flow enters at one router, crosses `hops` links and leaves; its acknowledgements take the ways back. Flow
after flow enters where the links on its way have the fewest flows so far, and of such places where the fewest begin: so ten flows
in a ring of four enter at routers 0, 2, 1, 3, 0, … and five of them cross each link, three or two of them with both links in
common. Users and streams of traffic enter behind the flows, by the same rule. Each link has cross traffic of its own, from one router
to the next, which leaves its test flows what the environment says, the same for each flow on each link: C − m·B(t) where m test flows
cross a link. The default delay of a link is a quarter of the shortest RTT over `hops`.
"""

from __future__ import annotations

from sawtooth.scenario.scenario import Scenario
from sawtooth.scenario.shapes import Ring
from sawtooth.scenario.topology.base import Crossed, Layout, Route, default_delay, endpoints
from sawtooth.scenario.topology.middle import bottleneck, reverse
from sawtooth.scenario.trace import Trace


def lay_out(scenario: Scenario, trace: Trace | None) -> Layout:
    """The ring of a scenario. Raises InputError for an RTT too short."""
    shape = scenario.topology
    assert isinstance(shape, Ring), "the table of topologies knows its kinds"
    layout = Layout(endpoints(scenario))
    delay = default_delay(layout.flows, shape.hops)
    there, back = [], []
    for index in range(shape.links):
        forward = bottleneck(scenario, trace, delay_ns=delay, name=f"bottleneck/{index}")
        there.append(layout.add(forward, "bottleneck"))
    for index in range(shape.links):
        beside = layout.links[there[index]]
        back.append(layout.add(reverse(scenario, beside, layout.flows, name=f"reverse/{index}"), "reverse"))
    members = [group.reverse for group in scenario.traffic for _ in range(group.members)]
    directions = [*(flow.reverse for flow in layout.flows), *members]
    ways: list[Route] = []
    for entry, reversed_ in zip(entries(directions, shape.links, shape.hops), directions, strict=True):
        crossed = [(entry + hop) % shape.links for hop in range(shape.hops)]
        forward_way = [there[link] for link in crossed]
        backward_way = [back[link] for link in reversed(crossed)]
        ways.append((backward_way, forward_way) if reversed_ else (forward_way, backward_way))
    for flow, way in zip(layout.flows, ways, strict=False):
        layout.join(scenario, flow, *way)
    of_traffic = iter(ways[len(layout.flows) :])
    layout.ways = [[next(of_traffic) for _ in range(group.members)] for group in scenario.traffic]
    layout.paths = [
        layout.queues(forward)
        for flow, (forward, _) in zip(layout.flows, layout.routes, strict=True)
        if not flow.reverse
    ]
    for index, link in enumerate(there):
        test_flows = sum(
            link in forward
            for flow, (forward, _) in zip(layout.flows, layout.routes, strict=True)
            if not flow.reverse
        )
        layout.crossed.append(Crossed(f"cbr/{index}", [link], test_flows))
    return layout


def entries(reverse: list[bool], links: int, hops: int) -> list[int]:
    """The router at which each flow enters; flows in one direction and in the other are spread apart from each other."""
    chosen: list[int] = []
    loads = {direction: [0] * links for direction in (False, True)}
    begins = {direction: [0] * links for direction in (False, True)}
    for direction in reverse:
        load, begin = loads[direction], begins[direction]

        def crowd(entry: int, load: list[int] = load, begin: list[int] = begin) -> tuple[int, int, int, int]:
            way = [load[(entry + hop) % links] for hop in range(hops)]
            return max(way), sum(way), begin[entry], entry

        entry = min(range(links), key=crowd)
        chosen.append(entry)
        begin[entry] += 1
        for hop in range(hops):
            load[(entry + hop) % links] += 1
    return chosen

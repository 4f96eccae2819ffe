"""A free topology: nodes, links and routes as the scenario lists them.

`[[links]]` are one-way, `from` one node `to` another; where the way back is not listed there is one of the same rate and delay, without
queue. `[[nodes]]` may be listed, and then links must keep to them. A flow, a group of traffic or a source goes by its `route`: nodes in
order, and between two that are no neighbours the shortest way, that is the fewest links, among these the least delay, among these the
first listed. Acknowledgements take the shortest way back.

Each flow has access links of its own at both ends of its route, of rate `path.access_rate` and without delay: RTTs are those of the links.
The first listed link with a queue is the bottleneck of results; delay and loss of a flow are those of all queues that its data
crosses. The bandwidth available to a test flow is that of its tightest queue: the mean rate, while the run is measured, that constant-rate
sources leave there, divided equally among the test flows there. Goodput is relative to the mean of these bandwidths over the test flows.
"""

from __future__ import annotations

import heapq
from itertools import pairwise
from typing import Any

from sawtooth.errors import MISSING, InputError
from sawtooth.scenario.free_network import Link, Source
from sawtooth.scenario.scenario import Scenario
from sawtooth.scenario.topology.base import Endpoint, Layout, Route
from sawtooth.scenario.topology.middle import (
    DROP_TAIL,
    least_bps,
    named_trace,
    offered_bps,
    plain,
    queue,
    rates_at_times,
    transmitter,
)
from sawtooth.scenario.trace import Trace
from sawtooth.scenario.transmitters import BESIDE
from sawtooth.scenario.wires import clean, impairments


def lay_out(scenario: Scenario, _trace: Trace | None) -> Layout:
    """The network of a scenario. Raises InputError for a route that leads nowhere."""
    graph = _Graph(scenario)
    layout = Layout([])
    drained: list[int] = []  # what each link carries in the long run behind a shaper, bit/s
    carried: list[float] = []  # what it carries while the run is measured, bit/s
    for name, link, key in graph.links:
        trace = named_trace(scenario, key, link.trace)
        rate = link.rate or (scenario.path.access_rate if trace is None else trace.mean_bps)
        sends = transmitter(rate, trace, once=link.trace_once)
        layout.add(plain(name, rate, link.delay) | sends | impairments(link) | link.beside_queue(), key)
        drained.append(least_bps(rate, link.shaper))
        listed = len(carried) < len(scenario.links)  # nothing changes a way back that nobody listed
        carried.append(_carried_bps(scenario, link, trace, rate, key if listed else ""))
    ways: list[list[int]] = []
    for index, group in enumerate(scenario.flows):
        forward, reverse = graph.both_ways(group.route, f"flows[{index}].route")
        rtt = layout.delay(forward) + layout.delay(reverse)
        for member in range(group.count):
            flow = Endpoint(len(layout.flows), index, member, rtt, reverse=False)
            layout.flows.append(flow)
            there, back = layout.add_access(scenario, flow.flow, (0, 0))
            layout.routes.append(([there, *forward], [*reverse, back]))
            ways.append(forward)
    mean_rtt = sum(flow.rtt_ns for flow in layout.flows) // len(layout.flows)
    for index, (_, link, _) in enumerate(graph.links):
        if link.size is not None:
            discipline = link.queue or DROP_TAIL
            layout.links[index]["queue"] = queue(
                scenario, discipline, link.size, drained[index], mean_rtt, table=graph.links[index][2]
            )
    layout.paths = [layout.queues(way) for way in ways]
    layout.ways = [
        [graph.both_ways(group.route, f"traffic[{index}].route")] * group.members
        for index, group in enumerate(scenario.traffic)
    ]
    for index, source in enumerate(scenario.sources):
        layout.sources.append(_source(source, index, graph.way(source.route, f"sources[{index}].route")))
    layout.available_bps = _available(scenario, layout, ways, carried)
    return layout


class _Graph:
    """Links by the nodes that they join."""

    def __init__(self, scenario: Scenario) -> None:
        self.where = scenario.name
        listed = {(link.begin, link.end) for link in scenario.links}
        self.links: list[tuple[str, Link, str]] = []
        for index, link in enumerate(scenario.links):
            self.links.append((f"{link.begin}/{link.end}", link, f"links[{index}]"))
        for index, link in enumerate(scenario.links):
            if (link.end, link.begin) not in listed:
                bare = {"begin": link.end, "end": link.begin, "buffer": None, "queue": None, "trace": None}
                back = link.model_copy(update={**bare, **clean(), **dict.fromkeys(BESIDE), "device_queue": 0})
                self.links.append((f"{link.end}/{link.begin}", back, f"links[{index}]"))
        self.leaving: dict[str, list[int]] = {}
        for number, (_, link, _) in enumerate(self.links):
            self.leaving.setdefault(link.begin, []).append(number)
            self.leaving.setdefault(link.end, [])

    def both_ways(self, route: list[str] | None, key: str) -> Route:
        """The links of a route, and the shortest way back."""
        if route is None:
            raise InputError(self.where, key, MISSING, "this key, which a free topology requires")
        return self.way(route, key), self.way([route[-1], route[0]], key)

    def way(self, route: list[str], key: str) -> list[int]:
        """The links of a route, by number."""
        for node in route:
            if node not in self.leaving:
                accepted = f"nodes that links join: {', '.join(self.leaving)}"
                raise InputError(self.where, key, route, f"{accepted} (not {node})")
        return [link for a, b in pairwise(route) for link in self._shortest(a, b, route, key)]

    def _shortest(self, begin: str, end: str, route: list[str], key: str) -> list[int]:
        if begin == end:
            raise InputError(self.where, key, route, f"a route that leads on (not from {begin} to itself)")
        heap: list[tuple[int, int, list[int], str]] = [(0, 0, [], begin)]
        done: set[str] = set()
        while heap:
            hops, delay, links, node = heapq.heappop(heap)
            if node == end:
                return links
            if node not in done:
                done.add(node)
                for number in self.leaving[node]:
                    _, link, _ = self.links[number]
                    heapq.heappush(heap, (hops + 1, delay + link.delay, [*links, number], link.end))
        raise InputError(self.where, key, route, f"a route along links (none leads from {begin} to {end})")


def _source(source: Source, index: int, way: list[int]) -> dict[str, Any]:
    rates = [[source.start, source.rate]]
    if source.stop is not None:
        rates.append([source.stop, 0])
    return {"name": f"source/{index}", "packet_bytes": source.packet, "route": way, "rates": rates}


def _carried_bps(scenario: Scenario, link: Link, trace: Trace | None, rate_bps: int, key: str) -> float:
    """What a link of that rate, or with that trace, carries on average while the run is measured, bit/s."""
    if trace is not None:
        return offered_bps(scenario, trace, link)
    return rates_at_times(scenario, key, link, rate_bps).time_mean(scenario.warmup, scenario.duration)


def _available(scenario: Scenario, layout: Layout, ways: list[list[int]], carried: list[float]) -> int:
    """Mean over test flows of what the queues on their way leave each, bit/s; at least 0."""
    flows = [sum(link in way for way in ways) for link in range(len(layout.links))]
    taken = [0.0] * len(layout.links)
    measured = scenario.duration - scenario.warmup
    for source, spec in zip(scenario.sources, layout.sources, strict=True):
        end = scenario.duration if source.stop is None else min(source.stop, scenario.duration)
        share = max(0, end - max(source.start, scenario.warmup)) / measured
        for link in spec["route"]:
            taken[link] += source.rate * share

    total = 0.0
    for way in ways:
        shares = [
            max(0.0, carried[link] - taken[link]) / flows[link]
            for link in way
            if layout.links[link]["queue"] is not None
        ]
        total += min(shares, default=min(carried[link] / flows[link] for link in way))
    return round(total / len(ways))

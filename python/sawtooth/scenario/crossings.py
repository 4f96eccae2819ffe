"""Who crosses which link of a scenario's network, and whom its queues and impairments can mark or spare.

Source: none. Read off the layout, before anything is drawn: which flows, which cross traffic, which short flows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from sawtooth.scenario import ecn
from sawtooth.scenario.cross_flows import in_profile_first
from sawtooth.scenario.environments import ShortFlows
from sawtooth.scenario.queue_value import Queue, marks, marks_l4s, needs, spares
from sawtooth.scenario.scenario import Scenario
from sawtooth.scenario.topology import Layout, lay_out
from sawtooth.scenario.topology.middle import trace_of
from sawtooth.scenario.traffic_fields import Asking, OverTcp

MANY: Final = 2
"""More than one, of flows that are only known when they are drawn."""


@dataclass
class Crossing:
    """What crosses one link."""

    data: Counter[int] = field(default_factory=Counter)
    """Flows whose data does, by group."""
    acks: Counter[int] = field(default_factory=Counter)
    """Flows whose acknowledgements do, by group."""
    others: int = 0
    """Sources, short flows and place-holders."""

    @property
    def queues(self) -> int:
        """How many queues a discipline that keeps flows apart would have."""
        return self.data.total() + self.acks.total() + self.others


@dataclass(frozen=True)
class Crossings:
    """A scenario, its network, and what crosses its links; laid out when somebody asks. InputError if it has no network."""

    scenario: Scenario

    @cached_property
    def layout(self) -> Layout:
        """Its links and routes."""
        return lay_out(self.scenario, trace_of(self.scenario))

    @property
    def short_flows(self) -> ShortFlows | None:
        """The parameters of its short flows, if it has any."""
        environment = self.scenario.environment
        found = None if environment is None else environment.parameters
        return found if isinstance(found, ShortFlows) else None

    @cached_property
    def links(self) -> list[Crossing]:
        """By link."""
        links = [Crossing() for _ in self.layout.links]
        for flow, (forward, reverse) in zip(self.layout.flows, self.layout.routes, strict=True):
            for link in forward:
                links[link].data[flow.group] += 1
            for link in reverse:
                links[link].acks[flow.group] += 1
        for link, count in self._others():
            links[link].others += count
        return links

    def _others(self) -> Iterator[tuple[int, int]]:
        scenario, layout = self.scenario, self.layout
        routes = [(source["route"], 1) for source in layout.sources]
        routes += [(way, MANY) for members in layout.ways for route in members for way in route]
        if scenario.environment is not None and self.short_flows is None:
            count = MANY if scenario.bottleneck.queue.keeps_flows_apart else 1
            routes += [(crossed.route, count) for crossed in layout.crossed]
        if layout.cross_route is not None:
            routes += [(way, MANY) for way in layout.cross_route]
        routes += [(way, 1) for place in layout.place_holders for way in place]
        return ((link, count) for route, count in routes for link in route)

    @cached_property
    def queues(self) -> list[dict[str, Any] | None]:
        """By link its queue as the engine has it: short flows go first at the bottleneck."""
        queues = [link["queue"] for link in self.layout.links]
        if self.short_flows is not None:
            first = in_profile_first(queues[0])
            queues[0] = {**Queue.parse(first["kind"]).sized(None), **first}
        return queues

    @cached_property
    def something_marks(self) -> bool:
        """Whether any queue or link marks: what `ecn` is where nobody says it."""
        links = self.layout.links
        return any(link["mark"] is not None or marks(link["queue"]) for link in links)

    def of_table(self, table: str) -> list[int]:
        """The links that a table of the scenario file describes."""
        found = [index for index, key in enumerate(self.layout.keys) if key == table]
        if table == "bottleneck":  # some topologies have queues like it before access links
            found += [index for index in self.of_table("path") if self.queues[index] is not None]
        return found

    @property
    def has_reverse_data(self) -> bool:
        """Whether data flows against the test flows."""
        flows = any(group.reverse for group in self.scenario.flows)
        return flows or any(group.reverse for group in self.scenario.traffic)

    def may_be_capable(self, group: int) -> bool:
        """Whether packets of a group are ECN-capable, or would be if anything marked."""
        return self._word(group) != ecn.OFF

    def _word(self, group: int) -> str | None:
        """The word of a group for ECN: its own, that of `[tcp]`, or what its controller needs; None where that depends on what marks."""
        own = self.scenario.flows[group].tcp().get("ecn")
        word = getattr(self.scenario.tcp, "ecn", ecn.AUTO) if own is None else own
        return ecn.needed(self.scenario.flows[group].control) if word == ecn.AUTO else str(word)

    def markable(self, links: Iterable[int], *, spared: bool = False) -> bool:
        """Whether ECN-capable data crosses one of these links; if `spared` such that a queue spares what is in profile, other data."""
        groups = {group for link in links for group in self.links[link].data}
        return any(
            self.may_be_capable(group) and not (spared and self.scenario.flows[group].in_profile)
            for group in groups
        )

    def is_acknowledged(self, links: Iterable[int]) -> bool:
        """Whether acknowledgements of senders with a recovery cross one of these links."""
        groups = {group for link in links for group in self.links[link].acks}
        if any(self.scenario.flows[group].control.takes_recovery for group in groups):
            return True
        others = [route[1] for route in (self.layout.cross_route, *self.layout.place_holders) if route]
        for traffic, members in zip(self.scenario.traffic, self.layout.ways, strict=True):
            if isinstance(traffic, OverTcp):
                others += [reverse for _, reverse in members]
            if isinstance(traffic, Asking):  # requests are acknowledged on the way of the answers
                others += [forward for forward, _ in members]
        return any(link in way for link in links for way in others)

    def is_l4s(self, links: Iterable[int]) -> bool:
        """Whether data with ECT(1) crosses one of these links."""
        groups = {group for link in links for group in self.links[link].data}
        return any(self._word(group) == ecn.L4S for group in groups)

    def is_marked(self, group: int) -> bool:
        """Whether something on the way of a group marks its data, if that is ECN-capable."""
        in_profile = self.scenario.flows[group].in_profile
        marking = marks_l4s if self._word(group) == ecn.L4S else marks
        for index, crossing in enumerate(self.links):
            if group not in crossing.data:
                continue
            queue = self.queues[index]
            by_queue = marking(queue) and needs(queue, "ecn") is None and not (in_profile and spares(queue))
            if self.layout.links[index]["mark"] is not None or by_queue:
                return True
        return False

    def is_spared(self, group: int) -> bool:
        """Whether a queue on the way of a group spares what is in profile."""
        return any(
            spares(self.queues[index])
            for index, crossing in enumerate(self.links)
            if group in crossing.data or group in crossing.acks
        )

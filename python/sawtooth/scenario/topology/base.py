"""What all topologies share: the ends of flows with their RTTs, and the form of what a topology gives.

RTTs are spread as in the reference runs with ns-2: flow i of n has `rtt · (1 − s + 2s·k/(n − 1))`, k = (m·i) mod n,
where m is the first of 7, 8, 9, … without a common factor with n. So the values are evenly spaced, each is taken once,
and the order is not that of the ids (with n = 10, s = 0.05, 120 ms: 114.000, 123.333, 119.333, 115.333, … ms).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from math import gcd
from typing import Any, Final

from sawtooth.errors import InputError
from sawtooth.scenario.scenario import FlowsBase, Scenario
from sawtooth.scenario.shapes import Dumbbell, EqualRate, Ring, Shape, TwoRouter
from sawtooth.scenario.units import format_time
from sawtooth.scenario.wires import impairments


@dataclass(frozen=True)
class Endpoint:
    """One flow's place: its id, its group, its RTT (ns, propagation only) and its direction."""

    flow: int
    group: int
    member: int
    rtt_ns: int
    reverse: bool


Route = tuple[list[int], list[int]]
"""The links that data and that acknowledgements cross, in order, by index."""


@dataclass(frozen=True)
class Crossed:
    """A link whose bandwidth the environment changes."""

    name: str
    """Of its cross traffic."""
    route: list[int]
    """The links that the cross traffic takes."""
    test_flows: int
    """How many test flows share the link with it."""


@dataclass
class Layout:
    """A network: links and routes as the engine has them, and what the rest of the scenario must know about it.

    The first link with a queue is the bottleneck of results. `keys` has the table of the scenario file behind each link.
    """

    flows: list[Endpoint]
    links: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    routes: list[Route] = field(default_factory=list)
    crossed: list[Crossed] = field(default_factory=list)
    cross_route: Route | None = None
    """Where short flows go, if there are any."""
    sources: list[dict[str, Any]] = field(default_factory=list)
    """Those that the scenario lists."""
    place_holders: list[Route] = field(default_factory=list)
    """Of flows that stand for the test flows where short flows come from."""
    paths: list[list[int]] = field(default_factory=list)
    """By test flow, the rows in results of the queues whose delay and loss it suffers; none where that is the bottleneck alone."""
    ways: list[list[Route]] = field(default_factory=list)
    """By group of traffic and by member of it, the links of the network that its data and what answers it cross."""
    available_bps: int | None = None
    """The rate that each test flow can have at most, where no environment gives it and it is not an equal share of the bottleneck."""

    def add(self, link: dict[str, Any], key: str) -> int:
        """A link more; its index."""
        self.links.append(link)
        self.keys.append(key)
        return len(self.links) - 1

    def add_access(self, scenario: Scenario, name: int | str, delays: tuple[int, int]) -> tuple[int, int]:
        """A pair of access links with these delays in ns, to the network and back; their indices."""
        path = scenario.path
        pipe = {"rate_bps": path.access_rate, "queue": None}
        there = {"name": f"access/{name}", **pipe, "delay_ns": delays[0]}
        back = {"name": f"access-reverse/{name}", **pipe, "delay_ns": delays[1], "drop": None, "mark": None}
        return self.add({**there, **impairments(path)}, "path"), self.add(back, "path")

    def delay(self, route: Sequence[int]) -> int:
        """One-way propagation delay along these links, ns."""
        return sum(self.links[link]["delay_ns"] for link in route)

    def join(self, scenario: Scenario, flow: Endpoint, forward: list[int], reverse: list[int]) -> None:
        """A flow whose data and acknowledgements cross these links, with access links that make up its RTT.

        Raises InputError if the RTT is too short for that.
        """
        half = flow.rtt_ns // 2
        delays = (half - self.delay(forward), flow.rtt_ns - half - self.delay(reverse))
        if min(delays) < 0:
            raise too_short(scenario, flow, max(self.delay(forward), self.delay(reverse)))
        there, back = self.add_access(scenario, flow.flow, delays)
        self.routes.append(([there, *forward], [*reverse, back]))

    def queues(self, route: Sequence[int]) -> list[int]:
        """Which of the queues stand before these links, by their row in results."""
        rows: dict[int, int] = {}
        for index, link in enumerate(self.links):
            if link["queue"] is not None:
                rows[index] = len(rows)
        return [rows[link] for link in route if link in rows]


WAY: Final[dict[type[Shape], str]] = {
    Dumbbell: "the bottleneck",
    EqualRate: "the bottleneck",
    TwoRouter: "the bottleneck",
    Ring: "the bottlenecks on its way",
}
"""What the access links are added to, in the words of an error."""


def ways_over(scenario: Scenario, there: int, back: int) -> list[list[Route]]:
    """The ways of all traffic where there are two links in the middle: data crosses one of them, what answers it the other."""
    ways: dict[bool, Route] = {False: ([there], [back]), True: ([back], [there])}
    return [[ways[group.reverse]] * group.members for group in scenario.traffic]


def spread_order(count: int) -> list[int]:
    """A permutation of 0 … count − 1: position of each flow among the evenly spaced values."""
    multiplier = next(m for m in range(7, 8 + count) if gcd(m, count) == 1)
    return [(multiplier * index) % count for index in range(count)]


def spread_rtts(rtt_ns: int, spread: float, count: int) -> list[int]:
    """RTTs in ns of `count` flows, evenly spaced over `rtt_ns` · (1 ± `spread`), nearest ns."""
    if count <= 1 or spread == 0:
        return [rtt_ns] * count
    return list(_spread(rtt_ns, spread, count))


@lru_cache(maxsize=8)
def _spread(rtt_ns: int, spread: float, count: int) -> tuple[int, ...]:
    """Exact fractions take their time, and a sweep asks for the same RTTs in every run."""
    share = Fraction(str(spread))
    return tuple(
        round(rtt_ns * (1 - share + 2 * share * Fraction(k, count - 1))) for k in spread_order(count)
    )


def endpoints(scenario: Scenario) -> list[Endpoint]:
    """Every flow in the order of ids with its RTT.

    A list of RTTs is taken as it is. The path's own RTT is spread over the test flows that follow it, and
    apart from them over the reverse flows that do; a group's own RTT is spread over the group.
    """
    path, groups = scenario.path, scenario.flows
    following = {
        reverse: sum(g.count for g in groups if g.rtt is None and g.reverse == reverse)
        for reverse in (False, True)
    }
    listed = path.rtt if isinstance(path.rtt, tuple) else None
    shared = {
        False: iter(listed or spread_rtts(path_rtt(scenario), path.rtt_spread, following[False])),
        True: iter(spread_rtts(path_rtt(scenario), path.rtt_spread, following[True])),
    }
    result: list[Endpoint] = []
    for index, group in enumerate(groups):
        own = _own_rtts(group, path.rtt_spread)
        for member in range(group.count):
            rtt = own[member] if own else next(shared[group.reverse])
            result.append(Endpoint(len(result), index, member, rtt, group.reverse))
    return result


def base_rtt(scenario: Scenario) -> int:
    """The RTT that a buffer of `1 bdp` means, in ns: the path's, or the mean of the test flows' own if all have one."""
    own = [rtt for group in scenario.flows if not group.reverse for rtt in _own_rtts(group, 0.0)]
    return _mean(own) if len(own) == scenario.test_flows else path_rtt(scenario)


def path_rtt(scenario: Scenario) -> int:
    """The path's RTT in ns, or the mean of its list."""
    rtt = scenario.path.rtt
    return rtt if isinstance(rtt, int) else _mean(rtt)


def default_delay(flows: list[Endpoint], hops: int = 1) -> int:
    """One-way delay of a bottleneck when the scenario states none (ns): a quarter of the shortest RTT, in equal parts where flows
    cross several."""
    return min(flow.rtt_ns for flow in flows) // (4 * hops)


def _mean(values: Sequence[int]) -> int:
    return round(Fraction(sum(values), len(values)))


def _own_rtts(group: FlowsBase, spread: float) -> list[int]:
    if group.rtt is None:
        return []
    return list(group.rtt) if isinstance(group.rtt, tuple) else spread_rtts(group.rtt, spread, group.count)


def too_short(scenario: Scenario, flow: Endpoint, delay_ns: int) -> InputError:
    """The error of a flow whose RTT is shorter than the way through the network allows."""
    own = scenario.flows[flow.group].rtt
    key = "path.rtt" if own is None else f"flows[{flow.group}].rtt"
    given = scenario.path.rtt if own is None else own
    mean = given if isinstance(given, int) else flow.rtt_ns
    which = f"flow {flow.flow}" + (f" has {format_time(flow.rtt_ns)}" if mean != flow.rtt_ns else "")
    accepted = (
        f"at least {format_time(2 * delay_ns)}, twice the one-way delay of {WAY[type(scenario.topology)]}"
    )
    return InputError(scenario.name, key, format_time(mean), f"{accepted} ({which})")

"""The dumbbell: one bottleneck R1 → R2, a link back, and a pair of access links for each flow.

Link 0 is `bottleneck` (R1 → R2), link 1 `reverse` (R2 → R1), then `access/<flow>` and `access-reverse/<flow>`. A
test flow's data crosses its access link and the bottleneck, its acknowledgements the reverse link and the
access link back; receivers sit on R2. A reverse flow is the mirror image. Access links carry what of a flow's RTT
the two middle links leave over, half on each way, and have no queue.

RTTs are spread as in the reference runs with ns-2: flow i of n has `rtt · (1 − s + 2s·k/(n − 1))`, k = (m·i) mod n,
where m is the first of 7, 8, 9, … without a common factor with n. So the values are evenly spaced, each is taken once,
and the order is not that of the ids (with n = 10, s = 0.05, 120 ms: 114.000, 123.333, 119.333, 115.333, … ms).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import gcd
from typing import Any

from sawtooth.errors import InputError
from sawtooth.scenario import FlowsBase, Scenario
from sawtooth.units import format_time

BOTTLENECK = 0
"""Index of the link R1 → R2."""
REVERSE = 1
"""Index of the link R2 → R1."""


@dataclass(frozen=True)
class Endpoint:
    """One flow's place: its id, its group, its RTT (ns, propagation only) and its direction."""

    flow: int
    group: int
    member: int
    rtt_ns: int
    reverse: bool


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


def default_delay(flows: list[Endpoint]) -> int:
    """One-way delay of the bottleneck when the scenario states none: a quarter of the shortest RTT (ns)."""
    return min(flow.rtt_ns for flow in flows) // 4


def links(
    scenario: Scenario, bottleneck: dict[str, Any], reverse: dict[str, Any], flows: list[Endpoint]
) -> list[dict[str, Any]]:
    """All links in the engine's order, the two in the middle as given; raises InputError for an RTT too short."""
    path = scenario.path
    impaired = {
        "drop": dict(path.drop.engine) if path.drop else None,
        "mark": dict(path.mark.engine) if path.mark else None,
    }
    result = [bottleneck, reverse]
    for flow in flows:
        there, back = (reverse, bottleneck) if flow.reverse else (bottleneck, reverse)
        half = flow.rtt_ns // 2
        delays = (half - there["delay_ns"], flow.rtt_ns - half - back["delay_ns"])
        if min(delays) < 0:
            raise too_short(scenario, flow, max(there["delay_ns"], back["delay_ns"]))
        pipe = {"rate_bps": path.access_rate, "queue": None}
        none = {"drop": None, "mark": None}
        result.append({"name": f"access/{flow.flow}", **pipe, "delay_ns": delays[0], **impaired})
        result.append({"name": f"access-reverse/{flow.flow}", **pipe, "delay_ns": delays[1], **none})
    return result


def route(_scenario: Scenario, flow: Endpoint) -> tuple[list[int], list[int]]:
    """The links that data and acknowledgements of a flow cross."""
    access = 2 + 2 * flow.flow
    if flow.reverse:
        return [access, REVERSE], [BOTTLENECK, access + 1]
    return [access, BOTTLENECK], [REVERSE, access + 1]


def _mean(values: Sequence[int]) -> int:
    return round(Fraction(sum(values), len(values)))


def _own_rtts(group: FlowsBase, spread: float) -> list[int]:
    if group.rtt is None:
        return []
    return list(group.rtt) if isinstance(group.rtt, tuple) else spread_rtts(group.rtt, spread, group.count)


def too_short(scenario: Scenario, flow: Endpoint, delay_ns: int) -> InputError:
    """The error of a flow whose RTT is shorter than the middle link allows."""
    own = scenario.flows[flow.group].rtt is not None
    key = f"flows[{flow.group}].rtt" if own else "path.rtt"
    accepted = f"at least {format_time(2 * delay_ns)}, twice the one-way delay of the bottleneck"
    return InputError(scenario.name, key, format_time(flow.rtt_ns), f"{accepted} (flow {flow.flow})")

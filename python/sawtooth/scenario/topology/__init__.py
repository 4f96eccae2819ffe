"""Topologies: how nodes and links make a network, and who crosses what.

`TOPOLOGIES` has a function for each kind of `[topology]`, in a file of its own: from a scenario to a `Layout`. A new one is such a file,
its table in `shapes`, and a line here and there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sawtooth.scenario.environments import ShortFlows
from sawtooth.scenario.scenario import Scenario
from sawtooth.scenario.shapes import Dumbbell, EqualRate, Free, Ring, Shape, TwoRouter
from sawtooth.scenario.topology import dumbbell, equal_rate, free, ring, two_router
from sawtooth.scenario.topology.base import (
    Crossed,
    Endpoint,
    Layout,
    Route,
    base_rtt,
    endpoints,
    spread_order,
    spread_rtts,
)
from sawtooth.scenario.trace import Trace

TOPOLOGIES: Final[dict[type[Shape], Callable[[Scenario, Trace | None], Layout]]] = {
    Dumbbell: dumbbell.lay_out,
    EqualRate: equal_rate.lay_out,
    TwoRouter: two_router.lay_out,
    Ring: ring.lay_out,
    Free: free.lay_out,
}


def lay_out(scenario: Scenario, trace: Trace | None) -> Layout:
    """The network of a scenario; environments of short flows have that of two routers. Raises InputError."""
    environment = scenario.environment
    if environment is not None and isinstance(environment.parameters, ShortFlows):
        return two_router.lay_out(scenario, trace)
    return TOPOLOGIES[type(scenario.topology)](scenario, trace)


__all__ = [
    "TOPOLOGIES",
    "Crossed",
    "Endpoint",
    "Layout",
    "Route",
    "base_rtt",
    "endpoints",
    "lay_out",
    "spread_order",
    "spread_rtts",
]

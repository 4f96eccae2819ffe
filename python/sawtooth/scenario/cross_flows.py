"""Cross traffic of short flows: what the environment of short flows adds to a network of two routers.

Source: [Akella02] §3.3 and Fig. 3(b). The short flows cross R0, which shares its link fairly between them and place-holders, long flows
that stand for the test flows; so they get no more than their share, whatever the test flows do. At R1 they are in profile: the
router there, of the kind that `bottleneck.queue` names, applies its rule to all others and never drops theirs (RIO). Where
it shares fairly itself (DRR) it needs no priority. What is left of the link is measured behind R0.
"""

from __future__ import annotations

from typing import Any, Final

from sawtooth.scenario import ecn
from sawtooth.scenario.environments import ShortFlows, conditions_of
from sawtooth.scenario.environments.short_flows import ACK_BYTES, PACKET_BYTES
from sawtooth.scenario.scenario import Scenario
from sawtooth.scenario.tcp_fields import engine_tcp, settings
from sawtooth.scenario.topology import Layout

RULES: Final = {"droptail": "drop-tail", "red": "red"}
"""The rule for packets out of profile, by the discipline of the bottleneck; other disciplines stay as they are."""


def add(
    scenario: Scenario, layout: Layout, engine: dict[str, Any], seed: str, capacity_bps: int
) -> dict[str, Any]:
    """Add short flows and place-holders to the engine's scenario, if the environment has them.

    Gives what results must know: which queue says what the short flows took (`cross`).
    """
    environment = scenario.environment
    if environment is None or not isinstance(environment.parameters, ShortFlows):
        return {}
    parameters = environment.parameters
    assert layout.cross_route is not None, "the topology has a way for short flows"
    conditions = conditions_of(
        environment,
        seed=seed,
        duration_ns=scenario.duration,
        capacity_bps=capacity_bps,
        flows=scenario.test_flows,
        directory=scenario.directory,
    )
    bottleneck = layout.links[0]
    layout.links[0] = {
        **bottleneck,
        "queue": in_profile_first(bottleneck["queue"], parameters.average_updates),
    }
    cross = _profile(scenario, parameters)
    greedy = cross | {"send_jitter_ns": scenario.path.send_jitter}
    starts = [flow["start_ns"] for flow in engine["flows"] if flow["test"]]
    for route, start in zip(layout.place_holders, starts, strict=True):
        engine["flows"].append(
            {
                "profile": _index(engine["profiles"], greedy),
                "test": False,
                "forward": route[0],
                "reverse": route[1],
                "start_ns": start,
                "stop_ns": None,
                "packets": None,
            }
        )
    engine["arrivals"] = [
        {
            "name": environment.name,
            "profile": _index(engine["profiles"], cross),
            "in_profile": True,
            "forward": layout.cross_route[0],
            "reverse": layout.cross_route[1],
            "schedule": parameters.process(conditions),
        }
    ]
    (first,) = layout.queues(layout.place_holders[0][0])
    return {"cross": {"queue": first, "capacity_bps": capacity_bps, "floor_bps": parameters.floor}}


def in_profile_first(queue: dict[str, Any], average_updates: str = "all") -> dict[str, Any]:
    """The queue at R1: this discipline for packets out of profile, and no drops of those in profile."""
    rule = RULES.get(queue["kind"])
    if rule is None:
        return queue
    return {**queue, "kind": "rio", "rule": rule, "average_updates": average_updates}


def _profile(scenario: Scenario, parameters: ShortFlows) -> dict[str, Any]:
    """Endpoints of short flows, with the TCP settings of the scenario; they are not ECN-capable unless their controller needs it."""
    given = {
        row["name"]: value for row in settings() if (value := getattr(scenario.tcp, row["name"])) is not None
    }
    return {
        "controller": dict(parameters.cross_control.engine),
        "recovery": "sack",
        "packet_bytes": PACKET_BYTES,
        "ack_bytes": ACK_BYTES,
        "send_jitter_ns": 0,
        "tcp": engine_tcp({**given, "ecn": ecn.decided(ecn.AUTO, parameters.cross_control, marked=False)}),
    }


def _index(profiles: list[dict[str, Any]], profile: dict[str, Any]) -> int:
    if profile not in profiles:
        profiles.append(profile)
    return profiles.index(profile)

"""From a scenario and a seed to the engine's plain data, and to what the metrics need to know beside it.

Everything the user left open is decided here, everything random that is not inside the engine is drawn here (starts
and environments, from the engine's named streams), and the result is canonical: the same scenario and seed give
the same dictionary. The cross traffic that makes an environment is decided in `cross_traffic`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

from sawtooth import _native
from sawtooth.errors import MISSING, InputError
from sawtooth.plain import canonical
from sawtooth.scenario import cross_flows, ecn, topology, traffic
from sawtooth.scenario.changes import changes
from sawtooth.scenario.cross_traffic import cross_traffic
from sawtooth.scenario.engine_check import check
from sawtooth.scenario.environments import schedule_of
from sawtooth.scenario.fields import parse_seed
from sawtooth.scenario.queue_value import marks
from sawtooth.scenario.record_fields import engine_record
from sawtooth.scenario.scenario import FlowsBase, Scenario
from sawtooth.scenario.schedule import Schedule
from sawtooth.scenario.tcp_fields import (
    engine_tcp,
    implicit_defaults,
    layered,
    own_defaults,
    settings,
    unread_by_endpoints,
)
from sawtooth.scenario.topology.middle import capacity_of, offered_bps, rates_at_times, trace_of
from sawtooth.scenario.trace import Trace
from sawtooth.scenario.traffic_fields import Caller, OverTcp
from sawtooth.scenario.wires import WIRES, impairments


@dataclass(frozen=True)
class Resolved:
    """One run, ready for the engine. `engine` is the engine's scenario, `meta` what metrics and reports need."""

    engine: dict[str, Any]
    schedule: Schedule
    """Available bandwidth per test flow."""
    meta: dict[str, Any]
    checked: tuple[str, str] | None = field(default=None, compare=False, repr=False)
    """`engine_json` and `run_id`, where the engine has checked the scenario."""

    @cached_property
    def engine_json(self) -> str:
        """`engine` as canonical JSON: keys sorted, no spaces."""
        return canonical(self.engine) if self.checked is None else self.checked[0]

    @cached_property
    def meta_json(self) -> str:
        """`meta` as canonical JSON."""
        return canonical(self.meta)

    @cached_property
    def run_id(self) -> str:
        """The identity that a run will have: the hash of scenario, seed and the behaviour numbers of what it uses."""
        return _native.run_id(self.engine_json) if self.checked is None else self.checked[1]

    @property
    def seed(self) -> str:
        """The seed of every stream."""
        return str(self.engine["seed"])

    @property
    def duration_ns(self) -> int:
        """Simulated time."""
        return int(self.engine["duration_ns"])

    @property
    def warmup_ns(self) -> int:
        """Metrics begin here."""
        return int(self.engine["warmup_ns"])

    @property
    def test_flows(self) -> int:
        """Number of flows that metrics count."""
        return int(self.meta["test_flows"])

    @property
    def available_bps(self) -> float:
        """Mean available bandwidth per test flow over [warmup, duration)."""
        return float(self.meta["available_bps"])

    @property
    def echo(self) -> dict[str, Any]:
        """Every number of the run as decided, for `run --json`."""
        return dict(self.meta["resolved"])

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data; `from_dict` gives back an equal value."""
        return {"engine": self.engine, "schedule": self.schedule.to_dict(), "meta": self.meta}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Resolved:
        """The inverse of `to_dict`."""
        return cls(data["engine"], Schedule.from_dict(data["schedule"]), data["meta"])


@dataclass(frozen=True)
class Decided:
    """What of a resolved scenario depends on no seed: who resolves it with many seeds decides it once, which is half of the work."""

    trace: Trace | None
    capacity: int
    layout: topology.Layout
    profiles: list[dict[str, Any]]
    profile_of_group: list[int]
    flows: list[dict[str, Any]]
    """As the engine has them, but for their starts."""
    record: dict[str, Any]
    echo: dict[str, Any]
    """What of `_echo` is no seed's."""

    def copied(self) -> tuple[topology.Layout, list[dict[str, Any]]]:
        """Layout and profiles for one seed. Short flows and traffic add to their lists, and change nothing that is in them."""
        layout = replace(
            self.layout, links=[*self.layout.links], keys=[*self.layout.keys], sources=[*self.layout.sources]
        )
        return layout, list(self.profiles)


def decide(scenario: Scenario) -> Decided:
    """Decide what no seed decides. Raises InputError."""
    trace = trace_of(scenario)
    layout = topology.lay_out(scenario, trace)
    profiles, of_group = _profiles(scenario, layout.links)
    flows = [
        _flow(scenario.flows[flow.group], flow, route, of_group[flow.group])
        for flow, route in zip(layout.flows, layout.routes, strict=True)
    ]
    return Decided(
        trace,
        capacity_of(scenario, trace),
        layout,
        profiles,
        of_group,
        flows,
        engine_record(scenario.record),
        _echo_of_all_seeds(scenario, layout, profiles, flows),
    )


def resolve(scenario: Scenario, seed: str | int | None = None, decided: Decided | None = None) -> Resolved:
    """Decide and draw everything; `seed` None takes the scenario's own, and what is `decided` is of this scenario. Raises InputError."""
    chosen = scenario.seed if seed is None else _seed(scenario, seed)
    known = decided or decide(scenario)
    trace, capacity, profile_of_group = known.trace, known.capacity, known.profile_of_group
    layout, profiles = known.copied()
    wanted = _schedule(scenario, layout, chosen, capacity, trace)
    cross = cross_traffic(scenario, layout, wanted, capacity)
    schedule = cross.available
    starts = _starts(scenario, chosen)
    engine: dict[str, Any] = {
        "seed": chosen,
        "duration_ns": scenario.duration,
        "warmup_ns": scenario.warmup,
        "links": layout.links,
        "profiles": profiles,
        "flows": [{**flow, "start_ns": start} for flow, start in zip(known.flows, starts, strict=True)],
        "sources": cross.sources,
        "record": known.record,
    }
    measured = cross_flows.add(scenario, layout, engine, chosen, capacity)
    changed = changes(scenario, layout, chosen)
    if changed.engine:
        engine["changes"] = list(changed.engine)
    measured |= traffic.add(scenario, layout, engine, chosen, partial(profile_of, scenario, layout.links))
    text = canonical(engine)
    run_id = check(scenario, text, profile_of_group, layout, changed.origins)
    available = schedule.time_mean(scenario.warmup, scenario.duration)
    if available <= 0:
        key = "environment" if scenario.environment else "bottleneck.trace"
        raise InputError(scenario.name, key, MISSING, "some available bandwidth between warmup and duration")
    meta = {
        "name": scenario.name,
        "seed": chosen,
        "schedule": schedule.to_dict(),
        "test_flows": known.echo["test_flows"],
        "available_bps": available,
        "capacity_bps": capacity,
        "resolved": _echo(scenario, engine, known.echo, available, capacity, cross.load)
        | _echoed_traffic(measured),
        **measured,
    }
    if layout.paths:
        meta["paths"] = [
            {"queues": list(queues), "flows": count}
            for queues, count in Counter(map(tuple, layout.paths)).items()
        ]
    return Resolved(engine, schedule, meta, (text, run_id))


def _seed(scenario: Scenario, seed: str | int) -> str:
    try:
        return parse_seed(seed)
    except ValueError as error:
        raise InputError(scenario.name, "seed", seed, str(error)) from None


def _schedule(
    scenario: Scenario, layout: topology.Layout, seed: str, capacity: int, trace: Trace | None
) -> Schedule:
    """Available bandwidth per test flow: the environment, or the bottleneck's capacity in equal shares."""
    if layout.available_bps is not None:
        return Schedule.constant(layout.available_bps)
    count = max(crossed.test_flows for crossed in layout.crossed)
    if trace is not None:
        return Schedule.constant(round(offered_bps(scenario, trace, scenario.bottleneck) / count))
    if scenario.environment is None:
        return rates_at_times(scenario, "bottleneck", scenario.bottleneck, capacity).shared(count)
    try:
        return schedule_of(
            scenario.environment,
            seed=seed,
            duration_ns=scenario.duration,
            capacity_bps=capacity,
            flows=count,
            directory=scenario.directory,
        )
    except InputError as error:
        raise error if error.where else error.located(scenario.name, "environment") from None


def _profiles(scenario: Scenario, links: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[int]]:
    """The distinct endpoint settings, and which of them each group has."""
    profiles: list[dict[str, Any]] = []
    of_group: list[int] = []
    for group in scenario.flows:
        profile = profile_of(scenario, links, group)
        if profile not in profiles:
            profiles.append(profile)
        of_group.append(profiles.index(profile))
    return profiles, of_group


def profile_of(
    scenario: Scenario, links: list[dict[str, Any]], group: FlowsBase | OverTcp | Caller
) -> dict[str, Any]:
    """The endpoint settings of a group."""
    common = {
        row["name"]: value for row in settings() if (value := getattr(scenario.tcp, row["name"])) is not None
    }
    marked = any(link.get("mark") for link in links) or any(marks(link["queue"]) for link in links)
    return {
        "controller": dict(group.control.engine),
        "recovery": group.recovery if group.control.takes_recovery else None,
        "packet_bytes": group.packet,
        "ack_bytes": group.ack,
        "send_jitter_ns": scenario.path.send_jitter,
        "tcp": engine_tcp(_tcp(scenario, group, common, marked=marked)),
    }


def _tcp(
    scenario: Scenario, group: FlowsBase | OverTcp | Caller, common: Mapping[str, Any], *, marked: bool
) -> dict[str, Any]:
    """What every setting is for a group, where something marks or nothing does."""
    everybody = {**common, "ecn": ecn.shared(common["ecn"], group.control)}
    values = layered(everybody, _beside(scenario, group), group.tcp())
    return {**values, "ecn": ecn.decided(values["ecn"], group.control, marked=marked)}


def _beside(scenario: Scenario, group: FlowsBase | OverTcp | Caller) -> Mapping[str, Any]:
    """What replaces values of `[tcp]` for a group: nothing later means anything without a recovery, and some recoveries and controllers
    have defaults of their own where the scenario says nothing."""
    if group.control.is_endpoint:
        return unread_by_endpoints()
    if not group.control.takes_recovery:
        return implicit_defaults()
    return own_defaults(group.recovery, group.control.constructor, scenario.tcp.model_fields_set)


def _starts(scenario: Scenario, seed: str) -> list[int]:
    starts: list[int] = []
    for group in scenario.flows:
        starts += group.start.starts(seed, len(starts), group.count)
    return starts


def _flow(group: FlowsBase, flow: topology.Endpoint, route: topology.Route, profile: int) -> dict[str, Any]:
    """A flow as the engine has it, but for its start."""
    packets = None if group.bytes is None else -(-group.bytes // group.packet)
    return {
        "profile": profile,
        "test": not flow.reverse,
        "in_profile": group.in_profile,
        "forward": route[0],
        "reverse": route[1],
        "start_ns": 0,
        "stop_ns": group.stop,
        "packets": packets,
        **({"supply": group.supply.engine(group.packet)} if group.supply else {}),
    }


def _echoed_traffic(measured: dict[str, Any]) -> dict[str, Any]:
    """What was decided of each group of traffic; nothing where there is none."""
    return {"traffic": measured["traffic"]} if "traffic" in measured else {}


def _parameters(queue: dict[str, Any] | None) -> dict[str, Any]:
    """The numbers of a queue besides its size."""
    return {key: value for key, value in (queue or {}).items() if key not in ("kind", "packets", "bytes")}


def _echoed_link(link: dict[str, Any]) -> dict[str, Any]:
    """A link between the routers, as it was decided."""
    queue = link["queue"]
    return {
        "rate_bps": link["rate_bps"],
        "delay_ns": link["delay_ns"],
        "queue": queue["kind"] if queue else None,
        "queue_parameters": _parameters(queue),
        "buffer_packets": queue.get("packets") if queue else None,
        "buffer_bytes": queue.get("bytes") if queue else None,
        "drop": link["drop"],
        "mark": link["mark"],
        **{name: link[name] for name in WIRES if name in link},
    }


def _echo_of_all_seeds(
    scenario: Scenario,
    layout: topology.Layout,
    profiles: list[dict[str, Any]],
    flows: list[dict[str, Any]],
) -> dict[str, Any]:
    """What of `_echo` is no seed's; the rest stands there as None."""
    rows = []
    for flow, spec in zip(layout.flows, flows, strict=True):
        profile = profiles[spec["profile"]]
        rows.append(
            {
                "id": flow.flow,
                "group": flow.group,
                "test": spec["test"],
                "controller": profile["controller"],
                "recovery": profile["recovery"],
                "profile": spec["profile"],
                "rtt_ns": flow.rtt_ns,
                "start_ns": None,
                "stop_ns": spec["stop_ns"],
                "packets": spec["packets"],
                **({"supply": spec["supply"]} if "supply" in spec else {}),
            }
        )
    return {
        "seed": None,
        "duration_ns": scenario.duration,
        "warmup_ns": scenario.warmup,
        "bottleneck": None,
        "reverse": None,
        "topology": scenario.topology.model_dump(mode="json", exclude_none=True),
        "access": {"rate_bps": scenario.path.access_rate, **impairments(scenario.path)},
        "environment": scenario.environment.text() if scenario.environment else None,
        "cross_load": None,
        "available_bps": None,
        "test_flows": scenario.test_flows,
        "profiles": None,
        "flows": rows,
        "record": None,
    }


def _echo(
    scenario: Scenario,
    engine: dict[str, Any],
    known: dict[str, Any],
    available: float,
    capacity: int,
    cross_load: float | None,
) -> dict[str, Any]:
    """Every number as decided, under names that carry their unit; what no seed decides is `known`."""
    middle = [_echoed_link(link) for link in engine["links"][:2]]
    middle[0] |= {"trace": scenario.bottleneck.trace, "capacity_bps": capacity}
    if scenario.reverse.trace is not None:
        middle[1] |= {"trace": scenario.reverse.trace}
    return {
        **known,
        "seed": engine["seed"],
        "bottleneck": middle[0],
        "reverse": middle[1],
        "cross_load": cross_load,
        "available_bps": available,
        "profiles": engine["profiles"],
        "flows": [
            {**row, "start_ns": flow["start_ns"]}
            for row, flow in zip(known["flows"], engine["flows"], strict=False)
        ],
        "record": engine["record"],
    }

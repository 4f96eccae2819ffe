"""From a scenario and a seed to the engine's plain data, and to what the metrics need to know beside it.

Everything the user left open is decided here, everything random that is not inside the engine is drawn here (starts
and environments, from the engine's named streams), and the result is canonical: the same scenario and seed give
the same dictionary. The cross traffic that makes an environment is decided in `cross_traffic`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from sawtooth import equal_rate, topology
from sawtooth.cross_traffic import cross_traffic
from sawtooth.engine_check import check
from sawtooth.environments import schedule_of
from sawtooth.errors import MISSING, InputError
from sawtooth.fields import parse_seed
from sawtooth.plain import canonical
from sawtooth.queue_value import Queue
from sawtooth.scenario import Bottleneck, Scenario
from sawtooth.schedule import Schedule
from sawtooth.tcp_fields import engine_tcp, settings
from sawtooth.trace import SHIPPED, Trace, parse_trace, read_trace, shipped_text
from sawtooth.units import Buffer

SHAPES: Final = {"dumbbell": topology, "equal-rate": equal_rate}


@dataclass(frozen=True)
class Resolved:
    """One run, ready for the engine. `engine` is the engine's scenario, `meta` what metrics and reports need."""

    engine: dict[str, Any]
    schedule: Schedule
    """Available bandwidth per test flow."""
    meta: dict[str, Any]

    @property
    def engine_json(self) -> str:
        """`engine` as canonical JSON: keys sorted, no spaces."""
        return canonical(self.engine)

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


def resolve(scenario: Scenario, seed: str | int | None = None) -> Resolved:
    """Decide and draw everything; `seed` None takes the scenario's own. Raises InputError."""
    chosen = scenario.seed if seed is None else _seed(scenario, seed)
    flows = topology.endpoints(scenario)
    trace = _trace(scenario)
    capacity = _capacity(scenario.bottleneck, trace)
    bottleneck = _bottleneck(scenario, trace, capacity, flows)
    reverse = _reverse(scenario, bottleneck, flows)
    shape = SHAPES[scenario.topology.kind]
    links = shape.links(scenario, bottleneck, reverse, flows)
    cross = cross_traffic(scenario, _schedule(scenario, chosen, capacity, trace), capacity)
    schedule = cross.available
    profiles, profile_of_group = _profiles(scenario, links)
    starts = _starts(scenario, chosen)
    engine = {
        "seed": chosen,
        "duration_ns": scenario.duration,
        "warmup_ns": scenario.warmup,
        "links": links,
        "profiles": profiles,
        "flows": [_flow(scenario, flow, profile_of_group[flow.group], starts[flow.flow]) for flow in flows],
        "sources": cross.sources,
        "record": {
            "windows": scenario.record.windows,
            "sample_ns": scenario.record.sample,
            "rates_ns": scenario.record.rates,
            **({"congestion": True} if scenario.record.congestion else {}),
        },
    }
    check(scenario, engine, profile_of_group, flows)
    available = schedule.time_mean(scenario.warmup, scenario.duration)
    if available <= 0:
        key = "environment" if scenario.environment else "bottleneck.trace"
        raise InputError(scenario.name, key, MISSING, "some available bandwidth between warmup and duration")
    meta = {
        "name": scenario.name,
        "seed": chosen,
        "schedule": schedule.to_dict(),
        "test_flows": scenario.test_flows,
        "available_bps": available,
        "capacity_bps": capacity,
        "resolved": _echo(scenario, engine, flows, available, capacity, cross.load),
    }
    return Resolved(engine, schedule, meta)


def _seed(scenario: Scenario, seed: str | int) -> str:
    try:
        return parse_seed(seed)
    except ValueError as error:
        raise InputError(scenario.name, "seed", seed, str(error)) from None


def _trace(scenario: Scenario) -> Trace | None:
    """The trace of the bottleneck: a file beside the scenario, or one of the package."""
    name = scenario.bottleneck.trace
    if name is None:
        return None
    path = scenario.directory / name
    if path.is_file():
        return read_trace(path)
    if name in SHIPPED:
        return parse_trace(shipped_text(name), name)
    accepted = f"a trace file (there is none at {path}), or a shipped trace: {', '.join(SHIPPED)}"
    raise InputError(scenario.name, "bottleneck.trace", name, accepted)


def _capacity(bottleneck: Bottleneck, trace: Trace | None) -> int:
    """Rate of the bottleneck, of a trace its mean, in bit/s."""
    if trace is not None:
        return trace.mean_bps
    assert bottleneck.rate is not None, "the scenario has a rate or a trace"
    return bottleneck.rate


def _bottleneck(
    scenario: Scenario, trace: Trace | None, capacity: int, flows: list[topology.Endpoint]
) -> dict[str, Any]:
    table = scenario.bottleneck
    link: dict[str, Any] = {"name": "bottleneck"}
    if trace is None:
        link["rate_bps"] = capacity
    else:
        link["rate_bps"] = None
        link["trace_ms"] = list(trace.times_ms)
        link["trace_once"] = table.trace_once
    link["delay_ns"] = table.delay if table.delay is not None else topology.default_delay(flows)
    link["queue"] = _queue(scenario, table.queue, table.buffer, capacity)
    link["drop"] = dict(table.drop.engine) if table.drop else None
    link["mark"] = dict(table.mark.engine) if table.mark else None
    return link


def _reverse(
    scenario: Scenario, bottleneck: dict[str, Any], flows: list[topology.Endpoint]
) -> dict[str, Any]:
    table = scenario.reverse
    rate = table.rate or bottleneck["rate_bps"] or scenario.path.access_rate
    queued = table.queue is not None or table.buffer is not None or any(flow.reverse for flow in flows)
    queue = None
    if queued:
        discipline = table.queue or Queue("droptail", {})
        queue = _queue(scenario, discipline, table.buffer or scenario.bottleneck.buffer, rate)
    return {
        "name": "reverse",
        "rate_bps": rate,
        "delay_ns": table.delay if table.delay is not None else bottleneck["delay_ns"],
        "queue": queue,
        "drop": dict(table.drop.engine) if table.drop else None,
        "mark": dict(table.mark.engine) if table.mark else None,
    }


def _queue(scenario: Scenario, queue: Queue, size: Buffer, rate_bps: int) -> dict[str, Any]:
    """A queue for the engine; BDP and time count packets of the first group."""
    rtt = topology.base_rtt(scenario)
    packets = size.packets(rate_bps=rate_bps, rtt_ns=rtt, packet_bytes=scenario.flows[0].packet)
    limit = {"bytes": int(size.amount)} if packets is None else {"packets": packets}
    return {"kind": queue.kind, **limit, **queue.parameters}


def _schedule(scenario: Scenario, seed: str, capacity: int, trace: Trace | None) -> Schedule:
    """Available bandwidth per test flow: the environment, or the bottleneck's capacity in equal shares."""
    count = scenario.test_flows
    if trace is not None:
        once = scenario.bottleneck.trace_once
        return Schedule.constant(
            round(trace.available_bps(scenario.warmup, scenario.duration, once=once) / count)
        )
    if scenario.environment is None:
        return Schedule.constant(round(capacity / count))
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
    common = {
        row["name"]: value for row in settings() if (value := getattr(scenario.tcp, row["name"])) is not None
    }
    marked = any(link["mark"] for link in links) or any(_marks(link["queue"]) for link in links)
    profiles: list[dict[str, Any]] = []
    of_group: list[int] = []
    for group in scenario.flows:
        tcp = engine_tcp({"ecn": marked, **common, **group.tcp()})
        profile = {
            "controller": dict(group.control.engine),
            "recovery": None if group.control.rate_based else group.recovery,
            "packet_bytes": group.packet,
            "ack_bytes": group.ack,
            "send_jitter_ns": scenario.path.send_jitter,
            "tcp": tcp,
        }
        if profile not in profiles:
            profiles.append(profile)
        of_group.append(profiles.index(profile))
    return profiles, of_group


def _marks(queue: dict[str, Any] | None) -> bool:
    """Whether a queue marks packets: disciplines that can have a parameter `ecn`."""
    return queue is not None and bool(queue.get("ecn", False))


def _starts(scenario: Scenario, seed: str) -> list[int]:
    starts: list[int] = []
    for group in scenario.flows:
        starts += group.start.starts(seed, len(starts), group.count)
    return starts


def _flow(scenario: Scenario, flow: topology.Endpoint, profile: int, start_ns: int) -> dict[str, Any]:
    group, shape = scenario.flows[flow.group], SHAPES[scenario.topology.kind]
    forward, reverse = shape.route(scenario, flow)
    packets = None if group.bytes is None else -(-group.bytes // group.packet)
    return {
        "profile": profile,
        "test": not flow.reverse,
        "in_profile": group.in_profile,
        "forward": forward,
        "reverse": reverse,
        "start_ns": start_ns,
        "stop_ns": group.stop,
        "packets": packets,
    }


def _parameters(queue: dict[str, Any] | None) -> dict[str, Any]:
    """The numbers of a queue besides its size."""
    return {key: value for key, value in (queue or {}).items() if key not in ("kind", "packets", "bytes")}


def _echo(
    scenario: Scenario,
    engine: dict[str, Any],
    flows: list[topology.Endpoint],
    available: float,
    capacity: int,
    cross_load: float | None,
) -> dict[str, Any]:
    """Every number as decided, under names that carry their unit."""
    middle = []
    for link in engine["links"][:2]:
        queue = link["queue"]
        middle.append(
            {
                "rate_bps": link["rate_bps"],
                "delay_ns": link["delay_ns"],
                "queue": queue["kind"] if queue else None,
                "queue_parameters": _parameters(queue),
                "buffer_packets": queue.get("packets") if queue else None,
                "buffer_bytes": queue.get("bytes") if queue else None,
                "drop": link["drop"],
                "mark": link["mark"],
            }
        )
    middle[0] |= {"trace": scenario.bottleneck.trace, "capacity_bps": capacity}
    rows = []
    for flow, spec in zip(flows, engine["flows"], strict=True):
        profile = engine["profiles"][spec["profile"]]
        rows.append(
            {
                "id": flow.flow,
                "group": flow.group,
                "test": spec["test"],
                "controller": profile["controller"],
                "recovery": profile["recovery"],
                "profile": spec["profile"],
                "rtt_ns": flow.rtt_ns,
                "start_ns": spec["start_ns"],
                "stop_ns": spec["stop_ns"],
                "packets": spec["packets"],
            }
        )
    return {
        "seed": engine["seed"],
        "duration_ns": engine["duration_ns"],
        "warmup_ns": engine["warmup_ns"],
        "bottleneck": middle[0],
        "reverse": middle[1],
        "access": {
            "rate_bps": scenario.path.access_rate,
            "drop": engine["links"][2]["drop"],
            "mark": engine["links"][2]["mark"],
        },
        "environment": scenario.environment.text() if scenario.environment else None,
        "cross_load": cross_load,
        "available_bps": available,
        "test_flows": scenario.test_flows,
        "profiles": engine["profiles"],
        "flows": rows,
        "record": engine["record"],
    }

"""Scenario files: the models of the user's TOML, its units turned into integers, its mistakes into `InputError`s.

A scenario plus a seed fully describes one run; `resolve` turns it into the engine's plain data. Keys, units and
meanings are those of the design page; the keys of `[tcp]`, of `[record]` and of the controllers come from the engine's own
description, so they stand in one place. `sawtooth run --schema` prints `json_schema()`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from pydantic import Field, PrivateAttr, ValidationError, create_model, model_validator

from sawtooth.errors import MISSING, InputError
from sawtooth.scenario import units
from sawtooth.scenario.environments import Environment, ShortFlows
from sawtooth.scenario.fields import (
    BufferSize,
    DefaultsAsWritten,
    JsonSchema,
    PacketSize,
    Parsed,
    PositiveRate,
    PositiveSize,
    PositiveTime,
    Real,
    Recovery,
    Rtt,
    Seed,
    Strict,
    Time,
    input_error,
)
from sawtooth.scenario.fitting_recovery import fitting, needs_records, refitted, shared
from sawtooth.scenario.free_network import Link, Name, Node, Source, check_network
from sawtooth.scenario.on import On
from sawtooth.scenario.overrides import apply_overrides, parse_override
from sawtooth.scenario.queue_value import Queue, apart
from sawtooth.scenario.record_fields import record_fields
from sawtooth.scenario.schedule import read_text
from sawtooth.scenario.shapes import Dumbbell, Free, Topology, TwoRouter
from sawtooth.scenario.tcp_fields import (
    BESIDE_A_STACK,
    ENDPOINT,
    FORMER,
    NO_RECOVERY,
    NOBODY,
    STACKS,
    settings,
    tcp_fields,
)
from sawtooth.scenario.toml_text import parse_toml
from sawtooth.scenario.traffic_fields import Group, Media, Udp
from sawtooth.scenario.transmitters import Traced
from sawtooth.scenario.values import Control, Impairment, Start, Supply
from sawtooth.scenario.wires import Impaired

STAND_IN = "1 bit/s"
"""Rate of the bottleneck of a free topology until its links are read."""

FLOWS_MAX = 100_000
"""Most flows of one group."""


class Bottleneck(Traced):
    """The link R1 → R2 that all flows share, and the queue in front of it."""

    delay: Time | None = None
    """One-way propagation delay. Default: a quarter of the shortest RTT."""
    buffer: BufferSize = units.parse_buffer("1 bdp")
    """Size of the queue: a multiple of rate × mean RTT, packets, time or bytes. Default: 1 bdp, or the discipline's own."""
    queue: Queue = Queue("droptail", {})
    """The queue discipline. Default: drop-tail, as in a router without active queue management."""
    drop: Impairment | None = None
    """Packets lost on arrival, whatever the queue does."""
    mark: Impairment | None = None
    """ECN-capable packets marked on arrival, whatever the queue does."""

    @model_validator(mode="after")
    def _own_buffer(self) -> Self:
        if "buffer" not in self.model_fields_set:
            self.__dict__["buffer"] = self.queue.buffer
        return self

    @model_validator(mode="after")
    def _transmitter(self) -> Self:
        if self.rate is None and self.trace is None:
            raise InputError("", "rate", MISSING, f"{units.RATE_ACCEPTED}, or a trace")
        return self


class Reverse(Traced):
    """The link R2 → R1 that acknowledgements cross."""

    rate: PositiveRate | None = None
    """Transmission rate; or give trace. Default: that of the bottleneck; that of the access links if the bottleneck is a trace."""
    delay: Time | None = None
    """One-way propagation delay. Default: that of the bottleneck."""
    buffer: BufferSize | None = None
    """Size of the queue. Default: no queue; if there is one, that of the bottleneck or the discipline's own."""
    queue: Queue | None = None
    """The queue discipline. Default: none, or drop-tail if data flows in reverse, or a buffer, a trace or what needs a queue is given."""
    drop: Impairment | None = None
    """Packets lost on arrival."""
    mark: Impairment | None = None
    """ECN-capable packets marked on arrival."""

    @property
    def is_queued(self) -> bool:
        """Whether something is given that needs a queue."""
        given = (self.queue, self.buffer, self.aggregate, self.trace, self.shaper, self.ack_filter)
        return any(key is not None for key in given) or self.device_queue > 0


class PathTable(Impaired):
    """What lies between the endpoints and the bottleneck."""

    rtt: Rtt = 120_000_000
    """Propagation round-trip time of every flow, or a list with one value per test flow without its own.
    Default: that of [Akella02] §3.2."""
    rtt_spread: Real = 0.0
    """Each RTT that is not from a list is spread: the flows take evenly spaced values within ± this fraction."""
    access_rate: PositiveRate = 1_000_000_000
    """Rate of every access link. Default: ours, fast enough to be no bottleneck."""
    send_jitter: Time = 0
    """Each data packet leaves up to this much later, uniformly, order kept."""
    drop: Impairment | None = None
    """Data packets lost on each access link."""
    mark: Impairment | None = None
    """ECN-capable data packets marked on each access link."""

    @model_validator(mode="after")
    def _spread(self) -> Self:
        if not 0 <= self.rtt_spread < 1:
            raise InputError("", "rtt_spread", self.rtt_spread, "a fraction from 0 to below 1")
        if self.rtt_spread and isinstance(self.rtt, tuple):
            raise InputError(
                "", "rtt_spread", self.rtt_spread, "no spread beside a list of RTTs, which are exact"
            )
        return self


class FlowsBase(Strict):
    """A group of identical flows. Flows are numbered in the order of the groups."""

    former_keys: ClassVar[Mapping[str, str]] = FORMER

    count: Annotated[int, Field(ge=1, le=FLOWS_MAX)] = 1
    """How many flows."""
    control: Control
    """The congestion controller."""
    recovery: Recovery = "sack"
    """The loss recovery; rate-based controllers take none, since they send nothing twice, and endpoints of plug-ins have their own.
    Default beside a controller that must know what became of each packet, such as bbr: rack."""
    packet: PacketSize = 1000
    """A data packet on the wire. Default: that of ns-2."""
    ack: PacketSize = 40
    """An acknowledgement, and a SYN, on the wire. Default: that of ns-2, the headers of IP and TCP."""
    start: Start = Start(highest_ns=1_000_000_000)
    """When the flows start. Default: ours, within a second, so that no two start together."""
    stop: PositiveTime | None = None
    """When the senders stop. Default: never."""
    bytes: PositiveSize | None = None
    """How much data each flow sends, rounded up to whole packets. Default: no limit."""
    supply: Supply | None = None
    """How much data the application makes available, and how long after the start of each flow. Default: all of it at the start."""
    reverse: bool = False
    """Data crosses the reverse link, against the test flows; the group does not count as test flows."""
    in_profile: bool = False
    """Packets and acknowledgements of these flows are in profile: a rio queue neither drops nor marks them."""
    rtt: Rtt | None = None
    """Propagation round-trip time of this group, or one per flow. Default: that of the path."""
    route: Annotated[list[Name], Field(min_length=2)] | None = None
    """Nodes that the data crosses, in a free topology. Between two nodes that are not neighbours it takes the shortest path."""

    @model_validator(mode="before")
    @classmethod
    def _fitting(cls, data: object) -> object:
        """The controller decides where nobody names a recovery."""
        if isinstance(data, Mapping) and "recovery" not in data and needs_records(data.get("control")):
            return {**data, "recovery": fitting(data["control"])}
        return data

    @model_validator(mode="after")
    def _lengths(self) -> Self:
        per_flow = f"a list with one value per flow, {self.count}"
        if isinstance(self.rtt, tuple) and len(self.rtt) != self.count:
            raise InputError("", "rtt", [*map(units.format_time, self.rtt)], per_flow)
        if self.start.times and self.start.every_ns is None and len(self.start.times) != self.count:
            raise InputError("", "start", self.start.text(), per_flow)
        if self.supply is not None and self.bytes is not None:
            raise InputError(
                "",
                "bytes",
                units.format_size(self.bytes),
                "no bytes beside supply, whose sum says how much a flow carries",
            )
        if self.stop is not None and self.stop <= self.start.latest(self.count):
            latest = units.format_time(self.start.latest(self.count))
            raise InputError(
                "", "stop", units.format_time(self.stop), f"a time after the last start, {latest}"
            )
        return self

    @model_validator(mode="after")
    def _own_transport(self) -> Self:
        if self.control.takes_recovery:
            return self
        given = self.model_fields_set
        whole = self.control.is_endpoint
        reader = ENDPOINT if whole else NOBODY
        unread = {row["name"] for row in settings() if reader not in row["read_by"]}
        refused = [*(() if whole else ("bytes", "supply")), *sorted(unread & set(self.tcp()))]
        if not (whole and self.recovery == STACKS):
            refused.insert(0, "recovery")
        for name in refused:
            if name in given and getattr(self, name) is not None:
                accepted = (
                    f"no {name} beside a rate-based controller, which has no window and sends nothing twice"
                )
                if whole:
                    accepted = NO_RECOVERY if name == "recovery" else f"no {name} {BESIDE_A_STACK}"
                value = getattr(self, name)
                raise InputError("", name, value.text() if isinstance(value, Parsed) else value, accepted)
        return self

    def tcp(self) -> dict[str, Any]:
        """The TCP settings this group overrides."""
        own = set(self.model_fields_set) - set(FlowsBase.model_fields)
        return {name: getattr(self, name) for name in sorted(own) if getattr(self, name) is not None}


class TcpBase(Strict):
    """TCP settings of every flow."""

    former_keys: ClassVar[Mapping[str, str]] = FORMER


if TYPE_CHECKING:
    Flows = FlowsBase
    Tcp = Strict

    class Record(Strict):
        def __getattr__(self, key: str) -> Any: ...
else:
    Tcp = create_model("Tcp", __base__=TcpBase, __doc__=TcpBase.__doc__, **tcp_fields())
    Flows = create_model(
        "Flows", __base__=FlowsBase, __doc__=FlowsBase.__doc__, **tcp_fields(overriding="tcp")
    )
    Record = create_model(
        "Record", __base__=Strict, __doc__="Time series to keep beside the counters.", **record_fields()
    )


class Scenario(Strict):
    """One run, up to its seed, as the user describes it: times in ns, rates in bit/s, sizes in bytes."""

    duration: PositiveTime = 60_000_000_000
    """Simulated time. Default: ours, hundreds of round trips of most paths."""
    warmup: Time = 5_000_000_000
    """Metrics and counters begin here. Default: ours, when slow start is over on most paths."""
    seed: Seed = "1"
    """Seed of every random stream; `--seed` replaces it."""
    bottleneck: Bottleneck
    """The shared link; a free topology has its first link with a queue in its place."""
    reverse: Reverse = Reverse()
    """The link back."""
    path: PathTable = PathTable()
    """RTTs and access links."""
    topology: Topology = Dumbbell(kind=Dumbbell.name)
    """The shape of the network."""
    tcp: Tcp = Tcp()
    """TCP settings of every flow."""
    environment: Environment | None = None
    """How available bandwidth changes. Default: no cross traffic."""
    flows: Annotated[list[Flows], Field(min_length=1)]
    """Groups of flows, `[[flows]]`."""
    traffic: list[Group] = Field(default_factory=list)
    """What else uses the path, `[[traffic]]`; metrics count test flows alone."""
    nodes: list[Node] = Field(default_factory=list)
    """Nodes of a free topology, `[[nodes]]`. Default: those that links join."""
    links: list[Link] = Field(default_factory=list)
    """Links of a free topology, `[[links]]`."""
    sources: list[Source] = Field(default_factory=list)
    """Sources of constant bit rate in a free topology, `[[sources]]`."""
    on: list[On] = Field(default_factory=list)
    """What changes during the run, at times or upon states of controllers, `[[on]]`."""
    record: Record = Record()
    """Time series to keep."""

    _name: str = PrivateAttr(default="scenario")
    _directory: Path = PrivateAttr(default=Path())
    _data: dict[str, Any] = PrivateAttr(default_factory=dict)
    _chosen: tuple[str, ...] = PrivateAttr(default=())

    def __repr__(self) -> str:
        from sawtooth.plurals import number_of

        lasts = units.format_time(self.duration)
        flows = number_of(sum(group.count for group in self.flows), "flow")
        traffic = [number_of(len(self.traffic), "group") + " of traffic"] if self.traffic else []
        return f"<Scenario {Path(self.name).name}: {', '.join([flows, *traffic, lasts, f'seed {self.seed}'])}: .data has its tables>"

    @property
    def chosen(self) -> tuple[str, ...]:
        """What was chosen so that replaced values go with the rest, a sentence each."""
        return self._chosen

    @property
    def has_states(self) -> bool:
        """Whether a queue of its tables has a state that can be recorded."""
        queues = [self.bottleneck.queue, self.reverse.queue, *(link.queue for link in self.links)]
        return any(queue is not None and queue.has_state for queue in queues)

    @property
    def has_phases(self) -> bool:
        """Whether a sender has phases that can be recorded: one of TCP or QUIC, of the flows or of the traffic."""
        return any(group.control.takes_recovery for group in self.flows) or bool(self.traffic)

    @property
    def has_streams(self) -> bool:
        """Whether frames or packets of its traffic are watched one by one."""
        return any(isinstance(group, (Media, Udp)) for group in self.traffic)

    @property
    def name(self) -> str:
        """The file it came from; stands in front of errors."""
        return self._name

    @property
    def directory(self) -> Path:
        """Other files that it names are relative to this."""
        return self._directory

    @property
    def data(self) -> dict[str, Any]:
        """The plain tables as the user wrote them."""
        return self._data

    @property
    def test_flows(self) -> int:
        """Number of flows that the metrics count."""
        return sum(group.count for group in self.flows if not group.reverse)

    @model_validator(mode="before")
    @classmethod
    def _free(cls, data: object) -> object:
        """A free topology has a link in place of `[bottleneck]`."""
        if isinstance(data, Mapping) and "bottleneck" not in data and _kind(data) == Free.name:
            return {**data, "bottleneck": {"rate": STAND_IN}}
        return data

    @model_validator(mode="after")
    def _shape(self) -> Self:
        if not isinstance(self.topology, Free):
            for key in ("nodes", "links", "sources"):
                if getattr(self, key):
                    raise InputError("", key, MISSING, f'no such key unless topology.kind is "{Free.name}"')
            for index, group in enumerate(self.flows):
                if group.route is not None:
                    accepted = f'no such key unless topology.kind is "{Free.name}"'
                    raise InputError("", f"flows[{index}].route", group.route, accepted)
            for index, traffic in enumerate(self.traffic):
                if traffic.route is not None:
                    accepted = f'no such key unless topology.kind is "{Free.name}"'
                    raise InputError("", f"traffic[{index}].route", traffic.route, accepted)
            return self
        self._check_free()
        first = next(link for link in self.links if link.has_queue)
        own = {"rate": first.rate, "delay": first.delay, "buffer": first.size, "queue": first.queue}
        values: dict[str, Any] = {name: value for name, value in own.items() if value is not None}
        if first.trace is not None:
            values |= {"rate": None, "trace": first.trace, "trace_once": first.trace_once}
        self.__dict__["bottleneck"] = self.bottleneck.model_copy(update=values)
        return self

    def _check_free(self) -> None:
        unused = 'no such key where topology.kind is "free": its links say it'
        if self.bottleneck != Bottleneck(rate=STAND_IN):  # type: ignore[arg-type]
            raise InputError("", "bottleneck", MISSING, unused)
        if self.environment is not None:
            raise InputError("", "environment", self.environment.text(), f"{unused} and sources")
        for key in ("rtt", "rtt_spread"):
            if key in self.path.model_fields_set:
                raise InputError("", f"path.{key}", MISSING, unused)
        if "reverse" in self.model_fields_set:
            raise InputError("", "reverse", MISSING, unused)
        said = [(f"flows[{index}]", flows.rtt, flows.reverse) for index, flows in enumerate(self.flows)]
        said += [(f"traffic[{index}]", group.rtt, group.reverse) for index, group in enumerate(self.traffic)]
        for where, rtt, reverse in said:
            if rtt is not None or reverse:
                raise InputError("", f"{where}.{'rtt' if rtt is not None else 'reverse'}", MISSING, unused)
        check_network(self.nodes, self.links)

    @model_validator(mode="after")
    def _changes(self) -> Self:
        end = units.format_time(self.duration)
        for index, on in enumerate(self.on):
            if on.at is not None and on.at >= self.duration:
                accepted = f"a time before the end of the run, {end}"
                raise InputError("", f"on[{index}].at", units.format_time(on.at), accepted)
            if "bottleneck.rate" in on.changed.written and self.environment is not None:
                accepted = "no rate that changes beside an environment, which does that"
                value = on.changed.written["bottleneck.rate"]
                raise InputError("", f'on[{index}].set."bottleneck.rate"', value, accepted)
        return self

    @model_validator(mode="after")
    def _in_time(self) -> Self:
        """What begins after the end has no effect. A blackout that comes again is that of a path, however short a run of it may be."""
        end = units.format_time(self.duration)
        for index, source in enumerate(self.sources):
            if source.start >= self.duration:
                accepted = f"a time before the end of the run, {end}"
                raise InputError("", f"sources[{index}].start", units.format_time(source.start), accepted)
        tables: dict[str, Any] = {"bottleneck": self.bottleneck, "reverse": self.reverse, "path": self.path}
        for place, table in (
            tables | {f"links[{index}]": link for index, link in enumerate(self.links)}
        ).items():
            for key in ("drop", "mark", "loss"):
                given = getattr(table, key, None)
                if given is not None and given.never_before(self.duration):
                    accepted = f"a blackout that begins before the end of the run, {end}"
                    raise InputError("", f"{place}.{key}", given.text(), accepted)
        return self

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        end = units.format_time(self.duration)
        if self.warmup >= self.duration:
            accepted = f"a time before the end of the run, {end}"
            raise InputError("", "warmup", units.format_time(self.warmup), accepted)
        if self.test_flows == 0:
            raise InputError("", "flows", MISSING, "at least one group without reverse = true")
        if self.environment is not None and self.bottleneck.trace is not None:
            accepted = "no environment beside bottleneck.trace, which sets the bandwidth"
            raise InputError("", "environment", self.environment.text(), accepted)
        if self.environment is not None and not self.bottleneck.queue.keeps_flows_apart:
            given = self.environment.text()
            for key in ("cross_load", "cross_rate"):
                if key in given:
                    accepted = f"this key only where bottleneck.queue is {' or '.join(apart())}"
                    raise InputError("", f"environment.{key}", given[key], accepted)
        short = self.environment is not None and isinstance(self.environment.parameters, ShortFlows)
        if short and not isinstance(self.topology, (Dumbbell, TwoRouter)):
            accepted = f"{TwoRouter.name}, or no topology, with an environment of short flows"
            raise InputError("", "topology.kind", self.topology.name, accepted)
        if self.traffic and short:
            raise InputError("", "traffic", MISSING, "no traffic beside an environment of short flows")
        for index, traffic in enumerate(self.traffic):
            if traffic.start >= self.duration:
                accepted = f"a time before the end of the run, {end}"
                raise InputError("", f"traffic[{index}].start", units.format_time(traffic.start), accepted)
        for index, group in enumerate(self.flows):
            if group.start.latest(group.count) >= self.duration:
                accepted = f"starts before the end of the run, {end}"
                raise InputError("", f"flows[{index}].start", group.start.text(), accepted)
            for place, (after, _) in enumerate(group.supply.entries if group.supply else ()):
                if after >= self.duration:
                    key = f"flows[{index}].supply[{place}]"
                    raise InputError(
                        "", key, units.format_time(after), f"a time before the end of the run, {end}"
                    )
        following = sum(group.count for group in self.flows if not group.reverse and group.rtt is None)
        if isinstance(self.path.rtt, tuple) and len(self.path.rtt) != following:
            written = [units.format_time(rtt) for rtt in self.path.rtt]
            accepted = f"one value per test flow without its own rtt, {following} of them, not {len(written)}"
            raise InputError("", "path.rtt", written, accepted)
        return self


def _kind(tables: Mapping[str, Any]) -> object:
    table = tables.get("topology")
    return table.get("kind") if isinstance(table, Mapping) else table


def load_scenario(path: str | Path, values: Mapping[str, Any] | None = None) -> Scenario:
    """The scenario in a TOML file, with `values` put at dotted keys before it is checked; raises InputError.

    >>> import sawtooth as st
    >>> scenario = st.load_scenario("examples/one-flow.toml")
    >>> [group.control.text() for group in scenario.flows]
    ['aimd(1, 0.5)']
    >>> st.run(scenario, seed=2).run_id == st.run("examples/one-flow.toml", seed=2).run_id
    True
    """
    path = Path(path)
    return parse_scenario(read_text(path), str(path), path.parent, values)


def parse_scenario(
    data: str | Mapping[str, Any],
    name: str = "scenario",
    directory: str | Path | None = None,
    values: Mapping[str, Any] | None = None,
) -> Scenario:
    """The scenario in TOML text or plain tables, with `values` put at dotted keys before it is checked; `name` stands in errors, files are
    relative to `directory`."""
    tables = _of_case(parse_toml(data, name) if isinstance(data, str) else dict(data), name)
    said: Sequence[str] = ()
    if values:
        tables = apply_overrides(tables, values)
        said = refitted(tables, values)
    if tables.get("flows") in ([], None):
        raise InputError(name, "flows", tables.get("flows", MISSING), "at least one [[flows]] group")
    try:
        scenario = Scenario.model_validate(tables)
    except ValidationError as error:
        raise input_error(error, name) from None
    scenario._name = name
    scenario._directory = Path(directory) if directory is not None else Path()
    scenario._data = tables
    scenario._chosen = tuple(said)
    return scenario


def _of_case(tables: dict[str, Any], name: str) -> dict[str, Any]:
    """The scenario of a file that says more than one (`[scenario]`), such as a case with what it expects; other tables as they are."""
    inner = tables.get("scenario")
    if "flows" in tables or not isinstance(inner, Mapping):
        return tables
    if not inner.get("flows"):
        accepted = "at least one [[scenario.flows]] group; a study is run by `sawtooth reproduce`"
        raise InputError(name, "scenario.flows", inner.get("flows", MISSING), accepted)
    return dict(inner)


def with_overrides(scenario: Scenario, overrides: list[str]) -> Scenario:
    """`scenario` with `KEY=VALUE` texts applied (`bottleneck.rate=10 Mbit/s`); see `overrides` for the keys."""
    return with_values(scenario, dict(parse_override(text) for text in overrides))


def with_values(scenario: Scenario, values: Mapping[str, Any]) -> Scenario:
    """`scenario` with values put at dotted keys (`flows[0].control`), checked again as a whole."""
    changed = parse_scenario(scenario.data, scenario.name, scenario.directory, values)
    changed._chosen = tuple(dict.fromkeys([*scenario.chosen, *changed.chosen]))
    return changed


def with_shared_recovery(
    scenario: Scenario, over: Mapping[str, Sequence[Any]], given: Iterable[str]
) -> Scenario:
    """`scenario` with a recovery that all controllers among the values of a sweep take; ``given`` are the keys that it sets or varies."""
    keys, sentence = shared(scenario.flows, over, given)
    if not keys:
        return scenario
    changed = with_values(scenario, keys)
    changed._chosen = (*scenario.chosen, sentence)
    return changed


def json_schema() -> JsonSchema:
    """JSON Schema of scenario files, with every default in the spelling of the file."""
    schema = Scenario.model_json_schema(mode="validation", schema_generator=DefaultsAsWritten)
    schema["required"] = ["flows"]
    schema["anyOf"] = [{"required": ["bottleneck"]}, {"required": ["links"]}]
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    return schema

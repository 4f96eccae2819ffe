"""Keys that act on nothing: a scenario of the user's that writes one is refused, with where the key would act.

A key is used if another value of it could change what comes of a run. A key that acts on nothing may stand if it says what holds anyway: a
TCP setting at its default, a switch that is off, a spread of 0. So `tcp.sack_pipe = "rfc6675"` is refused where no flow has recovery sack.

Where values were replaced (`--set`) a key of the file must act before or after, and what was replaced after. Cells of a study share their
keys, and none of them is refused: `idle` says what acts in no cell.

Source: none. What the engine reads stands in its tables (`read_by`, `only_with`, `marking`). `crates/sim/tests/engine/knobs` holds these to
the truth; `tests/knobs` does so with the rules here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from sawtooth.errors import InputError
from sawtooth.scenario import ecn
from sawtooth.scenario.cross_flows import RULES
from sawtooth.scenario.crossings import MANY, Crossings
from sawtooth.scenario.described import describe
from sawtooth.scenario.queue_value import (
    holds_anyway,
    needs,
    of_l4s,
    of_marks,
    of_sharing,
    spares,
    sparing,
    with_state,
)
from sawtooth.scenario.scenario import FlowsBase, Scenario, parse_scenario
from sawtooth.scenario.shapes import Free, Ring, TwoRouter
from sawtooth.scenario.tcp_fields import (
    ENDPOINT,
    NOBODY,
    default_of,
    layered,
    own_defaults,
    settings,
    unmet,
)
from sawtooth.scenario.topology.middle import capacity_of, trace_of
from sawtooth.scenario.traffic_fields import Caller, Finite, Media, OverTcp
from sawtooth.scenario.transmitters import BESIDE
from sawtooth.scenario.wires import WIRES

SAME: Final = frozenset({"ack_every", "delayed_ack"})
"""Settings that say the same thing: a group that has the one does without the other of `[tcp]`."""
SWITCHES: Final = ("in_profile", "completions", "disciplines", "frames", "rtt_spread")
"""Keys that ask for something only when they are on, or above 0."""


def refuse_unused(scenario: Scenario, before: Scenario | None = None, replaced: Iterable[str] = ()) -> None:
    """Raise InputError for a key that acts on nothing; `before` is the scenario in which values at keys were `replaced`."""
    found = unused(scenario)
    if found and before is not None:
        earlier = _unused_keys(before)
        found = [error for error in found if _covers(replaced, error.key) or error.key in earlier]
    if found:
        first, *others = found
        also = ", ".join(dict.fromkeys(error.key or "" for error in others))
        hint = f"these act on nothing either: {also}" if also else None
        raise InputError(scenario.name, first.key, first.value, first.accepted, hint)


def unused(scenario: Scenario) -> list[InputError]:
    """Every key that the scenario's tables write and that acts on nothing in it, but for those that say what holds anyway. InputError if
    it has no network."""
    return [error for error in _without_effect(scenario) if not _holds_anyway(scenario, error)]


def _without_effect(scenario: Scenario) -> Iterator[InputError]:
    """Every key that no value would make act."""
    there = Crossings(scenario)
    for rule in (_settings, _groups, _path, _reverse, _record, _environment, _topology, _links, _nodes):
        yield from rule(there)


def _holds_anyway(scenario: Scenario, error: InputError) -> bool:
    """Whether the value of a key is what the scenario does without it: a switch that is off, a TCP setting at its default, the delay of the
    bottleneck on the way back."""
    table, _, name = (error.key or "").rpartition(".")
    if name in SWITCHES:
        return error.value in (False, 0)
    if error.key == "reverse.delay":
        return scenario.reverse.delay == scenario.bottleneck.delay
    row = next((row for row in settings() if row["name"] == name), None)
    group = re.fullmatch(r"flows\[(\d+)\]", table)
    if row is None or not (table == "tcp" or group):
        return False
    holder = scenario.flows[int(group[1])] if group else scenario.tcp
    value = getattr(holder, name)
    return bool(value == default_of(row)) or (name == "ecn" and _is_needed(value, holder))


def _is_needed(word: str, holder: Any) -> bool:
    """Whether a word of `ecn` says what holds where nothing marks: nothing, or what the controller of a group needs."""
    return word == ecn.OFF or (isinstance(holder, FlowsBase) and word == ecn.needed(holder.control))


def idle(cells: Iterable[Mapping[str, Any]], key: str) -> InputError | None:
    """Why a key that cells of a study share acts in none of them; None if it does in one, or none has it."""
    reason = None
    for tables in cells:
        written = places(tables, key)
        if not written:
            continue
        try:
            refused = [
                error for error in _without_effect(parse_scenario(tables)) if _covers([key], error.key)
            ]
        except InputError:
            return None  # which whoever runs it will be told
        if len(refused) < written:
            return None
        reason = refused[0]
    return reason


def places(tables: Mapping[str, Any], key: str) -> int:
    """At how many places a key stands in the tables: `flows.stop` in as many as groups have it."""
    table: Any = tables
    *path, name = (part.strip() for part in key.split("."))
    for index, part in enumerate(path):
        head, _, number = part.rstrip("]").partition("[")
        table = table.get(head) if isinstance(table, Mapping) else None
        if number and isinstance(table, list):
            table = table[int(number)]
        elif isinstance(table, list):
            return sum(places(each, ".".join([*path[index + 1 :], name])) for each in table)
    return int(isinstance(table, Mapping) and name.partition("[")[0] in table)


def _unused_keys(scenario: Scenario) -> set[str | None]:
    try:
        return {error.key for error in unused(scenario)}
    except InputError:
        return set()  # the replaced values were what made it a network


def _covers(replaced: Iterable[str], key: str | None) -> bool:
    """Whether a key is, or stands in a table of, one that was replaced; `flows.stop` means that of every group."""
    spelled = (key or "", re.sub(r"^flows\[\d+\]", "flows", key or ""))
    return any(re.match(rf"{re.escape(part)}(?![\w-])", text) for part in replaced for text in spelled)


def _table(tables: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """A table as the user wrote it; empty where it is left out or is only a name."""
    table = tables.get(name)
    return table if isinstance(table, Mapping) else {}


def _groups_as_written(there: Crossings) -> Iterator[tuple[int, FlowsBase, Mapping[str, Any]]]:
    written = there.scenario.data.get("flows", ())
    for index, (group, table) in enumerate(zip(there.scenario.flows, written, strict=False)):
        yield index, group, table


def _settings(there: Crossings) -> Iterator[InputError]:
    """`[tcp]`: every flow that has no value of its own, and the short flows."""
    scenario = there.scenario
    written = _table(scenario.data, "tcp")
    for row in settings():
        name = row["name"]
        if written.get(name) is None:
            continue
        same = SAME if name in SAME else {name}
        reasons = [
            _unread(there, row, i) for i, group in enumerate(scenario.flows) if not same & set(group.tcp())
        ]
        for traffic in scenario.traffic:
            if isinstance(traffic, OverTcp):
                reasons.append(_unread_by(there, row, traffic, traffic.recovery))
            elif isinstance(traffic, Media) and traffic.caller is not None:
                reasons.append(_unread_by(there, row, traffic.caller, NOBODY))
        if there.short_flows is not None and name != "ecn":  # theirs are not ECN-capable
            reasons.append(_unread_by(there, row, None, "sack"))
        if not reasons:
            accepted = "no such key where every group of flows has its own"
            yield InputError("", f"tcp.{name}", written[name], accepted)
        elif all(reasons):
            yield InputError("", f"tcp.{name}", written[name], f"this key only {reasons[0]}")


def _groups(there: Crossings) -> Iterator[InputError]:
    """`[[flows]]`: settings of the group's own, and whether its packets can be spared."""
    for index, group, table in _groups_as_written(there):
        for row in settings():
            value = table.get(row["name"])
            reason = None if value is None else _unread(there, row, index)
            if reason is not None:
                yield InputError("", f"flows[{index}].{row['name']}", value, f"this key only {reason}")
        if "in_profile" in table and not there.is_spared(index):
            accepted = f"this key only where a queue on the way is {' or '.join(sparing())}"
            yield InputError("", f"flows[{index}].in_profile", group.in_profile, accepted)


_MARKED = "where a queue or a link on the way of the data marks"


def _unread(there: Crossings, row: Mapping[str, Any], index: int) -> str | None:
    """Where a setting of a group would act; None if it does."""
    group = there.scenario.flows[index]
    reader = group.recovery
    if not group.control.takes_recovery:
        reader = ENDPOINT if group.control.is_endpoint else NOBODY
    reason = _unread_by(there, row, group, reader)
    if reason is None and row["name"] == "ecn" and not there.is_marked(index):
        word = _values(there, group)["ecn"]
        refused = ecn.needed(group.control) in ecn.COUNTED and word not in ecn.COUNTED
        return None if refused else _MARKED  # what is refused anywhere is told by the engine
    return reason


def _unread_by(
    there: Crossings, row: Mapping[str, Any], group: FlowsBase | OverTcp | Caller | None, reader: str
) -> str | None:
    """Where a setting of a group, or of short flows, would act if this recovery does not read it, or another setting is in its way."""
    if reader not in row["read_by"]:
        windows = {entry["name"] for entry in describe()["recoveries"]}
        if windows <= set(row["read_by"]):
            return "beside a controller with a window"
        return f"where recovery is {' or '.join(name for name in row['read_by'] if name in windows)}"
    if row["name"] == "delayed_ack" and _values(there, group).get("ack_every") is not None:
        return "where ack_every is left out"
    condition = unmet(row["only_with"], _values(there, group)) if row["only_with"] else None
    return None if condition is None else f"where {condition}"


def _values(there: Crossings, group: FlowsBase | OverTcp | Caller | None) -> dict[str, Any]:
    """What every setting is for a group, or for short flows."""
    scenario = there.scenario
    shared = {row["name"]: getattr(scenario.tcp, row["name"]) for row in settings()}
    if shared["ack_every"] is None:
        del shared["ack_every"]
    values = {row["name"]: default_of(row) for row in settings()}
    if group is None:
        return layered(values, shared) | {"ecn": ecn.OFF}
    beside: Mapping[str, Any] = {}
    if group.control.takes_recovery:
        beside = own_defaults(group.recovery, group.control.constructor, scenario.tcp.model_fields_set)
    values = layered(values, shared, beside, group.tcp())
    return values | {"ecn": ecn.decided(values["ecn"], group.control, marked=there.something_marks)}


def _path(there: Crossings) -> Iterator[InputError]:
    """`[path]`: round trips that no flow takes, a spread over single flows."""
    scenario = there.scenario
    written = _table(scenario.data, "path")
    if isinstance(scenario.topology, Free):
        return  # which refuses them
    following = [group for group in scenario.flows if group.rtt is None]
    if "rtt" in written and not following and all(group.rtt is not None for group in scenario.traffic):
        yield InputError("", "path.rtt", written["rtt"], "no such key where every group of flows has its own")
    if "rtt_spread" not in written:
        return
    counts = [sum(group.count for group in following if group.reverse == back) for back in (False, True)]
    if isinstance(scenario.path.rtt, tuple):
        counts[0] = 0  # a list is exact
    counts += [group.count for group in scenario.flows if isinstance(group.rtt, int)]
    if max(counts) < MANY:
        accepted = "this key only where several flows share one rtt"
        yield InputError("", "path.rtt_spread", written["rtt_spread"], accepted)


def _record(there: Crossings) -> Iterator[InputError]:
    """`[record]`: what never happens."""
    written = _table(there.scenario.data, "record")
    if "completions" in written and there.short_flows is None:
        accepted = "this key only with an environment of short flows"
        if any(isinstance(group, Finite) for group in there.scenario.traffic):
            accepted = "no such key beside finite traffic, whose completions are recorded anyway"
        yield InputError("", "record.completions", written["completions"], accepted)
    if "model" in written and not any(group.control.has_model for group in there.scenario.flows):
        accepted = "this key only beside a controller with a model of its path, such as bbr"
        yield InputError("", "record.model", written["model"], accepted)
    if "senders" in written and not there.scenario.has_phases:
        accepted = "this key only beside a flow of TCP or QUIC, whose sender has phases"
        yield InputError("", "record.senders", written["senders"], accepted)
    if "frames" in written and not there.scenario.has_streams:
        accepted = "this key only beside traffic of kind media or udp"
        yield InputError("", "record.frames", written["frames"], accepted)
    if "disciplines" in written and not (there.scenario.has_states and there.scenario.record.sample):
        accepted = f"this key only beside sample, and where a queue is {' or '.join(with_state())}"
        yield InputError("", "record.disciplines", written["disciplines"], accepted)


def _environment(there: Crossings) -> Iterator[InputError]:
    """`[environment]`: of short flows, what their list or the queue leaves nothing to."""
    written = _table(there.scenario.data, "environment")
    parameters = there.short_flows
    if parameters is None:
        return
    listed = parameters.arrivals is not None
    changing = parameters.interarrival is not None and len(parameters.interarrival) > 1
    queue = there.scenario.bottleneck.queue
    rules = {
        "packets_mean": (not listed, "this key only beside interarrival, since arrivals lists the lengths"),
        "packets_shape": (not listed, "this key only beside interarrival, since arrivals lists the lengths"),
        "interval": (changing, "this key only beside a list of several times as interarrival"),
        "average_updates": (RULES.get(queue.kind) == "red", "this key only where bottleneck.queue is red"),
    }
    for name, (acts, accepted) in rules.items():
        if name in written and not acts:
            yield InputError("", f"environment.{name}", written[name], accepted)


def _topology(there: Crossings) -> Iterator[InputError]:
    """`[topology]` of two routers: a first router that nothing crosses."""
    scenario = there.scenario
    if not isinstance(scenario.topology, TwoRouter):
        return
    for name, value in _table(scenario.data, "topology").items():
        if name == "host_rate" and there.short_flows is None:
            yield InputError(
                "", "topology.host_rate", value, "this key only with an environment of short flows"
            )
        elif name != "kind" and scenario.environment is None:
            accepted = "this key only with an environment, whose cross traffic is all that crosses R0"
            yield InputError("", f"topology.{name}", value, accepted)
        elif name in ("buffer", "queue") and not _can_queue(there):
            accepted = "this key only where R0 can have more than it sends on: with short flows, or a rate below that of the bottleneck"
            yield InputError("", f"topology.{name}", value, accepted)


def _can_queue(there: Crossings) -> bool:
    """Whether anything ever waits at R0: one source of constant bit rate takes no more than the capacity of the bottleneck."""
    scenario, shape = there.scenario, there.scenario.topology
    assert isinstance(shape, TwoRouter), "only two routers have R0"
    slower = shape.rate is not None and shape.rate < capacity_of(scenario, trace_of(scenario))
    return there.short_flows is not None or scenario.bottleneck.queue.keeps_flows_apart or slower


def _reverse(there: Crossings) -> Iterator[InputError]:
    """`[reverse]`: a delay that the access links make up for."""
    scenario = there.scenario
    written = _table(scenario.data, "reverse")
    meets = there.has_reverse_data or there.short_flows is not None or isinstance(scenario.topology, Ring)
    if written.get("delay") is not None and not meets:
        accepted = "this key only where data flows in reverse: path.rtt says how long acknowledgements take"
        yield InputError("", "reverse.delay", written["delay"], accepted)


LINK_KEYS: Final = ("buffer", "queue", "drop", "mark", *BESIDE, *WIRES)
"""Keys of what stands before a link and of what it does to packets."""


def _links(there: Crossings) -> Iterator[InputError]:
    """Tables of links: a queue or impairment that nothing reaches, marks for nobody, parameters that others put out of force."""
    scenario = there.scenario
    tables: list[tuple[str, Mapping[str, Any]]] = [
        (name, _table(scenario.data, name)) for name in ("bottleneck", "reverse", "path")
    ]
    if isinstance(scenario.topology, TwoRouter):
        tables.append(("topology", _table(scenario.data, "topology")))
    written = scenario.data.get("links", ())
    tables += [(f"links[{index}]", table) for index, table in enumerate(written)]
    for name, table in tables:
        if not any(key in table for key in LINK_KEYS):
            continue
        links = there.of_table(name)
        crossed = any(there.links[link].queues for link in links)
        if not crossed and name.startswith("links"):
            accepted = "this key only on a link that a route crosses"
            for key in LINK_KEYS:
                if key in table:
                    yield InputError("", f"{name}.{key}", table[key], accepted)
        if crossed and table.get("mark") is not None and not there.markable(links):
            yield InputError("", f"{name}.mark", table["mark"], _CAPABLE)
        queued = [link for link in links if there.queues[link] is not None]
        if crossed and table.get("ack_filter") is not None and not there.is_acknowledged(queued):
            accepted = "this key only where acknowledgements of TCP or QUIC pass, which a filter can read"
            yield InputError("", f"{name}.ack_filter", table["ack_filter"], accepted)
        if crossed and isinstance(table.get("queue"), Mapping):
            yield from _queue(there, f"{name}.queue", links, table["queue"])


_CAPABLE = "this key only where ECN-capable data passes (tcp.ecn)"
_L4S = 'this key only where data with ECT(1) passes (tcp.ecn = "l4s", or a controller such as prague)'


def _queue(there: Crossings, key: str, links: list[int], table: Mapping[str, Any]) -> Iterator[InputError]:
    """The parameters of a queue that the user wrote, before links of one table."""
    queued = {link: queue for link in links if (queue := there.queues[link]) is not None}
    assert queued, "a table with a queue has it before its links"
    queue = next(iter(queued.values()))
    alone = max(there.links[link].queues for link in queued) < MANY
    for name, value in table.items():
        condition = needs(queue, name)
        if condition is not None:
            accepted = f"this key only where {condition}"
        elif of_marks(queue, name) and not there.markable(queued, spared=spares(queue)):
            accepted = _CAPABLE
        elif of_l4s(queue, name) and not there.is_l4s(queued):
            accepted = _L4S
        elif of_sharing(queue, name) and alone and not holds_anyway(queue, name, value):
            accepted = "this key only where several flows share the queue"
        else:
            continue
        yield InputError("", f"{key}.{name}", value, accepted)


def _nodes(there: Crossings) -> Iterator[InputError]:
    """`[[nodes]]`: one that no link joins."""
    joined = {node for link in there.scenario.links for node in (link.begin, link.end)}
    for index, node in enumerate(there.scenario.nodes):
        if node.name not in joined:
            accepted = f"a node that links join: {', '.join(sorted(joined))}"
            yield InputError("", f"nodes[{index}].name", node.name, accepted)

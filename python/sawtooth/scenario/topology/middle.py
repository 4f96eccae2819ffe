"""The links in the middle of a network, as the engine has them: bottlenecks, ways back, and the queues in front; and what they carry.

What a link carries while the run is measured is its rate, with the changes that `[[on]]` makes at given times, or its trace, and no more
than its token buckets let through. Changes upon states are not foreseen: what is available stays relative to the rates without them.
"""

from __future__ import annotations

from typing import Any, Final

from sawtooth.errors import InputError
from sawtooth.scenario.fields import parse_seed
from sawtooth.scenario.queue_value import Queue
from sawtooth.scenario.scenario import Scenario
from sawtooth.scenario.schedule import Schedule
from sawtooth.scenario.token_bucket import TokenBucket
from sawtooth.scenario.topology.base import Endpoint, base_rtt
from sawtooth.scenario.trace import SHIPPED, Trace, parse_trace, read_trace, shipped_text
from sawtooth.scenario.transmitters import Traced
from sawtooth.scenario.units import LARGEST, Buffer, format_time
from sawtooth.scenario.wires import impairments

DROP_TAIL = Queue.parse("drop-tail")
"""What stands before a link that has a buffer and names no discipline."""
OCCURRENCES_MAX: Final = 100_000
"""Most changes that one table with `every` makes."""


def trace_of(scenario: Scenario) -> Trace | None:
    """The trace of the bottleneck, if it has one. Raises InputError."""
    return named_trace(scenario, "bottleneck", scenario.bottleneck.trace)


def named_trace(scenario: Scenario, table: str, name: str | None) -> Trace | None:
    """The trace that a table names, if it does: a file beside the scenario, one of the package, or a generated one. Raises InputError."""
    if name is None:
        return None
    path = scenario.directory / name
    if path.is_file():
        return read_trace(path)
    if name in SHIPPED:
        return parse_trace(shipped_text(name), name)
    from sawtooth.scenario.drives import DRIVES, drive_of, generated  # few scenarios name one

    drive = drive_of(name)
    if drive is not None:
        name, seed = drive
        try:
            parse_seed(seed)
        except ValueError as error:
            raise InputError(scenario.name, f"{table}.trace", f"{name}({seed})", str(error)) from None
        return generated(name, seed)
    names = f"a shipped trace: {', '.join(SHIPPED)}, or a generated one: {', '.join(DRIVES)}"
    accepted = (
        f"a trace file (there is none at {path}), {names}, perhaps with a seed as in {next(iter(DRIVES))}(7)"
    )
    raise InputError(scenario.name, f"{table}.trace", name, accepted)


def rate_of(scenario: Scenario, trace: Trace | None) -> int:
    """Rate of the bottleneck, of a trace its mean, in bit/s."""
    if trace is not None:
        return trace.mean_bps
    assert scenario.bottleneck.rate is not None, "the scenario has a rate or a trace"
    return scenario.bottleneck.rate


def capacity_of(scenario: Scenario, trace: Trace | None) -> int:
    """What the bottleneck carries in the long run, its policer and shaper considered, in bit/s."""
    table = scenario.bottleneck
    return least_bps(rate_of(scenario, trace), table.policer, table.shaper)


def bottleneck(
    scenario: Scenario, trace: Trace | None, *, delay_ns: int, name: str = "bottleneck"
) -> dict[str, Any]:
    """The link of `[bottleneck]`, with this delay unless it states its own."""
    table, rate = scenario.bottleneck, rate_of(scenario, trace)
    link: dict[str, Any] = {"name": name, **transmitter(rate, trace, once=table.trace_once)}
    link["delay_ns"] = table.delay if table.delay is not None else delay_ns
    link["queue"] = queue(scenario, table.queue, table.buffer, least_bps(rate, table.shaper))
    return link | impairments(table) | table.beside_queue()


def transmitter(rate_bps: int, trace: Trace | None, *, once: bool) -> dict[str, Any]:
    """The rate of a link, or the trace in its place, as the engine has them."""
    if trace is None:
        return {"rate_bps": rate_bps}
    return {"rate_bps": None, "trace_ms": list(trace.times_ms), "trace_once": once}


def reverse(
    scenario: Scenario, forward: dict[str, Any], flows: list[Endpoint], *, name: str = "reverse"
) -> dict[str, Any]:
    """The link of `[reverse]`, the way back beside `forward`."""
    table = scenario.reverse
    trace = named_trace(scenario, "reverse", table.trace)
    rate = table.rate or forward["rate_bps"] or scenario.path.access_rate
    drained = least_bps(rate if trace is None else trace.mean_bps, table.shaper)
    fed = any(flow.reverse for flow in flows) or any(group.reverse for group in scenario.traffic)
    own = table.queue.buffer if table.queue is not None and table.queue.has_own_buffer else None
    size = table.buffer or own or scenario.bottleneck.buffer
    is_queued, discipline = fed or table.is_queued, table.queue or DROP_TAIL
    return {
        "name": name,
        **transmitter(rate, trace, once=table.trace_once),
        "delay_ns": table.delay if table.delay is not None else forward["delay_ns"],
        "queue": queue(scenario, discipline, size, drained, table="reverse") if is_queued else None,
        **impairments(table),
        **table.beside_queue(),
    }


def plain(name: str, rate_bps: int, delay_ns: int) -> dict[str, Any]:
    """A link without queue or losses."""
    return {
        "name": name,
        "rate_bps": rate_bps,
        "delay_ns": delay_ns,
        "queue": None,
        "drop": None,
        "mark": None,
    }


def queue(
    scenario: Scenario,
    discipline: Queue,
    size: Buffer,
    rate_bps: int,
    rtt_ns: int | None = None,
    *,
    table: str = "bottleneck",
) -> dict[str, Any]:
    """A queue for the engine; BDP and time count packets of the first group, and mean the scenario's RTT if none is given."""
    rtt = base_rtt(scenario) if rtt_ns is None else rtt_ns
    packets = size.packets(rate_bps=rate_bps, rtt_ns=rtt, packet_bytes=scenario.flows[0].packet)
    if packets is not None and packets > LARGEST:
        accepted = f"a buffer of at most {LARGEST} packets; at this rate it has {packets:.3g}"
        raise InputError(scenario.name, f"{table}.buffer", str(size), accepted)
    limit = {"bytes": int(size.amount)} if packets is None else {"packets": packets}
    try:
        return {"kind": discipline.kind, **limit, **discipline.sized(packets)}
    except InputError as error:
        raise error.located(scenario.name, table) from None


def times_of(scenario: Scenario, index: int) -> range:
    """When a table of `[[on]]` makes its changes. InputError if that is too often."""
    on = scenario.on[index]
    times = on.times(scenario.duration)
    if len(times) > OCCURRENCES_MAX:
        accepted = f"a time so long that the change happens at most {OCCURRENCES_MAX} times"
        raise InputError(scenario.name, f"on[{index}].every", format_time(on.every or 0), accepted)
    return times


def least_bps(rate_bps: int, *buckets: TokenBucket | None) -> int:
    """What a link carries in the long run behind token buckets, bit/s."""
    return min(rate_bps, *(bucket.rate for bucket in buckets if bucket is not None), rate_bps)


def rates_at_times(scenario: Scenario, key: str, link: Traced, rate_bps: int) -> Schedule:
    """What a link without a trace carries from when on, bit/s; `key` is that of its table, `rate_bps` its rate at first."""
    rates = {0: rate_bps}
    for index, on in enumerate(scenario.on):
        for setting in on.changed.settings:
            if setting.key == f"{key}.rate":
                rates |= dict.fromkeys(times_of(scenario, index), setting.value)
    times = sorted(rates)
    return Schedule(tuple(times), tuple(least_bps(rates[time], link.policer, link.shaper) for time in times))


def offered_bps(scenario: Scenario, trace: Trace, link: Traced) -> float:
    """What a link with a trace carries on average while the run is measured, bit/s."""
    offered = trace.available_bps(scenario.warmup, scenario.duration, once=link.trace_once)
    return offered if link.policer is None else min(offered, link.policer.rate)

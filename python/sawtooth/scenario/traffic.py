"""What `[[traffic]]` adds to the engine's scenario: links of its own, and flows, arrivals, sources and applications over them.

The topology says which links of the network each member of a group crosses (`Layout.ways`). Each flow or stream has access links that
make up its round-trip time beside those, as test flows have; transfers of one group share theirs. Requests leave from the other end of
the way: they cross the links of the acknowledgements. Everything is named `traffic/<group>`, with a number where there are several, and
so are the random streams.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sawtooth import _native
from sawtooth.errors import MISSING, InputError
from sawtooth.plain import canonical, whole_numbers
from sawtooth.scenario.record_fields import watched
from sawtooth.scenario.scenario import Scenario
from sawtooth.scenario.shapes import EqualRate, Free
from sawtooth.scenario.topology import equal_rate
from sawtooth.scenario.topology.base import WAY, Layout, Route, path_rtt
from sawtooth.scenario.trace import Trace
from sawtooth.scenario.traffic_bounds import (
    check_answers,
    check_rate,
    check_transfers,
    packets_of_a_frame,
    rate_of_share,
)
from sawtooth.scenario.traffic_fields import (
    Asking,
    Caller,
    Finite,
    Media,
    OverTcp,
    Paced,
    RequestResponse,
    Traffic,
    Udp,
    Video,
    Web,
)
from sawtooth.scenario.units import LARGEST, format_time
from sawtooth.scenario.wires import impairments

ANY_SHAPE: Final = 2.0
"""Of the distribution that starts are drawn with where all sizes are alike."""


@dataclass
class _Builder:
    """The engine's scenario under construction."""

    scenario: Scenario
    layout: Layout
    engine: dict[str, Any]
    seed: str
    profile: Callable[[OverTcp | Caller], dict[str, Any]]

    def name(self, index: int, member: int | None = None) -> str:
        """Of a group, or of one of its members."""
        return f"traffic/{index}" if member is None else f"traffic/{index}/{member}"

    def rate_bps(self, index: int) -> int:
        """Of the tightest link of the network that data of a group crosses; of a trace its mean."""
        forward, _ = self.layout.ways[index][0]
        return min(map(self._rate_of_link, forward))

    def _rate_of_link(self, link: int) -> int:
        sends = self.engine["links"][link]
        rate = sends["rate_bps"]
        return Trace(tuple(sends["trace_ms"])).mean_bps if rate is None else int(rate)

    def join(self, index: int, group: Traffic, member: int, name: str) -> Route:
        """Access links of a member, or of one of its connections, and its whole way."""
        there, back = self.layout.ways[index][member]
        delays = self._delays(index, group, there, back)
        if isinstance(self.scenario.topology, EqualRate):
            return equal_rate.around(self.scenario, self.layout, name, (there[0], back[0]), delays)
        out, home = self.layout.add_access(self.scenario, name, delays)
        return [out, *there], [*back, home]

    def join_one_way(self, index: int, group: Traffic, member: int, name: str) -> list[int]:
        """An access link for packets that nothing answers, and their way."""
        if isinstance(self.scenario.topology, EqualRate):
            return self.join(index, group, member, name)[0]
        there, _ = self.layout.ways[index][member]
        delay, _ = self._delays(index, group, there, there)
        path = self.scenario.path
        link = {"name": f"access/{name}", "rate_bps": path.access_rate, "queue": None, "delay_ns": delay}
        return [self.layout.add({**link, **impairments(path)}, "path"), *there]

    def _delays(
        self, index: int, group: Traffic, there: Sequence[int], back: Sequence[int]
    ) -> tuple[int, int]:
        """What the links of the network leave over of a round trip, out and home; nothing where they are all of it."""
        if isinstance(self.scenario.topology, Free):
            return 0, 0
        rtt = path_rtt(self.scenario) if group.rtt is None else group.rtt
        half = rtt // 2
        middle = self.layout.delay(there), self.layout.delay(back)
        delays = (half - middle[0], rtt - half - middle[1])
        if min(delays) < 0:
            way = WAY[type(self.scenario.topology)]
            accepted = f"at least {format_time(2 * max(middle))}, twice the one-way delay of {way}"
            raise InputError(self.scenario.name, f"traffic[{index}].rtt", format_time(rtt), accepted)
        return delays

    def profile_index(self, group: OverTcp | Caller) -> int:
        """Of its endpoints; their packets leave when they can."""
        profile = {**self.profile(group), "send_jitter_ns": 0}
        if profile not in self.engine["profiles"]:
            self.engine["profiles"].append(profile)
        return int(self.engine["profiles"].index(profile))

    def flow(self, group: Traffic, ends: OverTcp | Caller, route: Route, **more: Any) -> int:
        """A flow with these endpoints, without end of its own unless there is `more` to say; its number."""
        self.engine["flows"].append(
            {
                "profile": self.profile_index(ends),
                "test": False,
                "in_profile": False,
                "forward": route[0],
                "reverse": route[1],
                "start_ns": group.start,
                "stop_ns": None,
                "packets": None,
                **more,
            }
        )
        return len(self.engine["flows"]) - 1

    def stop_ns(self, group: Traffic) -> int | None:
        """When nothing new begins any more, if that is before the end of the run."""
        return group.stop if group.stop is not None and group.stop < self.scenario.duration else None


def add(
    scenario: Scenario,
    layout: Layout,
    engine: dict[str, Any],
    seed: str,
    profile: Callable[[OverTcp | Caller], dict[str, Any]],
) -> dict[str, Any]:
    """Add the traffic of a scenario to the engine's; gives what results must know of it (`traffic`, an entry per group)."""
    if not scenario.traffic:
        return {}
    builder = _Builder(scenario, layout, engine, seed, profile)
    entries = []
    for index, group in enumerate(scenario.traffic):
        end = scenario.duration if group.stop is None else min(group.stop, scenario.duration)
        entry: dict[str, Any] = {"kind": group.kind, "start_ns": group.start, "stop_ns": end}
        for kind, made in MAKERS:
            if isinstance(group, kind):
                entry |= made(builder, index, group)
                break
        entries.append(entry)
    for entry in entries:
        if entry["kind"] == Media.name and "flows" in entry:
            entry["streams"] = [watched(engine).index(flow) for flow in entry["flows"]]
    return {"traffic": entries}


def _finite(builder: _Builder, index: int, group: Finite) -> dict[str, Any]:
    """Arrivals, and a record of what became of each."""
    name = builder.name(index)
    route = builder.join(index, group, 0, name)
    mean = group.size.packets(group.packet)
    every = group.every
    if every is None:
        assert group.load is not None, "either load or every is given"
        offered = group.size.whole_packets(group.packet) * group.packet
        every = round(min(offered * 8e9 / (group.load * builder.rate_bps(index)), LARGEST))
    check_transfers(builder.scenario, index, group, every, mean)
    intervals = [[group.start, every]]
    stop = builder.stop_ns(group)
    if stop is not None:
        intervals.append([stop, 0])
    schedule: dict[str, Any] = {
        "kind": "poisson",
        "intervals": intervals,
        "packets_mean": mean,
        "packets_shape": group.size.shape or ANY_SHAPE,
    }
    if group.size.shape is None:
        try:
            drawn = _native.arrivals(builder.seed, name, canonical(schedule), builder.scenario.duration)
        except ValueError as error:
            accepted = f"what the engine accepts: {error}"
            raise InputError(builder.scenario.name, f"traffic[{index}]", MISSING, accepted) from None
        starts = whole_numbers(*drawn["start_ns"])
        schedule = {"kind": "list", "starts_ns": starts, "packets": [int(mean)] * len(starts)}
    arrivals = builder.engine.setdefault("arrivals", [])
    arrivals.append(
        {
            "name": name,
            "profile": builder.profile_index(group),
            "in_profile": False,
            "forward": route[0],
            "reverse": route[1],
            "schedule": schedule,
        }
    )
    builder.engine["record"]["completions"] = True
    return {"arrivals": len(arrivals) - 1, "every_ns": every, "packets_mean": mean}


def _paced(builder: _Builder, index: int, group: Paced) -> dict[str, Any]:
    """Flows without end, whose supply is paced from their start on."""
    check_rate(builder.scenario, index, group.rate)
    flows = [
        builder.flow(group, group, builder.join(index, group, member, builder.name(index, member)))
        for member in range(group.count)
    ]
    changes = builder.engine.setdefault("changes", [])
    stop = builder.stop_ns(group)
    for at, rate in [(group.start, group.rate), *([] if stop is None else [(stop, 0)])]:
        sets = [{"kind": "supply", "flow": flow, "bps": rate} for flow in flows]
        changes.append({"when": {"kind": "time", "ns": at}, "set": sets})
    return {"flows": flows, "rate_bps": group.rate}


def _source(builder: _Builder, index: int, group: Udp | Media, numbers: dict[str, Any]) -> int:
    """A source whose frames are watched; its place among those."""
    member = numbers.pop("member")
    name = builder.name(index, member)
    rates = [[group.start, numbers.pop("rate_bps")]]
    stop = builder.stop_ns(group)
    if stop is not None:
        rates.append([stop, 0])
    route = builder.join_one_way(index, group, member, name)
    sources = builder.engine["sources"]
    sources.append(
        {"name": name, "packet_bytes": group.packet, "route": route, "rates": rates, "frames": numbers}
    )
    return sum("frames" in source for source in sources) - 1


def _udp(builder: _Builder, index: int, group: Udp) -> dict[str, Any]:
    """A source of single packets; half a minute is no deadline."""
    rate = group.rate
    if rate is None:
        assert group.share is not None, "either rate or share is given"
        rate = rate_of_share(builder.scenario, index, group.share, builder.rate_bps(index))
    check_rate(builder.scenario, index, rate)
    numbers = {"member": 0, "rate_bps": rate, "packets": 1, "deadline_ns": NO_DEADLINE_NS}
    return {"streams": [_source(builder, index, group, numbers)], "rate_bps": rate}


NO_DEADLINE_NS: Final = 1_000_000_000
"""For packets without a deadline: those that leave in the last second count for nothing, as they may be under way at the end."""


def _call(builder: _Builder, index: int, group: Media, caller: Caller) -> dict[str, Any]:
    """A flow for each stream, with an encoder that its controller tells how much to give."""
    more = {"stop_ns": builder.stop_ns(group), "frame_deadline_ns": group.deadline}
    flows = []
    for member in range(group.count):
        route = builder.join(index, group, member, builder.name(index, member))
        flows.append(builder.flow(group, caller, route, **more))
    return {"flows": flows, "deadline_ns": group.deadline}


def _media(builder: _Builder, index: int, group: Media) -> dict[str, Any]:
    """A source for each stream, of as many packets a frame as come nearest to the frames a second."""
    if group.caller is not None:
        return _call(builder, index, group, group.caller)
    assert group.rate is not None, "either rate or control is given"
    check_rate(builder.scenario, index, group.rate)
    packets = packets_of_a_frame(builder.scenario, index, group, group.rate)
    streams = [
        _source(
            builder,
            index,
            group,
            {
                "member": member,
                "rate_bps": group.rate,
                "packets": packets,
                "deadline_ns": group.deadline,
                **{name: scale for name in ("scale_b", "scale_t") if (scale := getattr(group, name))},
            },
        )
        for member in range(group.count)
    ]
    fps = group.rate / (8 * group.packet * packets)
    return {"streams": streams, "rate_bps": group.rate, "fps": fps, "deadline_ns": group.deadline}


def _asking(builder: _Builder, index: int, group: Asking) -> dict[str, Any]:
    """An application for each user, with two flows for each of its connections."""
    check_answers(builder.scenario, index, group)
    connections = group.connections if isinstance(group, Web) else 1
    apps = builder.engine.setdefault("apps", [])
    numbers = []
    for member in range(group.count):
        pairs: list[list[int]] = []
        for _ in range(connections):
            place = f"{builder.name(index, member)}/{len(pairs)}"
            there, back = builder.join(index, group, member, place)
            pairs.append(
                [builder.flow(group, group, (back, there)), builder.flow(group, group, (there, back))]
            )
        app = {
            "name": builder.name(index, member),
            "start_ns": group.start,
            "connections": pairs,
            "request_packets": -(-group.request // group.packet),
            "task": _task(group),
        }
        stop = builder.stop_ns(group)
        apps.append({**app, **({} if stop is None else {"stop_ns": stop})})
        numbers.append(len(apps) - 1)
    return {"apps": numbers}


def _task(group: Asking) -> dict[str, Any]:
    if isinstance(group, Video):
        return {
            "kind": "video",
            "rates_bps": list(group.rates),
            "chunk_ns": group.chunk,
            "buffer_ns": group.buffer,
            "reservoir_ns": group.reservoir,
        }
    assert isinstance(group, (RequestResponse, Web)), "who asks has a task"
    shape = {} if group.size.shape is None else {"packets_shape": group.size.shape}
    return {
        "kind": "pages",
        "objects": group.objects if isinstance(group, Web) else 1,
        "packets_mean": group.size.packets(group.packet),
        "think_ns": group.think,
        **shape,
    }


MAKERS: Final[tuple[tuple[type[Traffic], Callable[..., dict[str, Any]]], ...]] = (
    (Finite, _finite),
    (Paced, _paced),
    (Udp, _udp),
    (Media, _media),
    (Asking, _asking),
)
"""By kind, what adds it and says what results must know."""

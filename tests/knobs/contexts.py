"""Scenarios in which keys act: of each shape, discipline, recovery, environment and kind of traffic one, some seconds long.

All of them lose packets now and then and a whole window once, so that recoveries and timers have something to do.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping
from typing import Any, Final

from sawtooth.scenario.described import describe

Tables = dict[str, Any]

LOST: Final = (150, 400, 401, 404, 700, *range(1000, 1046), 1300, 1302, *range(1600, 1664))
"""Numbers of the packets that are lost: single ones, several of a window, all for a while."""
LOSSES: Final = f"list({', '.join(map(str, LOST))})"

BASE: Final[Tables] = {
    "duration": "3 s",
    "warmup": "0.1 s",
    "bottleneck": {"rate": "8 Mbit/s", "delay": "8 ms", "buffer": "20 packets", "drop": LOSSES},
    "path": {"rtt": "40 ms", "rtt_spread": 0.1, "access_rate": "50 Mbit/s", "send_jitter": "100 us"},
    "tcp": {"initial_window": 3, "min_rto": "30 ms", "initial_rto": "100 ms"},
    "flows": [{"count": 2, "control": "aimd(1, 0.7)", "recovery": "sack", "start": "uniform 0..50 ms"}],
}


def context(**changes: Any) -> Tables:
    """The base with tables joined key by key; a list, or None, replaces."""
    return _joined(copy.deepcopy(BASE), changes)


def _joined(old: Tables, new: Mapping[str, Any]) -> Tables:
    for key, value in new.items():
        if value is None:
            old.pop(key, None)
        elif isinstance(value, Mapping):
            _joined(old.setdefault(key, {}), value)
        else:
            old[key] = copy.deepcopy(value)
    return old


def group(recovery: str | None = "sack", control: str = "aimd(1, 0.7)", **keys: Any) -> Tables:
    """A group of flows."""
    own = {} if recovery is None else {"recovery": recovery}
    return {"control": control, "start": "uniform 0..50 ms", **own, **keys}


def discipline(kind: str) -> Mapping[str, Any]:
    """The row of a discipline."""
    return next(row for row in describe()["disciplines"] if row["name"] == kind)


def queue(kind: str, **others: Any) -> Tables:
    """A queue of a discipline that is small as the contexts are, with other values of some parameters."""
    row = discipline(kind)
    small: Tables = {"min": 2, "max": 6, "weight": 0.03, "ecn": True, "target": "2 ms"}
    small |= {"interval": "10 ms", "max_burst": "10 ms", "t_update": "5 ms", "beta": 20, "mark_ecnth": 0.3}
    small |= {"flows": 2}
    if row["schedules"]:
        small["weight"] = 0.5
    given = {each["name"]: small.get(each["name"], each["default"]) for each in row["parameters"]}
    given |= others
    acting = {
        each["name"]
        for each in row["parameters"]
        if not each["only_with"]
        or any(given[name] == word for other in each["only_with"] for name, word in other.items())
    }
    there = {name: value for name, value in given.items() if name in acting and value is not None}
    return {"kind": kind, **there}


def mixed(kind: str) -> list[Tables]:
    """Unequal flows for a queue; if it spares what is in profile, a small one is."""
    third = group()
    if discipline(kind)["spares_in_profile"]:
        third |= {"in_profile": True, "receive_window": 10}
    scalable = {"ecn": "l4s"} if is_scalable(kind) else {}
    return [group(count=2), group(packet="700 B", **scalable), third]


def is_scalable(kind: str) -> bool:
    """Whether a discipline has parameters for packets with ECT(1) alone."""
    return any(row.get("of_l4s") for row in discipline(kind)["parameters"])


FAMILIES: Final[Mapping[str, Tables]] = {
    "constant": {"rate": "1 Mbit/s"},
    "square": {"high": "4 Mbit/s", "low": "0.2 Mbit/s", "period": "0.6 s"},
    "saw-tooth": {"high": "4 Mbit/s", "low": "0.2 Mbit/s", "period": "0.8 s", "step": "0.2 s"},
    "step": {"first": "4 Mbit/s", "then": "0.2 Mbit/s", "at": "0.5 s", "until": "1.5 s", "over": "0.2 s"},
    "random": {"high": "4 Mbit/s", "low": "0.3 Mbit/s", "interval": "0.2 s"},
    "walk": {"start": "1 Mbit/s", "delta": "1 Mbit/s", "interval": "0.2 s"},
    "constrained": {"start": "1 Mbit/s", "delta": "0.2 Mbit/s", "mu": 1.1, "interval": "0.2 s"},
    "short-flows": {
        "interarrival": ["20 ms", "60 ms"],
        "interval": "0.5 s",
        "packets_mean": 8,
        "cross_rtt": "60 ms",
    },
    "file": {"file": "schedule.csv"},
}
"""Small tables of every kind of environment that is no other's with numbers."""

FREE: Final[Tables] = {
    "topology": {"kind": "free"},
    "bottleneck": None,
    "path": {"rtt": None, "rtt_spread": None},
    "nodes": [{"name": "A"}, {"name": "B"}, {"name": "C"}],
    "links": [
        {"from": "A", "to": "B", "rate": "2 Mbit/s", "delay": "8 ms", "buffer": "10 packets", "drop": LOSSES}
        | {"policer": {"rate": "1.9 Mbit/s", "burst": "30 kB"}},
        {
            "from": "B",
            "to": "C",
            "rate": "3 Mbit/s",
            "delay": "9 ms",
            "buffer": "12 packets",
            "queue": queue("red"),
            "mark": "periodic(40)",
            "shaper": {"rate": "2.5 Mbit/s", "burst": "9 kB"},
        },
        {"from": "C", "to": "B", "rate": "3 Mbit/s", "delay": "9 ms", "drop": "periodic(30)"},
    ],
    "sources": [{"route": ["B", "C"], "rate": "1 Mbit/s", "start": "0.5 s", "stop": "1.5 s"}],
    "flows": [group(route=["A", "C"]), group("reno", route=["B", "C"]), group(route=["A", "B"])],
}


ON_A_CHAIN: Final[Mapping[str, Tables]] = {
    "web": {"objects": 2, "size": "4 kB", "think": "30 ms"},
    "video": {"rates": ["20 kbit/s", "60 kbit/s", "200 kbit/s"]},
}
"""What is to be quicker where it crosses two queues."""

CALM_LINKS: Final[list[Tables]] = [
    {
        "from": "A",
        "to": "B",
        "rate": "4 Mbit/s",
        "delay": "8 ms",
        "buffer": "60 packets",
        "drop": "periodic(300)",
    },
    {"from": "B", "to": "C", "rate": "5 Mbit/s", "delay": "9 ms", "buffer": "60 packets"},
]
"""Deep buffers and hardly a loss: what waits is what matters."""


CHANGES: Final[list[Tables]] = [
    {"flow": 1, "state": "drain", "set": {"bottleneck.rate": "6 Mbit/s"}},
    {
        "at": "0.5 s",
        "every": "1 s",
        "set": {"bottleneck.drop": "periodic(50)", "flows[0].supply": "3 Mbit/s"},
    },
    {"at": "1 s", "every": "1 s", "set": {"bottleneck.drop": "none", "flows[0].supply": "all"}},
    {"state": "drain", "after": "20 ms", "set": {"bottleneck.delay": "12 ms"}},
]
"""What changes beside controllers that have states."""


def common(names: Collection[str]) -> Tables:
    """The common defaults of these settings."""
    return {row["name"]: row["default"] for row in describe()["tcp"] if row["name"] in names}


def unread(recovery: str) -> Tables:
    """The settings of the base that a recovery does not read, left out."""
    return {
        row["name"]: None
        for row in describe()["tcp"]
        if row["name"] in BASE["tcp"] and recovery not in row["read_by"]
    }


def contexts() -> dict[str, Tables]:
    """By name."""
    parts = (of_recoveries, of_controllers, of_disciplines, of_endpoints, of_links, of_networks)
    return {name: found for part in parts for name, found in part().items()}


def of_recoveries() -> dict[str, Tables]:
    """What each recovery reads, and what only some see."""
    found = {
        # Settings that have another default beside it are written as they are elsewhere.
        f"recovery {row['name']}": context(
            tcp=unread(row["name"]), flows=[group(row["name"], count=2, **common(row["defaults"]))]
        )
        for row in describe()["recoveries"]
    }
    # A link that stands still for a while: timeouts of which acknowledgements with timestamps show that they were not needed.
    standing = {"rate": None, "trace": "standing.trace", "trace_once": False}
    rack = next(row for row in describe()["recoveries"] if row["name"] == "rack")
    own = common(rack["defaults"])
    found["recovery rack"] = context(
        bottleneck=standing,
        flows=[
            group("rack", count=2, **own),
            group("rack", receive_window=10, **own, **common(["timestamps"])),
        ],
    )
    # At last packets travel alone, and one of them is lost: its probe waits for an acknowledgement that might be delayed.
    found["alone"] = context(
        tcp={**unread("rack"), "min_rto": "300 ms"},
        bottleneck={"loss": "blackout(1.49 s, 80 ms)"},
        flows=[group("rack", count=2, supply=[["0 s", "300 kB"], ["1.5 s", "1 kB"], ["2 s", "1 kB"]], **own)],
    )
    # Packets that come late, which show what is taken for reordering, and some that are marked.
    found["late packets"] = context(
        tcp=unread("rack"),
        bottleneck={
            "late": "periodic(40, 25 ms)",
            "buffer": "9 packets",
            "queue": {"kind": "step", "threshold": "4 packets"},
        },
        flows=[group("rack", count=2, **own | {"prr": "rfc9937"})],
    )
    found["coarse clocks"] = context(tcp={"timer_tick": "10 ms"}, flows=[group(count=2)])
    # Windows and their probes are lost for so long that congestion is persistent.
    lost = f"list({', '.join(map(str, (20, 50, 90, *range(240, 268), 400, 430)))})"
    quic = next(row for row in describe()["recoveries"] if row["name"] == "quic")
    found["recovery quic"] = context(
        tcp=unread("quic"),
        bottleneck={"drop": lost, "rate": "2 Mbit/s", "buffer": "12 packets"},
        flows=[group("quic", count=2, receive_window=8, **common(quic["defaults"]))],
        # The application pauses, so that a window is left unused.
        on=[
            {"at": "0.8 s", "set": {"flows[0].supply": "0"}},
            {"at": "1.4 s", "set": {"flows[0].supply": "all"}},
        ],
    )
    return found


def of_controllers() -> dict[str, Tables]:
    """Rate-based laws, and a controller with a model of the path."""
    found: dict[str, Tables] = {}
    for law in describe()["controllers"]:
        if law["properties"]["own_transport"]:
            found[f"law {law['name']}"] = context(
                tcp={"initial_window": None, "initial_rto": "10 ms", "min_rto": "10 ms"},
                bottleneck={"rate": "0.7 Mbit/s", "buffer": "8 packets"},
                flows=[group(None, law["name"], count=2)],
            )
    windows = {row["name"]: None for row in describe()["tcp"] if row["of_window_laws"]}
    found["model"] = context(
        tcp=windows,
        flows=[group("rack", "bbr", count=2)],
        record={"model": True, "senders": True},
        on=CHANGES,
    )
    return found


def of_disciplines() -> dict[str, Tables]:
    """Every discipline, and what only some of their settings show."""
    found: dict[str, Tables] = {}
    for row in describe()["disciplines"]:
        crowded = {"rate": "3 Mbit/s", "queue": queue(row["name"])}
        # Where something else marks, too, a flow may say that it is capable whatever the queue does.
        marked = {"mark": "periodic(83)"} if is_scalable(row["name"]) else {}
        sampled = {"record": {"sample": "20 ms", "disciplines": True}} if row["has_state"] else {}
        found[f"queue {row['name']}"] = context(
            **sampled, bottleneck=crowded, path={"drop": "periodic(97)", **marked}, flows=mixed(row["name"])
        )
    found["supply"] = context(flows=[group(supply=[["0 s", "300 packets"], ["1 s", "90 kB"]]), group()])
    found["ECN"] = context(
        bottleneck={"queue": queue("red")}, flows=[group(), group(ecn=True), group("reno", ecn=False)]
    )
    found["queue in bytes"] = context(bottleneck={"buffer": "12 kB"})
    found["rio drop-tail"] = context(
        duration="5 s",
        bottleneck={
            "rate": "3 Mbit/s",
            "buffer": "80 packets",
            "drop": None,
            "queue": {"kind": "rio", "rule": "drop-tail"},
        },
        flows=[group(count=3), group(receive_window=3, in_profile=True)],
    )
    found["dualpi2, time-shifted"] = context(
        bottleneck={"rate": "3 Mbit/s", "queue": queue("dualpi2", scheduler="time-shifted", shift="4 ms")},
        path={"drop": "periodic(97)", "mark": "periodic(83)"},
        flows=mixed("dualpi2"),
    )
    unscheduled = {
        "kind": "dualpi2",
        "target": "2 ms",
    }  # neither the weight of one scheduler nor the shift of the other
    found["dualpi2 as it comes"] = context(
        bottleneck={"rate": "3 Mbit/s", "queue": unscheduled}, flows=mixed("dualpi2")
    )
    without_threshold = queue("pie")
    del without_threshold["mark_ecnth"]
    found["pie without threshold"] = context(
        bottleneck={"rate": "3 Mbit/s", "queue": without_threshold}, flows=mixed("pie")
    )
    found["policed"] = context(bottleneck={"policer": {"rate": "6 Mbit/s", "burst": "60 kB"}})
    found["shaped"] = context(bottleneck={"shaper": {"rate": "3 Mbit/s", "burst": "12 kB"}})
    return found


def of_endpoints() -> dict[str, Tables]:
    """Acknowledgements, timeouts, marks and own settings."""
    found: dict[str, Tables] = {}
    found["delayed acknowledgements"] = context(tcp={"delayed_ack": True})
    found["timeouts without cuts"] = context(tcp={"rto_cuts": False})
    found["marks"] = context(
        bottleneck={"mark": "periodic(30)"}, path={"mark": "periodic(70)", "drop": "periodic(90)"}
    )
    found["own settings"] = context(
        tcp={"min_rto": None},
        path={"rtt": None},
        flows=[
            group(rtt="30 ms", min_rto="25 ms", count=2),
            group("reno", rtt=["50 ms", "60 ms"], count=2, min_rto="35 ms"),
        ],
    )
    return found


def of_links() -> dict[str, Tables]:
    """Links with traces, in both directions and with wires of their own."""
    found: dict[str, Tables] = {}
    found["trace"] = context(
        bottleneck={"rate": None, "trace": "short.trace", "trace_once": False},
        path={"rtt_spread": None},
        flows=[group()],
    )
    found["two ways"] = context(
        reverse={
            "rate": "1 Mbit/s",
            "delay": "6 ms",
            "buffer": "20 packets",
            "queue": queue("red") | {"max": 12, "max_p": 0.5},
            "drop": "periodic(80)",
            "mark": "periodic(60)",
        },
        flows=[group(), group("reno", reverse=True, count=2), group(bytes="400 kB"), group(stop="1.2 s")],
    )
    # Acknowledgements alone crowd the way back, which follows a trace and lets few of them through.
    found["acknowledgements"] = context(
        reverse={
            "trace": "slow.trace",
            "trace_once": False,
            "buffer": "4 packets",
            "ack_filter": "conservative",
        },
        flows=[group(), group("rack")],
        tcp={"min_rto": None, "initial_rto": None},
    )
    found["slow way back"] = context(
        reverse={
            "rate": "100 kbit/s",
            "buffer": "9 packets",
            "ack_filter": "thin(3)",
            "device_queue": 2,
            "shaper": {"rate": "60 kbit/s", "burst": "1 kB"},
        },
    )
    found["filters both ways"] = context(
        bottleneck={"ack_filter": "aggressive"},
        reverse={"rate": "1 Mbit/s", "buffer": "20 packets", "ack_filter": "aggressive"},
        flows=[group(count=2), group(reverse=True)],
    )
    found["wires"] = context(
        bottleneck={
            "loss": "gilbert-elliott(0.01, 0.3)",
            "late": "bernoulli(0.02, 8 ms)",
            "aggregate": {"packets": 4, "time": "9 ms", "overhead": "200 us", "per_flow": False},
        },
        path={"loss": "periodic(90)", "late": "periodic(80, 3 ms)", "jitter": "exponential 300 us"},
        reverse={
            "rate": "200 kbit/s",
            "jitter": "hold 3 ms",
            "loss": "blackout(1 s, 20 ms)",
            "aggregate": {"packets": 3},
        },
    )
    return found


def of_networks() -> dict[str, Tables]:
    """Topologies, environments and traffic."""
    found: dict[str, Tables] = {}
    found["equal-rate"] = context(topology={"kind": "equal-rate"}, path={"access_rate": None})
    found["ring"] = context(topology={"kind": "ring", "links": 4, "hops": 2}, flows=[group(count=4)])
    found["two-router"] = context(topology={"kind": "two-router", "delay": "4 ms"}, environment=square_wave())
    found["two-router, no cross traffic"] = context(topology={"kind": "two-router"})
    found["fair cross traffic"] = context(bottleneck={"queue": "drr"}, environment=square_wave())
    for name, keys in FAMILIES.items():
        found[f"environment {name}"] = context(environment={"kind": name, **keys})
    by_interval = {key: value for key, value in FAMILIES["square"].items() if key != "period"}
    found["square by interval"] = context(environment={"kind": "square", **by_interval, "interval": "0.3 s"})
    found["short flows beside RED"] = context(
        bottleneck={"queue": queue("red")},
        environment={
            "kind": "short-flows",
            **FAMILIES["short-flows"],
            "interarrival": "20 ms",
            "interval": None,
        },
    )
    found["listed short flows"] = context(
        topology={"kind": "two-router", "delay": "4 ms"},
        environment={"kind": "short-flows", "arrivals": "flows.csv", "cross_rtt": "60 ms"},
    )
    for name, keys in TRAFFIC.items():
        # A deep buffer and nothing lost by list: what waits is what matters.
        calm = {"rate": "4 Mbit/s", "buffer": "60 packets", "drop": "periodic(300)"}
        own = {"start": "0.1 s", "stop": "2 s", **keys}
        found[f"traffic {name}"] = context(
            bottleneck=calm,
            tcp={"initial_rto": None},
            traffic=[{"kind": name.partition(" ")[0], "rtt": "50 ms", **own}],
        )
        found[f"traffic {name}, free"] = context(
            **{**FREE, "links": CALM_LINKS, "sources": None},
            tcp={"initial_rto": None},
            traffic=[
                {"kind": name.partition(" ")[0], **own, **ON_A_CHAIN.get(name, {}), "route": ["A", "C"]}
            ],
        )
    found["free"] = context(**FREE)
    cellular = {"from": "A", "to": "B", "trace": "short.trace", "trace_once": False, "delay": "8 ms"}
    found["free, trace"] = context(**FREE | {"links": [cellular, *FREE["links"][1:]]})
    slow = {"from": "C", "to": "B", "rate": "60 kbit/s", "delay": "9 ms", "buffer": "9 packets"}
    found["free, acknowledgements"] = context(
        **FREE | {"links": [*FREE["links"][:2], slow | {"ack_filter": "aggressive"}]}
    )
    back = {"from": "C", "to": "B", "rate": "1 Mbit/s", "delay": "5 ms"}
    found["free, nodes of links"] = context(**{**FREE, "nodes": None, "links": [*FREE["links"][:2], back]})
    return found


TRAFFIC: Final[Mapping[str, Tables]] = {
    "finite": {"size": "pareto(8 kB, 1.5)", "load": 0.3},
    "finite by interval": {"size": "8 kB", "every": "60 ms"},
    "paced": {"rate": "0.5 Mbit/s"},
    "udp": {"rate": "0.5 Mbit/s"},
    "udp by share": {"share": 0.1},
    "media": {"rate": "0.5 Mbit/s", "deadline": "100 ms", "scale_b": 0.1, "scale_t": 0.1},
    "media that adapts": {"control": "nada(rmax = 1200)", "deadline": "60 ms"},
    "request-response": {"size": "5 kB", "think": "50 ms"},
    "web": {"objects": 6, "connections": 2, "think": "100 ms"},
    "video": {
        "rates": ["100 kbit/s", "200 kbit/s", "400 kbit/s", "800 kbit/s"],
        "chunk": "0.2 s",
        "buffer": "1.2 s",
        "reservoir": "0.3 s",
    },
}
"""Small groups of every kind of traffic."""


def square_wave() -> Tables:
    """An environment whose cross traffic comes and goes."""
    return {"kind": "square", **FAMILIES["square"]}


FILES: Final[Mapping[str, str]] = {
    "schedule.csv": "time_s,available_bps_per_flow\n0,1000000\n0.5,300000\n1,1500000\n",
    "other.csv": "time_s,available_bps_per_flow\n0,500000\n",
    "flows.csv": "start_time_s,packets\n"
    + "".join(f"{index / 20},{5 + index % 30}\n" for index in range(50)),
    "other-flows.csv": "start_time_s,packets\n0.2,10\n",
    "standing.trace": "".join(f"{ms}\n" for ms in (*range(1, 500), *range(1_400, 2_000))),
    "slow.trace": "".join(f"{9 * index}\n" for index in range(1, 300)),
    "short.trace": "".join(f"{3 * index}\n" for index in range(1, 200)),
}
"""What scenarios name, in the directory of each."""

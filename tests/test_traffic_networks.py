"""`[[traffic]]` on every topology: each kind crosses the links that its group is to cross, and is measured along that way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pytest

import sawtooth as st
from sawtooth import InputError
from sawtooth.run.run import Run
from sawtooth.scenario.resolve import Resolved, resolve
from sawtooth.scenario.scenario import parse_scenario

Tables = dict[str, Any]

MIDDLE: Final[Tables] = {
    "bottleneck": {"rate": "8 Mbit/s", "delay": "5 ms", "buffer": "60 packets"},
    "reverse": {"rate": "4 Mbit/s", "buffer": "60 packets"},
    "path": {"rtt": "60 ms", "access_rate": "1 Gbit/s"},
}
LOT: Final[Tables] = {
    "links": [
        {"from": "A", "to": "B", "rate": "8 Mbit/s", "delay": "5 ms", "buffer": "60 packets"},
        {"from": "B", "to": "C", "rate": "6 Mbit/s", "delay": "10 ms", "buffer": "60 packets"},
        {"from": "C", "to": "D", "rate": "4 Mbit/s", "delay": "15 ms", "buffer": "60 packets"},
    ],
    "path": {"access_rate": "1 Gbit/s"},
}
"""A parking lot: whoever goes from A to D crosses what others cross link by link."""


def network(kind: str) -> Tables:
    middle = {name: dict(table) for name, table in MIDDLE.items()}
    if kind == "equal-rate":
        del middle["path"]["access_rate"]
    return {**(LOT if kind == "free" else middle), "topology": {"kind": kind}}


PLACES: Final[Mapping[str, tuple[str, Tables]]] = {
    "dumbbell": ("dumbbell", {}),
    "dumbbell, reverse": ("dumbbell", {"reverse": True}),
    "equal-rate": ("equal-rate", {}),
    "equal-rate, reverse": ("equal-rate", {"reverse": True}),
    "two-router": ("two-router", {}),
    "two-router, reverse": ("two-router", {"reverse": True}),
    "ring": ("ring", {}),
    "ring, reverse": ("ring", {"reverse": True}),
    "parking lot, whole way": ("free", {"route": ["A", "D"]}),
    "parking lot, one hop": ("free", {"route": ["B", "C"]}),
    "parking lot, against the flows": ("free", {"route": ["D", "B"]}),
}
"""Where a group can go."""

KINDS: Final[Mapping[str, Tables]] = {
    "finite": {"size": "1 kB", "every": "250 ms"},
    "paced": {"rate": "400 kbit/s"},
    "udp": {"rate": "400 kbit/s"},
    "media": {"rate": "240 kbit/s", "packet": "1000 B"},
    "request-response": {"size": "1 kB", "think": "200 ms"},
    "web": {"objects": 4, "connections": 2, "size": "2 kB", "think": "200 ms"},
    "video": {"rates": ["100 kbit/s", "200 kbit/s"], "chunk": "0.5 s", "buffer": "2 s", "reservoir": "0.5 s"},
}


def scenario(place: str, *groups: Tables, start: str = "2.9 s", duration: str = "3 s") -> Tables:
    """Groups there, beside a flow that starts when they are through, so that they have the network for themselves."""
    kind, own = PLACES[place]
    route = {"route": ["A", "D"]} if kind == "free" else {}
    flow = {"control": "cubic", "recovery": "rack", "start": start, **route}
    traffic = [{**own, **group} for group in groups]
    return {**network(kind), "duration": duration, "warmup": "0 s", "flows": [flow], "traffic": traffic}


def run_of(tables: Tables) -> Run:
    return st.run(tables, store=False)


def crossing_ns(engine: Mapping[str, Any], links: list[int], size: int) -> float:
    """How long a packet takes along links where nobody else is."""
    chosen = [engine["links"][link] for link in links]
    return float(sum(link["delay_ns"] + size * 8e9 / link["rate_bps"] for link in chosen))


def resolved(tables: Tables) -> Resolved:
    return resolve(parse_scenario(tables, "s.toml"))


def names(run: Resolved, links: list[int]) -> list[str]:
    return [run.engine["links"][link]["name"] for link in links]


def refused(tables: Tables) -> str:
    with pytest.raises(InputError) as caught:
        resolved(tables)
    return str(caught.value)


@pytest.mark.parametrize("place", PLACES)
def test_every_kind_is_there_and_has_an_empty_way_for_itself(place: str) -> None:
    for kind, keys in KINDS.items():
        run = run_of(scenario(place, {"kind": kind, "stop": "2 s", **keys}))
        (report,) = run.to_json()["traffic"]
        if kind in ("finite", "request-response", "web"):
            assert report["started"] - report["unfinished"] > 2, kind
            # Two that meet wait for each other for a packet or two; by far most do not.
            assert report["slowdown"]["p50"] == pytest.approx(1.0, abs=0.02), kind
        elif kind == "paced":
            assert report["delivered_share"] == pytest.approx(1.0, abs=0.02)
        elif kind == "video":
            assert report["viewers"][0]["chunks"] > 2
            assert report["viewers"][0]["stalls"] == 0
        else:
            assert report["loss_pct"] == 0.0
            assert report["sent"] > 50


@pytest.mark.parametrize("place", PLACES)
def test_a_packet_takes_the_links_of_its_way(place: str) -> None:
    tables = scenario(place, {"kind": "udp", "rate": "400 kbit/s"})
    engine = resolved(tables).engine
    (report,) = run_of(tables).to_json()["traffic"]
    way_ms = crossing_ns(engine, engine["sources"][0]["route"], 1000) / 1e6
    assert report["delay_ms"]["mean"] == pytest.approx(way_ms, abs=1e-4)


@pytest.mark.parametrize("place", PLACES)
def test_a_transfer_alone_takes_two_round_trips_along_its_own_way(place: str) -> None:
    tables = scenario(place, {"kind": "finite", "size": "1 kB", "every": "600 ms"})
    engine = resolved(tables).engine
    run = run_of(tables)
    spec = engine["arrivals"][0]
    there, back = spec["forward"], spec["reverse"]
    handshake = crossing_ns(engine, there, 40) + crossing_ns(engine, back, 40)
    transfer = crossing_ns(engine, there, 1000) + crossing_ns(engine, back, 40)
    took = run.records["completions"].column("completion_ns").to_pylist()
    assert min(took) == pytest.approx(handshake + transfer, abs=100)
    (report,) = run.to_json()["traffic"]
    # So the slow-down is against the same transfer on this way, whatever the ways of others are.
    assert report["slowdown"]["mean"] == pytest.approx(sum(took) / len(took) / min(took), rel=1e-6)


@pytest.mark.parametrize("place", ["ring", "parking lot, one hop", "two-router, reverse", "equal-rate"])
def test_transfers_beside_a_download_on_their_way_are_slower(place: str) -> None:
    tables = scenario(
        place, {"kind": "finite", "size": "3 kB", "every": "100 ms"}, start="0 s", duration="6 s"
    )
    flow = dict(tables["flows"][0])
    if "reverse" in place:
        flow["reverse"] = True
    elif "parking" in place:
        flow["route"] = ["B", "C"]
    tables["flows"] = [*tables["flows"], flow] * (4 if place == "ring" else 1)
    (report,) = run_of(tables).to_json()["traffic"]
    assert report["slowdown"]["p50"] > 1.3


def test_groups_of_a_parking_lot_go_by_their_routes() -> None:
    groups: list[Tables] = [
        {"kind": "udp", "rate": "100 kbit/s"},
        {"kind": "paced", "rate": "100 kbit/s", "route": ["B", "D"]},
        {"kind": "request-response", "size": "2 kB", "route": ["D", "C"]},
    ]
    run = resolved(scenario("parking lot, whole way", *groups))
    assert names(run, run.engine["sources"][0]["route"]) == ["access/traffic/0/0", "A/B", "B/C", "C/D"]
    paced, requests, responses = run.engine["flows"][1:]
    assert names(run, paced["forward"]) == ["access/traffic/1/0", "B/C", "C/D"]
    assert names(run, paced["reverse"]) == ["D/C", "C/B", "access-reverse/traffic/1/0"]
    assert names(run, responses["forward"])[1:] == ["D/C"]
    assert names(run, requests["forward"])[:-1] == ["C/D"]
    # A round trip is that of the links, and access links add nothing.
    delays = [run.engine["links"][link]["delay_ns"] for link in (*paced["forward"], *paced["reverse"])]
    assert sum(delays) == 50_000_000


def test_the_share_of_a_link_is_that_of_the_tightest_on_the_way() -> None:
    run = resolved(scenario("parking lot, whole way", {"kind": "udp", "share": 0.1}))
    assert run.engine["sources"][0]["rates"][0] == [0, 400_000]
    run = resolved(scenario("parking lot, one hop", {"kind": "udp", "share": 0.1}))
    assert run.engine["sources"][0]["rates"][0] == [0, 600_000]
    run = resolved(scenario("ring, reverse", {"kind": "udp", "share": 0.1}))
    assert run.engine["sources"][0]["rates"][0] == [0, 400_000]


def test_members_on_a_ring_enter_where_it_is_least_crowded_and_move_no_flow() -> None:
    tables = {**scenario("ring", {"kind": "paced", "rate": "100 kbit/s", "count": 3})}
    alone = resolved({**tables, "traffic": []})
    run = resolved(tables)
    middle = [names(run, flow["forward"])[1:] for flow in run.engine["flows"]]
    # The flow enters at router 0 and crosses two of four links; the next enter where nobody is, then as flows do.
    assert (
        middle[0] == names(alone, alone.engine["flows"][0]["forward"])[1:] == ["bottleneck/0", "bottleneck/1"]
    )
    assert middle[1:] == [
        ["bottleneck/2", "bottleneck/3"],
        ["bottleneck/1", "bottleneck/2"],
        ["bottleneck/3", "bottleneck/0"],
    ]
    mirrored = resolved(scenario("ring, reverse", {"kind": "paced", "rate": "100 kbit/s"}))
    assert names(mirrored, mirrored.engine["flows"][1]["forward"])[1:] == ["reverse/1", "reverse/0"]


def test_where_every_link_has_one_rate_those_of_traffic_do_too() -> None:
    run = resolved(scenario("equal-rate", {"kind": "paced", "rate": "100 kbit/s"}))
    own = [link for link in run.engine["links"] if "traffic/0" in link["name"]]
    assert [link["name"].split("/")[0] for link in own] == [
        "access",
        "exit",
        "exit-reverse",
        "access-reverse",
    ]
    assert {link["rate_bps"] for link in own} == {8_000_000}
    assert own[0]["queue"] == run.engine["links"][0]["queue"]


def test_the_keys_of_a_way_are_held_to_the_topology() -> None:
    udp = {"kind": "udp", "rate": "100 kbit/s"}
    for place in ("dumbbell", "ring", "two-router", "equal-rate"):
        text = refused(scenario(place, {**udp, "route": ["A", "B"]}))
        assert 'traffic[0].route = ["A", "B"]: expected no such key unless topology.kind is "free"' in text
    lot = scenario("parking lot, whole way", udp)
    without = {**lot, "traffic": [udp]}
    assert "traffic[0].route" in refused(without)
    assert "this key, which a free topology requires" in refused(without)
    for key, value in (("rtt", "50 ms"), ("reverse", True)):
        assert f"traffic[0].{key}" in refused({**lot, "traffic": [{**udp, "route": ["A", "B"], key: value}]})
    assert "(not X)" in refused({**lot, "traffic": [{**udp, "route": ["A", "X"]}]})
    assert "from A to itself" in refused({**lot, "traffic": [{**udp, "route": ["A", "A"]}]})
    short = refused(scenario("ring", {**udp, "rtt": "15 ms"}))
    assert 'traffic[0].rtt = "15 ms": expected at least 20 ms' in short
    assert "the bottlenecks on its way" in short

"""Networks beyond the dumbbell: who crosses what, RTTs, what there is for each flow, and mistakes by file, key and value."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sawtooth import _native
from sawtooth.columns import table_of
from sawtooth.errors import InputError
from sawtooth.plain import canonical
from sawtooth.run.run import Run, execute
from sawtooth.scenario.resolve import Resolved, resolve
from sawtooth.scenario.scenario import parse_scenario
from sawtooth.scenario.topology.ring import entries

if TYPE_CHECKING:
    from tests.conftest import CommandLine

MS = 1_000_000
M = 1_000_000

TWO: dict[str, Any] = {
    "duration": "10 s",
    "warmup": "2 s",
    "bottleneck": {"rate": "100 Mbit/s", "delay": "40 ms", "queue": "drop-tail"},
    "path": {"rtt": "120 ms", "rtt_spread": 0.05},
    "environment": {"kind": "real-cons-low"},
    "flows": [{"count": 10, "control": "aimd(1, 0.8)"}],
}
RING: dict[str, Any] = {
    "duration": "10 s",
    "warmup": "2 s",
    "topology": {"kind": "ring"},
    "bottleneck": {"rate": "100 Mbit/s"},
    "environment": {"kind": "constant", "rate": "5 Mbit/s"},
    "flows": [{"count": 10, "control": "aimd(1, 0.8)"}],
}
FREE: dict[str, Any] = {
    "duration": "10 s",
    "warmup": "2 s",
    "topology": "free",
    "nodes": [{"name": name} for name in "ABCD"],
    "links": [
        {"from": "A", "to": "B", "rate": "10 Mbit/s", "delay": "10 ms", "buffer": "50 packets"},
        {"from": "B", "to": "C", "rate": "8 Mbit/s", "delay": "20 ms", "queue": "drop-tail"},
        {"from": "A", "to": "D", "rate": "50 Mbit/s", "delay": "5 ms"},
        {"from": "D", "to": "C", "rate": "50 Mbit/s", "delay": "5 ms"},
        {"from": "C", "to": "B", "rate": "1 Mbit/s", "delay": "30 ms"},
    ],
    "sources": [{"route": ["A", "B"], "rate": "2 Mbit/s", "start": "6 s"}],
    "flows": [
        {"count": 2, "control": "aimd(1, 0.5)", "route": ["A", "B", "C"]},
        {"control": "aimd(1, 0.5)", "route": ["B", "C"]},
    ],
}


def resolved(base: dict[str, Any], **tables: Any) -> Resolved:
    return resolve(parse_scenario({**base, **tables}, "s.toml"))


def names(run: Resolved, links: list[int]) -> list[str]:
    return [run.engine["links"][link]["name"] for link in links]


def rtt(run: Resolved, flow: dict[str, Any]) -> int:
    return sum(run.engine["links"][link]["delay_ns"] for link in flow["forward"] + flow["reverse"])


def refused(base: dict[str, Any], **tables: Any) -> str:
    with pytest.raises(InputError) as caught:
        resolved(base, **tables)
    return str(caught.value)


# Two routers


def test_an_environment_of_short_flows_makes_the_network_of_two_routers() -> None:
    run = resolved(TWO)
    (web,) = run.engine["arrivals"]
    assert names(run, web["forward"]) == ["cross", "first", "bottleneck"]
    assert names(run, web["reverse"]) == ["reverse", "first-reverse", "cross-reverse"]
    assert web["in_profile"] is True
    assert rtt(run, web) == 120 * MS
    links = {link["name"]: link for link in run.engine["links"]}
    assert links["first"]["rate_bps"] == links["bottleneck"]["rate_bps"] == 100 * M
    assert links["first"]["queue"]["kind"] == "drr"
    assert links["first"]["queue"]["packets"] == 1500
    queue = links["bottleneck"]["queue"]
    assert queue == {"kind": "rio", "rule": "drop-tail", "packets": 1500, "average_updates": "all"}
    assert (links["cross"]["rate_bps"], links["cross"]["delay_ns"]) == (10_000 * M, 10 * MS)


def test_place_holders_have_the_rtts_and_starts_of_the_test_flows_and_leave_before_the_bottleneck() -> None:
    run = resolved(TWO)
    test, holders = run.engine["flows"][:10], run.engine["flows"][10:]
    assert [flow["test"] for flow in run.engine["flows"]] == [True] * 10 + [False] * 10
    assert [rtt(run, flow) for flow in holders] == [rtt(run, flow) for flow in test]
    assert [flow["start_ns"] for flow in holders] == [flow["start_ns"] for flow in test]
    assert names(run, holders[3]["forward"]) == ["access/place-holder/3", "first"]
    profile = run.engine["profiles"][holders[0]["profile"]]
    assert (profile["recovery"], profile["controller"]["b_d"]) == ("sack", 0.5)


@pytest.mark.parametrize(
    ("given", "kind", "rule"),
    [
        ("drop-tail", "rio", "drop-tail"),
        ({"kind": "red", "min": 150, "max": 750}, "rio", "red"),
        ({"kind": "red", "ecn": True}, "rio", "red"),
        ("drr", "drr", None),
        ({"kind": "rio", "rule": "drop-tail"}, "rio", "drop-tail"),
    ],
)
def test_the_router_behind_has_the_rule_of_the_setting(given: Any, kind: str, rule: str | None) -> None:
    run = resolved(TWO, bottleneck={**TWO["bottleneck"], "queue": given})
    queue = run.engine["links"][0]["queue"]
    assert (queue["kind"], queue.get("rule")) == (kind, rule)
    if isinstance(given, dict):
        assert all(queue[key] == value for key, value in given.items() if key != "kind")


def test_goodput_is_measured_by_what_short_flows_left_behind_the_first_router() -> None:
    run = execute(resolved(TWO))
    rows = {row["name"]: row for row in run.queues.to_pylist()}
    taken_bps = 8 * rows["first"]["in_profile_forwarded_bytes"] / 8
    left = (100 * M - taken_bps) / 10
    mean = sum(row["goodput_bps"] for row in run.flows.to_pylist()[:10]) / 10
    assert run.values["goodput"] == pytest.approx(mean / left, rel=1e-12)
    assert 5 * M < taken_bps < 30 * M
    delivered = run.records["arrivals"].to_pylist()[0]["delivered_unique"] * 8000 / 8
    assert taken_bps == pytest.approx(delivered, rel=0.05)


@pytest.mark.parametrize("queue", ["drop-tail", {"kind": "red", "min": 150, "max": 750}])
def test_no_packet_in_profile_is_dropped_at_the_bottleneck(queue: Any) -> None:
    run = execute(resolved(TWO, bottleneck={**TWO["bottleneck"], "queue": queue, "buffer": "100 packets"}))
    rows = {row["name"]: row for row in run.queues.to_pylist()}
    assert rows["bottleneck"]["drops"] == rows["bottleneck"]["test_drops"] > 0


def test_the_intensity_of_real_sq_alternates_and_begins_low() -> None:
    (web,) = resolved(TWO, environment="real-sq", duration="20 s").engine["arrivals"]
    assert web["schedule"]["intervals"] == [
        [0, 30 * MS],
        [5_000 * MS, 10 * MS],
        [10_000 * MS, 30 * MS],
        [15_000 * MS, 10 * MS],
    ]
    assert (web["schedule"]["packets_mean"], web["schedule"]["packets_shape"]) == (50, 1.5)


def test_cross_traffic_of_constant_rate_joins_at_the_first_router() -> None:
    run = resolved(TWO, topology={"kind": "two-router"}, environment={"kind": "constant", "rate": "4 Mbit/s"})
    (source,) = run.engine["sources"]
    assert names(run, source["route"]) == ["first", "bottleneck"]
    assert source["rates"] == [[0, 60 * M]]
    assert "arrivals" not in run.engine
    assert run.engine["links"][0]["queue"]["kind"] == "droptail"


def test_an_rtt_list_holds_in_every_network() -> None:
    listed = [f"{ms} ms" for ms in range(100, 220, 12)]
    for base in (TWO, RING):
        run = resolved(base, path={"rtt": listed})
        test = [flow for flow in run.engine["flows"] if flow["test"]]
        assert [rtt(run, flow) for flow in test] == [ms * MS for ms in range(100, 220, 12)]


def test_mistakes_of_two_routers() -> None:
    short = refused(TWO, environment={"kind": "real-sq", "cross_rtt": "50 ms"})
    assert short.startswith('s.toml: environment.cross_rtt = "50 ms": expected at least 100 ms')
    slow = refused(TWO, topology={"kind": "two-router", "delay": "80 ms"}, environment="real-sq")
    assert slow.startswith("s.toml: environment.cross_rtt")
    shape = refused(TWO, environment={"kind": "real-sq", "packets_shape": 1})
    assert shape.startswith("s.toml: environment.packets_shape = 1: expected ")
    ring = refused(TWO, topology="ring")
    assert ring.startswith('s.toml: topology.kind = "ring": expected two-router')
    assert "no other" in refused(TWO, topology={"kind": "two-router", "links": 3})


# Ring


def test_ten_flows_on_a_ring_share_each_link_five_by_five() -> None:
    run = resolved(RING)
    users: dict[int, set[int]] = {link: set() for link in range(4)}
    for index, flow in enumerate(run.engine["flows"]):
        first, second = flow["forward"][1:]
        assert second == (first + 1) % 4
        users[first].add(index)
        users[second].add(index)
        assert names(run, flow["reverse"][:2]) == [f"reverse/{second}", f"reverse/{first}"]
        assert rtt(run, flow) == 120 * MS
    assert [len(flows) for flows in users.values()] == [5] * 4
    for flow in run.engine["flows"]:
        first, second = flow["forward"][1:]
        assert users[first] - users[second], "different competitors"
        assert users[second] - users[first], "different competitors"


@pytest.mark.parametrize(
    ("flows", "links", "hops"), [(20, 4, 2), (12, 6, 3), (50, 4, 2), (7, 3, 1), (8, 8, 5)]
)
def test_entries_spread_flows_evenly(flows: int, links: int, hops: int) -> None:
    chosen = entries([False] * flows, links, hops)
    load = [sum((link - entry) % links < hops for entry in chosen) for link in range(links)]
    assert max(load) - min(load) <= 1
    assert sum(load) == flows * hops


def test_each_link_of_a_ring_has_what_the_environment_says() -> None:
    run = resolved(RING)
    assert [source["name"] for source in run.engine["sources"]] == [f"cbr/{link}" for link in range(4)]
    assert [source["route"] for source in run.engine["sources"]] == [[0], [1], [2], [3]]
    assert all(source["rates"] == [[0, 100 * M - 5 * 5 * M]] for source in run.engine["sources"])
    assert run.available_bps == 5 * M
    fair = resolved(RING, bottleneck={"rate": "100 Mbit/s", "queue": "drr"})
    assert all(source["counts"] == [15] for source in fair.engine["sources"])


def test_delay_and_loss_of_a_ring_are_those_of_both_queues() -> None:
    run = execute(resolved(RING))
    queues = run.queues.to_pylist()[:4]
    delay = [row["mean_delay_test_ms"] for row in queues]
    loss = [row["test_drops"] / row["test_arrivals"] for row in queues]
    paths = [tuple(flow["forward"][1:]) for flow in run.engine["flows"]]
    assert run.values["delay"] == pytest.approx(sum(delay[a] + delay[b] for a, b in paths) / 10, rel=1e-12)
    expected = sum(1 - (1 - loss[a]) * (1 - loss[b]) for a, b in paths) / 10
    assert run.values["loss"] == pytest.approx(100 * expected, rel=1e-9)
    sent = sum(row["sent"] for row in run.flows.to_pylist())
    drops = sum(row["drops"] + row["drops_elsewhere"] for row in run.flows.to_pylist())
    assert run.values["loss"] == pytest.approx(100 * drops / sent, rel=0.05)
    assert drops == sum(row["test_drops"] for row in queues) > 100
    assert run.values["delay_p50"] != run.values["delay_p50"], "percentiles of two queues do not add up"


def test_mistakes_of_a_ring() -> None:
    assert refused(RING, topology={"kind": "ring", "hops": 4}).startswith(
        "s.toml: topology.hops = 4: expected less than links, 4"
    )
    assert refused(RING, topology={"kind": "ring", "links": 1}).startswith(
        "s.toml: topology.links = 1: expected 2"
    )
    short = refused(RING, bottleneck={"rate": "100 Mbit/s", "delay": "31 ms"})
    assert short.startswith('s.toml: path.rtt = "120 ms": expected at least 124 ms')
    assert refused(RING, topology="circle").startswith(
        's.toml: topology.kind = "circle": expected one of dumbbell'
    )


# Free


def test_routes_of_a_free_network() -> None:
    run = resolved(FREE)
    first, _, third = run.engine["flows"]
    assert names(run, first["forward"]) == ["access/0", "A/B", "B/C"]
    assert names(run, first["reverse"]) == ["C/D", "D/A", "access-reverse/0"]
    assert names(run, third["reverse"]) == ["C/B", "access-reverse/2"]
    assert rtt(run, first) == (10 + 20 + 5 + 5) * MS
    shortest = resolved(FREE, flows=[{"control": "aimd(1, 0.5)", "route": ["A", "C"]}])
    assert names(shortest, shortest.engine["flows"][0]["forward"]) == ["access/0", "A/D", "D/C"]


def test_a_way_back_is_made_where_none_is_listed() -> None:
    links = {link["name"]: link for link in resolved(FREE).engine["links"]}
    assert links["B/A"] == {**links["A/B"], "name": "B/A", "queue": None}
    assert links["C/B"]["rate_bps"] == M
    assert [name for name in links if not name.startswith("access")] == [
        *("A/B", "B/C", "A/D", "D/C", "C/B"),
        *("B/A", "D/A", "C/D"),
    ]


def test_what_there_is_for_each_flow_of_a_free_network() -> None:
    # A/B: 10 less 2 Mbit/s in half of the measured time, for two flows; B/C: 8 for three.
    assert resolved(FREE).available_bps == round(8 * M / 3)
    alone = resolved(FREE, flows=[{"control": "aimd(1, 0.5)", "count": 2, "route": ["A", "B"]}])
    assert alone.available_bps == (10 - 1) * M / 2


def one_link(**keys: Any) -> dict[str, Any]:
    link = {"from": "A", "to": "B", "delay": "10 ms", **keys}
    flows = [{"control": "cubic", "route": ["A", "B"], "start": "0 s"}]
    return {
        "duration": "10 s",
        "warmup": "2 s",
        "topology": {"kind": "free"},
        "links": [link],
        "flows": flows,
    }


def test_a_rate_that_changes_makes_what_there_is_in_a_free_network() -> None:
    """The rate of the file counted whatever came of it: goodput was 2 on a link of twice the rate."""
    tables = one_link(rate="10 Mbit/s", buffer="50 packets")
    on = [{"at": "4 s", "set": {"links[0].rate": "20 Mbit/s"}}]
    assert resolved(tables, on=on).available_bps == (10 * 2 + 20 * 6) / 8 * M
    shaped = one_link(rate="10 Mbit/s", buffer="50 packets", shaper={"rate": "8 Mbit/s", "burst": "9 kB"})
    assert resolved(shaped, on=on).available_bps == 8 * M


def test_what_a_trace_offers_while_the_run_is_measured_is_what_there_is_in_every_network(
    tmp_path: Path,
) -> None:
    """1 s of 12 Mbit/s and 1 s of 6: in a free network the mean of the whole trace counted, 9 Mbit/s."""
    trace = tmp_path / "two.trace"
    times = [*range(1, 1001), *range(1002, 2001, 2)]
    trace.write_text("".join(f"{time}\n" for time in times))
    times_of_run = {"duration": "2 s", "warmup": "1 s"}
    free = {**one_link(trace=str(trace)), **times_of_run}
    flows = [{"control": "cubic", "start": "0 s"}]
    dumbbell = {"bottleneck": {"trace": str(trace)}, "path": {"rtt": "20 ms"}, "flows": flows, **times_of_run}
    assert resolved(free).available_bps == resolved(dumbbell).available_bps == 6 * M
    policer = {"rate": "1 Mbit/s", "burst": "30 kB"}
    policed = {**dumbbell, "bottleneck": {"trace": str(trace), "policer": policer}}
    assert resolved(policed).available_bps == M


def test_flows_that_cross_no_queue_have_no_bottleneck() -> None:
    """It ended in a division by zero: data crossed the ways back that have no queue."""
    tables = one_link(rate="10 Mbit/s", buffer="50 packets")
    values = execute(
        resolved(tables, flows=[{"control": "cubic", "route": ["B", "A"], "receive_window": 4}])
    ).values
    assert math.isnan(values["utilisation"])
    assert math.isnan(values["idle"])
    assert (values["delay"], values["loss"]) == (0.0, 0.0)
    assert values["goodput"] > 0.0


def test_a_free_network_runs_and_its_first_queue_is_the_bottleneck() -> None:
    run = execute(resolved(FREE))
    assert [row["name"] for row in run.queues.to_pylist()] == ["A/B", "B/C"]
    assert run.values["goodput"] > 0.9
    delay = [row["mean_delay_test_ms"] for row in run.queues.to_pylist()]
    assert run.values["delay"] == pytest.approx((2 * (delay[0] + delay[1]) + delay[1]) / 3)


def free_link(index: int, **keys: Any) -> list[dict[str, Any]]:
    return [{**link, **keys} if place == index else link for place, link in enumerate(FREE["links"])]


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"links": free_link(1, to="X")}, 's.toml: links[1].to = "X": expected one of the nodes A, B, C, D'),
        ({"links": [*FREE["links"], FREE["links"][0]]}, "s.toml: links[5].to"),
        ({"links": free_link(0, to="A")}, 's.toml: links[0].to = "A": expected another node than from'),
        ({"links": free_link(0, rate="ten")}, 's.toml: links[0].rate = "ten": expected '),
        ({"links": free_link(0, hue="red")}, 's.toml: links[0].hue = "red": expected one of the keys rate, trace, trace_once, from, to, '),
        ({"links": [{"from": "A", "to": "B", "rate": "1 Mbit/s"}]}, "s.toml: links: expected at least one link with"),
        ({"flows": [{"control": "aimd(1, 0.5)"}]}, "s.toml: flows[0].route: expected this key"),
        (
            {"flows": [{"control": "aimd(1, 0.5)", "route": ["A"]}]},
            's.toml: flows[0].route = ["A"]: expected a list of 2 or more entries',
        ),
        (
            {"flows": [{"control": "aimd(1, 0.5)", "route": ["A", "Z"]}]},
            's.toml: flows[0].route = ["A", "Z"]: expected nodes that links join: A, B',
        ),
        (
            {"nodes": [], "links": [*FREE["links"], {"from": "E", "to": "F", "rate": "1 Mbit/s"}],
             "flows": [{"control": "aimd(1, 0.5)", "route": ["A", "E"]}]},
            's.toml: flows[0].route = ["A", "E"]: expected a route along links',
        ),
        ({"bottleneck": {"rate": "1 Mbit/s"}}, "s.toml: bottleneck: expected no such key"),
        ({"environment": "sq-high"}, "s.toml: environment = "),
        ({"path": {"rtt": "10 ms"}}, "s.toml: path.rtt: expected no such key"),
        ({"sources": [{"route": ["A", "B"], "rate": "0"}]}, 's.toml: sources[0].rate = "0": expected '),
        (
            {"sources": [{"route": ["A", "B"], "rate": "1 Mbit/s", "start": "90 s"}]},
            's.toml: sources[0].start = "90 s": expected a time before the end of the run, ',
        ),
        ({"links": free_link(0, drop="blackout(90 s, 1 s)")}, 's.toml: links[0].drop = "blackout(90 s, 1 s)": expected a blackout'),
        ({"nodes": [*FREE["nodes"], {"name": "A"}]}, 's.toml: nodes[4].name = "A": expected another name than that of nodes[0]'),
        ({"topology": "dumbbell", "bottleneck": {"rate": "1 Mbit/s"}}, "s.toml: nodes: expected no such key"),
    ],
)  # fmt: skip
def test_mistakes_of_a_free_network(tables: dict[str, Any], message: str) -> None:
    assert refused(FREE, **tables).startswith(message), refused(FREE, **tables)


def test_a_dumbbell_still_requires_its_bottleneck() -> None:
    with pytest.raises(InputError, match="bottleneck: expected this key, which is required"):
        parse_scenario({"flows": [{"control": "aimd(1, 0.5)"}]})


def test_the_command_line_prints_the_flows_that_a_run_draws(sawtooth: CommandLine) -> None:
    ended = sawtooth("environment", "real-cons-low", "--seed", "3", "--duration", "10 s", "--csv")
    run = resolve(parse_scenario(TWO), "3")
    rows = [line.split(",") for line in ended.out.splitlines()]
    assert rows[0] == ["start_time_s", "packets"]
    assert [(round(float(start) * 1e9), int(packets)) for start, packets in rows[1:]] == drawn(run)
    assert len(rows) > 200


def drawn(run: Resolved) -> list[tuple[int, int]]:
    (web,) = run.engine["arrivals"]
    found = table_of(
        _native.arrivals(run.seed, web["name"], canonical(web["schedule"]), run.duration_ns)
    ).to_pylist()
    return [(row["start_ns"], row["packets"]) for row in found]


def test_every_algorithm_meets_the_same_short_flows() -> None:
    other = resolved(TWO, flows=[{"count": 10, "control": "miad(1.125, 3)", "recovery": "reno"}])
    assert drawn(resolved(TWO)) == drawn(other)
    run: Run = execute(resolved(TWO, record={"completions": True}))
    done = {(row["start_ns"], row["packets"]) for row in run.records["completions"].to_pylist()}
    assert done <= set(drawn(resolved(TWO)))
    assert len(done) > 200


def test_a_file_of_short_flows_replays_the_draws(sawtooth: CommandLine, tmp_path: Path) -> None:
    printed = sawtooth("environment", "real-cons-low", "--seed", "1", "--duration", "10 s", "--csv").out
    (tmp_path / "web.csv").write_text(printed, encoding="utf-8")
    tables = {**TWO, "environment": {"kind": "real-cons-low", "arrivals": "web.csv"}}
    replayed = resolve(parse_scenario(tables, "s.toml", tmp_path))
    (web,) = replayed.engine["arrivals"]
    listed = list(zip(web["schedule"]["starts_ns"], web["schedule"]["packets"], strict=True))
    assert listed == drawn(resolved(TWO))
    assert execute(replayed).digest == execute(resolved(TWO)).digest


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("time_s,rate\n", 'web.csv: line 1 = "time_s,rate": expected the header start_time_s,packets'),
        ("start_time_s,packets\n1.0,5\n0.5,5\n", 'web.csv: line 3 = "0.5,5": expected start_time_s,packets'),
        ("start_time_s,packets\n1.0,0\n", 'web.csv: line 2 = "1.0,0": expected '),
        ("start_time_s,packets\nsoon,3\n", 'web.csv: line 2 = "soon,3": expected '),
    ],
)
def test_a_file_of_short_flows_that_is_none(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "web.csv").write_text(text, encoding="utf-8")
    tables = {**TWO, "environment": {"kind": "short-flows", "arrivals": "web.csv"}}
    with pytest.raises(InputError) as caught:
        resolve(parse_scenario(tables, "s.toml", tmp_path))
    assert message in str(caught.value)


def test_short_flows_have_an_interval_or_a_file() -> None:
    (web,) = resolved(TWO, environment="short-flows").engine["arrivals"]
    assert web["schedule"]["intervals"] == [[0, 30 * MS]]
    both = refused(TWO, environment={"kind": "short-flows", "interarrival": "1 s", "arrivals": "web.csv"})
    assert 'environment.arrivals = "web.csv": expected interarrival or arrivals' in both

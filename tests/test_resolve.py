"""Resolving: the engine's data for the reference scenario number by number, canonical and drawn from named streams."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from sawtooth import _native
from sawtooth.errors import InputError
from sawtooth.scenario.resolve import Resolved, resolve
from sawtooth.scenario.scenario import parse_scenario
from sawtooth.scenario.schedule import Schedule, write_schedule
from sawtooth.scenario.tcp_fields import engine_tcp
from sawtooth.scenario.trace import Trace, write_trace

S = 1_000_000_000
M = 1_000_000

REFERENCE: dict[str, Any] = {
    "duration": "60 s",
    "warmup": "5 s",
    "bottleneck": {"rate": "100 Mbit/s", "delay": "40 ms", "buffer": "1 bdp", "queue": "drop-tail"},
    "path": {"rtt": "120 ms", "rtt_spread": 0.05, "send_jitter": "80 us"},
    "tcp": {"initial_window": 2, "initial_rto": "3 s", "timer_tick": "10 ms"},
    "environment": "sq-high",
    "flows": [{"count": 10, "control": "aimd(1, 0.8)", "start": {"first": "0 s", "every": "0.1 s"}}],
}


def resolved(seed: str | None = None, **tables: Any) -> Resolved:
    return resolve(parse_scenario({**REFERENCE, **tables}, "s.toml"), seed)


def group(**keys: Any) -> dict[str, Any]:
    return {"control": "aimd(1, 0.8)", **keys}


def test_the_reference_scenario_number_by_number() -> None:
    run = resolved()
    engine = run.engine
    assert (engine["seed"], engine["duration_ns"], engine["warmup_ns"]) == ("1", 60 * S, 5 * S)
    assert engine["links"][0] == {
        "name": "bottleneck",
        "rate_bps": 100 * M,
        "delay_ns": 40 * M,
        "queue": {"kind": "droptail", "packets": 1500},
        "drop": None,
        "mark": None,
    }
    assert engine["links"][1] == {**engine["links"][0], "name": "reverse", "queue": None}
    access = {"rate_bps": 1000 * M, "delay_ns": 17 * M, "queue": None, "drop": None, "mark": None}
    assert engine["links"][2] == {"name": "access/0", **access}
    assert engine["links"][3] == {"name": "access-reverse/0", **access}
    assert len(engine["links"]) == 22
    (profile,) = engine["profiles"]
    assert profile["controller"] == {"kind": "linear", "a_i": 1.0, "b_i": 1.0, "a_d": 0.0, "b_d": 0.8}
    given = {"initial_window": 2.0, "initial_rto_ns": 3 * S, "timer_tick_ns": 10 * M}
    assert profile["tcp"] == {**engine_tcp({"ecn": False}), **given}
    assert profile["tcp"]["min_rto_ns"] == 200 * M
    assert profile["tcp"]["delayed_ack"] is False
    assert profile["tcp"]["receive_window"] is None
    assert (profile["recovery"], profile["packet_bytes"], profile["ack_bytes"]) == ("sack", 1000, 40)
    assert profile["send_jitter_ns"] == 80_000
    assert [flow["start_ns"] for flow in engine["flows"]] == [i * S // 10 for i in range(10)]
    assert engine["flows"][0] == {
        "profile": 0,
        "test": True,
        "in_profile": False,
        "forward": [2, 0],
        "reverse": [1, 3],
        "start_ns": 0,
        "stop_ns": None,
        "packets": None,
    }
    square = [[t * S, 0 if t % 10 == 0 else 90 * M] for t in range(0, 60, 5)]
    assert engine["sources"] == [{"name": "cbr", "packet_bytes": 1000, "route": [0], "rates": square}]
    assert engine["record"] == {"windows": False, "sample_ns": None, "rates_ns": None}
    assert run.test_flows == 10
    assert run.available_bps == pytest.approx(56e7 / 110)  # 30 s of 1 and 25 s of 10 Mbit/s in [5, 60)
    assert run.meta["capacity_bps"] == 100 * M


def test_the_engine_takes_it_and_it_survives_json() -> None:
    run = resolved(record={"windows": True, "sample": "10 ms", "rates": "0.2 s"})
    _native.check(run.engine_json)
    assert json.loads(run.engine_json) == run.engine
    again = Resolved.from_dict(json.loads(json.dumps(run.to_dict())))
    assert again == run
    assert again.engine_json == run.engine_json
    assert run.engine["record"] == {"windows": True, "sample_ns": 10 * M, "rates_ns": 200 * M}


def test_the_same_scenario_and_seed_give_the_same_text_whatever_the_order_of_keys() -> None:
    backwards = {key: REFERENCE[key] for key in reversed(REFERENCE)}
    a = resolve(parse_scenario(REFERENCE, "s.toml"), "5")
    b = resolve(parse_scenario(backwards, "s.toml"), 5)
    assert a.engine_json == b.engine_json
    assert a.meta == b.meta


def test_other_spellings_of_the_same_numbers_are_the_same_run() -> None:
    other = resolved(
        duration="1 min",
        environment={"kind": "square", "high": "10000 kbps", "low": "1e6 bit/s", "interval": "5 s"},
        bottleneck={
            "rate": "0.1 Gbit/s",
            "delay": "40000 us",
            "buffer": "120 ms",
            "queue": {"kind": "droptail"},
        },
    )
    assert other.engine_json == resolved().engine_json


def test_a_seed_changes_what_is_drawn_and_nothing_else() -> None:
    drawn = {"environment": "rd-high", "flows": [group(count=10, start="uniform 0..1 s")]}
    one, same, two = (resolved(seed, **drawn) for seed in ("1", "1", "2"))
    assert one.engine_json == same.engine_json
    assert one.schedule != two.schedule
    assert [f["start_ns"] for f in one.engine["flows"]] != [f["start_ns"] for f in two.engine["flows"]]
    assert one.engine["links"] == two.engine["links"]
    assert one.engine["profiles"] == two.engine["profiles"]


def test_the_seed_of_the_file_holds_unless_another_is_given() -> None:
    assert resolved(seed=None).seed == "1"
    scenario = parse_scenario({**REFERENCE, "seed": 42})
    assert resolve(scenario).seed == "42"
    assert resolve(scenario, 7).seed == "7"
    assert resolve(scenario, "monday").seed == "monday"
    with pytest.raises(InputError, match=r"scenario: seed = -1: expected a seed"):
        resolve(scenario, -1)


def test_another_flow_moves_no_other_flows_start() -> None:
    few = resolved(flows=[group(count=3, start="uniform 0..1 s")])
    many = resolved(flows=[group(count=9, start="uniform 0..1 s"), group(start="uniform 0..1 s")])
    starts = [[flow["start_ns"] for flow in run.engine["flows"]] for run in (few, many)]
    assert starts[0] == starts[1][:3]
    assert len(set(starts[1])) == 10


def test_algorithms_under_comparison_meet_the_same_environment_and_starts() -> None:
    runs = [
        resolved("3", environment="rw-high", flows=[group(count=10, control=control, recovery=recovery)])
        for control, recovery in (("aimd(1, 0.8)", "sack"), ("aiad(1, 3)", "reno"))
    ]
    assert runs[0].schedule == runs[1].schedule
    assert runs[0].engine["sources"] == runs[1].engine["sources"]
    assert [f["start_ns"] for f in runs[0].engine["flows"]] == [
        f["start_ns"] for f in runs[1].engine["flows"]
    ]


def test_without_environment_the_bottleneck_is_shared_and_nobody_crosses() -> None:
    run = resolved(environment=None)
    assert run.schedule == Schedule.constant(10 * M)
    assert run.engine["sources"] == []
    assert run.echo["environment"] is None


def test_an_environment_at_the_fair_share_needs_no_cross_traffic() -> None:
    assert resolved(environment="cons-high").engine["sources"] == []
    # 100 Mbit/s for 3 flows: what the rounding of C/n leaves over is no traffic.
    assert (
        resolved(environment={"kind": "constant", "rate": "1 Gbit/s"}, flows=[group(count=3)]).engine[
            "sources"
        ]
        == []
    )


def test_cross_traffic_changes_only_where_the_level_does() -> None:
    run = resolved(environment={"kind": "rw-high", "interval": "1 s"})
    (source,) = run.engine["sources"]
    rates = source["rates"]
    assert all(a[1] != b[1] for a, b in pairwise(rates))
    assert len(rates) < len(run.schedule.times_ns)  # this walk stands still at the cap at times
    for time, rate in rates:
        assert rate == 100 * M - 10 * run.schedule.at(time)


def test_a_schedule_file_is_replayed_exactly(tmp_path: Path) -> None:
    schedule = Schedule((0, 1_500_000_000, 30 * S), (3_000_001, 123_457, 7 * M))
    write_schedule(schedule, tmp_path / "own.csv")
    data = {**REFERENCE, "environment": {"file": "own.csv"}}
    run = resolve(parse_scenario(data, "s.toml", tmp_path))
    assert run.schedule == schedule
    assert run.engine["sources"][0]["rates"] == [
        [0, 69_999_990],
        [1_500_000_000, 98_765_430],
        [30 * S, 30 * M],
    ]


def test_a_trace_takes_the_place_of_the_rate(tmp_path: Path) -> None:
    write_trace(Trace((5, 10)), tmp_path / "slow.trace")
    data = {
        **REFERENCE,
        "environment": None,
        "bottleneck": {"trace": "slow.trace", "delay": "10 ms"},
        "flows": [group(count=2)],
    }
    run = resolve(parse_scenario(data, "s.toml", tmp_path))
    bottleneck, reverse = run.engine["links"][:2]
    assert (bottleneck["rate_bps"], bottleneck["trace_ms"], bottleneck["trace_once"]) == (
        None,
        [5, 10],
        False,
    )
    assert reverse["rate_bps"] == 1000 * M  # acknowledgements are never the bottleneck
    assert run.meta["capacity_bps"] == 2_400_000
    assert run.schedule == Schedule.constant(1_200_000)
    assert bottleneck["queue"] == {"kind": "droptail", "packets": 36}  # 2.4 Mbit/s · 120 ms / 8000 bit
    assert "trace_once" not in reverse


def test_a_shipped_trace_needs_no_file() -> None:
    run = resolved(
        environment=None,
        bottleneck={"trace": "constant-12mbit.trace", "trace_once": True, "delay": 0},
        warmup=0,
        duration="1 s",
        flows=[group(start=0)],
    )
    assert run.engine["links"][0]["trace_ms"] == [1]
    assert run.available_bps == 12_000.0  # one opportunity in this second


def test_buffers() -> None:
    def queue(buffer: str, **tables: Any) -> dict[str, Any]:
        link = {"rate": "100 Mbit/s", "delay": "40 ms", "buffer": buffer}
        return dict(resolved(bottleneck=link, **tables).engine["links"][0]["queue"])

    assert queue("0.1 bdp") == {"kind": "droptail", "packets": 150}
    with pytest.raises(
        InputError, match=r'bottleneck\.buffer = "1(0{30}) bdp": expected a buffer of at most \d+ packets'
    ):
        queue("1e30 bdp")
    assert queue("1.5 MB") == {"kind": "droptail", "bytes": 1_500_000}
    assert queue("10 packets") == {"kind": "droptail", "packets": 10}
    assert queue("1 bdp", flows=[group(packet="1500 B")]) == {"kind": "droptail", "packets": 1000}
    assert queue("1 bdp", flows=[group(count=2)], path={"rtt": ["100 ms", "200 ms"]})["packets"] == 1875
    own = [group(rtt="240 ms"), group(reverse=True)]  # the path's 120 ms is nobody's but the reverse flow's
    assert queue("1 bdp", flows=own)["packets"] == 3000
    assert queue("1 bdp", flows=[group(rtt="240 ms"), group()])["packets"] == 1500


RED: dict[str, Any] = {"kind": "red", "min": 150, "max": 750}


def red(**keys: Any) -> dict[str, Any]:
    return {**REFERENCE["bottleneck"], "queue": {**RED, **keys}}


def test_a_queue_reaches_the_engine_with_every_parameter() -> None:
    run = resolved(bottleneck=red(mean_packet="500 B", spacing="uniform"))
    given = {"min": 150.0, "max": 750.0, "mean_packet": 500, "spacing": "uniform"}
    described = {row["name"]: row for row in _native.describe()["disciplines"]}["red"]["parameters"]
    defaults = {row["name"]: row["default"] for row in described}
    assert run.engine["links"][0]["queue"] == {"kind": "red", "packets": 1500, **defaults, **given}
    assert run.echo["bottleneck"]["queue_parameters"] == {**defaults, **given}
    written = parse_scenario({**REFERENCE, "bottleneck": red()}, "s.toml").bottleneck.queue
    assert written.text() == {**defaults, "kind": "red", "min": 150.0, "max": 750.0, "mean_packet": "1 kB"}
    assert type(written).parse(written.text()) == written


def test_flows_are_capable_where_a_queue_marks() -> None:
    def capable(**tables: Any) -> bool:
        return bool(resolved(**tables).engine["profiles"][0]["tcp"]["ecn"])

    assert [capable(bottleneck=red(ecn=ecn)) for ecn in (False, True)] == [False, True]
    assert capable(bottleneck=red(), reverse={"queue": {"kind": "rio", "ecn": True}})
    assert not capable(bottleneck=red(ecn=True), tcp={"ecn": False})


def test_times_of_a_queue_go_to_the_engine_in_nanoseconds() -> None:
    given = {"kind": "codel", "target": "2 ms", "interval": "40 ms", "ecn": True, "ce_threshold": "0.5 ms"}
    run = resolved(bottleneck={"rate": "10 Mbit/s", "buffer": "20 packets", "queue": given})
    engine = {"target_ns": 2_000_000, "interval_ns": 40_000_000, "ecn": True, "ce_threshold_ns": 500_000}
    expected = {"kind": "codel", "packets": 20, **engine, "variant": "rfc8289"}
    assert run.engine["links"][0]["queue"] == expected
    written = parse_scenario(
        {**REFERENCE, "bottleneck": {"rate": "1 Mbit/s", "queue": given}}
    ).bottleneck.queue
    assert written.text() == {**given, "ce_threshold": "500 us", "variant": "rfc8289"}
    assert type(written).parse(written.text()) == written
    assert "ce_threshold" not in type(written).parse("codel").text()


def test_a_threshold_alone_makes_flows_capable() -> None:
    for keys, capable in (({}, False), ({"ecn": True}, True), ({"ce_threshold": "1 ms"}, True)):
        run = resolved(bottleneck={"rate": "10 Mbit/s", "queue": {"kind": "codel", **keys}})
        assert run.engine["profiles"][0]["tcp"]["ecn"] == capable


@pytest.mark.parametrize(
    ("kind", "buffer", "packets"),
    [
        ("codel", None, 1000),
        ("pie", None, 1000),
        ("fq-codel", None, 10240),
        ("codel", "0.5 bdp", 75),
        ("drop-tail", None, 150),
    ],
)
def test_a_queue_may_have_a_buffer_of_its_own(kind: str, buffer: str | None, packets: int) -> None:
    size = {} if buffer is None else {"buffer": buffer}
    table = {"rate": "10 Mbit/s", "queue": kind, **size}
    run = resolved(bottleneck=table, path={"rtt": "120 ms"})
    assert run.engine["links"][0]["queue"]["packets"] == packets
    back = resolved(bottleneck={"rate": "10 Mbit/s"}, path={"rtt": "120 ms"}, reverse={"queue": kind, **size})
    assert back.engine["links"][1]["queue"]["packets"] == packets


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (
            {"kind": "codel", "target": "0.5 us"},
            's.toml: bottleneck.queue.target = "500 ns": expected 1 us to 1 day',
        ),
        ({"kind": "pie", "alpha": -1}, "s.toml: bottleneck.queue.alpha = -1: expected 0 to 1000 per second"),
        ({"kind": "pie", "mark_ecnth": 2}, "s.toml: bottleneck.queue.mark_ecnth = 2: expected 0 to 1"),
    ],
)
def test_a_number_of_a_queue_out_of_range_is_named(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        resolved(bottleneck={"rate": "1 Mbit/s", "queue": keys})
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"min": 0}, "s.toml: bottleneck.queue.min = 0: expected above 0, at most 1e9 packets"),
        ({"max": 150}, "s.toml: bottleneck.queue.max = 150: expected above min, at most 1e9 packets"),
        ({"max_p": 1.5}, "s.toml: bottleneck.queue.max_p = 1.5: expected 0 < max_p ≤ 1"),
        ({"weight": -1}, "s.toml: bottleneck.queue.weight = -1: expected 0 < weight ≤ 1"),
        ({"mean_packet": "1 MB"}, "s.toml: bottleneck.queue.mean_packet = 1000000: expected 1 B to 65535 B"),
    ],
)
def test_a_parameter_out_of_range_is_named(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        resolved(bottleneck=red(**keys))
    assert str(caught.value) == message


def test_in_profile_flows() -> None:
    run = resolved(flows=[group(), group(in_profile=True)], bottleneck=red(kind="rio", rule="drop-tail"))
    assert [flow["in_profile"] for flow in run.engine["flows"]] == [False, True]
    assert run.engine["links"][0]["queue"]["rule"] == "drop-tail"


def test_the_reverse_link_queues_when_data_or_the_user_asks() -> None:
    def reverse(**tables: Any) -> dict[str, Any]:
        return dict(resolved(**tables).engine["links"][1])

    assert reverse()["queue"] is None
    assert reverse(flows=[group(), group(reverse=True)])["queue"] == {"kind": "droptail", "packets": 1500}
    own = reverse(reverse={"rate": "10 Mbit/s", "delay": "30 ms", "buffer": "1 bdp", "drop": "periodic(9)"})
    assert own["queue"] == {"kind": "droptail", "packets": 150}
    assert (own["rate_bps"], own["delay_ns"], own["drop"]) == (10 * M, 30 * M, {"kind": "periodic", "n": 9})
    assert reverse(reverse={"queue": "drop-tail"})["queue"] == {"kind": "droptail", "packets": 1500}


def test_reverse_flows_are_no_test_flows() -> None:
    run = resolved(flows=[group(count=4), group(count=6, reverse=True)])
    assert run.test_flows == 4
    assert [flow["test"] for flow in run.engine["flows"]] == [True] * 4 + [False] * 6
    assert run.engine["sources"][0]["rates"][1] == [5 * S, 96 * M]


def test_alike_groups_share_a_profile_and_others_do_not() -> None:
    groups = [group(), group(recovery="reno"), group(rtt="150 ms"), group(min_rto="1 s")]
    run = resolved(flows=groups)
    assert [flow["profile"] for flow in run.engine["flows"]] == [0, 1, 0, 2]
    assert [p["tcp"]["min_rto_ns"] for p in run.engine["profiles"]] == [200 * M, 200 * M, S]


def test_a_supply_counts_packets_from_the_start_of_each_flow() -> None:
    supply = [["0 s", "10 packets"], ["1.5 s", "2001 B"]]
    run = resolved(flows=[group(count=2, supply=supply), group()])
    assert [flow.get("supply") for flow in run.engine["flows"]] == [[[0, 10], [1500 * M, 3]]] * 2 + [None]
    assert [row.get("supply") for row in run.echo["flows"]] == [[[0, 10], [1500 * M, 3]]] * 2 + [None]
    assert all(flow["packets"] is None for flow in run.engine["flows"])


def test_settings_that_came_later_are_left_out_at_their_default_and_beside_rate_based_controllers() -> None:
    flows = [group(ecn=True), {**group(ecn=True), "control": "tfrc"}]
    assert all("pacing" not in p["tcp"] for p in resolved(flows=flows).engine["profiles"])
    run = resolved(flows=flows, tcp={"rtt_samples": "every", "pacing": "on"})
    assert [p["tcp"].get("rtt_samples") for p in run.engine["profiles"]] == ["every", None]
    assert [p["tcp"].get("pacing") for p in run.engine["profiles"]] == ["on", None]


def test_a_recovery_may_have_defaults_of_its_own() -> None:
    names = ("prr", "rto", "rtt_samples")

    def found(**tables: Any) -> list[Any]:
        tcp = resolved(**tables).engine["profiles"][0]["tcp"]
        return [tcp.get(name) for name in names]

    assert found(flows=[group(recovery="rack")]) == ["rfc9937", "linux", "every"]
    assert found(flows=[group(recovery="sack")]) == [None, None, None]
    # What a scenario writes counts, for all flows or for a group.
    assert found(flows=[group(recovery="rack")], tcp={"rto": "rfc6298"}) == ["rfc9937", None, "every"]
    assert found(flows=[group(recovery="rack", prr="off")]) == [None, "linux", "every"]


def test_a_controller_may_have_defaults_of_its_own() -> None:
    def found(**tables: Any) -> list[Any]:
        tcp = resolved(**tables).engine["profiles"][0]["tcp"]
        return [tcp["slow_start_exit"], tcp["timeout_threshold"]]

    assert found(flows=[group(control="cubic(beta=0.8)")]) == ["law", "law"]
    assert found(flows=[group(control="aimd(1, 0.5)")]) == ["half", "half"]
    both = [group(control="cubic", recovery="rack")]
    assert found(flows=both, tcp={"timeout_threshold": "half"}) == ["law", "half"]
    assert resolved(flows=both).engine["profiles"][0]["tcp"]["prr"] == "rfc9937"


def test_a_slow_start_reaches_the_engine() -> None:
    def found(word: str) -> Any:
        return resolved(tcp={"slow_start": word}).engine["profiles"][0]["tcp"].get("slow_start")

    assert [found(word) for word in ("standard", "hystart++", "hystart")] == [None, "hystart++", "hystart"]


def test_ecn_follows_marks_unless_told() -> None:
    def ecn(**tables: Any) -> bool:
        return bool(resolved(**tables).engine["profiles"][0]["tcp"]["ecn"])

    marking = {**REFERENCE["bottleneck"], "mark": "bernoulli(0.01)"}
    assert not ecn()
    assert ecn(bottleneck=marking)
    assert ecn(path={"mark": "periodic(100)"})
    assert not ecn(bottleneck=marking, tcp={"ecn": False})
    assert ecn(tcp={"ecn": True})
    assert ecn(bottleneck=marking, tcp={"ecn": "auto"})
    assert not ecn(bottleneck=marking, tcp={"ecn": "off"})


def test_ecn_goes_to_the_engine_as_it_always_did_where_it_could() -> None:
    def ecn(**tables: Any) -> list[Any]:
        return [profile["tcp"]["ecn"] for profile in resolved(**tables).engine["profiles"]]

    words = ["off", "classic", "accurate", "l4s"]
    assert [ecn(tcp={"ecn": word}) for word in words] == [[False], [True], ["accurate"], ["l4s"]]
    # Beside a rate-based controller, whose reports say what was marked, only whether packets are capable counts.
    flows = [group(), {**group(), "control": "tfrc"}]
    assert ecn(flows=flows, tcp={"ecn": "l4s"}) == ["l4s", True]


def test_sizes_of_transfers_are_whole_packets() -> None:
    run = resolved(
        flows=[group(bytes="1 B"), group(bytes="10 kB"), group(bytes="10001 B", packet="500 B", stop="50 s")]
    )
    assert [flow["packets"] for flow in run.engine["flows"]] == [1, 10, 21]
    assert [flow["stop_ns"] for flow in run.engine["flows"]] == [None, None, 50 * S]


def test_impairments_sit_on_their_links() -> None:
    run = resolved(
        bottleneck={**REFERENCE["bottleneck"], "drop": "bernoulli(0.001)"}, path={"drop": "list(3, 5)"}
    )
    links = {link["name"]: link["drop"] for link in run.engine["links"]}
    assert links["bottleneck"] == {"kind": "bernoulli", "p": 0.001}
    assert links["access/4"] == {"kind": "list", "packets": [3, 5]}
    assert links["access-reverse/4"] is None
    assert links["reverse"] is None


def test_the_echo_has_every_number() -> None:
    run = resolved(
        flows=[
            group(count=2, start="uniform 0..1 s"),
            group(control="aiad(1, 3)", recovery="reno", reverse=True),
        ]
    )
    echo = run.echo
    assert echo["flows"][1]["controller"]["b_d"] == 0.8
    assert echo["flows"][1]["start_ns"] == run.engine["flows"][1]["start_ns"]
    assert echo["flows"][2]["recovery"] == "reno"
    assert echo["flows"][2]["test"] is False
    assert echo["bottleneck"]["buffer_packets"] == 1500
    assert echo["environment"]["kind"] == "sq-high"
    assert echo["available_bps"] == run.available_bps
    json.dumps(run.meta, allow_nan=False)


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        (
            {"environment": {"kind": "sq-high", "floor": "20 Mbit/s"}},
            's.toml: environment.floor = "20 Mbit/s": expected at most the fair share',
        ),
        ({"environment": {"file": "no.csv"}}, 's.toml: environment.file = "no.csv": expected a CSV file'),
        (
            {
                "environment": {"kind": "step", "first": 0, "then": "1 Mbit/s", "at": "59.9 s"},
                "duration": "59 s",
            },
            "s.toml: environment.at = ",
        ),
        (
            {"environment": {"kind": "step", "first": "1 Mbit/s", "then": 0, "at": "5 s"}},
            "s.toml: environment: expected some available bandwidth",
        ),
        (
            {"environment": None, "bottleneck": {"trace": "no.trace"}},
            's.toml: bottleneck.trace = "no.trace": expected a trace file',
        ),
        (
            {"environment": None, "bottleneck": {"trace": "constant-12mbit.trace", "trace_once": True}},
            "s.toml: bottleneck.trace: expected some available",
        ),
        ({"tcp": {"initial_window": 0}}, "s.toml: tcp.initial_window = 0"),
        ({"tcp": {"max_rto": "100 ms"}}, 's.toml: tcp.max_rto = "100 ms": expected at least min_rto'),
        (
            {"flows": [{**group(ecn="accurate"), "control": "tfrc"}]},
            's.toml: flows[0].ecn = "accurate": expected off or classic for a rate-based controller',
        ),
        ({"flows": [group(min_rto=0)]}, 's.toml: flows[0].min_rto = "0 s": expected a positive time'),
        (
            {"path": {"access_rate": "200000 Gbit/s"}},
            's.toml: path.access_rate = "200000 Gbit/s": expected 1 bit/s to',
        ),
        (
            {"environment": None, "duration": "9000000 min"},
            's.toml: duration = "540000000 s": expected 1 ns to ten years',
        ),
        ({"flows": [group(), group(initial_window=0)]}, "s.toml: flows[1].initial_window = 0"),
        ({"path": {"rtt": "79 ms"}}, 's.toml: path.rtt = "79 ms": expected at least 80 ms'),
    ],
)
def test_what_only_shows_when_resolving(tables: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        resolved(**tables)
    assert message in str(caught.value)
    assert len(str(caught.value).splitlines()) <= 3


def test_a_mistake_inside_a_file_names_that_file(tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text("time_s,available_bps_per_flow\n0,1\n0,2\n")
    (tmp_path / "bad.trace").write_text("5\n3\n")
    tables: list[tuple[dict[str, Any], str]] = [
        ({"environment": {"file": "bad.csv"}}, f'{tmp_path / "bad.csv"}: line 3 = "0,2"'),
        (
            {"environment": None, "bottleneck": {"trace": "bad.trace"}},
            f'{tmp_path / "bad.trace"}: line 2 = "3"',
        ),
    ]
    for table, message in tables:
        with pytest.raises(InputError) as caught:
            resolve(parse_scenario({**REFERENCE, **table}, "s.toml", tmp_path))
        assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("shared", "own", "expected"),
    [
        ({}, {}, (False, None)),
        ({"ack_every": 1}, {}, (False, None)),
        ({"ack_every": 2}, {}, (True, None)),
        ({"ack_every": 4}, {}, (True, 4)),
        ({"ack_every": 4, "delayed_ack": True}, {}, (True, 4)),
        ({"ack_every": 4}, {"delayed_ack": False}, (False, None)),
        ({"delayed_ack": True}, {"ack_every": 1}, (False, None)),
        ({"delayed_ack": True}, {"ack_every": 8}, (True, 8)),
    ],
)
def test_delayed_ack_is_every_second_packet(
    shared: dict[str, Any], own: dict[str, Any], expected: tuple[bool, int | None]
) -> None:
    run = resolved(tcp={**REFERENCE["tcp"], **shared}, flows=[group(**own)])
    (profile,) = run.engine["profiles"]
    assert (profile["tcp"]["delayed_ack"], profile["tcp"].get("ack_every")) == expected

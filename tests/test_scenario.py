"""Scenario files: the one printed in the design, defaults, every kind of mistake with its message, and the schema."""

from __future__ import annotations

import copy
import tomllib
from pathlib import Path
from typing import Any

import pytest

from sawtooth import _native
from sawtooth.errors import InputError
from sawtooth.scenario.resolve import resolve
from sawtooth.scenario.scenario import Scenario, json_schema, load_scenario, parse_scenario

S = 1_000_000_000

AS_PRINTED = """
duration = "60 s"
warmup   = "5 s"
seed     = "1"

[bottleneck]
rate   = "100 Mbit/s"            # or trace = "cellular.trace"
delay  = "20 ms"                 # one way
buffer = "1 bdp"                 # or "1500 packets", "120 ms", "1.5 MB"
queue  = { kind = "red", min = 150, max = 750, max_p = 0.1, weight = 0.002, gentle = true, spacing = "wait", ecn = false }
                                 # or { kind = "drop-tail" }, { kind = "drr", quantum = "1000 B" }, { kind = "rio", … }
# drop = "bernoulli(0.001)"      # impairment: also periodic(n), list(100, 900, …); mark = … likewise

[path]
rtt         = "120 ms"           # propagation only; or a list with one value per test flow
rtt_spread  = 0.05               # flow i gets an evenly spread RTT within ±5 %
access_rate = "1 Gbit/s"
send_jitter = "80 us"            # each data packet leaves U(0, j) later, order kept; default 0

[tcp]                            # defaults of every flow; a flow may override any of them
initial_window = 2               # default 10;   initial_rto 1 s · min_rto 200 ms · max_rto 60 s · timer_tick 0
min_rto = "200 ms"               # delayed_ack false · slow_start_exit "half"

[environment]
kind = "square"                  # constant (rate) · square (high, low, period) · saw-tooth · step · … or file = "schedule.csv"
high = "10 Mbit/s"
low  = "1 Mbit/s"
period = "10 s"                  # 5 s high, 5 s low
# cross_load = 1.25              # DRR only

[[flows]]
count    = 10
control  = "aimd(1, 0.8)"        # or { kind = "linear", a_i = 1, b_i = 1, a_d = 0, b_d = 0.8 }
recovery = "sack"
packet   = "1000 B"
start    = "uniform 0..1 s"      # or { first = "0 s", every = "0.1 s" }, or a list
"""

DROP_TAIL = "\n".join(
    'queue = { kind = "drop-tail" }' if x.startswith("queue") else x for x in AS_PRINTED.splitlines()
)

MINIMAL: dict[str, Any] = {"bottleneck": {"rate": "10 Mbit/s"}, "flows": [{"control": "aimd(1, 0.5)"}]}


def scenario(**tables: Any) -> Scenario:
    return parse_scenario({**copy.deepcopy(MINIMAL), **tables}, "s.toml")


def flows(**group: Any) -> list[dict[str, Any]]:
    return [{"control": "aimd(1, 0.5)", **group}]


def test_the_printed_file() -> None:
    read = parse_scenario(AS_PRINTED, "s.toml")
    assert (read.duration, read.warmup, read.seed) == (60 * S, 5 * S, "1")
    assert (read.bottleneck.rate, read.bottleneck.delay) == (100_000_000, 20_000_000)
    assert (str(read.bottleneck.buffer), read.bottleneck.queue.kind) == ("1 bdp", "red")
    assert read.bottleneck.queue.parameters == {
        "min": 150.0,
        "max": 750.0,
        "max_p": 0.1,
        "weight": 0.002,
        "gentle": True,
        "spacing": "wait",
        "ecn": False,
        "mean_packet": 1000,
    }
    path = read.path
    assert (path.rtt, path.rtt_spread, path.access_rate, path.send_jitter) == (
        120_000_000,
        0.05,
        10**9,
        80_000,
    )
    assert read.environment is not None
    assert read.environment.text() == {
        "kind": "square",
        "floor": "0 bit/s",
        "high": "10 Mbit/s",
        "low": "1 Mbit/s",
        "period": "10 s",
        "duty": 0.5,
    }
    (group,) = read.flows
    assert (group.count, group.recovery, group.packet, group.ack) == (10, "sack", 1000, 40)
    assert group.control.engine == {"kind": "linear", "a_i": 1.0, "b_i": 1.0, "a_d": 0.0, "b_d": 0.8}
    assert (group.start.lowest_ns, group.start.highest_ns) == (0, S)


def test_the_other_spellings_in_its_comments() -> None:
    text = DROP_TAIL.replace('rate   = "100 Mbit/s"', 'trace = "cellular.trace"').replace(
        "[environment]", "[[unused]]"
    )
    tables = tomllib.loads(text)
    del tables["unused"]
    tables["bottleneck"]["drop"] = "list(100, 900)"
    tables["bottleneck"]["mark"] = "periodic(50)"
    tables["flows"][0]["control"] = {"kind": "linear", "a_i": 1, "b_i": 1, "a_d": 0, "b_d": 0.8}
    tables["flows"][0]["start"] = {"first": "0 s", "every": "0.1 s"}
    read = parse_scenario(tables)
    assert read.bottleneck.trace == "cellular.trace"
    assert read.bottleneck.drop is not None
    assert read.bottleneck.drop.engine == {"kind": "list", "packets": [100, 900]}
    assert read.bottleneck.drop.text() == "list(100, 900)"
    assert read.flows[0].start.starts("1", 0, 3) == [0, S // 10, 2 * S // 10]
    for buffer in ("1500 packets", "120 ms", "1.5 MB"):
        assert str(scenario(bottleneck={"rate": "1 Mbit/s", "buffer": buffer}).bottleneck.buffer) == buffer


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        ("0 s", [0, 0]),
        (0, [0, 0]),
        ("2 s", [2 * S, 2 * S]),
        (["1 s", "0.5 s"], [S, S // 2]),
        ({"every": "1 s"}, [0, S]),
        ({"first": "1 s"}, [S, S]),
        ({"first": "3 s", "every": "1 s"}, [3 * S, 4 * S]),
    ],
)
def test_starts(start: Any, expected: list[int]) -> None:
    group = scenario(flows=flows(count=2, start=start)).flows[0]
    assert group.start.starts("1", 0, 2) == expected
    assert group.start.latest(2) == max(expected)
    assert type(group.start).parse(group.start.text()) == group.start


@pytest.mark.parametrize(
    "text", ["uniform 1..3 s", "uniform 1 s..3 s", "uniform 1000 ms .. 3 s", "uniform 1s..3s"]
)
def test_uniform_starts_come_from_each_flows_own_stream(text: str) -> None:
    group = scenario(flows=flows(count=2, start=text)).flows[0]
    expected = [S + int(_native.uniforms("9", f"start/flow/{flow}", 1)[0] * 2 * S) for flow in (4, 5)]
    assert group.start.starts("9", 4, 2) == expected
    assert all(S <= start < 3 * S for start in expected)


def test_defaults_come_from_the_engines_description() -> None:
    tcp = scenario().tcp
    for row in _native.describe()["tcp"]:
        expected = row["default"]
        if row["kind"] == "span" and isinstance(expected, str):
            expected = {"1 s": S, "200 ms": 200_000_000, "60 s": 60 * S, "0 s": 0, "0": 0}[expected]
        assert getattr(tcp, row["name"]) == expected


def test_a_group_overrides_any_setting_of_tcp() -> None:
    group = scenario(tcp={"min_rto": "1 s"}, flows=flows(min_rto="300 ms", delayed_ack=True)).flows[0]
    assert group.tcp() == {"min_rto": 300_000_000, "delayed_ack": True}


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        # unknown, missing and unused keys
        ({"duratoin": "5 s"}, 's.toml: duratoin = "5 s": expected one of the keys duration, warmup'),
        ({"duratoin": "5 s"}, "did you mean duration?"),
        (
            {"bottleneck": {"rate": "1 Mbit/s", "rat": 1}},
            "s.toml: bottleneck.rat = 1: expected one of the keys rate, trace",
        ),
        (
            {"flows": [{"control": "aimd(1, 0.5)", "colour": "red"}]},
            's.toml: flows[0].colour = "red": expected one of the keys count',
        ),
        ({"tcp": {"min_rtoo": "1 s"}}, "did you mean min_rto?"),
        (
            {"flows": [{"count": 2}]},
            "s.toml: flows[0].control: expected this key, which is required: The congestion controller",
        ),
        (
            {"flows": [{"control": "aimd(x=5)"}]},
            's.toml: flows[0].control = "aimd(x=5)": expected aimd(a, b)\n  unknown: x',
        ),
        ({"bottleneck": {}}, "s.toml: bottleneck.rate: expected a rate such as"),
        ({"flows": []}, "s.toml: flows = []: expected at least one [[flows]] group"),
        ({"flows": None}, "s.toml: flows = null: expected at least one [[flows]] group"),
        ({"flows": {"control": "aimd(1, 0.5)"}}, "expected a list"),
        ({"bottleneck": "fast"}, 's.toml: bottleneck = "fast": expected a table with the keys rate'),
        (
            {"environment": {"kind": "constant", "rate": "1 Mbit/s", "period": "1 s"}},
            's.toml: environment.period = "1 s": expected one of the keys',
        ),
        (
            {"bottleneck": {"rate": "1 Mbit/s", "trace_once": True}},
            "s.toml: bottleneck.trace_once = true: expected this key only beside a trace",
        ),
        (
            {"bottleneck": {"rate": "1 Mbit/s", "trace": "t"}},
            's.toml: bottleneck.trace = "t": expected rate or trace, not both',
        ),
        # values of the wrong kind or unit
        ({"duration": "60"}, 's.toml: duration = "60": expected a time such as "20 ms"'),
        ({"duration": 60}, 's.toml: duration = 60: expected a time such as "20 ms"'),
        (
            {"duration": "0 s"},
            's.toml: duration = "0 s": expected a time such as "20 ms" (ns, us, ms, s, min), above zero',
        ),
        (
            {"bottleneck": {"rate": "100 MB/s"}},
            's.toml: bottleneck.rate = "100 MB/s": expected a rate such as "100 Mbit/s"',
        ),
        ({"bottleneck": {"rate": "-1 Mbit/s"}}, 's.toml: bottleneck.rate = "-1 Mbit/s": expected a rate'),
        (
            {"bottleneck": {"rate": "1 Mbit/s", "buffer": "1500"}},
            's.toml: bottleneck.buffer = "1500": expected a buffer such as "1 bdp"',
        ),
        (
            {"bottleneck": {"rate": "1 Mbit/s", "buffer": "-1 packets"}},
            'bottleneck.buffer = "-1 packets": expected a buffer',
        ),
        ({"path": {"rtt_spread": "5 %"}}, 's.toml: path.rtt_spread = "5 %": expected a number'),
        ({"path": {"rtt_spread": float("nan")}}, "path.rtt_spread = NaN: expected a number"),
        (
            {"path": {"rtt_spread": 1.5}},
            "s.toml: path.rtt_spread = 1.5: expected a fraction from 0 to below 1",
        ),
        ({"path": {"rtt": []}}, "s.toml: path.rtt = []: expected a time"),
        (
            {"flows": [{"control": "aimd(1, 0.5)", "start": []}]},
            "s.toml: flows[0].start = []: expected a time,",
        ),
        (
            {"duration": "9 s", "path": {"drop": "blackout(9 s, 2 s)"}},
            's.toml: path.drop = "blackout(9 s, 2 s)": expected a blackout that begins before the end of the run, 9 s',
        ),
        (
            {"bottleneck": {"rate": "1 Mbit/s", "loss": "blackout(60 s, 1 ms)"}},
            's.toml: bottleneck.loss = "blackout(60 s, 1 ms)": expected a blackout that begins before the end',
        ),
        ({"path": {"rtt": ["10 ms", "x"]}}, 's.toml: path.rtt[1] = "x": expected a time'),
        (
            {"record": {"windows": "yes"}},
            's.toml: record.windows = "yes": expected true or false, without quotes',
        ),
        ({"record": {"sample": "0 s"}}, 's.toml: record.sample = "0 s": expected a time'),
        ({"seed": -1}, "s.toml: seed = -1: expected a seed"),
        ({"seed": ""}, 's.toml: seed = "": expected a seed'),
        ({"seed": 1.5}, "s.toml: seed = 1.5: expected a seed"),
        ({"tcp": {"initial_window": "2"}}, 's.toml: tcp.initial_window = "2": expected a number'),
        ({"tcp": {"limited_transmit": 1}}, "s.toml: tcp.limited_transmit = 1: expected true or false"),
        ({"tcp": {"min_rto": 200}}, 's.toml: tcp.min_rto = 200: expected a time such as "20 ms"'),
        (
            {"flows": flows(control="rap", pacing="on")},
            's.toml: flows[0].pacing = "on": expected no pacing beside a rate-based controller',
        ),
        (
            {"flows": flows(supply=[["0 s", "10 packets"], ["0 s", "1 kB"]])},
            's.toml: flows[0].supply[1][0] = "0 s": expected a time after 0 s, that of the entry before',
        ),
        (
            {"flows": flows(supply=[["0 s", "10 ms"]])},
            's.toml: flows[0].supply[0] = ["0 s", "10 ms"]: expected a volume such as "10 packets" or "64 kB"',
        ),
        ({"flows": flows(supply=[["0 s", "1.5 packets"]])}, "in whole packets"),
        (
            {"flows": flows(supply=["1 s"])},
            's.toml: flows[0].supply[0] = "1 s": expected a pair such as ["0.5 s"',
        ),
        ({"flows": flows(supply=[])}, "s.toml: flows[0].supply = []: expected a list of pairs such as"),
        (
            {"flows": flows(supply=[["0 s", "1 kB"]], bytes="1 MB")},
            's.toml: flows[0].bytes = "1 MB": expected no bytes beside supply',
        ),
        (
            {"duration": "9 s", "flows": flows(supply=[["0 s", "1 kB"], ["9 s", "1 kB"]])},
            's.toml: flows[0].supply[1] = "9 s": expected a time before the end of the run, 9 s',
        ),
        (
            {"flows": flows(control="rap", supply=[["0 s", "1 kB"]])},
            's.toml: flows[0].supply = [["0 s", "1 kB"]]: expected no supply beside a rate-based controller',
        ),
        (
            {"tcp": {"pacing": "slow"}},
            "s.toml: tcp.pacing = \"slow\": expected 'off' or 'on'",
        ),
        (
            {"tcp": {"ecn_feedback": "counts"}},
            's.toml: tcp.ecn_feedback = "counts": expected ecn = "accurate" for counts of marked packets',
        ),
        (
            {"flows": flows(ecn="counts")},
            "s.toml: flows[0].ecn = \"counts\": expected 'auto', 'off', 'classic', 'accurate' or 'l4s'",
        ),
        (
            {"tcp": {"slow_start_exit": "quarter"}},
            "s.toml: tcp.slow_start_exit = \"quarter\": expected 'half' or 'law'",
        ),
        (
            {"tcp": {"receive_window": 1.5}},
            "s.toml: tcp.receive_window = 1.5: expected a whole number from 0 to 4294967295",
        ),
        # flows
        ({"flows": flows(count=0)}, "s.toml: flows[0].count = 0: expected 1 or more"),
        ({"flows": flows(count=10**6)}, "s.toml: flows[0].count = 1000000: expected 100000 or less"),
        ({"bottleneck": {"trace": ""}}, 's.toml: bottleneck.trace = "": expected text that is not empty'),
        (
            {"flows": flows(count="10")},
            's.toml: flows[0].count = "10": expected a whole number, without quotes',
        ),
        ({"flows": flows(count=2.5)}, "s.toml: flows[0].count = 2.5: expected a whole number"),
        (
            {"flows": flows(packet="70 kB")},
            's.toml: flows[0].packet = "70 kB": expected a size such as "1000 B"',
        ),
        ({"flows": flows(packet="0 B")}, 's.toml: flows[0].packet = "0 B": expected a size'),
        ({"flows": flows(recovery="fack")}, 's.toml: flows[0].recovery = "fack": expected one of '),
        ({"flows": [{"control": 3}]}, "s.toml: flows[0].control = 3: expected a controller such as"),
        (
            {"flows": [{"control": "aimd(1, 1.5)"}]},
            's.toml: flows[0].control = "aimd(1, 1.5)": expected 0 ≤ b ≤ 1',
        ),
        (
            {"flows": [{"control": "amid(1, 0.5)"}]},
            's.toml: flows[0].control = "amid(1, 0.5)": expected one of ',
        ),
        (
            {"flows": [{"control": {"kind": "linear", "a_i": 1, "b_i": 1, "a_d": 0, "b_d": 1.5}}]},
            "s.toml: flows[0].control.b_d = 1.5: expected 0 ≤ b_d ≤ 1",
        ),
        (
            {"flows": flows(start="soon")},
            's.toml: flows[0].start = "soon": expected a time, "uniform 0..1 s"',
        ),
        (
            {"flows": flows(start="uniform 0..1")},
            's.toml: flows[0].start = "uniform 0..1": expected a time, "uniform 0..1 s"',
        ),
        ({"flows": flows(start="uniform 1 s")}, 's.toml: flows[0].start = "uniform 1 s": expected'),
        ({"flows": flows(start="uniform 3..1 s")}, "the earlier time first"),
        (
            {"flows": flows(start={"each": "1 s"})},
            's.toml: flows[0].start.each = "1 s": expected one of the keys first, every',
        ),
        ({"flows": flows(start={"every": "x"})}, 's.toml: flows[0].start.every = "x": expected a time'),
        (
            {"flows": flows(start=["1 s", "-1 s"], count=2)},
            's.toml: flows[0].start[1] = "-1 s": expected a time',
        ),
        (
            {"flows": flows(start=["1 s"], count=2)},
            's.toml: flows[0].start = ["1 s"]: expected a list with one value per flow, 2',
        ),
        (
            {"flows": flows(rtt=["100 ms"], count=2)},
            's.toml: flows[0].rtt = ["100 ms"]: expected a list with one value per flow, 2',
        ),
        (
            {"flows": flows(start="5 s", stop="4 s")},
            's.toml: flows[0].stop = "4 s": expected a time after the last start, 5 s',
        ),
        (
            {"flows": flows(start="60 s")},
            's.toml: flows[0].start = "60 s": expected starts before the end of the run, 60 s',
        ),
        ({"flows": flows(reverse=True)}, "s.toml: flows: expected at least one group without reverse = true"),
        # impairments and queues
        (
            {"bottleneck": {"rate": "1 Mbit/s", "drop": "bernoulli(1.5)"}},
            's.toml: bottleneck.drop = "bernoulli(1.5)": expected bernoulli(p)',
        ),
        ({"path": {"drop": "bernoulli(nan)"}}, 's.toml: path.drop = "bernoulli(nan)": expected bernoulli(p)'),
        (
            {"path": {"drop": "periodic(0)"}},
            's.toml: path.drop = "periodic(0)": expected periodic(n) with n ≥ 1',
        ),
        (
            {"path": {"drop": "list(3, 2)"}},
            's.toml: path.drop = "list(3, 2)": expected list(a, b, …) with ascending packet numbers from 1',
        ),
        (
            {"path": {"drop": "list()"}},
            's.toml: path.drop = "list()": expected list(a, b, …) with ascending packet numbers from 1',
        ),
        ({"path": {"mark": 0.1}}, "s.toml: path.mark = 0.1: expected bernoulli(p)"),
        (
            {"bottleneck": {"rate": "1 Mbit/s", "queue": "blue"}},
            's.toml: bottleneck.queue.kind = "blue": expected one of drop-tail',
        ),
        (
            {"bottleneck": {"rate": "1 Mbit/s", "queue": {"kind": "codel", "ce_threshold": 1}}},
            's.toml: bottleneck.queue.ce_threshold = 1: expected a time such as "20 ms"',
        ),
        (
            {"bottleneck": {"rate": "1 Mbit/s", "queue": "ecn"}},
            'RED that marks: { kind = "red", ecn = true }',
        ),
        (
            {"bottleneck": {"rate": "1 Mbit/s", "queue": {"kind": "red", "minimum": 5}}},
            "s.toml: bottleneck.queue.minimum = 5: expected one of the keys kind, min, max, max_p, weight, gentle",
        ),
        (
            {"bottleneck": {"rate": "1 Mbit/s", "queue": {"kind": "red", "min": "5"}}},
            's.toml: bottleneck.queue.min = "5": expected a number',
        ),
        (
            {"bottleneck": {"rate": "1 Mbit/s", "queue": {"kind": "red", "ecn": 1}}},
            "s.toml: bottleneck.queue.ecn = 1: expected true or false",
        ),
        (
            {"bottleneck": {"rate": "1 Mbit/s", "queue": {"kind": "red", "spacing": "wide"}}},
            "s.toml: bottleneck.queue.spacing = \"wide\": expected 'wait', 'uniform' or 'none'",
        ),
        (
            {"bottleneck": {"rate": "1 Mbit/s", "queue": {"kind": "rio", "rule": "codel"}}},
            "s.toml: bottleneck.queue.rule = \"codel\": expected 'red' or 'drop-tail'",
        ),
        (
            {"bottleneck": {"rate": "1 Mbit/s", "queue": {"kind": "red", "mean_packet": 1000}}},
            's.toml: bottleneck.queue.mean_packet = 1000: expected a size such as "1000 B"',
        ),
        ({"bottleneck": {"rate": "1 Mbit/s", "queue": {"min": 5}}}, "s.toml: bottleneck.queue = "),
        (
            {"bottleneck": {"rate": "1 Mbit/s", "queue": {"kind": "drop-tail", "packets": 5}}},
            "buffer sets its size",
        ),
        # what does not go together
        ({"warmup": "60 s"}, 's.toml: warmup = "60 s": expected a time before the end of the run, 60 s'),
        ({"warmup": "2 min"}, 's.toml: warmup = "120 s": expected a time before the end of the run, 60 s'),
        (
            {"path": {"rtt": ["10 ms", "20 ms"]}},
            's.toml: path.rtt = ["10 ms", "20 ms"]: expected one value per test flow without its own rtt, 1',
        ),
        (
            {"path": {"rtt": ["10 ms"], "rtt_spread": 0.1}},
            "s.toml: path.rtt_spread = 0.1: expected no spread beside a list",
        ),
        ({"bottleneck": {"trace": "t"}, "environment": "cons-low"}, "s.toml: environment = {"),
    ],
)
def test_mistakes(tables: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        scenario(**tables)
    text = str(caught.value)
    assert message in text
    assert text.startswith("s.toml: ")
    assert len(text.splitlines()) <= 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("duration = \n", 's.toml: line 1 = "duration = ": expected TOML (Invalid value)'),
        ("[bottleneck]\nrate = 100 Mbit/s\n", 's.toml: line 2 = "rate = 100 Mbit/s": expected TOML'),
        ("a = 1\na = 2\n", "s.toml: line 2"),
        ("[a", "s.toml: "),
    ],
)
def test_text_that_is_no_toml(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_scenario(text, "s.toml")
    assert message in str(caught.value)
    assert "expected TOML (" in str(caught.value)


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "one.toml"
    path.write_text(DROP_TAIL, encoding="utf-8")
    read = load_scenario(path)
    assert (read.name, read.directory) == (str(path), tmp_path)
    assert read.data == tomllib.loads(DROP_TAIL)
    with pytest.raises(InputError, match=r"missing\.toml: expected a readable file"):
        load_scenario(tmp_path / "missing.toml")


def test_the_schema_knows_every_key_and_every_default_as_a_user_writes_it() -> None:
    schema = json_schema()
    tables = {name: table["properties"] for name, table in schema["$defs"].items()}
    assert schema["properties"]["duration"]["default"] == "60 s"
    assert schema["required"] == ["flows"]
    assert schema["anyOf"] == [{"required": ["bottleneck"]}, {"required": ["links"]}]
    assert tables["Bottleneck"]["buffer"]["default"] == "1 bdp"
    assert tables["PathTable"]["rtt"]["default"] == "120 ms"
    assert tables["Flows"]["start"]["default"] == "uniform 0 s..1 s"
    assert {row["name"] for row in _native.describe()["tcp"]} == set(tables["Tcp"])
    assert set(tables["Tcp"]) < set(tables["Flows"])
    assert all(key.get("description") for table in tables.values() for key in table.values())
    kinds = schema["properties"]["environment"]["anyOf"][0]["oneOf"]
    assert any("period" in kind.get("properties", {}) for kind in kinds)


def test_a_default_of_the_schema_is_read_as_the_default() -> None:
    schema = json_schema()
    defaults = {
        name: {
            key: value["default"]
            for key, value in schema["$defs"][table]["properties"].items()
            if value.get("default") is not None
        }
        for name, table in (("path", "PathTable"), ("tcp", "Tcp"), ("record", "Record"))
    }
    group = {
        k: v["default"]
        for k, v in schema["$defs"]["Flows"]["properties"].items()
        if v.get("default") is not None
    }
    explicit = scenario(**defaults, flows=flows(**group))
    assert explicit.model_dump() == scenario().model_dump()


def test_a_step_takes_a_depth_in_packets_or_in_time_and_marks() -> None:
    base: dict[str, Any] = {"bottleneck": {"rate": "10 Mbit/s"}, "flows": [{"control": "aimd(1, 0.5)"}]}
    for threshold, engine in (("65 packets", {"packets": 65}), ("1 ms", {"ns": 1_000_000})):
        queue = {"kind": "step", "threshold": threshold}
        scenario = parse_scenario({**base, "bottleneck": {**base["bottleneck"], "queue": queue}})
        resolved = resolve(scenario)
        assert resolved.engine["links"][0]["queue"]["threshold"] == engine
        assert scenario.bottleneck.queue.text() == queue
        assert resolved.engine["profiles"][0]["tcp"]["ecn"] is True, "tcp.ecn follows a queue that marks"
    with pytest.raises(InputError, match=r'bottleneck.queue.threshold = "1 kB": expected a depth such as'):
        parse_scenario(
            {**base, "bottleneck": {**base["bottleneck"], "queue": {"kind": "step", "threshold": "1 kB"}}}
        )
    over = {**base, "bottleneck": {**base["bottleneck"], "queue": {"kind": "step", "threshold": "2 days"}}}
    with pytest.raises(InputError, match=r"threshold"):
        resolve(parse_scenario(over))

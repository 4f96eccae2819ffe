"""Links of the way back: traces, queues, buckets and ACK filters in scenario files, and networks whose queues are unequal."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from sawtooth import InputError
from sawtooth.run.api import scenario_of
from sawtooth.run.run import Run, execute
from sawtooth.scenario.ack_filter import AckFilter
from sawtooth.scenario.resolve import resolve
from sawtooth.scenario.scenario import load_scenario, parse_scenario

EXAMPLES = Path(__file__).parents[1] / "examples"
FLOW = {"control": "aimd(1, 0.5)", "recovery": "rack", "start": "0 s"}
BASE: dict[str, Any] = {
    "duration": "10 s",
    "warmup": "5 s",
    "bottleneck": {"rate": "10 Mbit/s", "buffer": "200 packets"},
    "path": {"rtt": "60 ms"},
    "flows": [FLOW],
}


def links(**tables: Any) -> list[dict[str, Any]]:
    """The links of the base with other tables."""
    return list(resolve(scenario_of({**BASE, **tables})).engine["links"])


def ran(**tables: Any) -> Run:
    """A run of the same."""
    return execute(resolve(scenario_of({**BASE, **tables})))


def test_the_way_back_follows_a_trace_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "up.trace").write_text("10\n30\n")
    tables = {**BASE, "reverse": {"trace": "up.trace", "trace_once": True}}
    there, back, *_ = resolve(parse_scenario(tables, "s.toml", tmp_path)).engine["links"]
    assert (there["rate_bps"], "trace_ms" in there) == (10_000_000, False)
    assert (back["rate_bps"], back["trace_ms"], back["trace_once"]) == (None, [10, 30], True)
    # A buffer of 200 packets as at the bottleneck; a BDP is that of the mean rate: 2 · 1500 B in 30 ms, 60 ms long, packets of 1000 B.
    assert back["queue"] == {"kind": "droptail", "packets": 200}
    tables["reverse"]["buffer"] = "1 bdp"
    back = resolve(parse_scenario(tables, "s.toml", tmp_path)).engine["links"][1]
    assert back["queue"]["packets"] == 6


def test_both_ways_follow_traces() -> None:
    there, back, *_ = links(
        bottleneck={"trace": "cellular.trace", "buffer": "100 packets"}, reverse={"trace": "outage.trace"}
    )
    assert there["trace_ms"] != back["trace_ms"]
    assert back["queue"]["packets"] == 100


@pytest.mark.parametrize(
    ("reverse", "expected"),
    [
        ({"policer": {"rate": "1 Mbit/s", "burst": "3 kB"}}, {"queue": None, "policer": {"rate_bps": 1_000_000, "burst_bytes": 3_000}}),
        ({"shaper": {"rate": "1 Mbit/s", "burst": "3 kB"}}, {"shaper": {"rate_bps": 1_000_000, "burst_bytes": 3_000}}),
        ({"device_queue": 3}, {"device_queue": 3}),
        ({"ack_filter": "conservative"}, {"ack_filter": {"kind": "conservative"}}),
        ({"ack_filter": "thin(4)"}, {"ack_filter": {"kind": "thin", "n": 4}}),
    ],
)  # fmt: skip
def test_what_stands_beside_a_queue_stands_on_the_way_back(reverse: Any, expected: Any) -> None:
    back = links(reverse=reverse)[1]
    assert expected.items() <= back.items()
    if "queue" not in expected:
        assert back["queue"] == {"kind": "droptail", "packets": 200}, "what needs a queue has one"


@pytest.mark.parametrize(
    ("tables", "error"),
    [
        ({"reverse": {"rate": "1 Mbit/s", "trace": "t"}}, 'reverse.trace = "t": expected rate or trace, not both'),
        ({"reverse": {"trace_once": True}}, "reverse.trace_once = true: expected this key only beside a trace"),
        ({"reverse": {"trace": "no.trace"}}, 'reverse.trace = "no.trace": expected a trace file'),
        (
            {"reverse": {"ack_filter": "some"}},
            'reverse.ack_filter = "some": expected "conservative", "aggressive" or "thin(n)" with n from 2 to 1000',
        ),
        ({"reverse": {"ack_filter": "thin(1)"}}, 'reverse.ack_filter = "thin(1)": expected "conservative"'),
        (
            {"bottleneck": {"rate": "1 Mbit/s", "ack_filter": "aggressive"}},
            'bottleneck.ack_filter = "aggressive": expected this key only where acknowledgements of TCP or QUIC pass',
        ),
        (
            {"flows": [{"control": "tfrc"}], "reverse": {"ack_filter": "aggressive"}},
            'reverse.ack_filter = "aggressive": expected this key only where acknowledgements of TCP or QUIC pass',
        ),
        (
            {"reverse": {"trace": "cellular.trace", "shaper": {"rate": "1 Mbit/s", "burst": "3 kB"}}},
            "reverse.shaper",
        ),
    ],
)  # fmt: skip
def test_mistakes_name_the_key_and_what_would_be_accepted(tables: Any, error: str) -> None:
    with pytest.raises(InputError) as caught:
        resolve(scenario_of({**BASE, **tables}))
    assert error in str(caught.value)


def test_a_trace_replaces_the_rate_that_a_file_gives() -> None:
    moved = scenario_of({**BASE, "reverse": {"rate": "1 Mbit/s"}}, {"reverse.trace": "cellular.trace"})
    assert (moved.reverse.rate, moved.reverse.trace) == (None, "cellular.trace")


@pytest.mark.parametrize("text", ["conservative", "aggressive", "thin(12)"])
def test_a_filter_is_written_as_it_was_read(text: str) -> None:
    assert AckFilter.parse(text).text() == text


def test_slow_acknowledgements_hold_back_data_and_a_filter_lets_it_go() -> None:
    """RFC 3449 §2.1: packets of 1000 B over 10 Mbit/s, acknowledgements of 40 B over 100 kbit/s, so k = 1250 / 312.5 = 4."""
    slow = {"rate": "100 kbit/s", "buffer": "400 packets"}
    flows = [{**FLOW, "receive_window": 150}]
    plain = ran(reverse=slow, flows=flows)
    assert plain.values["utilisation"] == pytest.approx(1 / 4, rel=0.01)
    filtered = ran(reverse={**slow, "ack_filter": "conservative"}, flows=flows)
    assert filtered.values["utilisation"] > 0.98
    back = filtered.to_json()["queues"][1]
    assert back["drops_filtered"] == back["drops"] > 0.7 * back["arrivals"]


@pytest.mark.parametrize(
    ("name", "queues"),
    [
        ("asymmetric-link", ["fq-codel", "droptail"]),
        ("two-way-aqm", ["fq-codel", "pie"]),
        ("parking-lot", ["codel", "fq-codel", "dualpi2"]),
        ("cellular-both-ways", ["droptail", "droptail"]),
    ],
)
def test_the_examples_have_the_queues_that_they_speak_of(name: str, queues: list[str]) -> None:
    resolved = resolve(load_scenario(EXAMPLES / f"{name}.toml"))
    found = [link["queue"]["kind"] for link in resolved.engine["links"] if link["queue"] is not None]
    assert found == queues
    run = execute(resolved)
    for row in run.to_json()["queues"]:
        assert row["forwarded"] > 0, row["name"]
    for flow in run.to_json()["flows"]:
        assert flow["goodput_bps"] > 0, flow["id"]


def test_every_bottleneck_of_the_parking_lot_limits_somebody() -> None:
    run = execute(resolve(load_scenario(EXAMPLES / "parking-lot.toml")))
    delays = [row["delay_ms"]["mean"] for row in run.to_json()["queues"]]
    assert all(math.isfinite(delay) and delay > 0.5 for delay in delays), delays
    assert {flow["recovery"] for flow in run.to_json()["flows"]} >= {"rack", "sack", "quic"}


def test_a_blackout_of_one_direction_spares_the_other() -> None:
    """Half a second without acknowledgements: none of the data is lost, and what was sent again was not needed."""
    dark = {"loss": "blackout(6 s, 500 ms)"}
    flows = [{**FLOW, "receive_window": 60, "undo": "linux"}]
    back = ran(reverse=dark, flows=flows).to_json()
    there = ran(bottleneck={**BASE["bottleneck"], **dark}, flows=flows).to_json()
    assert back["queues"][0]["drops"] == 0
    assert there["queues"][0]["drops_impairment"] > 0
    assert back["flows"][0]["retransmits"] > 0, "the timer could not know"
    calm = ran(flows=flows).to_json()["flows"][0]["goodput_bps"]
    window = 60 * 8_000 / 5
    for run in (back, there):  # a tenth of the measured time is dark, and a window was under way
        assert 0 < run["flows"][0]["goodput_bps"] < 0.9 * calm + window


def test_filters_take_nothing_from_a_link_that_is_fast_enough() -> None:
    """Where no acknowledgement waits, a filter has none to drop, and the run is the same."""
    digests = {
        name: ran(reverse={"rate": "10 Mbit/s", "buffer": "50 packets", **given}).digest
        for name, given in {"plain": {}, "filtered": {"ack_filter": "aggressive"}}.items()
    }
    assert digests["plain"] == digests["filtered"]


def test_a_link_of_a_free_topology_follows_a_trace(tmp_path: Path) -> None:
    (tmp_path / "radio.trace").write_text("10\n20\n")
    tables = {
        "topology": {"kind": "free"},
        "links": [
            {"from": "A", "to": "B", "trace": "radio.trace", "delay": "5 ms"},
            {"from": "B", "to": "C", "rate": "10 Mbit/s", "delay": "10 ms", "queue": "codel"},
        ],
        "flows": [{**FLOW, "route": ["A", "C"]}, {**FLOW, "route": ["B", "C"]}],
    }
    resolved = resolve(parse_scenario(tables, "s.toml", tmp_path))
    radio, wire, back, *_ = resolved.engine["links"]
    assert (radio["rate_bps"], radio["trace_ms"], radio["trace_once"]) == (None, [10, 20], False)
    # 3000 B in 20 ms: 1.2 Mbit/s; mean RTT of the flows 25 ms; packets of 1000 B.
    assert radio["queue"] == {"kind": "droptail", "packets": 4}
    assert wire["queue"]["kind"] == "codel"
    assert (back["name"], back["rate_bps"], back["queue"]) == ("B/A", 1_000_000_000, None)
    # One flow has 1.2 Mbit/s at most, the other half of 10.
    assert resolved.available_bps == (1_200_000 + 5_000_000) / 2
    run = execute(resolved)
    assert run.to_json()["flows"][0]["goodput_bps"] == pytest.approx(1_200_000, rel=0.1)


def test_a_link_without_rate_or_trace_is_refused() -> None:
    tables = {
        "topology": {"kind": "free"},
        "links": [{"from": "A", "to": "B", "buffer": "10 packets"}],
        "flows": [{**FLOW, "route": ["A", "B"]}],
    }
    with pytest.raises(InputError, match=r"links\[0\]\.rate"):
        scenario_of(tables)

"""The network with links of one rate: who crosses what, RTTs, queues on access links, and what that does to one flow."""

from __future__ import annotations

from typing import Any

import pytest

import sawtooth
from sawtooth.errors import InputError
from sawtooth.scenario.resolve import resolve
from sawtooth.scenario.scenario import parse_scenario

MS = 1_000_000


def scenario(count: int = 4, **tables: Any) -> dict[str, Any]:
    given: dict[str, Any] = {
        "topology": {"kind": "equal-rate"},
        "bottleneck": {"rate": "20 Mbit/s", "buffer": "1 bdp"},
        "path": {"rtt": "40 ms"},
        "flows": [{"count": count, "control": "aimd(1, 0.5)"}],
    }
    for key, table in tables.items():
        given[key] = {**given[key], **table} if isinstance(table, dict) and key in given else table
    return given


def engine(**tables: Any) -> dict[str, Any]:
    return resolve(parse_scenario(scenario(**tables))).engine


def names(run: dict[str, Any], flow: int, way: str) -> list[str]:
    return [run["links"][link]["name"] for link in run["flows"][flow][way]]


@pytest.mark.parametrize(("jitter", "host"), [("0 us", []), ("80 us", ["host/2"])])
def test_the_way_of_data_and_acknowledgements(jitter: str, host: list[str]) -> None:
    run = engine(path={"send_jitter": jitter})
    assert names(run, 2, "forward") == [*host, "access/2", "bottleneck", "exit/2"]
    assert names(run, 2, "reverse") == ["exit-reverse/2", "reverse", "access-reverse/2"]


def test_a_reverse_flow_is_the_mirror_image() -> None:
    flows = [{"control": "aimd(1, 0.5)"}, {"control": "aimd(1, 0.5)", "reverse": True}]
    run = engine(flows=flows)
    assert names(run, 1, "forward") == ["access/1", "reverse", "exit/1"]
    assert names(run, 1, "reverse") == ["exit-reverse/1", "bottleneck", "access-reverse/1"]


def test_every_link_has_the_rate_and_the_routes_have_the_rtts() -> None:
    run = engine(count=10, path={"rtt_spread": 0.05})
    assert {link["rate_bps"] for link in run["links"]} == {20_000_000}
    rtts = []
    for flow in run["flows"]:
        ways = [sum(run["links"][link]["delay_ns"] for link in flow[way]) for way in ("forward", "reverse")]
        assert abs(ways[0] - ways[1]) <= 1
        rtts.append(sum(ways))
    assert (min(rtts), max(rtts)) == (38 * MS, 42 * MS)


def test_access_links_have_the_queue_of_the_bottleneck_and_no_other_link_has_one() -> None:
    run = engine(bottleneck={"buffer": "50 packets"})
    queued = {link["name"]: link["queue"] for link in run["links"] if link["queue"]}
    assert list(queued) == ["bottleneck", *(f"access/{flow}" for flow in range(4))]
    assert all(queue == {"kind": "droptail", "packets": 50} for queue in queued.values())


@pytest.mark.parametrize(
    ("buffer", "low", "high"),
    [("150 packets", 50.0, 100.0), ("1 bdp", 100 / 3, 200 / 3), ("0.5 bdp", 50 / 3, 100 / 3)],
)
def test_thresholds_may_be_shares_of_the_buffer(buffer: str, low: float, high: float) -> None:
    red = {"kind": "red", "min": "1/3 buffer", "max": "2/3 buffer"}
    run = engine(bottleneck={"buffer": buffer, "queue": red})  # 20 Mbit/s x 40 ms are 100 packets
    queues = [link["queue"] for link in run["links"] if link["queue"]]
    assert len(queues) == 5
    assert all((queue["min"], queue["max"]) == pytest.approx((low, high)) for queue in queues)


@pytest.mark.parametrize(
    ("buffer", "low", "accepted"),
    [
        ("100 kB", "1/3 buffer", "a number of packets"),
        ("1 bdp", "a third", "1/3 buffer"),
        ("1 bdp", "1/0 buffer", "1/3 buffer"),
    ],
)
def test_other_thresholds_are_refused(buffer: str, low: str, accepted: str) -> None:
    with pytest.raises(InputError, match=accepted) as error:
        engine(bottleneck={"buffer": buffer, "queue": {"kind": "red", "min": low}})
    assert error.value.key == "bottleneck.queue.min"


@pytest.mark.parametrize(("count", "lossy"), [(1, "access/0"), (2, "bottleneck")])
def test_the_access_link_is_a_second_bottleneck_of_one_flow_and_of_no_two(count: int, lossy: str) -> None:
    """One flow meets its own queue first, and what leaves it has the rate of the bottleneck; two together exceed that."""
    spread = {"rtt_spread": 0.05 * (count > 1), "send_jitter": "400 us"}
    run = sawtooth.run(scenario(count=count, duration="40 s", warmup="10 s", path=spread))
    rows = {row["name"]: row["drops"] for row in run.queues.to_pylist()}
    assert rows.pop(lossy) > 0
    assert not any(rows.values()), rows


@pytest.mark.parametrize(
    ("tables", "key", "accepted"),
    [
        ({"path": {"access_rate": "1 Gbit/s"}}, "path.access_rate", "every link has bottleneck.rate"),
        ({"path": {"rtt": "10 ms"}, "bottleneck": {"delay": "20 ms"}}, "path.rtt", "at least 40 ms"),
        ({"topology": {"kind": "star"}}, "topology.kind", "equal-rate"),
    ],
)
def test_what_does_not_fit_is_named(tables: dict[str, Any], key: str, accepted: str) -> None:
    with pytest.raises(InputError) as error:
        engine(**tables)
    assert error.value.key == key
    assert accepted in str(error.value)

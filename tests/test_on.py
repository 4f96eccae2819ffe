"""`[[on]]`: changes at times and upon states, their keys, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from sawtooth import InputError
from sawtooth.run.api import scenario_of
from sawtooth.run.run import execute
from sawtooth.scenario.resolve import resolve
from sawtooth.scenario.scenario import json_schema, parse_scenario

BASE = {
    "duration": "6 s",
    "warmup": "2 s",
    "bottleneck": {"rate": "10 Mbit/s", "buffer": "100 packets"},
    "path": {"rtt": "40 ms"},
    "flows": [{"control": "bbr", "recovery": "rack", "start": "0 s"}],
}


def with_changes(*on: dict[str, Any], **tables: Any) -> dict[str, Any]:
    return {**BASE, **tables, "on": list(on)}


def values(tables: dict[str, Any]) -> dict[str, Any]:
    return dict(execute(resolve(scenario_of(tables))).values)


def complaint(*on: dict[str, Any], **tables: Any) -> str:
    with pytest.raises(InputError) as caught:
        resolve(scenario_of(with_changes(*on, **tables)))
    return str(caught.value)


def test_a_change_that_happens_too_often_is_refused_before_it_is_written_out() -> None:
    """The list of its times filled the memory."""
    for key, value in (("bottleneck.rate", "9 Mbit/s"), ("bottleneck.delay", "9 ms")):
        said = complaint({"at": "2 s", "every": "1 ns", "set": {key: value}})
        assert (
            'on[0].every = "1 ns": expected a time so long that the change happens at most 100000 times'
            in said
        )


def test_a_rate_changes_at_a_time_and_the_available_bandwidth_with_it() -> None:
    """2 s of 10 and 2 s of 4 Mbit/s: 7 Mbit/s are available from the second second to the sixth."""
    halved = with_changes({"at": "4 s", "set": {"bottleneck.rate": "4 Mbit/s"}})
    resolved = resolve(scenario_of(halved))
    assert resolved.available_bps == 7_000_000
    assert values(halved)["utilisation"] > 0.9


@pytest.mark.parametrize("bucket", ["shaper", "policer"])
def test_a_higher_rate_makes_no_more_available_than_a_token_bucket_lets_through(bucket: str) -> None:
    """The new rate counted whole: a shaped link that was full had a goodput of a quarter."""
    table = {**BASE["bottleneck"], bucket: {"rate": "5 Mbit/s", "burst": "30 kB"}}  # type: ignore[dict-item]
    faster = with_changes({"at": "3 s", "set": {"bottleneck.rate": "20 Mbit/s"}}, bottleneck=table)
    assert resolve(scenario_of(faster)).available_bps == 5_000_000
    slower = with_changes({"at": "4 s", "set": {"bottleneck.rate": "3 Mbit/s"}}, bottleneck=table)
    assert resolve(scenario_of(slower)).available_bps == 4_000_000


def test_the_bytes_that_a_changing_rate_carries_are_what_is_used() -> None:
    """A slow second counted as much as a fast one: 3 Mbit/s over 2 s of 10 and 2 s of 3 Mbit/s were 0.65, and are 12 of 26 Mbit."""
    slower = with_changes(
        {"at": "4 s", "set": {"bottleneck.rate": "3 Mbit/s"}},
        flows=[{"control": "cubic", "recovery": "rack", "start": "5.9 s"}],
        traffic=[{"kind": "udp", "rate": "3 Mbit/s"}],
    )
    assert values(slower)["utilisation"] == pytest.approx(12 / 26, abs=0.01)


def test_a_change_comes_again() -> None:
    often = with_changes({"at": "1 s", "every": "2 s", "set": {"bottleneck.rate": "4 Mbit/s"}})
    changes = resolve(scenario_of(often)).engine["changes"]
    assert [change["when"]["ns"] for change in changes] == [10**9, 3 * 10**9, 5 * 10**9]


def test_a_change_upon_a_state() -> None:
    slower = with_changes({"state": "drain", "set": {"bottleneck.rate": "5 Mbit/s"}})
    (change,) = resolve(scenario_of(slower)).engine["changes"]
    assert change == {
        "when": {"kind": "state", "flow": 0, "state": "drain"},
        "set": [{"kind": "rate", "link": 0, "bps": 5_000_000}],
    }
    assert 0.47 < values(slower)["goodput"] <= 0.5, "relative to the rate at the start"


def test_a_group_pauses_and_goes_on() -> None:
    """Nothing from 2 to 4 s: half of the measured time."""
    paused = with_changes(
        {"at": "1.9 s", "set": {"flows[0].supply": 0}}, {"at": "4 s", "set": {"flows[0].supply": "all"}}
    )
    assert 0.45 < values(paused)["goodput"] < 0.52


def test_losses_come_and_go() -> None:
    lossy = with_changes(
        {"at": "2 s", "set": {"bottleneck.drop": "periodic(50)"}},
        {"at": "4 s", "set": {"bottleneck.drop": "none"}},
    )
    assert 0.5 < values(lossy)["loss"] < 1.5, "a packet of fifty for half of the time, in %"


def test_without_changes_the_engine_sees_none() -> None:
    assert "changes" not in resolve(parse_scenario(BASE)).engine


RATE = {"bottleneck.rate": "9 Mbit/s"}


@pytest.mark.parametrize(
    ("on", "parts"),
    [
        ({"set": RATE}, ("on[0].at: expected this key, or state",)),
        ({"at": "1 s", "state": "drain", "set": RATE}, ("on[0].at", "no such key beside state")),
        ({"at": "1 s", "flow": 0, "set": RATE}, ("on[0].flow = 0", "only beside state")),
        ({"at": "6 s", "set": RATE}, ("on[0].at", "a time before the end of the run, 6 s")),
        ({"state": "probe_bw", "set": RATE}, ("on[0].state", "expected one of startup, drain")),
        ({"state": "drain", "flow": 1, "set": RATE}, ("on[0].flow = 1", "an index below 1")),
        ({"state": "slow", "set": RATE}, ("on[0].state", "one of startup, drain")),
        ({"at": "1 s", "set": {}}, ("on[0].set", "a table such as")),
        (
            {"at": "1 s", "set": {"bottleneck.rat": "1 Mbit/s"}},
            ("bottleneck.rat", "did you mean bottleneck.rate?"),
        ),
        ({"at": "1 s", "set": {"bottleneck.rate": 9}}, ('on[0].set."bottleneck.rate" = 9', "a rate such as")),
        (
            {"at": "1 s", "set": {"links[0].rate": "1 Mbit/s"}},
            ("a table of this network: bottleneck, reverse",),
        ),
        (
            {"at": "1 s", "set": {"reverse.rate": "1 Mbit/s"}},
            ('"1 Mbit/s"', "a link with a queue and a rate"),
        ),
        ({"at": "1 s", "set": {"bottleneck.drop": "often"}}, ("bernoulli(p)", 'or "none"')),
        (
            {"at": "1 s", "set": {"flows[3].supply": 0}},
            ('on[0].set."flows[3].supply"', "a group of flows below 1"),
        ),
        ({"at": "1 s", "set": {"flows[0].supply": "much"}}, ("0 for a pause",)),
    ],
)
def test_what_cannot_change_is_refused(on: dict[str, Any], parts: tuple[str, ...]) -> None:
    message = complaint(on)
    assert all(part in message for part in parts), message


def test_an_environment_changes_the_rate_by_itself() -> None:
    environment = {"kind": "square", "high": "8 Mbit/s", "low": "2 Mbit/s", "period": "2 s"}
    assert "beside an environment" in complaint({"at": "1 s", "set": RATE}, environment=environment)


def test_the_schema_knows_states_and_keys() -> None:
    properties = json_schema()["$defs"]["On"]["properties"]
    (state,) = [part for part in properties["state"]["anyOf"] if "enum" in part]
    assert "probe_bw_refill" in state["enum"]
    assert "bottleneck.rate" in properties["set"]["description"]

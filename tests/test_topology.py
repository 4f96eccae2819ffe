"""The dumbbell: RTTs as in the reference runs, permutations for every number of flows, and who crosses what."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from sawtooth.errors import InputError
from sawtooth.scenario.resolve import resolve
from sawtooth.scenario.scenario import parse_scenario
from sawtooth.scenario.topology import spread_order, spread_rtts

MS = 1_000_000


def engine(flows: list[dict[str, Any]], **tables: Any) -> dict[str, Any]:
    bottleneck = {"rate": "100 Mbit/s", "delay": "40 ms", **tables.pop("bottleneck", {})}
    groups = [{"control": "aimd(1, 0.5)", **group} for group in flows]
    return resolve(parse_scenario({"bottleneck": bottleneck, "flows": groups, **tables})).engine


def rtt(run: dict[str, Any], flow: int) -> int:
    """Propagation delays along both routes of a flow."""
    spec = run["flows"][flow]
    return sum(run["links"][link]["delay_ns"] for link in spec["forward"] + spec["reverse"])


def test_the_rtts_of_the_reference_runs() -> None:
    printed = [114.000, 123.333, 119.333, 115.333, 124.667, 120.667, 116.667, 126.000, 122.000, 118.000]
    assert [round(value / MS, 3) for value in spread_rtts(120 * MS, 0.05, 10)] == printed
    run = engine([{"count": 10}], path={"rtt": "120 ms", "rtt_spread": 0.05})
    assert [round(rtt(run, flow) / MS, 3) for flow in range(10)] == printed


@pytest.mark.parametrize("count", range(1, 200))
def test_every_number_of_flows_gets_a_permutation(count: int) -> None:
    assert sorted(spread_order(count)) == list(range(count))


def test_the_order_steps_by_seven_or_the_next_number_that_shares_no_factor() -> None:
    assert spread_order(10) == [(7 * i) % 10 for i in range(10)]
    assert spread_order(14) == [(9 * i) % 14 for i in range(14)]
    assert spread_order(7) == list(range(7))


@pytest.mark.parametrize("count", [2, 7, 10, 33])
def test_a_spread_is_even_and_spans_both_ends(count: int) -> None:
    values = sorted(spread_rtts(100 * MS, 0.1, count))
    assert (values[0], values[-1]) == (90 * MS, 110 * MS)
    steps = [b - a for a, b in pairwise(values)]
    assert max(steps) - min(steps) <= 1


def test_without_spread_or_company_a_flow_has_the_stated_rtt() -> None:
    assert spread_rtts(100 * MS, 0.0, 4) == [100 * MS] * 4
    assert spread_rtts(100 * MS, 0.1, 1) == [100 * MS]


def test_a_test_flow_crosses_the_bottleneck_and_a_reverse_flow_its_other_side() -> None:
    run = engine([{"count": 2}, {"reverse": True}])
    names = [link["name"] for link in run["links"]]
    assert names[:4] == ["bottleneck", "reverse", "access/0", "access-reverse/0"]
    routes = [([names[i] for i in f["forward"]], [names[i] for i in f["reverse"]]) for f in run["flows"]]
    assert routes == [
        (["access/0", "bottleneck"], ["reverse", "access-reverse/0"]),
        (["access/1", "bottleneck"], ["reverse", "access-reverse/1"]),
        (["access/2", "reverse"], ["bottleneck", "access-reverse/2"]),
    ]
    assert [flow["test"] for flow in run["flows"]] == [True, True, False]


def test_propagation_adds_up_to_the_rtt_whatever_the_middle_has() -> None:
    run = engine(
        [{"count": 3, "rtt": ["100 ms", "111.111111 ms", "0.2 s"]}, {"reverse": True, "rtt": "90 ms"}],
        reverse={"delay": "10 ms"},
    )
    assert [rtt(run, flow) for flow in range(4)] == [100 * MS, 111_111_111, 200 * MS, 90 * MS]


def test_a_list_of_rtts_serves_the_test_flows_without_their_own() -> None:
    groups: list[dict[str, Any]] = [{"count": 2}, {"rtt": "90 ms"}, {"count": 1}, {"reverse": True}]
    run = engine(groups, path={"rtt": ["100 ms", "101 ms", "102 ms"]})
    assert [rtt(run, flow) // MS for flow in range(5)] == [100, 101, 90, 102, 101]  # reverse flows: the mean


def test_a_spread_goes_over_each_group_with_its_own_rtt() -> None:
    groups: list[dict[str, Any]] = [{"count": 2}, {"count": 2, "rtt": "200 ms"}, {"count": 1}]
    run = engine(groups, path={"rtt": "100 ms", "rtt_spread": 0.1})
    expected = spread_rtts(100 * MS, 0.1, 3)
    assert [rtt(run, flow) for flow in (0, 1, 4)] == expected
    assert [rtt(run, flow) for flow in (2, 3)] == [180 * MS, 220 * MS]


def test_the_default_delay_is_a_quarter_of_the_shortest_rtt() -> None:
    scenario = {
        "bottleneck": {"rate": "1 Mbit/s"},
        "flows": [{"control": "aimd(1, 0.5)"}],
        "path": {"rtt": "100 ms"},
    }
    links = resolve(parse_scenario(scenario)).engine["links"]
    assert [link["delay_ns"] // MS for link in links] == [25, 25, 25, 25]


@pytest.mark.parametrize(
    ("groups", "tables", "key"),
    [
        ([{}], {"path": {"rtt": "79 ms"}}, "path.rtt"),
        ([{}, {"rtt": "79 ms"}], {}, "flows[1].rtt"),
        ([{"rtt": "100 ms"}], {"reverse": {"delay": "60 ms"}}, "flows[0].rtt"),
    ],
)
def test_an_rtt_below_the_delay_of_the_middle(groups: list[dict[str, Any]], tables: Any, key: str) -> None:
    with pytest.raises(InputError, match="twice the one-way delay of the bottleneck") as caught:
        engine(groups, **tables)
    assert caught.value.key == key


def test_an_rtt_that_its_spread_makes_too_short_is_told_as_written() -> None:
    with pytest.raises(
        InputError, match=r"path.rtt = \"82 ms\": expected at least 80 ms.*\(flow 0 has 78 ms\)"
    ):
        engine([{"count": 2}], path={"rtt": "82 ms", "rtt_spread": 4 / 82})

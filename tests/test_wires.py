"""Losses in bursts, blackouts, late packets, jitter and transmit opportunities in scenario files: what is read, written and refused."""

from __future__ import annotations

from typing import Any

import pytest

from sawtooth import InputError
from sawtooth.run.api import scenario_of
from sawtooth.run.run import execute
from sawtooth.scenario.resolve import resolve
from sawtooth.scenario.values import Impairment
from sawtooth.scenario.wires import Jitter, Late, parse_delay


def tables(**changes: Any) -> dict[str, Any]:
    base: dict[str, Any] = {
        "duration": "20 s",
        "warmup": "2 s",
        "bottleneck": {"rate": "10 Mbit/s", "buffer": "60 packets"},
        "path": {"rtt": "40 ms"},
        "flows": [{"control": "aimd(1, 0.5)", "start": "0 s", "recovery": "rack"}],
    }
    for key, value in changes.items():
        base[key] = {**base.get(key, {}), **value} if isinstance(value, dict) else value
    return base


def link(changed: dict[str, Any], index: int = 0) -> dict[str, Any]:
    return dict(resolve(scenario_of(changed)).engine["links"][index])


def values(changed: dict[str, Any]) -> dict[str, Any]:
    return dict(execute(resolve(scenario_of(changed))).values)


@pytest.mark.parametrize(
    ("text", "engine"),
    [
        ("gilbert-elliott(0.01, 0.2)", {"p": 0.01, "r": 0.2, "h": 0.0, "k": 1.0}),
        ("gilbert-elliott(0.01, 0.2, 0.1)", {"p": 0.01, "r": 0.2, "h": 0.1, "k": 1.0}),
        ("gilbert-elliott(0.01, 0.2, 0.1, 0.99)", {"p": 0.01, "r": 0.2, "h": 0.1, "k": 0.99}),
        ("blackout(10 s, 500 ms)", {"from_ns": 10**10, "length_ns": 5 * 10**8, "every_ns": None}),
        ("blackout(1 s, 5 ms, 20 ms)", {"from_ns": 10**9, "length_ns": 5 * 10**6, "every_ns": 2 * 10**7}),
    ],
)
def test_losses_are_read_and_written(text: str, engine: dict[str, Any]) -> None:
    read = Impairment.parse(text)
    assert {**read.engine} == {"kind": text.partition("(")[0], **engine}
    assert Impairment.parse(read.text()) == read


@pytest.mark.parametrize(
    ("text", "engine"),
    [
        ("3 ms", {"kind": "constant", "ns": 3_000_000}),
        ("uniform 5..20 ms", {"kind": "uniform", "from_ns": 5_000_000, "to_ns": 20_000_000}),
        ("uniform 5 us..2 ms", {"kind": "uniform", "from_ns": 5_000, "to_ns": 2_000_000}),
        ("exponential 2.5 ms", {"kind": "exponential", "mean_ns": 2_500_000}),
        ("normal 20 ms ± 5 ms", {"kind": "normal", "mean_ns": 20_000_000, "deviation_ns": 5_000_000}),
        ("normal 20 ms +- 5 ms", {"kind": "normal", "mean_ns": 20_000_000, "deviation_ns": 5_000_000}),
        ("pareto 1 ms shape 1.5", {"kind": "pareto", "least_ns": 1_000_000, "shape": 1.5}),
        # Numbers and units as everywhere: a micro sign, a bare point and an exponent were refused here alone.
        ("500 \N{GREEK SMALL LETTER MU}s", {"kind": "constant", "ns": 500_000}),
        ("uniform .5..2e1 ms", {"kind": "uniform", "from_ns": 500_000, "to_ns": 20_000_000}),
        ("uniform 5..20 \N{GREEK SMALL LETTER MU}s", {"kind": "uniform", "from_ns": 5_000, "to_ns": 20_000}),
    ],
)
def test_delays_are_read(text: str, engine: dict[str, Any]) -> None:
    assert parse_delay(text) == engine
    assert Jitter.parse(text).engine == {"kind": "drawn", "delay": engine}
    assert Late.parse(f"periodic(9, {text})").engine == {"kind": "periodic", "n": 9, "delay": engine}


def test_late_packets_are_listed_with_their_delays() -> None:
    late = Late.parse("list(100: 30 ms, 120: 500 us)")
    assert late.engine == {"kind": "list", "packets": [[100, 30_000_000], [120, 500_000]]}


REFUSED = [
    ("bottleneck", "loss", "gilbert-elliott(2, 0.1)", "with probabilities"),
    ("bottleneck", "loss", "gilbert-elliott(0.1)", "gilbert-elliott(p, r, h, k)"),
    ("bottleneck", "loss", "blackout(1 s, 2 s, 1 s)", "blackout(from, length, every)"),
    ("bottleneck", "loss", "periodic(9223372036854775808)", "n ≥ 1, at most 9223372036854775807"),
    ("bottleneck", "drop", "list(1, 9223372036854775808)", "from 1, at most 9223372036854775807"),
    ("bottleneck", "late", "periodic(9223372036854775808, 1 ms)", "n ≥ 1"),
    ("bottleneck", "late", "list(9223372036854775808: 1 ms)", "list(100: 30 ms"),
    ("bottleneck", "late", "list(3: 2)", "list(100: 30 ms"),
    ("bottleneck", "late", "list(3: 2 ms, 2: 1 ms)", "ascending packet numbers"),
    ("bottleneck", "late", "bernoulli(1.5, 2 ms)", "0 ≤ p ≤ 1"),
    ("path", "jitter", "uniform 5..2 ms", '"hold 5 ms"'),
    ("path", "jitter", "hold 0 ms", '"hold 5 ms"'),
    ("reverse", "jitter", "pareto 1 ms shape 0", "above 0"),
    ("path", "aggregate", {}, "one of the keys rtt"),
    ("bottleneck", "aggregate", {"packets": 0}, "1 or more"),
]


@pytest.mark.parametrize(("table", "key", "value", "accepted"), REFUSED)
def test_what_is_no_such_value_is_refused(table: str, key: str, value: Any, accepted: str) -> None:
    with pytest.raises(InputError) as caught:
        resolve(scenario_of(tables(**{table: {key: value}})))
    assert accepted in str(caught.value)
    assert f"{table}.{key}" in str(caught.value)


@pytest.mark.parametrize(
    ("key", "value", "form", "other"),
    [
        ("loss", "gilbert-elliott(0.1)", "gilbert-elliott(p, r, h, k)", "bernoulli"),
        ("drop", "blackout(1 s, 3 s, 2 s)", "every longer than length", "bernoulli"),
        ("mark", "bernoulli(2)", "0 ≤ p ≤ 1", "blackout"),
        ("late", "list(100)", "list(100: 30 ms, …)", "periodic"),
        ("late", "periodic(0, 5 ms)", "n ≥ 1", "bernoulli"),
    ],
)
def test_who_has_chosen_a_form_is_told_of_that_alone(key: str, value: str, form: str, other: str) -> None:
    with pytest.raises(InputError) as caught:
        scenario_of(tables(bottleneck={key: value}))
    assert form in caught.value.accepted
    assert other not in caught.value.accepted


def test_one_outage_of_both_directions_takes_data_and_acknowledgements() -> None:
    """From 5 to 6 s nothing passes either way: what is sent then is lost on the link where it is."""
    dark = {"loss": "blackout(5 s, 1 s)", "buffer": "1000 packets"}
    both = execute(resolve(scenario_of(tables(bottleneck=dark, reverse=dark))))
    there, back = both.queues.to_pylist()
    assert there["drops_impairment"] > 0
    assert back["drops_impairment"] > 0
    one = execute(resolve(scenario_of(tables(bottleneck=dark, reverse={"buffer": "1000 packets"}))))
    assert one.queues.to_pylist()[1]["drops_impairment"] == 0


def test_rate_based_flows_need_links_that_keep_the_order() -> None:
    paced = tables(bottleneck={"late": "periodic(9, 5 ms)"}, flows=[{"control": "tfrc"}])
    with pytest.raises(InputError, match=r"bottleneck\.late = .*a rate-based flow crosses the link"):
        resolve(scenario_of(paced))


def test_a_link_without_any_of_it_is_the_same_as_ever() -> None:
    assert set(link(tables())) == {"name", "rate_bps", "delay_ns", "queue", "drop", "mark"}


def test_bursts_lose_what_the_chain_says() -> None:
    """p/(p + r) = 0.01; with losses in runs of ten the standard error over some 20,000 packets is 0.3 points."""
    lossy = tables(bottleneck={"loss": "gilbert-elliott(0.001, 0.099)", "buffer": "1000 packets"})
    lossy["flows"][0] |= {"count": 8, "control": "aimd(1, 0.9)"}
    assert 0.3 < values(lossy)["loss"] < 2.0


def test_a_blackout_stops_everything_for_a_while() -> None:
    """Nothing arrives in five of eighteen seconds; timeouts double meanwhile, so it takes a little longer."""
    dark = tables(bottleneck={"loss": "blackout(5 s, 5 s)"})
    found = values(dark)
    assert found["timeouts"] >= 3
    assert 0.4 < found["goodput"] < 13.1 / 18


def test_jitter_with_the_order_kept_is_no_loss_and_late_packets_may_seem_one() -> None:
    calm = values(tables(reverse={"jitter": "uniform 0..10 ms"}))
    late = tables(bottleneck={"late": "bernoulli(0.01, 25 ms)"})
    late["flows"][0]["recovery"] = "sack"
    assert values(late)["retransmits"] > 2 * calm["retransmits"] + 10


def test_transmit_opportunities_take_their_overhead() -> None:
    """64 packets of 1000 B at 100 Mbit/s take 5.12 ms; within 4 ms there are 50, and 0.3 ms of overhead: 93 Mbit/s."""
    wifi = tables(bottleneck={"rate": "100 Mbit/s", "aggregate": {}, "buffer": "4000 packets"})
    wifi["flows"][0] |= {"count": 4}
    assert values(wifi)["goodput"] == pytest.approx(50 * 8 / 4.3 / 100, rel=0.02)
    assert link(wifi)["aggregate"] == {
        "packets": 64,
        "time_ns": 4_000_000,
        "overhead_ns": 300_000,
        "per_flow": False,
    }


def test_of_transmit_opportunities_the_bytes_count_and_not_the_time() -> None:
    """A packet of 1000 B costs 0.38 ms alone and full opportunities carry 93 Mbit/s: 15 Mbit/s took 0.7 of the time."""
    wifi = tables(
        bottleneck={"rate": "100 Mbit/s", "aggregate": {}, "buffer": "4000 packets"},
        traffic=[{"kind": "udp", "rate": "15 Mbit/s"}],
    )
    wifi["flows"][0] |= {"receive_window": 1}
    used = values(wifi)
    of_flow = 100 * used["goodput"]
    assert used["utilisation"] == pytest.approx((15 + of_flow) / (50 * 8 / 4.3), rel=0.01)
    assert used["idle"] < 0.4
    wifi["flows"][0] |= {"receive_window": 4000, "count": 4}
    assert values(wifi)["utilisation"] == pytest.approx(1.0, abs=0.02)


def test_opportunities_on_the_way_back_need_a_queue_and_get_one() -> None:
    back = link(tables(reverse={"aggregate": {"packets": 8}}), 1)
    assert back["queue"]["kind"] == "droptail"


def test_a_delay_that_changes_is_drawn_each_time_from_the_seed() -> None:
    changing = tables(on=[{"at": "3 s", "every": "5 s", "set": {"bottleneck.delay": "uniform 5..25 ms"}}])
    scenario = scenario_of(changing)
    drawn = [
        [change["set"][0]["ns"] for change in resolve(scenario, seed).engine["changes"]] for seed in (1, 1, 2)
    ]
    assert drawn[0] == drawn[1] != drawn[2]
    assert len(set(drawn[0])) == 4
    assert all(5_000_000 <= delay <= 25_000_000 for delay in drawn[0])


def test_a_change_may_wait_after_a_state() -> None:
    waiting = tables(
        flows=[{"control": "bbr", "recovery": "rack"}],
        on=[{"state": "drain", "after": "10 ms", "set": {"bottleneck.late": "periodic(9, 5 ms)"}}],
    )
    (change,) = resolve(scenario_of(waiting)).engine["changes"]
    assert change["when"] == {"kind": "state", "flow": 0, "state": "drain", "after_ns": 10_000_000}
    assert change["set"][0]["late"]["n"] == 9

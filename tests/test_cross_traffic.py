"""What cross traffic sends to leave the bandwidth of an environment, behind a shared queue and behind one that shares fairly."""

from __future__ import annotations

from typing import Any

import pytest

import sawtooth
from sawtooth.errors import InputError
from sawtooth.scenario.cross_traffic import SOURCES_MAX
from sawtooth.scenario.resolve import Resolved, resolve
from sawtooth.scenario.scenario import parse_scenario

S = 1_000_000_000
M = 1_000_000


def tables(environment: Any, **bottleneck: Any) -> dict[str, Any]:
    """Ten flows on 100 Mbit/s with DRR."""
    return {
        "duration": "60 s",
        "warmup": "5 s",
        "bottleneck": {"rate": "100 Mbit/s", "buffer": "1.5 MB", "queue": {"kind": "drr"}} | bottleneck,
        "environment": environment,
        "flows": [{"count": 10, "control": "aimd(1, 0.5)"}],
    }


def resolved(environment: Any, **bottleneck: Any) -> Resolved:
    return resolve(parse_scenario(tables(environment, **bottleneck), "s.toml"))


def test_behind_drr_each_level_is_a_number_of_sources_with_more_than_their_share() -> None:
    run = resolved("sq-high")
    (group,) = run.engine["sources"]
    assert group["rates"] == [[t * S, 0 if t % 10 == 0 else round(1.25 * M)] for t in range(0, 60, 5)]
    assert group["counts"] == [0 if t % 10 == 0 else 90 for t in range(0, 60, 5)]
    assert run.schedule.rates_bps == (10 * M, 1 * M) * 6
    assert run.available_bps == pytest.approx(56e7 / 110)  # 30 s of 1 and 25 s of 10 Mbit/s in [5, 60)


def test_what_is_available_is_what_whole_sources_leave() -> None:
    # C/B − n = 100/9.6 − 10 = 0.42 sources: none; 100/9 − 10 = 1.1: one; 100/8.7 − 10 = 1.494: one; 100/8.695 − 10 = 1.50086: two
    for level, count in (
        ("9.6", 0),
        ("9", 1),
        ("8.7", 1),
        ("8.695", 2),
        ("0.1", 990),
        ("0.01", 990),
    ):
        run = resolved({"kind": "constant", "rate": f"{level} Mbit/s"})
        assert [source["counts"] for source in run.engine["sources"]] == ([[count]] if count else [])
        assert run.schedule.rates_bps == (round(100 * M / (10 + count)),)
    assert count == SOURCES_MAX


def test_levels_that_need_as_many_sources_are_one_level() -> None:
    run = resolved({"kind": "square", "high": "9 Mbit/s", "low": "8.9 Mbit/s", "period": "10 s"})
    assert run.engine["sources"][0]["rates"] == [[0, round(1.25 * 100 * M / 11)]]
    assert run.schedule.times_ns == (0,)


def test_the_load_or_the_rate_of_a_source_can_be_given() -> None:
    for keys, rate in (({"cross_load": 0.5}, 500_000), ({"cross_rate": "3 Mbit/s"}, 3 * M)):
        (group,) = resolved({"kind": "cons-low"} | keys).engine["sources"]
        assert (group["rates"], group["counts"]) == ([[0, rate]], [90])


def test_a_shared_queue_has_one_source_and_refuses_what_is_for_drr() -> None:
    (source,) = resolved("cons-low", queue="drop-tail").engine["sources"]
    assert source == {"name": "cbr", "packet_bytes": 1000, "route": [0], "rates": [[0, 90 * M]]}
    for key, value in (("cross_load", 1.5), ("cross_rate", "1 Mbit/s")):
        with pytest.raises(InputError, match=f"environment.{key} = .* only where bottleneck.queue is drr"):
            resolved({"kind": "cons-low", key: value}, queue="drop-tail")


def test_a_flow_gets_its_share_among_sources_that_send_more() -> None:
    short = tables("cons-low") | {"duration": "20 s", "path": {"rtt": "40 ms"}}
    for load, least, most in ((1.25, 0.97, 1.001), (5, 0.97, 1.001), (0.5, 1.5, 6)):
        # Below their share sources leave more than that: half a share each leaves the flows 55 of 100.
        environment = {"kind": "cons-low", "cross_load": load}
        goodput = sawtooth.run(short | {"environment": environment}).values["goodput"]
        assert least < goodput < most, load

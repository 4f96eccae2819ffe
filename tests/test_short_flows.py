"""Processes of short flows in the engine: what is drawn ahead of a run is what the run draws."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sawtooth import _native
from sawtooth.columns import table_of
from sawtooth.run.run import simulate
from sawtooth.scenario.resolve import resolve
from sawtooth.scenario.scenario import parse_scenario

POISSON = {
    "kind": "poisson",
    "intervals": [[0, 10_000_000], [5_000_000_000, 50_000_000]],
    "packets_mean": 5.0,
    "packets_shape": 1.5,
}


def network(schedule: dict[str, Any], *, completions: bool = True) -> tuple[dict[str, Any], dict[str, Any]]:
    """One long flow and short ones beside it on the same links; the engine's scenario and its meta."""
    resolved = resolve(
        parse_scenario(
            {
                "duration": "10 s",
                "warmup": "2 s",
                "bottleneck": {"rate": "50 Mbit/s"},
                "flows": [{"control": "aimd(1, 0.5)"}],
            }
        )
    )
    web = {"name": "web", "profile": 0, "forward": [2, 0], "reverse": [1, 3], "schedule": schedule}
    engine = {**resolved.engine, "arrivals": [web]}
    engine["record"] = {**engine["record"], "completions": completions}
    return engine, resolved.meta


def test_what_is_drawn_ahead_is_what_runs() -> None:
    engine, meta = network(POISSON)
    drawn = table_of(
        _native.arrivals(engine["seed"], "web", json.dumps(POISSON), engine["duration_ns"])
    ).to_pylist()
    run = simulate(engine, meta)
    done = [(row["start_ns"], row["packets"]) for row in run.records["completions"].to_pylist()]
    expected = [(row["start_ns"], row["packets"]) for row in drawn]
    assert set(done) <= set(expected)
    assert len(done) > 500
    totals = run.records["arrivals"].to_pylist()[0]
    assert totals["started"] == sum(start >= engine["warmup_ns"] for start, _ in expected)
    assert totals["offered_packets"] == sum(
        packets for start, packets in expected if start >= engine["warmup_ns"]
    )


def test_a_list_gives_the_same_run_as_the_draws_that_it_holds() -> None:
    drawn = table_of(_native.arrivals("1", "web", json.dumps(POISSON), 10_000_000_000)).to_pydict()
    listed = {"kind": "list", "starts_ns": drawn["start_ns"], "packets": drawn["packets"]}
    assert simulate(*network(POISSON)).digest == simulate(*network(listed)).digest


def test_short_flows_have_no_rows_of_their_own() -> None:
    run = simulate(*network(POISSON, completions=False))
    assert run.flows.num_rows == 1
    assert "completions" not in run.records
    totals = run.records["arrivals"].to_pylist()[0]
    assert totals["name"] == "web"
    assert totals["completion_p50_ns"] <= totals["completion_p95_ns"] <= totals["completion_p99_ns"]
    mean = totals["completion_ns_sum"] / totals["completed"]
    assert totals["completion_p50_ns"] / 4 < mean < totals["completion_p99_ns"]


def test_a_schedule_nobody_can_draw_is_refused() -> None:
    with pytest.raises(ValueError, match=r"schedule\.packets_shape = 1: expected more than 1"):
        _native.arrivals("1", "web", json.dumps(POISSON | {"packets_shape": 1.0}), 1)

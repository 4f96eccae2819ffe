"""What no seed decides is decided once: with many seeds a scenario resolves as with each alone, and the check says the id of the run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sawtooth import _native
from sawtooth.plain import canonical
from sawtooth.scenario.resolve import decide, resolve
from sawtooth.scenario.scenario import Scenario, load_scenario, parse_scenario

EXAMPLES = Path(__file__).parents[1] / "examples"
REFERENCE: dict[str, Any] = {
    "duration": "60 s",
    "warmup": "5 s",
    "bottleneck": {"rate": "100 Mbit/s", "delay": "40 ms", "buffer": "1 bdp", "queue": "drop-tail"},
    "path": {"rtt": "120 ms", "rtt_spread": 0.05, "send_jitter": "80 us"},
    "flows": [{"count": 10, "control": "aimd(1, 0.8)", "start": "uniform 0..1 s"}],
}


def same_with_each_seed(scenario: Scenario) -> None:
    decided = decide(scenario)
    for seed in ("1", "2", "1"):
        first, again = resolve(scenario, seed), resolve(scenario, seed, decided)
        assert (again.engine, again.engine_json, again.meta) == (first.engine, first.engine_json, first.meta)


@pytest.mark.parametrize("environment", ["sq-high", "real-cons-low", "rd-low"])
def test_what_no_seed_decides_is_decided_once(environment: str) -> None:
    same_with_each_seed(parse_scenario({**REFERENCE, "environment": environment}, "s.toml"))


@pytest.mark.parametrize("name", ["call-beside-download", "evening", "free-network", "page-during-upload"])
def test_no_seed_leaves_its_traffic_to_the_next(name: str) -> None:
    same_with_each_seed(load_scenario(EXAMPLES / f"{name}.toml"))


def test_the_check_says_the_id_that_the_run_has() -> None:
    scenario = parse_scenario(REFERENCE, "s.toml")
    first, second = resolve(scenario, "1"), resolve(scenario, "2")
    assert first.checked == (canonical(first.engine), _native.run_id(canonical(first.engine)))
    assert first.run_id == replace(first, checked=None).run_id != second.run_id
    other = replace(first, engine=second.engine, checked=None)
    assert (other.run_id, other.engine_json) == (second.run_id, second.engine_json)

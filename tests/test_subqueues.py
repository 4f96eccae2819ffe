"""The queues within a discipline, DualPI2's L and C: counted apart, said in `run --json`, stored and read back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sawtooth.run.api import scenario_of
from sawtooth.run.run import Run, execute
from sawtooth.run.store import Store
from sawtooth.scenario.resolve import resolve

SUMS = ("arrivals", "drops", "marks", "forwarded", "drops_full", "drops_early", "drops_forced")


@pytest.fixture(scope="module")
def run() -> Run:
    """A Prague flow beside two CUBIC flows."""
    scenario: dict[str, Any] = {
        "duration": "12 s",
        "warmup": "4 s",
        "bottleneck": {"rate": "40 Mbit/s", "queue": "dualpi2"},
        "path": {"rtt": "20 ms"},
        "flows": [
            {"control": "prague", "recovery": "rack"},
            {"count": 2, "control": "cubic", "recovery": "rack"},
        ],
    }
    return execute(resolve(scenario_of(scenario)))


def test_their_counts_are_those_of_the_whole_and_l_waits_less(run: Run) -> None:
    document = run.to_json()
    queue = document["queues"][0]
    low, classic = queue["subqueues"]
    assert (low["name"], classic["name"]) == ("L", "C")
    for name in SUMS:
        assert low[name] + classic[name] == queue[name], name
    assert low["test"]["forwarded"] + classic["test"]["forwarded"] == queue["test"]["forwarded"]
    assert low["delay_ms"]["p99"] <= 2.0 < classic["delay_ms"]["mean"] < 30.0
    assert low["drops"] == 0 < low["marks"]
    assert "subqueues" not in document["series"]


def test_they_are_stored_and_read_back(run: Run, tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put(run)
    back = store.get(run.run_id)
    assert back is not None
    assert back.to_json()["queues"] == run.to_json()["queues"]

"""Files of this folder and runs of its scenarios: what the comparisons share."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sawtooth.run.run import Run
from sawtooth.run.runner import run_many
from sawtooth.scenario.resolve import Resolved, resolve
from sawtooth.scenario.scenario import load_scenario, with_values

HERE = Path(__file__).resolve().parent

LOSS, TIMEOUT, MARK = 1, 2, 3
"""Codes of a decrease in the record `windows`; 0 is a sample."""


def table(name: str) -> list[dict[str, str]]:
    """The rows of data/NAME.csv, every value as text."""
    with open(HERE / "data" / f"{name}.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def job(scenario: str, values: Mapping[str, Any] | None = None, seed: int | None = None) -> Resolved:
    """scenarios/SCENARIO.toml with values put at dotted keys, ready to run; `seed` None takes that of the file."""
    loaded = load_scenario(HERE / "scenarios" / f"{scenario}.toml")
    return resolve(with_values(loaded, values) if values else loaded, seed)


def runs(jobs: Iterable[Resolved]) -> list[Run]:
    """The runs with their records, in the order of the jobs; over all cores, kept nowhere."""
    return run_many(list(jobs), None, light=False)


def decreases(run: Run) -> list[dict[str, Any]]:
    """Every decrease of flow 0: `time_s`, `event` (LOSS, TIMEOUT or MARK), `before`, `after` and `threshold` in packets."""
    return [
        {
            "time_s": row["time_ns"] / 1e9,
            "event": row["event"],
            "before": row["window_before"],
            "after": row["window"],
            "threshold": row["ssthresh"],
        }
        for row in run.records["windows"].to_pylist()
        if row["event"] and row["flow"] == 0
    ]

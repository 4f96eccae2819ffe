"""Sweeps of more runs than fit into memory: they are made in blocks, and their numbers lie in a file."""

from __future__ import annotations

import tempfile
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.csv as pv
import pytest

import sawtooth as st
from sawtooth.errors import InputError
from sawtooth.experiment import sweep as sweeps
from sawtooth.experiment.sweep import Combinations
from sawtooth.run import blocks, spool
from sawtooth.run.shard import Shard, run_shard
from sawtooth.run.spool import Spool, in_a_file
from sawtooth.run.storage import index
from sawtooth.run.store import Store

OVER: dict[str, list[Any]] = {
    "path.rtt": ["20 ms", "30 ms"],
    "flows.control": ["aimd(1, 0.5)", "aimd(1, 0.8)"],
}
BRIEF = {"duration": "300 ms", "warmup": "100 ms"}


def test_blocks_change_nothing(scenario_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = st.sweep(scenario_file, OVER, 5, BRIEF, tmp_path / "whole")
    monkeypatch.setattr(blocks, "LEAST", 3)
    monkeypatch.setattr(spool, "IN_MEMORY", 1000)
    monkeypatch.setattr(sweeps, "TOGETHER", 7)
    monkeypatch.setattr(sweeps, "SCENARIOS", 2)
    monkeypatch.setattr(index, "RECENT_MOST", 4)
    monkeypatch.setattr(index, "IN_MEMORY_MOST", 100)
    heard: list[tuple[int, int, int]] = []

    def progress(done: int, total: int, stored: int) -> None:
        heard.append((done, total, stored))

    found = st.sweep(scenario_file, OVER, 5, BRIEF, tmp_path / "blocks", progress=progress)
    assert found.table.equals(whole.table, check_metadata=True)
    assert repr([*found.groups()]) == repr([*whole.groups()])
    assert found.to_json()["rows"] == whole.to_json()["rows"]
    assert (found.executed, found.different, len(found.runs)) == (20, 20, 20)
    assert heard == sorted(heard)
    assert heard[-1] == (20, 20, 0)
    assert found.write(tmp_path / "blocks.csv") == whole.write(tmp_path / "whole.csv") == 20
    assert pv.read_csv(tmp_path / "blocks.csv").equals(pv.read_csv(tmp_path / "whole.csv"))
    again = st.sweep(scenario_file, OVER, 5, BRIEF, tmp_path / "blocks", progress=progress)
    assert (again.executed, heard[-1]) == (0, (20, 20, 20))
    assert again.table.equals(whole.table)


def test_a_run_that_two_blocks_have_is_made_once(
    scenario_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "LEAST", 3)
    over = {"flows.control": ["aimd(1, 0.5)", "tcp"]}
    found = st.sweep(scenario_file, over, 4, BRIEF, tmp_path)
    assert (found.executed, found.different, len(found.runs)) == (4, 4, 8)
    assert [run.run_id for run in found.runs[:4]] == [run.run_id for run in found.runs[4:]]
    assert repr(found.runs[-1]) == repr(found.runs[7]) != repr(found.runs[0])
    assert repr(found.runs[::4]) == repr([found.runs[0], found.runs[4]])
    again = st.sweep(scenario_file, over, 4, BRIEF, tmp_path, fresh=True)
    assert (again.executed, again.different) == (4, 4)


def test_a_shard_is_made_in_blocks(
    scenario_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "LEAST", 2)
    _, _, jobs = sweeps.planned(scenario_file, OVER, 3, BRIEF)
    made = [run_shard([jobs, jobs], Shard(number, 2), Store(tmp_path)) for number in (1, 2)]
    assert [each.total for each in made] == [12, 12]
    assert sum(each.mine for each in made) == sum(each.executed for each in made) == 12
    again = run_shard([jobs], Shard(1, 2), Store(tmp_path))
    assert (again.done, again.executed) == (made[0].mine, 0)


def test_memory_does_not_grow_with_the_runs(
    scenario_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that is held takes more than a kilobyte, and one that waits to be stored fifty."""
    monkeypatch.setattr(blocks, "LEAST", 50)
    monkeypatch.setattr(spool, "IN_MEMORY", 1)
    monkeypatch.setattr(index, "RECENT_MOST", 50)
    monkeypatch.setattr(index, "IN_MEMORY_MOST", 0)
    over = {"path.rtt": ["20 ms"]}
    st.sweep(scenario_file, over, 20, BRIEF, tmp_path / "loads", threads=1)
    peaks = []
    for count in (120, 480):
        tracemalloc.start()
        st.sweep(scenario_file, over, count, BRIEF, tmp_path / str(count), threads=1)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] - peaks[0] < 800 * 360, peaks


def test_combinations_have_the_last_key_fastest() -> None:
    found = Combinations({"a": [1, 2], "b": ["x", "y", "z"]})
    assert [*found] == [(1, "x"), (1, "y"), (1, "z"), (2, "x"), (2, "y"), (2, "z")]
    assert (found[-1], found[1:3]) == ((2, "z"), [(1, "y"), (1, "z")])


def test_a_file_that_finds_no_room_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "IN_MEMORY", 10)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(
        InputError, match=r"TMPDIR = .*gone.*: expected a directory with room for temporary files"
    ):
        Spool(2).add([("0a", [1.0, 2.0])])
    values = np.arange(3)
    assert in_a_file(values) is values

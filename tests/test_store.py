"""The store: what goes in comes out, whole or not at all, and nothing foreign passes for a run."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sawtooth as st
from sawtooth.atomic import (
    ABANDONED_AFTER_S,
    TEMPORARY_PREFIX,
    _host,
    abandoned,
    write_bytes_atomic,
    write_text_atomic,
)
from sawtooth.errors import InputError
from sawtooth.run.run import Run
from sawtooth.run.store import Store, StoreWarning
from sawtooth.scenario.resolve import resolve
from sawtooth.scenario.scenario import parse_scenario, with_values

RECORDED = {"record.windows": True, "record.sample": "50 ms", "record.rates": "100 ms"}


@pytest.fixture
def run(scenario_text: str) -> Run:
    return st.run(scenario_text, overrides=RECORDED)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def test_a_run_comes_back_as_it_went_in(run: Run, store: Store) -> None:
    path = store.put(run)
    assert path.relative_to(store.path).parts == (
        "runs",
        run.run_id[:2],
        f"{run.run_id}.parquet",
    )
    back = store.get(run.run_id)
    assert back is not None
    assert (back.run_id, back.digest, back.seed) == (run.run_id, run.digest, run.seed)
    assert back.flows.equals(run.flows)
    assert back.queues.equals(run.queues)
    assert set(back.records) == {"windows", "queue_samples", "rates"}
    for name, table in run.records.items():
        assert back.records[name].equals(table)
    assert back.to_json() == run.to_json()
    assert dict(back.engine) == dict(run.engine)


def test_a_stored_run_can_be_simulated_again(run: Run, store: Store) -> None:
    store.put(run)
    assert st.replay(run.run_id[:8], store).same


def test_names_come_from_the_job_where_it_is_known(scenario_text: str, store: Store) -> None:
    first = resolve(parse_scenario(scenario_text, name="first"))
    second = resolve(parse_scenario(scenario_text, name="second"))
    run_id = store.put(st.run_many([first], None, light=False)[0]).stem
    named, stored = store.get(run_id, second), store.get(run_id)
    assert named is not None
    assert stored is not None
    assert (named.meta["name"], stored.meta["name"]) == ("second", "first")


def test_what_is_not_there_is_none(store: Store) -> None:
    assert store.get("00") is None
    assert not store.has("00")
    assert store.find("") == store.find("zz") == store.find("../..") == []
    assert list(store.iter()) == []
    assert not store.path.exists(), "reading makes no directory"


def test_find_and_iter(scenario_text: str, store: Store) -> None:
    runs = [st.run(scenario_text, seed=seed, store=store) for seed in range(4)]
    ids = sorted(run.run_id for run in runs)
    assert [run.run_id for run in store.iter()] == ids
    assert store.find(ids[0]) == [ids[0]]
    assert store.find(ids[0][:1]) == [run_id for run_id in ids if run_id[0] == ids[0][0]]


@pytest.mark.parametrize(
    "damage",
    ["truncated", "empty", "zeros", "text", "other parquet", "bit flip", "other run", "other format"],
)
def test_a_damaged_or_foreign_file_is_ignored_with_a_warning(damage: str, run: Run, store: Store) -> None:
    path = store.put(run)
    data = path.read_bytes()
    if damage == "truncated":
        path.write_bytes(data[: len(data) // 2])
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "zeros":  # what a power failure may leave
        path.write_bytes(bytes(len(data)))
    elif damage == "text":
        path.write_text("not a run\n")
    elif damage == "other parquet":
        pq.write_table(pa.table({"x": [1]}), path)
    elif damage == "bit flip":
        middle = len(data) // 3
        path.write_bytes(data[:middle] + bytes([data[middle] ^ 0xFF]) + data[middle + 1 :])
    elif damage == "other run":
        table = pq.read_table(path)
        column = table.column_names.index("run_id")
        pq.write_table(table.set_column(column, "run_id", pa.array(["0" * 24])), path)
    else:
        table = pq.read_table(path)
        pq.write_table(table.set_column(0, "format", pa.array([999], pa.int32())), path)
    with pytest.warns(StoreWarning, match=f"ignored .*{run.run_id}"):
        assert store.get(run.run_id) is None
    store.put(run)
    assert store.get(run.run_id) is not None


def test_another_build_leaves_runs_valid(run: Run, store: Store) -> None:
    """Who made a run is no part of its identity: a reworded comment makes another engine and orphans nothing."""
    store.put(replace(run, provenance={**run.provenance, "engine": "0123456789abcdef"}))
    assert store.find(run.run_id) == [run.run_id]
    assert [found.run_id for found in store.iter()] == [run.run_id]
    again = st.replay(run.run_id, store)
    assert again.engine_changed
    assert again.behaviour_changed == {}
    assert again.same


def test_runs_that_behaved_otherwise_never_mix_in(run: Run, store: Store) -> None:
    """An engine with other numbers gives the same scenario another id, so its runs are found by that id alone."""
    older = replace(run, run_id="0" * 24, behaviour={**run.behaviour, "law/linear": 0})
    store.put(older)
    assert store.get(run.run_id) is None
    assert list(store.iter()) == []
    assert st.replay("0" * 24, store).behaviour_changed == {"law/linear": (0, run.behaviour["law/linear"])}


def test_many_writers_at_once(run: Run, store: Store) -> None:
    """Sixteen threads write the same and other runs; each file ends up whole, and no temporary file stays."""
    runs = [replace(run, run_id=f"{index % 4:024x}") for index in range(32)]
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(store.put, runs))
    assert [stored.run_id for stored in store.iter()] == [f"{index:024x}" for index in range(4)]
    assert not list(store.path.rglob(f"{TEMPORARY_PREFIX}*"))


def test_leavings_of_dead_writers_are_swept_and_those_of_living_ones_kept(run: Run, store: Store) -> None:
    folder = store.put(run).parent
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    names = {
        "dead": f"{TEMPORARY_PREFIX}{_host()}-{dead.pid}-aa",
        "alive": f"{TEMPORARY_PREFIX}{_host()}-{os.getpid()}-bb",
        "elsewhere": f"{TEMPORARY_PREFIX}other-host-{dead.pid}-cc",
        "strange": f"{TEMPORARY_PREFIX}strange",
    }
    for name in names.values():
        (folder / name).write_bytes(b"half a file")
    Store(store.path).put(run)
    left = {kind for kind, name in names.items() if (folder / name).exists()}
    assert left == {"alive", "elsewhere", "strange"}
    assert abandoned(folder / names["elsewhere"], time.time() + 2 * ABANDONED_AFTER_S)


def test_a_failed_write_leaves_no_trace(tmp_path: Path) -> None:
    target = tmp_path / "directory"
    target.mkdir()
    with pytest.raises(OSError, match="directory"):
        write_bytes_atomic(target, b"data")
    assert sorted(tmp_path.iterdir()) == [target]


def test_text_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "new" / "report.html"
    write_text_atomic(path, "é" * 1000)
    write_text_atomic(path, "short")
    assert path.read_text() == "short"
    assert [entry.name for entry in path.parent.iterdir()] == ["report.html"]


def test_a_store_that_cannot_be_written_is_bad_input(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = Store(tmp_path / "file")
    with pytest.raises(InputError, match="expected a directory that can be written"):
        store.prepare()
    with pytest.raises(InputError, match="expected a directory that can be written"):
        store.put(run)


def test_where_the_store_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SAWTOOTH_STORE", raising=False)
    assert Store().path == Path(".sawtooth")
    monkeypatch.setenv("SAWTOOTH_STORE", str(tmp_path))
    assert Store().path == tmp_path
    assert Store("here").path == Path("here")


def test_the_file_reads_as_plain_nested_columns(run: Run, store: Store) -> None:
    """What DuckDB or Arrow see without Sawtooth: one row, structs inside lists, metrics by name."""
    table = pq.read_table(store.put(run))
    assert table.num_rows == 1
    assert table.schema.field("flows").type.value_type.field("goodput_bps").type == pa.float64()
    (row,) = table.to_pylist()
    assert dict(row["metrics"])["goodput"] == run.values["goodput"]
    assert [flow["goodput_bps"] for flow in row["flows"]] == run.flows["goodput_bps"].to_pylist()
    assert row["digest"] == run.digest


def test_only_what_was_recorded_is_stored(scenario_text: str, store: Store) -> None:
    scenario = with_values(parse_scenario(scenario_text), {"record.rates": "100 ms"})
    (run,) = st.run_many([resolve(scenario)], store, light=False)
    back = store.get(run.run_id)
    assert back is not None
    assert set(back.records) == {"rates"}

"""The store: what goes in comes out, whole or not at all, and nothing foreign passes for a run."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.conftest import file_of, series_files_of

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
from sawtooth.measure.metrics import Measured, metric_values
from sawtooth.run import run as run_module
from sawtooth.run import store as store_module
from sawtooth.run.run import Run, RunSummary
from sawtooth.run.storage import batch
from sawtooth.run.storage import rows as rows_module
from sawtooth.run.storage.rows import run_of
from sawtooth.run.store import DIRECTORY_VARIABLE, Store, StoreWarning
from sawtooth.scenario.resolve import resolve
from sawtooth.scenario.scenario import parse_scenario, with_values

RECORDED = {"record.windows": True, "record.sample": "50 ms", "record.rates": "100 ms"}


@pytest.fixture
def run(scenario_text: str) -> Run:
    return st.run(scenario_text, set=RECORDED)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture
def runs(scenario_text: str) -> list[Run]:
    """Five seeds that recorded."""
    return [st.run(scenario_text, seed=seed, set=RECORDED, store=False) for seed in range(5)]


def test_a_run_comes_back_as_it_went_in(run: Run, store: Store) -> None:
    store.put(run)
    path = file_of(store, run.run_id)
    tree, day, name = path.relative_to(store.path).parts
    assert (tree, day) == ("runs", f"{datetime.now(UTC):%Y-%m-%d}")
    assert name == f"{sha256(path.read_bytes()).hexdigest()[:32]}.parquet"
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


def test_all_files_of_a_kind_have_one_schema(run: Run, scenario_text: str, store: Store) -> None:
    """A run with series, one without, and one with short flows, which have totals: readers need not unite schemas."""
    short = scenario_text + '[environment]\nkind = "real-cons-low"\ninterarrival = "50 ms"\n'
    runs = [run, st.run(scenario_text, store=False), st.run(short, set=RECORDED, store=False)]
    for each in runs:
        store.put(each)
    schemas = [pq.read_schema(file_of(store, each.run_id)).remove_metadata() for each in runs]
    assert schemas[0] == schemas[1] == schemas[2]
    names = [{file.parts[-3] for file in series_files_of(store, each.run_id)} for each in runs]
    assert names == [{"windows", "queue_samples", "rates"}, set(), {"arrivals", *names[0]}]
    for name in names[0]:
        files = [
            file for each in runs for file in series_files_of(store, each.run_id) if file.parts[-3] == name
        ]
        tables = [pq.read_table(file) for file in files]
        assert tables[0].schema == tables[1].schema
        assert [set(table["run_id"].to_pylist()) for table in tables] == [{run.run_id}, {runs[2].run_id}]


def test_a_run_without_its_series_is_ignored_with_a_warning(run: Run, store: Store) -> None:
    store.put(run)
    series_files_of(store, run.run_id)[0].unlink()
    again = Store(store.path)
    with pytest.warns(StoreWarning, match=f"ignored run {run.run_id}.*queue_samples is not there"):
        assert again.get(run.run_id) is None
    again.put(run)
    assert again.get(run.run_id) is not None


def test_a_removed_run_leaves_nothing(run: Run, store: Store) -> None:
    store.put(run)
    assert store.remove([run.run_id]) == {run.run_id}
    assert list(store.path.rglob("*.parquet")) == []
    assert store.get(run.run_id) is None
    assert store.remove([run.run_id]) == set()


def test_a_run_is_removed_from_among_others(runs: list[Run], store: Store) -> None:
    store.put_all(runs)
    store.remove([runs[1].run_id])
    for each in (store, Store(store.path)):
        assert each.ids() == sorted(run.run_id for run in (runs[0], *runs[2:]))
        assert each.get(runs[1].run_id) is None
        for run in (runs[0], *runs[2:]):
            back = each.get(run.run_id)
            assert back is not None
            assert back.to_json() == run.to_json()


def test_series_of_a_killed_writer_go_when_they_are_old(run: Run, store: Store) -> None:
    store.put(run)
    day_ago = time.time() - ABANDONED_AFTER_S - 60.0
    old, *young = series_files_of(store, run.run_id)
    os.utime(old, (day_ago, day_ago))
    store.collect()
    assert store.get(run.run_id) is not None, "the run is there"
    file_of(store, run.run_id).unlink()
    again = Store(store.path)
    again.collect()
    assert sorted((again.path / "series").rglob("*.parquet")) == sorted(young)


def test_st_run_and_the_command_agree_on_the_store(
    scenario_text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DIRECTORY_VARIABLE, str(tmp_path / "named"))
    assert Store().ids(st.run(scenario_text, store=False).run_id) == []
    made = st.run(scenario_text)
    assert Store(tmp_path / "named").ids(made.run_id) == [made.run_id]
    assert st.replay(made.run_id).same


def test_a_stored_run_can_be_simulated_again(run: Run, store: Store) -> None:
    store.put(run)
    assert st.replay(run.run_id[:8], store).same


def test_names_come_from_the_job_where_it_is_known(scenario_text: str, store: Store) -> None:
    first = resolve(parse_scenario(scenario_text, name="first"))
    second = resolve(parse_scenario(scenario_text, name="second"))
    (run,) = st.run_many([first], None, light=False)
    store.put(run)
    run_id = run.run_id
    named, stored = store.get(run_id, second), store.get(run_id)
    assert named is not None
    assert stored is not None
    assert (named.meta["name"], stored.meta["name"]) == ("second", "first")


def test_metrics_are_taken_as_stored_or_computed_again(
    run: Run, scenario_text: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As stored while the formulas and the schedule are those of the row, whatever things are called; the numbers are the same."""
    asked: list[object] = []

    def counted(measured: Measured) -> dict[str, float]:
        asked.append(measured)
        return metric_values(measured)

    monkeypatch.setattr(run_module, "metric_values", counted)
    store.put(run)
    kept = store.get(run.run_id)
    assert kept is not None
    assert not asked
    job = resolve(with_values(parse_scenario(scenario_text, name="another"), RECORDED))
    renamed = store.get(run.run_id, job)
    assert not asked
    assert renamed is not None
    assert renamed.flows.column("controller").to_pylist() == ["linear(1, 1, 0, 0.5)"] * 2 + [
        "linear(1, 1, 0, 0.8)"
    ]
    assert kept.flows.column("controller").to_pylist() == ["aimd(1, 0.5)"] * 2 + ["aimd(1, 0.8)"]
    for again in (
        renamed,
        store.get(run.run_id, replace(job, meta=job.meta | {"test_flows": 3, "more": "than the row says"})),
        _of_other_formulas(store, run.run_id, monkeypatch),
    ):
        assert again is not None
        for one, other in ((again.flows, kept.flows), (again.queues, kept.queues)):
            assert one.schema == other.schema
            columns = [
                name for name in one.column_names if name != "controller"
            ]  # written by the job or by the row
            assert str(one.select(columns).to_pylist()) == str(other.select(columns).to_pylist())
        assert str(again.values) == str(kept.values) == str(run.values)
    assert len(asked) == 2


def test_a_summary_is_that_of_the_whole_run(
    run: Run, scenario_text: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where formulas and names are today's, nothing but the summary is read. Otherwise the run is made, with the same numbers."""
    made: list[str] = []

    def counted(*arguments: object, **options: object) -> Run:
        made.append(run.run_id)
        found: Run = run_of(*arguments, **options)  # type: ignore[arg-type]
        return found

    monkeypatch.setattr(store_module, "run_of", counted)
    job = replace(resolve(parse_scenario(scenario_text)), meta=dict(run.meta))
    store.put(run)
    other_name = replace(job, meta=job.meta | {"name": "another"})
    other_schedule = replace(job, meta=job.meta | {"test_flows": 3, "more": "than the row says"})
    for asked, whole in ((job, 0), (other_name, 1), (other_schedule, 2), (None, 3)):
        summary = store.summary(run.run_id, asked)
        assert len(made) == whole
        expected = store.get(run.run_id, asked)
        made.pop()
        assert summary is not None
        assert expected is not None
        assert type(summary) is RunSummary
        for name in ("run_id", "digest", "seed", "meta", "behaviour"):
            assert getattr(summary, name) == getattr(expected, name), name
        assert str(summary.values) == str(expected.values)
        assert str(summary.flows.to_pylist()) == str(expected.flows.to_pylist())
        assert str(summary.queues.to_pylist()) == str(expected.queues.to_pylist())
    monkeypatch.setattr(rows_module, "row_version", lambda: "other formulas")
    again = store.summary(run.run_id, job)
    assert again is not None
    assert len(made) == 4
    assert str(again.values) == str(run.values)


def test_flows_of_one_name_are_one_kind(run: Run, scenario_text: str, store: Store) -> None:
    """How controllers are written moves no metric, unless flows no longer share one as before."""
    store.put(run)
    job = resolve(with_values(parse_scenario(scenario_text, name="s"), RECORDED))
    shares = []
    for names in (["a", "a", "b"], ["a", "b", "b"]):
        again = store.get(run.run_id, replace(job, meta=job.meta | {"controllers": names}))
        assert again is not None
        assert again.flows.column("controller").to_pylist() == names
        shares.append((again.values["share_least"], again.values["share_most"]))
    assert shares[0] == (run.values["share_least"], run.values["share_most"])
    assert shares[1] != shares[0]


def _of_other_formulas(store: Store, run_id: str, monkeypatch: pytest.MonkeyPatch) -> Run | None:
    monkeypatch.setattr(rows_module, "row_version", lambda: "other formulas")
    return store.get(run_id)


def test_what_is_not_there_is_none(store: Store) -> None:
    assert store.get("00") is None
    assert not store.has("00")
    assert store.ids() == store.ids("zz") == store.ids("../..") == []
    assert list(store.iter()) == []
    assert not store.path.exists(), "reading makes no directory"


def test_ids_and_iter(scenario_text: str, store: Store) -> None:
    runs = [st.run(scenario_text, seed=seed, store=store) for seed in range(4)]
    ids = sorted(run.run_id for run in runs)
    assert [run.run_id for run in store.iter()] == ids
    assert store.ids(ids[0]) == [ids[0]]
    assert store.ids(ids[0][:1]) == [run_id for run_id in ids if run_id[0] == ids[0][0]]


@pytest.mark.parametrize(
    "damage",
    ["truncated", "empty", "zeros", "text", "other parquet", "bit flip", "other run", "other format"],
)
def test_a_damaged_or_foreign_file_is_ignored_with_a_warning(damage: str, run: Run, store: Store) -> None:
    store.put(run)
    path = file_of(store, run.run_id)
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
    else:
        name, value = ("run_id", "0" * 24) if damage == "other run" else ("format", 999)
        table = pq.read_table(path)
        column = pa.array([value], table.schema.field(name).type)
        table = table.set_column(table.column_names.index(name), name, column)
        path.write_bytes(batch.encoded(table, [(run.run_id, 1)]))
    again = Store(store.path)
    with pytest.warns(StoreWarning, match="ignored .*runs"):
        assert again.get(run.run_id) is None
    again.put(run)
    assert again.get(run.run_id) is not None


def test_another_build_leaves_runs_valid(run: Run, store: Store) -> None:
    """Who made a run is no part of its identity: a reworded comment makes another engine and orphans nothing."""
    store.put(replace(run, provenance={**run.provenance, "engine": "0123456789abcdef"}))
    assert store.ids(run.run_id) == [run.run_id]
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
    store.put(run)
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    names = {
        "dead": f"{TEMPORARY_PREFIX}{_host()}-{dead.pid}-aa",
        "alive": f"{TEMPORARY_PREFIX}{_host()}-{os.getpid()}-bb",
        "elsewhere": f"{TEMPORARY_PREFIX}other-host-{dead.pid}-cc",
        "strange": f"{TEMPORARY_PREFIX}strange",
    }
    for name in names.values():
        (store.path / name).write_bytes(b"half a file")
    directory = store.path / f"{TEMPORARY_PREFIX}{_host()}-{dead.pid}-dd"
    directory.mkdir()
    (directory / "file").write_bytes(b"half of a directory")
    again = Store(store.path)
    again.put(run)
    left = {kind for kind, name in names.items() if (store.path / name).exists()}
    assert left == {"alive", "elsewhere", "strange"}
    assert not directory.exists()
    assert abandoned(store.path / names["elsewhere"], time.time() + 2 * ABANDONED_AFTER_S)


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
    monkeypatch.delenv(DIRECTORY_VARIABLE, raising=False)
    monkeypatch.setattr(store_module, "DEFAULT_DIRECTORY", ".usual")
    assert Store().path == Path(".usual")
    monkeypatch.setenv("SAWTOOTH_STORE", str(tmp_path))
    assert Store().path == tmp_path
    assert Store("here").path == Path("here")


def test_the_file_reads_as_plain_nested_columns(run: Run, store: Store) -> None:
    """What DuckDB or Arrow see without Sawtooth: one row, structs inside lists, metrics by name."""
    store.put(run)
    table = pq.read_table(file_of(store, run.run_id))
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


@pytest.mark.parametrize(
    ("address", "accepted"),
    [
        ("s3:/bucket/runs", "two slashes"),
        ("file:/shared/runs", "two slashes"),
        ("file://shared/runs", "three slashes"),
        ("file:///shared/runs#3", "# written as %3F and %23"),
        ("file:///shared/runs?", "# written as %3F and %23"),
        ("", "a directory, or an address"),
    ],
)
def test_what_is_nearly_an_address_is_refused(address: str, accepted: str) -> None:
    """It would be a directory that nobody meant."""
    with pytest.raises(InputError) as told:
        Store(address)
    assert accepted in str(told.value)
    assert Store("file:///shared/runs%233").path == Path("/shared/runs#3")
    assert Store("./s3:/bucket").path == Path("s3:/bucket")

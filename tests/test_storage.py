"""The files of a store: packed as they come, read while they are packed, those of the earlier layout too."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.conftest import file_of, series_files_of

import sawtooth as st
from sawtooth.run.run import Run
from sawtooth.run.storage import batch, compaction, index, packing
from sawtooth.run.storage.batch import Span
from sawtooth.run.storage.compaction import TOGETHER
from sawtooth.run.storage.holdings import Holdings
from sawtooth.run.storage.index import Index, Place
from sawtooth.run.storage.rows import rows_of, same
from sawtooth.run.storage.verify import verify
from sawtooth.run.store import Store

RECORDED = {"record.windows": True, "record.congestion": True}


@pytest.fixture(scope="module")
def made() -> list[Run]:
    """Three seeds, of which two record; the third has short flows as well."""
    from tests.conftest import SCENARIO

    short = SCENARIO + '[environment]\nkind = "real-cons-low"\ninterarrival = "50 ms"\n'
    return [
        st.run(SCENARIO, seed=1, store=False),
        st.run(SCENARIO, seed=2, store=False, set=RECORDED),
        st.run(short, seed=3, store=False, set=RECORDED),
    ]


def asked(sql: str) -> list[tuple[object, ...]]:
    """What DuckDB answers."""
    with duckdb.connect() as connection:
        return list(connection.execute(sql).fetchall())


def many(made: list[Run], count: int) -> list[Run]:
    """So many runs with ids of their own."""
    return [replace(made[place % len(made)], run_id=f"{place:024x}") for place in range(count)]


def holds(store: Store, runs: list[Run]) -> bool:
    """Whether a store has these runs and no others, each as it was, once."""
    table = asked(f"SELECT run_id FROM read_parquet('{store.path}/runs/*/*.parquet') ORDER BY run_id")
    assert table == sorted((run.run_id,) for run in runs)
    assert store.ids() == sorted(run.run_id for run in runs)
    for run in runs:
        back = store.get(run.run_id)
        assert back is not None
        assert same(back, run)
        assert back.to_json() == run.to_json()
    return True


def test_many_small_files_become_few_large_ones(made: list[Run], tmp_path: Path) -> None:
    store = Store(tmp_path)
    runs = many(made, 3 * TOGETHER)
    for run in runs:
        store.put(run)
        store.compact()
    for tree in ("runs", "series/windows"):
        files = list((tmp_path / tree).rglob("*.parquet"))
        assert len(files) < TOGETHER + 3, "fewer than a class of one-run files, and those that were packed"
    assert holds(store, runs)
    assert holds(Store(tmp_path), runs)


@pytest.mark.long
def test_series_that_fill_files_with_few_runs_are_packed_no_oftener(
    made: list[Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file is full by its size as well: else sixteen full ones would be packed again with every run that comes."""
    store = Store(tmp_path)
    runs = many(made[1:], 4 * TOGETHER)
    store.put_all(runs[:1])
    file = series_files_of(store, runs[0].run_id)[1]
    full = 3 * batch.decoded_bytes(pq.ParquetFile(file).metadata)
    monkeypatch.setattr(packing, "FULL_BYTES", full)
    monkeypatch.setattr(compaction, "FULL_BYTES", full)
    packs: Counter[tuple[str, ...]] = Counter()
    encoded = batch.encoded

    def counted(table: pa.Table, spans: list[tuple[str, int]]) -> bytes:
        if "digest" not in table.column_names:
            packs.update((run_id, *table.column_names) for run_id, _ in spans)
        return encoded(table, spans)

    monkeypatch.setattr(packing, "encoded", counted)
    for run in runs:
        store.put(run)
        store.compact()
    assert packs, "single runs were packed"
    assert max(packs.values()) <= 4
    assert holds(Store(tmp_path), runs)
    store.collect()
    packs.clear()
    store.collect()
    assert not packs, "nothing is left to do"


def test_gc_packs_everything_and_loses_nothing(
    made: list[Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path)
    runs = many(made, 40)
    for first in range(0, 40, 4):
        store.put_all(runs[first : first + 4])
    monkeypatch.setattr(packing, "FULL_RUNS", 16)
    monkeypatch.setattr(compaction, "FULL_RUNS", 16)
    found = store.collect()
    assert (found.runs, found.lost) == (40, 0)
    assert len(list((tmp_path / "runs").rglob("*.parquet"))) == 3, "two full files and the rest"
    assert holds(Store(tmp_path), runs)
    assert store.collect().files == found.files, "nothing is left to do"


def test_gc_beside_a_writer_keeps_what_comes_meanwhile(
    made: list[Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its list of runs was older than its list of series, so it took series of new runs for leftovers."""
    runs = many(made, 12)
    late = iter(runs[6:])
    drop = compaction._drop_unreadable

    def beside_a_writer(held: Holdings, tree: str) -> None:
        drop(held, tree)
        Store(tmp_path).put(next(late))

    monkeypatch.setattr(compaction, "_drop_unreadable", beside_a_writer)
    for run in runs[:6]:
        Store(tmp_path).put(run)
    assert Store(tmp_path).collect().lost == 0
    assert holds(Store(tmp_path), runs[: len(Store(tmp_path).ids())])
    assert verify(Store(tmp_path).held).bad == []
    assert len(list(late)) < 6


@pytest.mark.parametrize(
    ("rows", "group"), [(0, 128), (1, 1), (150, 150), (191, 191), (200, 100), (512, 128), (1_000, 125)]
)
def test_runs_lie_in_groups_of_like_size(rows: int, group: int) -> None:
    assert batch.rows_per_group(pa.table({"digest": ["0" * 16] * rows})) == group


def test_a_run_may_span_groups_of_rows(
    made: list[Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch, "GROUP_BYTES", 500)
    monkeypatch.setattr(batch, "GROUP_ROWS", 2)
    store = Store(tmp_path)
    runs = many(made, 9)
    store.put_all(runs)
    groups = pq.ParquetFile(series_files_of(store, runs[1].run_id)[1]).num_row_groups
    assert groups > 9
    store.remove([runs[4].run_id])
    kept = [run for run in runs if run.run_id != runs[4].run_id]
    assert holds(Store(tmp_path), kept)


def test_readers_beside_a_packer_see_every_run_once(made: list[Run], tmp_path: Path) -> None:
    """Programs that know nothing of the store see each run once or find a file gone; Sawtooth itself sees every run."""
    store = Store(tmp_path)
    runs = many(made, 30)
    store.put_all(runs[:10])
    over = threading.Event()

    def pack() -> None:
        other = Store(tmp_path)
        for place, run in enumerate(runs[10:]):
            other.put(run)
            if place % 3 == 2:
                other.collect()
        over.set()

    packer = threading.Thread(target=pack)
    packer.start()
    seen = gone = 0
    while not over.is_set():
        try:
            rows = asked(f"SELECT run_id FROM read_parquet('{tmp_path}/runs/*/*.parquet')")
        except duckdb.IOException:
            gone += 1
            continue
        assert len(rows) == len(set(rows)) >= 10
        back = store.get(runs[seen % 10].run_id)
        assert back is not None
        seen += 1
    packer.join()
    assert seen > 0
    assert holds(store, runs)


def in_the_earlier_layout(directory: Path, run: Run) -> None:
    """A run as it was stored before there were batches: a file for it and one per series."""
    row = rows_of([run], 0.0)
    said = [[(key, value) for key, value in run.provenance.items()]]
    column = pa.array(said, pa.map_(pa.string(), pa.string()))
    row = row.set_column(row.column_names.index("provenance"), "provenance", column)
    files = {f"runs/{run.run_id[:2]}/{run.run_id}.parquet": row}
    for name, table in run.records.items():
        ids = pa.array([run.run_id] * table.num_rows, pa.string())
        files[f"series/{name}/{run.run_id[:2]}/{run.run_id}.parquet"] = table.add_column(0, "run_id", ids)
    for name, table in files.items():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(
            table, directory / name, compression="lz4", store_schema=False, write_page_checksum=True
        )


def test_stores_of_the_earlier_layout_are_read_and_packed_on_request(made: list[Run], tmp_path: Path) -> None:
    for run in made[:2]:
        in_the_earlier_layout(tmp_path, run)
    store = Store(tmp_path)
    assert holds(store, made[:2])
    store.put(made[2])
    store.compact()
    assert holds(Store(tmp_path), made), "old and new files are read together"
    assert file_of(store, made[0].run_id).stem == made[0].run_id
    found = Store(tmp_path).collect()
    assert found.files < found.files_before
    assert holds(Store(tmp_path), made)
    assert not list(tmp_path.rglob(f"{made[0].run_id}.parquet"))


def test_usual_tools_read_the_directory(made: list[Run], tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put_all(many(made, 6))
    store.put_all([replace(run, run_id=f"{place:024x}") for place, run in enumerate(made, start=6)])
    runs = pl.scan_parquet(f"{tmp_path}/runs/*/*.parquet").select("run_id", "flows")
    flows = runs.explode("flows").unnest("flows").collect()
    assert flows["goodput_bps"].len() == sum(run.flows.num_rows for run in made) * 3
    frame = pd.read_parquet(tmp_path / "runs")
    assert sorted(frame["run_id"]) == [f"{place:024x}" for place in range(9)]
    windows = pd.read_parquet(tmp_path / "series" / "windows")
    assert set(windows["run_id"]) == {f"{place:024x}" for place in range(9) if place % 3}
    counted = f"SELECT count(DISTINCT run_id) FROM read_parquet('{tmp_path}/series/windows/*/*.parquet')"
    assert asked(counted) == [(6,)]


def test_the_newest_of_two_runs_of_one_id_counts(made: list[Run], tmp_path: Path) -> None:
    """As when a compaction is killed where directories cannot be exchanged, or two machines made the same run."""
    store, other = Store(tmp_path / "a"), Store(tmp_path / "b")
    run = made[1]
    store.put_all([run, made[0]])
    other.put(run)
    twin = file_of(other, run.run_id)
    (tmp_path / "a/runs/2020-01-01").mkdir()
    (tmp_path / "a/runs/2020-01-01" / twin.name).write_bytes(twin.read_bytes())
    again = Store(tmp_path / "a")
    assert again.ids() == sorted([run.run_id, made[0].run_id])
    again.collect()
    assert holds(Store(tmp_path / "a"), made[:2])


@pytest.mark.parametrize(("merged", "in_memory"), [(1000, 10**6), (60, 100)])
def test_the_index_finds_runs_however_they_came(
    merged: int, in_memory: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "RECENT_MOST", 50)
    monkeypatch.setattr(index, "MERGED_MOST", merged)
    monkeypatch.setattr(index, "IN_MEMORY_MOST", in_memory)
    generator = np.random.Generator(np.random.PCG64(1))
    files: dict[str, list[str]] = {}
    found = Index()
    for step in range(60):
        if files and generator.random() < 0.3:
            del files[sorted(files)[int(generator.integers(len(files)))]]
        files[f"runs/d/{step:03}.parquet"] = [
            f"{int(number):024x}" for number in generator.integers(0, 400, 20)
        ]
        spans = {
            name: [Span(run_id, place, 1) for place, run_id in enumerate(ids)] for name, ids in files.items()
        }
        found.update(files, spans.__getitem__)
        assert found.files == dict.fromkeys(files, 20)
        assert found.ids() == sorted({run_id for ids in files.values() for run_id in ids})
        for number in (0, 7, 399):
            run_id = f"{number:024x}"
            expected = {
                Place(name, place, 1)
                for name, ids in files.items()
                for place, other in enumerate(ids)
                if other == run_id
            }
            assert set(found.places(run_id)) == expected
    name = next(iter(files))
    assert set(found.spans(name)) == set(files[name])
    assert found.ids(f"{7:024x}"[:20]) == [run_id for run_id in found.ids() if run_id.startswith("0" * 20)]

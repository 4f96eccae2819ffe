"""`sawtooth store verify`, `merge` and `gc`: damage is found and named, stores are merged whole or not at all."""

from __future__ import annotations

import json
import shutil
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.conftest import SCENARIO, CommandLine, file_of, series_files_of

import sawtooth as st
from sawtooth.run.merge import merge
from sawtooth.run.run import Run
from sawtooth.run.storage import batch
from sawtooth.run.storage.rows import same
from sawtooth.run.storage.verify import verify
from sawtooth.run.store import Store, StoreWarning

RECORDED = {"record.windows": True}


@pytest.fixture(scope="module")
def runs() -> list[Run]:
    """Six seeds, every other with a series."""
    return [st.run(SCENARIO, seed=seed, store=False, set=RECORDED if seed % 2 else {}) for seed in range(6)]


def contents(directory: Path) -> dict[str, bytes]:
    """Every file with its bytes."""
    return {
        path.relative_to(directory).as_posix(): path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file() and path.name != ".lock"
    }


def flip(path: Path, bit: int) -> None:
    data = bytearray(path.read_bytes())
    data[bit // 8] ^= 1 << bit % 8
    path.write_bytes(data)


def test_a_sound_store_is_verified(sawtooth: CommandLine, runs: list[Run], tmp_path: Path) -> None:
    Store(tmp_path / "kept").put_all(runs)
    done = sawtooth("store", "verify", "kept", "--json")
    assert done.code == 0
    assert (done.json["checked"], done.json["bad"]) == (6, [])
    assert sawtooth("store", "verify", "nowhere").code == 2
    assert sawtooth("store", "verify", "--store", "nowhere").code == 2
    assert sawtooth("store", "verify").out == "0 runs looked at in .sawtooth, 0 bad\n"


@pytest.mark.parametrize("of", ["runs", "series"])
@pytest.mark.parametrize("packed", [True, False])
def test_one_flipped_bit_is_found_wherever_it_is(
    of: str, packed: bool, runs: list[Run], tmp_path: Path
) -> None:
    """Bits all over the file; what is named suffered or stands beside what did, and in a file of one run it is that run."""
    store = Store(tmp_path)
    chosen = runs if packed else runs[1:2]
    store.put_all(chosen)
    path = file_of(store, runs[1].run_id) if of == "runs" else series_files_of(store, runs[1].run_id)[0]
    whose = {run.run_id for run in chosen if of == "runs" or run.records}
    whole = path.read_bytes()
    generator = np.random.Generator(np.random.PCG64(3))
    bits = [*generator.integers(0, 8 * len(whole), 40).tolist(), 0, 8 * len(whole) - 1]
    for bit in bits:
        flip(path, bit)
        found = verify(Store(tmp_path).held)
        named = {entry.run_id for entry in found.bad if entry.file == str(path)}
        assert named, bit
        assert None not in named
        assert len(named & whose) >= len(named) - 1, "an id that was hit itself is another"
        assert packed or named == whose, bit
        assert len(found.bad) == len({(entry.run_id, entry.file) for entry in found.bad})
        path.write_bytes(whole)
    assert verify(Store(tmp_path).held).bad == []


def test_a_damaged_run_is_named_made_again_and_swept(
    sawtooth: CommandLine, scenario_file: Path, tmp_path: Path
) -> None:
    run_id = sawtooth("run", "s.toml", "--json").json["run_id"]
    path = file_of(Store(tmp_path / ".sawtooth"), run_id)
    flip(path, 8 * (path.stat().st_size // 3))
    told = sawtooth("store", "verify", "--json")
    assert told.code == 1
    assert told.json["bad"] == [{"run_id": run_id, "file": str(path.relative_to(tmp_path))}]
    again = sawtooth("run", "s.toml", "--json")
    assert again.code == 0
    assert sawtooth("store", "gc", "--json").code == 0
    assert sawtooth("store", "verify", "--json").json["bad"] == []
    assert sawtooth("store", "show", run_id, "--json").json["run"]["digest"] == again.json["digest"]


def test_removing_a_run_names_those_that_damage_takes_along(runs: list[Run], tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put_all(runs)
    ids = sorted(run.run_id for run in runs)
    broken(file_of(store, ids[0]), ids[0], "rows")
    with pytest.warns(StoreWarning, match="5 runs that could not be read went with") as told:
        assert Store(tmp_path).remove([ids[0]]) == {ids[0]}
    assert all(run_id in str(told[0].message) for run_id in ids[1:4])
    assert Store(tmp_path).ids() == []
    store = Store(tmp_path / "whole")
    store.put_all(runs)
    with warnings.catch_warnings(record=True) as none:
        warnings.simplefilter("always")
        assert store.remove(ids[:2]) == set(ids[:2])
    assert not none
    assert store.ids() == ids[2:]


def test_a_file_that_lost_its_footer_still_says_whose_it_was(runs: list[Run], tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put_all(runs)
    path = file_of(store, runs[0].run_id)
    path.write_bytes(path.read_bytes()[:-1])
    assert {entry.run_id for entry in verify(Store(tmp_path).held).bad} == {run.run_id for run in runs}


def test_a_missing_series_is_bad(runs: list[Run], tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put_all(runs)
    shutil.rmtree(tmp_path / "series")
    found = verify(Store(tmp_path).held)
    assert found.checked == 6
    assert {entry.run_id for entry in found.bad} == {run.run_id for run in runs if run.records}


def broken(path: Path, whose: str, fault: str) -> None:
    """One bit is another: within the rows, in the footer, or in a run's id there."""
    data = path.read_bytes()
    at = {"rows": len(data) // 3, "footer": len(data) - 2, "id": data.rindex(whose.encode()) + 3}[fault]
    flip(path, 8 * at)


@pytest.mark.parametrize("fault", ["rows", "footer", "id"])
@pytest.mark.parametrize("of", ["runs", "series"])
def test_gc_leaves_nothing_bad_and_says_what_is_lost(
    of: str, fault: str, runs: list[Run], tmp_path: Path
) -> None:
    """A store that `gc` went over can be merged: it is what the message of a refused merge says."""
    store = Store(tmp_path / "a")
    store.put_all(runs)
    run = runs[1]
    broken(
        file_of(store, run.run_id) if of == "runs" else series_files_of(store, run.run_id)[0],
        run.run_id,
        fault,
    )
    found = Store(tmp_path / "a").collect()
    swept = Store(tmp_path / "a")
    assert verify(swept.held).bad == []
    assert found.lost == len(runs) - len(swept.ids())
    assert found.lost > 0
    merge(Store(tmp_path / "out"), [swept])
    assert swept.has(runs[0].run_id) == (of == "series"), "it recorded nothing"


def test_merge_takes_every_run_once(sawtooth: CommandLine, runs: list[Run], tmp_path: Path) -> None:
    Store(tmp_path / "a").put_all(runs[:3])
    Store(tmp_path / "b").put_all(runs[2:5])
    Store(tmp_path / "c").put(runs[5])
    done = sawtooth("store", "merge", "out", "a", "b", "c", "--json")
    assert done.code == 0
    assert {key: done.json[key] for key in ("added", "present", "conflicts")} == {
        "added": 6,
        "present": 1,
        "conflicts": 0,
    }
    out = Store(tmp_path / "out")
    assert out.ids() == sorted(run.run_id for run in runs)
    for run in runs:
        back = out.get(run.run_id)
        assert back is not None
        assert same(back, run)
        assert same(run, back)
    assert verify(out.held).bad == []
    before = contents(tmp_path / "out")
    again = sawtooth("store", "merge", "out", "a", "b", "c", "--json").json
    assert (again["added"], again["present"]) == (0, 7)
    assert contents(tmp_path / "out") == before


def test_a_run_that_came_out_otherwise_is_a_conflict(
    sawtooth: CommandLine, runs: list[Run], tmp_path: Path
) -> None:
    Store(tmp_path / "out").put_all(runs[:2])
    Store(tmp_path / "a").put_all([runs[3], replace(runs[0], digest="0" * len(runs[0].digest))])
    before = contents(tmp_path / "out")
    done = sawtooth("store", "merge", "out", "a", "--json")
    assert done.code == 1
    assert (done.json["added"], done.json["conflicts"]) == (0, 1)
    assert done.json["conflicting"] == [runs[0].run_id]
    assert contents(tmp_path / "out") == before


def test_who_made_a_run_and_under_which_name_is_no_conflict(runs: list[Run], tmp_path: Path) -> None:
    Store(tmp_path / "out").put(runs[1])
    other = replace(
        runs[1], provenance={**runs[1].provenance, "platform": "another"}, meta={**runs[1].meta, "name": "b"}
    )
    Store(tmp_path / "a").put(other)
    found = merge(Store(tmp_path / "out"), [Store(tmp_path / "a")])
    assert (found.added, found.present, found.conflicts) == (0, 1, ())


@pytest.mark.parametrize("fault", ["layout", "format", "damage", "missing", "format of out"])
def test_what_cannot_be_merged_is_refused_and_out_stays_as_it_was(
    fault: str, sawtooth: CommandLine, runs: list[Run], tmp_path: Path
) -> None:
    out, a = Store(tmp_path / "out"), Store(tmp_path / "a")
    out.put_all(runs[:2])
    a.put_all(runs[2:])
    if fault == "layout":
        (tmp_path / "a" / "store.json").write_text(json.dumps({"layout": 3}))
    elif fault == "damage":
        flip(file_of(a, runs[2].run_id), 4000)
    elif fault == "missing":
        shutil.rmtree(tmp_path / "a")
    else:
        store, run = (a, runs[2]) if fault == "format" else (out, runs[0])
        path = file_of(store, run.run_id)
        table = pq.read_table(path)
        column = pa.array([3] * table.num_rows, pa.int32())
        ids = table["run_id"].to_pylist()
        data = batch.encoded(table.set_column(0, "format", column), [(run_id, 1) for run_id in ids])
        path.unlink()
        path.with_name(f"{batch.name_of(data)}.parquet").write_bytes(data)
    before = contents(tmp_path / "out")
    done = sawtooth("store", "merge", "out", "a", "--json")
    assert (done.code, done.out) == (2, "")
    assert len(done.err.splitlines()) <= 3
    assert "expected" in done.err
    assert contents(tmp_path / "out") == before


def test_a_store_of_a_later_version_is_refused_by_every_command(
    sawtooth: CommandLine, tmp_path: Path
) -> None:
    (tmp_path / ".sawtooth").mkdir()
    (tmp_path / ".sawtooth" / "store.json").write_text('{"layout": 99}')
    for command in (["ls"], ["verify"], ["gc"], ["rm", "--all", "--yes"]):
        done = sawtooth("store", *command)
        assert done.code == 2
        assert "store.json: layout = 99: expected a store of layout 1 or 2" in done.err

"""`sawtooth store`: what is kept is listed, shown, removed and exported, and never half of it."""

from __future__ import annotations

import csv
import io
import subprocess
import sys
import threading
import time
import warnings
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pv
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from tests.conftest import SCENARIO, CommandLine, clean_environment, file_of, series_files_of

import sawtooth as st
from sawtooth.cli import store as cli_store
from sawtooth.measure.metrics import METRIC_NAMES, Measured, metric_values
from sawtooth.run import export
from sawtooth.run import run as run_module
from sawtooth.run.catalogue import walk
from sawtooth.run.run import Run
from sawtooth.run.storage import rows as rows_module
from sawtooth.run.storage.shelf import RUNS as TREE
from sawtooth.run.store import Store

RECORDED = {"record.windows": True, "record.sample": "50 ms"}
STALE = "0" * 24


@pytest.fixture(scope="module")
def made() -> list[Run]:
    """Two seeds, of which the second records; in order of their seeds."""
    return [
        st.run(SCENARIO, seed=1, store=False),
        st.run(SCENARIO, seed=2, store=False, set=RECORDED),
    ]


@pytest.fixture
def store(tmp_path: Path, made: list[Run]) -> Store:
    """Both runs, and one that another engine made, written a week ago, where the command line looks for runs."""
    kept = Store(tmp_path / ".sawtooth")
    for run in made:
        kept.put(run)
    week_ago = time.time() - 7 * 86_400
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "time", lambda: week_ago)
        kept.put(replace(made[0], run_id=STALE, seed="3"))
    return kept


def ids(document: dict[str, list[dict[str, str]]]) -> set[str]:
    return {entry["run_id"] for entry in document["runs"]}


def files(store: Store) -> list[Path]:
    return list(store.path.rglob("*.parquet"))


def test_every_run_is_listed_with_what_it_is(sawtooth: CommandLine, store: Store, made: list[Run]) -> None:
    listed = {entry["run_id"]: entry for entry in sawtooth("store", "ls", "--json").json["runs"]}
    assert list(listed) == sorted([STALE, *(run.run_id for run in made)])
    for run, series in zip(made, [[], ["windows", "queue_samples"]], strict=True):
        entry = listed[run.run_id]
        assert (entry["seed"], entry["duration_s"], entry["state"]) == (run.seed, 3.0, "current")
        assert entry["controllers"] == ["aimd(1, 0.5)", "aimd(1, 0.8)"]
        assert entry["series"] == series
        assert entry["engine"] == run.provenance["engine"]
        assert entry["version"] == run.provenance["version"]
        own = [file_of(store, run.run_id), *series_files_of(store, run.run_id)]
        assert entry["size_bytes"] == sum(file.stat().st_size for file in own)
        assert len(own) == 1 + len(series)
    assert listed[STALE]["state"] == "stale"


def test_many_runs_are_lines_with_the_same_words(
    store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A table that is laid out as a whole took minutes and half a gigabyte for 200,000 runs."""
    shown = []
    for most in (1000, 1):
        monkeypatch.setattr(cli_store, "LINES", most)
        cli_store.ls(store=str(store.path))
        text = capsys.readouterr().out
        shown.append([line.split() for line in text.splitlines() if line.strip() != "stored runs"])
    assert shown[0] == shown[1]
    assert len(shown[0]) == 5, "heads, three runs, the total"


def test_people_see_the_same(sawtooth: CommandLine, store: Store, made: list[Run]) -> None:
    done = sawtooth("store", "ls")
    assert done.code == 0
    for run in made:
        (line,) = [line for line in done.out.splitlines() if line.startswith(run.run_id[:12])]
        assert "current" in line
    assert "3 runs" in done.out
    assert "1 stale" in done.err


@pytest.mark.parametrize(
    ("options", "which"),
    [
        ("--seed 2", [1]),
        ("--series windows", [1]),
        ("--stale", [2]),
        ("--older-than 6d", [2]),
        ("--older-than 8d", []),
        ("--controller aimd --seed 1", [0]),
        ("--controller aiad", []),
        ("--scenario nothing", []),
        ("--unreadable", []),
    ],
)
def test_filters_join(
    options: str, which: list[int], sawtooth: CommandLine, store: Store, made: list[Run]
) -> None:
    known = [*(run.run_id for run in made), STALE]
    found = sawtooth("store", "ls", *options.split(), "--json").json
    assert ids(found) == {known[place] for place in which}


def test_a_seed_may_be_text(sawtooth: CommandLine, store: Store, made: list[Run]) -> None:
    store.put(replace(made[0], run_id="1" * 24, seed="first-try"))
    assert ids(sawtooth("store", "ls", "--seed", "first-try", "--json").json) == {"1" * 24}
    assert ids(sawtooth("store", "rm", "--seed", "first-try", "--json").json) == {"1" * 24}


def test_a_damaged_file_is_listed_and_can_be_removed(
    sawtooth: CommandLine, store: Store, made: list[Run]
) -> None:
    path = file_of(store, made[0].run_id)
    data = bytearray(path.read_bytes())
    data[len(data) - 9] ^= 1  # in the footer
    path.write_bytes(data)
    assert ids(sawtooth("store", "ls", "--unreadable", "--json").json) == {made[0].run_id}
    Store(path.parents[3] / "alone").prepare()
    alone = path.parents[3] / "alone" / path.relative_to(path.parents[2])
    alone.parent.mkdir()
    alone.write_bytes(data)
    told = sawtooth("store", "show", made[0].run_id, "--store", "alone")
    assert "the store is empty" not in told.err
    assert "`sawtooth store verify`" in told.err
    assert ids(sawtooth("store", "rm", "--unreadable", "--json").json) == {made[0].run_id}
    assert not path.exists()


@pytest.mark.parametrize("place", ["footer", "data"])
def test_an_export_without_damaged_runs_says_so(
    place: str, sawtooth: CommandLine, store: Store, made: list[Run], tmp_path: Path
) -> None:
    path = file_of(store, made[0].run_id)
    data = bytearray(path.read_bytes())
    data[len(data) - 9 if place == "footer" else 60] ^= 1
    path.write_bytes(data)
    done = sawtooth("store", "export", "--output", "runs.CSV", "--json")
    assert (done.code, done.json["runs"], done.json["rows"]) == (1, 1, 1)
    assert "damaged runs are left out; `sawtooth store verify` names them" in done.err
    assert len((tmp_path / "runs.CSV").read_text().splitlines()) == 2
    whole = sawtooth("store", "export", made[1].run_id)
    assert (whole.code, len(whole.out.splitlines())) == (0, 2)


def test_an_empty_store_is_no_mistake(sawtooth: CommandLine, tmp_path: Path) -> None:
    done = sawtooth("store", "ls")
    assert (done.code, done.out) == (0, "0 runs, 0 MB in .sawtooth\n")
    assert not (tmp_path / ".sawtooth").exists()


@pytest.mark.parametrize("name", ["nowhere", "file", "file/below", "directory", ""])
def test_a_store_that_was_named_and_is_none_is_refused(
    name: str, sawtooth: CommandLine, tmp_path: Path
) -> None:
    """A directory of stores is none either: who merges it forgot what is below."""
    (tmp_path / "file").write_text("")
    Store(tmp_path / "directory" / "1").prepare()
    for words in (["ls"], ["export"], ["rm", "--all", "--yes"], ["gc"], ["verify"], ["show", "ab"]):
        done = sawtooth("store", *words, "--store", name)
        assert (done.code, done.out) == (2, ""), words
        assert done.err.startswith(f'store: "{name}": expected a '), words
    assert sawtooth("store", "merge", "out", name).code == 2
    assert sawtooth("store", "merge", "out", "directory/1").code == 0
    assert not (tmp_path / ".sawtooth").exists()


def test_show_says_what_the_run_said(sawtooth: CommandLine, store: Store, made: list[Run]) -> None:
    shown = sawtooth("store", "show", made[1].run_id[:6], "--json").json
    assert shown["run"] == made[1].to_json()
    assert shown["stored"]["run_id"] == made[1].run_id
    text = sawtooth("store", "show", made[1].run_id[:6]).out
    assert "bottleneck.rate_bps = 8000000" in text
    assert f"windows        {made[1].records['windows'].num_rows}" in text
    assert made[1].digest in text


def test_show_refuses_what_is_no_run(sawtooth: CommandLine, store: Store) -> None:
    done = sawtooth("store", "show", "abc")
    assert done.code == 2
    assert "expected the id of a run in this store" in done.err


@pytest.mark.parametrize(
    ("options", "which"),
    [(["--stale"], [2]), (["--seed", "2"], [1]), (["--all", "--yes"], [0, 1, 2]), ([STALE[:4]], [2])],
)
def test_rm_removes_what_it_names_and_leaves_the_rest(
    options: list[str], which: list[int], sawtooth: CommandLine, store: Store, made: list[Run]
) -> None:
    known = [*(run.run_id for run in made), STALE]
    gone = {known[place] for place in which}
    before = {file: file.read_bytes() for file in files(store)}
    held = {file: pq.read_table(file)["run_id"].to_pylist() for file in before}
    would = sawtooth("store", "rm", *options, "--dry-run", "--json").json
    assert (ids(would), would["dry_run"]) == (gone, True)
    assert {file: file.read_bytes() for file in files(store)} == before
    done = sawtooth("store", "rm", *options)
    assert done.code == 0
    assert all(run_id[:12] in done.out for run_id in gone)
    left = {file: data for file, data in before.items() if gone.isdisjoint(held[file])}
    assert {file: file.read_bytes() for file in files(store)} == left


@pytest.mark.parametrize(
    ("options", "accepted"),
    [
        ([], "ids of runs, or options such as --stale, or --all"),
        (["--all"], "--yes beside it, or --dry-run"),
        (["--all", "--yes", "--stale"], "ids of runs, or options such as --stale, or --all"),
        ([STALE, "--stale"], "ids of runs, or options such as --stale, or --all"),
        (["--stale", "--unreadable"], "one of the two"),
        (["--older-than", "long"], "an age such as"),
        (["--seed", ""], "a seed: text of 1 to 64 visible ASCII characters"),
        (["--scenario", ""], "text, since every name contains the empty one"),
        (["--controller", "", "--seed", "1"], "text, since every name contains the empty one"),
        (["--series", "window"], "one of completions, windows"),
        (["ffff"], "the id of a run in this store"),
    ],
)
def test_rm_refuses_what_is_not_clear(
    options: list[str], accepted: str, sawtooth: CommandLine, store: Store
) -> None:
    before = files(store)
    done = sawtooth("store", "rm", *options)
    assert (done.code, done.out) == (2, "")
    assert accepted in done.err
    assert files(store) == before


def test_a_reader_and_a_writer_beside_rm_see_whole_runs(made: list[Run], tmp_path: Path) -> None:
    """A run is there as it was or not at all, however often it goes and comes back."""
    store, run, over = Store(tmp_path), made[0], threading.Event()

    def write() -> None:
        while not over.is_set():
            store.put(run)

    def remove() -> None:
        while not over.is_set():
            store.remove([run.run_id])

    others = [threading.Thread(target=work) for work in (write, remove)]
    for other in others:
        other.start()
    seen: set[str | None] = set()
    deadline = time.monotonic() + 30.0
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            while len(seen) < 2 and time.monotonic() < deadline:
                found = store.get(run.run_id)
                seen.add(None if found is None else found.digest)
    finally:
        over.set()
        for other in others:
            other.join()
    assert seen == {None, run.digest}


def test_export_of_runs_has_a_row_each(sawtooth: CommandLine, store: Store, made: list[Run]) -> None:
    done = sawtooth("store", "export")
    rows = {row["run_id"]: row for row in csv.DictReader(io.StringIO(done.out))}
    assert set(rows) == {run.run_id for run in made}, "stale runs stay out"
    for run in made:
        row = rows[run.run_id]
        assert (row["seed"], row["digest"]) == (run.seed, run.digest)
        for name in METRIC_NAMES:
            value = run.values[name]
            assert row[name] == "" if value != value else float(row[name]) == value
    stale = sawtooth("store", "export", "--stale").out
    assert [row["run_id"] for row in csv.DictReader(io.StringIO(stale))] == [STALE]


@pytest.mark.parametrize("suffix", ["csv", "parquet", "arrow"])
def test_export_of_flows_and_series_are_the_tables_of_the_runs(
    suffix: str, sawtooth: CommandLine, store: Store, made: list[Run], tmp_path: Path
) -> None:
    reader = {"csv": pv.read_csv, "parquet": pq.read_table, "arrow": feather.read_table}[suffix]
    for of, expected in (
        ("flows", [made[0].flows, made[1].flows]),
        ("windows", [made[1].records["windows"]]),
        ("queue_samples", [made[1].records["queue_samples"]]),
    ):
        path = tmp_path / f"{of}.{suffix}"
        said = sawtooth("store", "export", "--of", of, "--output", path, "--json").json
        table = reader(path)
        assert said["rows"] == table.num_rows == sum(each.num_rows for each in expected)
        assert said["columns"] == table.column_names == ["run_id", *expected[0].column_names]
        ordered = sorted(
            expected, key=lambda each: made[0].run_id if each is made[0].flows else made[1].run_id
        )
        whole = pa.concat_tables(ordered)
        for name in whole.column_names:
            assert table[name].to_pylist() == pytest.approx(whole[name].to_pylist(), nan_ok=True)


def test_export_of_many_runs_reads_them_as_they_lie(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By id each run of a large store would decode a group of others; and a group of rows each made files that nobody could read."""
    rows = []
    for by_id, together in ((1000, 1000), (1, 1000), (1, 1)):
        monkeypatch.setattr(export, "BY_ID", by_id)
        monkeypatch.setattr(export, "TOGETHER", together)
        path = tmp_path / "runs.parquet"
        assert export.write_file(path, *export.tables(store, export.in_order(walk(store)), "runs")) == 3
        groups = pq.ParquetFile(path).num_row_groups
        assert groups == (3 if together == 1 else 1)
        rows.append(pq.read_table(path).to_pylist())
    assert [row["run_id"] for row in rows[0]] == sorted(row["run_id"] for row in rows[0])
    assert [row["run_id"] for row in rows[1]] == sorted(
        (row["run_id"] for row in rows[0]), key=lambda run_id: store.held.lies(TREE, run_id)
    )
    assert sorted(map(str, rows[0])) == sorted(map(str, rows[1])) == sorted(map(str, rows[2]))


@pytest.mark.parametrize("of", ["runs", "flows", "queues"])
def test_export_takes_metrics_as_stored_while_their_formulas_are_the_same(
    of: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run of which every number was computed again cost 5 ms, and a large store more than ten minutes."""
    asked: list[object] = []

    def counted(measured: Measured) -> dict[str, float]:
        asked.append(measured)
        return metric_values(measured)

    monkeypatch.setattr(run_module, "metric_values", counted)

    def exported() -> bytes:
        sink = io.BytesIO()
        export.write(sink, "csv", *export.tables(Store(store.path), export.in_order(walk(store)), of))
        return sink.getvalue()

    as_stored = exported()
    assert not asked
    for module in (export, rows_module):
        monkeypatch.setattr(module, "row_version", lambda: "other formulas")
    assert exported() == as_stored
    assert len(asked) == 3


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
@pytest.mark.parametrize("command", [["ls"], ["ls", "--json"], ["export"]])
def test_a_full_disk_behind_standard_output_is_one_error_that_names_it(
    command: list[str], store: Store, tmp_path: Path
) -> None:
    arguments = [sys.executable, "-m", "sawtooth", "store", *command]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            arguments, stdout=full, stderr=subprocess.PIPE, cwd=tmp_path, env=clean_environment(), check=False
        )
    assert (done.returncode, done.stderr.decode()) == (2, "standard output: No space left on device\n")


def test_a_closed_standard_output_is_no_fault(tmp_path: Path) -> None:
    """A list ended with the trace of a fault, and exit code 1."""
    words = [sys.executable, "-m", "sawtooth", "list", "metrics"]
    closed = ["sh", "-c", 'exec "$@" >&-', "sh", *words]
    done = subprocess.run(closed, capture_output=True, cwd=tmp_path, env=clean_environment(), check=False)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("options", "accepted"),
    [
        (["--of", "packets"], "one of runs, flows, queues, windows, queue_samples"),
        (["--of", "windows", "--seed", "1"], "one of runs, flows, queues, which"),
        (["--output", "table.xlsx"], "ends in .csv, .parquet, .arrow"),
        (["--output", "nowhere/table.csv"], "a file in a directory that exists"),
        (["--json"], "--output beside it"),
    ],
)
def test_export_refuses_what_it_cannot_write(
    options: list[str], accepted: str, sawtooth: CommandLine, store: Store, tmp_path: Path
) -> None:
    done = sawtooth("store", "export", *options)
    assert (done.code, done.out) == (2, "")
    assert accepted in done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == [".sawtooth"]

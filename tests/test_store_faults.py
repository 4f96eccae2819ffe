"""What can be wrong around a store: a full disk, a directory that may not be written or goes away, two processes at once."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import resource
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest
from tests.conftest import SCENARIO, CommandLine, clean_environment

import sawtooth as st
from sawtooth.errors import InputError
from sawtooth.run import writer
from sawtooth.run.run import Run
from sawtooth.run.runner import run_each, run_many
from sawtooth.run.storage import local
from sawtooth.run.storage.verify import verify
from sawtooth.run.store import Store
from sawtooth.scenario.resolve import Resolved, resolve
from sawtooth.scenario.scenario import parse_scenario

SWEEP = ["sweep", "s.toml", "--over", "path.rtt=20ms,30ms,40ms", "--seeds", "10"]


@pytest.fixture
def runs() -> list[Run]:
    return [st.run(SCENARIO, seed=seed, store=False) for seed in range(6)]


def jobs(count: int) -> list[Resolved]:
    scenario = parse_scenario(SCENARIO)
    return [resolve(scenario, seed) for seed in range(count)]


def command(words: list[str], directory: Path, limit: int | None = None) -> subprocess.Popen[str]:
    """The command line in a directory, with no file larger than a limit."""

    def limited() -> None:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return subprocess.Popen(
        [sys.executable, "-m", "sawtooth", *words],
        cwd=directory,
        env=clean_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=limited,
    )


@contextlib.contextmanager
def file_system(directory: Path, options: str) -> Iterator[Path]:
    """A small file system of its own."""
    directory.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(directory)]
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("NOT RUN: mounting a file system takes root")
    done = subprocess.run(words, capture_output=True, check=False)
    if done.returncode != 0:
        pytest.skip("NOT RUN: this machine does not let us mount a file system")
    try:
        yield directory
    finally:
        subprocess.run(["umount", "-l", str(directory)], check=False)


def check_refusal(error: str) -> None:
    """One clear line."""
    assert "expected a directory that can be written" in error
    assert len(error.strip().splitlines()) == 1, error


def test_a_full_disk_ends_a_sweep_with_one_line_and_keeps_what_was_stored(
    sawtooth: CommandLine, scenario_file: Path, tmp_path: Path
) -> None:
    with file_system(tmp_path / "small", "size=300k") as directory:
        done = sawtooth("run", "s.toml", "--store", directory / "store", "--json")
        assert done.code == 0
        (directory / "filler").write_bytes(bytes(os.statvfs(directory).f_bavail * 4096 - 8192))
        full = sawtooth(*SWEEP, "--store", directory / "store")
        assert full.code == 2
        check_refusal(full.err)
        assert "No space left on device" in full.err
        kept = Store(directory / "store")
        assert kept.ids() == [done.json["run_id"]]
        assert verify(kept.held).bad == []
        (directory / "filler").unlink()
        assert sawtooth(*SWEEP, "--store", directory / "store").code == 0
        assert not list((directory / "store").glob(".partial-*"))


def test_a_full_disk_ends_a_merge_with_one_line_and_leaves_what_was_there(
    runs: list[Run], sawtooth: CommandLine, tmp_path: Path
) -> None:
    Store(tmp_path / "part").put_all(runs[2:])
    with file_system(tmp_path / "small", "size=300k") as directory:
        Store(directory / "out").put_all(runs[:2])
        filler = directory / "filler"
        filler.write_bytes(bytes(os.statvfs(directory).f_bavail * 4096 - 4096))
        full = sawtooth("store", "merge", directory / "out", "part")
        assert full.code == 2
        check_refusal(full.err)
        assert Store(directory / "out").ids() == sorted(run.run_id for run in runs[:2])
        assert verify(Store(directory / "out").held).bad == []
        filler.unlink()
        assert sawtooth("store", "merge", directory / "out", "part", "--json").json["added"] == 4


def test_a_quota_that_is_reached_ends_a_merge_with_one_line(runs: list[Run], tmp_path: Path) -> None:
    Store(tmp_path / "part").put_all(runs[2:])
    Store(tmp_path / "out").put_all(runs[:2])
    merge = command(["store", "merge", "out", "part"], tmp_path, limit=1_000)
    _, error = merge.communicate(timeout=120.0)
    assert merge.returncode == 2
    check_refusal(error)
    assert "File too large" in error
    assert Store(tmp_path / "out").ids() == sorted(run.run_id for run in runs[:2])
    assert verify(Store(tmp_path / "out").held).bad == []


def test_an_export_that_does_not_fit_leaves_the_file_that_was_there(runs: list[Run], tmp_path: Path) -> None:
    Store(tmp_path / ".sawtooth").put_all(runs)
    (tmp_path / "table.csv").write_text("an earlier one")
    export = command(["store", "export", "--output", "table.csv"], tmp_path, limit=1_000)
    _, error = export.communicate(timeout=120.0)
    assert export.returncode == 2
    expected = '--output = "table.csv": expected a file that can be written (File too large)'
    assert error == f"sawtooth store export: {expected}\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == [".sawtooth", "table.csv"]
    assert (tmp_path / "table.csv").read_text() == "an earlier one"


def test_a_figure_that_does_not_fit_is_named(scenario_file: Path, tmp_path: Path) -> None:
    figure = command(["run", "s.toml", "--plot", "figure.svg"], tmp_path, limit=100_000)
    _, error = figure.communicate(timeout=120.0)
    assert (figure.returncode, error) == (2, "figure.svg: File too large\n")
    assert not (tmp_path / "figure.svg").exists()


def test_a_quota_that_is_reached_ends_a_sweep_with_one_line(scenario_file: Path, tmp_path: Path) -> None:
    """The same where no file system may be mounted: no file may be larger than 10 kB."""
    sweep = command(SWEEP, tmp_path, limit=10_000)
    _, error = sweep.communicate(timeout=120.0)
    assert sweep.returncode == 2
    check_refusal(error)
    assert "File too large" in error
    assert not list((tmp_path / ".sawtooth").rglob("*.parquet"))


def test_a_read_only_file_system(sawtooth: CommandLine, scenario_file: Path, tmp_path: Path) -> None:
    with file_system(tmp_path / "mounted", "size=5m") as directory:
        assert sawtooth(*SWEEP, "--store", directory / "store").code == 0
        subprocess.run(["mount", "-o", "remount,ro", str(directory)], check=True)
        again = sawtooth(*SWEEP, "--store", directory / "store")
        assert (again.code, "0 of 30 runs simulated" in again.err) == (0, True), "what is there is read"
        assert sawtooth("store", "ls", "--store", directory / "store").code == 0
        assert sawtooth("store", "verify", directory / "store").code == 0
        for words in (
            [*SWEEP[:-1], "11"],
            ["run", "s.toml"],
            ["store", "rm", "--all", "--yes"],
        ):
            done = sawtooth(*words, "--store", directory / "store")
            assert done.code == 2
            check_refusal(done.err)
        for words in (["store", "export"], SWEEP):
            option = "--output" if words[0] == "store" else "--out"
            done = sawtooth(*words, option, directory / "table.csv", "--store", directory / "store")
            assert done.code == 2
            assert f'{option} = "' in done.err  # the path may be too long to be shown whole
            assert "expected a file in a directory that can be written" in done.err


PERMISSION = """
import os, sys
from sawtooth.errors import InputError
from sawtooth.run.runner import run_many
from sawtooth.run.store import Store
from tests.test_store_faults import jobs

chosen = jobs(4)
os.chdir(sys.argv[1])
if os.geteuid() == 0:
    os.setuid(65534)
assert [run.seed for run in run_many(chosen[:3], Store("kept"), threads=1)] == ["0", "1", "2"]
for directory in sys.argv[2:]:
    try:
        run_many(chosen, Store(directory), threads=1)
    except InputError as error:
        print(error)
"""


def test_a_directory_that_may_not_be_written(runs: list[Run], tmp_path: Path) -> None:
    """What is there is read; what is not cannot be made."""
    kept = Store(tmp_path / "kept")
    kept.put_all(runs[:3])
    (tmp_path / "empty").mkdir()
    before = sorted(tmp_path.rglob("*"))
    for path in [tmp_path, *before]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(PERMISSION), str(tmp_path), "kept", "empty"],
            cwd=Path(__file__).resolve().parents[1],
            env=clean_environment(),
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        for path in [tmp_path, *before]:
            path.chmod(0o755)
    assert done.stderr == ""
    lines = done.stdout.strip().splitlines()
    assert len(lines) == 2
    for line in lines:
        check_refusal(line)
        assert "Permission denied" in line
    assert sorted(tmp_path.rglob("*")) == before


REFUSED = """
import contextlib, io, json, os, sys
import sawtooth.run.merge
from sawtooth.cli import exit_code

def nowhere():
    return contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO()))

found = []
os.chdir(sys.argv[1])
read, wanted = json.loads(sys.argv[2]), json.loads(sys.argv[3])
with nowhere():
    for words in read:
        assert exit_code(words) == 0, words  # what these commands load, nobody else may be able to
if os.geteuid() == 0:
    os.setuid(65534)
for words in wanted:
    with contextlib.redirect_stderr(io.StringIO()) as error, nowhere():
        code = exit_code(words)
    found.append([code, error.getvalue()])
print(json.dumps(found))
"""


def refused(directory: Path, read: list[list[str]], wanted: list[list[str]]) -> list[list[object]]:
    """What commands say, and how they end, for somebody who may not do what they want; before that, other commands end well."""
    done = subprocess.run(
        [sys.executable, "-c", REFUSED, str(directory), json.dumps(read), json.dumps(wanted)],
        cwd=Path(__file__).resolve().parents[1],
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: list[list[object]] = json.loads(done.stdout)
    return found


def test_a_store_or_a_place_for_tables_without_permission(runs: list[Run], tmp_path: Path) -> None:
    """One line each, which names what may not be read or written; nothing says that a store which may not be read is empty."""
    for name in ("open", "closed", "locked"):
        Store(tmp_path / name).put_all(runs[:2])
    (file,) = (tmp_path / "locked" / "runs").rglob("*.parquet")
    read = [
        ["store", "ls", "--store", "open"],
        ["store", "export", "--store", "open"],
        ["store", "verify", "open"],
    ]
    wanted = [["store", "export", "--store", "open", "--output", "table.csv"]]
    for name in ("closed", "locked"):
        wanted += [["store", "ls", "--store", name], ["store", "verify", name]]
        wanted += [["store", "export", "--store", name], ["store", "merge", "out", name]]
    tmp_path.chmod(0o555)
    (tmp_path / "closed").chmod(0)
    file.chmod(0)
    try:
        (export, *others) = refused(tmp_path, read, wanted)
    finally:
        tmp_path.chmod(0o755)
        (tmp_path / "closed").chmod(0o755)
        file.chmod(0o644)
    said = (
        'sawtooth store export: --output = "table.csv": expected a file in a directory that can be written\n'
    )
    assert export == [2, said]
    assert len(others) == 8
    for (code, error), words in zip(others, wanted[1:], strict=True):
        assert code == 2, words
        named = "closed/" if "closed" in words else str(file.relative_to(tmp_path))
        assert str(error).startswith(named), words
        assert str(error).endswith(": Permission denied\n"), words
        assert str(error).count("\n") == 1, words


def test_a_directory_that_vanishes_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "FLUSH_S", 0.0)
    done: list[str] = []

    def vanishing(run: Run) -> str:
        done.append(run.seed)
        if len(done) == 5:
            shutil.rmtree(tmp_path / "store")
        return run.digest

    kept = Store(tmp_path / "store")
    digests = run_each(jobs(10), kept, vanishing, threads=1)
    assert len(digests) == 10
    left = Store(tmp_path / "store")
    assert {run.seed for run in left.iter()} == {"4", "5", "6", "7", "8", "9"}
    assert verify(left.held).bad == []
    for store in (kept, left):
        assert [run.digest for run in run_many(jobs(10), store, threads=1)] == digests
    assert len(Store(tmp_path / "store").ids()) == 10


def test_two_processes_share_a_store(scenario_file: Path, tmp_path: Path) -> None:
    """Both do the same sweep, or half of it; each run is there once."""
    two = [command(SWEEP, tmp_path), command([*SWEEP[:-1], "5"], tmp_path)]
    for sweep in two:
        _, error = sweep.communicate(timeout=120.0)
        assert sweep.returncode == 0, error
    kept = Store(tmp_path / ".sawtooth")
    assert len(kept.ids()) == 30
    assert verify(kept.held).bad == []
    with duckdb.connect() as connection:
        sql = f"SELECT count(*), count(DISTINCT run_id) FROM read_parquet('{kept.path}/runs/*/*.parquet')"
        assert connection.execute(sql).fetchall() == [(30, 30)]


def unsupported(*_: object) -> None:
    raise OSError(38, "Function not implemented")


@pytest.mark.parametrize("without", ["exchange", "link", "locks"])
def test_a_file_system_that_can_less_keeps_every_run(
    without: str, runs: list[Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts: dict[str, tuple[object, str]] = {
        "exchange": (local, "exchange"),
        "link": (os, "link"),
        "locks": (fcntl, "flock"),
    }
    patched: Callable[..., None] = unsupported
    monkeypatch.setattr(*parts[without], patched)
    kept = Store(tmp_path)
    for run in runs:
        kept.put(run)
    kept.remove([runs[0].run_id])
    kept.collect()
    for store in (kept, Store(tmp_path)):
        assert store.ids() == sorted(run.run_id for run in runs[1:])
        assert [run.digest for run in store.iter()] == [
            run.digest for run in sorted(runs[1:], key=lambda run: run.run_id)
        ]
    assert len(list((tmp_path / "runs").rglob("*.parquet"))) == 1


def test_a_store_where_a_file_is_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(InputError, match="a directory that can be written"):
            Store(path).prepare()
        assert Store(path).ids() == []

"""`kill -9` at every kind of moment of a sweep, a compaction and a merge: what was stored is whole, and the same command ends as ever.

A child kills itself right before one of its changes to files, which a hook on Python's audit events counts; so the moments are those that
matter, and a test that fails fails again. `make test` takes a few of them, `make test-long` twenty of each, and kills the command line by
the clock as well.
"""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import duckdb
import pytest
from tests.conftest import SCENARIO, clean_environment

import sawtooth as st
from sawtooth.atomic import TEMPORARY_PREFIX
from sawtooth.run.run import Run
from sawtooth.run.storage.rows import same
from sawtooth.run.storage.verify import verify
from sawtooth.run.store import Store

RUNS = 24
RECORDED = {"record.windows": True}
CHILD = """
import os, signal, sys
from pathlib import Path
from sawtooth.run import writer
from sawtooth.run.merge import merge
from sawtooth.run.runner import run_many
from sawtooth.run.storage import compaction
from sawtooth.run.store import Store
from sawtooth.scenario.resolve import resolve
from sawtooth.scenario.scenario import parse_scenario, with_values

work, directory, last = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
writer.FLUSH_S = 0.0
compaction.TOGETHER = 3
changes = 0

def counted(event, arguments):
    global changes
    if event in ("os.rename", "os.link", "os.remove", "os.mkdir", "os.rmdir") or (
        event == "open" and arguments[1] is not None and "x" in str(arguments[1])
    ):
        changes += 1
        if changes == last:
            os.kill(os.getpid(), signal.SIGKILL)

def told(self, runs, put=Store.put_all):
    put(self, runs)
    os.write(1, "".join(run.run_id + "\\n" for run in runs).encode())

Store.put_all = told
scenario = with_values(parse_scenario(Path(sys.argv[4]).read_text()), {"record.windows": True})
jobs = [resolve(scenario, seed) for seed in range(24)]
sys.addaudithook(counted)
if work == "sweep":
    run_many(jobs, Store(directory), threads=1)
elif work == "compaction":
    Store(directory).compact()
    Store(directory).collect()
else:
    merge(Store(directory), [Store(directory.parent / "a"), Store(directory.parent / "b")])
os.write(1, f"changes {changes}\\n".encode())
"""


@pytest.fixture(scope="module")
def made() -> list[Run]:
    return [st.run(SCENARIO, seed=seed, store=False, overrides=RECORDED) for seed in range(RUNS)]


@pytest.fixture(scope="module")
def begun(made: list[Run], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """By kind of work, a directory as it finds it."""
    found = {work: tmp_path_factory.mktemp(work) for work in ("sweep", "compaction", "merge")}
    small = Store(found["compaction"] / "store")
    for first in range(0, RUNS, 3):
        small.put_all(made[first : first + 3])
    for name, runs in (("store", made[:8]), ("a", made[5:15]), ("b", made[12:])):
        Store(found["merge"] / name).put_all(runs)
    for directory in found.values():
        (directory / "s.toml").write_text(SCENARIO)
    return found


def worked(work: str, directory: Path, last: int) -> tuple[int, list[str]]:
    """Does the work, or dies before the change of that number: how the process ended, and its lines."""
    words = [work, str(directory / "store"), str(last), str(directory / "s.toml")]
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(CHILD), *words],
        env=clean_environment(),
        stdout=subprocess.PIPE,
        timeout=120.0,
        check=False,
    )
    return done.returncode, done.stdout.decode().splitlines()


def check_whole(store: Path, at_least: set[str]) -> set[str]:
    """Everything there is whole, each run once for programs that know nothing of the store; the ids."""
    kept = Store(store)
    there = kept.ids()
    assert at_least <= set(there)
    assert verify(kept.held).bad == []
    assert [run.run_id for run in kept.iter()] == there
    if there:
        with duckdb.connect() as connection:
            rows = connection.execute(
                f"SELECT run_id FROM read_parquet('{store}/runs/*/*.parquet')"
            ).fetchall()
        assert sorted(run_id for (run_id,) in rows) == there
    return set(there)


def check_all(store: Path, made: list[Run]) -> None:
    """Every run is there as it was made, and nothing of those that were killed."""
    everything = {run.run_id: run for run in made}
    assert check_whole(store, set(everything)) == set(everything)
    for run in Store(store).iter():
        assert same(run, everything[run.run_id])
    Store(store).prepare()
    assert not list(store.rglob(f"{TEMPORARY_PREFIX}*"))


def check_kills(work: str, count: int, begun: dict[str, Path], made: list[Run], tmp_path: Path) -> None:
    """Kills the work at so many moments, spread over all there are."""
    kept = {
        "sweep": set(),
        "compaction": {run.run_id for run in made},
        "merge": {run.run_id for run in made[:8]},
    }
    shutil.copytree(begun[work], tmp_path / "whole")
    code, lines = worked(work, tmp_path / "whole", 0)
    assert code == 0
    changes = int(lines[-1].removeprefix("changes "))
    assert changes > 10
    check_all(tmp_path / "whole" / "store", made)
    for step in range(count):
        last = 1 + (changes - 1) * step // max(1, count - 1)
        place = tmp_path / f"killed-{last}"
        shutil.copytree(begun[work], place)
        code, lines = worked(work, place, last)
        assert code == -signal.SIGKILL
        stored = {line for line in lines if not line.startswith("changes")}
        check_whole(place / "store", set(kept[work]) | stored)
        code, _ = worked(work, place, 0)
        assert code == 0
        check_all(place / "store", made)
        shutil.rmtree(place)


Begun = dict[str, Path]
WORK = ["sweep", "compaction", "merge"]
SHORT = ["compaction"]
"""What is killed in every test run; the others in the long ones."""


@pytest.mark.parametrize("work", SHORT)
def test_a_kill_loses_nothing_that_was_stored(
    work: str, begun: Begun, made: list[Run], tmp_path: Path
) -> None:
    check_kills(work, 3, begun, made, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("work", WORK)
def test_twenty_kills_lose_nothing_that_was_stored(
    work: str, begun: Begun, made: list[Run], tmp_path: Path
) -> None:
    check_kills(work, 20, begun, made, tmp_path)


def killed_by_the_clock(words: list[str], directory: Path, after_s: float) -> bool:
    """Whether a command was killed before it ended."""
    command = subprocess.Popen(
        [sys.executable, "-m", "sawtooth", *words],
        cwd=directory,
        env=clean_environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        command.wait(timeout=after_s)
        return False
    except subprocess.TimeoutExpired:
        command.kill()
        command.wait()
        return True


@pytest.mark.long
@pytest.mark.parametrize("work", ["sweep", "gc", "merge"])
def test_twenty_kills_of_the_command_line_by_the_clock(
    work: str, begun: Begun, made: list[Run], tmp_path: Path
) -> None:
    """Where the time falls is chance; what is there afterwards is not."""
    draw = random.Random(f"kills of {work}")
    over = ",".join(f"{number}ms" for number in range(20, 60))
    words = {
        "sweep": ["sweep", "s.toml", "--over", f"path.rtt={over}", "--seeds", "20", "--store", "store"],
        "gc": ["store", "gc", "--store", "store"],
        "merge": ["store", "merge", "store", "a", "b"],
    }[work]
    source = begun["compaction" if work == "gc" else work]
    time_s = time.monotonic()
    shutil.copytree(source, tmp_path / "whole")
    assert not killed_by_the_clock(words, tmp_path / "whole", 600.0)
    time_s = time.monotonic() - time_s
    whole = check_whole(tmp_path / "whole" / "store", set())
    killed = 0
    for number in range(20):
        place = tmp_path / f"killed-{number}"
        shutil.copytree(source, place)
        for _ in range(3):
            killed += killed_by_the_clock(words, place, draw.uniform(0.2, 1.0) * time_s)
            check_whole(place / "store", set())
        assert not killed_by_the_clock(words, place, 600.0)
        assert check_whole(place / "store", set()) == whole
        shutil.rmtree(place)
    assert killed >= 20

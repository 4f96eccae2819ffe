"""`kill -9` at every kind of moment of a sweep, a compaction and a merge: what was stored is whole, and the same command ends as ever.

A child kills itself right before one of its changes to files, which a hook on Python's audit events counts; so the moments are those that
matter, and a test that fails fails again. Where more kills are asked for than there are changes, the rest comes by the clock, at times that
are drawn. `make test` takes a few of them, `make test-long` twenty of each, and kills the command line by the clock as well.
SAWTOOTH_TEST_KILLS=200 asks for another number: `SAWTOOTH_TEST_KILLS=200 python -m pytest -m long tests/test_store_kills.py`.

The children are forks of one process that has loaded everything, so that a kill takes a fraction of a second.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
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
KILLS = int(os.environ.get("SAWTOOTH_TEST_KILLS", "20"))
"""Of each work, in the long tests."""
RECORDED = {"record.windows": True}
CHILD = """
import os, signal, sys, threading, time
from pathlib import Path
from sawtooth.run import writer
from sawtooth.run.merge import merge
from sawtooth.run.runner import run_many
from sawtooth.run.storage import compaction
from sawtooth.run.store import Store
from sawtooth.scenario.resolve import resolve
from sawtooth.scenario.scenario import parse_scenario, with_values

writer.FLUSH_S = 0.0
compaction.TOGETHER = 3
changes = last = 0

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

def work_of(work, directory):
    if work == "sweep":
        run_many(jobs, Store(directory), threads=1)
    elif work == "compaction":
        Store(directory).compact()
        Store(directory).collect()
    else:
        merge(Store(directory), [Store(directory.parent / "a"), Store(directory.parent / "b")])
    os.write(1, f"changes {changes}\\n".encode())

def killed(process, after_s):
    time.sleep(after_s)
    os.kill(process, signal.SIGKILL)

Store.put_all = told
scenario = with_values(parse_scenario(Path(sys.argv[1]).read_text()), {"record.windows": True})
jobs = [resolve(scenario, seed) for seed in range(24)]
sys.addaudithook(counted)
for line in sys.stdin:
    work, directory, number, after_s = line.rstrip("\\n").split("\\t")
    process = os.fork()
    if process == 0:
        changes, last = 0, int(number)
        if float(after_s):
            threading.Thread(target=killed, args=(os.getpid(), float(after_s)), daemon=True).start()
        code = 1
        try:
            work_of(work, Path(directory))
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(process, 0)
    os.write(1, f"ended {os.waitstatus_to_exitcode(status)}\\n".encode())
"""


class Children:
    """A process that has loaded everything, and forks a child for each piece of work."""

    def __init__(self, scenario: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(CHILD), str(scenario)],
            env=clean_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def close(self) -> None:
        """Ends the process."""
        self._process.communicate(timeout=60.0)

    def work(self, work: str, directory: Path, last: int, after_s: float = 0.0) -> tuple[int, list[str]]:
        """Does the work, or dies before the change of that number, or after some time: how the child ended, and its lines."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{work}\t{directory / 'store'}\t{last}\t{after_s}\n")
        self._process.stdin.flush()
        lines: list[str] = []
        for line in self._process.stdout:
            if line.startswith("ended "):
                return int(line.removeprefix("ended ")), lines
            lines.append(line.rstrip("\n"))
        raise AssertionError(f"the process of the children ended with {self._process.wait()}")


@pytest.fixture(scope="module")
def children(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Children]:
    scenario = tmp_path_factory.mktemp("scenario") / "s.toml"
    scenario.write_text(SCENARIO)
    started = Children(scenario)
    yield started
    started.close()


@pytest.fixture(scope="module")
def made() -> list[Run]:
    return [st.run(SCENARIO, seed=seed, store=False, set=RECORDED) for seed in range(RUNS)]


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


def check_kills(
    work: str, count: int, begun: dict[str, Path], made: list[Run], children: Children, tmp_path: Path
) -> None:
    """Kills the work so often: at moments spread over all its changes, and, where these are fewer, by the clock."""
    kept = {
        "sweep": set(),
        "compaction": {run.run_id for run in made},
        "merge": {run.run_id for run in made[:8]},
    }
    shutil.copytree(begun[work], tmp_path / "whole")
    time_s = time.monotonic()
    code, lines = children.work(work, tmp_path / "whole", 0)
    time_s = time.monotonic() - time_s
    assert code == 0
    changes = int(lines[-1].removeprefix("changes "))
    assert changes > 10
    check_all(tmp_path / "whole" / "store", made)
    counted = min(count, changes)
    moments = [1 + (changes - 1) * step // max(1, counted - 1) for step in range(counted)]
    assert len(set(moments)) == counted
    draw = random.Random(f"moments of {work}")
    killed = 0
    while killed < count:
        last = moments[killed] if killed < counted else 0
        place = tmp_path / f"killed-{killed}"
        shutil.copytree(begun[work], place)
        code, lines = children.work(work, place, last, 0.0 if last else draw.uniform(0.01, 1.0) * time_s)
        assert code == -signal.SIGKILL or (code == 0 and not last), "by the clock it may come to its end"
        killed += code != 0
        stored = {line for line in lines if not line.startswith("changes")}
        check_whole(place / "store", set(kept[work]) | stored)
        code, _ = children.work(work, place, 0)
        assert code == 0
        check_all(place / "store", made)
        shutil.rmtree(place)


Begun = dict[str, Path]
WORK = ["sweep", "compaction", "merge"]
SHORT = ["compaction"]
"""What is killed in every test run; the others in the long ones."""


@pytest.mark.parametrize("work", SHORT)
def test_a_kill_loses_nothing_that_was_stored(
    work: str, begun: Begun, made: list[Run], children: Children, tmp_path: Path
) -> None:
    check_kills(work, 3, begun, made, children, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("work", WORK)
def test_many_kills_lose_nothing_that_was_stored(
    work: str, begun: Begun, made: list[Run], children: Children, tmp_path: Path
) -> None:
    check_kills(work, KILLS, begun, made, children, tmp_path)


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


@pytest.mark.long(90)
@pytest.mark.parametrize("work", ["sweep", "gc", "merge"])
def test_many_kills_of_the_command_line_by_the_clock(
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
    killed = number = 0
    while killed < KILLS:
        place = tmp_path / f"killed-{number}"
        shutil.copytree(source, place)
        for _ in range(3):
            killed += killed_by_the_clock(words, place, draw.uniform(0.2, 1.0) * time_s)
            check_whole(place / "store", set())
        assert not killed_by_the_clock(words, place, 600.0)
        assert check_whole(place / "store", set()) == whole
        shutil.rmtree(place)
        number += 1

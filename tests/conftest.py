"""What the tests share: a scenario that takes milliseconds, and the real entry point in a process of its own."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from tests.browser import Browser, installed
from tests.command_line import CommandLine, Outcome, clean_environment, command_line

from sawtooth.run import store
from sawtooth.run.storage.shelf import RUNS

SCENARIO = """
duration = "3 s"
warmup = "1 s"
seed = "1"

[bottleneck]
rate = "8 Mbit/s"
delay = "5 ms"
buffer = "12 packets"

[path]
rtt = "30 ms"
send_jitter = "80 us"

[[flows]]
count = 2
control = "aimd(1, 0.5)"
recovery = "sack"
start = "uniform 0..0.2 s"

[[flows]]
control = "aimd(1, 0.8)"
recovery = "reno"
start = "uniform 0..0.2 s"
"""

# Pytest has a worker for each core, and workers inherit this before they load numpy. Else linear algebra would take all cores in each,
# and the workers would wait for one another.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A busy machine is no fault of what is tested.
settings.register_profile("tests", deadline=None)
settings.load_profile("tests")


def pytest_configure() -> None:
    """A shell without job control starts what runs in the background deaf to SIGINT, and children inherit that; the tests send it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


LONGER = ("test_tidy", "test_validation_")
"""Files whose tests or fixtures take seconds begin with this. In alphabetical order they would be among the last."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest tests begin first, so that all cores are busy to the end."""

    def seconds(item: pytest.Item) -> int:
        mark = item.get_closest_marker("long")
        if mark is not None and mark.args:
            return int(mark.args[0])
        return int(item.path.name.startswith(LONGER))

    items.sort(key=seconds, reverse=True)


@pytest.fixture(scope="session", autouse=True)
def store_of_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Runs that a test makes without saying where leave nothing in the working directory."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "DEFAULT_DIRECTORY", str(tmp_path_factory.mktemp("store")))
        yield


def file_of(kept: store.Store, run_id: str) -> Path:
    """The file in which a run stands."""
    kept.held.look(RUNS)
    return Path(kept.held.shelf.where(kept.held.places(RUNS, run_id)[0].file))


def series_files_of(kept: store.Store, run_id: str) -> list[Path]:
    """The files in which its series stand, by name of the series."""
    trees = kept.held.series()
    for tree in trees:
        kept.held.look(tree)
    found = [place.file for tree in trees for place in kept.held.places(tree, run_id)]
    return [Path(kept.held.shelf.where(name)) for name in found]


@pytest.fixture
def scenario_text() -> str:
    """Three flows over a small queue that overflows; 3 s simulated, 2 s measured."""
    return SCENARIO


@pytest.fixture
def scenario_file(tmp_path: Path) -> Path:
    """The scenario as a file in the working directory of `sawtooth`."""
    path = tmp_path / "s.toml"
    path.write_text(SCENARIO)
    return path


@pytest.fixture
def sawtooth(tmp_path: Path) -> CommandLine:
    """Runs `sawtooth ARGUMENTS…` in a process of its own in `tmp_path`, without a terminal."""

    def run(*arguments: object, timeout: float = 60.0, **environment: str) -> Outcome:
        return command_line([*map(str, arguments)], tmp_path, clean_environment() | environment, timeout)

    return run


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A browser; where none is installed the test says that it did not run, with STRICT=1 it fails."""
    program = installed()
    if program is None:
        refuse = pytest.fail if os.environ.get("STRICT") else pytest.skip
        refuse("NOT RUN: no browser is installed (Debian: apt-get install chromium)")
    shown = Browser(program)
    yield shown
    shown.close()


__all__ = [
    "SCENARIO",
    "CommandLine",
    "Outcome",
    "clean_environment",
    "file_of",
    "series_files_of",
]

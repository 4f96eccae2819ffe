"""What the tests share: a scenario that takes milliseconds, and the real entry point in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

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


def pytest_configure() -> None:
    """A shell without job control starts what runs in the background deaf to SIGINT, and children inherit that; the tests send it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@dataclass(frozen=True)
class Outcome:
    """How one command line ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as the one JSON document it must be."""
        return json.loads(self.out, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))


CommandLine = Callable[..., Outcome]


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
    """Runs `sawtooth ARGUMENTS…` through its real entry point in `tmp_path`, without a terminal."""

    def run(*arguments: object, timeout: float = 60.0, **environment: str) -> Outcome:
        done = subprocess.run(
            [sys.executable, "-m", "sawtooth", *map(str, arguments)],
            cwd=tmp_path,
            env=clean_environment() | environment,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    return run


def clean_environment() -> dict[str, str]:
    """This process's environment without Sawtooth's own variables."""
    return {key: value for key, value in os.environ.items() if not key.startswith("SAWTOOTH_")}

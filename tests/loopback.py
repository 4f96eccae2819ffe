"""A Dask scheduler and workers on loopback, each a process of its own that a test may kill."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from tests.conftest import clean_environment

PATIENCE_S = 180.0
QUIET = "--no-dashboard"


class Loopback:
    """One scheduler and its workers; all of them are gone when the block ends."""

    def __init__(self, directory: Path, environment: Mapping[str, str] | None = None) -> None:
        self.directory = directory
        self.environment = clean_environment() | dict(environment or {})
        self.scheduler: subprocess.Popen[bytes] | None = None
        self.workers: list[subprocess.Popen[bytes]] = []
        self.file = directory / "scheduler.json"

    def __enter__(self) -> Self:
        self.begin_scheduler()
        return self

    def __exit__(self, *_: object) -> None:
        for process in (*self.workers, self.scheduler):
            if process is not None:
                process.kill()
                process.wait()

    def begin_scheduler(self, *words: str, port: int = 0) -> None:
        """A scheduler, which writes where it is when it listens."""
        self.file.unlink(missing_ok=True)
        listening = ("--host", "127.0.0.1", "--port", str(port), "--scheduler-file", str(self.file), QUIET)
        self.scheduler = self._begin("scheduler", *listening, *words)
        deadline = time.monotonic() + PATIENCE_S
        while not self._is_written():
            assert time.monotonic() < deadline, "the scheduler does not come up"
            assert self.scheduler.poll() is None, "the scheduler ended"
            time.sleep(0.05)

    def add_worker(self, *words: str, threads: int = 1) -> subprocess.Popen[bytes]:
        """A worker in one process; it joins when it is ready."""
        serving = ("--scheduler-file", str(self.file), "--nthreads", str(threads), "--no-nanny", QUIET)
        worker = self._begin("worker", *serving, "--host", "127.0.0.1", *words)
        self.workers.append(worker)
        return worker

    @property
    def address(self) -> str:
        """Of the scheduler."""
        return str(json.loads(self.file.read_text())["address"])

    @property
    def port(self) -> int:
        """Of the scheduler."""
        return int(self.address.rpartition(":")[2])

    def kill_scheduler(self) -> None:
        """As the kernel does it."""
        assert self.scheduler is not None
        self.scheduler.kill()
        self.scheduler.wait()

    def _is_written(self) -> bool:
        try:
            return bool(self.address)
        except (OSError, ValueError):
            return False

    def _begin(self, *words: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "dask", *words],
            cwd=self.directory,
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


__all__ = ["Loopback"]

"""A scheduler of Dask in this process, and worker processes of this machine.

`distributed.LocalCluster` starts its workers by multiprocessing, which imports the caller's script anew: one without a guard for `__main__`
would start a cluster in each worker. Workers that are commands of their own need no guard.

Processes end at any time, also while they are being ended. Dask asks its workers to go and kills them at the same moment, and raises where
one was faster. That is no fault of a sweep: a process that is gone is what was wanted.

| parameter | unit | default | why                                                                             |
|-----------|------|---------|---------------------------------------------------------------------------------|
| ALONE_S   | s    | 10      | how long workers look for the scheduler of a process that was killed            |
| CLOSE_S   | s    | 5       | how long is waited for them to end; later they end by themselves, see ALONE_S   |
| AGAIN_S   | s    | 0.02    | between two looks at which processes are left                                   |

Source: none.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

import distributed
import psutil
from distributed.deploy.subprocess import SubprocessWorker

from sawtooth.errors import ClusterError

LOOPBACK: Final = "127.0.0.1"
ALONE_S: Final = 10
CLOSE_S: Final = 5
AGAIN_S: Final = 0.02


class OwnWorker(SubprocessWorker):
    """A worker process that may end before it is ended, and that prints to standard error alone."""

    async def _start(self) -> None:
        """As that of Dask, but for the output."""
        spec = json.dumps({"cls": self.worker_class, "opts": self.worker_kwargs})
        words = [sys.executable, "-m", "dask", "spec", self.scheduler, "--spec", spec]
        self.process = await asyncio.create_subprocess_exec(*words, stdout=2)

    async def close(self) -> None:
        """Ends the process with its children, of which any may be gone already, and waits until none of them is at work."""
        family: set[psutil.Process] = set()
        while True:
            if self.process is not None:
                with suppress(psutil.NoSuchProcess):
                    family.update(psutil.Process(self.process.pid).children(recursive=True))
            try:
                await super().close()
            except (psutil.NoSuchProcess, ProcessLookupError):
                await asyncio.sleep(AGAIN_S)
            else:
                break
        for process in family:  # Dask does not find the children of a process that has just ended
            with suppress(psutil.NoSuchProcess):
                process.kill()
        # It waits for the process alone, and a killed one takes a while to end.
        while any(_at_work(process) for process in family):
            await asyncio.sleep(AGAIN_S)


def _at_work(process: psutil.Process) -> bool:
    """Whether it has not ended. Without an init nobody buries an orphan, and its name stays."""
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


@contextmanager
def local(threads: int) -> Iterator[Any]:
    """A cluster of so many workers with a thread each, for the length of the block. ClusterError if it cannot begin."""
    # Without an address Dask's HTTP server takes a fixed port on all interfaces, with or without a dashboard.
    silent = {"host": LOOPBACK, "dashboard": False, "dashboard_address": f"{LOOPBACK}:0"}
    alike = {**silent, "nthreads": 1, "silence_logs": logging.CRITICAL, "death_timeout": ALONE_S}
    worker = {"cls": OwnWorker, "options": {"worker_kwargs": alike}}
    started: Any = distributed.SpecCluster
    try:
        found = started(
            scheduler={"cls": distributed.Scheduler, "options": {**silent, "port": 0}},
            workers=dict.fromkeys(range(threads), worker),
            silence_logs=logging.CRITICAL,
        )
    except (OSError, RuntimeError) as error:
        raise ClusterError(f"no workers of Dask can be started on this machine ({error})") from None
    try:
        yield found
    finally:
        with suppress(OSError):  # TimeoutError is one
            found.close(timeout=CLOSE_S)


__all__ = ["local"]

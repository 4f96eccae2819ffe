"""Finished runs on their way into a store: in batches, none older than some seconds.

A batch is written when the last one was written FLUSH_S ago, so a run that took long is stored at once and fast ones many together; or when
it is full. Whoever waits for runs calls `tick`, so that nothing lies here while others take their time.

| parameter   | unit    | default | why                                                                       |
|-------------|---------|---------|---------------------------------------------------------------------------|
| FLUSH_S     | s       | 5       | what a kill may lose; a batch costs some 15 ms of CPU                       |
| TICK_S      | s       | 2       | how often who waits for runs looks whether a batch is due                   |
| FULL_RUNS   | runs    | 512     | some 10 MB of memory                                                       |
| FULL_VALUES | numbers | 4·10⁶   | the same where runs have thousands of flows or record much                  |
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Final, Self

from sawtooth.errors import InputError
from sawtooth.run.run import Run
from sawtooth.run.storage.rows import renamed
from sawtooth.run.store import Store

FLUSH_S: Final = 5.0
TICK_S: Final = 2.0
FULL_RUNS: Final = 512
FULL_VALUES: Final = 4_000_000


class Writer:
    """Takes runs from several threads; on leaving, what is left is written. Afterwards each run is written at once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: dict[str, Run] = {}
        self._leaving: dict[str, Run] = {}
        """What is being written."""
        self._values = 0
        self._written_s = time.monotonic()
        self._closed = False
        self._lock = threading.Lock()
        self._turn = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._closed = True
        try:
            self.flush()
        except InputError:
            if error is None:  # else the first fault is told
                raise

    def put(self, run: Run) -> None:
        """One more; this call may write those before it too. Raises InputError if the store cannot be written."""
        with self._lock:
            self._waiting[run.run_id] = run
            self._values += _values(run)
        if self._closed:
            self.flush()
        else:
            self.tick()

    def tick(self) -> None:
        """Writes what has waited long enough."""
        if self._waiting and self._is_due() and self._turn.acquire(blocking=False):
            try:
                self._flush()
            finally:
                self._turn.release()

    def get(self, run_id: str, meta: Mapping[str, Any] | None = None) -> Run | None:
        """A run that is on its way, under these names; None: its own."""
        with self._lock:
            run = self._waiting.get(run_id) or self._leaving.get(run_id)
        return run if run is None or meta is None else renamed(run, meta)

    def flush(self) -> None:
        """Writes what is there."""
        with self._turn:
            self._flush()

    def _flush(self) -> None:
        with self._lock:
            self._leaving |= self._waiting
            self._waiting, self._values = {}, 0
            self._written_s = time.monotonic()
        if self._leaving:
            self._store.put_all(list(self._leaving.values()))
            with contextlib.suppress(InputError):  # it needs room, and can be done any time
                self._store.compact()
        with self._lock:
            self._leaving = {}

    def _is_due(self) -> bool:
        full = len(self._waiting) >= FULL_RUNS or self._values >= FULL_VALUES
        return full or time.monotonic() - self._written_s > FLUSH_S


def _values(run: Run) -> int:
    tables = (run.flow_columns, run.queue_columns, *run.record_columns.values())
    return sum(columns.rows * len(columns.names) for columns in tables)


__all__ = ["FLUSH_S", "TICK_S", "Writer"]

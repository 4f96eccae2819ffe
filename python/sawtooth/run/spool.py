"""Numbers of any number of runs, in a file without a name: what a sweep keeps of its runs takes no memory.

    >>> from sawtooth.run.spool import Spool
    >>> spool = Spool(2)
    >>> spool.add([("0a", [1.0, 2.0]), ("0b", [3.0, 4.0])])
    >>> len(spool), spool.rows(1, 1)["values"].tolist()
    (2, [[3.0, 4.0]])

The file lies where temporary files lie ($TMPDIR) and is gone when the process ends, however it ends. Few rows stay in memory.

| parameter | unit  | default | why                                              |
|-----------|-------|---------|--------------------------------------------------|
| IN_MEMORY | bytes | 16 MB   | before there is a file: 40,000 runs of a sweep   |
"""

from __future__ import annotations

import tempfile
import threading
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from sawtooth.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

IN_MEMORY: Final = 16_000_000


class Spool:
    """Rows of a run id and ``width`` numbers, in the order in which they were added. Safe for several threads. InputError where there is
    no room for the file."""

    def __init__(self, width: int) -> None:
        self._row = np.dtype([("run_id", "S24"), ("values", np.float64, (width,))])
        self._file = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - open as long as the spool is there
        weakref.finalize(self, self._file.close)
        self._count = 0
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return self._count

    def add(self, rows: Sequence[tuple[str, Sequence[float]]]) -> None:
        """Adds rows at the end."""
        made = np.empty(len(rows), self._row)
        made["run_id"] = [run_id.encode() for run_id, _ in rows]
        made["values"] = [values for _, values in rows]
        with self._lock, _room():
            self._file.seek(0, 2)
            self._file.write(made.tobytes())
            self._file.flush()
            self._count += len(rows)

    def rows(self, first: int, count: int) -> NDArray[Any]:
        """``count`` rows from ``first`` on, fewer at the end; fields ``run_id`` and ``values``."""
        with self._lock:
            self._file.seek(first * self._row.itemsize)
            read = self._file.read(max(0, count) * self._row.itemsize)
        return np.frombuffer(read, self._row)


def in_a_file(values: NDArray[Any]) -> NDArray[Any]:
    """The same numbers in a file without a name, to be read; as they are where there is no room for it."""
    try:
        with tempfile.TemporaryFile() as file:
            values.tofile(file)
            file.flush()
            return np.memmap(file, values.dtype, "r", shape=values.shape)
    except OSError:
        return values


@contextmanager
def _room() -> Iterator[None]:
    """Says where room is lacking."""
    try:
        yield
    except OSError as error:
        accepted = f"a directory with room for temporary files ({error.strerror or error})"
        raise InputError("environment", "TMPDIR", tempfile.gettempdir(), accepted) from error


__all__ = ["Spool", "in_a_file"]

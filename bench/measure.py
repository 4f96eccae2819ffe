"""CPU time of programs that run to their end, and how the numbers of several runs are summed up."""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Usage:
    """What one process used, user + system CPU in s, and what it printed."""

    cpu_s: float
    output: str


def usage(command: Sequence[str], text: str = "") -> Usage:
    """Run a command to its end with `text` as input. RuntimeError with its last words if it fails."""
    with (
        tempfile.TemporaryFile("w+") as given,
        tempfile.TemporaryFile("w+") as out,
        tempfile.TemporaryFile("w+") as err,
    ):
        given.write(text)
        given.seek(0)
        process = subprocess.Popen(command, stdin=given, stdout=out, stderr=err, text=True)
        # The counters of getrusage(RUSAGE_CHILDREN), of this child alone.
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if process.returncode != 0:
            raise RuntimeError(
                f"{command[0]} ended with {process.returncode}: {err.read()[-500:] or out.read()[-500:]}"
            )
        return Usage(used.ru_utime + used.ru_stime, out.read())


@dataclass(frozen=True)
class Spread:
    """Median, smallest and largest of several measurements."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """The spread of at least one value."""
        return cls(statistics.median(values), min(values), max(values))

    def text(self, digits: int) -> str:
        """`median (low … high)`."""
        return f"{self.median:.{digits}f} ({self.low:.{digits}f} … {self.high:.{digits}f})"

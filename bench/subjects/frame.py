"""What every subject has: a name and a way to run so many simulated seconds of a dumbbell, in a process of its own."""

from __future__ import annotations

import functools
import importlib.machinery
import importlib.util
import os
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILT = ROOT / "target" / "bench"
"""Where programs that the benchmark compiles for itself lie."""


@dataclass(frozen=True)
class Dumbbell:
    """How large the benchmark is: flows, bottleneck rate (Mbit/s), buffer (packets), distinct round-trip times."""

    flows: int
    mbit: int
    buffer_packets: int
    distinct_rtts: int

    @classmethod
    def of(cls, flows: int, mbit: int, rtts: str = "all", buffer_packets: int | None = None) -> Dumbbell:
        """`rtts` is "all" or a number; the buffer is rate × 120 ms unless given."""
        distinct = flows if rtts == "all" else min(flows, int(rtts))
        return cls(flows, mbit, buffer_packets or max(2, mbit * 15), distinct)

    @property
    def text(self) -> str:
        """One phrase for tables."""
        rate = f"{self.mbit // 1000} Gbit/s" if self.mbit % 1000 == 0 else f"{self.mbit} Mbit/s"
        rtts = "all RTTs different" if self.distinct_rtts == self.flows else f"{self.distinct_rtts} RTTs"
        return f"{self.flows:,} flows, {rate}, {rtts}"


@dataclass(frozen=True)
class Work:
    """One finished run: CPU time (s), packets that the bottleneck forwarded and dropped, peak resident memory (kB)."""

    cpu_s: float
    forwarded: int
    dropped: int
    peak_kb: int


@dataclass(frozen=True)
class Subject:
    """A simulator on one dumbbell: name in tables, a function that runs so many simulated seconds, and how many seconds it is given at
    most (a slow one is measured over fewer; the cost is per packet)."""

    name: str
    run: Callable[[int], Work]
    seconds_max: int | None = None


@dataclass(frozen=True)
class Usage:
    """What one process used, user + system CPU in s, and what it printed."""

    cpu_s: float
    output: str


def usage(command: Sequence[str], text: str = "", environment: Mapping[str, str] | None = None) -> Usage:
    """Run a command to its end with `text` as input, in this `environment` or that of this process. RuntimeError with its last words if it
    fails."""
    with (
        tempfile.TemporaryFile("w+") as given,
        tempfile.TemporaryFile("w+") as out,
        tempfile.TemporaryFile("w+") as err,
    ):
        given.write(text)
        given.seek(0)
        process = subprocess.Popen(
            command, stdin=given, stdout=out, stderr=err, text=True, cwd=ROOT, env=environment
        )
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


def told(output: str) -> dict[str, str]:
    """What a program said in one line `name value name value …`."""
    words = output.split()
    return dict(zip(words[::2], words[1::2], strict=True))


@functools.cache
def native_file() -> str:
    """The file of the compiled extension module; the package itself is not imported, only found."""
    spec = importlib.util.find_spec("sawtooth")
    folders = spec.submodule_search_locations if spec and spec.submodule_search_locations else []
    for folder in folders:
        for suffix in importlib.machinery.EXTENSION_SUFFIXES:
            file = Path(folder) / f"_native{suffix}"
            if file.is_file():
                return str(file)
    raise RuntimeError("sawtooth._native is not built: make build")


def cargo_built(package: str, program: str | None = None) -> str:
    """The release binary of a workspace package, of its own name unless another is named, built if it is not up to date. RuntimeError if
    that fails."""
    words = ["cargo", "build", "--release", "--locked", "--quiet", "--package", package]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)} failed: {done.stderr[-500:]}")
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return str(target / "release" / (program or package))

"""The programs compared: this engine, and ns-2 where it is installed, each on the scenario of scenario.py."""

from __future__ import annotations

import functools
import importlib.machinery
import importlib.util
import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.measure import usage

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Dumbbell:
    """How large the benchmark is: flows, bottleneck rate (Mbit/s), buffer (packets)."""

    flows: int = 10
    mbit: int = 100
    buffer_packets: int = 1500


@dataclass(frozen=True)
class Work:
    """One finished run: its CPU time (s), packets that the bottleneck forwarded, peak resident memory (kB)."""

    cpu_s: float
    forwarded: int
    peak_kb: int


@dataclass(frozen=True)
class Subject:
    """A simulator: its name in the table, and a function that runs so many simulated seconds."""

    name: str
    run: Callable[[int], Work]


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


def idle_interpreter_kb() -> int:
    """Peak memory of the process of a run before the engine does anything."""
    return int(
        json.loads(usage([sys.executable, "-I", str(HERE / "child.py"), native_file()]).output)["peak_kb"]
    )


def sawtooth(size: Dumbbell) -> Subject:
    """This engine with its default counters on, alone in a process."""

    @functools.cache
    def scenario(seconds: int) -> str:
        numbers = [size.flows, size.mbit, size.buffer_packets, seconds]
        return usage([sys.executable, "-m", "bench.scenario", *map(str, numbers)]).output

    def run(seconds: int) -> Work:
        used = usage([sys.executable, "-I", str(HERE / "child.py"), native_file()], scenario(seconds))
        told = json.loads(used.output)
        return Work(used.cpu_s, told["forwarded"], told["peak_kb"])

    return Subject("sawtooth", run)


def ns2(size: Dumbbell, headers: str) -> Subject | None:
    """ns-2 with `all` packet headers, as it comes, or only those `needed`; None where it is not installed."""
    program = shutil.which("ns")
    if program is None:
        return None

    def told(seconds: int, mode: str) -> tuple[float, dict[str, str]]:
        numbers = [seconds, size.flows, size.mbit, size.buffer_packets]
        used = usage([program, str(HERE / "ns2_dumbbell.tcl"), *map(str, numbers), headers, mode])
        words = used.output.split()
        return used.cpu_s, dict(zip(words[::2], words[1::2], strict=True))

    @functools.cache
    def forwarded(seconds: int) -> int:
        """The same packets in every run: counted once, in a run that is not timed."""
        return int(told(seconds, "count")[1]["forwarded"])

    def run(seconds: int) -> Work:
        cpu_s, words = told(seconds, "time")
        return Work(cpu_s, forwarded(seconds), int(words["peak_kb"]))

    return Subject("ns-2 as it comes (all headers)" if headers == "all" else "ns-2, needed headers only", run)
